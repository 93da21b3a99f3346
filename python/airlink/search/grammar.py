"""What formulas are bred from, and how: random trees, crossover, mutation, within a size.

Names come from the declarations of the engine (`airlink list formula`). Units are ignored: `rate + average / slot_s`
may be made, and has to show what it is worth. Left out: which trees are bred (`formulas`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from airlink.engine import RequestError
from airlink.scenario.formula import formula_names
from airlink.search.draws import Draws
from airlink.search.tree import Tree, number

COLUMNS = ("rate", "average", "head_of_line_delay_s", "backlog_bytes", "gap_slots", "mean_snr_db")
OPERATORS = ("+", "-", "*", "/", "^", "<")
FUNCTIONS = ("exp", "log", "sqrt", "min", "max", "where")

LEAF, NUMBER = 0.3, 0.25
"""Chance of a leaf where the tree could go on, and of a number where it is one."""

DECADES = 3.0
"""Numbers are drawn between a thousandth and a thousand, evenly over their logarithms."""

DEPTH = 4
TRIES = 20
SPREAD = 0.5
"""Standard deviation of a number's move, in nepers."""

CROSSOVER, SUBTREE, NAME = 0.5, 0.65, 0.8
"""How a child is made, by one draw: below the first number crossover, a new part below the second, another name below
the third, else a moved number."""


@dataclass(frozen=True)
class Grammar:
    """What formulas may be made of.

    Attributes
    ----------
    columns : what the base station knows, as `airlink list formula` names it.
    operators : between two values.
    functions : by name.
    largest : the most columns, numbers, operators and functions of a formula.

    Raises
    ------
    RequestError : a name that no formula may have, or no column; a size below 3 or above 100.

    Examples
    --------
    >>> from airlink.search.draws import draws
    >>> Grammar(largest=5).random(draws(3, "doc")).size <= 5
    True
    """

    columns: Sequence[str] = COLUMNS
    operators: Sequence[str] = OPERATORS
    functions: Sequence[str] = FUNCTIONS
    largest: int = 25

    def __post_init__(self) -> None:
        known = {kind: _names(kind) for kind in ("column", "operator", "function")}
        told = (("column", self.columns), ("operator", self.operators), ("function", self.functions))
        for kind, names in told:
            wrong = [name for name in names if name not in known[kind]]
            if wrong:
                raise RequestError(f"{kind} {wrong[0]!r} is unknown; it must be one of {', '.join(known[kind])}")
        if not self.columns:
            raise RequestError("columns is empty; a formula needs one at least")
        if not 3 <= self.largest <= 100:
            raise RequestError(f"largest is {self.largest!r}; it must lie in 3..100")

    @cached_property
    def _arities(self) -> dict[str, int]:
        """Operators and functions, and how many operands each takes."""
        functions = _names("function")
        return {**dict.fromkeys(self.operators, 2), **{name: functions[name] for name in self.functions}}

    def random(self, stream: Draws, depth: int | None = None) -> Tree:
        """A random tree, not deeper than `depth`; default: a depth of 1 to 4, drawn."""
        deepest = int(stream.integers(1, DEPTH + 1)) if depth is None else depth
        for _ in range(TRIES):
            made = self._grown(stream, deepest)
            if made.size <= self.largest:
                return made
        return self._leaf(stream)

    def child(self, first: Tree, second: Tree, stream: Draws) -> Tree:
        """A tree made of one or two others: by crossover, a new part, another name, or a moved number."""
        how = stream.random()
        for _ in range(TRIES):
            if how < CROSSOVER:
                made = first.with_part(_place(first, stream), list(second.parts())[_place(second, stream)])
            elif how < SUBTREE:
                made = first.with_part(_place(first, stream), self._grown(stream, 2))
            elif how < NAME:
                made = self._renamed(first, stream)
            else:
                made = self._moved(first, stream)
            if made.size <= self.largest and made != first:
                return made
        return self.random(stream)

    def _grown(self, stream: Draws, depth: int) -> Tree:
        if depth == 0 or not self._arities or stream.random() < LEAF:
            return self._leaf(stream)
        name = list(self._arities)[int(stream.integers(len(self._arities)))]
        return Tree(name, tuple(self._grown(stream, depth - 1) for _ in range(self._arities[name])))

    def _leaf(self, stream: Draws) -> Tree:
        if stream.random() < NUMBER:
            return number(10 ** stream.uniform(-DECADES, DECADES))
        return Tree(self.columns[int(stream.integers(len(self.columns)))])

    def _renamed(self, tree: Tree, stream: Draws) -> Tree:
        """Another column, operator or function in the place of one."""
        place = _place(tree, stream)
        part = list(tree.parts())[place]
        if not part.of:
            return tree.with_part(place, self._leaf(stream))
        others = [name for name, arity in self._arities.items() if arity == len(part.of) and name != part.name]
        if not others:
            return tree
        return tree.with_part(place, Tree(others[int(stream.integers(len(others)))], part.of))

    def _moved(self, tree: Tree, stream: Draws) -> Tree:
        """One of the numbers moved; without one, a part times a number."""
        places = [place for place, part in enumerate(tree.parts()) if not part.name and part.number]
        if not places:
            place = _place(tree, stream)
            part = list(tree.parts())[place]
            return tree.with_part(place, Tree("*", (self._number(stream), part))) if "*" in self.operators else tree
        place = places[int(stream.integers(len(places)))]
        value = list(tree.parts())[place].number
        return tree.with_part(place, number(value * math.exp(SPREAD * stream.standard_normal())))

    def _number(self, stream: Draws) -> Tree:
        return number(10 ** stream.uniform(-DECADES, DECADES))


def _place(tree: Tree, stream: Draws) -> int:
    return int(stream.integers(tree.size))


def _names(kind: str) -> dict[str, int]:
    """The declared names of a kind, with the number of their operands; functions of two or more take two."""
    found = {}
    for each in formula_names():
        if each.kind == kind == "operator":
            found[each.name.removeprefix("x ").removesuffix(" y")] = 2
        elif each.kind == kind:
            name, _, arguments = each.name.partition("(")
            found[name] = arguments.replace(", ...", "").count(",") + 1 if arguments else 0
    found.pop("-x", None)
    return found
