"""What one run leaves behind: columns of users, flows and the cell, and the series that were recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from airlink import _rust
from airlink.engine.table import Column, Table


@dataclass(frozen=True, eq=False)
class Replica:
    """What the engine recorded in one run of one scenario with one seed; equal if seed and digest are.

    Attributes
    ----------
    seed : names every random stream of the run.
    users, flows : tables of a row per user and flow; see docs/results.md for each column's meaning and unit.
    cell : number per name.
    series : kind -> table, of the kinds that were recorded.
    stored_digest : `digest`, of a replica that was stored.
    """

    seed: int
    users: Table
    flows: Table
    cell: Mapping[str, float]
    series: Mapping[str, Table]
    stored_digest: str = field(default="", repr=False)

    @cached_property
    def digest(self) -> str:
        """Hash of every number that the engine recorded: equal digests are equal results."""
        return self.stored_digest or digest(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Replica):
            return NotImplemented
        return (self.seed, self.digest) == (other.seed, other.digest)

    def __hash__(self) -> int:
        return hash((self.seed, self.digest))


def replica_of(seed: int, cell: Mapping[str, float], recording: _rust.Recording) -> Replica:
    """The replica of a run that has ended."""
    users, flows = RecordedTable(recording, "users"), RecordedTable(recording, "flows")
    return Replica(seed, users, flows, cell, RecordedSeries(recording))


class RecordedTable(Table):
    """A table of one run, which the engine holds; its arrays are made when one is used."""

    def __init__(self, recording: _rust.Recording, name: str) -> None:
        self._recording = recording
        self._name = name

    @cached_property
    def _columns(self) -> dict[str, Column]:  # type: ignore[override]
        return self._recording.table(self._name)

    @cached_property
    def rows(self) -> int:  # type: ignore[override]
        """The number of rows."""
        return len(next(iter(self._columns.values()), ()))


class Size(NamedTuple):
    """How much was recorded: rows, and the bytes of memory that they take."""

    rows: int
    size_bytes: int


class RecordedSeries(Mapping[str, Table]):
    """The series of one run, kept packed; the table of a kind is made when it is used.

    A pickle holds the tables, 8 bytes a number: what comes out of it is no longer packed.
    """

    def __init__(self, recording: _rust.Recording) -> None:
        self.recording = recording
        self._made: dict[str, Table] = {}

    def __getitem__(self, kind: str) -> Table:
        if kind not in self._made:
            self._made[kind] = Table(self.recording.columns(kind))
        return self._made[kind]

    def taken(self, kind: str) -> Table:
        """The table of a kind, not kept, so storing all kinds needs memory for one at a time."""
        return self._made[kind] if kind in self._made else Table(self.recording.columns(kind))

    def sizes(self) -> Mapping[str, Size]:
        """How much was recorded of each kind."""
        return {kind: Size(rows, size) for kind, rows, size in self.recording.sizes()}

    def __iter__(self) -> Iterator[str]:
        return iter(self.recording.kinds())

    def __len__(self) -> int:
        return len(self.recording.kinds())

    def __reduce__(self) -> tuple[type[dict[str, Table]], tuple[list[tuple[str, Table]]]]:
        return dict, ([(kind, self.taken(kind)) for kind in self],)


def digest(replica: Replica) -> str:
    """The digest of a replica, computed from its numbers: equal to `replica.digest` unless they changed."""
    tables = _summaries(replica)
    if isinstance(replica.series, RecordedSeries):
        return _rust.digest(tables, replica.series.recording)
    return _rust.digest(tables | {kind: dict(table) for kind, table in replica.series.items()})


def column_digests(replica: Replica) -> dict[str, dict[str, str]]:
    """The digest of each column of a replica, by table and column: shows which columns differ between two runs."""
    tables = _summaries(replica) | {kind: dict(table) for kind, table in replica.series.items()}
    return {
        table: {name: _rust.digest({table: {name: values}}) for name, values in columns.items()}
        for table, columns in tables.items()
    }


def _summaries(replica: Replica) -> dict[str, dict[str, NDArray[Any]]]:
    """The columns of a replica's tables, by table."""
    cell = {name: np.atleast_1d(value) for name, value in replica.cell.items()}
    return {"users": dict(replica.users), "flows": dict(replica.flows), "cell": cell}
