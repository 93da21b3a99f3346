"""Is what a batch's files hold what was stored? Digests are computed again from the numbers.

Left out: what becomes of a damaged batch (`airlink.store.check`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

from airlink.engine import Replica, digest
from airlink.result.errors import ResultError
from airlink.store.aside import complaint
from airlink.store.batch import ABOUT, DIGEST, SCENARIO, SEED, Batch, new_path_of, path_of
from airlink.store.errors import StoreError
from airlink.store.key import Key
from airlink.store.manifest import Location
from airlink.store.reading import Cut, Gone, Reader, StoredCell, StoredSeries, StoredTable, opened_part


class Entry(NamedTuple):
    """A result that a batch holds."""

    key: str
    seed: int
    digest: str


def entries(folder: Path, batch: Batch) -> list[Entry]:
    """The results that the file of `cell` names, by place. Raises Gone or ResultError if it can't be read."""
    with opened_part(folder, batch, "cell") as file:
        stored = file.read(columns=[SCENARIO, SEED, DIGEST], use_threads=False)
        return [Entry(*row) for row in zip(*(stored[name].to_pylist() for name in stored.column_names), strict=True)]


def found_batch(folder: Path, name: str) -> Batch:
    """The batch that its files describe. Raises Gone or ResultError if they can't be read."""
    nameless = Batch(name, {}, [], np.array([], dtype=np.int64), {})
    with opened_part(folder, nameless, "cell") as file:
        described = json.loads(file.schema_arrow.metadata[ABOUT.encode()])
        sizes = {table: _size(folder, table, name) for table in described["rows"]}
        return Batch.of(name, described, sizes)


def damage(folder: Path, batch: Batch, expected: Sequence[Entry]) -> str:
    """The first thing wrong with a batch, in a sentence; empty if all is as it was stored."""
    try:
        why = complaint(folder, batch)
        if not why and entries(folder, batch) != list(expected):
            why = f"{path_of(folder, 'cell', batch.name)} holds other results than the manifest says"
        return why or _wrong_rows(folder, batch, expected) or _wrong_digest(folder, batch, expected)
    except ResultError as error:
        return str(error)
    except Gone as gone:
        return f"{gone} is missing"


def _wrong_rows(folder: Path, batch: Batch, expected: Sequence[Entry]) -> str:
    """The first table whose rows are not those of the results."""
    for table, counts in batch.rows.items():
        seeds = np.repeat(np.array([entry.seed for entry in expected], dtype=np.uint64), counts)
        keys = np.repeat(np.array([entry.key for entry in expected]), counts)
        row = 0
        with opened_part(folder, batch, table) as file:
            for group in range(file.num_row_groups):
                stored = file.read_row_group(group, columns=[SCENARIO, SEED], use_threads=False)
                own = slice(row, row + stored.num_rows)
                row += stored.num_rows
                told = [stored[SEED].to_pylist(), stored[SCENARIO].to_pylist()]
                if told != [seeds[own].tolist(), keys[own].tolist()]:
                    return f"{path_of(folder, table, batch.name)} has rows of other results"
        if row != len(seeds):
            return f"{path_of(folder, table, batch.name)} has {row} rows, not its {len(seeds)}"
    return ""


def _wrong_digest(folder: Path, batch: Batch, expected: Sequence[Entry]) -> str:
    reader = Reader(folder, lambda query, _: _described(batch) if "described" in query else [], _refuse)
    for place, entry in enumerate(expected):
        record = Key.parse(entry.key).record
        cut = Cut(reader, Location(0, entry.seed, b"", 0, place), record)
        users, flows = StoredTable(cut, "users"), StoredTable(cut, "flows")
        replica = Replica(entry.seed, users, flows, StoredCell(cut), StoredSeries(cut, record))
        if digest(replica) != entry.digest:
            file = path_of(folder, "*", batch.name)
            return f"{file}: the numbers of seed {entry.seed} were changed since they were stored"
    return ""


def _described(batch: Batch) -> list[tuple[Any, ...]]:
    return [(batch.name, json.dumps(batch.described()))]


def _refuse(_: int, __: Batch, why: str) -> NoReturn:
    raise StoreError(why)


def _size(folder: Path, table: str, name: str) -> int:
    path = path_of(folder, table, name)
    path = path if path.exists() else new_path_of(folder, table, name)
    if not path.exists():
        raise Gone(path_of(folder, table, name))
    return path.stat().st_size
