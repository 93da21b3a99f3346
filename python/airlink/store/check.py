"""Checking a store, and building its manifest again from the tables and the scenarios.

What is damaged is put aside, never deleted; everything else is served.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np

from airlink.result.errors import ResultError
from airlink.store import scenarios
from airlink.store.aside import DAMAGED, move_aside, put_aside
from airlink.store.batch import TABLES, Batch, remove, reveal
from airlink.store.enter import enter, known_digests
from airlink.store.errors import StoreError, told
from airlink.store.garbage import living_owners, unnamed
from airlink.store.join import Source, batches_of, entries_of, is_there, join
from airlink.store.key import Key
from airlink.store.manifest import FILE, Manifest, unsigned
from airlink.store.owner import Owner
from airlink.store.reading import Gone
from airlink.store.verify import Entry, damage, entries, found_batch
from airlink.tables import BY_NAME


@dataclass
class Checked:
    """What a check has found.

    Attributes
    ----------
    digest : hash of all whole results: of their keys, seeds and digests.
    results, batches : how many are whole.
    problems : a sentence each.
    repaired : what was done about them, a sentence each.
    """

    digest: str = ""
    results: int = 0
    batches: int = 0
    problems: list[str] = field(default_factory=list)
    repaired: list[str] = field(default_factory=list)


def check(folder: Path) -> Checked:
    """Reads everything that a store holds and says what is wrong; changes nothing.

    Raises
    ------
    StoreError : there is no store, or one of a later version.
    """
    checked = Checked()
    try:
        manifest = _manifest(folder, read_only=True)
    except StoreError as error:
        if not (folder / TABLES).is_dir():
            raise
        checked.problems.append(str(error))
        return checked
    with closing(manifest):
        lines: set[str] = set()
        for each in _judged(manifest):
            _count(checked, each)
            lines.update(f"{entry.key} {entry.seed} {entry.digest}" for entry in each.entries if not each.why)
        # Those of a batch that another process joined to others meanwhile came twice.
        checked.results = len(lines)
        checked.digest = sha256("\n".join(sorted(lines)).encode()).hexdigest()
        for name, paths in unnamed(manifest).items():
            if any(path.suffix == ".parquet" for path in paths):
                held = ", ".join(sorted(path.parent.name for path in paths))
                checked.problems.append(f"{folder}: batch {name} ({held}) is not in {FILE}")
        checked.problems += _wrong_scenarios(manifest)
    return checked


def repair(folder: Path) -> Checked:
    """Puts aside what is damaged, and takes in what the manifest does not name; builds the manifest if need be.

    Raises
    ------
    StoreError : other processes write to the store; it can't be written.
    """
    if not (folder / TABLES).is_dir():
        _manifest(folder, read_only=True).close()
    if living_owners(folder):
        raise StoreError(f"{folder}: another process writes to this store; wait for it, then repair")
    checked = Checked()
    try:
        manifest = _manifest(folder, read_only=False)
    except StoreError as error:
        checked.problems.append(str(error))
        checked.repaired.append(_without_manifest(folder))
        manifest = Manifest(folder)
    with closing(manifest):
        for each in _judged(manifest):
            _count(checked, each)
            if each.why:
                put_aside(manifest, each.number, each.batch)
                checked.repaired.append(f"batch {each.batch.name} is put aside in {folder / DAMAGED}")
        with told(folder):
            owner = Owner(folder)
        with closing(owner):
            for name, paths in sorted(unnamed(manifest).items(), key=lambda each: -_size(each[1])):
                _take_in(manifest, name, paths, f"{owner.token}-{name}", checked)
        checked.problems += _wrong_scenarios(manifest)
    return checked


def _manifest(folder: Path, read_only: bool) -> Manifest:
    """A manifest that SQLite finds in order."""
    path = folder / FILE
    if not path.is_file() or path.stat().st_size == 0:
        raise StoreError(f"{path} is missing" if (folder / TABLES).is_dir() else f"{folder} holds no store")
    manifest = Manifest(folder, read_only, make=False)
    try:
        if manifest.rows("PRAGMA quick_check") != [("ok",)]:
            raise StoreError(f"{path} is damaged")
    except BaseException:
        manifest.close()
        raise
    return manifest


def _without_manifest(folder: Path) -> str:
    """Puts a damaged manifest aside."""
    kept = folder / DAMAGED
    with told(folder):
        kept.mkdir(exist_ok=True)
        place = next(number for number in range(1, 10**6) if not (kept / f"{FILE}.{number}").exists())
        for ending in ("-wal", "-shm", ""):
            with suppress(FileNotFoundError):
                os.replace(folder / f"{FILE}{ending}", kept / f"{FILE}.{place}{ending}")  # noqa: PTH105 - may be gone
    return f"{FILE} is built again; the old one, if any, is in {kept}"


class Judged(NamedTuple):
    """A batch of the manifest: its number, what it should hold, and what is wrong with it, if anything."""

    number: int
    batch: Batch
    entries: Sequence[Entry]
    why: str


def _judged(manifest: Manifest) -> Iterator[Judged]:
    """Every batch of the manifest."""
    keys = dict(manifest.rows("SELECT id, key FROM scenarios"))
    for number in batches_of(manifest):
        found = entries_of(manifest, number)
        if found is None:
            # Joined to others by another process meanwhile, or not all of its results are there.
            yield from _broken(manifest, number)
            continue
        batch, rows = found
        expected = [Entry(keys.get(row.scenario, ""), unsigned(row.seed), row.digest.hex()) for row in rows]
        why = damage(manifest.folder, batch, expected)
        if why and not is_there(manifest, number):
            continue
        yield Judged(number, batch, expected, why)


def _broken(manifest: Manifest, number: int) -> Iterator[Judged]:
    for (name,) in manifest.rows("SELECT name FROM batches WHERE id = ?", (number,)):
        batch = Batch(name, {}, [], np.array([], dtype=np.int64), dict.fromkeys(BY_NAME, 0))
        yield Judged(number, batch, [], f"{FILE} does not have all results of batch {name}")


def _count(checked: Checked, judged: Judged) -> None:
    if judged.why:
        checked.problems.append(f"{judged.why} ({len(judged.entries)} results)")
    else:
        checked.results += len(judged.entries)
        checked.batches += 1


def _wrong_scenarios(manifest: Manifest) -> list[str]:
    """What is wrong with the files of scenarios that have results."""
    problems = []
    query = "SELECT key FROM scenarios WHERE id IN (SELECT scenario FROM results)"
    for (key,) in manifest.rows(query):
        path = scenarios.path_of(manifest.folder, Key.parse(key))
        try:
            if scenarios.read(path)["key"] != key:
                problems.append(f"{path} is of another scenario")
        except StoreError as error:
            problems.append(str(error))
    return problems


def _take_in(manifest: Manifest, name: str, paths: Sequence[Path], new_name: str, checked: Checked) -> None:
    """Enters a batch that the manifest does not name, if it is whole and has anything new."""
    folder = manifest.folder
    tables = [path.parent.name for path in paths]
    stored_s = int(max(path.stat().st_mtime for path in paths))
    try:
        batch = found_batch(folder, name)
        expected = entries(folder, batch)
        why = damage(folder, batch, expected)
    except (Gone, ResultError, KeyError, ValueError, TypeError) as error:
        why = f"batch {name} is not whole ({error})"
    if why:
        # Hidden files alone are what a killed process had not finished: garbage.
        if any(path.suffix == ".parquet" for path in paths):
            checked.problems.append(why)
            checked.repaired.append(f"batch {name} is put aside in {folder / DAMAGED}")
            move_aside(folder, name, tables)
        return
    known = known_digests(manifest, expected)
    if any(known.get(entry[:2], entry.digest) != entry.digest for entry in expected):
        checked.problems.append(f"batch {name} has other results than those stored for the same scenarios and seeds")
        move_aside(folder, name, tables)
        return
    keep = np.array([entry[:2] not in known for entry in expected], dtype=bool)
    if not keep.all():
        joined = join(folder, new_name, [Source(folder, batch, keep)]) if keep.any() else None
        remove(folder, name, batch.rows)
        if joined is None:
            return
        batch = joined
    new = [entry for entry, kept in zip(expected, keep, strict=True) if kept]
    enter(manifest, batch, new, stored_s)
    reveal(folder, batch.name, batch.rows)
    checked.results += len(new)
    checked.batches += 1
    checked.repaired.append(f"batch {batch.name}: {len(new)} results are taken in")


def _size(paths: Sequence[Path]) -> int:
    return sum(path.stat().st_size for path in paths)
