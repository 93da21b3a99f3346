"""Reading results: tables that are cut from a batch's columns when one is used.

A group of rows (`LEAST_GROUP_ROWS`) is read column by column, when a column is first used, and shared by the replicas
in it. A file that another process has joined with others meanwhile is looked up again in the manifest.
"""

from __future__ import annotations

import itertools
import json
import weakref
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from airlink.engine import Table
from airlink.engine.table import Column
from airlink.result.errors import ResultError
from airlink.result.parquet import opened
from airlink.store.batch import DIGEST, SCENARIO, Batch, declared, new_path_of, path_of
from airlink.store.errors import StoreError
from airlink.store.manifest import Location, Rows, signed

if TYPE_CHECKING:
    import pyarrow as pa

KEPT_GROUPS = 8
"""Groups of rows that stay in memory although no replica of them is in use."""

FEW_COLUMNS = 3
"""So many columns of a group are read one by one; who wants more gets all at once."""


ARROW_NAMES = {"double": "float64"}
"""Types that Arrow calls otherwise than numpy; all numbers of a store have 8 bytes."""

MOST_MOVES = 5
"""So often the batch of a result may move to another one while it is read."""


class Gone(Exception):
    """A batch's file is not there: moved by another process, or lost."""


class Group:
    """A group of rows of a batch's file, whose columns are read when used."""

    def __init__(self, folder: Path, batch: Batch, table: str, number: int) -> None:
        self._folder, self._batch, self._table, self._number = folder, batch, table, number
        self._columns: dict[str, Column] = {}

    def column(self, name: str) -> Column:
        """A column of the group."""
        if name not in self._columns:
            self._read(name)
        return self._columns[name]

    def _read(self, name: str) -> None:
        with opened_part(self._folder, self._batch, self._table) as file:
            wanted = [name] if len(self._columns) < FEW_COLUMNS else None
            stored = file.read_row_group(self._number, columns=wanted, use_threads=False)
            for each in stored.column_names:
                if each not in self._columns and each not in (SCENARIO, DIGEST):
                    self._columns[each] = _frozen(_values(stored[each]))


@contextmanager
def opened_part(folder: Path, batch: Batch, table: str) -> Iterator[Any]:
    """A batch's file of a table, by whichever name it has. Raises Gone if it is not there."""
    proper, new = path_of(folder, table, batch.name), new_path_of(folder, table, batch.name)
    with ExitStack() as stack:
        # It may get its proper name between the first look and the second.
        for path in (proper, new, proper):
            with suppress(FileNotFoundError):
                file = stack.enter_context(opened(path))
                break
        else:
            raise Gone(proper)
        yield file


def _values(column: pa.ChunkedArray) -> NDArray[Any]:
    """A column of numbers from its bytes, whatever stands where it is null; pyarrow would load pandas to make it."""
    dtype = np.dtype(ARROW_NAMES.get(str(column.type), str(column.type)))
    parts = [np.frombuffer(chunk.buffers()[1], dtype, len(chunk), chunk.offset * 8) for chunk in column.chunks if chunk]
    return parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, dtype), *parts])


def _frozen(values: NDArray[Any]) -> Column:
    values.flags.writeable = False
    return values


class Groups:
    """The groups of a store's files, some of which stay in memory."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._bounds: dict[tuple[str, str], list[int]] = {}
        self._known: weakref.WeakValueDictionary[tuple[str, str, int], Group] = weakref.WeakValueDictionary()
        self._kept: OrderedDict[tuple[str, str, int], Group] = OrderedDict()

    def of(self, batch: Batch, table: str, row: int) -> tuple[Group, int]:
        """The group that has a row, and its first row."""
        if (batch.name, table) not in self._bounds:
            with opened_part(self._folder, batch, table) as file:
                counts = [file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)]
            self._bounds[batch.name, table] = [0, *itertools.accumulate(counts)]
        bounds = self._bounds[batch.name, table]
        number = bisect_right(bounds, row) - 1
        return self._group((batch.name, table, number), batch), bounds[number]

    def _group(self, name: tuple[str, str, int], batch: Batch) -> Group:
        found = self._known.get(name)
        if found is None:
            found = self._known[name] = Group(self._folder, batch, name[1], name[2])
        self._kept[name] = found
        self._kept.move_to_end(name)
        while len(self._kept) > KEPT_GROUPS:
            self._kept.popitem(last=False)
        return found


class Reader:
    """What reads the results of a store.

    Parameters
    ----------
    folder : of the store.
    rows : answers a query to the manifest.
    put_aside : called with a batch that can't be read, and why; ends in a StoreError.
    """

    def __init__(self, folder: Path, rows: Rows, put_aside: Callable[[int, Batch, str], NoReturn]) -> None:
        self.groups = Groups(folder)
        self._folder, self._rows, self._put_aside = folder, rows, put_aside
        self._batches: dict[int, Batch] = {}

    def batch(self, number: int) -> Batch:
        """The batch of that number."""
        if number not in self._batches:
            found = self._rows("SELECT name, described FROM batches WHERE id = ?", (number,))
            if not found:
                raise Gone(number)
            self._batches[number] = Batch.of(found[0][0], json.loads(found[0][1]))
        return self._batches[number]

    def located_again(self, location: Location, why: str) -> Location:
        """Where a result is now that its batch's file is gone."""
        query = "SELECT batch, place FROM results WHERE scenario = ? AND seed = ?"
        found = self._rows(query, (location.scenario, signed(location.seed)))
        if not found:
            told = "was removed or put aside while it was read, and is run again when it is asked for"
            raise StoreError(f"{self._folder}: seed {location.seed} {told}")
        now = location._replace(batch=found[0][0], place=found[0][1])
        if now.batch == location.batch:
            self.give_up(location, why)
        return now

    def give_up(self, location: Location, why: str) -> NoReturn:
        """Puts a batch aside that can't be read, and says so."""
        self._put_aside(location.batch, self.batch(location.batch), why)


class Span(NamedTuple):
    """Rows of a group."""

    group: Group
    start: int
    stop: int


class Cut:
    """One result in its batch.

    Parameters
    ----------
    reader : of the store.
    location : where the result is, as far as known.
    record : the series that are wanted; columns that are there only because of others are left out.
    """

    def __init__(self, reader: Reader, location: Location, record: tuple[str, ...]) -> None:
        self._reader, self._location, self._record = reader, location, record
        self._batch = reader.batch(location.batch)

    @property
    def seed(self) -> int:
        """The seed of the result."""
        return self._location.seed

    def names(self, table: str) -> Mapping[str, None]:
        """The columns of a table."""
        return self._batch.columns(self._location.place, table, self._record)

    def rows(self, table: str) -> int:
        """How many rows a table has."""
        start, stop = self._bounds(table)
        return stop - start

    def column(self, table: str, name: str) -> Column:
        """A column of a table."""
        for _ in range(MOST_MOVES):
            try:
                span = self.span(table)
                if span is None:
                    return np.empty(0, dtype=declared(table).get(name, np.float64))
                return span.group.column(name)[span.start : span.stop]
            except ResultError as error:
                self._reader.give_up(self._location, str(error))
            except Gone as gone:
                self._location = self._reader.located_again(self._location, f"{gone} is missing")
                self._batch = self._reader.batch(self._location.batch)
        raise AssertionError("a batch moves each time that it is read")

    def span(self, table: str) -> Span | None:
        """The rows of a table; None without any. Raises Gone or ResultError if the file can't be read."""
        start, stop = self._bounds(table)
        if start == stop:
            return None
        group, first = self._reader.groups.of(self._batch, table, start)
        return Span(group, start - first, stop - first)

    def _bounds(self, table: str) -> tuple[int, int]:
        starts, place = self._batch.starts[table], self._location.place
        return starts[place], starts[place + 1]


class Slices(Mapping[str, Column]):
    """The columns of a result's table, each read when used."""

    def __init__(self, cut: Cut, table: str) -> None:
        self._cut, self._table = cut, table
        self._names = cut.names(table)

    def __getitem__(self, name: str) -> Column:
        if name not in self._names:
            raise KeyError(name)
        return self._cut.column(self._table, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class StoredTable(Table):
    """A table of a stored result."""

    def __init__(self, cut: Cut, table: str) -> None:
        self._cut, self._table = cut, table

    @cached_property
    def _columns(self) -> Slices:  # type: ignore[override]
        return Slices(self._cut, self._table)

    @cached_property
    def rows(self) -> int:  # type: ignore[override]
        """The number of rows."""
        return self._cut.rows(self._table)

    def __reduce__(self) -> tuple[type[Table], tuple[dict[str, Column]]]:
        return Table, (dict(self._columns),)


class StoredCell(Mapping[str, float]):
    """The numbers of a stored result's cell."""

    def __init__(self, cut: Cut) -> None:
        self._cut = cut

    def __getitem__(self, name: str) -> float:
        if name not in self._cut.names("cell"):
            raise KeyError(name)
        number: float = self._cut.column("cell", name)[0].item()
        return number

    def __iter__(self) -> Iterator[str]:
        return iter(self._cut.names("cell"))

    def __len__(self) -> int:
        return len(self._cut.names("cell"))

    def __reduce__(self) -> tuple[type[dict[str, float]], tuple[list[tuple[str, float]]]]:
        return dict, (list(self.items()),)


class StoredSeries(Mapping[str, Table]):
    """The series of a stored result, each read when used."""

    def __init__(self, cut: Cut, kinds: tuple[str, ...]) -> None:
        self._cut, self._kinds = cut, kinds

    def __getitem__(self, kind: str) -> Table:
        if kind not in self._kinds:
            raise KeyError(kind)
        return StoredTable(self._cut, kind)

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)

    def __reduce__(self) -> tuple[type[dict[str, Table]], tuple[list[tuple[str, Table]]]]:
        return dict, (list(self.items()),)


def stacked(cuts: Sequence[Cut], table: str, columns: Sequence[str] | None) -> Table:
    """A table of several results as one, with their seeds in front."""
    if columns is None:
        names = list({id(held): held for held in (cut.names(table) for cut in cuts)}.values())
        columns = [name for name in names[0] if all(name in each for each in names)] if names else []
    seeds = np.repeat(np.array([cut.seed for cut in cuts], dtype=np.uint64), [cut.rows(table) for cut in cuts])
    try:
        spans = _joined(cuts, table)
        parts = {name: [span.group.column(name)[span.start : span.stop] for span in spans] for name in columns}
    except (Gone, ResultError):
        # Moved or damaged: each of them finds out by itself.
        parts = {name: [cut.column(table, name) for cut in cuts] for name in columns}
    empty = {name: np.empty(0, declared(table).get(name, np.float64)) for name in columns}
    return Table({"seed": seeds, **{name: np.concatenate([empty[name], *each]) for name, each in parts.items()}})


def _joined(cuts: Sequence[Cut], table: str) -> list[Span]:
    """The rows of several results, those that follow one another in a group as one."""
    spans: list[Span] = []
    for cut in cuts:
        span = cut.span(table)
        if span is None:
            continue
        if spans and spans[-1].group is span.group and spans[-1].stop == span.start:
            spans[-1] = spans[-1]._replace(stop=span.stop)
        else:
            spans.append(span)
    return spans
