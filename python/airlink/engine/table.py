"""A table: named numpy columns of equal length, in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from airlink.engine.arrow import arrow
from airlink.engine.extras import extra

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Column = NDArray[Any]
Columns = Mapping[str, Column]

SHOWN_ROWS = 12
SHOWN_COLUMNS = 6


class Table(Mapping[str, Column]):
    """Named columns of equal length: `table["goodput_bps"]` is a numpy array, one number a row.

    A mapping: `list(table)` are the column names, `len(table)` their number, `table.rows` the number of rows.
    Columns are read-only, so that a result can't drift from what the engine recorded; copy to change.
    Libraries that know Arrow read a table without a copy: `pyarrow.table(table)`, `polars.DataFrame(table)`, or its
    name in a query of DuckDB.

    Parameters
    ----------
    columns : mapping of column name to a one-dimensional array.

    Raises
    ------
    ValueError : columns of unequal length.

    Examples
    --------
    >>> table = Table({"user": [0, 1, 2], "goodput_bps": [8e3, 9e3, 7e3]})
    >>> table.rows, float(table["goodput_bps"].mean())
    (3, 8000.0)
    >>> table.where(table["user"] > 0)["goodput_bps"].tolist()
    [9000.0, 7000.0]
    """

    def __init__(self, columns: Mapping[str, ArrayLike]) -> None:
        self._columns = {name: _frozen(values) for name, values in columns.items()}
        lengths = {name: len(values) for name, values in self._columns.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"columns of a table need equal lengths: {lengths}")
        self.rows = next(iter(lengths.values()), 0)

    def __getitem__(self, name: str) -> Column:
        try:
            return self._columns[name]
        except KeyError:
            raise KeyError(f"no column {name!r}; there are: {', '.join(self._columns)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __eq__(self, other: object) -> bool:
        """True if names, in their order, and all numbers are the same; NaN equals NaN."""
        if not isinstance(other, Table):
            return NotImplemented
        if list(self) != list(other):
            return False
        return all(np.array_equal(self[name], other[name], equal_nan=self[name].dtype.kind == "f") for name in self)

    __hash__ = None  # type: ignore[assignment]

    def where(self, mask: ArrayLike) -> Table:
        """The rows for which mask (array [rows] of bool) is true."""
        keep = np.asarray(mask, dtype=bool)
        return Table({name: values[keep] for name, values in self.items()})

    def to_pandas(self) -> pd.DataFrame:
        """The table as a frame of pandas, which it may change; needs airlink[pandas].

        Raises
        ------
        MissingExtra : pandas is not installed.
        """
        frame: pd.DataFrame = extra("pandas").DataFrame({name: values.copy() for name, values in self.items()})
        return frame

    def to_polars(self) -> pl.DataFrame:
        """The table as a frame of polars; needs airlink[polars].

        Raises
        ------
        MissingExtra : polars is not installed.
        """
        frame: pl.DataFrame = extra("polars").DataFrame(dict(self))
        return frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The table as a stream of Arrow, in a capsule that other libraries take."""
        # Loaded when first needed: a short run does without.
        import pyarrow as pa

        made = pa.Table.from_arrays([arrow(values) for values in self.values()], names=list(self))
        return made.__arrow_c_stream__(requested_schema)

    def __reduce__(self) -> tuple[type[Table], tuple[dict[str, Column]]]:
        # Arrays come out of a pickle writable.
        return Table, (self._columns,)

    def __repr__(self) -> str:
        names = list(self)
        lines = [f"Table: {self.rows} rows x {len(names)} columns"]
        lines += _text_rows(self, names[:SHOWN_COLUMNS])
        if len(names) > SHOWN_COLUMNS:
            lines.append(f"and {', '.join(names[SHOWN_COLUMNS:])}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        # Loaded when first needed: only a notebook asks for it.
        from airlink.engine import html

        return html.document(html.of_table(self))


def _frozen(values: ArrayLike) -> Column:
    column = np.asarray(values)
    if column.ndim != 1:
        raise ValueError(f"a column has one dimension, this one has {column.ndim}")
    column = column.view()
    column.flags.writeable = False
    return column


def _text_rows(table: Table, names: list[str]) -> list[str]:
    shown = list(range(table.rows))
    if table.rows > SHOWN_ROWS:
        shown = shown[: SHOWN_ROWS // 2] + shown[-SHOWN_ROWS // 2 :]
    cells = [names] + [[_text(table[name][row]) for name in names] for row in shown]
    widths = [max(len(line[i]) for line in cells) for i in range(len(names))]
    lines = ["  ".join(text.rjust(width) for text, width in zip(line, widths, strict=True)) for line in cells]
    if table.rows > SHOWN_ROWS:
        lines.insert(1 + SHOWN_ROWS // 2, "...")
    return lines


def _text(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)
