"""More sessions (Figs 5 and 6(a)): fairness and throughput with timeouts as they come and held, and how many time out.

Under the chosen t_c and a long one. Left out: other settings, and min RTO (min_rto.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from airlink.campaign import CampaignResult, Plan
from airlink.plots import style, sweep
from airlink.report import Claim, Illustration, Sheet, Statement, above, plus_minus
from airlink.result import Table
from airlink.scenario import Scenario
from airlink.statistics import Estimate, mean_interval, paired_difference
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.startup_timeout import setting
from airlink_studies.startup_timeout.measures import RECORD, Floats, Pair, pair_of

FLOWS = (20, 25, 30, 35, 40, 45, 50)
QUICK_FLOWS = (20, 35, 50)
RUNS, QUICK_RUNS = 30, 3
READINGS: Mapping[str, float] = {
    "t_c 1000": setting.TIME_CONSTANT_SLOTS,
    "t_c 10 000": setting.LONG_TIME_CONSTANT_SLOTS,
}
"""Name -> t_c in slots."""


def plans(request: Request) -> Mapping[str, Plan]:
    """Every number of sessions under both t_c, as it is and held."""
    scenarios: dict[str, Scenario] = {}
    for name, t_c in READINGS.items():
        for flows in QUICK_FLOWS if request.quick else FLOWS:
            scenarios |= pair_of(_label(name, flows), setting.cell(flows, time_constant_slots=t_c))
    return {"flows": Plan(scenarios, setting.seeds(request.seed, QUICK_RUNS if request.quick else RUNS), RECORD)}


@dataclass(frozen=True)
class Sweep:
    """The sweep: numbers of sessions, and for each reading a pair of outcomes at each of them."""

    flows: Sequence[int]
    pairs: Mapping[str, Sequence[Pair]]
    seeds: Sequence[int]

    @property
    def profile(self) -> str:
        """For the claims."""
        return f"startup-timeout, {self.flows[0]}-{self.flows[-1]} sessions, {len(self.seeds)} seeds"

    def growth(self, reading: str, repeated: bool = False) -> Estimate:
        """How many more initial timeouts (or repetitions of them) the most sessions have than the fewest, a run."""
        first, last = (_timeouts(self.pairs[reading][at], repeated) for at in (0, -1))
        return paired_difference(last, first)

    def least(self, reading: str, measure: str) -> Estimate:
        """Of all numbers of sessions the one at which holding helps least: its gain in Jain's index or throughput."""
        gains: list[Estimate] = [getattr(pair, measure) for pair in self.pairs[reading]]
        return min(gains, key=lambda gain: gain.low)


def show(results: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    """Judges and draws the sweep."""
    result = results["flows"]
    flows = QUICK_FLOWS if runner.request.quick else FLOWS
    pairs = {name: [Pair.of(result, _label(name, count)) for count in flows] for name in READINGS}
    swept = Sweep(flows, pairs, result.plan.seeds)
    sheet = _sheet(swept)
    return PartResult(
        claims=_claims(swept),
        paragraphs=_paragraphs(swept),
        items=[_fairness_figure(swept), _timeouts_figure(swept), sheet],
        printed=[sheet],
        sentences=[_sentence(swept)],
        depends=[_sentence(swept)],
        tables={"flows": _table(swept)},
    )


PART = Part("flows", "More sessions: Figs 5 and 6(a)", ("5", "6a"), plans, show)


def _label(reading: str, flows: int) -> str:
    return f"{reading}, {flows} sessions"


def _timeouts(pair: Pair, repeated: bool = False) -> Floats:
    counts = pair.normal.repeated if repeated else pair.normal.initial
    return np.asarray(np.sum(counts, axis=1), dtype=float)


def _claims(swept: Sweep) -> list[Claim]:
    """[003-4], first half."""
    short, long = READINGS
    more, least = above("timeouts more", 0), "smallest gain"
    profile = swept.profile
    return [
        Statement("003-4a", "Initial timeouts grow with the number of sessions, t_c 1000").against(
            swept.growth(short), more, profile
        ),
        Statement("003-4b", "The same, t_c 10 000").against(swept.growth(long), more, profile),
        Statement("003-4c", "So do consecutive timeouts at start-up, t_c 10 000").against(
            swept.growth(long, repeated=True), more, profile
        ),
        Statement("003-4d", "Held, Jain's index is higher whatever the number of sessions, t_c 1000").against(
            swept.least(short, "fairer"), above(least, 0), profile
        ),
        Statement("003-4e", "Held, throughput is higher whatever the number of sessions, t_c 1000").against(
            swept.least(short, "faster"), above(least, 1), profile
        ),
        Statement("003-4f", "Held, Jain's index is higher whatever the number of sessions, t_c 10 000").against(
            swept.least(long, "fairer"), above(least, 0), profile
        ),
        Statement("003-4g", "Held, throughput is higher whatever the number of sessions, t_c 10 000").against(
            swept.least(long, "faster"), above(least, 1), profile
        ),
    ]


OPEN_MARK: dict[str, Any] = {"markersize": 5, "markerfacecolor": "none", "clip_on": False, "zorder": 6}


def _fairness_figure(swept: Sweep) -> Illustration:
    figure, (fairness, throughput) = style.blank(2, 4.2)
    for index, (reading, pairs) in enumerate(swept.pairs.items()):
        for line, (name, outcomes) in enumerate(
            (("normal", [pair.normal for pair in pairs]), ("held", [pair.held for pair in pairs]))
        ):
            look, label = 2 * index + line, f"{setting.in_slots(reading)}, {name}"
            sweep.banded(fairness, swept.flows, [mean_interval(one.jain) for one in outcomes], look, label)
            sweep.banded(throughput, swept.flows, [mean_interval(one.kbps) for one in outcomes], look, "")
    jain = (setting.PAPER_JAIN, setting.PAPER_JAIN_HELD)
    rates = (setting.PAPER_KBPS, setting.PAPER_KBPS_HELD)
    for axes, (normal, held) in ((fairness, jain), (throughput, rates)):
        sweep.paper_point(axes, setting.FLOWS, normal, "paper, normal")
        axes.plot([setting.FLOWS], [held], "s", color=style.COLOURS[6], label="paper, held", **OPEN_MARK)
    style.label(fairness, y="Jain's index")
    style.label(throughput, "number of sessions", "throughput (kb/s)")
    style.legend_above(figure, fairness, columns=2)
    caption = (
        "Fig. 5. Fairness and throughput against the number of sessions, with timeouts as they come (normal) and "
        f"with initial timeouts held; means of {len(swept.seeds)} runs of 10 s, bands 95 %. The paper prints numbers "
        "for 20 sessions only."
    )
    return Illustration("fig5-flows", caption, figure, "Jain's index and throughput over 20 to 50 sessions.")


def _timeouts_figure(swept: Sweep) -> Illustration:
    figure, (axes,) = style.blank(height_in=2.6)
    for index, (reading, pairs) in enumerate(swept.pairs.items()):
        victims = [mean_interval(pair.normal.timed_out) for pair in pairs]
        again = [mean_interval(_timeouts(pair, repeated=True)) for pair in pairs]
        sweep.banded(axes, swept.flows, victims, 2 * index, f"{setting.in_slots(reading)}: initial")
        sweep.banded(axes, swept.flows, again, 2 * index + 1, f"{setting.in_slots(reading)}: consecutive")
    sweep.paper_point(axes, setting.FLOWS, setting.PAPER_TIMED_OUT, "paper: initial")
    axes.set_ylim(bottom=0)
    style.label(axes, "number of sessions", "timeouts a run")
    style.legend_above(figure, axes, columns=2)
    caption = (
        "Fig. 6(a). Initial timeouts (a session has at most one: its slow start ends with it) and timeouts for the "
        f"same segment right after one, against the number of sessions; means of {len(swept.seeds)} runs, bands 95 %."
    )
    return Illustration("fig6a-timeouts", caption, figure, "Number of initial timeouts over 20 to 50 sessions, rising.")


def _sheet(swept: Sweep) -> Sheet:
    rows = [
        (
            f"{reading}, {flows}",
            plus_minus(pair.timed_out, 1),
            f"{_timeouts(pair, repeated=True).mean():.1f}",
            f"{pair.normal.jain.mean():.3f}",
            plus_minus(pair.fairer, 3),
            f"{pair.normal.kbps.mean():.0f}",
            plus_minus(pair.faster, 3),
        )
        for reading, pairs in swept.pairs.items()
        for flows, pair in zip(swept.flows, pairs, strict=True)
    ]
    note = (
        f"{len(swept.seeds)} runs each. timed out: sessions with an initial timeout; again: timeouts for the same "
        "segment right after one; held: change of Jain's index, and ratio of throughputs, when initial timeouts are "
        "held, paired by seed."
    )
    columns = ("sessions", "timed out", "again", "Jain", "held", "kb/s", "held/normal")
    return Sheet("Figs 5 and 6(a) in numbers", columns, rows, note)


def _paragraphs(swept: Sweep) -> list[str]:
    shares = {
        reading: [100 * pair.timed_out.mean / flows for flows, pair in zip(swept.flows, pairs, strict=True)]
        for reading, pairs in swept.pairs.items()
    }
    told = "; ".join(f"with {name} {share[0]:.0f} % and {share[-1]:.0f} %" for name, share in shares.items())
    return [
        f"The share of sessions that time out with {swept.flows[0]} and {swept.flows[-1]} sessions: {told}. A session "
        "that shares with more waits longer between its slots, while its timer starts from the same second.",
    ]


def _sentence(swept: Sweep) -> str:
    short, long = READINGS
    fewest, most = swept.flows[0], swept.flows[-1]
    counts = {name: [pair.timed_out.mean for pair in swept.pairs[name]] for name in READINGS}
    return (
        f"The number of downloads: from {fewest} to {most} at once, those that time out grow from "
        f"{counts[short][0]:.1f} to {counts[short][-1]:.1f} with a memory of 1000 slots and from {counts[long][0]:.1f} "
        f"to {counts[long][-1]:.1f} with 10 000."
    )


def _table(swept: Sweep) -> Table:
    """One row a reading, number of sessions and seed."""
    cells = [
        (reading, flows, pair)
        for reading, pairs in swept.pairs.items()
        for flows, pair in zip(swept.flows, pairs, strict=True)
    ]
    runs = len(swept.seeds)
    return Table(
        {
            "time_constant_slots": np.repeat([READINGS[reading] for reading, _, _ in cells], runs),
            "sessions": np.repeat([flows for _, flows, _ in cells], runs),
            "seed": np.tile(swept.seeds, len(cells)),
            "timed_out": np.concatenate([pair.normal.timed_out for _, _, pair in cells]),
            "repeated": np.concatenate([_timeouts(pair, repeated=True) for _, _, pair in cells]),
            "jain": np.concatenate([pair.normal.jain for _, _, pair in cells]),
            "jain_held": np.concatenate([pair.held.jain for _, _, pair in cells]),
            "kbps": np.concatenate([pair.normal.kbps for _, _, pair in cells]),
            "kbps_held": np.concatenate([pair.held.kbps for _, _, pair in cells]),
        }
    )
