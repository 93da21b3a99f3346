"""Files of a store that the manifest does not name, and those that lack their proper names.

Files of a living process are left alone: it may be just about to name them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from airlink.store.batch import TABLES, reveal
from airlink.store.errors import told
from airlink.store.manifest import Manifest
from airlink.store.owner import OWNERS, is_alive
from airlink.store.scenarios import SCENARIOS


def reveal_named(manifest: Manifest) -> None:
    """Gives files their proper names whose process was killed just before it could."""
    folder = manifest.folder
    with told(folder):
        for path in list((folder / TABLES).glob("*/.*.new")):
            if manifest.rows("SELECT 1 FROM batches WHERE name = ?", (name_of(path),)):
                reveal(folder, name_of(path), [path.parent.name])


def unnamed(manifest: Manifest) -> dict[str, list[Path]]:
    """Files of tables by the batch that they would be of; only of batches that the manifest does not name."""
    folder = manifest.folder
    with told(folder):
        # The files first: what is named meanwhile is named.
        files = [path for path in sorted((folder / TABLES).glob("*/*")) if path.suffix in (".parquet", ".new")]
        named = {name for (name,) in manifest.rows("SELECT name FROM batches")}
        alive = cache(lambda token: is_alive(folder, token))
        found: dict[str, list[Path]] = {}
        for path in files:
            name = name_of(path)
            if name not in named and not alive(owner_of(name)):
                found.setdefault(name, []).append(path)
    # An owner may have named its batch and ended in between.
    now = {name for (name,) in manifest.rows("SELECT name FROM batches")}
    return {name: paths for name, paths in found.items() if name not in now}


def unfinished_scenarios(folder: Path) -> Iterator[Path]:
    """Files that killed processes did not finish."""
    for path in sorted((folder / SCENARIOS).glob(".*.new")):
        if not is_alive(folder, path.name.removesuffix(".new").rpartition(".")[2]):
            yield path


def living_owners(folder: Path) -> list[str]:
    """Who writes to a store at the moment; the files of killed processes are removed."""
    owners = folder / OWNERS
    return [path.name for path in sorted(owners.glob("*")) if is_alive(folder, path.name)]


def name_of(path: Path) -> str:
    """The batch that a file is of."""
    return path.name.removeprefix(".").removesuffix(".new").removesuffix(".parquet")


def owner_of(name: str) -> str:
    """The owner that made a batch."""
    return name.rpartition("-")[0]
