"""The study's tables: for people (`sheets`) and for machines (`parquet`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from airlink.report import Claim, Sheet, about, plus_minus
from airlink.result import Table
from airlink.statistics import Estimate, mean_interval, quantile
from airlink_studies.tcp_pf import cell_tables
from airlink_studies.tcp_pf.controls import APPROXIMATIONS, AWARE, AWARE_ARQ, BASE
from airlink_studies.tcp_pf.evidence import Evidence, Pair
from airlink_studies.tcp_pf.measures import Outcome, coverage, gain
from airlink_studies.tcp_pf.setting import (
    BIN_KBPS,
    IDEAL,
    MAX,
    PF,
    RR,
    SCHEDULERS,
    TABLE_I,
    TCP_MAX,
    TCP_PF,
    UNAPPROXIMATED,
    PaperRow,
)

SHARES = (0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95)


def sheets(evidence: Evidence) -> list[Sheet]:
    """The tables of the terminal, in order."""
    made = [table_one(evidence), mechanism(evidence), controls(evidence), approximations(evidence)]
    if evidence.sweeps:
        made += [sensitivity(evidence), tcp_max(evidence)]
    if evidence.cells:
        made += [cell_tables.tcp_rules(evidence), cell_tables.cell_rules(evidence)]
    made.append(cell_tables.example(evidence))
    if len(evidence.repeats) > 1:
        made.append(repeats(evidence))
    return made


def table_one(evidence: Evidence) -> Sheet:
    """The paper's Table I beside ours."""
    rows = []
    for kind, name in SCHEDULERS.items():
        paper, ours = TABLE_I[kind], evidence.main[kind]
        covered = coverage(ours)
        rows.append(
            (
                name,
                f"{paper.system_kBps:.2f}",
                plus_minus(mean_interval(ours.system_kBps), 1),
                f"{paper.fairness:.3f}",
                plus_minus(mean_interval(ours.fairness), 3),
                f"{paper.coverage_kBps:.2f}",
                plus_minus(covered, 2),
                f"{binned(covered.mean):.2f}",
            )
        )
    columns = ("", "Γ paper", "Γ ours", "F paper", "F ours", "Γ.9 paper", "Γ.9 ours", "binned")
    note = (
        f"{len(evidence.seeds)} realizations; 95 % intervals. Γ in kB/s; F in log10(kB/s); Γ.9 in kB/s, binned "
        f"down to 0.64 "
        "as the paper prints it."
    )
    return Sheet("Table I: [Klein04] beside ours", columns, rows, note, narrow=(0, 1, 2, 3, 4, 5, 6))


def mechanism(evidence: Evidence) -> Sheet:
    """Below the throughput: granted and delivered rate, wasted slots, timeouts, gaps; means per realization."""
    rows = [_mechanism_row(name, evidence.main[kind]) for kind, name in SCHEDULERS.items()]
    clean = evidence.control(AWARE_ARQ)
    if clean is not None:
        rows += [_mechanism_row("PF *", clean.pf), _mechanism_row("TCP-PF *", clean.tcp_pf)]
    columns = ("", "granted", "deliv.", "goodput", "wasted", "timeouts", "spurious", "gap>10x", "gap>4x")
    note = (
        "Means per realization. granted: nominal kB/s of slots won (the paper's MAC throughput); deliv.: kB/s "
        "over the air, "
        "headers and repeats included; wasted: % of slots given to a user who sent nothing; spurious: timeouts whose "
        "segment was not lost; gap > kx: users of 21 with a gap over k times their mean gap."
        + ("" if clean is None else " *: only users with data compete, link ARQ.")
    )
    return Sheet("Under the throughput", columns, rows, note)


def _mechanism_row(name: str, one: Outcome) -> tuple[str, ...]:
    return (
        name,
        f"{one.granted_kBps.mean():.1f}",
        f"{one.delivered_kBps.mean():.1f}",
        f"{one.system_kBps.mean():.1f}",
        f"{100 * one.wasted_share.mean():.1f}",
        f"{one.timeouts.sum(axis=1).mean():.1f}",
        f"{one.spurious_timeouts.sum(axis=1).mean():.1f}",
        f"{one.users_with_gap_over(10).mean():.1f}",
        f"{one.users_with_gap_over(4).mean():.1f}",
    )


def controls(evidence: Evidence) -> Sheet:
    """The gain with one assumption changed at a time."""
    rows = [_control_row("as the study has it", evidence.base, None, same=True)]
    for control, pair in evidence.controls.items():
        rows.append(_control_row(control.name, pair, pair.change_from(evidence.base), same=control.same_drops))
    columns = (
        *("setting", "PF", "TCP-PF", "TCP-PF/PF", "95 % interval", "change", "same"),
        *("wasted %, both", "timeouts, both"),
    )
    note = (
        "PF, TCP-PF: mean cell goodput, kB/s. change: of the gain against the study's cell, in points, paired by "
        "realization (* differs from 0 at 95 %). same: placement and fading of every realization are those of the "
        "study's cell (with shadowing the channel is another)."
    )
    return Sheet("Controls: what the gain depends on", columns, rows, note, narrow=(0, 1, 2, 3, 4, 5, 6))


def _control_row(name: str, pair: Pair, change: Estimate | None, *, same: bool) -> tuple[str, ...]:
    ratio = pair.gain
    return (
        name,
        f"{pair.pf.system_kBps.mean():.1f}",
        f"{pair.tcp_pf.system_kBps.mean():.1f}",
        f"{ratio.mean:.3f}",
        f"{ratio.low:.3f}..{ratio.high:.3f}",
        "" if change is None else f"{100 * change.mean:+.1f}{'*' if differs(change) else ' '}",
        "yes" if same else "no",
        f"{100 * pair.pf.wasted_share.mean():.1f} / {100 * pair.tcp_pf.wasted_share.mean():.1f}",
        f"{pair.pf.timeouts.sum(axis=1).mean():.1f} / {pair.tcp_pf.timeouts.sum(axis=1).mean():.1f}",
    )


def approximations(evidence: Evidence) -> Sheet:
    """[001-9]: TCP-PF before its approximations, and the ideal it stands for, in K3 and where queues are seen."""
    rows = [*_approximation_rows(evidence.main, ""), *_approximation_rows(evidence.queue_aware, f"{AWARE}: ")]
    return Sheet("What the approximations cost", ("metric", "kB/s", "to PF", "to TCP-PF", "F"), rows)


def _approximation_rows(main: Mapping[str, Outcome], where: str) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for kind in (TCP_PF, UNAPPROXIMATED, IDEAL):
        one = main[kind]
        to_pf, to_tcp_pf = gain(one, main[PF]), gain(one, main[TCP_PF])
        rows.append(
            (
                where + APPROXIMATIONS[kind],
                f"{one.system_kBps.mean():.1f}",
                plus_minus(to_pf, 3),
                "" if kind == TCP_PF else f"{to_tcp_pf.mean:.3f}",
                f"{one.fairness.mean():.3f}",
            )
        )
    return rows


def sensitivity(evidence: Evidence) -> Sheet:
    """The gain against omega, alpha and beta."""
    rows = []
    for sweep, pairs in evidence.sweeps.items():
        for value, pair in pairs.items():
            own = value == sweep.own
            name = f"{sweep.symbol} = {sweep.text(value)}{' (as it is)' if own else ''}"
            rows.append(_control_row(name, pair, None if own else pair.change_from(evidence.base), same=True)[:6])
    columns = ("parameter", "PF", "TCP-PF", "TCP-PF/PF", "95 % interval", "change")
    note = (
        "omega is in PF's average as well; change: of the gain against the study's cell, in points (* differs from 0 "
        "at 95 %)."
    )
    return Sheet("Sensitivity of the gain", columns, rows, note)


def tcp_max(evidence: Evidence) -> Sheet:
    """The search for the fairness that the paper prints for TCP-MAX."""
    paper = TABLE_I[TCP_MAX]
    rows = [("paper", f"{paper.system_kBps:.1f}", f"{paper.fairness:.3f}", f"{paper.coverage_kBps:.2f}")]
    rows += [
        (
            name,
            plus_minus(mean_interval(one.system_kBps), 1),
            plus_minus(mean_interval(one.fairness), 3),
            plus_minus(coverage(one), 2),
        )
        for name, one in evidence.tcp_max.items()
    ]
    near = sum(_near(one, paper) for one in evidence.tcp_max.values())
    note = (
        f"{near} of {len(evidence.tcp_max)} readings of eq. (20) give the paper's row: Γ and 10^F within 15 %, Γ.9 "
        "within one bin."
    )
    return Sheet("TCP-MAX in other readings", ("setting", "Γ", "F", "Γ.9"), rows, note)


def _near(one: Outcome, paper: PaperRow) -> bool:
    """Whether the means are about the paper's in all three columns."""
    system = about("", paper.system_kBps).holds_at(float(one.system_kBps.mean()))
    fair = about("", 10**paper.fairness).holds_at(10 ** float(one.fairness.mean()))
    return system and fair and abs(coverage(one).mean - paper.coverage_kBps) <= BIN_KBPS


def repeats(evidence: Evidence) -> Sheet:
    """K3 again on the realizations of other base seeds."""
    rows = []
    for name, main in _blocks(evidence):
        tcp_pf, pf, most = gain(main[TCP_PF], main[PF]), gain(main[PF], main[RR]), gain(main[MAX], main[RR])
        rows.append(
            (
                name,
                *(plus_minus(mean_interval(main[kind].system_kBps), 1) for kind in (RR, PF, TCP_PF)),
                plus_minus(tcp_pf, 3),
                f"{pf.mean:.2f}",
                plus_minus(most, 2),
            )
        )
    columns = ("", "RR", "PF", "TCP-PF", "TCP-PF/PF", "PF/RR", "MAX/RR")
    note = f"kB/s and ratios, {len(evidence.seeds)} realizations of each base seed; 95 % intervals, paired by "
    "realization."
    return Sheet("The cell on other realizations", columns, rows, note)


def _blocks(evidence: Evidence) -> list[tuple[str, Mapping[str, Outcome]]]:
    blocks: list[tuple[str, Mapping[str, Outcome]]] = [
        (f"seed {base}", main) for base, main in evidence.repeats.items()
    ]
    return [*blocks, ("all", evidence.all_drops)]


def quantiles(evidence: Evidence) -> Sheet:
    """[001-8]: user throughput at several shares, all users of all realizations."""
    rows = [
        (name, *(f"{quantile(evidence.main[kind].goodput_kBps, share):.2f}" for share in SHARES))
        for kind, name in SCHEDULERS.items()
    ]
    columns = ("kB/s", *(f"{100 * share:.0f} %" for share in SHARES))
    note = "The throughput that so many per cent of all users of all realizations do not exceed."
    return Sheet("User throughput", columns, rows, note)


def parquet(evidence: Evidence, claims: Sequence[Claim]) -> dict[str, Table]:
    """The numbers behind the tables, by scheduler, realization and user; by scheduler and realization; by setting."""
    return {
        "users": _users(evidence.main, evidence.seeds),
        "realizations": _drops(evidence.main, evidence.seeds),
        "controls": _settings(evidence),
        **({"cells": cell_tables.parquet(evidence)} if evidence.cells else {}),
        "claims": Table(
            {
                "id": [claim.id for claim in claims],
                "measured": [claim.measured for claim in claims],
                "bound": [claim.bound for claim in claims],
                "verdict": [claim.verdict for claim in claims],
            }
        ),
    }


def _users(main: Mapping[str, Outcome], seeds: Sequence[int]) -> Table:
    shape = next(iter(main.values())).goodput_kBps.shape
    count = shape[0] * shape[1]
    return Table(
        {
            "scheduler": np.repeat(list(main), count),
            "seed": np.tile(np.repeat(seeds, shape[1]), len(main)),
            "user": np.tile(np.arange(shape[1]), shape[0] * len(main)),
            "goodput_kBps": np.concatenate([one.goodput_kBps.ravel() for one in main.values()]),
            "timeouts": np.concatenate([one.timeouts.ravel() for one in main.values()]),
            "spurious_timeouts": np.concatenate([one.spurious_timeouts.ravel() for one in main.values()]),
            "longest_gap_slots": np.concatenate([one.longest_gap_slots.ravel() for one in main.values()]),
        }
    )


def _drops(main: Mapping[str, Outcome], seeds: Sequence[int]) -> Table:
    return Table(
        {
            "scheduler": np.repeat(list(main), len(seeds)),
            "seed": np.tile(seeds, len(main)),
            "system_kBps": np.concatenate([one.system_kBps for one in main.values()]),
            "fairness": np.concatenate([one.fairness for one in main.values()]),
            "granted_kBps": np.concatenate([one.granted_kBps for one in main.values()]),
            "delivered_kBps": np.concatenate([one.delivered_kBps for one in main.values()]),
            "wasted_share": np.concatenate([one.wasted_share for one in main.values()]),
        }
    )


def _settings(evidence: Evidence) -> Table:
    named = {BASE: evidence.base, **{control.name: pair for control, pair in evidence.controls.items()}}
    for sweep, pairs in evidence.sweeps.items():
        named |= {f"{sweep.symbol} = {sweep.text(value)}": pair for value, pair in pairs.items() if value != sweep.own}
    gains = [pair.gain for pair in named.values()]
    return Table(
        {
            "setting": list(named),
            "pf_kBps": [pair.pf.system_kBps.mean() for pair in named.values()],
            "tcp_pf_kBps": [pair.tcp_pf.system_kBps.mean() for pair in named.values()],
            "gain": [one.mean for one in gains],
            "gain_low": [one.low for one in gains],
            "gain_high": [one.high for one in gains],
        }
    )


def binned(kilobytes: float) -> float:
    """Down to a multiple of the paper's histogram bin.

    >>> round(binned(6.7), 2)
    6.4
    """
    return float(np.floor(kilobytes / BIN_KBPS + 1e-9) * BIN_KBPS)


def differs(change: Estimate) -> bool:
    """Whether the interval of a change leaves out 0."""
    return change.low > 0 or change.high < 0
