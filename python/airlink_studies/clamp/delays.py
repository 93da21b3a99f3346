"""Figs 4, 5, 9 and 10: four flows to three users, their throughput and its sum over the mean queueing delay.

Under CLAMP by sweeping a, under New Reno alone by sweeping the buffer, in slow and in fast fading, at the high and at
the low rate. Left out: windows and queues over time (windows.py), and what else could be the reason (controls.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from airlink.campaign import CampaignResult, Plan
from airlink.report import Illustration, Sheet, bracketed, plus_minus
from airlink.statistics import mean_interval, paired_ratio
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.clamp import delay_claims, delay_figures, delay_sheets, fading_cell, low_rate
from airlink_studies.clamp.curves import Curve, curve, fetch_s, scenarios
from airlink_studies.clamp.delay_claims import ALL_MS, LONG_MS, MODERATE_MS, Curves, of_two
from airlink_studies.clamp.fading_cell import CLAMP, FAST, NEW_RENO, SLOW

HIGH, LOW = "high rate", "low rate"
SEEDS: Mapping[str, int] = {HIGH: 8, LOW: 4}
Knobs = Mapping[tuple[str, str], tuple[int, ...]]
HIGH_BYTES: Knobs = {
    (CLAMP, SLOW): (0, 2000, 5000, 10_000, 20_000, 35_000, 60_000, 90_000, 150_000),
    (NEW_RENO, SLOW): (6000, 9000, 15_000, 25_000, 35_000, 55_000, 90_000, 150_000),
    (CLAMP, FAST): (0, 1000, 3000, 6000, 10_000, 20_000, 35_000, 60_000, 100_000),
    (NEW_RENO, FAST): (6000, 9000, 15_000, 25_000, 35_000, 55_000, 75_000, 100_000),
}
"""Values of a and of the buffer (chosen): mean queueing delays from 10 ms on, as far as losses on air let them grow."""
KNOBS_BYTES: Mapping[str, Knobs] = {HIGH: HIGH_BYTES, LOW: low_rate.KNOBS_BYTES}
CHANGES: Mapping[str, Mapping[str, object]] = {HIGH: {}, LOW: fading_cell.LOW_RATE}
QUICK_STEP: Mapping[str, int] = {HIGH: 2, LOW: 3}
"""A quick run has every so manieth point of a curve."""


def knobs_bytes(rate: str, request: Request) -> Knobs:
    """Of each curve."""
    return {key: values[:: QUICK_STEP[rate] if request.quick else 1] for key, values in KNOBS_BYTES[rate].items()}


def plans(request: Request) -> Mapping[str, Plan]:
    """A campaign for each rate, with all four curves."""
    found = {}
    for rate in SEEDS:
        made = {}
        for key, knobs in knobs_bytes(rate, request).items():
            made.update(scenarios(*key, knobs, fading_cell.halves(request), CHANGES[rate]))
        found[rate] = Plan(made, fading_cell.some_seeds(request, SEEDS[rate]))
    return found


def show(results: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    """Judges and draws."""
    halves = fading_cell.halves(runner.request)
    high, low = (
        {key: curve(results[rate], *key, knobs, halves) for key, knobs in knobs_bytes(rate, runner.request).items()}
        for rate in SEEDS
    )
    profile = {rate: f"{fading_cell.PROFILE}, {rate}, {len(results[rate].plan.seeds)} seeds" for rate in SEEDS}
    sheets = _sheets(high, low)
    return PartResult(
        claims=[*delay_claims.judged(high, profile[HIGH]), *low_rate.judged(low, high, profile[LOW])],
        paragraphs=(_margins(high),),
        items=[*_figures(high, low), *sheets],
        printed=sheets,
        sentences=(_headline(high),),
        judged_by=("004-3c", "004-3f", "004-4b", "004-4g", "004-6a"),
        depends=(_own_queues(high),),
        tables={
            "delays": delay_sheets.machine_table(high, results[HIGH].plan.seeds),
            "low-rate": delay_sheets.machine_table(low, results[LOW].plan.seeds),
        },
    )


FIGURES = ("4", "5", "9", "10", "timeouts")
PART = Part("delays", "Figs 4, 5, 9 and 10: throughput over queueing delay", FIGURES, plans, show, headline=True)


def _figures(high: Curves, low: Curves) -> list[Illustration]:
    return [
        *delay_figures.figure_4(high),
        delay_figures.total(high),
        delay_figures.fetch(high),
        delay_figures.timeouts(high[CLAMP, FAST]),
        delay_figures.knobs(high),
        *low_rate.figure_10(low),
    ]


def _sheets(high: Curves, low: Curves) -> list[Sheet]:
    return [
        delay_sheets.at_delays(high, ALL_MS, "Throughput at equal mean queueing delays"),
        delay_sheets.at_delays(low, (LONG_MS, 2 * LONG_MS), "Throughput at the low rate"),
        low_rate.knees_sheet(low, high),
        delay_sheets.halves(high, "Figs 4, 5, 9: halves of what was measured"),
        delay_sheets.halves(low, "Fig. 10: halves of what was measured"),
    ]


def _margins(curves: Mapping[tuple[str, str], Curve]) -> str:
    told = [
        f"{plus_minus(mean_interval(each.margins.mean(axis=0)), 3)} ({protocol}, {speed})"
        for (protocol, speed), each in curves.items()
    ]
    return f"The back-off margin m, mean over points and users: {', '.join(told)}."


def _headline(curves: Curves) -> str:
    shared = [_shares(curves, speed, (2, 3), digits=1) for speed in (SLOW, FAST)]
    alone_s, clamp_s = (fetch_s(curves[each, SLOW].rates_at(MODERATE_MS)) for each in (NEW_RENO, CLAMP))
    longer = paired_ratio(alone_s, clamp_s)
    return (
        f"Over fading links with 50 ms of queueing New Reno gives a flow with 10 ms of delay {shared[0][0]} times the "
        f"rate of one with 180 ms in the same queue, CLAMP {shared[0][1]} times, at {SLOW}; at {FAST} {shared[1][0]} "
        f"and {shared[1][1]} times (paper: striking, and about equal). To fetch 1 Mbyte takes {bracketed(longer, 2)} "
        f"times as long under New Reno at {SLOW} (paper: more than 2)."
    )


def _own_queues(curves: Curves) -> str:
    """The same of the two flows that have queues of their own: there the scheduler shares."""
    told = [_shares(curves, speed, (0, 1), digits=2) for speed in (SLOW, FAST)]
    return (
        "Whose queue it is: of flows with queues of their own the one with 30 ms has "
        f"{told[0][0]} times the rate of the one with 130 ms under New Reno and {told[0][1]} times under CLAMP at "
        f"{SLOW}, {told[1][0]} and {told[1][1]} times at {FAST}."
    )


def _shares(curves: Curves, speed: str, pair: tuple[int, int], digits: int) -> tuple[str, str]:
    """Rate of one flow over another's, under New Reno and under CLAMP."""
    alone, clamp = (of_two(curves[each, speed], *pair, MODERATE_MS) for each in (NEW_RENO, CLAMP))
    return bracketed(alone, digits), bracketed(clamp, 2)
