"""Tuning the built-in schedulers with the budget that a candidate had: a random search over their numbers.

Each kind with numbers gets `budget` evaluations on the public cases; the first is its default. An evaluation's score is
the mean over the cases of

    ln(aim / aim of the kind's defaults),  turned round where lower is better,

each term cut off at 3 either way, so that one case in which somebody starves does not decide alone. The best one is
what the candidate meets, in the public and in the hidden cases. Left out: a cleverer search than the candidate's author
may have had; kinds without numbers, such as `max_rate`, which stay as they are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from airlink.campaign.answering import Means
from airlink.suites.candidate import Candidate
from airlink.suites.cases import Case, run_cases
from airlink.suites.family import uniform
from airlink.suites.rivals import tunable

CUT = 3.0
"""Of a term of a score."""


@dataclass(frozen=True)
class Tuned:
    """A built-in scheduler after its search.

    Attributes
    ----------
    candidate : with the best numbers that were found.
    values : of those that were tuned; empty where the default was best, or there is nothing to tune.
    score : of the best: 0 of the default, 0.1 for about 10 % in every case.
    evaluations : that were made.
    """

    candidate: Candidate
    values: Mapping[str, float]
    score: float
    evaluations: int


def tuned(
    built_ins: Mapping[str, Candidate], cases: Sequence[Case], budget: int, seeds: Sequence[int], means: Means
) -> dict[str, Tuned]:
    """Tunes each kind.

    Parameters
    ----------
    built_ins : label -> scheduler with its defaults; one whose kind has no numbers to tune, or code, stays as it is.
    cases : what it is tuned on.
    budget : evaluations of each kind, the default among them; at least 1.
    seeds : of every run.
    means : store, threads, progress.
    """
    tries = {label: _tries(each.kind, budget) for label, each in built_ins.items()}
    open_ = {kind: each for kind, each in tries.items() if len(each) > 1}
    arms = {
        _label(kind, place): built_ins[kind].tuned(values)
        for kind, each in open_.items()
        for place, values in enumerate(each)
    }
    if not arms:
        return {kind: Tuned(each, {}, 0.0, 1) for kind, each in built_ins.items()}
    runs = run_cases(cases, {case.name: arms for case in cases}, seeds, means)
    points = {case.name: case.points(runs[case.name]) for case in cases}
    found = {}
    for kind, own in built_ins.items():
        scores = [
            sum(
                gain(case, points[case.name][_label(kind, place)], points[case.name][_label(kind, 0)]) for case in cases
            )
            / len(cases)
            for place in range(len(tries[kind]) if kind in open_ else 0)
        ] or [0.0]
        best = max(range(len(scores)), key=scores.__getitem__)
        values = tries[kind][best]
        found[kind] = Tuned(own.tuned(values) if values else own, values, scores[best], len(scores))
    return found


def gain(case: Case, value: float, than: float) -> float:
    """How much better a value of a case's aim is than another, as a logarithm; cut off.

    NaN, as where nobody asked for a page, tells nothing.
    """
    if math.isnan(value) or math.isnan(than) or value == than:
        return 0.0
    sign = 1.0 if case.aim.better == "higher" else -1.0
    return min(max(sign * (_log(value) - _log(than)), -CUT), CUT)


def _log(value: float) -> float:
    return math.log(value) if 0 < value < math.inf else math.copysign(math.inf, value - 1)


def _tries(kind: str, budget: int) -> list[dict[str, float]]:
    """The values of each evaluation; the first has none: the defaults."""
    axes = tunable(kind) if budget > 1 else []
    if not axes:
        return [{}]
    drawn = [
        {axis.name: axis.at(uniform("tuning", kind, place, axis.name)) for axis in axes} for place in range(1, budget)
    ]
    return [
        {},
        *({name: int(value) if _is_whole(kind, name) else value for name, value in each.items()} for each in drawn),
    ]


def _is_whole(kind: str, name: str) -> bool:
    return any(axis.name == name and axis.whole for axis in tunable(kind))


def _label(kind: str, place: int) -> str:
    return f"{kind} #{place}"
