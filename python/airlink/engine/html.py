"""Tables and sentences as the HTML that a notebook shows.

Few rows and columns, the others counted or folded away; units in the headings, meanings at the pointer; no colour but
that of the text, so that light and dark pages both have it; nothing is fetched. Left out: what is shown of a result, an
answer, an explanation (each has a module of its own).
"""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from airlink.tables import TABLES
from airlink.tables import Column as Declared
from airlink.tables.units import readable_unit

if TYPE_CHECKING:
    from airlink.engine.table import Column, Table

MOST_ROWS = 12
MOST_COLUMNS = 8
DIGITS, DIGITS_OF_TIMES = 5, 7
KEYS = ("replica", "seed")
"""Columns in front of a table of several replicas."""

STYLE = """<style>
.airlink {max-width: 100%; line-height: 1.4}
.airlink .wide {overflow-x: auto; width: 0; min-width: 100%}
.airlink table {border-collapse: collapse; margin: .5em 0; font-variant-numeric: tabular-nums}
.airlink caption {text-align: left; padding: .3em 0; font-weight: bold; color: inherit}
.airlink th, .airlink td {padding: .15em .7em; text-align: right; vertical-align: bottom; white-space: nowrap}
.airlink th.words, .airlink td.words {text-align: left}
.airlink thead th {border-bottom: 1px solid currentColor}
.airlink th small {display: block; font-weight: normal}
.airlink .bar {display: inline-block; height: .7em; background: currentColor; opacity: .6}
.airlink img {display: block; max-width: 100%; height: auto}
.airlink p {margin: .4em 0; max-width: 60em}
.airlink dt {font-family: monospace} .airlink dd {margin: 0 0 .3em 1.5em}
</style>"""


@dataclass(frozen=True)
class Head:
    """A column's heading.

    Attributes
    ----------
    name : what it is called.
    unit : of its numbers; empty for counts, ratios and words.
    meaning : what it holds, shown at the pointer.
    words : whether it holds words, which stand to the left.
    """

    name: str
    unit: str = ""
    meaning: str = ""
    words: bool = False


class Markup(str):
    """Text that is HTML already; every other text is escaped."""

    __slots__ = ()


def document(*parts: str) -> str:
    """What a notebook shows: these parts, one below the other, with their style."""
    return f'<div class="airlink">{STYLE}\n{chr(10).join(part for part in parts if part)}\n</div>'


def paragraph(text: str) -> str:
    """A sentence or more."""
    return f"<p>{_text(text)}</p>" if text else ""


def code(text: str) -> Markup:
    """A call or a name, as it is typed."""
    return Markup(f"<code>{escape(text)}</code>")


def bar(share: float) -> Markup:
    """A bar as long as a share, 0..1, of 8 letters."""
    return Markup(f'<span class="bar" style="width: {8 * share:.2f}em"></span>')


def image(png: bytes, alternative: str) -> Markup:
    """A picture inside the text, with words for those who do not see it."""
    url = f"data:image/png;base64,{b64encode(png).decode('ascii')}"
    return Markup(f'<img src="{url}" alt="{escape(alternative)}" width="480">')


def folded(summary: str, content: str) -> str:
    """What is seen once it is asked for."""
    return f"<details><summary>{_text(summary)}</summary>{content}</details>" if content else ""


def table(heads: Sequence[Head], rows: Sequence[Sequence[str]], caption: str = "", left_out: int = 0) -> str:
    """A table in a box of its own, which scrolls where it is wider than the page.

    Parameters
    ----------
    heads : a heading a column.
    rows : cells, a text each; what is no `Markup` is escaped.
    caption : above the table; empty: none.
    left_out : rows that are not among these. A line in the middle says how many.
    """
    classes = [' class="words"' if head.words else "" for head in heads]
    lines = [
        f"<tr>{''.join(f'<td{kind}>{_text(cell)}</td>' for kind, cell in zip(classes, row, strict=True))}</tr>"
        for row in rows
    ]
    if left_out:
        told = f"{left_out} more row{'s' * (left_out > 1)}"
        lines.insert((len(lines) + 1) // 2, f'<tr><td class="words" colspan="{len(heads)}">... {told}</td></tr>')
    above = f"<caption>{escape(caption)}</caption>" if caption else ""
    named = "".join(f"<th{kind}{_pointed(head)}>{_named(head)}</th>" for kind, head in zip(classes, heads, strict=True))
    body = "\n".join(lines)
    # Reached by keys as well, or nobody without a mouse could scroll it.
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(caption or "table")}">'
        f"<table>{above}<thead><tr>{named}</tr></thead><tbody>\n{body}\n</tbody></table></div>"
    )


def of_table(shown: Table, caption: str = "") -> str:
    """A table of a result: a few of its rows, the first columns that hold numbers, and what the other columns are."""
    declared = declared_of(shown)
    names = sorted(shown, key=lambda name: _is_empty(shown[name]))
    kept, others = names[:MOST_COLUMNS], names[MOST_COLUMNS:]
    rows, left_out = chosen_rows(shown.rows)
    columns = [column_of(shown[name][rows], name, declared.get(name)) for name in kept]
    size = f"{shown.rows} row{'s' * (shown.rows != 1)}, {len(names)} column{'s' * (len(names) != 1)}"
    lines = list(zip(*(cells for _, cells in columns), strict=True))
    return "\n".join(
        [
            table([head for head, _ in columns], lines, caption or size, left_out) if kept else paragraph(size),
            folded(f"{len(others)} more column{'s' * (len(others) > 1)}", _glossary(others, declared)),
        ]
    )


def declared_of(shown: Table) -> Mapping[str, Declared]:
    """What is declared of the columns, if all are of one table; else their units alone, where tables agree on them."""
    names = [name for name in shown if name not in KEYS]
    whole = next((info for info in TABLES if all(info.column(name) for name in names)), None)
    if whole is not None:
        return {name: column for name in names if (column := whole.column(name)) is not None}
    found = {name: [column for info in TABLES if (column := info.column(name)) is not None] for name in names}
    units = {name: {column.unit for column in columns} for name, columns in found.items() if columns}
    return {name: Declared(name, "real", unit, "") for name, (unit, *others) in units.items() if not others}


def chosen_rows(count: int) -> tuple[Any, int]:
    """The rows that are shown, the first and the last ones, and how many others there are."""
    if count <= MOST_ROWS:
        return np.arange(count), 0
    half = MOST_ROWS // 2
    return np.r_[0:half, count - half : count], count - MOST_ROWS


def column_of(values: Column, name: str, declared: Declared | None) -> tuple[Head, list[str]]:
    """The heading of a column, and its cells in the unit that they are read best in."""
    if declared is None:
        return Head(name, words=values.dtype.kind in "US"), [_cell(value, DIGITS) for value in values.tolist()]
    of_time = declared.unit == "s"
    by, unit = (1.0, "s") if of_time else readable_unit(declared.unit, values)
    scaled = values / by if by != 1 else values
    cells = [_cell(value, DIGITS_OF_TIMES if of_time else DIGITS) for value in scaled.tolist()]
    if declared.codes:
        cells = [f"{value} {declared.codes.get(value, '')}".strip() for value in values.tolist()]
    told = "; ".join(part for part in (declared.text, f"here in {unit}" * (unit != declared.unit)) if part)
    return Head(name, unit, told, words=bool(declared.codes)), cells


def _cell(value: Any, digits: int) -> str:
    if not isinstance(value, float):
        return str(value)
    if math.isnan(value):
        return "-"
    return f"{value:.{digits}g}" if abs(value) < 10**digits else f"{value:.0f}" if abs(value) < 1e15 else f"{value:g}"


def _is_empty(values: Column) -> bool:
    """Whether a column has no number at all."""
    return values.dtype.kind == "f" and values.size > 0 and bool(np.isnan(values).all())


def _glossary(names: Sequence[str], declared: Mapping[str, Declared]) -> str:
    """Columns that are not shown, with what they hold."""
    if not names:
        return ""
    told = [(name, declared.get(name)) for name in names]
    lines = (f"<dt>{escape(name)}</dt><dd>{escape('' if one is None else _with_unit(one))}</dd>" for name, one in told)
    return f"<dl>{''.join(lines)}</dl>"


def _with_unit(column: Declared) -> str:
    return f"{column.text} ({column.unit})" if column.unit else column.text


def _named(head: Head) -> str:
    return f"{escape(head.name)}<small>{escape(head.unit)}</small>" if head.unit else escape(head.name)


def _pointed(head: Head) -> str:
    return f' title="{escape(head.meaning)}"' if head.meaning else ""


def _text(text: str) -> str:
    return text if isinstance(text, Markup) else escape(text)
