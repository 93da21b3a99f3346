"""The manifest: an SQLite file that says which results there are and in which batch of tables each lies.

What it names is there; what it does not name is not. Results become visible by one transaction, after their files are
whole. It can be built again from the tables and the scenarios (`airlink.store.check`).

Left out: what is in the tables (`airlink.store.batch`).
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from airlink.store.batch import Batch
from airlink.store.errors import StoreError, told
from airlink.store.key import Key

FILE = "store.sqlite"
FORMAT = 1
WAIT_S = 60.0
"""So long a process waits for another one's transaction."""

# Numbers are never given again: readers know batches and scenarios by them.
SCHEMA = """
CREATE TABLE scenarios (
    id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, content TEXT NOT NULL, version TEXT NOT NULL,
    name TEXT NOT NULL
);
CREATE INDEX scenarios_by_content ON scenarios (content);
CREATE TABLE batches (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, replicas INTEGER NOT NULL, bytes INTEGER NOT NULL,
    described TEXT NOT NULL
);
CREATE TABLE results (
    scenario INTEGER NOT NULL, seed INTEGER NOT NULL, digest BLOB NOT NULL, batch INTEGER NOT NULL,
    place INTEGER NOT NULL, stored_s INTEGER NOT NULL, PRIMARY KEY (scenario, seed)
) WITHOUT ROWID;
CREATE INDEX results_by_batch ON results (batch);
CREATE TABLE claims (
    content TEXT NOT NULL, seed INTEGER NOT NULL, key TEXT NOT NULL, owner TEXT NOT NULL,
    PRIMARY KEY (content, seed, key)
) WITHOUT ROWID;
"""


Rows = Callable[[str, Sequence[Any]], list[tuple[Any, ...]]]
"""What answers a query: `Manifest.rows`."""


class Location(NamedTuple):
    """Where a result lies: number of its scenario, seed, digest, number of its batch, place in it."""

    scenario: int
    seed: int
    digest: bytes
    batch: int
    place: int


def signed(seed: int) -> int:
    """A seed as the integer of SQLite, which ends at 2^63 - 1."""
    return seed - 2**64 if seed >= 2**63 else seed


def unsigned(seed: int) -> int:
    """The seed that SQLite holds."""
    return seed % 2**64


class Manifest:
    """A connection to the manifest of a store; threads take turns.

    Parameters
    ----------
    folder : of the store.
    read_only : whether nothing is to be written, not even a file beside it.
    make : whether it is made where it is not there.
    """

    def __init__(self, folder: Path, read_only: bool = False, make: bool = True) -> None:
        self.folder, self.read_only = folder, read_only
        self._lock, self._closed = threading.RLock(), False
        self._copy: tempfile.TemporaryDirectory[str] | None = None
        with told(folder):
            if make and not read_only:
                folder.mkdir(parents=True, exist_ok=True)
            self._connection = self._opened_read_only() if read_only else self._opened(make)

    def close(self) -> None:
        """Ends the connection; who reads afterwards opens another one for a moment."""
        self._closed = True
        with self._lock, suppress(sqlite3.Error):
            self._connection.close()
        if self._copy is not None:
            self._copy.cleanup()

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """What a query answers."""
        if self._closed:
            with closing(Manifest(self.folder, read_only=True)) as again:
                return again.rows(statement, values)
        with self._lock, told(self.folder):
            return self._connection.execute(statement, values).fetchall()

    @contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all that happens in the block, or nothing."""
        with self._lock, told(self.folder):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise

    def _opened(self, make: bool) -> sqlite3.Connection:
        mode = "rwc" if make else "rw"
        connection = _connected(self.folder / FILE, f"mode={mode}")
        try:
            if _format(connection, self.folder) == 0:
                if not make:
                    raise StoreError(f"{self.folder} is not a store: {FILE} is empty")
                _keep_a_journal(connection)
                _create(connection)
            else:
                _keep_a_journal(connection)
            connection.execute("PRAGMA synchronous=NORMAL")
        except BaseException:
            connection.close()
            raise
        return connection

    def _opened_read_only(self) -> sqlite3.Connection:
        """Opens without writing; where SQLite must write beside a file to read it, that is a copy."""
        path = self.folder / FILE
        try:
            return self._checked(_connected(path, "mode=ro"))
        except sqlite3.OperationalError as error:
            if "unable to open" not in str(error) and "readonly" not in str(error):
                raise
        log = path.with_name(f"{FILE}-wal")
        if not log.exists() or log.stat().st_size == 0:
            return self._checked(_connected(path, "mode=ro&immutable=1"))
        self._copy = tempfile.TemporaryDirectory(prefix="airlink-store-")
        for each in (path, log):
            shutil.copy(each, self._copy.name)
        return self._checked(_connected(Path(self._copy.name, FILE), "mode=rw"))

    def _checked(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        try:
            if _format(connection, self.folder) == 0:
                raise StoreError(f"{self.folder} is not a store: {FILE} is empty")
        except BaseException:
            connection.close()
            raise
        return connection


def _connected(path: Path, options: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?{options}"
    return sqlite3.connect(uri, timeout=WAIT_S, isolation_level=None, check_same_thread=False, uri=True)


def _format(connection: sqlite3.Connection, folder: Path) -> int:
    """The format of a store, 0 of an empty file; raises StoreError for one of a later airlink."""
    ((found,),) = connection.execute("PRAGMA user_version").fetchall()
    if found > FORMAT:
        raise StoreError(f"{folder} is a store of format {found}; this version of airlink reads format {FORMAT}")
    return int(found)


def _keep_a_journal(connection: sqlite3.Connection) -> None:
    """Writes ahead where the file system can: readers and a writer do not wait for each other then."""
    try:
        connection.execute("PRAGMA journal_mode=WAL").fetchall()
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("COMMIT")
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise
        connection.execute("PRAGMA journal_mode=DELETE").fetchall()


def _create(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    # Another process may have been first.
    if connection.execute("PRAGMA user_version").fetchall() == [(0,)]:
        for statement in SCHEMA.split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version={FORMAT}")
    connection.execute("COMMIT")


def scenario_number(connection: sqlite3.Connection, key: Key, name: str, version: str) -> int:
    """The number of a key's scenario, which is entered if it is new."""
    connection.execute(
        "INSERT OR IGNORE INTO scenarios (key, content, version, name) VALUES (?, ?, ?, ?)",
        (str(key), key.content, version, name),
    )
    ((number,),) = connection.execute("SELECT id FROM scenarios WHERE key = ?", (str(key),)).fetchall()
    return int(number)


def enter_batch(connection: sqlite3.Connection, batch: Batch, rows: Sequence[tuple[int, int, bytes, int]]) -> int:
    """Enters a batch with its results: (scenario, seed as SQLite holds it, digest, second of storing), by place."""
    text = json.dumps(batch.described(), separators=(",", ":"))
    cursor = connection.execute(
        "INSERT INTO batches (name, replicas, bytes, described) VALUES (?, ?, ?, ?)",
        (batch.name, batch.replicas, batch.size_bytes, text),
    )
    number = int(cursor.lastrowid or 0)
    connection.executemany(
        "INSERT INTO results (place, batch, scenario, seed, digest, stored_s) VALUES (?, ?, ?, ?, ?, ?)",
        [(place, number, *row) for place, row in enumerate(rows)],
    )
    return number


def now_s() -> int:
    """The time, in whole seconds since 1970."""
    return int(time.time())
