"""The folder that a result is written to: may it be, can it be, and what the file system says against it."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from airlink.result.errors import ResultError, ResultExists

MANIFEST = "result.json"
"""Written last: the mark of a whole result."""

UNNAMED_MANIFEST = f".{MANIFEST}"
"""Its name while it is written."""

CAPTURES = "captures"
"""The folder within a result that packets are written to while the run goes on."""

TABLES = ("users", "flows", "cell")
PARTS = {CAPTURES, UNNAMED_MANIFEST, "series", *(f"{name}.parquet" for name in TABLES)}
"""What a result consists of beside its mark."""

INTERRUPTED = "interrupted"
"""Ends the name of what an interrupted run leaves beside an older result."""

DISK_FULL = (errno.ENOSPC, errno.EDQUOT)


def check_free(directory: Path, overwrite: bool = False) -> None:
    """Raises ResultExists unless results may be written to the folder."""
    if not os.path.lexists(directory):
        return
    if not directory.is_dir():
        raise ResultExists(f"{directory} exists and is not a folder")
    with reading(directory):
        names = [path.name for path in directory.iterdir()]
    if CAPTURES in names and PARTS.issuperset(names):
        if not overwrite:
            held = "holds the captures of a run that did not end"
            raise ResultExists(f"{directory} {held}; choose another folder, or ask to overwrite it")
    elif names and MANIFEST not in names:
        raise ResultExists(f"{directory} holds other files; results need a folder of their own")
    elif names and not overwrite:
        raise ResultExists(f"{directory} holds results already; choose another folder, or ask to overwrite it")
    elif names and (inner := _result_within(directory)) is not None:
        raise ResultExists(f"{directory} holds another result, {inner}, which would be lost; move that away first")


def _result_within(directory: Path) -> Path | None:
    """A result that a user put into the folder of another one."""
    with reading(directory):
        return next((path.parent for path in directory.rglob(MANIFEST) if path.parent != directory), None)


def is_filled(directory: Path) -> bool:
    """Whether a folder is there and holds anything."""
    return directory.is_dir() and any(directory.iterdir())


@contextmanager
def writing(directory: Path) -> Iterator[None]:
    """Turns an error of the file system into one message about the folder that was asked for."""
    try:
        yield
    except OSError as error:
        if error.errno in DISK_FULL:
            raise ResultError(f"{directory}: the disk is full; nothing was written") from None
        raise ResultError(f"{directory} can't be written: {error.strerror or error}") from None


@contextmanager
def reading(directory: Path) -> Iterator[None]:
    """Turns an error of the file system into one message."""
    try:
        yield
    except OSError as error:
        # Parquet's own errors name the file and nothing else.
        reason = error.strerror or ("missing" if isinstance(error, FileNotFoundError) else "can't be read")
        raise ResultError(f"{error.filename or str(error) or directory}: {reason}") from None
    except KeyError as error:
        raise ResultError(f"{directory}: not a whole result: {error} is missing") from None
