"""Joining stores: results of several, as of the shards of a job array, in one."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from airlink.result.errors import ResultError
from airlink.store import scenarios
from airlink.store.batch import remove, reveal, sync
from airlink.store.enter import enter, known_digests
from airlink.store.errors import StoreError, told
from airlink.store.garbage import owner_of
from airlink.store.join import Source, batches_of, entries_of, is_there, join
from airlink.store.key import Key
from airlink.store.manifest import FILE, Manifest, unsigned
from airlink.store.owner import Owner
from airlink.store.reading import Gone
from airlink.store.verify import Entry
from airlink.store.writer import differs


@dataclass
class Merged:
    """What was taken over.

    Attributes
    ----------
    results : that are new.
    known : that were there already, with the same digest.
    problems : what could not be read, a sentence each.
    """

    results: int = 0
    known: int = 0
    problems: list[str] = field(default_factory=list)


def merge(sources: Sequence[Path], into: Path) -> Merged:
    """Puts the results of stores into another one, which is made if need be. The sources stay as they are.

    Raises
    ------
    StoreError : two stores have different results of one scenario and seed (nothing is written then); a store can't be
        read or written.
    """
    merged = Merged()
    missing = next((source for source in sources if not (source / FILE).is_file()), None)
    if missing is not None:
        raise StoreError(f"{missing} holds no store: there is no {FILE} in it")
    opened = [Manifest(source, read_only=True) for source in sources]
    try:
        with closing(Manifest(into)) as target, told(into):
            _check_agreement([*opened, target])
            owner = Owner(into)
            with closing(owner):
                names = (f"{owner.token}-{number:06}" for number in itertools.count(1))
                for source in opened:
                    for batch in batches_of(source):
                        _take_over(source, batch, target, next(names), merged)
    finally:
        for source in opened:
            source.close()
    return merged


def _check_agreement(stores: Sequence[Manifest]) -> None:
    """Raises StoreError if two stores have different results of one scenario and seed."""
    query = "SELECT key, seed, digest FROM results JOIN scenarios ON scenario = id"
    known: dict[tuple[str, int], tuple[bytes, Manifest]] = {}
    for store in stores:
        for key, seed, digest in store.rows(query):
            before, other = known.setdefault((key, seed), (digest, store))
            if before != digest:
                raise differs(
                    str(other.folder), Key.parse(key), unsigned(seed), before.hex(), str(store.folder), digest.hex()
                )


def _take_over(source: Manifest, number: int, target: Manifest, name: str, merged: Merged) -> None:
    """Writes what is new of a batch to another store."""
    found = entries_of(source, number)
    if not is_there(source, number):
        # Joined to others meanwhile, which come later.
        return
    if found is None:
        merged.problems.append(f"{source.folder}: its manifest does not have all results of batch {number}")
        return
    batch, rows = found
    keys = dict(source.rows("SELECT id, key FROM scenarios"))
    held = [Entry(keys[row.scenario], unsigned(row.seed), row.digest.hex()) for row in rows]
    is_in = False
    while not is_in:
        known = known_digests(target, held)
        keep = np.array([entry[:2] not in known for entry in held], dtype=bool)
        if not keep.any():
            break
        try:
            new = join(target.folder, name, [Source(source.folder, batch, keep)])
            sync(target.folder, new)
            for key in {entry.key for entry in held}:
                _copy_scenario(source, target, key, owner_of(name), merged)
            kept = [entry for entry in held if entry[:2] not in known]
            is_in = enter(target, new, kept, max(row.stored_s for row in rows))
        except (ResultError, Gone) as error:
            if isinstance(error, StoreError):
                raise
            if not is_there(source, number):
                return
            merged.problems.append(f"{error}; its batch of {len(held)} results was left out")
            return
        finally:
            if not is_in:
                with suppress(OSError):
                    remove(target.folder, name, batch.rows)
        reveal(target.folder, name, batch.rows)
    merged.results += int(keep.sum())
    merged.known += int((~keep).sum())


def _copy_scenario(source: Manifest, target: Manifest, key: str, owner: str, merged: Merged) -> None:
    try:
        scenarios.copy(source.folder, target.folder, Key.parse(key), owner)
    except StoreError as error:
        merged.problems.append(str(error))
