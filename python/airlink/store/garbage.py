"""Files of a store that the manifest does not name, and those that lack their names."""

from __future__ import annotations

from airlink.store.batch import TABLES, reveal
from airlink.store.errors import told
from airlink.store.manifest import Manifest


def reveal_named(manifest: Manifest) -> None:
    """Gives files their proper names whose process was killed just before it could."""
    folder = manifest.folder
    with told(folder):
        hidden = list((folder / TABLES).glob("*/.*.new"))
        names = [path.name.removeprefix(".").removesuffix(".new") for path in hidden]
        for path, name in zip(hidden, names, strict=True):
            if manifest.rows("SELECT 1 FROM batches WHERE name = ?", (name,)):
                reveal(folder, name, [path.parent.name])
