"""A second reader of traces: line by line, cell by cell, of a file whose separator and decimal sign are known.

It shares no code with `airlink.scenario.traces`, which must read the same numbers and find a mistake in the same line.
"""

from __future__ import annotations

import csv
import math
import re
from dataclasses import dataclass


class Mistake(Exception):
    """The number of the line that is wrong."""


@dataclass(frozen=True)
class Form:
    """How a file is written and which of its columns, from 0, are read."""

    separator: str = ","
    decimal: str = "."
    header: bool = False
    value_at: int = 0
    time_at: int | None = None
    missing: str = "-"


def plain(text: str, form: Form, scale: float = 1.0, time_scale: float = 1.0) -> tuple[list[float], list[float]]:
    """Times from 0 (a second apart without a column of times) and values; a missing value is that of the row before."""
    times: list[float] = []
    values: list[float] = []
    header = form.header
    for number, line in enumerate(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        if not line.strip() or line.strip().startswith("#"):
            continue
        if header:
            header = False
            continue
        cells = _cells(line, form.separator)
        values.append(_value(cells, number, form) * scale)
        if form.time_at is not None:
            times.append(_number(cells, form.time_at, number, form))
    if form.time_at is None:
        return [float(row) for row in range(len(values))], _held(values)
    return [(time - times[0]) * time_scale for time in times], _held(values)


def _cells(line: str, separator: str) -> list[str]:
    if separator == "blanks":
        return [cell.strip('"').strip() for cell in re.findall(r'"[^"]*"|\S+', line)]
    return [cell.strip().strip('"') for cell in next(csv.reader([line], delimiter=separator, skipinitialspace=True))]


def _value(cells: list[str], number: int, form: Form) -> float:
    if form.value_at < len(cells) and cells[form.value_at] in ("", form.missing):
        return math.nan
    return _number(cells, form.value_at, number, form)


def _number(cells: list[str], at: int, number: int, form: Form) -> float:
    if at >= len(cells):
        raise Mistake(number)
    text = cells[at]
    if form.decimal == ",":
        if "." in text:
            raise Mistake(number)
        text = text.replace(",", ".")
    try:
        value = float(text)
    except ValueError:
        raise Mistake(number) from None
    if not math.isfinite(value):
        raise Mistake(number)
    return value


def _held(values: list[float]) -> list[float]:
    held = next(value for value in values if not math.isnan(value))
    out = []
    for value in values:
        held = held if math.isnan(value) else value
        out.append(held)
    return out
