"""The writer of a store: finished results wait a moment, then are written as one batch, in a thread of its own.

A result is on disk at most 1 s after it came: the first one starts a clock of `WAIT_S`, and what has come until it ends
is written together. Small batches are joined to larger ones, `JOINED` at a time, and the rest at the end.

Order: files under hidden names, one transaction that names them, then their proper names. A process that is killed
leaves hidden files that nobody names, or named files with hidden names, which the next one to open the store renames.
Nothing waits for the disk here: a kill does not need that. A power cut may leave files that are not whole; their sizes
tell, and they are run again. Joined batches are on the disk before the small ones go.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from airlink.engine import RecordedSeries, Replica
from airlink.scenario import Scenario
from airlink.store import scenarios
from airlink.store.batch import Batch, Item, remove, reveal, write
from airlink.store.errors import StoreError, told
from airlink.store.join import JOINED, Rewritten, rewrite
from airlink.store.key import SHORT, Key
from airlink.store.manifest import Manifest, enter_batch, now_s, scenario_number, signed
from airlink.store.owner import Owner
from airlink.store.scenarios import Described
from airlink.tables import BY_NAME

WAIT_S = 0.5
"""So long the first result waits for others to be written with."""

MOST_WAITING_BYTES = 64_000_000
MOST_WAITING = 4096
"""Results, and about so many bytes of them, that wait; then who brings more waits."""

USER_BYTES = 1500
"""About what the summaries of one user and its flows take."""

SMALL_BYTES = 4_000_000
"""Files of a batch that is joined to others at the end."""


class Waiting(NamedTuple):
    """A result that waits to be written."""

    what: Described
    replica: Replica
    stored_s: int

    @property
    def key(self) -> Key:
        """Of scenario and series."""
        return self.what.key


class Writer:
    """Writes results in the background.

    Parameters
    ----------
    folder : of the store.
    owner : whose name the batches have.
    version : of the engine.
    """

    def __init__(self, folder: Path, owner: Owner, version: str) -> None:
        self._folder, self._owner, self._version = folder, owner, version
        self._changed = threading.Condition()
        self._waiting: list[Waiting] = []
        self._writing: list[Waiting] = []
        self._bytes, self._due_s = 0, 0.0
        self._is_urgent = self._is_closing = False
        self._failure: StoreError | None = None
        self._number = 0
        self._described: set[Key] = set()
        self._levels: list[list[Rewritten]] = [[]]
        self._thread: threading.Thread | None = None

    def put(self, what: Described, replica: Replica) -> None:
        """Takes a result, which is on disk a second later; raises StoreError once something could not be written."""
        with self._changed:
            while self._is_full() and self._failure is None:
                self._changed.wait()
            self._check()
            if not self._waiting:
                self._due_s = time.monotonic() + WAIT_S
            self._waiting.append(Waiting(what, replica, now_s()))
            self._bytes += _size_bytes(what.scenario, replica)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="airlink-store", daemon=True)
                self._thread.start()
            if len(self._waiting) == 1 or self._is_full():
                self._changed.notify_all()

    def waiting(self, wanted: Key) -> set[int]:
        """The seeds of results that answer a key and wait to be written."""
        with self._changed:
            held = (*self._waiting, *self._writing)
            return {each.replica.seed for each in held if each.key.holds(wanted)}

    def flush(self) -> None:
        """Waits until all that came is on disk; raises StoreError if it can't be."""
        with self._changed:
            self._is_urgent = True
            self._changed.notify_all()
            try:
                while (self._waiting or self._writing) and self._failure is None:
                    self._changed.wait()
            finally:
                self._is_urgent = False
            self._check()

    def close(self) -> None:
        """Writes what waits, joins small batches, and ends; once."""
        with self._changed:
            if self._is_closing:
                return
            self._is_closing = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()
        self._owner.close()
        self._check()

    def _check(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _is_full(self) -> bool:
        return self._bytes >= MOST_WAITING_BYTES or len(self._waiting) >= MOST_WAITING

    def _run(self) -> None:
        try:
            # Takes a while, the first time: now, while results wait for one another.
            import pyarrow.parquet  # noqa: F401

            with closing(Manifest(self._folder, make=False)) as manifest:
                while self._failure is None and self._wait():
                    self._store_waiting(manifest)
                    self._join_full_levels(manifest)
                left = [each for level in self._levels for each in level]
                self._join(manifest, [each for each in left if each.size_bytes < SMALL_BYTES and not each.is_large])
        except BaseException as error:
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        """Notes what went wrong, for the thread that puts; nothing is written from now on."""
        with self._changed:
            self._failure = error if isinstance(error, StoreError) else StoreError(f"{self._folder}: {error!r}")
            self._waiting, self._writing, self._bytes = [], [], 0
            self._changed.notify_all()

    def _wait(self) -> bool:
        """Returns when results are to be written; false if none will come any more."""
        with self._changed:
            while not self._waiting and not self._is_closing:
                self._changed.wait()
            while self._waiting and not self._is_due():
                self._changed.wait(max(0.0, self._due_s - time.monotonic()))
            return bool(self._waiting)

    def _is_due(self) -> bool:
        return self._is_urgent or self._is_closing or self._is_full() or time.monotonic() >= self._due_s

    def _store_waiting(self, manifest: Manifest) -> None:
        """Writes what waits."""
        with self._changed:
            self._writing, self._waiting, self._bytes = self._waiting, [], 0
            self._changed.notify_all()
        self._store(manifest, self._writing)
        with self._changed:
            self._writing = []
            self._changed.notify_all()

    def _store_due(self, manifest: Manifest) -> None:
        """Writes what must not wait longer."""
        with self._changed:
            is_due = bool(self._waiting) and self._is_due()
        if is_due:
            try:
                self._store_waiting(manifest)
            except StoreError as error:
                self._fail(error)
                raise

    def _name(self) -> str:
        self._number += 1
        return f"{self._owner.token}-{self._number:06}"

    def _store(self, manifest: Manifest, taken: Sequence[Waiting]) -> None:
        """Writes results as one batch, but for those that were stored meanwhile."""
        while new := _not_stored(manifest, taken):
            self._check_folder()
            name = self._name()
            try:
                with told(self._folder):
                    self._describe({each.key: each.what for each in new})
                    batch = write(self._folder, name, [Item(str(each.key), each.replica) for each in new])
                number = self._entered(manifest, batch, new)
                self._check_folder()
            except BaseException:
                with suppress(OSError):
                    remove(self._folder, name, BY_NAME)
                raise
            if number is None:
                remove(self._folder, name, batch.rows)
                continue
            with told(self._folder):
                reveal(self._folder, name, batch.rows)
            made = Rewritten(number, batch.size_bytes, batch.replicas)
            self._levels[0] += [] if made.is_large else [made]
            return

    def _check_folder(self) -> None:
        """Raises StoreError once the store was removed: what is written to its manifest now, nobody finds."""
        if not self._owner.is_there:
            raise StoreError(f"{self._folder} was removed while it was in use; results since then are not stored")

    def _describe(self, wanted: Mapping[Key, Described]) -> None:
        """Writes the scenarios of results."""
        for key in wanted.keys() - self._described:
            scenarios.write(self._folder, wanted[key], self._version, self._owner.token)
            self._described.add(key)

    def _entered(self, manifest: Manifest, batch: Batch, new: Sequence[Waiting]) -> int | None:
        """The number of a batch that the manifest names from now on; None if some result came from elsewhere."""
        with manifest.changing() as connection:
            names = {each.key: each.what.scenario.name for each in new}
            known = {key: scenario_number(connection, key, name, self._version) for key, name in names.items()}
            taken = [(known[each.key], signed(each.replica.seed)) for each in new]
            query = "SELECT 1 FROM results WHERE scenario = ? AND seed = ?"
            if any(connection.execute(query, place).fetchone() for place in taken):
                return None
            digests = (bytes.fromhex(each.replica.digest) for each in new)
            rows = [(*place, digest, each.stored_s) for place, digest, each in zip(taken, digests, new, strict=True)]
            number = enter_batch(connection, batch, rows)
            connection.executemany(
                "DELETE FROM claims WHERE key = ? AND seed = ? AND owner = ?",
                [(str(each.key), signed(each.replica.seed), self._owner.token) for each in new],
            )
        return number

    def _join_full_levels(self, manifest: Manifest) -> None:
        """Joins the batches of each level that has enough of them to one of the next."""
        for level, held in enumerate(self._levels):
            if len(held) >= JOINED:
                if level + 1 == len(self._levels):
                    self._levels.append([])
                self._levels[level] = []
                self._levels[level + 1] += self._join(manifest, held)

    def _join(self, manifest: Manifest, held: Sequence[Rewritten]) -> list[Rewritten]:
        """Joins batches to one; returns it, unless it is large or one of them was removed or is damaged."""
        if len(held) < 2:
            return list(held)
        between = partial(self._store_due, manifest)
        # Without room for the joined batch the small ones stay.
        with suppress(StoreError):
            made = rewrite(manifest, self._name(), [each.number for each in held], between=between)
            return [made] if made is not None and not made.is_large else []
        return []


def _size_bytes(scenario: Scenario, replica: Replica) -> int:
    """About how many bytes a result takes in memory."""
    series = replica.series
    if isinstance(series, RecordedSeries):
        recorded = sum(size.size_bytes for size in series.sizes().values())
    else:
        recorded = sum(values.nbytes for table in series.values() for values in table.values())
    return scenario.users * USER_BYTES + recorded


def _not_stored(manifest: Manifest, taken: Sequence[Waiting]) -> list[Waiting]:
    """Those that are not stored yet, each once; raises StoreError where another result is stored for the same."""
    query = "SELECT digest FROM results JOIN scenarios ON scenario = id WHERE key = ? AND seed = ?"
    new: dict[tuple[Key, int], Waiting] = {}
    for each in taken:
        seed = each.replica.seed
        known = [digest.hex() for (digest,) in manifest.rows(query, (str(each.key), signed(seed)))]
        if (each.key, seed) in new:
            known.append(new[each.key, seed].replica.digest)
        for digest in known:
            if digest != each.replica.digest:
                raise differs(str(manifest.folder), each.key, seed, digest, "this run", each.replica.digest)
        if not known:
            new[each.key, seed] = each
    return list(new.values())


def differs(where: str, key: Key, seed: int, digest: str, other: str, other_digest: str) -> StoreError:
    """What to say when one scenario and seed have two results."""
    return StoreError(
        f"{where} and {other} have different results of scenario {key.content[:SHORT]} with seed {seed}: "
        f"{digest[:SHORT]}... and {other_digest[:SHORT]}...; one of them is not of the engine that it names"
    )
