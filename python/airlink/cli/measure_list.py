"""`airlink list measures`: how a measure is written, and the columns of each population."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from rich.console import Console

from airlink.cli import tables
from airlink.cli.commands import fail
from airlink.measures import POPULATIONS, MeasureError, better, measure
from airlink.tables import Column

FORMS: Mapping[str, str] = {
    "cell.goodput_bps": "a number of the cell: its mean over runs",
    "users.p05(goodput_bps)": "a percentile, p01..p99 or p99.9, of all users of all runs",
    "users.mean(goodput_bps)": "the mean user of each run, then the mean over runs; also min, max, sum, sd (standard "
    "deviation), jain (Jain's index)",
    "users.12.goodput_bps": "one user: its mean over runs; the same user in all with --hold placement",
    "flows.3.completion_s": "one flow",
    "downloads.p95(time_s)": "a percentile of all files and pages of all runs; those that have not ended "
    "count as longer than their age",
    "downloads.mean(time_s)": "the mean of each run's, then the mean over runs; also max, sum; ages count as times",
    "downloads.share_unfinished": "a number of the downloads of a run",
}
"""Examples of measures, and what each form means."""

HEAD = "Measures: whose, and which column (docs/results.md); airlink sweep --measure"

Columns = Mapping[str, Mapping[str, Column]]
"""Columns by name, of each population by name."""


def show(name: str | None, as_json: bool) -> None:
    """Prints how measures are written and all columns, or those that a name or a measure is of; or JSON."""
    found = _all_columns() if name is None else _named(name)
    if as_json:
        sys.stdout.write(json.dumps({whose: _content(whose, of) for whose, of in found.items()}, indent=1) + "\n")
        return
    out = tables.console()
    if name is None:
        _print_forms(out)
    for whose, of in found.items():
        title = ", ".join(_texts(whose, name)) if name is not None else POPULATIONS[whose].what
        out.print(f"\n{whose}: {title}" if name is None else title, markup=False)
        _print_columns(out, of)


def _all_columns() -> Columns:
    return {each.name: each.all_columns for each in POPULATIONS.values()}


def _named(name: str) -> Columns:
    """The columns of that name in all populations, or the one that a measure is of."""
    found = {each.name: {name: each.all_columns[name]} for each in POPULATIONS.values() if name in each.all_columns}
    if found:
        return found
    try:
        of = measure(name)
    except MeasureError as error:
        fail(f"list: {error}")
    return {of.population: {of.column: POPULATIONS[of.population].all_columns[of.column]}}


def _texts(whose: str, name: str) -> list[str]:
    """The measures that a column is in, with each aggregate; the measure itself if it is one."""
    population = POPULATIONS[whose]
    if name in population.numbers:
        return [f"{whose}.{name}"]
    if name not in population.columns:
        return [str(measure(name))]
    members = [f"{whose}.0.{name}"] if population.has_names else []
    if name in population.only_of_one:
        return members
    return [f"{whose}.{each}({name})" for each in (*population.aggregates, "p05", "p50", "p95")] + members


def _content(whose: str, of: Mapping[str, Column]) -> dict[str, Any]:
    """A population as JSON."""
    columns = {
        name: {
            "unit": column.unit,
            "better": better(name, ""),
            "meaning": column.text,
            "only": column.only,
            "measures": _texts(whose, name),
        }
        for name, column in of.items()
    }
    return {"meaning": POPULATIONS[whose].what, "columns": columns}


def _print_forms(out: Console) -> None:
    out.print(HEAD, markup=False)
    table = tables.plain_table(show_header=False)
    table.add_column(no_wrap=True)
    table.add_column()
    for text, meaning in FORMS.items():
        table.add_row(text, meaning)
    out.print(table, markup=False)


def _print_columns(out: Console, of: Mapping[str, Column]) -> None:
    table = tables.plain_table()
    table.add_column("column", no_wrap=True)
    for head in ("unit", "better", "meaning"):
        table.add_column(head, overflow="fold")
    for column in of.values():
        where = f"; only where {column.only}" if column.only else ""
        table.add_row(column.name, column.unit or "-", better(column.name, "") or "-", column.text + where)
    out.print(table, markup=False)
