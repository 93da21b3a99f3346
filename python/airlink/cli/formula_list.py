"""`airlink list formula`: what a formula of `scheduler.metric` may be made of, and examples."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict

from rich.console import Console

from airlink.cli import tables
from airlink.cli.commands import fail
from airlink.scenario.formula import FormulaName, formula_names

EXAMPLES: Mapping[str, str] = {
    "rate / average": "proportional fair",
    "log(rate) - 2 * log(average)": "lambda rule, exponent 2",
    "weight * rate / average": "weighted proportional fair",
    "head_of_line_delay_s / delay_budget_s * rate / average": "M-LWDF, one risk for all",
    "rate / average * exp(head_of_line_delay_s / 0.05)": "the longer a packet waits, the sooner",
    "where(head_of_line_delay_s > 0.1, 1e9, 1) * rate / average": "late packets first",
}
"""Formulas and what they are."""

HEAD = """What scheduler.metric of scheduler.kind = "formula" may be made of.
The largest value wins; a user for whom it is no number does not."""

TITLES: Mapping[str, str] = {
    "column of user and subchannel": "Columns of each user on each subchannel",
    "column of user": "Columns of each user",
    "column of slot": "One value for all",
    "operator": "Operators, the tightest first: ^, the sign, * and /, + and -, comparisons",
    "function": "Functions",
    "constant": "Constants",
}


def show(name: str | None, as_json: bool) -> None:
    """Prints all names, or one of them; or JSON."""
    names = formula_names()
    found = names if name is None else [each for each in names if name in (each.name, each.name.partition("(")[0])]
    if not found:
        fail(f'list: formula: no "{name}"; airlink list formula has all')
    if as_json:
        sys.stdout.write(json.dumps({each.name: _content(each) for each in found}, indent=1) + "\n")
        return
    out = tables.console()
    if name is None:
        out.print(HEAD, markup=False, highlight=False)
    for kind, title in TITLES.items():
        rows = [each for each in found if _kind(each) == kind]
        if rows:
            _print(out, f"\n{title}" if name is None else title, rows)
    if name is None:
        out.print("\nExamples", markup=False)
        for formula, meaning in EXAMPLES.items():
            out.print(f"\n {meaning}:\n   {formula}", markup=False)


def _content(name: FormulaName) -> dict[str, str]:
    """A name as JSON."""
    return {field: value for field, value in asdict(name).items() if value and field != "name"}


def _kind(name: FormulaName) -> str:
    return f"{name.kind} of {name.per}" if name.per else name.kind


def _print(out: Console, title: str, rows: list[FormulaName]) -> None:
    out.print(title, markup=False)
    table = tables.plain_table(show_header=False)
    table.add_column(no_wrap=True)
    if any(each.unit for each in rows):
        table.add_column(no_wrap=True)
    table.add_column()
    for each in rows:
        unit = [each.unit or "-"] if len(table.columns) > 2 else []
        table.add_row(each.name, *unit, each.meaning.removesuffix("."))
    out.print(table, markup=False)
