"""Constants of a formula, or numbers of a built-in scheduler, by CMA-ES [Hansen16].

A search over logarithms: x = ln(c / start) begins at 0 with a standard deviation of 1, so a factor of e either way is
tried first and none is impossible. Numbers of built-in schedulers have ranges; there x is the place in the range. Only
the order of scores counts. Needs the extra `search`, which brings `cma`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airlink.engine import MissingExtra, RequestError, extra
from airlink.search.draws import draws
from airlink.search.evaluation import METRIC, Effort, Evaluator, Scored, Settings
from airlink.search.found import Found, outcome
from airlink.search.goal import Goal
from airlink.search.progress import shown
from airlink.search.tree import read
from airlink.suites import Axis, read_candidate
from airlink.suites.rivals import tunable

PLACE = re.compile(r"\{(\w+)\}")
DIGITS = 5
"""Of a constant in a formula."""

SMALLEST_STEP = 1e-3
"""A search ends when it moves constants by less than a thousandth."""

DEADLINE = Axis("delay_budget_ms", 10, 3000, "of all users", log=True)
WITH_DEADLINES = ("m_lwdf", "exp_pf", "log_rule", "earliest_deadline")
"""Kinds that look at a delay budget, which is one of their numbers."""

LEAST_POPULATION = 4
MOST_DOUBLED = 5
"""How often a population is doubled."""

MOST_STARTS = 100
NEVER = 10**9

IN_RANGE = 0.2
"""First standard deviation of a number with a range, as a part of it."""

Vector = NDArray[np.float64]


def constants(
    text: str, start: Mapping[str, float], goal: Goal, effort: Effort | None = None, finals: Sequence[int] = ()
) -> Found:
    """Looks for the constants of a formula.

    Parameters
    ----------
    text : the formula with names in braces: "rate^{a} / average^{b}".
    start : name -> a number above 0 from which the search begins.
    goal : what for.
    effort : how long, default `Effort()`.
    finals : seeds on which the best meet at the end; default none.

    Returns
    -------
    Found; `constants` has the values.

    Raises
    ------
    RequestError : names and starts that do not belong together; a text that is no formula; `finals` with a seed of
        the goal.
    MissingExtra : cma is not installed.

    References
    ----------
    [Hansen16].
    """
    names = list(dict.fromkeys(PLACE.findall(text)))
    if set(names) != set(start):
        had, given = (", ".join(each) or "none" for each in (names, start))
        raise RequestError(f"the formula has places {had}; start has {given}")
    if not names:
        raise RequestError(f'formula "{text}" has no place; write one as {{name}}')
    wrong = [name for name in names if not 0 < start[name] < math.inf]
    if wrong:
        raise RequestError(f"start of {wrong[0]} is {start[wrong[0]]!r}; it must be a number above 0")
    read(_filled(text, start))
    goal.unseen(finals)

    def values(place: Vector) -> dict[str, float]:
        return {name: start[name] * math.exp(min(max(x, -50.0), 50.0)) for name, x in zip(names, place, strict=True)}

    effort = effort or Effort()
    evaluator = Evaluator(goal, effort)
    made: dict[str, dict[str, float]] = {}

    def settings(place: Vector) -> Settings:
        formula = _filled(text, values(place))
        made[formula] = values(place)
        return {"scheduler.kind": "formula", METRIC: formula}

    with shown(effort, "constants") as evaluator.shown:
        ended = descend(evaluator, settings, np.zeros(len(names)), 1.0, effort.evaluations, "constants")
        found = outcome(evaluator, finals, not ended)
    found.constants.update(made[found.text])
    return found


def tuned(
    kind: str, goal: Goal, effort: Effort | None = None, axes: Sequence[Axis] = (), finals: Sequence[int] = ()
) -> Found:
    """Looks for the best numbers of a built-in scheduler.

    Parameters
    ----------
    kind : of the scheduler; the numbers are those that the judge tunes, within a factor of 30 of their
        defaults, and for kinds that look at it a delay budget of all users.
    goal : what for.
    effort : how long, default `Effort()`.
    axes : more fields below `scheduler`, or others in the place of these.
    finals : as of `constants`.

    Raises
    ------
    RequestError : no such kind, or none with numbers; `finals` with a seed of the goal.
    MissingExtra : cma is not installed.
    """
    read_candidate(kind)
    goal.unseen(finals)
    deadline = [DEADLINE] if kind in WITH_DEADLINES else []
    fields = {axis.name: axis for axis in (*tunable(kind), *deadline, *axes)}
    if not fields:
        raise RequestError(f"scheduler {kind!r} has no number to tune; axes can name one")

    def settings(place: Vector) -> Settings:
        at = {axis.name: axis.at(share) for axis, share in zip(fields.values(), place, strict=True)}
        whole = {name: int(value) if fields[name].whole else value for name, value in at.items()}
        return {"scheduler.kind": kind, **{f"scheduler.{name}": value for name, value in whole.items()}}

    effort = effort or Effort()
    evaluator = Evaluator(goal, effort)
    with shown(effort, kind) as evaluator.shown:
        start = np.full(len(fields), 0.5)
        ended = descend(evaluator, settings, start, IN_RANGE, effort.evaluations, "tuned", kind, halving=True)
        found = outcome(evaluator, finals, not ended)
    found.constants.update({name: found.best.settings[f"scheduler.{name}"] for name in fields})
    return found


def descend(
    evaluator: Evaluator,
    settings: Callable[[Vector], Settings],
    start: Vector,
    step: float,
    evaluations: int,
    *name: object,
    halving: bool = False,
) -> bool:
    """Runs CMA-ES, again and with a larger population when it has come to an end, until so many evaluations are made.

    Parameters
    ----------
    evaluator : that scores, and counts.
    settings : a place -> a scheduler.
    start, step : where it begins, and the first standard deviation.
    evaluations : the most that it adds.
    name : of its draws.
    halving : whether only the best quarter of a population is run on all seeds.

    Returns
    -------
    bool: whether it came to its end; false after Ctrl-C.
    """
    cma = _cma()
    last = min(evaluator.count + evaluations, evaluator.effort.evaluations)
    # With one number there is nothing to turn; nobody looks at the second one.
    dimensions = max(2, start.size)
    begin = np.concatenate([start, np.zeros(dimensions - start.size)])
    try:
        evaluator.scores([settings(start)], halving=False)
        for again in range(MOST_STARTS):
            population = (4 + int(3 * math.log(dimensions))) * 2 ** min(again, MOST_DOUBLED)
            population = min(population, last - evaluator.count)
            if population < LEAST_POPULATION:
                break
            strategy = cma.CMAEvolutionStrategy(list(begin), step, _options(evaluator, population, *name, again))
            while last - evaluator.count >= population and not strategy.stop():
                places = strategy.ask()
                asked = [settings(np.asarray(place)[: start.size]) for place in places]
                strategy.tell(places, _ranks(evaluator.scores(asked, halving)))
    except KeyboardInterrupt:
        return False
    return True


def _options(evaluator: Evaluator, population: int, *name: object) -> dict[str, Any]:
    """How `cma` runs: with draws of its name, without a word, until it moves by less than the smallest step."""
    stream = draws(evaluator.effort.seed, *name)
    return {
        "seed": math.nan, "randn": lambda *shape: stream.standard_normal(shape), "popsize": population,
        "tolx": SMALLEST_STEP, "tolfun": 0, "tolfunhist": 0, "tolflatfitness": NEVER, "tolstagnation": NEVER,
        "verbose": -9, "verb_log": 0,
    }  # fmt: skip


def _ranks(scored: Sequence[Scored]) -> list[float]:
    """The place of each in the order of ranks, from 0; equal ones in the order in which they came.

    >>> _ranks([Scored({}, 2.0), Scored({}, 1.0), Scored({}, 2.0)])
    [1.0, 0.0, 2.0]
    """
    order = sorted(range(len(scored)), key=lambda place: scored[place].rank)
    ranks = [0.0] * len(order)
    for rank, place in enumerate(order):
        ranks[place] = float(rank)
    return ranks


def _filled(text: str, values: Mapping[str, float]) -> str:
    return PLACE.sub(lambda place: f"{values[place[1]]:.{DIGITS}g}", text)


def _cma() -> Any:
    try:
        return extra("cma")
    except MissingExtra:
        raise MissingExtra("a search for constants needs cma; pip install 'airlink[search]'") from None
