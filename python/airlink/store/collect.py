"""Removing what nobody needs: garbage of killed processes, and results that the user wants no more.

What else is there stays: files in `damaged`, and files of tables that hold results which the manifest does not name.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from airlink.engine import engine_build
from airlink.result.errors import ResultError
from airlink.store import scenarios
from airlink.store.batch import path_of
from airlink.store.enter import known_digests
from airlink.store.errors import told
from airlink.store.garbage import living_owners, owner_of, reveal_named, unfinished_scenarios, unnamed
from airlink.store.join import JOINED, LARGE_BYTES, LARGE_RESULTS, rewrite
from airlink.store.key import Key
from airlink.store.manifest import Manifest, now_s
from airlink.store.owner import Owner, is_alive
from airlink.store.reading import Gone
from airlink.store.verify import entries, found_batch

DAY_S = 86_400


@dataclass
class Collected:
    """What was removed.

    Attributes
    ----------
    garbage_files, garbage_bytes : of killed processes.
    results, result_bytes : results that were not wanted any more, and the bytes of files that this gave back.
    joined : small batches that were joined to larger ones.
    kept : batches with results that the manifest does not name.
    """

    garbage_files: int = 0
    garbage_bytes: int = 0
    results: int = 0
    result_bytes: int = 0
    joined: int = 0
    kept: int = 0


def collect(folder: Path, other_versions: bool = False, older_days: float | None = None) -> Collected:
    """Removes garbage, and results when asked.

    Parameters
    ----------
    folder : of the store.
    other_versions : whether results of other versions of the engine go.
    older_days : results stored before so many days go; default none.
    """
    collected = Collected()
    with closing(Manifest(folder, make=False)) as manifest, told(folder):
        reveal_named(manifest)
        owner = Owner(folder)
        with closing(owner):
            names = iter(f"{owner.token}-{number:06}" for number in range(1, 10**6))
            _garbage(manifest, collected)
            if other_versions or older_days is not None:
                _unwanted(manifest, _test(manifest, other_versions, older_days), names, collected)
            _join_left(manifest, names, collected)
            if living_owners(folder) == [owner.token]:
                _without_results(manifest)
    return collected


def _garbage(manifest: Manifest, collected: Collected) -> None:
    for name, paths in unnamed(manifest).items():
        hidden = [path for path in paths if path.suffix == ".new"]
        if len(hidden) < len(paths) and not _is_stored_elsewhere(manifest, name):
            collected.kept += 1
            continue
        _remove(paths, collected)
    _remove(unfinished_scenarios(manifest.folder), collected)
    with manifest.changing() as connection:
        # Looked at now: somebody may have come just before.
        for (token,) in connection.execute("SELECT DISTINCT owner FROM claims").fetchall():
            if not is_alive(manifest.folder, token):
                connection.execute("DELETE FROM claims WHERE owner = ?", (token,))


def _remove(paths: Iterable[Path], collected: Collected) -> None:
    for path in paths:
        # Another process may remove it as well.
        with suppress(FileNotFoundError):
            size_bytes = path.stat().st_size
            path.unlink()
            collected.garbage_files += 1
            collected.garbage_bytes += size_bytes


def _is_stored_elsewhere(manifest: Manifest, name: str) -> bool:
    """Whether all results of files that the manifest does not name are stored in other files."""
    try:
        held = entries(manifest.folder, found_batch(manifest.folder, name))
    except (Gone, ResultError, KeyError, ValueError, TypeError):
        # Nothing that could be read: files whose other half was removed already, unless they are of results.
        return not path_of(manifest.folder, "cell", name).exists()
    known = known_digests(manifest, held)
    return all(known.get(entry[:2]) == entry.digest for entry in held)


def _test(manifest: Manifest, other_versions: bool, older_days: float | None) -> Callable[[int, int], bool]:
    """Whether a result, by its scenario's number and the second of storing, is wanted no more."""
    query = "SELECT id FROM scenarios WHERE version != ?"
    others = {number for (number,) in manifest.rows(query, (engine_build(),))} if other_versions else set()
    oldest_s = 0.0 if older_days is None else now_s() - older_days * DAY_S
    return lambda scenario, stored_s: scenario in others or stored_s < oldest_s


def _unwanted(
    manifest: Manifest, is_unwanted: Callable[[int, int], bool], names: Iterable[str], collected: Collected
) -> None:
    held = manifest.rows("SELECT batch, scenario, seed, stored_s FROM results")
    gone = {(scenario, seed): batch for batch, scenario, seed, stored_s in held if is_unwanted(scenario, stored_s)}
    sizes = dict(manifest.rows("SELECT id, bytes FROM batches"))
    for batch, name in zip(sorted(set(gone.values())), names, strict=False):
        made = rewrite(manifest, name, [batch], lambda scenario, seed: (scenario, seed) not in gone)
        if made is not None:
            collected.results += sum(number == batch for number in gone.values())
            collected.result_bytes += sizes[batch] - made.size_bytes


def _join_left(manifest: Manifest, names: Iterable[str], collected: Collected) -> None:
    """Joins the small batches that killed processes left."""
    living = living_owners(manifest.folder)
    query = "SELECT id, name, replicas FROM batches WHERE bytes < ? AND replicas < ? ORDER BY id"
    held = manifest.rows(query, (LARGE_BYTES, LARGE_RESULTS))
    small = [(number, replicas) for number, name, replicas in held if owner_of(name) not in living]
    while small:
        results = list(itertools.accumulate(replicas for _, replicas in small))
        # Others who write wait for each transaction.
        count = bisect_right(results, JOINED * LARGE_RESULTS)
        taken, small = [number for number, _ in small[:count]], small[count:]
        if len(taken) > 1 and rewrite(manifest, next(iter(names)), taken) is not None:
            collected.joined += count


def _without_results(manifest: Manifest) -> None:
    """Forgets scenarios that have no results."""
    with manifest.changing() as connection:
        query = "SELECT key FROM scenarios WHERE id NOT IN (SELECT scenario FROM results)"
        keys = [key for (key,) in connection.execute(query).fetchall()]
        connection.executemany("DELETE FROM scenarios WHERE key = ?", [(key,) for key in keys])
    for key in keys:
        scenarios.path_of(manifest.folder, Key.parse(key)).unlink(missing_ok=True)
