"""Tables of block error rates by scheme and SINR: CSV or Parquet in, sorted rows out.

Leaves out how rates between the rows follow: the engine does that (docs/models/link.md).
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from . import introspection
from .errors import Problem, ScenarioError
from .sections import Link, RateFromMcs, RateFromTable, TableErrorCurve
from .source import Unreadable, read_bytes

FILE = "link.errors.curve.file"
LARGEST_FILE = 20_000_000
MOST_ROWS = 200_000
COLUMNS: Mapping[str, tuple[float, float]] = {
    "mcs": (0.0, 254.0),
    "cbs_bits": (1.0, 1e7),
    "sinr_db": (-200.0, 200.0),
    "bler": (0.0, 1.0),
}
"""Column -> least and largest value, in the order by which rows are sorted."""
OPTIONAL = "cbs_bits"
Floats = NDArray[np.float64]


class TableProblem(Exception):
    """What is wrong in the file; ends a sentence."""


@dataclass(frozen=True)
class Rows:
    """The rows of a file, sorted by scheme, length and SINR.

    Attributes
    ----------
    columns : arrays [row] by name; `cbs_bits` only if the file has it.
    sha256 : of the file.
    """

    columns: Mapping[str, Floats]
    sha256: str


def with_rows(link: Link) -> Link:
    """The link as the engine takes it: a table of errors has the rows and the SHA-256 of its file, which is read.

    A table that has its rows already is that of a run: its file is not read again, and may be gone.

    Raises
    ------
    ScenarioError : the file can't be used.
    """
    curve = link.errors.curve
    if not isinstance(curve, TableErrorCurve) or curve.bler:
        return link
    try:
        rows = read(curve.file, curve.sha256)
        _check_schemes(rows, link)
    except TableProblem as error:
        raise ScenarioError([Problem(FILE, curve.file, str(error))]) from None
    lists = {name: tuple(values.tolist()) for name, values in rows.columns.items()}
    lists["mcs"] = tuple(int(number) for number in lists["mcs"])
    table = curve.model_copy(update={**lists, "sha256": rows.sha256})
    return link.model_copy(update={"errors": link.errors.model_copy(update={"curve": table})})


def problems_in(data: Mapping[str, Any]) -> Iterator[Problem]:
    """What is wrong with the file of a scenario that may have other mistakes."""
    section = introspection.child(data, "link")
    curve = introspection.child(introspection.child(section, "errors"), "curve")
    if introspection.child(curve, "kind") != "table":
        return
    try:
        with_rows(section if isinstance(section, Link) else Link.model_validate(section))
    except ValidationError:
        return
    except ScenarioError as error:
        yield from error.problems


def _check_schemes(rows: Rows, link: Link) -> None:
    """Raises if a scheme that the link may choose has no row."""
    if isinstance(link.rate, RateFromMcs):
        schemes = len(link.rate.with_numbers().bits_per_symbol)
    elif isinstance(link.rate, RateFromTable):
        schemes = len(link.rate.with_numbers().thresholds_db)
    else:
        return  # validation says that such rates have no table
    missing = sorted(set(range(schemes)) - set(rows.columns["mcs"].astype(int).tolist()))
    if missing:
        others = f" and {len(missing) - 1} others" if len(missing) > 1 else ""
        raise TableProblem(
            f"has no row of mcs {missing[0]}{others}; must have some of each of 0 to {schemes - 1} (link.rate)"
        )


def read(file: str, sha256: str = "") -> Rows:
    """The rows of a CSV file, or of a Parquet file if its name ends so.

    Raises
    ------
    TableProblem : the file can't be read or used, or its SHA-256 is not the given one.
    """
    try:
        data = read_bytes(file, LARGEST_FILE)
    except Unreadable as error:
        raise TableProblem(str(error)) from None
    found = hashlib.sha256(data).hexdigest()
    if sha256 and found != sha256:
        raise TableProblem(f"has changed: its SHA-256 is {found}, the scenario has {sha256}")
    columns, places = _parquet(data) if file.endswith(".parquet") else _csv(data)
    return Rows(_sorted(columns, places), found)


def _csv(data: bytes) -> tuple[dict[str, Floats], Sequence[str]]:
    """Columns, and where each row stands."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise TableProblem("must be text in UTF-8, or Parquet with a name that ends in .parquet") from None
    reader = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True)
    try:
        return _rows(reader)
    except csv.Error as error:
        raise TableProblem(f"line {reader.line_num}: can't be read as CSV: {error}") from None


def _rows(reader: Any) -> tuple[dict[str, Floats], Sequence[str]]:
    lines = ((reader.line_num, row) for row in reader if "".join(row).strip() and not row[0].startswith("#"))
    names = [name.strip() for name in next(lines, (0, []))[1]]
    _check_names(names)
    values: list[list[float]] = []
    places: list[str] = []
    for number, row in lines:
        if len(row) != len(names):
            raise TableProblem(f"line {number}: has {len(row)} values; must have {len(names)} ({', '.join(names)})")
        values.append([_number(number, name, cell) for name, cell in zip(names, row, strict=True)])
        places.append(f"line {number}")
    table = np.array(values, dtype=np.float64).reshape(-1, len(names))
    return {name: table[:, place] for place, name in enumerate(names)}, places


def _number(line: int, name: str, cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise TableProblem(f'line {line}: {name} "{cell.strip()[:40]}" must be a number') from None


def _parquet(data: bytes) -> tuple[dict[str, Floats], Sequence[str]]:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(io.BytesIO(data))
        _check_names(file.schema_arrow.names)
        table = file.read()
    except (pa.ArrowException, OSError) as error:
        raise TableProblem(f"is no Parquet file: {str(error).splitlines()[0][:200]}") from None
    columns = {}
    for name in table.column_names:
        try:
            columns[name] = table[name].cast(pa.float64()).to_numpy()
        except pa.ArrowException:
            raise TableProblem(f"has {table[name].type} in column {name}; must have numbers") from None
    return columns, [f"row {number}" for number in range(1, table.num_rows + 1)]


def _check_names(names: Sequence[str]) -> None:
    missing = [name for name in COLUMNS if name not in names and name != OPTIONAL]
    others = [name for name in names if name not in COLUMNS]
    if missing or others or len(set(names)) != len(names):
        raise TableProblem(
            f"has the columns {', '.join(names)[:200] or '(none)'}; must have mcs, sinr_db and bler, may have "
            f"{OPTIONAL}, each once and no others"
        )


def _sorted(columns: Mapping[str, Floats], places: Sequence[str]) -> Mapping[str, Floats]:
    if not 1 <= len(places) <= MOST_ROWS:
        raise TableProblem(f"has {len(places)} rows; must have 1 to {MOST_ROWS}")
    _check_values(columns, places)
    names = [name for name in COLUMNS if name in columns]
    order = np.lexsort([columns[name] for name in reversed(names[:-1])])
    made = {name: columns[name][order] for name in names}
    keys = np.stack([made[name] for name in names[:-1]])
    twice = np.flatnonzero((keys[:, 1:] == keys[:, :-1]).all(axis=0))
    if twice.size:
        first, second = (places[order[row]] for row in (twice[0], twice[0] + 1))
        raise TableProblem(f"{second}: has the {', '.join(names[:-1])} of {first}; must have one rate for each")
    rises = np.flatnonzero((keys[:-1, 1:] == keys[:-1, :-1]).all(axis=0) & (np.diff(made["bler"]) > 0))
    if rises.size:
        below, above = order[rises[0]], order[rises[0] + 1]
        raise TableProblem(
            f"{places[above]}: bler {columns['bler'][above]:g} must be at most that of the next lower sinr_db "
            f"({columns['bler'][below]:g}, {places[below]}): rates never rise with the SINR"
        )
    return made


def _check_values(columns: Mapping[str, Floats], places: Sequence[str]) -> None:
    for name, values in columns.items():
        low, high = COLUMNS[name]
        wrong = ~((values >= low) & (values <= high))  # NaN is neither
        kind = "a number"
        if name == "mcs":
            wrong |= values != np.floor(values)
            kind = "a whole number"
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise TableProblem(f"{places[row]}: {name} {values[row]:g} must be {kind} from {low:g} to {high:g}")
