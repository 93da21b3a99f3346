"""Buffers of 40, 500 and 1500 packets under either scheduler: Figs 3 to 11 and Table III.

Everything is of the same trials: place, fading and starts of a trial are the same for all six settings, so differences
are paired. Left out: why more buffer should cost throughput (more_buffer.py), other rules for buffers (own_size.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from airlink.campaign import CampaignResult, Plan
from airlink.report import Sheet
from airlink.report.tables import plus_minus
from airlink.result import Table
from airlink.statistics import Estimate, mean_interval
from airlink.studies.imt_advanced import buffer_claims, buffer_figures, setting
from airlink.studies.imt_advanced.measures import Outcome
from airlink.studies.imt_advanced.setting import BUFFERS, MAX_RATE, MC_PF, PAPER_RTT_MS, PAPER_TCP_MBPS, SCHEDULERS
from airlink.studies.imt_advanced.windows import Windows, mean_window
from airlink.studies.parts import Part, Shown
from airlink.studies.request import Request
from airlink.studies.runner import Runner

WINDOW_TRIALS, QUICK_WINDOW_TRIALS = 3, 1
"""Trials whose congestion windows are recorded: a row for each ACK of a run."""


def plans(request: Request) -> Mapping[str, Plan]:
    """Both schedulers with every buffer."""
    changes = setting.shortened(request)
    made = {
        label(scheduler, buffer): setting.cell(scheduler, buffer, **changes)
        for scheduler in SCHEDULERS
        for buffer in BUFFERS
    }
    return {"buffers": Plan(made, setting.seeds(request))}


def label(scheduler: str, buffer: int) -> str:
    """The label of a setting."""
    return f"{scheduler}, {buffer} packets"


@dataclass(frozen=True)
class Buffers:
    """What the part found.

    Attributes
    ----------
    outcomes : (scheduler, buffer) -> outcome.
    windows : (scheduler, buffer) -> congestion windows of user 1, in some of the trials.
    trials : how many there were.
    """

    outcomes: Mapping[tuple[str, int], Outcome]
    windows: Mapping[tuple[str, int], Windows]
    trials: int

    @property
    def profile(self) -> str:
        """For the claims."""
        return f"{setting.PROFILE}, {self.trials} trials"

    def at(self, scheduler: str, buffer: int) -> Outcome:
        """The outcome of a setting."""
        return self.outcomes[scheduler, buffer]


def show(results: Mapping[str, CampaignResult], runner: Runner) -> Shown:
    """Judges and draws."""
    result = results["buffers"]
    pairs = [(scheduler, buffer) for scheduler in SCHEDULERS for buffer in BUFFERS]
    found = Buffers(
        {pair: Outcome.of(result, label(*pair)) for pair in pairs},
        {pair: _windows(runner, *pair) for pair in pairs},
        len(result.plan.seeds),
    )
    round_trips, usage = _round_trips(found), _usage(found)
    return Shown(
        claims=buffer_claims.judged(found),
        paragraphs=(_paragraph(found),),
        items=[
            _schemes(),
            *buffer_figures.of_scheduler(found, MAX_RATE),
            round_trips,
            *buffer_figures.of_scheduler(found, MC_PF),
            buffer_figures.losses(found),
            usage,
        ],
        printed=(round_trips, usage),
        sentences=(_headline(found),),
        tables={"buffers": _table(result)},
    )


PART = Part("buffers", "Section IV: buffers", ("3", "4", "5", "6", "7", "8", "9", "10", "11"), plans, show)


def _windows(runner: Runner, scheduler: str, buffer: int) -> Windows:
    """A setting at a time, so that no more than its own windows are held."""
    request = runner.request
    scenario = setting.cell(scheduler, buffer, **setting.shortened(request))
    trials = setting.seeds(request)[: QUICK_WINDOW_TRIALS if request.quick else WINDOW_TRIALS]
    return mean_window(runner.run(Plan({"": scenario}, trials, ("cwnd",))), "")


def _schemes() -> Sheet:
    """Table I beside the thresholds that are inferred here."""
    from airlink.scenario.tables import TABLES

    modulations = ("QPSK",) * 4 + ("16QAM",) * 2 + ("64QAM",) * 3
    coding = ("1/8", "1/4", "1/2", "2/3", "1/2", "2/3", "1/2", "2/3", "3/4")
    table = TABLES["imt-advanced"]
    rows = [
        (str(number), modulation, code, f"{rate / 1e6:g}", f"{rate / 4e5:.4g}", f"{threshold:g}")
        for number, (modulation, code, rate, threshold) in enumerate(
            zip(modulations, coding, table.rates_bps, table.thresholds_db, strict=True), start=1
        )
    ]
    note = (
        "Table I. Rates of the whole band are given; bits of a subchannel and TTI follow, against the 336 of a PDU. "
        "The thresholds are inferred: capacity of 80 MHz with a gap of 3 dB."
    )
    return Sheet("MCS", ("MCS", "modulation", "code", "Mb/s", "bits", "from dB"), rows, note)


def _round_trips(found: Buffers) -> Sheet:
    """Table III."""
    rows = []
    for scheduler in SCHEDULERS:
        for buffer in BUFFERS:
            outcome, windows = found.at(scheduler, buffer), found.windows[scheduler, buffer]
            told = scheduler == MAX_RATE
            rows.append(
                (
                    f"{scheduler}, {buffer}",
                    plus_minus(mean_interval(outcome.rtt_ms[:, 0]), 1),
                    f"{PAPER_RTT_MS[buffer]:g}" if told else "",
                    plus_minus(_mean(windows.packets), 0),
                    plus_minus(_mean(windows.mbps(outcome)), 0),
                    f"{PAPER_TCP_MBPS[buffer]:g}" if told else "",
                    plus_minus(mean_interval(outcome.throughput_mbps[:, 0]), 0),
                )
            )
    note = (
        f"Table III, user 1. cwnd: mean over time, packets; TCP: cwnd / RTT, Mb/s, over {len(windows.packets)} trials; "
        "got: what arrived, Mb/s. The paper has cwnd in a figure only and MC-PF not at all."
    )
    columns = ("packets", "RTT (ms)", "paper", "cwnd", "TCP", "paper", "got")
    return Sheet("Round trips and TCP bandwidth of user 1", columns, rows, note)


def _usage(found: Buffers) -> Sheet:
    rows = []
    for (scheduler, buffer), outcome in found.outcomes.items():
        shares = (outcome.unused, outcome.empty_without_data, outcome.empty_otherwise, outcome.padded)
        rows.append((f"{scheduler}, {buffer}", *(plus_minus(_percent(share), 1) for share in shares)))
    note = (
        "% of subchannels and TTIs. no data: nobody had any; covered: who had data had been granted enough for it, or "
        "no rate; padded: granted, weighted by bits, and not filled."
    )
    return Sheet("What of the band carried nothing", ("packets", "unused", "no data", "covered", "padded"), rows, note)


def _paragraph(found: Buffers) -> str:
    given_up = sum(float(outcome.given_up.sum()) for outcome in found.outcomes.values())
    return (
        f"Of all trials, {given_up:.0f} packets were lost because a PDU had been sent as often as allowed: with "
        "combining, losses are those of the buffers."
    )


def _headline(found: Buffers) -> str:
    gain = buffer_claims.gain(found, 500)
    first = [found.at(MAX_RATE, buffer).active[:, 0].mean() for buffer in BUFFERS]
    return (
        f"With 500 packets MaxCIR carries {gain.mean:.2f} times what MC-PF does (paper: about 2). Under MaxCIR user 1 "
        f"has data at the base station {100 * first[0]:.0f} / {100 * first[1]:.0f} / {100 * first[2]:.0f} % of the "
        "time with 40 / 500 / 1500 packets (about 40 / 90 / 90)."
    )


def _table(result: CampaignResult) -> Table:
    """One row a setting, seed and user."""
    labels = list(result.plan.scenarios)
    outcomes = [Outcome.of(result, each) for each in labels]
    seeds, users = outcomes[0].throughput_mbps.shape
    columns: dict[str, np.ndarray] = {
        "setting": np.repeat(labels, seeds * users),
        "seed": np.tile(np.repeat(result.plan.seeds, users), len(labels)),
        "user": np.tile(np.arange(1, users + 1), len(labels) * seeds),
    }
    for name in ("throughput_mbps", "selection", "active", "retransmission", "loss", "rtt_ms", "report_error_db"):
        columns[name] = np.concatenate([getattr(outcome, name).ravel() for outcome in outcomes])
    return Table(columns)


def _mean(values: np.ndarray) -> Estimate:
    return mean_interval(values)


def _percent(share: np.ndarray) -> Estimate:
    return mean_interval(100 * share)
