"""Constants of a formula, or numbers of a built-in scheduler, by CMA-ES [Hansen16].

A search over logarithms: x = ln(c / start) begins at 0 with a standard deviation of 1, so a factor of e either way is
tried first and none is impossible. Numbers of built-in schedulers have ranges; there x is the place in the range. Only
the order of scores counts. Needs the extra `search`, which brings `cma`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from airlink.engine import MissingExtra, RequestError, extra
from airlink.search.draws import draws
from airlink.search.evaluation import METRIC, Effort, Evaluator, Settings
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

IN_RANGE = 0.2
"""First standard deviation of a number with a range, as a part of it."""

Vector = NDArray[np.float64]


def constants(
    text: str, start: Mapping[str, float], goal: Goal, effort: Effort = Effort(), finals: Sequence[int] = ()
) -> Found:
    """Looks for the constants of a formula.

    Parameters
    ----------
    text : the formula with names in braces: "rate^{a} / average^{b}".
    start : name -> a number above 0 from which the search begins.
    goal : what for.
    effort : how long.
    finals : seeds on which the best meet at the end; default none.

    Returns
    -------
    Found; `constants` has the values.

    Raises
    ------
    RequestError : names and starts that do not belong together; a text that is no formula.
    MissingExtra : cma is not installed.

    References
    ----------
    [Hansen16].
    """
    names = list(dict.fromkeys(PLACE.findall(text)))
    if set(names) != set(start):
        raise RequestError(f"the formula has places {', '.join(names) or 'none'}; start has {', '.join(start) or 'none'}")
    if not names:
        raise RequestError(f'formula "{text}" has no place; write one as {{name}}')
    wrong = [name for name in names if not 0 < start[name] < math.inf]
    if wrong:
        raise RequestError(f"start of {wrong[0]} is {start[wrong[0]]!r}; it must be a number above 0")
    read(_filled(text, start))

    def values(place: Vector) -> dict[str, float]:
        return {name: start[name] * math.exp(min(max(x, -50.0), 50.0)) for name, x in zip(names, place, strict=True)}

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
    kind: str, goal: Goal, effort: Effort = Effort(), axes: Sequence[Axis] = (), finals: Sequence[int] = ()
) -> Found:
    """Looks for the best numbers of a built-in scheduler.

    Parameters
    ----------
    kind : of the scheduler; the numbers are those that the judge tunes, within a factor of 30 of their defaults.
    goal : what for.
    effort : how long.
    axes : more fields below `scheduler`, as `Axis("delay_budget_ms", 10, 3000, "of all users", log=True)`.
    finals : as of `constants`.

    Raises
    ------
    RequestError : no such kind, or none with numbers.
    MissingExtra : cma is not installed.
    """
    read_candidate(kind)
    fields = {axis.name: axis for axis in (*tunable(kind), *axes)}
    if not fields:
        raise RequestError(f"scheduler {kind!r} has no number to tune; axes can name one")

    def settings(place: Vector) -> Settings:
        at = {axis.name: axis.at(share) for axis, share in zip(fields.values(), place, strict=True)}
        whole = {name: int(value) if fields[name].whole else value for name, value in at.items()}
        return {"scheduler.kind": kind, **{f"scheduler.{name}": value for name, value in whole.items()}}

    evaluator = Evaluator(goal, effort)
    with shown(effort, kind) as evaluator.shown:
        start = np.full(len(fields), 0.5)
        ended = descend(evaluator, settings, start, IN_RANGE, effort.evaluations, "tuned", kind)
        found = outcome(evaluator, finals, not ended)
    found.constants.update({name: found.best.settings[f"scheduler.{name}"] for name in fields})
    return found


def descend(  # noqa: PLR0913 - all that a descent is made of
    evaluator: Evaluator,
    settings: Callable[[Vector], Settings],
    start: Vector,
    step: float,
    evaluations: int,
    *name: object,
) -> bool:
    """Runs CMA-ES, again and with a larger population when it has come to an end, until so many evaluations are made.

    Parameters
    ----------
    evaluator : that scores, and counts.
    settings : a place -> a scheduler.
    start, step : where it begins, and the first standard deviation.
    evaluations : the most that it adds.
    name : of its draws.

    Returns
    -------
    bool: whether it came to its end; false after Ctrl-C.
    """
    cma = _cma()
    last = min(evaluator.count + evaluations, evaluator.effort.evaluations)
    again = 0
    # With one number there is nothing to turn; the second one is looked at by nobody.
    dimensions = max(2, start.size)
    begin = np.concatenate([start, np.zeros(dimensions - start.size)])
    try:
        while evaluator.count < last and again < 100:
            stream = draws(evaluator.effort.seed, *name, again)
            options = {
                "seed": float("nan"), "randn": lambda *shape, stream=stream: stream.standard_normal(shape),
                "popsize": (4 + int(3 * math.log(dimensions))) * 2**min(again, 5), "verbose": -9, "verb_log": 0,
                "tolx": SMALLEST_STEP, "tolfun": 0, "tolfunhist": 0, "tolflatfitness": 10**9, "tolstagnation": 10**9,
            }  # fmt: skip
            strategy = cma.CMAEvolutionStrategy(list(begin), step, options)
            while evaluator.count < last and not strategy.stop():
                places = strategy.ask()
                asked = [settings(np.asarray(place)[: start.size]) for place in places]
                found = evaluator.scores(asked, halving=False)
                order = sorted(range(len(found)), key=lambda index: found[index].score)
                ranks = [0.0] * len(found)
                for rank, index in enumerate(order):
                    ranks[index] = float(rank)
                strategy.tell(places, ranks)
            again += 1
    except KeyboardInterrupt:
        return False
    return True


def _filled(text: str, values: Mapping[str, float]) -> str:
    return PLACE.sub(lambda place: f"{values[place[1]]:.{DIGITS}g}", text)


def _cma():  # type: ignore[no-untyped-def]
    try:
        return extra("cma")
    except MissingExtra:
        raise MissingExtra("a search for constants needs cma; pip install 'airlink[search]'") from None
