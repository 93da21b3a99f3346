"""Rows of text: cells between separators, with or without a header line.

pyarrow reads all rows at once. Where it can't, they are read line by line: that finds the line of a mistake, and what
only Python takes for a number or a row. Either way the numbers are the same.
Leaves out units, and what must hold between rows (`rows`).
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..sections import Trace
from .problem import TraceProblem
from .rows import Rows, chosen, wanted_columns

if TYPE_CHECKING:
    import pyarrow as pa

SEPARATORS = {"tab": "\t", "semicolon": ";", "comma": ",", "blanks": " "}

ROWS_LOOKED_AT = 20
BLOCK_BYTES = 1 << 22
"""Bytes that pyarrow reads at once: with a quarter of it 10^6 rows take twice as long."""

# A cell that is a number with a decimal comma, whatever a comma between thousands would be: 0,5 or 12,25 but not 1,250.
_DECIMAL_COMMA = re.compile(
    rb'(?:^|;)[ "]*[-+]?(?:[0-9]*,(?!\d{3}[ "]*(?:;|$))\d+|0,\d+|\d{4,},\d+)[ "]*(?:;|$)', re.MULTILINE
)


@dataclass(frozen=True)
class Layout:
    """How the rows of a file are written, and which of their columns are read.

    Attributes
    ----------
    separator : between cells; a blank stands for several.
    decimal : the sign before decimals.
    value_at, time_at : columns from 0; None without a column of times.
    value_names, time_name : their names in the header; empty without one.
    skipped : rows before the first of numbers: 1 with a header.
    missing : the mark of a missing value.
    """

    separator: str
    decimal: str
    value_at: list[int]
    time_at: int | None
    value_names: tuple[str, ...]
    time_name: str
    skipped: int
    missing: str

    def cells(self, line: str) -> list[str]:
        """The cells of a line, without blanks and quotes around them."""
        return _cells(line, self.separator)

    def number(self, text: str) -> float | None:
        """The finite number that a cell holds, or None."""
        if self.decimal == ",":
            text = "" if "." in text else text.replace(",", ".", 1)
        return _number(text)


def read(trace: Trace, data: bytes) -> Rows:
    """The rows of a file.

    Raises
    ------
    TraceProblem : with the line of the first mistake.
    """
    try:
        text = data.decode("utf-8-sig") if not data.isascii() else ""
    except UnicodeDecodeError:
        raise TraceProblem("must be text in UTF-8") from None
    data = text.encode() if text else data
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    layout = _layout(trace, data)
    columns = _at_once(layout, data) or _line_by_line(layout, data)

    def place(row: int) -> str:
        number, _ = next(islice(_lines(data), layout.skipped + row, None))
        return f"line {number}"

    return Rows(*columns, layout.value_names, layout.time_name, place)


Columns = tuple[NDArray[np.float64], NDArray[np.float64] | None]
"""Values by [row, column], NaN where missing, and times, if there are any."""


def _layout(trace: Trace, data: bytes) -> Layout:
    head = [line for _, line in islice(_lines(data), ROWS_LOOKED_AT + 1)]
    if not head:
        raise TraceProblem("is empty")
    separator = SEPARATORS.get(trace.separator) or _found_separator(head)
    decimal = "," if separator == ";" and b"," in data and _DECIMAL_COMMA.search(data) else "."
    first = _cells(head[0], separator)
    wanted = wanted_columns(trace)
    value_at = chosen(wanted, first, lambda name: _column(trace, name, first))
    time_at = _column(trace, trace.time_column, first) if trace.time_column else None
    named = any(name and not name.isdigit() for name in (*wanted, trace.time_column))
    has_header = named or not all(_may_be_value(trace, first[at]) for at in value_at)
    if has_header and len(head) == 1:
        raise TraceProblem("has a header but no rows")
    value_names = tuple(first[at] if has_header else "" for at in value_at)
    time_name = "" if time_at is None or not has_header else first[time_at]
    return Layout(separator, decimal, value_at, time_at, value_names, time_name, int(has_header), trace.missing)


def _lines(data: bytes) -> Iterator[tuple[int, str]]:
    """Number and text of each line that is neither empty nor a comment."""
    begin = number = 0
    while begin < len(data):
        end = data.find(b"\n", begin)
        end = len(data) if end < 0 else end
        number += 1
        line = data[begin:end].decode()
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line
        begin = end + 1


def _found_separator(head: Sequence[str]) -> str:
    """The separator of a file with these first lines. A tab that only some have is one of several blanks."""
    bare = [re.sub(r"\s*,\s*", ",", re.sub('"[^"]*"', "x", line)).strip(" ") for line in head]
    if all("\t" in line for line in bare):
        return "\t"
    rows = [line.replace("\t", " ").strip() for line in bare[1:] or bare]
    for separator in (";", ",", " "):
        if 2 * sum(separator in row for row in rows) >= len(rows):
            return separator
    return ","


def _cells(line: str, separator: str) -> list[str]:
    if separator == " ":
        line = line.strip().replace("\t", " ")
    try:
        row = next(csv.reader([line], delimiter=separator, skipinitialspace=True))
    except (csv.Error, StopIteration):
        row = line.split(separator)
    return [cell.strip().strip('"') for cell in row]


def _column(trace: Trace, name: str, first: Sequence[str]) -> int:
    """The place of a column, from 0. Where the first line has no names, a number in it is none."""
    if name in first and not all(_may_be_value(trace, cell) for cell in first):
        return first.index(name)
    if name.isdigit() and 1 <= int(name) <= len(first):
        return int(name) - 1
    raise TraceProblem(f'has no column "{name}"; its first line holds: {", ".join(first)[:200]}')


def _may_be_value(trace: Trace, cell: str) -> bool:
    return cell in ("", trace.missing) or _number(cell.replace(",", ".")) is not None


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _at_once(layout: Layout, data: bytes) -> Columns | None:
    """All rows by pyarrow; None if it does not read them, or reads what is no number."""
    import pyarrow as pa
    from pyarrow.csv import ConvertOptions, ParseOptions, ReadOptions, read_csv

    body = _body(layout, data)
    read = [*layout.value_at, *([] if layout.time_at is None else [layout.time_at])]
    names = list(dict.fromkeys(f"f{at}" for at in read))
    reading = ReadOptions(use_threads=False, block_size=BLOCK_BYTES, autogenerate_column_names=True)
    conversion = ConvertOptions(
        check_utf8=False,
        column_types=dict.fromkeys(names, pa.float64()),
        include_columns=names,
        null_values=["", layout.missing],
        decimal_point=layout.decimal,
    )
    try:
        table = read_csv(pa.py_buffer(body), reading, ParseOptions(delimiter=layout.separator), conversion)
    except (pa.ArrowInvalid, pa.ArrowKeyError):
        return None
    numbers = {at: _numbers(table.column(f"f{at}")) for at in set(read)}
    times = None if layout.time_at is None else numbers[layout.time_at]
    found = [column for at in layout.value_at if (column := numbers[at]) is not None]
    if len(found) < len(layout.value_at) or (layout.time_at is not None and (times is None or np.isnan(times).any())):
        return None
    return np.column_stack(found), times


def _body(layout: Layout, data: bytes) -> memoryview | bytes:
    """The rows of numbers, without comments; cells between blanks have one blank between them."""
    if b"#" in data:
        data = _without_comments(data)
    if layout.separator == " ":
        data = data.replace(b"\t", b" ").strip(b" ")
        while b"  " in data:
            data = data.replace(b"  ", b" ")
        data = data.replace(b"\n ", b"\n").replace(b" \n", b"\n")
    begin = len(data) - len(data.lstrip())
    for _ in range(layout.skipped):
        begin = data.find(b"\n", begin) + 1 or len(data)
    return memoryview(data)[begin:]


def _without_comments(data: bytes) -> bytes:
    kept, begin = [], 0
    sign = data.find(b"#")
    while sign >= 0:
        end = data.find(b"\n", sign) + 1 or len(data)
        line = data.rfind(b"\n", 0, sign) + 1
        if not data[line:sign].strip():
            kept.append(data[begin:line])
            begin = end
        sign = data.find(b"#", end)
    return b"".join([*kept, data[begin:]])


def _numbers(column: pa.ChunkedArray) -> NDArray[np.float64] | None:
    """The numbers of a column, NaN where missing; None if it holds others that are not finite."""
    numbers: NDArray[np.float64] = column.to_numpy()
    unusual = len(numbers) - int(np.isfinite(numbers).sum())
    return numbers if unusual == column.null_count else None


def _line_by_line(layout: Layout, data: bytes) -> Columns:
    values: list[list[float]] = []
    times: list[float] = []
    for number, line in islice(_lines(data), layout.skipped, None):
        cells = layout.cells(line)
        values.append([_value(layout, number, _cell(number, cells, at)) for at in layout.value_at])
        if layout.time_at is not None:
            times.append(_time(layout, number, _cell(number, cells, layout.time_at)))
    return np.array(values), None if layout.time_at is None else np.array(times)


def _cell(number: int, cells: Sequence[str], column: int) -> str:
    if column >= len(cells):
        raise TraceProblem(f"line {number}: has {len(cells)} columns; must have at least {column + 1}")
    return cells[column]


def _value(layout: Layout, number: int, text: str) -> float:
    if text in ("", layout.missing):
        return math.nan
    value = layout.number(text)
    if value is None:
        allowed = f'must be a number{_comma(layout, text)}, or "{layout.missing}" when missing'
        raise TraceProblem(f'line {number}: "{text[:40]}" {allowed}')
    return value


def _time(layout: Layout, number: int, text: str) -> float:
    time = layout.number(text)
    if time is None:
        raise TraceProblem(f'line {number}: the time "{text[:40]}" must be a number{_comma(layout, text)}')
    return time


def _comma(layout: Layout, text: str) -> str:
    """What there is to say of a comma in a cell that is no number."""
    if layout.decimal == "," and "." in text:
        return " with a decimal comma, as others of this file"
    if layout.decimal == "." and re.fullmatch(r"[-+]?[0-9.]*,[0-9]+", text):
        return " with a decimal point: a comma could also stand between thousands"
    return ""
