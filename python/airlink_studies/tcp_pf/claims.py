"""The checklist of [Klein04], each claim with its bound in numbers.

Bounds were written before anything was measured, but for those marked `after_run`. A number of Table I is a mean of 50
runs; ours is held against the interval in which such a mean falls. Orderings are paired differences, run by run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from airlink.report import Claim, Printed, Statement, about, above, at_least, at_most, certain, exactly
from airlink.statistics import Estimate, mean_interval, paired_difference
from airlink_studies.tcp_pf.controls import ALPHA, AWARE, BETA, LOSSLESS, OMEGA
from airlink_studies.tcp_pf.evidence import Evidence, Pair
from airlink_studies.tcp_pf.measures import Outcome, coverage, coverage_difference, gain, quantile_ratio
from airlink_studies.tcp_pf.setting import (
    BIN_KBPS,
    DROPS,
    IDEAL,
    MAX,
    PAPER_DROPS,
    PF,
    RR,
    SCHEDULERS,
    TABLE_I,
    TCP_MAX,
    TCP_PF,
    UNAPPROXIMATED,
)
from airlink_studies.tcp_pf.spurious import MANY

TEN_USERS = Printed(10.0, PAPER_DROPS, 0.5)
""""On average 10 of the 21 users": a mean, rounded to users."""


def judged(evidence: Evidence) -> list[Claim]:
    """Every claim, in the order of the checklist."""
    parts = (
        throughput,
        all_drops,
        gain_of_tcp_pf,
        fairness,
        cover,
        mac_and_timeouts,
        gaps,
        spurious,
        users,
        approximations,
    )
    claims = [claim for part in parts for claim in part(evidence)]
    return sorted(claims, key=lambda claim: claim.id)


def throughput(evidence: Evidence) -> list[Claim]:
    """[001-1] The order of Gamma, its ratios and its values."""
    main, profile = evidence.main, evidence.profile
    order = [
        _order(evidence, "001-1a", TCP_MAX, TCP_PF, or_equal=True),
        _order(evidence, "001-1b", TCP_PF, PF),
        _order(evidence, "001-1c", PF, RR),
        Statement("001-1d", "MAX's cell goodput is about that of RR: MAX/RR", _ratio(MAX, RR)).against(
            gain(main[MAX], main[RR]), None, profile
        ),
        Statement("001-1f", "PF carries more than RR: PF/RR", _ratio(PF, RR)).against(
            gain(main[PF], main[RR]), above("PF/RR", 1), profile
        ),
    ]
    values = [
        Statement(f"001-1{letter}", f"{SCHEDULERS[kind]}'s mean cell goodput, kB/s", _goodput(kind)).against(
            mean_interval(main[kind].system_kBps), None, profile
        )
        for letter, kind in zip("ghijk", SCHEDULERS, strict=True)
    ]
    return order + values


def _goodput(kind: str) -> Printed:
    return Printed(TABLE_I[kind].system_kBps, PAPER_DROPS)


def _ratio(a: str, b: str) -> Printed:
    """A ratio of two means of Table I."""
    return Printed(round(TABLE_I[a].system_kBps / TABLE_I[b].system_kBps, 3), PAPER_DROPS)


def all_drops(evidence: Evidence) -> list[Claim]:
    """[001-1], [001-2] again over the realizations of all base seeds, where the intervals are narrower."""
    if len(evidence.repeats) < 2:
        return []
    main, profile = evidence.all_drops, f"K3, {DROPS} realizations of each base seed {_listed(evidence.repeats)}"
    values = [
        Statement(
            f"001-1{letter}",
            f"all realizations: {SCHEDULERS[kind]}'s mean cell goodput, kB/s",
            _goodput(kind),
            after_run=True,
        ).against(mean_interval(main[kind].system_kBps), None, profile)
        for letter, kind in zip("lmn", (RR, PF, TCP_PF), strict=True)
    ]
    for number, a, b in (("001-1o", MAX, RR), ("001-1p", PF, RR), ("001-2b", TCP_PF, PF)):
        name = f"{SCHEDULERS[a]}/{SCHEDULERS[b]}"
        statement = Statement(number, f"all realizations: {name}", _ratio(a, b), after_run=True)
        bounds = None if a == MAX else above(name, 1)
        values.append(statement.against(gain(main[a], main[b]), bounds, profile))
    return values


def _listed(seeds: Iterable[int]) -> str:
    return ", ".join(str(seed) for seed in seeds)


def gain_of_tcp_pf(evidence: Evidence) -> list[Claim]:
    """[001-2] The 12 %."""
    return [
        Statement("001-2a", "TCP-PF carries about 12 % more than PF", _ratio(TCP_PF, PF)).against(
            evidence.base.gain, above("TCP-PF/PF", 1), evidence.profile
        )
    ]


def fairness(evidence: Evidence) -> list[Claim]:
    """[001-3] The order of F and its values; F is a mean over realizations."""
    main, profile = evidence.main, evidence.profile

    def order(letter: str, a: str, b: str) -> Claim:
        words = f"F: {SCHEDULERS[a]} > {SCHEDULERS[b]}"
        printed = round(TABLE_I[a].fairness - TABLE_I[b].fairness, 3)
        measured = paired_difference(main[a].fairness, main[b].fairness)
        paper = Printed(printed, PAPER_DROPS, 0.001) if math.isfinite(printed) else printed
        return Statement(f"001-3{letter}", words, paper).against(
            measured, above(f"F {SCHEDULERS[a]} - {SCHEDULERS[b]}", 0), profile
        )

    starved = int((main[MAX].goodput_kBps == 0).any(axis=1).sum())
    claims = [
        order("a", TCP_PF, PF),
        order("b", PF, TCP_MAX),
        order("c", TCP_MAX, RR),
        order("d", RR, MAX),
        Statement("001-3e", "MAX's F is minus infinity", -math.inf).against(
            mean_interval(main[MAX].fairness), exactly("F of MAX", -math.inf), profile
        ),
        Statement(
            "001-3f",
            "under MAX some user gets nothing (number of realizations)",
            "some user gets nothing",
            after_run=True,
        ).against(certain(float(starved)), at_least("starved realizations", 1), profile),
    ]
    for letter, kind in zip("ghij", (RR, PF, TCP_PF, TCP_MAX), strict=True):
        printed = Printed(TABLE_I[kind].fairness, PAPER_DROPS, 0.0005)
        statement = Statement(f"001-3{letter}", f"{SCHEDULERS[kind]}'s F", printed)
        claims.append(statement.against(mean_interval(main[kind].fairness), None, profile))
    return claims


def cover(evidence: Evidence) -> list[Claim]:
    """[001-4] The order of Gamma_0.9 and its values, each known to one bin of the paper's histogram."""
    main, profile = evidence.main, evidence.profile
    pairs = ((TCP_PF, PF), (PF, RR), (RR, TCP_MAX), (TCP_MAX, MAX))
    claims = [
        Statement(
            f"001-4{letter}",
            f"Gamma_0.9: {SCHEDULERS[a]} > {SCHEDULERS[b]}",
            Printed(round(TABLE_I[a].coverage_kBps - TABLE_I[b].coverage_kBps, 2), PAPER_DROPS, BIN_KBPS),
        ).against(coverage_difference(main[a], main[b]), above(f"G0.9 {SCHEDULERS[a]} - {SCHEDULERS[b]}", 0), profile)
        for letter, (a, b) in zip("abcd", pairs, strict=True)
    ]
    claims.append(
        Statement("001-4e", "MAX's Gamma_0.9 is 0", 0.0).against(coverage(main[MAX]), exactly("G0.9 MAX", 0.0), profile)
    )
    for letter, kind in zip("fghi", (RR, PF, TCP_PF, TCP_MAX), strict=True):
        printed = Printed(TABLE_I[kind].coverage_kBps, PAPER_DROPS, BIN_KBPS)
        statement = Statement(f"001-4{letter}", f"{SCHEDULERS[kind]}'s Gamma_0.9, kB/s", printed)
        claims.append(statement.against(coverage(main[kind]), None, profile))
    return claims


def mac_and_timeouts(evidence: Evidence) -> list[Claim]:
    """[001-5] MAX has the largest MAC (granted) throughput, and the most timeouts."""
    others = [kind for kind in SCHEDULERS if kind != MAX]
    measures: tuple[tuple[str, str, str, Callable[[Outcome], np.ndarray]], ...] = (
        ("001-5a", "MAX has the largest MAC (granted) throughput", "granted kB/s", lambda one: one.granted_kBps),
        ("001-5b", "MAX has the most timeouts", "timeouts", lambda one: one.timeouts.sum(axis=1)),
    )
    claims = []
    for number, words, unit, measure in measures:
        nearest = max(others, key=lambda kind: float(measure(evidence.main[kind]).mean()))
        measured = paired_difference(measure(evidence.main[MAX]), measure(evidence.main[nearest]))
        statement = Statement(number, f"{words} (next: {SCHEDULERS[nearest]})", "largest")
        claims.append(statement.against(measured, above(f"MAX - {SCHEDULERS[nearest]} {unit}", 0), evidence.profile))
    return claims


def gaps(evidence: Evidence) -> list[Claim]:
    """[001-6] Spikes in the gaps between slots under PF."""
    pf, profile = evidence.main[PF], evidence.profile
    return [
        Statement("001-6a", "under PF users of 21 with a gap > 10x their mean gap", TEN_USERS).against(
            mean_interval(pf.users_with_gap_over(10)), None, profile
        ),
        Statement("001-6b", "under PF more than 15 of 21 users see a gap > 4x their mean gap", "> 15").against(
            mean_interval(pf.users_with_gap_over(4)), above("users with 4x gap", 15.0), profile
        ),
        Statement("001-6c", "under TCP-PF fewer users see a gap > 10x their mean gap than under PF", "fewer").against(
            paired_difference(pf.users_with_gap_over(10), evidence.main[TCP_PF].users_with_gap_over(10)),
            above("users, PF - TCP-PF", 0),
            profile,
        ),
    ]


def spurious(evidence: Evidence) -> list[Claim]:
    """[001-7] The lossless variant: spurious timeouts under PF that TCP-PF avoids."""
    alike = max(found.alike for found in evidence.examples.values())
    search, profile = evidence.search, evidence.profile.replace("K3", f"K3 {LOSSLESS}")
    fewer = paired_difference(search.pf.spurious_timeouts.sum(axis=1), search.tcp_pf.spurious_timeouts.sum(axis=1))
    return [
        Statement(
            "001-7a",
            "some user has a spurious timeout under PF and no timeout under TCP-PF, same realization and seed",
            "Figs 2 and 3",
        ).against(certain(float(len(search.cases))), at_least("cases", 1.0), profile),
        Statement("001-7b", "fewer spurious timeouts per realization under TCP-PF than under PF", "fewer").against(
            fewer, above("spurious, PF - TCP-PF", 0), profile
        ),
        Statement(
            "001-7c",
            f"users in any cell with a spurious timeout that finds {MANY:g} packets or more, 2 s after an ACK",
            "95 packets, about 2 s",
            after_run=True,
        ).against(certain(float(alike)), at_least("users", 1.0), evidence.profile),
    ]


def users(evidence: Evidence) -> list[Claim]:
    """[001-8] TCP-PF lifts the top users and does not hurt the low ones. `Not hurt` is read as at least 0.95."""
    main, profile = evidence.main, evidence.profile
    return [
        Statement(
            "001-8a", "the user throughput that 10 % exceed is larger under TCP-PF than under PF", "higher"
        ).against(quantile_ratio(main[TCP_PF], main[PF], 0.9), above("TCP-PF/PF at 90 %", 1.0), profile),
        Statement("001-8b", "the user throughput that 90 % exceed is no smaller under TCP-PF", "not degraded").against(
            quantile_ratio(main[TCP_PF], main[PF], 0.1), at_least("TCP-PF/PF at 10 %", 0.95), profile
        ),
        Statement(
            "001-8c", "TCP-MAX buys its throughput from the low users: below PF at 10 %", "at their expense"
        ).against(quantile_ratio(main[PF], main[TCP_MAX], 0.1), above("PF/TCP-MAX at 10 %", 1.0), profile),
    ]


def approximations(evidence: Evidence) -> list[Claim]:
    """[001-9] What the approximations cost, and how much the gain leans on omega, alpha, beta.

    The paper gives no numbers here; `costs little` is read as about equal, and a parameter is `as good as the
    paper's` when it changes the gain by no more than 0.05.
    """
    main, aware, profile = evidence.main, evidence.queue_aware, evidence.profile
    claims = [
        Statement("001-9a", "without approximations (8)-(11) TCP-PF carries about the same (within 15 %)").against(
            gain(main[UNAPPROXIMATED], main[TCP_PF]), about("exact/TCP-PF", 1.0), profile
        ),
        Statement("001-9b", "with the true TCP throughput, eq. (3), it carries about the same (within 15 %)").against(
            gain(main[IDEAL], main[TCP_PF]), about("ideal/TCP-PF", 1.0), profile
        ),
        Statement("001-9c", "with the true TCP throughput, eq. (3), it carries more than PF").against(
            gain(main[IDEAL], main[PF]), above("ideal/PF", 1.0), profile
        ),
        Statement(
            "001-9d", "eq. (3) carries about the same (within 15 %) where only users with data compete", after_run=True
        ).against(gain(aware[IDEAL], aware[TCP_PF]), about("ideal/TCP-PF", 1.0), profile.replace("K3", f"K3 {AWARE}")),
    ]
    for letter, sweep in zip("efg", (OMEGA, ALPHA, BETA), strict=True):
        pairs = evidence.sweeps.get(sweep)
        if pairs:
            words = f"no other {sweep.symbol} gives a gain over PF clearly larger than {sweep.text(sweep.own)} does"
            statement = Statement(f"001-9{letter}", words, f"{sweep.text(sweep.own)} typical")
            best = _largest_change(evidence.base, pairs, sweep.own)
            claims.append(statement.against(best, at_most(f"change of gain, {sweep.symbol}", 0.05), profile))
    return claims


def _largest_change(base: Pair, pairs: Mapping[float, Pair], own: float) -> Estimate:
    """The change of the gain at the value where it grows most."""
    changes = [pair.change_from(base) for value, pair in pairs.items() if value != own]
    return max(changes, key=lambda change: change.mean)


def _order(evidence: Evidence, number: str, a: str, b: str, *, or_equal: bool = False) -> Claim:
    sign, bounds = (">=", at_least) if or_equal else (">", above)
    words = f"cell goodput: {SCHEDULERS[a]} {sign} {SCHEDULERS[b]}"
    measured = paired_difference(evidence.main[a].system_kBps, evidence.main[b].system_kBps)
    printed = Printed(round(TABLE_I[a].system_kBps - TABLE_I[b].system_kBps, 2), PAPER_DROPS)
    return Statement(number, words, printed).against(
        measured, bounds(f"{SCHEDULERS[a]} - {SCHEDULERS[b]} kB/s", 0), evidence.profile
    )
