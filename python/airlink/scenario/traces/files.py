"""The bytes of trace files: found, read within bounds, unpacked.

Leaves out what they mean.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import time
import zlib
from pathlib import Path
from typing import TypeAlias

from ..source import Unreadable, read_bytes
from .problem import TraceProblem

LARGEST_FILE = 100_000_000
SHORTEST_AGE_NS = 20_000_000
"""Clocks of file systems stand still for so long, or less: a younger file may change unseen."""

Mark: TypeAlias = tuple[int, ...]


def expanded(file: str) -> str:
    """The path with ${NAME} replaced by that environment variable."""

    def value(name: re.Match[str]) -> str:
        known = os.environ.get(name[1], "")
        if not known:
            raise TraceProblem(
                f"needs the environment variable {name[1]}, the folder of the trace files, which is not set"
            )
        return known

    return re.sub(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}", value, file)


def mark(path: str) -> Mark | None:
    """What changes when a file does; None where a change could go unseen, or there is no file."""
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return None
    if time.time_ns() - found.st_mtime_ns < SHORTEST_AGE_NS:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def read(path: str) -> bytes:
    """The bytes of a file as it is."""
    try:
        data = read_bytes(path, LARGEST_FILE)
    except Unreadable as error:
        raise TraceProblem(str(error)) from None
    if not data or data.isspace():
        raise TraceProblem("is empty")
    return data


def unpacked(data: bytes) -> bytes:
    """The bytes without the compression of gzip, which is told by their beginning."""
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        plain = gzip.GzipFile(fileobj=io.BytesIO(data)).read(LARGEST_FILE + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise TraceProblem(f"can't be unpacked: {error}") from None
    if len(plain) > LARGEST_FILE:
        raise TraceProblem(f"is too large; must have at most {LARGEST_FILE} bytes unpacked")
    if not plain or plain.isspace():
        raise TraceProblem("is empty")
    return plain
