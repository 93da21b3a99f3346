"""The store: results by content, so that what was computed once is not computed again.

    store.sqlite                   the manifest: which results there are (`airlink.store.manifest`)
    tables/TABLE/BATCH.parquet     the numbers (`airlink.store.batch`)
    scenarios/KEY.json             what was run (`airlink.store.scenarios`)
    owners/TOKEN                   who writes at the moment (`airlink.store.owner`)
    damaged/                       what was put aside

Left out: looking after a store (`check`, `gc`, `merge`).
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

from typing_extensions import Self

from airlink.engine import Replica, Table, checked_record, engine_build
from airlink.result import Result
from airlink.scenario import Scenario
from airlink.scenario.differing import fields
from airlink.store import scenarios
from airlink.store.aside import DAMAGED, complaint, put_aside
from airlink.store.batch import TABLES, Batch
from airlink.store.errors import REPAIR, StoreError, told
from airlink.store.garbage import reveal_named
from airlink.store.join import is_there
from airlink.store.key import Key
from airlink.store.listing import StoredScenario, listed
from airlink.store.manifest import FILE, Location, Manifest, signed, unsigned
from airlink.store.owner import Owner, is_alive
from airlink.store.reading import Cut, Gone, Reader, StoredCell, StoredSeries, StoredTable, stacked
from airlink.store.scenarios import Described
from airlink.store.writer import Writer

VARIABLE = "AIRLINK_STORE"
"""The environment variable that names the store that commands use."""

DEFAULT = "airlink-results"

IN_RANGE = "SELECT scenario, seed, digest, batch, place FROM results WHERE scenario = ? AND seed BETWEEN ? AND ?"
CHUNK = 10_000
"""Results that are looked up at once."""


def default_folder() -> Path:
    """The store that commands use: that of AIRLINK_STORE, or airlink-results."""
    return Path(os.environ.get(VARIABLE) or DEFAULT)


def is_store(folder: Path) -> bool:
    """Whether a folder is that of a store, damaged or not."""
    return (folder / FILE).exists() or (folder / TABLES).is_dir()


class Store:
    """Results on disk, by what they are of: scenario, seed, series, engine version.

    Several processes may use one store at the same time. What is put is on disk a second later, and all of it after
    `flush` or `close`. A context manager.

    Parameters
    ----------
    folder : is made where it is not there.
    read_only : whether nothing is written; the folder must be a store then.

    Attributes
    ----------
    folder, read_only : as above.
    notes : sentences on what was found damaged and put aside, for the user.

    Raises
    ------
    StoreError : it can't be opened: damaged, of a later version, read-only; a ResultError.

    Examples
    --------
    >>> import tempfile
    >>> import airlink
    >>> from airlink.scenario import ready
    >>> wire = ready("dumbbell", ["duration_s=1"])
    >>> with tempfile.TemporaryDirectory() as folder, Store(folder) as store:
    ...     key = store.key(wire)
    ...     todo = store.claim(key, range(1, 4))
    ...     for replica in airlink.run(wire, seed=1, replicas=3).replicas:
    ...         store.put(key, wire, (), replica)
    ...     todo, sorted(store.find(key, range(1, 10))), [replica.seed for replica in store.replicas(key, [3, 1])]
    ([1, 2, 3], [1, 2, 3], [3, 1])
    """

    def __init__(self, folder: Path | str, read_only: bool = False) -> None:
        self.folder, self.read_only = Path(folder), read_only
        self.notes: list[str] = []
        self._version = engine_build()
        _check_folder(self.folder, read_only)
        self._manifest = Manifest(self.folder, read_only)
        self._reader = Reader(self.folder, self._manifest.rows, self._give_up)
        self._sound: set[int] = set()
        self._lost: set[int] = set()
        self._is_closed, self._process = False, os.getpid()
        self._code: dict[str, tuple[str, ...]] = {}
        self._writer: Writer | None = None
        self._owner: Owner | None = None
        if not read_only:
            reveal_named(self._manifest)

    def key(self, scenario: Scenario, record: Sequence[str] = (), code: Sequence[str] = ()) -> str:
        """The key of what a scenario gives: equal for equal content, whatever it is called and wherever its files lie.

        Parameters
        ----------
        scenario : resolved or not; its files are read.
        record : kinds of series.
        code : hashes of the user's code that takes part.

        Raises
        ------
        ScenarioError : a trace file can't be used.
        RequestError : an unknown kind of series.
        """
        key = str(Key.of(scenario, record, self._version, code))
        if code:
            self._code[key] = tuple(code)
        return key

    def find(self, key: str, seeds: Sequence[int]) -> set[int]:
        """Which of these seeds are stored, with these series or more; damaged results are not."""
        return set(self._located(Key.parse(key), seeds))

    def claim(self, key: str, seeds: Sequence[int]) -> list[int]:
        """Takes those of these seeds that are neither stored nor claimed by anybody alive, in their order.

        They are ours until they are put, released, or this process ends.
        """
        wanted = Key.parse(key)
        self._check_writable()
        owner = self._owned().token
        # What waits is looked at first: it may be written meanwhile, and is stored then.
        stored = self._writer.waiting(wanted) if self._writer is not None else set()
        stored |= set(self._on_disk(wanted, seeds))
        with self._manifest.changing() as connection:
            owners = connection.execute("SELECT DISTINCT owner FROM claims").fetchall()
            for (token,) in owners:
                if token != owner and not is_alive(self.folder, token):
                    connection.execute("DELETE FROM claims WHERE owner = ?", (token,))
            # Once more: another process may have stored some before it let go of them.
            stored |= set(self._rows(wanted, seeds))
            query = "SELECT seed, key FROM claims WHERE content = ?"
            claims = connection.execute(query, (wanted.content,)).fetchall()
            taken = {unsigned(seed) for seed, text in claims if Key.parse(text).holds(wanted)}
            free = [seed for seed in dict.fromkeys(map(int, seeds)) if seed not in stored and seed not in taken]
            connection.executemany(
                "INSERT INTO claims (content, seed, key, owner) VALUES (?, ?, ?, ?)",
                [(wanted.content, signed(seed), str(wanted), owner) for seed in free],
            )
        return free

    def release(self, key: str = "", seeds: Sequence[int] = ()) -> None:
        """Gives back what was claimed and not put: all of it, or what is named."""
        if self._owner is None:
            return
        with self._manifest.changing() as connection:
            if not key:
                connection.execute("DELETE FROM claims WHERE owner = ?", (self._owner.token,))
                return
            connection.executemany(
                "DELETE FROM claims WHERE owner = ? AND key = ? AND seed = ?",
                [(self._owner.token, key, signed(seed)) for seed in seeds],
            )

    def put(self, key: str, scenario: Scenario, record: Sequence[str], replica: Replica) -> None:
        """Stores a result: at once in memory, on disk at most 1 s later.

        Parameters
        ----------
        key : of scenario and record.
        scenario, record : as they were run.
        replica : what the run left.

        Raises
        ------
        StoreError : this or an earlier result could not be written (full disk), or another one is stored for the same
            key and seed.
        """
        self._check_writable()
        if self._writer is None:
            self._writer = Writer(self.folder, self._owned(), self._version)
            # Who forgets to close it loses nothing.
            weakref.finalize(self, self._writer.close)
        if Key.parse(key).record != tuple(checked_record(record)):
            raise ValueError(f"{key} is not a key of the series {', '.join(record) or '(none)'}")
        if set(replica.series) != set(record):
            raise ValueError(f"seed {replica.seed} has the series {', '.join(replica.series) or '(none)'}")
        self._writer.put(Described(Key.parse(key), scenario, self._code.get(key, ())), replica)

    def flush(self) -> None:
        """Returns when all that was put is on disk."""
        if self._writer is not None:
            self._writer.flush()

    def replicas(self, key: str, seeds: Sequence[int]) -> Iterator[Replica]:
        """The stored results among these seeds, in their order; those that are not stored are left out.

        Their tables are read when they are used, also after the store was closed. Digests are equal to those of runs
        with the series of the key, whatever else was recorded.

        Raises
        ------
        StoreError : when a table is used that is damaged. Its batch is put aside: the next command runs it again.
        """
        wanted = Key.parse(key)
        for start in range(0, len(seeds), CHUNK):
            chunk = [int(seed) for seed in seeds[start : start + CHUNK]]
            located = self._located(wanted, chunk)
            for seed in chunk:
                if seed in located:
                    yield self._replica(wanted, *located[seed])

    def table(self, name: str, key: str, seeds: Sequence[int], columns: Sequence[str] | None = None) -> Table:
        """A table of all these seeds as one, in their order, with the column `seed` in front.

        Parameters
        ----------
        name : "users", "flows", "cell" or a kind of series.
        key, seeds : as `replicas` has them.
        columns : which ones; default all that each of them has.
        """
        cuts = [self._cut(Key.parse(key), *found) for found in self._located(Key.parse(key), seeds).values()]
        return stacked(cuts, name, columns)

    def keys(self, words: str) -> list[str]:
        """The keys of stored results that begin so, or whose scenario is called so."""
        return [each.key for each in self.scenarios() if each.key.startswith(words) or each.name == words]

    def scenarios(self) -> list[StoredScenario]:
        """What is stored, by scenario; the latest last."""
        self.flush()
        return listed(self._manifest)

    def scenario(self, key: str) -> Scenario:
        """The scenario of a key, in full. Raises StoreError if its file is missing or changed."""
        path = scenarios.existing_path(self.folder, Key.parse(key))
        return scenarios.scenario_of(path, scenarios.read(path))

    def fields(self, key: str) -> dict[str, Any]:
        """Path -> value of the scenario of a key, unchecked and so quickly read. Raises StoreError as `scenario`."""
        return dict(fields(scenarios.read(scenarios.existing_path(self.folder, Key.parse(key)))["scenario"]))

    def result(self, key: str, seeds: Sequence[int]) -> Result:
        """The stored results among these seeds, as `airlink.run` gives them."""
        found, wanted = list(self.replicas(key, seeds)), Key.parse(key)
        version = scenarios.read(scenarios.existing_path(self.folder, wanted))["version"]
        return Result(self.scenario(key), found, wanted.record, version)

    def close(self) -> None:
        """Writes what was put, gives back what was claimed, and ends; nothing in a forked child: it is the parent's."""
        if self._is_closed or self._process != os.getpid():
            return
        self._is_closed = True
        try:
            # Claims go after what was put is stored: nobody may run it in between.
            self.flush()
        finally:
            try:
                self.release()
                if self._writer is not None:
                    self._writer.close()
                elif self._owner is not None:
                    self._owner.close()
            finally:
                self._manifest.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _owned(self) -> Owner:
        if self._owner is None:
            with told(self.folder):
                self._owner = Owner(self.folder)
        return self._owner

    def _check_writable(self) -> None:
        if self.read_only:
            raise StoreError(f"{self.folder} was opened to be read only")
        if self._process != os.getpid():
            raise StoreError(f"{self.folder} was opened before this process was forked: open it again here")

    def _located(self, wanted: Key, seeds: Sequence[int]) -> dict[int, tuple[Location, Key]]:
        """Where the stored results among these seeds lie, and the key of each, in the order of the seeds."""
        if self._writer is not None and self._writer.waiting(wanted):
            self._writer.flush()
        return self._on_disk(wanted, seeds)

    def _on_disk(self, wanted: Key, seeds: Sequence[int]) -> dict[int, tuple[Location, Key]]:
        """As `_located`, but for those that wait to be written."""
        while True:
            found = self._rows(wanted, seeds)
            numbers = {location.batch for location, _ in found.values()}
            unsound = [number for number in numbers - self._sound if not self._is_sound(number)]
            if not unsound:
                return {seed: found[seed] for seed in map(int, seeds) if seed in found}

    def _rows(self, wanted: Key, seeds: Sequence[int]) -> dict[int, tuple[Location, Key]]:
        """What the manifest has of these seeds, with the series that are wanted rather than with more."""
        asked = set(map(int, seeds))
        if not asked:
            return {}
        bounds = [signed(seed) for seed in asked]
        query = "SELECT id, key FROM scenarios WHERE content = ?"
        known = [(number, Key.parse(text)) for number, text in self._manifest.rows(query, (wanted.content,))]
        found: dict[int, tuple[Location, Key]] = {}
        for number, key in sorted(known, key=lambda each: len(each[1].record), reverse=True):
            if key.holds(wanted):
                for row in self._manifest.rows(IN_RANGE, (number, min(bounds), max(bounds))):
                    seed = unsigned(row[1])
                    if seed in asked and row[3] not in self._lost:
                        found[seed] = Location(row[0], seed, *row[2:]), key
        return found

    def _is_sound(self, number: int) -> bool:
        """Whether a batch's files have their sizes; puts it aside if not. False also if it is gone by now."""
        try:
            batch = self._reader.batch(number)
        except Gone:
            return False
        why = complaint(self.folder, batch)
        if not why:
            self._sound.add(number)
        elif is_there(self._manifest, number):
            self.notes.append(self._put_aside(number, batch, why))
        return not why

    def _put_aside(self, number: int, batch: Batch, why: str) -> str:
        """Serves a damaged batch no more, and says so."""
        self._lost.add(number)
        self._sound.discard(number)
        if self.read_only or self._is_closed:
            return f"{why}; airlink store check {self.folder} --repair puts it aside"
        put_aside(self._manifest, number, batch)
        lost = f"its batch of {batch.replicas} results is put aside in {self.folder / DAMAGED}"
        return f"{why}; {lost}, and they are run again when they are asked for"

    def _give_up(self, number: int, batch: Batch, why: str) -> NoReturn:
        raise StoreError(self._put_aside(number, batch, why))

    def _cut(self, wanted: Key, location: Location, _: Key) -> Cut:
        return Cut(self._reader, location, wanted.record)

    def _replica(self, wanted: Key, location: Location, key: Key) -> Replica:
        cut = Cut(self._reader, location, wanted.record)
        users, flows = StoredTable(cut, "users"), StoredTable(cut, "flows")
        digest = location.digest.hex() if key == wanted else ""
        return Replica(location.seed, users, flows, StoredCell(cut), StoredSeries(cut, wanted.record), digest)


def _check_folder(folder: Path, read_only: bool) -> None:
    """Raises StoreError unless a store is there or, to write, can be made."""
    path = folder / FILE
    if not path.exists() or path.stat().st_size == 0:
        if next((folder / TABLES).glob("*/*.parquet"), None) is not None:
            raise StoreError(f"{path} is missing; {REPAIR.format(folder)}")
        if read_only:
            raise StoreError(f"{folder} holds no store: there is no {FILE} in it")
    if not read_only:
        with told(folder):
            folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise StoreError(f"{folder} can't be written: it is read-only")
