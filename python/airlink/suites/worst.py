"""A candidate's worst scenario: a search over the named fields of all families for the largest loss.

A point's loss is how much better the best built-in scheduler is there, as a logarithm of the aims' ratio. The first
half of the evaluations is random, families in turn; the others are near the worst point so far, with steps that shrink:

    share' = share + step (2 u - 1),  step 0.3, then 0.7 times as large in each round

All draws come from streams named by the seed, so the same seed finds the same scenario. The worst of many is worse by
chance: the verdict on it is made of other seeds of its runs. Left out: fields that no family names.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from airlink.campaign.answering import Means
from airlink.suites.aim import Aim
from airlink.suites.candidate import Candidate
from airlink.suites.cases import Case, run_cases
from airlink.suites.family import Axis, Family, uniform
from airlink.suites.tuning import CUT, gain
from airlink.suites.verdicts import CaseVerdict, best_of, judged

STEP, SHRINK = 0.3, 0.7
ROUND = 6
"""Points of a round near the worst so far."""

SEARCH_SEEDS = 4


@dataclass(frozen=True)
class Worst:
    """What a search found.

    Attributes
    ----------
    verdict : on the worst point, of seeds that the search did not see.
    seeds : those.
    searched_loss : the loss that the search saw, as a logarithm.
    evaluations : points that were run.
    seed : that names the search's draws.
    """

    verdict: CaseVerdict
    seeds: Sequence[int]
    searched_loss: float
    evaluations: int
    seed: int


def worst(  # noqa: PLR0913 - what a search can be asked for
    candidate: Candidate,
    rivals: Mapping[str, Candidate],
    families: Sequence[Family],
    evaluations: int,
    seed: int,
    seeds: Sequence[int],
    margin: float,
    means: Means,
    aim: Aim | None = None,
) -> Worst:
    """Searches for the scenario in which the candidate loses most against the best built-in scheduler.

    Parameters
    ----------
    candidate : whose.
    rivals : label -> built-in scheduler.
    families : where.
    evaluations : points of the search, at least 1.
    seed : that names the draws.
    seeds : of the runs behind the verdict on what was found; the search has others, those below the first.
    margin : of the verdict.
    means : store, threads, progress.
    aim : instead of each family's own, where a scenario has its measure.
    """
    arms = {candidate.name: candidate, **rivals}
    of_search = range(max(seeds) + 1, max(seeds) + 1 + SEARCH_SEEDS)
    points = [_random(families[place % len(families)], seed, place, aim) for place in range((evaluations + 1) // 2)]
    losses = _losses(points, arms, candidate.name, of_search, means)
    step = STEP
    while len(losses) < evaluations:
        top = max(losses, key=lambda each: each[0])[1]
        count = min(ROUND, evaluations - len(losses))
        near = [_near(top, seed, len(losses) + place, step) for place in range(count)]
        losses += _losses(near, arms, candidate.name, of_search, means)
        step *= SHRINK
    loss, case = max(losses, key=lambda each: each[0])
    runs = run_cases([case], {case.name: arms}, seeds, means)[case.name]
    return Worst(judged(case, runs, candidate.name, margin), tuple(seeds), loss, len(losses), seed)


def _losses(
    cases: Sequence[Case], arms: Mapping[str, Candidate], candidate: str, seeds: Sequence[int], means: Means
) -> list[tuple[float, Case]]:
    runs = run_cases(cases, {case.name: arms for case in cases}, seeds, means)
    found = []
    for case in cases:
        points = case.points(runs[case.name])
        own = points.pop(candidate)
        best = points[best_of(points, case.aim.better)]
        # A page time without any page is the worst there is, where others have one.
        loss = CUT if math.isnan(own) and not math.isnan(best) else gain(case, best, own)
        found.append((loss, case))
    return found


def _random(family: Family, seed: int, place: int, aim: Aim | None) -> Case:
    values = {axis.name: axis.at(uniform(seed, "worst", family.name, place, axis.name)) for axis in family.axes}
    return Case.of(_name(family, place), family, values, aim)


def _near(case: Case, seed: int, place: int, step: float) -> Case:
    def moved(axis: Axis) -> float:
        turn = 2 * uniform(seed, "worst", "near", place, axis.name) - 1
        return axis.at(axis.share(case.values[axis.name]) + step * turn)

    values = {axis.name: moved(axis) for axis in case.family.axes}
    return replace(case, name=_name(case.family, place), values=values)


def _name(family: Family, place: int) -> str:
    return f"{family.name}, point {place + 1}"
