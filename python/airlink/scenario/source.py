"""Reads users' files within bounds: never a pipe or a device, and at most a given size.

Leaves out what the bytes mean.
"""

from __future__ import annotations

import os
import stat
from os import PathLike


class Unreadable(Exception):
    """Why a file was not read; ends a sentence."""


def read_bytes(path: str | PathLike[str], largest: int) -> bytes:
    """The bytes of a regular file.

    Parameters
    ----------
    path : the file.
    largest : bytes that it may have.

    Raises
    ------
    Unreadable : it is not there, no regular file, or too large.
    """
    try:
        # Non-blocking: opening a pipe without a writer would wait forever.
        with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            found = os.fstat(file.fileno())
            if stat.S_ISDIR(found.st_mode):
                raise Unreadable("can't be read: Is a directory")
            if not stat.S_ISREG(found.st_mode):
                raise Unreadable("can't be read: it is a device or pipe, not a file")
            if found.st_size > largest:
                raise Unreadable(f"is too large; must have at most {largest} bytes")
            data = file.read(largest + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise Unreadable(f"can't be read: {reason}") from None
    # Files of /proc have size 0 and any number of bytes.
    if len(data) > largest:
        raise Unreadable(f"is too large; must have at most {largest} bytes")
    return data
