"""Damaged batches: put aside, never deleted, so that all others are served and what is lost is run again.

damaged/TABLE/NAME.parquet
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from airlink.store.batch import Batch, new_path_of, path_of
from airlink.store.errors import told
from airlink.store.manifest import Manifest

DAMAGED = "damaged"


def complaint(folder: Path, batch: Batch) -> str:
    """What is wrong with the files of a batch at first sight, in a sentence; empty if each has its size."""
    for table, size_bytes in batch.sizes.items():
        path, new = path_of(folder, table, batch.name), new_path_of(folder, table, batch.name)
        found = _size(path) or _size(new) or _size(path)
        if found != size_bytes:
            is_there = "is missing" if found is None else f"has {found} bytes, not its {size_bytes}"
            return f"{path} {is_there}"
    return ""


def put_aside(manifest: Manifest, number: int, batch: Batch) -> None:
    """Takes a batch out of the manifest, and its files out of the way."""
    with manifest.changing() as connection:
        connection.execute("DELETE FROM results WHERE batch = ?", (number,))
        connection.execute("DELETE FROM batches WHERE id = ?", (number,))
    move_aside(manifest.folder, batch.name, batch.sizes)


def move_aside(folder: Path, name: str, tables: Iterable[str]) -> None:
    """Moves the files of a batch out of the way."""
    with told(folder):
        for table in tables:
            kept = folder / DAMAGED / table / f"{name}.parquet"
            kept.parent.mkdir(parents=True, exist_ok=True)
            for path in (path_of(folder, table, name), new_path_of(folder, table, name)):
                # Another process may have found the same.
                with suppress(FileNotFoundError):
                    os.replace(path, kept)  # noqa: PTH105 - as above


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None
