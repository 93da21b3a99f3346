"""Batches: results that were written together, one Parquet file per table.

    tables/TABLE/NAME.parquet     a batch's part of a table: every declared column, then those of the store
    tables/TABLE/.NAME.new        its name until the manifest names the batch

Every file of a table has the same columns: those that a replica lacks are null. Which columns it really has is its
layout, kept with the batch and in the file of `cell`: what is read back has the digest of what was recorded.
"""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

from airlink.engine import Columns, RecordedSeries, Replica
from airlink.engine.arrow import arrow
from airlink.result.atomic_write import sync_one
from airlink.result.parquet import LEAST_GROUP_ROWS, schema_of, writer
from airlink.store.errors import StoreError
from airlink.tables import BY_NAME, SERIES

if TYPE_CHECKING:
    import pyarrow as pa

TABLES = "tables"
SCENARIO, SEED, DIGEST = "scenario", "seed", "digest"
DTYPES = {"whole": np.dtype(np.int64), "real": np.dtype(np.float64)}
ABOUT = "airlink_batch"
"""Key of a file's own description: in that of `cell`, of the whole batch."""

MOST_BYTES = 2**31 - 1
"""Of the texts of one column in a group: Arrow counts them in 32 bits."""

FORMAT = "airlink_store_format"
Layout = Mapping[str, tuple[str, ...]]
"""table -> the columns that a replica has in it."""


class Item(NamedTuple):
    """A result to be stored: the key of its scenario, and the replica."""

    key: str
    replica: Replica


@dataclass(frozen=True)
class Batch:
    """What a batch holds.

    Attributes
    ----------
    name : of its files.
    rows : table -> array [replica], how many rows each has.
    layouts : each once.
    layout_of : array [replica], the place of its layout.
    sizes : table -> bytes of the file.
    """

    name: str
    rows: Mapping[str, NDArray[np.int64]]
    layouts: Sequence[Layout]
    layout_of: NDArray[np.int64]
    sizes: Mapping[str, int]

    @property
    def replicas(self) -> int:
        """How many results it holds."""
        return len(self.layout_of)

    @property
    def size_bytes(self) -> int:
        """Bytes of all its files."""
        return sum(self.sizes.values())

    @cached_property
    def starts(self) -> Mapping[str, Sequence[int]]:
        """Table -> the first row of each replica, and the number of rows."""
        return {table: [0, *np.cumsum(counts).tolist()] for table, counts in self.rows.items()}

    def columns(self, place: int, table: str, record: tuple[str, ...]) -> Mapping[str, None]:
        """The columns of a replica's table, but for those that it has because of series that are not in `record`."""
        wanted = int(self.layout_of[place]), table, record
        if wanted not in self._columns:
            held = self.layouts[wanted[0]][table]
            self._columns[wanted] = {name: None for name in held if needed_series(table, name) in ("", *record)}
        return self._columns[wanted]

    @cached_property
    def _columns(self) -> dict[tuple[int, str, tuple[str, ...]], Mapping[str, None]]:
        return {}

    def described(self) -> dict[str, Any]:
        """The batch as JSON, without its name."""
        return {
            "rows": {table: _runs(counts) for table, counts in self.rows.items()},
            "layouts": [{table: list(columns) for table, columns in layout.items()} for layout in self.layouts],
            "layout_of": _runs(self.layout_of),
            "sizes": dict(self.sizes),
        }

    @classmethod
    def of(cls, name: str, described: Mapping[str, Any], sizes: Mapping[str, int] | None = None) -> Self:
        """The batch of what `described` told."""
        layouts = [{table: tuple(columns) for table, columns in layout.items()} for layout in described["layouts"]]
        rows = {table: _unrolled(runs) for table, runs in described["rows"].items()}
        return cls(name, rows, layouts, _unrolled(described["layout_of"]), sizes or described["sizes"])


def nothing() -> None:
    """Does nothing."""


def path_of(folder: Path, table: str, name: str) -> Path:
    """The file of a batch's part of a table."""
    return folder / TABLES / table / f"{name}.parquet"


def new_path_of(folder: Path, table: str, name: str) -> Path:
    """Its name until the manifest names the batch: no pattern `*.parquet` finds it."""
    return folder / TABLES / table / f".{name}.new"


def write(folder: Path, name: str, items: Sequence[Item]) -> Batch:
    """Writes the files of a batch, under their hidden names.

    Raises
    ------
    OSError : a file can't be written.
    StoreError : a replica has a column that this version does not declare.
    """
    kinds = [kind for kind in SERIES if any(kind in item.replica.series for item in items)]
    counts: dict[str, NDArray[np.int64]] = {}
    columns: dict[str, list[tuple[str, ...] | None]] = {"cell": [tuple(item.replica.cell) for item in items]}
    for table in ("users", "flows", *kinds):
        counts[table], columns[table] = _write_table(folder, table, name, items)
    places: dict[tuple[tuple[str, ...] | None, ...], int] = {}
    layout_of = [places.setdefault(each, len(places)) for each in zip(*columns.values(), strict=True)]
    layouts = [{table: held for table, held in zip(columns, each, strict=True) if held is not None} for each in places]
    counts["cell"] = np.ones(len(items), dtype=np.int64)
    batch = Batch(name, counts, layouts, np.array(layout_of, dtype=np.int64), {})
    _write_table(folder, "cell", name, items, batch)
    return finished(folder, batch)


def finished(folder: Path, batch: Batch) -> Batch:
    """A batch whose files are written, with their sizes."""
    sizes = {table: new_path_of(folder, table, batch.name).stat().st_size for table in batch.rows}
    return Batch(batch.name, batch.rows, batch.layouts, batch.layout_of, sizes)


def new_file(folder: Path, table: str, name: str, schema: pa.Schema) -> Any:
    """A writer of a batch's part of a table, in `with`."""
    path = new_path_of(folder, table, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    return writer(path, schema)


def sync(folder: Path, batch: Batch, between: Callable[[], None] = nothing) -> None:
    """Has the disk hold the files of a batch; calls `between` after each, as that may take long."""
    for table in batch.rows:
        sync_one(new_path_of(folder, table, batch.name))
        between()


def reveal(folder: Path, name: str, tables: Iterable[str]) -> None:
    """Gives the files of a batch that the manifest names their proper names."""
    for table in tables:
        new = new_path_of(folder, table, name)
        if new.exists():
            os.replace(new, path_of(folder, table, name))  # noqa: PTH105 - a file may be gone meanwhile


def remove(folder: Path, name: str, tables: Iterable[str]) -> None:
    """Removes the files of a batch that the manifest does not name."""
    for table in tables:
        for path in (path_of(folder, table, name), new_path_of(folder, table, name)):
            path.unlink(missing_ok=True)


@cache
def declared(table: str) -> Mapping[str, np.dtype[Any]]:
    """The columns of a table of this version."""
    return {column.name: DTYPES[column.type] for column in BY_NAME[table].columns}


@cache
def needed_series(table: str, column: str) -> str:
    """The kind of series without which a column is not there; empty if it does not depend on one."""
    found = BY_NAME[table].column(column) if table in BY_NAME else None
    needed = re.match(r"`(\w+)` is recorded", found.only) if found is not None else None
    return needed[1] if needed is not None else ""


@cache
def file_schema(table: str) -> pa.Schema:
    """The columns of a file."""
    import pyarrow as pa

    own = {SCENARIO: pa.string(), SEED: pa.uint64(), **({DIGEST: pa.string()} if table == "cell" else {})}
    types = {name: pa.from_numpy_dtype(dtype) for name, dtype in declared(table).items()}
    return schema_of(table, {**own, **types}, {"airlink_table": table, FORMAT: "1"})


def telling(schema: pa.Schema, batch: Batch) -> pa.Schema:
    """The same columns, with what there is to tell of a batch: the file of `cell` has it."""
    told = {name: value for name, value in batch.described().items() if name != "sizes"}
    text = json.dumps(told, separators=(",", ":"))
    return schema.with_metadata({**schema.metadata, ABOUT.encode(): text.encode()})


def _write_table(
    folder: Path, table: str, name: str, items: Sequence[Item], batch: Batch | None = None
) -> tuple[NDArray[np.int64], list[tuple[str, ...] | None]]:
    """Writes a file; returns the rows of each replica, and its columns (None where it lacks the table)."""
    schema = file_schema(table) if batch is None else telling(file_schema(table), batch)
    counts, columns = [], []
    held: list[tuple[Item, Columns]] = []
    rows = 0
    with new_file(folder, table, name, schema) as file:
        for item in items:
            part = _part(item.replica, table)
            counts.append(0 if part is None else _rows(part))
            columns.append(None if part is None else tuple(part))
            if part is not None:
                held.append((item, part))
            rows += counts[-1]
            if rows >= LEAST_GROUP_ROWS:
                _write_group(file, table, held, schema)
                held, rows = [], 0
        _write_group(file, table, held, schema)
    return np.array(counts, dtype=np.int64), columns


def _part(replica: Replica, table: str) -> Columns | None:
    """A table of a replica; a series is not kept in memory."""
    if table in ("users", "flows"):
        return replica.users if table == "users" else replica.flows
    if table == "cell":
        return {name: np.atleast_1d(value) for name, value in replica.cell.items()}
    series = replica.series
    if table not in series:
        return None
    return series.taken(table) if isinstance(series, RecordedSeries) else series[table]


def _rows(columns: Columns) -> int:
    return len(next(iter(columns.values()), ()))


def _write_group(file: Any, table: str, held: Sequence[tuple[Item, Columns]], schema: pa.Schema) -> None:
    """Writes the rows of some replicas as one group, in runs of those with the same columns."""
    import pyarrow as pa

    runs = itertools.groupby(held, key=lambda each: tuple(each[1]))
    pieces = [_piece(table, names, list(run), schema) for names, run in runs]
    rows = sum(piece.num_rows for piece in pieces)
    if rows:
        file.write_table(pa.concat_tables(pieces), row_group_size=rows)


def _piece(table: str, names: Sequence[str], run: Sequence[tuple[Item, Columns]], schema: pa.Schema) -> pa.Table:
    import pyarrow as pa

    counts = np.array([_rows(part) for _, part in run])
    rows = int(counts.sum())
    arrays = {
        SCENARIO: _repeated([item.key for item, _ in run], counts),
        SEED: arrow(np.repeat(np.array([item.replica.seed for item, _ in run], dtype=np.uint64), counts)),
    }
    if table == "cell":
        arrays[DIGEST] = _repeated([item.replica.digest for item, _ in run], counts)
    for name in names:
        values = np.concatenate([part[name] for _, part in run])
        if declared(table).get(name) != values.dtype:
            raise StoreError(f"{table}.{name} holds {values.dtype}, which this version of airlink does not declare")
        arrays[name] = arrow(values)
    columns = [arrays[field.name] if field.name in arrays else pa.nulls(rows, field.type) for field in schema]
    return pa.Table.from_arrays(columns, schema=schema)


def _repeated(words: Sequence[str], counts: NDArray[np.int64]) -> pa.Array:
    """Each word so many times, from its bytes: `pyarrow.compute` would be loaded for nothing else."""
    import pyarrow as pa

    known = [word.encode() for word in words]
    ends = np.cumsum(np.concatenate([[0], np.repeat([len(word) for word in known], counts)]))
    if ends[-1] > MOST_BYTES:
        raise StoreError(f"{len(ends) - 1} rows of one group are more than Arrow holds of a text")
    whole = b"".join(word * count for word, count in zip(known, counts.tolist(), strict=True))
    buffers = [None, pa.py_buffer(ends.astype(np.int32)), pa.py_buffer(whole)]
    return pa.Array.from_buffers(pa.string(), len(ends) - 1, buffers)


def _runs(values: NDArray[np.int64]) -> list[list[int]]:
    """Values as [value, how often] of each run of equal ones."""
    return [[int(value), len(list(run))] for value, run in itertools.groupby(values.tolist())]


def _unrolled(runs: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    values, counts = (np.array(column, dtype=np.int64) for column in (zip(*runs, strict=True) if runs else ((), ())))
    return np.repeat(values, counts)
