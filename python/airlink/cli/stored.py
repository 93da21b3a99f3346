"""Stored scenarios as lines: what is there of each, and what tells those of one name apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from airlink.campaign.plan import label_of
from airlink.scenario.differing import differing
from airlink.store import Store, StoredScenario, StoreError

WIDTH = 80
LETTERS = 16
"""Of a name, and of the seeds, in a line."""

FEWEST_LETTERS = 8
GAP = "  "
RIGHT = ("size",)
INDENT = " " * 10
"""Of the fields below a scenario: they stand below its name."""


def listing(opened: Store, found: Sequence[StoredScenario]) -> list[str]:
    """A table with a line for each scenario, and below it the fields in which it differs from others of its name."""
    columns = {
        "key": [each.short for each in found],
        "name": [_cut(each.name, LETTERS) for each in found],
        "seeds": [_cut(each.seeds_text, LETTERS) for each in found],
        "version": [each.version for each in found],
        "series": [_series_text(each) for each in found],
        "size": [size_text(each.size_bytes) for each in found],
        "stored": [f"{when(each):%m-%d %H:%M}" for each in found],
    }
    differences = _differences(opened, found)
    _narrow(columns)
    widths = _widths(columns)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    lines = [
        _line(dict(zip(columns, columns, strict=True)), widths),
        "-" * (sum(widths.values()) + 2 * len(widths) - 2),
    ]
    for row, each in zip(rows, found, strict=True):
        lines.append(_line(row, widths))
        if told := differences.get(each.key):
            lines.append(INDENT + _cut(told, WIDTH - len(INDENT)))
    return lines if found else []


def when(found: StoredScenario) -> datetime:
    """When the last result of a scenario was stored."""
    return datetime.fromtimestamp(found.stored_s).astimezone()


def size_text(size_bytes: int) -> str:
    """A size as people read it.

    >>> size_text(857_400), size_text(12)
    ('857 kB', '12 B')
    """
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size_bytes >= size:
            return f"{size_bytes / size:.3g} {unit}"
    return f"{size_bytes} B"


def _widths(columns: dict[str, list[str]]) -> dict[str, int]:
    return {name: max(map(len, [name, *cells])) for name, cells in columns.items()}


def _narrow(columns: dict[str, list[str]]) -> None:
    """Cuts seeds, then names, until a line has room."""
    for name in ("seeds", "name"):
        widths = _widths(columns)
        over = sum(widths.values()) + len(GAP) * (len(widths) - 1) - WIDTH
        if over > 0:
            columns[name] = [_cut(text, max(FEWEST_LETTERS, widths[name] - over)) for text in columns[name]]


def _line(cells: dict[str, str], widths: dict[str, int]) -> str:
    words = (text.rjust(widths[name]) if name in RIGHT else text.ljust(widths[name]) for name, text in cells.items())
    return GAP.join(words).rstrip()


def _differences(opened: Store, found: Sequence[StoredScenario]) -> dict[str, str]:
    """Key -> in which fields the scenario differs from most others of its name; none of files that are not whole."""
    alike: dict[str, dict[str, dict[str, Any]]] = {}
    for each in found:
        with suppress(StoreError):
            alike.setdefault(each.name, {})[each.key] = opened.fields(each.key)
    told = {}
    for scenarios in alike.values():
        apart = differing([*scenarios.values()])
        names = _names({path for table in apart for path in table})
        usual = _usual(apart)
        for key, table in zip(scenarios, apart, strict=True):
            told[key] = label_of({names[path]: value for path, value in table.items() if repr(value) != usual[path]})
    return told


def _usual(tables: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Path -> the value that more than half of the scenarios with that field have; empty if there is none."""
    found = {}
    for path in {path for table in tables for path in table}:
        values = Counter(repr(table[path]) for table in tables if path in table)
        ((value, count),) = values.most_common(1)
        found[path] = value if 2 * count > values.total() else ""
    return found


def _names(paths: set[str]) -> dict[str, str]:
    """Path of a field -> the last part of it, or all of it where others end alike, and of kinds."""
    ends = Counter(path.rsplit(".", 1)[-1] for path in paths)
    ends["kind"] += 1
    return {path: end if ends[end := path.rsplit(".", 1)[-1]] == 1 else path for path in paths}


def _series_text(found: StoredScenario) -> str:
    return f"{len(found.record)} kinds" if len(found.record) > 1 else ", ".join(found.record) or "-"


def _cut(text: str, letters: int) -> str:
    return text if len(text) <= letters else f"{text[: letters - 3]}..."
