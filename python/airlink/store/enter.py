"""Entering results in a manifest that come from files: of another store, or of a store whose manifest lacks them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from airlink.store import scenarios
from airlink.store.batch import Batch
from airlink.store.errors import StoreError
from airlink.store.key import Key
from airlink.store.manifest import Manifest, enter_batch, scenario_number, signed
from airlink.store.verify import Entry

DIGEST_OF = "SELECT digest FROM results JOIN scenarios ON scenario = id WHERE key = ? AND seed = ?"


def known_digests(manifest: Manifest, entries: Sequence[Entry]) -> dict[tuple[str, int], str]:
    """The digests of those that are stored, by key and seed."""
    found = {}
    for key, seed, _ in entries:
        for (digest,) in manifest.rows(DIGEST_OF, (key, signed(seed))):
            found[key, seed] = digest.hex()
    return found


def enter(manifest: Manifest, batch: Batch, new: Sequence[Entry], stored_s: int) -> bool:
    """Enters a batch of results, whose scenarios have their files; false if another process has stored one of them."""
    described = {key: _name_and_version(manifest.folder, key) for key in {entry.key for entry in new}}
    with manifest.changing() as connection:
        if any(connection.execute(DIGEST_OF, (key, signed(seed))).fetchone() for key, seed, _ in new):
            return False
        known = {key: scenario_number(connection, Key.parse(key), *told) for key, told in described.items()}
        rows = [(known[key], signed(seed), bytes.fromhex(digest), stored_s) for key, seed, digest in new]
        enter_batch(connection, batch, rows)
    return True


def _name_and_version(folder: Path, key: str) -> tuple[str, str]:
    try:
        told = scenarios.read(scenarios.path_of(folder, Key.parse(key)))
    except StoreError:
        return "", "unknown"
    return told["name"], told["version"]
