"""What can go wrong with a store, as the user's problem."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from airlink.result.errors import ResultError
from airlink.result.folder import DISK_FULL

READ_ONLY = "attempt to write a readonly database"
REPAIR = "airlink store check {} --repair builds it again from the tables"
FULL = "database or disk is full"


class StoreError(ResultError):
    """A store can't be opened, written or read; the message says what, why and what helps."""


@contextmanager
def told(folder: Path) -> Iterator[None]:
    """Turns errors of SQLite and of the file system into one sentence about the store."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{folder}{_of_manifest(folder, error)}") from None
    except OSError as error:
        if error.errno in DISK_FULL:
            raise StoreError(f"{folder}: the disk is full; results stored before are kept") from None
        where = error.filename or folder
        raise StoreError(f"{where}: {error.strerror or error}") from None


def _of_manifest(folder: Path, error: sqlite3.Error) -> str:
    text = str(error)
    if text.startswith(FULL):
        return ": the disk is full; results stored before are kept"
    if text.startswith(READ_ONLY):
        return " can't be written: it is read-only"
    if isinstance(error, sqlite3.OperationalError) and "locked" in text:
        return ": another process has held store.sqlite for a minute; try again when it has ended"
    if isinstance(error, sqlite3.OperationalError) and "unable to open" in text:
        return "/store.sqlite can't be opened"
    return f"/store.sqlite is damaged ({text}); {REPAIR.format(folder)}"
