"""Beyond the paper, over the air: settings of the cell beside one another at the same mean queueing delay.

A contender is a curve: what sets its queues is turned until they are as long as the others'. Jain's index is split into
its factors within and across queues (`airlink.statistics.jain_parts`); equal queues, one of which has two flows, make
0.9 of that across. Left out: what is claimed, which each part says for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airlink.campaign import CampaignResult, Plan
from airlink.plots import style, sweep
from airlink.report import Bounds, Claim, Illustration, Sheet, Statement, plus_minus
from airlink.result import Table
from airlink.scenario import Scenario
from airlink.statistics import Estimate, jain_parts, mean_interval
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.clamp import delay_sheets, fading_cell
from airlink_studies.clamp.curves import Curve, pooled, stacked, window_of
from airlink_studies.clamp.trajectories import Floats

OWNERS = tuple(queue for queue, flows in enumerate(fading_cell.QUEUES.values()) for _ in flows)
"""The queue of each flow."""
STRETCHES_S = ((200.0, 400.0), (400.0, 600.0))
QUICK_STRETCHES_S = ((10.0, 20.0), (20.0, 30.0))
"""Both halves of what is measured (chosen): shorter than the paper's, with more seeds."""
SEEDS = 4
HEIGHT_IN = 1.7
DELAY = "mean queueing delay (ms)"
PROFILE = f"{fading_cell.PROFILE}, {STRETCHES_S[-1][1]:g} s"
Curves = Mapping[tuple[str, str], Curve]
"""(contender, speed) -> its curve."""
Row = tuple[str, str, float | str | None, Estimate, Bounds]


@dataclass(frozen=True)
class Question:
    """What a part asks, and how it answers.

    Attributes
    ----------
    name : of its plan, its figure (`name`-over-delay) and its table, and what `--figure` takes.
    title, heading : of its tables; of its section in the report.
    caption : what is compared, a sentence.
    contenders : the settings.
    at_ms : speed -> mean queueing delay at which they are compared.
    rows : claims.
    sentence : what came out.
    values, y : what is drawn, array [point, seed] of a curve; default Jain's index.
    """

    name: str
    title: str
    heading: str
    caption: str
    contenders: Sequence[Contender]
    at_ms: Mapping[str, float]
    rows: Callable[[Curves], list[Row]]
    sentence: Callable[[Curves], str]
    values: Callable[[Curve], Floats] = lambda curve: jain(curve.rates_mbps)
    y: str = "Jain's index"


def part(question: Question) -> Part:
    """The part that asks it."""

    def plans(request: Request) -> Mapping[str, Plan]:
        return {question.name: plan(question.contenders, request)}

    def show(results: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
        result = results[question.name]
        curves, seeds = curves_of(result, question.contenders, runner.request), result.plan.seeds
        sheets = [sheet(curves, question), delay_sheets.halves(curves, f"{question.title}: halves")]
        return PartResult(
            claims=judged(question.rows(curves), len(seeds)),
            items=[drawn(curves, question), *sheets],
            printed=sheets,
            sentences=(question.sentence(curves),),
            tables={question.name: machine_table(curves, seeds)},
        )

    return Part(question.name, question.heading, (question.name,), plans, show, in_quick=False)


@dataclass(frozen=True)
class Contender:
    """A setting of the cell.

    Attributes
    ----------
    name, speed : what it is called, and at which speed users move.
    knobs : values of what sets its queueing delay, rising with it.
    quick : the two of a quick run, one on either side of where it is compared.
    scenario : the cell for one of them.
    """

    name: str
    speed: str
    knobs: Sequence[float]
    quick: tuple[float, float]
    scenario: Callable[[float], Scenario]

    def of(self, request: Request) -> Sequence[float]:
        """The knobs of a request."""
        return self.quick if request.quick else self.knobs

    def label(self, knob: float, from_s: float) -> str:
        """Of a scenario in the plan."""
        return f"{self.name}, {self.speed}, {knob:g}, from {from_s:g} s"


def stretches_s(request: Request) -> Sequence[tuple[float, float]]:
    """From when to when is measured."""
    return QUICK_STRETCHES_S if request.quick else STRETCHES_S


def plan(contenders: Sequence[Contender], request: Request) -> Plan:
    """Every contender at every knob, a run for each half."""
    made = {
        each.label(knob, from_s): scenario.with_(duration_s=to_s, warmup_s=from_s)
        for each in contenders
        for knob in each.of(request)
        for scenario in (each.scenario(knob),)
        for from_s, to_s in stretches_s(request)
    }
    return Plan(made, fading_cell.some_seeds(request, SEEDS))


def curves_of(
    result: CampaignResult, contenders: Sequence[Contender], request: Request
) -> dict[tuple[str, str], Curve]:
    """Their curves, of what was run."""
    halves = stretches_s(request)
    found = {}
    for each in contenders:
        knobs = each.of(request)
        windows = [stacked([window_of(result, each.label(knob, from_s)) for knob in knobs]) for from_s, _ in halves]
        found[each.name, each.speed] = Curve(np.array(knobs, dtype=float), windows, sum(to - low for low, to in halves))
    return found


def jain(rates_mbps: Floats, part: str = "whole") -> Floats:
    """Jain's index, or its factor "within" or "across" queues: array [...] of [..., flow].

    >>> jain(np.array([[2.0, 2.0, 1.0, 1.0]]), "across").tolist()
    [0.9]
    """
    flat = rates_mbps.reshape(-1, len(OWNERS))
    sets = np.repeat(np.arange(flat.shape[0]), len(OWNERS))
    parts = jain_parts(flat.ravel(), np.tile(OWNERS, flat.shape[0]), sets)
    return np.asarray(getattr(parts, part)).reshape(rates_mbps.shape[:-1])


def drawn(curves: Curves, question: Question) -> Illustration:
    """One panel a speed: a line for each contender over delay; where they are compared is marked."""
    speeds = list(dict.fromkeys(speed for _, speed in curves))
    figure, axes = style.blank(len(speeds), HEIGHT_IN * len(speeds) + 0.5)
    names = list(dict.fromkeys(name for name, _ in curves))
    for each, speed in zip(axes, speeds, strict=True):
        for name in names:
            curve = curves[name, speed]
            values = pooled(question.values(curve))
            sweep.banded(each, curve.delay_ms.mean(axis=1), values, names.index(name), name)
        each.axvline(question.at_ms[speed], color=style.GREY, linewidth=0.5)
        each.text(0.99, 0.03, speed, transform=each.transAxes, ha="right", fontsize=style.FONT_PT)
        style.label(each, y=question.y)
    style.label(axes[-1], DELAY)
    style.legend(axes[0], loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2)
    told = f"{question.caption} Bands are 95 %; the grey line is where they are compared."
    alternative = f"{question.y} over mean queueing delay: {', '.join(names)}."
    return Illustration(f"{question.name}-over-delay", told, figure, alternative)


def sheet(curves: Curves, question: Question) -> Sheet:
    """What each has where they are compared: rates of flows, their sum, Jain's index and its factors."""
    rows = []
    for (name, speed), curve in curves.items():
        rates = curve.rates_at(question.at_ms[speed])
        rows.append(
            (
                f"{name}, {speed}" if len(question.at_ms) > 1 else name,
                *(_mean(flow, 2) for flow in rates.T),
                _mean(rates.sum(axis=1), 2),
                plus_minus(mean_interval(jain(rates)), 3),
                *(_mean(jain(rates, part), 3) for part in ("within", "across")),
            )
        )
    delays = " and ".join(f"{delay:g} ms ({speed})" for speed, delay in question.at_ms.items())
    note = f"Mb/s of flows and of all, Jain's index and its factors at a mean queueing delay of {delays}, seed by seed."
    columns = ("", *fading_cell.FLOWS, "all", "Jain", "within", "across")
    return Sheet(question.title, columns, rows, note, narrow=(0, 5, 6, 7, 8))


def machine_table(curves: Curves, seeds: Sequence[int]) -> Table:
    """One row a contender, knob, seed and flow."""
    rows = [
        (name, speed, curve.knob_bytes[point], seed, flow, curve.delay_ms[point, place], rate)
        for (name, speed), curve in curves.items()
        for point in range(curve.knob_bytes.size)
        for place, seed in enumerate(seeds)
        for flow, rate in enumerate(curve.rates_mbps[point, place])
    ]
    names = ("contender", "speed", "knob", "seed", "flow", "delay_ms", "throughput_mbps")
    return Table({name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)})


def _mean(values: Floats, decimals: int) -> str:
    mean = float(np.mean(values))
    return "-" if np.isnan(mean) else f"{mean:.{decimals}f}"


def compared(curves: Curves, at_ms: Mapping[str, float], names: Mapping[str, str]) -> str:
    """Jain's index of each, in words: contender -> how it is called in the sentence."""
    told = []
    for speed, delay in at_ms.items():
        values = [f"{jain(curves[name, speed].rates_at(delay)).mean():.2f} {words}" for name, words in names.items()]
        told.append(f"at {speed} and {delay:g} ms of queueing Jain's index is {', '.join(values)}")
    return "; ".join(told)


def judged(rows: Sequence[Row], seeds: int) -> list[Claim]:
    """The claims of a part."""
    return [
        Statement(f"004-{name}", words, paper).against(estimate, bounds, f"{PROFILE}, {seeds} seeds")
        for name, words, paper, estimate, bounds in rows
    ]
