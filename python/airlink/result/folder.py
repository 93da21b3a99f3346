"""The folder that a result is written to: may it be, can it be, and what the file system says against it."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from airlink.result.errors import ResultError, ResultExists
from airlink.scenario.source import Unreadable, read_bytes

MANIFEST = "result.json"
"""Written last: the mark of a whole result."""

INSTEAD = {
    MANIFEST: "it is the result of airlink run; give a folder of airlink compare or sweep",
    "campaign.json": "it is the answer of airlink compare or sweep; give a result of airlink run",
}
"""What a folder is that holds a description of this name."""

UNNAMED_MANIFEST = f".{MANIFEST}"
"""Its name while it is written."""

CAPTURES = "captures"
"""The folder within a result that packets are written to while the run goes on."""

TABLES = ("users", "flows", "cell")
PARTS = {CAPTURES, UNNAMED_MANIFEST, "series", *(f"{name}.parquet" for name in TABLES)}
"""What a result consists of beside its mark."""

FILES_IN: Mapping[str, str] = {CAPTURES: ".pcapng", "series": ".parquet"}
"""How the files in the folders of a result end."""

NAMED = 3
"""So many files of the user a message names."""

INTERRUPTED = "interrupted"
"""Ends the name of what an interrupted run leaves beside an older result."""

NEW = "new"
"""Ends the name of what could not be put in its place, as something else came there meanwhile."""

LARGEST_DESCRIPTION = 300_000_000
"""Bytes of a description that are read: a larger file is none."""

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
    check_nothing_else(directory, "result", _is_of_result)


def check_nothing_else(directory: Path, what: str, is_own: Callable[[str], bool]) -> None:
    """Raises ResultExists if files of the user lie in a folder that is to be replaced.

    Parameters
    ----------
    directory : the folder.
    what : it is of, "result" or "report".
    is_own : whether a path within it, with "/", is one of its own.
    """
    with reading(directory):
        others = sorted(name for name in _files(directory) if not is_own(name))
    if others:
        more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
        held = f"holds files that are no part of a {what} and would be lost: {', '.join(others[:NAMED])}{more}"
        raise ResultExists(f"{directory} {held}; move them away first")


def _files(directory: Path) -> Iterator[str]:
    """Files and links in a folder, and in those within it, as paths from it on; links are not followed."""
    for path in directory.iterdir():
        if path.is_dir() and not path.is_symlink():
            yield from (f"{path.name}/{name}" for name in _files(path))
        else:
            yield path.name


def _is_of_result(name: str) -> bool:
    folder, _, file = name.rpartition("/")
    return name in {MANIFEST, *PARTS} or file.endswith(FILES_IN.get(folder, ()))


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


def description(path: Path, what: str, written: int) -> dict[str, Any]:
    """What a folder's description says, if this version of airlink reads its format.

    Parameters
    ----------
    path : of the description.
    what : it is of, "result" or "answer".
    written : the format that this version writes and reads.
    """
    if not path.is_file():
        found = [told for name, told in INSTEAD.items() if name != path.name and path.with_name(name).is_file()]
        raise ResultError(f"{path.parent} holds no {what}: {found[0] if found else f'there is no {path.name} in it'}")
    try:
        with reading(path.parent):
            told: dict[str, Any] = json.loads(read_bytes(path, LARGEST_DESCRIPTION))
        found = told["format"]
    except Unreadable as error:
        raise ResultError(f"{path} {error}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ResultError(f"{path} is not {'an' if what[0] in 'aeiou' else 'a'} {what}'s description") from None
    if found != written or isinstance(found, bool):
        raise ResultError(f"{path} has format {found}; this version of airlink reads format {written}")
    return told
