"""Batches made of batches: small ones joined to a large one, or one without some of its results.

Read and written group by group, so memory does not grow with what is joined. Rows stay as they are: nothing is
computed again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from airlink.result.errors import ResultError
from airlink.result.parquet import LEAST_GROUP_ROWS
from airlink.store.batch import Batch, finished, new_file, nothing, remove, reveal, sync, telling
from airlink.store.errors import StoreError, told
from airlink.store.manifest import Manifest, enter_batch
from airlink.store.reading import Gone, opened_part

if TYPE_CHECKING:
    import pyarrow as pa

JOINED = 16
"""So many batches are joined at a time."""

LARGE_BYTES, LARGE_RESULTS = 64_000_000, 1024
"""Files, and results, of a batch that is not joined to others any more."""


class Source(NamedTuple):
    """What is taken from a batch: `keep` is an array [replica] of bool."""

    folder: Path
    batch: Batch
    keep: NDArray[np.bool_]


def join(folder: Path, name: str, sources: Sequence[Source], between: Callable[[], None] = nothing) -> Batch:
    """Writes a new batch of what is kept of others, in their order, under its hidden names.

    Parameters
    ----------
    folder : of the store that it is written to.
    name : of the new batch.
    sources : what it is made of.
    between : called after each group of rows that is read or written: joining may take seconds.

    Raises
    ------
    Gone, ResultError : a file of a source is not there, or damaged.
    """
    tables = list(dict.fromkeys(table for source in sources for table in source.batch.rows))
    batch = _described(name, sources, tables)
    for table in tables:
        schema = _schema(sources, table, between)
        if table == "cell":
            schema = telling(schema, batch)
        with new_file(folder, table, name, schema) as file:
            for piece in _pieces(sources, table, schema, between):
                file.write_table(piece, row_group_size=piece.num_rows)
    return finished(folder, batch)


def _described(name: str, sources: Sequence[Source], tables: Sequence[str]) -> Batch:
    rows: Mapping[str, list[NDArray[np.int64]]] = {table: [] for table in tables}
    layouts: list[Any] = []
    layout_of = []
    for _, batch, keep in sources:
        for table in tables:
            rows[table].append(batch.rows.get(table, np.zeros(batch.replicas, dtype=np.int64))[keep])
        layouts += [layout for layout in batch.layouts if layout not in layouts]
        places = np.array([layouts.index(layout) for layout in batch.layouts], dtype=np.int64)
        layout_of.append(places[batch.layout_of[keep]])
    counts = {table: np.concatenate(parts) for table, parts in rows.items()}
    return Batch(name, counts, layouts, np.concatenate(layout_of), {})


def _schema(sources: Sequence[Source], table: str, between: Callable[[], None]) -> pa.Schema:
    """All columns that some source has: those of several versions are one file's."""
    import pyarrow as pa

    found: list[pa.Schema] = []
    for source in sources:
        if table in source.batch.rows:
            with opened_part(source.folder, source.batch, table) as file:
                found.append(file.schema_arrow)
            between()
    return found[0] if all(each.equals(found[0]) for each in found) else pa.unify_schemas(found)


def _pieces(
    sources: Sequence[Source], table: str, schema: pa.Schema, between: Callable[[], None]
) -> Iterator[pa.Table]:
    """The rows that are kept, in pieces of whole replicas."""
    import pyarrow as pa

    held: list[pa.Table] = []
    for source in sources:
        if table not in source.batch.rows:
            continue
        kept = np.repeat(source.keep, source.batch.rows[table])
        row = 0
        with opened_part(source.folder, source.batch, table) as file:
            for group in range(file.num_row_groups):
                piece = file.read_row_group(group, use_threads=False)
                own = kept[row : row + piece.num_rows]
                row += piece.num_rows
                if not own.all():
                    piece = piece.take(pa.Array.from_buffers(pa.int64(), *_places(own)))
                held.append(_in_schema(piece, schema))
                if sum(each.num_rows for each in held) >= LEAST_GROUP_ROWS:
                    yield pa.concat_tables(held).combine_chunks()
                    held = []
                between()
    if sum(each.num_rows for each in held):
        yield pa.concat_tables(held).combine_chunks()


def _places(own: NDArray[np.bool_]) -> tuple[int, list[Any]]:
    import pyarrow as pa

    places = np.flatnonzero(own).astype(np.int64)
    return len(places), [None, pa.py_buffer(places)]


def _in_schema(piece: pa.Table, schema: pa.Schema) -> pa.Table:
    """The rows with all columns of a schema."""
    import pyarrow as pa

    held = dict(zip(piece.column_names, piece.columns, strict=True))
    if list(held) == schema.names:
        return piece
    columns = [held[field.name] if field.name in held else pa.nulls(piece.num_rows, field.type) for field in schema]
    return pa.Table.from_arrays(columns, schema=schema)


class Rewritten(NamedTuple):
    """A batch that stands for others: its number (0: none was needed), the bytes of its files, and its results."""

    number: int
    size_bytes: int
    results: int

    @property
    def is_large(self) -> bool:
        """Whether it is not joined to others any more: everybody who writes waits for the transaction of a join."""
        return self.size_bytes >= LARGE_BYTES or self.results >= LARGE_RESULTS


def rewrite(
    manifest: Manifest,
    name: str,
    numbers: Sequence[int],
    is_kept: Callable[[int, int], bool] = lambda *_: True,
    between: Callable[[], None] = nothing,
) -> Rewritten | None:
    """Puts one batch in the place of several, files and manifest, with the results that are kept.

    Parameters
    ----------
    manifest : of the store.
    name : of the new batch.
    numbers : of the batches, which are gone afterwards.
    is_kept : of a scenario's number and a seed, as SQLite holds it.
    between : as `join` has it.

    Returns
    -------
    None if nothing was changed: another process has changed one of them meanwhile, or one is damaged.
    """
    folder = manifest.folder
    found = [entries_of(manifest, number) for number in numbers]
    if not all(found):
        return None
    sources = [Source(folder, batch, _kept(rows, is_kept)) for each in found if each for batch, rows in [each]]
    rows = [row for each in found if each for row in each[1] if is_kept(row.scenario, row.seed)]
    try:
        with told(folder):
            batch = join(folder, name, sources, between) if rows else None
            if batch is not None:
                sync(folder, batch, between)
        with manifest.changing() as connection:
            marks = ", ".join("?" * len(numbers))
            there = connection.execute(f"SELECT count(*) FROM results WHERE batch IN ({marks})", numbers).fetchone()
            if there != (sum(source.batch.replicas for source in sources),):
                raise Gone(numbers)
            connection.execute(f"DELETE FROM results WHERE batch IN ({marks})", numbers)
            connection.execute(f"DELETE FROM batches WHERE id IN ({marks})", numbers)
            number = 0 if batch is None else enter_batch(connection, batch, [row[1:] for row in rows])
    except BaseException as error:
        with suppress(OSError):
            remove(folder, name, {table for source in sources for table in source.batch.rows})
        if isinstance(error, Gone | ResultError) and not isinstance(error, StoreError):
            return None
        raise
    with told(folder):
        for source in sources:
            remove(folder, source.batch.name, source.batch.rows)
        if batch is not None:
            reveal(folder, name, batch.rows)
    return Rewritten(number, 0 if batch is None else batch.size_bytes, len(rows))


class Row(NamedTuple):
    """A result as the manifest has it; `place` is in its batch, `seed` as SQLite holds it."""

    place: int
    scenario: int
    seed: int
    digest: bytes
    stored_s: int


def batches_of(manifest: Manifest) -> Iterator[int]:
    """The numbers of all batches; what is joined meanwhile comes once more, in a batch with a later number."""
    last = 0
    while found := manifest.rows("SELECT id FROM batches WHERE id > ? ORDER BY id", (last,)):
        for (last,) in found:
            yield last


def is_there(manifest: Manifest, number: int) -> bool:
    """Whether there is a batch of that number: it is not once it was joined to others."""
    return bool(manifest.rows("SELECT 1 FROM batches WHERE id = ?", (number,)))


def entries_of(manifest: Manifest, number: int) -> tuple[Batch, list[Row]] | None:
    """A batch and its results in the order of their places; None if it is not there, or not whole."""
    found = manifest.rows("SELECT name, described FROM batches WHERE id = ?", (number,))
    if not found:
        return None
    batch = Batch.of(found[0][0], json.loads(found[0][1]))
    query = "SELECT place, scenario, seed, digest, stored_s FROM results WHERE batch = ? ORDER BY place"
    rows = [Row(*row) for row in manifest.rows(query, (number,))]
    return (batch, rows) if [row.place for row in rows] == list(range(batch.replicas)) else None


def _kept(rows: Sequence[Row], is_kept: Callable[[int, int], bool]) -> NDArray[np.bool_]:
    return np.array([is_kept(row.scenario, row.seed) for row in rows], dtype=bool)
