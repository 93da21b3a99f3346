"""What a run leaves behind: tables over users, flows and the cell, series, and where they came from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from airlink import engine
from airlink.engine import Columns, Replica, Table
from airlink.own import NONE, Text
from airlink.result import convert, files
from airlink.result.captures import Captures
from airlink.result.errors import NotRecorded
from airlink.result.estimate import Estimate, mean_interval
from airlink.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import xarray


class Summary(dict[str, Estimate]):
    """Numbers by their names, each with its interval."""

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        # Loaded when first needed: only a notebook asks for it.
        from airlink.result import in_notebook

        return in_notebook.of_summary(self)


class Result:
    """One or several replicas of one scenario.

    Attributes
    ----------
    scenario : the scenario in full, trace files pinned by their hash.
    replicas : what the engine recorded, one entry per finished replica.
    record : kinds of series recorded.
    version : of the engine that ran it.
    interrupted : true when the run ended before every replica had finished: by Ctrl-C, or because
    out_of_memory : memory was about to run out; false of a result that was stored.
    own_code : code of the user's own that took part, with its text and hash; usually none.
    own_parts : that code itself, with which it can be simulated again; a loaded result has it by `rerun.give_code`.
    captures : their folder, and which do not reach the end of their run; None when no packets were captured.

    Examples
    --------
    >>> import airlink
    >>> scenario = airlink.Scenario.from_toml('''
    ... duration_s = 1
    ... users = 2
    ... slot.duration_ms = 5
    ... channel.placement = {kind = "mean_snr", mean_snr_db = 10}
    ... link.rate = {kind = "capacity", bandwidth_hz = 1e6}
    ... scheduler.kind = "round_robin"
    ... flows = [{traffic = {kind = "backlogged"}}]
    ... ''')
    >>> result = airlink.run(scenario, replicas=2)
    >>> result.users.rows, result.cell.rows
    (4, 2)
    >>> result.users["replica"].tolist()
    [0, 0, 1, 1]
    """

    def __init__(
        self,
        scenario: Scenario,
        replicas: Sequence[Replica],
        record: Sequence[str] = (),
        version: str = "",
        interrupted: bool = False,
        captures: Captures | None = None,
    ) -> None:
        self.scenario = scenario
        self.replicas = tuple(replicas)
        self.record = tuple(record)
        self.version = version
        self.interrupted = interrupted
        self.captures = captures
        self.out_of_memory = False
        self.own_code: tuple[Text, ...] = ()
        self.own_parts = NONE

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seed of each replica."""
        return tuple(replica.seed for replica in self.replicas)

    @cached_property
    def users(self) -> Table:
        """One row per replica and user; columns in docs/results.md."""
        return self._stacked([replica.users for replica in self.replicas])

    @cached_property
    def flows(self) -> Table:
        """One row per replica and flow; columns in docs/results.md."""
        return self._stacked([replica.flows for replica in self.replicas])

    @cached_property
    def cell(self) -> Table:
        """One row per replica: totals over the cell; columns in docs/results.md."""
        rows = [{name: np.atleast_1d(value) for name, value in replica.cell.items()} for replica in self.replicas]
        return self._stacked(rows)

    @property
    def summary(self) -> Summary:
        """Every number of the cell: mean over replicas and 95 % Student-t interval."""
        numbers = (name for name in self.cell if name not in ("replica", "seed"))
        return Summary({name: mean_interval(self.cell[name]) for name in numbers})

    def series(self, kind: str, replica: int | None = None) -> Table:
        """A recorded series of one replica or of all.

        Parameters
        ----------
        kind : one of `record`.
        replica : 0..number of replicas - 1; default all of them.

        Returns
        -------
        Table, one row per event in the order of time; columns in docs/results.md. Of several replicas, one after the
        other, with the columns `replica` and `seed` in front.

        Raises
        ------
        NotRecorded : this kind was not recorded; a ResultError, and a KeyError as well.
        IndexError : no such replica.
        """
        engine.checked_record([kind])
        if replica is None:
            return self.table(kind) if len(self.replicas) != 1 else self.series(kind, 0)
        if not 0 <= replica < len(self.replicas):
            raise IndexError(f"replica {replica} does not exist; there are {len(self.replicas)}, from 0")
        recorded = self.replicas[replica].series
        if kind not in recorded:
            if reason := engine.lacking(self.scenario, kind):
                raise NotRecorded(f"series {kind!r} {reason}")
            raise NotRecorded(f"series {kind!r} was not recorded; run again with record=[{kind!r}]")
        return recorded[kind]

    def digest(self) -> str:
        """A hash of every number the engine recorded, computed from the stored numbers.

        Of one replica it is the engine's own digest; of several, the SHA-256 of theirs, one a line.
        """
        digests = self.digests()
        return digests[0] if len(digests) == 1 else hashlib.sha256("\n".join(digests).encode()).hexdigest()

    def digests(self) -> list[str]:
        """The digest of each replica, computed from the stored numbers."""
        return [engine.digest(replica) for replica in self.replicas]

    def to_pandas(self, table: str = "users") -> pd.DataFrame:
        """A table ("users", "flows", "cell" or a recorded kind of series) as pandas; needs airlink[pandas]."""
        return self.table(table).to_pandas()

    def to_polars(self, table: str = "users") -> pl.DataFrame:
        """A table ("users", "flows", "cell" or a recorded kind of series) as polars; needs airlink[polars]."""
        return self.table(table).to_polars()

    def to_xarray(self) -> xarray.Dataset:
        """Users, flows and cell with dimensions replica, user, flow; needs airlink[xarray]."""
        return convert.to_xarray(self.replicas)

    def table(self, name: str) -> Table:
        """A table by name: "users", "flows", "cell", or a kind of series; all replicas, with `replica` and `seed`."""
        if name in ("users", "flows", "cell"):
            return {"users": self.users, "flows": self.flows, "cell": self.cell}[name]
        parts = [self.series(name, index) for index in range(len(self.replicas))]
        return self._stacked(parts)

    def save(self, directory: str | Path, overwrite: bool = False) -> Path:
        """Writes result.json and Parquet tables to a new folder; all of them or none.

        The folder whose `captures` the run filled is no new one: the tables come beside them.

        Raises
        ------
        ResultExists : the folder holds something already (results, and overwrite is false, or other files).
        ResultError : it can't be written (full disk, no permission).
        """
        return files.save(self, Path(directory), overwrite)

    @classmethod
    def load(cls, directory: str | Path) -> Result:
        """Reads what `save` wrote. Series are read when they are asked for.

        Raises
        ------
        ResultError : no result there, or not one this version can read.
        """
        stored = files.load(Path(directory))
        made = cls(stored.scenario, stored.replicas, stored.record, stored.version, stored.interrupted, stored.captures)
        made.own_code = stored.own_code
        return made

    def __repr__(self) -> str:
        name = self.scenario.name or "unnamed"
        state = ", interrupted" if self.interrupted else ""
        state += "".join(f", {code.role} {code.name}" for code in self.own_code)
        state += ", experimental controls" if self.scenario.experimental_controls() else ""
        return f"<Result {name!r}: {len(self.replicas)} replicas, seeds {list(self.seeds)}{state}>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from airlink.result import in_notebook

        return in_notebook.of_result(self)

    def pieces(self, kind: str, least_rows: int) -> Iterator[Table]:
        """A series in tables of whole replicas, each of at least so many rows: who writes it holds one at a time."""
        held: list[Columns] = []
        first, rows = 0, 0
        for index, replica in enumerate(self.replicas):
            series = replica.series
            held.append(series.taken(kind) if isinstance(series, engine.RecordedSeries) else series[kind])
            rows += len(next(iter(held[-1].values())))
            if rows >= least_rows or index == len(self.replicas) - 1:
                yield self._stacked(held, first)
                held, first, rows = [], index + 1, 0

    def _stacked(self, parts: Sequence[Columns], first: int = 0) -> Table:
        """The tables of so many replicas from that one on, one after the other."""
        if not parts:
            return Table({})
        rows = [len(next(iter(part.values()))) for part in parts]
        seeds = self.seeds[first : first + len(parts)]
        keys = {
            "replica": np.repeat(np.arange(first, first + len(parts), dtype=np.int64), rows),
            "seed": np.repeat(np.array(seeds, dtype=np.uint64), rows),
        }
        if len(parts) == 1:
            return Table({**keys, **parts[0]})
        return Table(keys | {name: np.concatenate([part[name] for part in parts]) for name in parts[0]})
