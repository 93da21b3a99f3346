"""Formulas by genetic programming [Koza92]: a population of trees, the better of which are cut and joined.

A generation makes as many new trees as there are in the population, nine in ten from parents that win a tournament of
four, one in ten at random; the best of old and new go on. Of schedulers with the same numbers to three digits,
only the smallest goes on, and each column, number, operator and function costs `PARSIMONY` of a score. At the end the
numbers in the best formulas are refined by CMA-ES (`constants`), with a fifth of the evaluations. Units are ignored.

Left out: memory of a scheduler's own, which formulas do not have.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from airlink.engine import RequestError
from airlink.search.constants import Vector, descend
from airlink.search.draws import Draws, draws
from airlink.search.evaluation import METRIC, Effort, Evaluator, Scored, Settings
from airlink.search.found import Found, outcome
from airlink.search.goal import Goal
from airlink.search.grammar import SPREAD, Grammar
from airlink.search.progress import shown
from airlink.search.tree import Tree, number, read

PARSIMONY = 1e-3
REFINED = 0.2
"""Part of the evaluations that refines numbers."""

MOST_REFINED = 4
NUMBERS = re.compile(r"(?<![\w.])[\d.]+(e[-+]?\d+)?")
FARTHEST = 20.0
"""A number moves by a factor of e to this at most."""

TOURNAMENT = 4
ALIKE = 3
"""Digits in which the numbers of schedulers agree that count as one."""

FRESH = 0.1
LEAST, MOST = 20, 200
"""Trees of a population."""

GENERATIONS = 40
TRIES = 50


def formulas(
    goal: Goal,
    effort: Effort | None = None,
    grammar: Grammar | None = None,
    start: Sequence[str] = ("rate / average",),
    finals: Sequence[int] = (),
) -> Found:
    """Looks for a formula.

    Parameters
    ----------
    goal : what for.
    effort : how long, default `Effort()`.
    grammar : what formulas are made of, default `Grammar()`.
    start : formulas that the first population has beside random ones, default proportional fair.
    finals : seeds that the search does not see, on which the best meet at the end; default none.

    Raises
    ------
    RequestError : a start that is no formula; `finals` with a seed of the goal.
    MissingExtra : cma is not installed.

    References
    ----------
    [Koza92], [Hansen16].
    """
    if isinstance(start, str):
        raise RequestError(f"start is {start!r}; it must be a list of formulas, as [{start!r}]")
    goal.unseen(finals)
    trees = [read(text) for text in start]
    effort, grammar = effort or Effort(), grammar or Grammar()
    evaluator = Evaluator(goal, effort)
    with shown(effort, "formulas") as evaluator.shown:
        refined = int(REFINED * effort.evaluations)
        try:
            _bred(evaluator, grammar, trees, effort.evaluations - refined)
            ended = _refined(evaluator)
            # Populations of CMA-ES seldom come out even: what is left are trees at random.
            rest = draws(evaluator.effort.seed, "rest")
            for _ in range(TRIES * TRIES * (ended and evaluator.left > 0)):
                evaluator.scores([settings_of(grammar.random(rest).text)])
                if not evaluator.left:
                    break
        except KeyboardInterrupt:
            ended = False
        return outcome(evaluator, finals, not ended)


def _bred(evaluator: Evaluator, grammar: Grammar, start: Sequence[Tree], evaluations: int) -> None:
    """Generation after generation, until so many evaluations are made."""
    stream = draws(evaluator.effort.seed, "formulas")
    size = min(max(evaluations // GENERATIONS, LEAST), MOST)
    known = {tree.text: tree for tree in start}
    for _ in range(size * TRIES):
        if len(known) >= size:
            break
        made = grammar.random(stream)
        known.setdefault(made.text, made)
    population: list[tuple[Scored, Tree]] = []
    new = list(known.values())[: max(1, min(size, evaluations))]
    while new:
        scored = evaluator.scores([settings_of(each.text) for each in new])
        population = _best([*population, *zip(scored, new, strict=True)], size)
        count = min(size, evaluations - evaluator.count)
        new = _children(population, grammar, stream, count, evaluator)


def _children(
    population: Sequence[tuple[Scored, Tree]], grammar: Grammar, stream: Draws, count: int, evaluator: Evaluator
) -> list[Tree]:
    """So many trees that were not scored before."""
    made: dict[str, Tree] = {}
    for _ in range(max(0, count) * TRIES):
        if len(made) >= count:
            break
        if stream.random() < FRESH:
            child = grammar.random(stream)
        else:
            child = grammar.child(_winner(population, stream), _winner(population, stream), stream)
        if evaluator.is_new(settings_of(child.text)):
            made.setdefault(child.text, child)
    return list(made.values())


def _winner(population: Sequence[tuple[Scored, Tree]], stream: Draws) -> Tree:
    """The best of some that are drawn: a population is sorted."""
    return population[int(stream.integers(len(population), size=TOURNAMENT).min())][1]


def _best(trees: Sequence[tuple[Scored, Tree]], size: int) -> list[tuple[Scored, Tree]]:
    """The best trees, of those with the same numbers the smallest, and of equally small ones the first."""
    smallest: dict[tuple[int, tuple[str, ...]], tuple[Scored, Tree]] = {}
    for scored, tree in trees:
        if math.isfinite(scored.score):
            same = (scored.seeds, tuple(f"{each:.{ALIKE}g}" for each in scored.points))
            if same not in smallest or tree.size < smallest[same][1].size:
                smallest[same] = scored, tree
    ranked = sorted(smallest.values(), key=lambda each: (-each[0].seeds, each[0].score + PARSIMONY * each[1].size))
    return ranked[:size] or list(trees[:size])


def _refined(evaluator: Evaluator) -> bool:
    """Refines the numbers of the best formulas; whether it came to its end."""
    trees = _with_numbers(evaluator)
    for turn, tree in enumerate(trees):
        places = places_of(tree)

        def settings(vector: Vector, tree: Tree = tree, places: Mapping[int, float] = places) -> Settings:
            made = tree
            for (place, value), x in zip(places.items(), vector, strict=True):
                made = made.with_part(place, number(value * math.exp(min(max(x, -FARTHEST), FARTHEST))))
            return settings_of(made.text)

        share = math.ceil(evaluator.left / (len(trees) - turn))
        if not descend(evaluator, settings, np.zeros(len(places)), SPREAD, share, "refined", turn, halving=True):
            return False
    return True


def _with_numbers(evaluator: Evaluator) -> list[Tree]:
    """The best formulas that have numbers, none twice that differs in its numbers only, or decides alike."""
    found: dict[str, Tree] = {}
    seen = set()
    for each in sorted(evaluator.scored.values(), key=lambda each: each.rank):
        if not math.isfinite(each.score) or len(found) == MOST_REFINED:
            break
        tree = read(each.text)
        if places_of(tree) and each.points not in seen:
            seen.add(each.points)
            found.setdefault(NUMBERS.sub("#", tree.text), tree)
    return list(found.values())


def places_of(tree: Tree) -> dict[int, float]:
    """Where a tree has numbers, and which; those that are 0 left out."""
    return {place: part.number for place, part in enumerate(tree.parts()) if not part.name and part.number}


def settings_of(text: str) -> dict[str, Any]:
    """The settings of a scheduler with this formula."""
    return {"scheduler.kind": "formula", METRIC: text}
