"""The least retransmission timeout (Fig. 6(b)): fewer initial timeouts, and what a long one costs with lost packets.

Without loss for several numbers of sessions, and with 1 % of loss for 20 sessions and for one alone. Left out: which
least RTO to choose (rule.py), and what other remedies do (remedies.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airlink.campaign import CampaignResult, Plan
from airlink.plots import style, sweep
from airlink.report import Bounds, Claim, Illustration, Sheet, Statement, above, plus_minus
from airlink.result import Table
from airlink.scenario import Scenario
from airlink.statistics import Estimate, mean_interval, paired_difference, paired_ratio
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.startup_timeout import setting
from airlink_studies.startup_timeout.measures import RECORD, Floats, Outcome

LEAST_S = (0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
QUICK_LEAST_S = (0.5, 1.0, 3.0, 6.0)
FLOWS = (20, 35, 50)
QUICK_FLOWS = (20, 50)
RUNS, QUICK_RUNS = 30, 3
LOSS = 0.01
"""Of packets, at random, on the wire to the base station (chosen)."""
ALONE_S = 60.0
"""Run of the session that is alone: long enough for several losses (chosen)."""
LONG, LOSSY, ALONE = "20 sessions, t_c 10 000", "20 sessions, 1 % loss", "alone, 1 % loss"
GIVEN_S, HIGH_S, HIGHEST_S = 1.0, 3.0, 6.0
"""Least RTOs that are compared: the paper's, and two larger ones."""


def plans(request: Request) -> Mapping[str, Plan]:
    """Every curve at every least RTO."""
    least = QUICK_LEAST_S if request.quick else LEAST_S
    scenarios = {
        _label(curve, least_s): scenario.with_(**{"flows.0.tcp.rto.min_ms": 1e3 * least_s})
        for curve, scenario in _curves(request.quick).items()
        for least_s in least
    }
    return {"min-rto": Plan(scenarios, setting.seeds(request.seed, QUICK_RUNS if request.quick else RUNS), RECORD)}


def _curves(quick: bool) -> dict[str, Scenario]:
    counts = QUICK_FLOWS if quick else FLOWS
    lossy = setting.loss(LOSS)
    return {
        **{f"{flows} sessions": setting.cell(flows) for flows in counts},
        LONG: setting.cell(time_constant_slots=setting.LONG_TIME_CONSTANT_SLOTS),
        LOSSY: setting.cell(**lossy),
        ALONE: setting.cell(1, duration_s=ALONE_S, **lossy),
    }


@dataclass(frozen=True)
class Sweep:
    """The sweep.

    Attributes
    ----------
    least_s : least RTOs, s.
    curves : name -> an outcome at each of them.
    waits_s : name -> at each of them the mean RTO of the timeouts that followed a loss, array [seed], NaN without any.
    seeds : of every run.
    """

    least_s: Sequence[float]
    curves: Mapping[str, Sequence[Outcome]]
    waits_s: Mapping[str, Sequence[Floats]]
    seeds: Sequence[int]

    @property
    def profile(self) -> str:
        """For the claims."""
        return f"startup-timeout, {len(self.seeds)} seeds"

    def at(self, curve: str, least_s: float) -> Outcome:
        """A curve at one least RTO."""
        return self.curves[curve][self.least_s.index(least_s)]

    def wait_s(self, curve: str, least_s: float) -> Estimate:
        """The mean RTO after a loss, over seeds that had one."""
        values = self.waits_s[curve][self.least_s.index(least_s)]
        known = values[~np.isnan(values)]
        return mean_interval(known) if known.size else Estimate(np.nan, np.nan, np.nan, 0)


def show(results: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    """Judges and draws the sweep."""
    result, quick = results["min-rto"], runner.request.quick
    least, names = QUICK_LEAST_S if quick else LEAST_S, list(_curves(quick))
    curves = {name: [Outcome.of(result, _label(name, least_s)) for least_s in least] for name in names}
    waits = {name: [_waits_s(result, _label(name, least_s)) for least_s in least] for name in (LOSSY, ALONE)}
    swept = Sweep(least, curves, waits, result.plan.seeds)
    sheet = _sheet(swept)
    return PartResult(
        claims=_claims(swept),
        paragraphs=_paragraphs(swept),
        items=[_timeouts_figure(swept), *([] if quick else [_price_figure(swept)]), sheet],
        printed=[sheet],
        sentences=[_sentence(swept)],
        depends=[_sentence(swept)],
        tables={"min-rto": _table(swept)},
    )


PART = Part("min-rto", "The least RTO: Fig. 6(b)", ("6b",), plans, show)


def _label(curve: str, least_s: float) -> str:
    return f"{curve}, min RTO {least_s:g} s"


def _waits_s(result: CampaignResult, label: str) -> Floats:
    """Array [seed]: mean RTO that ran out after a loss."""
    found = []
    for replica in result.result(label).replicas:
        series = Table(replica.series["timeouts"])
        lost = series["rto_s"][(series["spurious"] == 0) & (series["sequence"] >= 0)]
        found.append(float(np.mean(lost)) if lost.size else np.nan)
    return np.array(found)


def _claims(swept: Sweep) -> list[Claim]:
    """[003-4], second half."""
    few, many = (name for name in (f"{FLOWS[0]} sessions", f"{FLOWS[-1]} sessions"))
    profile = swept.profile

    def fewer(curve: str) -> Estimate:
        return paired_difference(swept.at(curve, HIGH_S).timed_out, swept.at(curve, GIVEN_S).timed_out)

    def ratio(curve: str, high_s: float) -> Estimate:
        return paired_ratio(swept.at(curve, high_s).kbps, swept.at(curve, GIVEN_S).kbps)

    jain = paired_difference(swept.at(few, HIGH_S).jain, swept.at(few, GIVEN_S).jain)
    wait = swept.wait_s(ALONE, HIGHEST_S)
    below_0, below_1 = Bounds("difference", high=0, high_open=True), Bounds("ratio", high=1, high_open=True)
    return [
        Statement(
            "003-4h", "Fewer sessions time out with a least RTO of 3 s than of 1 s, 20 sessions", after_run=True
        ).against(fewer(few), below_0, profile),
        Statement("003-4i", "The same with 50 sessions", after_run=True).against(fewer(many), below_0, profile),
        Statement("003-4j", "Throughput is higher at 3 s than at 1 s, 20 sessions").against(
            ratio(few, HIGH_S), above("ratio", 1), profile
        ),
        Statement("003-4k", "Jain's index is higher at 3 s than at 1 s, 20 sessions").against(
            jain, above("difference", 0), profile
        ),
        Statement(
            "003-4l", "With 1 % loss a session that is alone gets less at 6 s than at 1 s: the price", after_run=True
        ).against(ratio(ALONE, HIGHEST_S), below_1, profile),
        Statement("003-4m", "It then waits longer than 3 s for a timeout after a loss (least RTO 6 s)").against(
            wait, above("s", 3), profile
        ),
        Statement(
            "003-4n", "20 sessions with 1 % loss get less at 6 s than at 3 s: too long a minimum costs", after_run=True
        ).against(paired_ratio(swept.at(LOSSY, HIGHEST_S).kbps, swept.at(LOSSY, HIGH_S).kbps), below_1, profile),
    ]


def _timeouts_figure(swept: Sweep) -> Illustration:
    figure, (timeouts, fairness, throughput) = style.blank(3, 5.4)
    names = [name for name in swept.curves if name not in (LOSSY, ALONE)]
    for index, name in enumerate(names):
        outcomes = swept.curves[name]
        label = setting.in_slots(name)
        sweep.banded(timeouts, swept.least_s, [mean_interval(one.timed_out) for one in outcomes], index, label)
        sweep.banded(fairness, swept.least_s, [mean_interval(one.jain) for one in outcomes], index, "")
        sweep.banded(throughput, swept.least_s, [mean_interval(one.kbps) for one in outcomes], index, "")
    sweep.paper_point(timeouts, GIVEN_S, setting.PAPER_TIMED_OUT, "paper, 20 sessions")
    sweep.paper_point(fairness, GIVEN_S, setting.PAPER_JAIN, "")
    sweep.paper_point(throughput, GIVEN_S, setting.PAPER_KBPS, "")
    timeouts.set_ylim(bottom=0)
    style.label(timeouts, y="sessions with an\ninitial timeout")
    style.label(fairness, y="Jain's index")
    style.label(throughput, "minimum RTO (s)", "throughput (kb/s)")
    style.legend_above(figure, timeouts, columns=2)
    caption = (
        "Fig. 6(b). Sessions with an initial timeout against the least RTO for several numbers of sessions, and "
        f"below it what fairness and throughput gain; means of {len(swept.seeds)} runs, bands 95 %. The paper prints "
        "numbers at 1 s only."
    )
    return Illustration(
        "fig6b-min-rto", caption, figure, "Timeouts fall, fairness and throughput rise with the least RTO."
    )


def _price_figure(swept: Sweep) -> Illustration:
    figure, (rates, waits) = style.blank(2, 4.0)
    for index, name in enumerate((LOSSY, ALONE)):
        at_given = swept.at(name, GIVEN_S).kbps
        ratios = [paired_ratio(one.kbps, at_given) for one in swept.curves[name]]
        sweep.banded(rates, swept.least_s, ratios, index, name)
        sweep.banded(waits, swept.least_s, [swept.wait_s(name, least_s) for least_s in swept.least_s], index, "")
    few = f"{FLOWS[0]} sessions"
    ratios = [paired_ratio(one.kbps, swept.at(few, GIVEN_S).kbps) for one in swept.curves[few]]
    sweep.banded(rates, swept.least_s, ratios, 2, f"{few}, no loss")
    rates.axhline(1.0, color=style.GREY, linewidth=0.6, label="as at 1 s")
    waits.plot(swept.least_s, swept.least_s, color=style.GREY, linewidth=0.8, label="the minimum RTO")
    style.label(rates, y="throughput / that at 1 s")
    style.label(waits, "minimum RTO (s)", "wait after a loss (s)")
    style.legend(rates, loc="lower left")
    style.legend(waits, loc="upper left")
    caption = (
        "Fig. 6(b), the price. With 1 % of packets lost: throughput relative to that with a least RTO of 1 s, and "
        f"the mean RTO that ran out after a loss; means of {len(swept.seeds)} runs, bands 95 %, paired by seed."
    )
    return Illustration(
        "fig6b-price", caption, figure, "Throughput over the least RTO with loss: it rises, then falls."
    )


def _sheet(swept: Sweep) -> Sheet:
    rows = [
        (
            f"{name}: {least_s:g} s",
            plus_minus(mean_interval(one.timed_out), 1),
            plus_minus(mean_interval(one.jain), 3) if name != ALONE else "",
            plus_minus(mean_interval(one.kbps), 0),
            plus_minus(swept.wait_s(name, least_s), 1) if name in swept.waits_s else "",
        )
        for name, outcomes in swept.curves.items()
        for least_s, one in zip(swept.least_s, outcomes, strict=True)
        if least_s in (GIVEN_S, HIGH_S, HIGHEST_S)
    ]
    note = (
        f"{len(swept.seeds)} runs each. timed out: sessions with an initial timeout; wait: mean RTO of timeouts after "
        "a loss, s. Without the rows in between, which the figure and the Parquet file have."
    )
    return Sheet("The least RTO", ("least RTO", "timed out", "Jain", "kb/s", "wait"), rows, note)


def _paragraphs(swept: Sweep) -> list[str]:
    alone = paired_ratio(swept.at(ALONE, HIGHEST_S).kbps, swept.at(ALONE, GIVEN_S).kbps)
    best = max(range(len(swept.least_s)), key=lambda at: float(swept.curves[LOSSY][at].kbps.mean()))
    return [
        "What a longer minimum spares are timeouts without a loss; what it costs is the wait after a loss that "
        f"duplicate ACKs do not show. A session that is alone gets {plus_minus(alone, 2)} times as much "
        f"with 6 s as with 1 s; 20 sessions with 1 % loss get the most at {swept.least_s[best]:g} s, where both are "
        "small.",
    ]


def _sentence(swept: Sweep) -> str:
    few = f"{FLOWS[0]} sessions"
    counts = [swept.at(few, least_s).timed_out.mean() for least_s in (GIVEN_S, HIGH_S)]
    alone = paired_ratio(swept.at(ALONE, HIGHEST_S).kbps, swept.at(ALONE, GIVEN_S).kbps)
    return (
        f"The minimum RTO: with 3 s instead of 1 s {counts[1]:.1f} of 20 downloads time out instead of "
        f"{counts[0]:.1f}; with 1 % loss 6 s cost a download that is alone {100 * (1 - alone.mean):.0f} % of its "
        "throughput."
    )


def _table(swept: Sweep) -> Table:
    """One row a curve, least RTO and seed."""
    cells = [
        (name, least_s, one)
        for name, outcomes in swept.curves.items()
        for least_s, one in zip(swept.least_s, outcomes, strict=True)
    ]
    runs = len(swept.seeds)
    return Table(
        {
            "curve": np.repeat([name for name, _, _ in cells], runs),
            "least_rto_s": np.repeat([least_s for _, least_s, _ in cells], runs),
            "seed": np.tile(swept.seeds, len(cells)),
            "timed_out": np.concatenate([one.timed_out for _, _, one in cells]),
            "timeouts": np.concatenate([np.sum(one.timeouts, axis=1) for _, _, one in cells]),
            "jain": np.concatenate([one.jain for _, _, one in cells]),
            "kbps": np.concatenate([one.kbps for _, _, one in cells]),
        }
    )
