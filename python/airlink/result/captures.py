"""The folder that packets are written to while a run goes on, and what becomes of it when the disk is full.

A new result with captures is made in its place: DIR/captures fills while the run goes on, the tables come at its end,
and result.json last, as the mark of a whole result. A run that was killed leaves DIR/captures alone. One that replaces
what DIR holds is made beside it, as every other result is.
Left out: what the files hold (docs/captures.md); the engine writes them.
"""

from __future__ import annotations

import shutil
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from airlink.engine import CutShort
from airlink.result.atomic_write import Destination
from airlink.result.errors import ResultExists
from airlink.result.folder import CAPTURES, INTERRUPTED, check_free, is_filled, writing

SUFFIX = ".pcapng"
LENGTH = struct.Struct("<I")
"""Every block of pcapng begins with its type and its length, and ends with its length again, in 32 bits each."""

LEAST_BLOCK = 12
LEAST_ROOM = 4096
"""Bytes of a capture that is not worth cutting: a block of many file systems."""


def make(folder: Path) -> None:
    """Makes the folder of captures, unless it is there; raises ResultExists when it holds some already."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.glob(f"*{SUFFIX}")):
            raise ResultExists(f"{folder} holds captures already; choose another folder")


@dataclass(frozen=True)
class Captures:
    """The captures of a result.

    Attributes
    ----------
    folder : of the files POINT-SEED.pcapng.
    cut_short : those that do not reach the end of their run.
    """

    folder: Path
    cut_short: list[CutShort]

    def moved(self, folder: Path) -> Captures:
        """The same captures, which another folder holds now."""
        return Captures(folder, [replace(cut, file=folder / cut.file.name) for cut in self.cut_short])

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        # Loaded when first needed: only a notebook asks for it.
        from airlink.result import in_notebook

        return in_notebook.of_captures(self)


@contextmanager
def begun(place: Destination, overwrite: bool) -> Iterator[Path]:
    """Makes the folder that the packets of a run are written to: in its place, unless something stands there.

    Raises
    ------
    ResultExists : the place is not free.
    ResultError : the folder can't be made.
    """
    check_free(place.asked, overwrite)
    with writing(place.asked):
        # As the user wrote it: messages name the captures.
        folder = place.new if is_filled(place.target) else place.asked
        new = not folder.exists()
        (folder / CAPTURES).mkdir(parents=True)
    try:
        yield folder / CAPTURES
    except Exception:
        shutil.rmtree(folder if new else folder / CAPTURES, ignore_errors=True)
        raise


def kept(place: Destination, folder: Path) -> Path:
    """Where the captures in `folder` stay of a run that was interrupted before any replica had finished.

    Raises
    ------
    ResultError : they can't be put there.
    """
    return place.put_beside(INTERRUPTED) / CAPTURES if folder.parent == place.new else folder


def give_room(folder: Path, wanted: int) -> CutShort | None:
    """Cuts the largest capture back by `wanted` bytes, but not more than half of it, to the end of a block.

    A capture without its last packets is still a capture; tables without their last rows are nothing.

    Returns
    -------
    The capture; None when all are so small that it would not help.
    """
    size, path = max(((path.stat().st_size, path) for path in folder.glob(f"*{SUFFIX}")), default=(0, folder))
    if size < LEAST_ROOM:
        return None
    with path.open("r+b") as file:
        file.truncate(_end_of_block(file, size, size - min(wanted, size // 2)))
    return CutShort(int(path.stem.rpartition("-")[2]), path, "cut back to make room for the tables")


def _end_of_block(file: BinaryIO, size: int, most: int) -> int:
    """The end of the last block that ends at `most` or before, found from the end of the file backwards."""
    end = size
    while end > most:
        file.seek(end - LENGTH.size)
        (length,) = LENGTH.unpack(file.read(LENGTH.size))
        if not LEAST_BLOCK <= length <= end:
            return 0
        end -= length
    return end
