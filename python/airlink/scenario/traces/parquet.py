"""Columns of a Parquet file. Nulls are missing values.

Leaves out units, and what must hold between rows (`rows`); columns of dates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..sections import Trace
from .problem import TraceProblem
from .rows import Rows, chosen, wanted_columns

if TYPE_CHECKING:
    import pyarrow as pa

MAGIC = b"PAR1"
MOST_ROWS = 50_000_000
"""A text of the largest size has no more."""


def read(trace: Trace, data: bytes) -> Rows:
    """The rows of a file.

    Raises
    ------
    TraceProblem : with the number of the first row that is wrong.
    """
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    try:
        file = ParquetFile(pa.BufferReader(data))
        if file.metadata.num_rows > MOST_ROWS:
            raise TraceProblem(f"has {file.metadata.num_rows} rows; must have at most {MOST_ROWS}")
        names = file.schema_arrow.names
        value_at = chosen(wanted_columns(trace), names, lambda name: _place(name, names))
        value_names = tuple(names[at] for at in value_at)
        time_name = names[_place(trace.time_column, names)] if trace.time_column else ""
        twice = next((name for name in (*value_names, time_name) if names.count(name) > 1), None)
        if twice is not None:
            raise TraceProblem(f'has {names.count(twice)} columns "{twice}"; must have one of that name')
        read_names = list(dict.fromkeys([*value_names, *([time_name] if time_name else [])]))
        table = file.read(columns=read_names, use_threads=False)
    except (pa.ArrowException, OSError, IndexError) as error:
        raise TraceProblem(f"is no readable Parquet file: {str(error).splitlines()[0][:200]}") from None
    if not table.num_rows:
        raise TraceProblem("has no rows")
    values = np.column_stack([_numbers(name, table.column(name)) for name in value_names])
    times = _numbers(time_name, table.column(time_name)) if time_name else None
    if times is not None and np.isnan(times).any():
        raise TraceProblem(f"row {np.flatnonzero(np.isnan(times))[0] + 1}: the time is missing")
    return Rows(values, times, value_names, time_name, lambda row: f"row {row + 1}")


def _place(wanted: str, names: list[str]) -> int:
    if wanted in names:
        return names.index(wanted)
    if wanted.isdigit() and 1 <= int(wanted) <= len(names):
        return int(wanted) - 1
    raise TraceProblem(f'has no column "{wanted}"; it has: {", ".join(names)[:200]}')


def _numbers(name: str, column: pa.ChunkedArray) -> NDArray[np.float64]:
    import pyarrow as pa

    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        raise TraceProblem(f'its column "{name}" holds {column.type}; must hold numbers')
    numbers: NDArray[np.float64] = column.cast(pa.float64(), safe=False).to_numpy()
    unusual = ~np.isfinite(numbers) & ~np.asarray(column.is_null())
    if unusual.any():
        row = int(np.flatnonzero(unusual)[0])
        raise TraceProblem(f"row {row + 1}: {numbers[row]:g} must be a number, or null when missing")
    return numbers
