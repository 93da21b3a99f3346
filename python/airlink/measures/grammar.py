"""Measures as they are written: whose, then which column, then what is made of many.

| text | meaning |
| --- | --- |
| `cell.goodput_bps` | a number of the cell |
| `users.p05(goodput_bps)` | the 5th percentile of all users of all runs |
| `users.mean(goodput_bps)` | the mean user of each run; also min, max, sum, sd, jain |
| `users.12.goodput_bps` | one user |
| `downloads.p95(time_s)` | the 95th percentile of all downloads of all runs |
| `downloads.share_unfinished` | a number of the downloads of a run |
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from difflib import get_close_matches

from airlink.measures.directions import better
from airlink.measures.errors import MeasureError
from airlink.measures.measure import Measure
from airlink.measures.populations import POPULATIONS, Population
from airlink.scenario.errors import printable
from airlink.tables import Column

_PERCENTILE = re.compile(r"p(\d{1,2}(?:\.\d+)?)")
_AGGREGATE = re.compile(r"([^().]+(?:\.\d+)?)\(([^()]*)\)")
_MEMBER = re.compile(r"(\d+)\.(.+)")
MOST_LISTED = 4
"""The most columns that a message lists; of more it says how to list them."""


def measure(text: str) -> Measure:
    """The measure of that text.

    Parameters
    ----------
    text : e.g. "cell.goodput_bps", "users.p05(goodput_bps)", "users.12.goodput_bps", "downloads.p95(time_s)".

    Raises
    ------
    MeasureError : no such measure; says what there is.

    Examples
    --------
    >>> edge = measure("users.p5(goodput_bps)")
    >>> edge.text, edge.share, edge.unit, edge.better
    ('users.p05(goodput_bps)', 0.05, 'b/s', 'higher')
    >>> measure("downloads.p95(time_s)").record
    ('downloads',)
    >>> measure("cell.goodput")
    Traceback (most recent call last):
    airlink.measures.errors.MeasureError: measure "cell.goodput": cell has no column "goodput"; did you mean \
"cell.goodput_bps" or "cell.goodput_up_bps"? airlink list measures has all
    """
    whole = "".join(text.split())
    name, _, rest = whole.partition(".")
    population = POPULATIONS.get(name)
    if population is None or not rest:
        raise _refused(text, _no_population(name))
    if found := _AGGREGATE.fullmatch(rest):
        return _of_all(text, population, *found.groups())
    if found := _MEMBER.fullmatch(rest):
        return _of_one(text, population, int(found.group(1)), found.group(2))
    return _number(text, population, rest)


def measures(texts: str | Measure | Iterable[str | Measure]) -> list[Measure]:
    """The measures of several texts, each once, in their order; measures stay as they are.

    Raises
    ------
    MeasureError : as `measure`.
    """
    asked = [texts] if isinstance(texts, str | Measure) else texts
    made = (each if isinstance(each, Measure) else measure(each) for each in asked)
    return list(dict.fromkeys(made))


def _number(text: str, population: Population, name: str) -> Measure:
    column = population.numbers.get(name)
    if column is not None:
        return _made(population, column, f"{population.name}.{name}")
    if name in population.columns:
        one = f", or {population.name}.0.{name} of one" if population.has_names else ""
        raise _refused(text, f"say what of all {population.name}, e.g. {population.name}.mean({name}){one}")
    if population.aggregates and (name in population.aggregates or _PERCENTILE.fullmatch(name)):
        of_what = "time_s" if "time_s" in population.columns else "goodput_bps"
        raise _refused(text, f"say of what, e.g. {population.name}.{name}({of_what})")
    raise _refused(text, _no_column(population, name, "{}"))


def _of_all(text: str, population: Population, aggregate: str, name: str) -> Measure:
    if not population.aggregates:
        example = name if name in population.numbers else next(iter(population.numbers))
        one = f"there is one {population.name}, and so nothing to take {aggregate} of"
        raise _refused(text, f"{one}; write {population.name}.{example}")
    share = _share(text, population, aggregate)
    column = population.columns.get(name)
    if column is None:
        raise _refused(text, _no_column(population, name, f"{aggregate}({{}})"))
    if name in population.only_of_one:
        other = f"downloads.{aggregate if share is not None else 'mean'}(time_s)"
        raise _refused(text, f"what has not ended has no {name} and would be left out; {other} counts it")
    if share is not None:
        aggregate = _percentile(share)
    return _made(population, column, f"{population.name}.{aggregate}({name})", aggregate, share=share)


def _of_one(text: str, population: Population, member: int, name: str) -> Measure:
    if not population.has_names:
        with_names = " and ".join(each.name for each in POPULATIONS.values() if each.has_names)
        raise _refused(text, f"only {with_names} have numbers")
    column = population.columns.get(name)
    if column is None:
        raise _refused(text, _no_column(population, name, f"{member}.{{}}"))
    return _made(population, column, f"{population.name}.{member}.{name}", member=member)


def _made(
    population: Population,
    column: Column,
    text: str,
    aggregate: str = "",
    member: int | None = None,
    share: float | None = None,
) -> Measure:
    unit = "" if aggregate == "jain" else column.unit
    direction = better(column.name, aggregate)
    return Measure(
        text, population.name, column.name, aggregate, member, unit, direction, share, column.only, column.text
    )


def _share(text: str, population: Population, aggregate: str) -> float | None:
    """The share of a percentile, 0..1; None of another aggregate."""
    found = _PERCENTILE.fullmatch(aggregate)
    if found and 0 < float(found.group(1)) < 100:
        return round(float(found.group(1)) / 100, 12)
    if aggregate in population.aggregates:
        return None
    known = f"choose from {', '.join(population.aggregates)} and p01..p99, p99.9"
    near = get_close_matches(aggregate, population.aggregates, 1)
    raise _refused(text, f'no "{aggregate}" of {population.name}; {known}{_perhaps(near)}')


def _percentile(share: float) -> str:
    """Its usual form: p05, p50, p99.9."""
    percent = round(100 * share, 9)
    return f"p{percent:02.0f}" if percent == math.floor(percent) else f"p{percent:g}"


def _no_population(name: str) -> str:
    """What is wrong with what stands before the dot."""
    if name in POPULATIONS:
        example = _example(POPULATIONS[name], next(iter(POPULATIONS[name].all_columns)))
        return f"says nothing of {name}; write e.g. {example}"
    if whose := [_example(each, name) for each in POPULATIONS.values() if name in each.all_columns]:
        return f"does not say whose; write {' or '.join(whose)}"
    known = ", ".join(POPULATIONS)
    perhaps = _perhaps(get_close_matches(name, POPULATIONS, 1)) or "; airlink list measures has all"
    return f'no "{name}"; choose from {known}{perhaps}'


def _no_column(population: Population, name: str, form: str) -> str:
    """What is wrong with the name of a column, and what it may be for, in the form in which it was asked."""
    said = f'{population.name} has no column "{name}"'
    others = (each for each in POPULATIONS.values() if each is not population)
    if elsewhere := [_example(each, name) for each in others if name in each.all_columns]:
        return f"{said}; there is {' and '.join(elsewhere)}"
    known = population.all_columns
    near = [_example(population, each, form) for each in get_close_matches(name, known, 2)]
    if len(known) <= MOST_LISTED:
        return f"{said}; choose from {', '.join(known)}{_perhaps(near)}"
    return f"{said}{_perhaps(near) or ';'} airlink list measures has all"


def _example(population: Population, name: str, form: str = "{}") -> str:
    """A measure of a column: a number as it is, what members have in that form."""
    if name in population.numbers:
        return f"{population.name}.{name}"
    if form == "{}":
        form = "0.{}" if name in population.only_of_one else "mean({})"
    return f"{population.name}.{form.format(name)}"


def _perhaps(near: list[str]) -> str:
    named = " or ".join(f'"{each}"' for each in near)
    return f"; did you mean {named}?" if near else ""


def _refused(text: str, reason: str) -> MeasureError:
    return MeasureError(printable(f'measure "{text}": {reason}'))
