"""From how many replicas on intervals hold the truth in at least 93 % of the campaigns, case by case."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import takewhile

from ..page import table
from . import results_of
from .tally import Coverage, read

ENOUGH = 0.93
PLAIN, CONTROLS, UNTIL, UNTIL_CONTROLS = range(4)
COLUMNS = ("case", "fixed number", "with controls", "--until", "--until, with controls")


def of_parts() -> str:
    """The table, from the results that are checked in."""
    found: dict[str, list[list[Coverage]]] = {}
    for words, column, row in _rows():
        found.setdefault(words, [[] for _ in COLUMNS[1:]])[column].append(row)
    return table(list(COLUMNS), [[words, *map(from_replicas, columns)] for words, columns in found.items()])


def from_replicas(rows: Iterable[Coverage]) -> str:
    """The least measured number from which on enough campaigns hold the truth; "> 50" if 50 are not enough."""
    largest_first = sorted(rows, key=lambda row: row.replicas, reverse=True)
    holding = list(takewhile(lambda row: row.covered >= ENOUGH, largest_first))
    if not largest_first:
        return ""
    return f"{holding[-1].replicas:.0f}" if holding else f"> {largest_first[0].replicas:.0f}"


def _rows() -> Iterator[tuple[str, int, Coverage]]:
    """Rows with the words and the column under which they stand."""
    for part, place in _PLACES.items():
        for row in read(results_of(part)):
            if found := place(row):
                yield *found, row


def _simulated(row: Coverage) -> tuple[str, int]:
    return (row.case, _WAYS[row.method]) if row.method in _WAYS else (f"{row.case}, {row.method}", PLAIN)


def _quantile(row: Coverage) -> tuple[str, int] | None:
    return (f"p95: {row.case}", PLAIN) if row.method == "p95" else None


def _other(row: Coverage) -> tuple[str, int]:
    method = row.method.partition(",")[0]
    if method == "one control":
        return f"mean with a control: {row.case}", UNTIL_CONTROLS
    return f"{method}: {row.case}", UNTIL


_WAYS = {"plain": PLAIN, "controls": CONTROLS}

_PLACES: Mapping[str, Callable[[Coverage], tuple[str, int] | None]] = {
    "simulated": _simulated,
    "simulated-until": lambda row: (row.case, UNTIL + _WAYS[row.method]),
    "means": lambda row: (f"mean: {row.case}", PLAIN),
    "until": lambda row: (f"mean: {row.case}", UNTIL),
    "controls": lambda row: (f"mean with a control: {row.case}", CONTROLS) if row.method == "one control" else None,
    "quantiles": _quantile,
    "downloads": _quantile,
    "differences": lambda row: (f"difference, {row.method}: {row.case}", PLAIN),
    "until-others": _other,
}
"""Of each part, the words and the column of a row; None: it is left out."""
