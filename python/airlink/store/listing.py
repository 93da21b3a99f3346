"""What a store holds, scenario by scenario."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from airlink.store.key import SHORT, Key
from airlink.store.manifest import Manifest, unsigned


@dataclass(frozen=True)
class StoredScenario:
    """The results of one scenario with one set of series.

    Attributes
    ----------
    key : of the scenario, the series and the engine version.
    name : of the scenario, as it was first put; empty without one.
    version : of the engine.
    seeds : those stored, ascending.
    size_bytes : about how much of the files they take.
    stored_s : when the last one was stored, in seconds since 1970.
    """

    key: str
    name: str
    version: str
    seeds: tuple[int, ...]
    size_bytes: int
    stored_s: int

    @property
    def short(self) -> str:
        """The first letters of the key, which people read and type."""
        return self.key[:SHORT]

    @property
    def record(self) -> tuple[str, ...]:
        """Kinds of series."""
        return Key.parse(self.key).record

    @property
    def seeds_text(self) -> str:
        """The seeds as ranges: "1-20, 25"."""
        runs = itertools.groupby(enumerate(self.seeds), key=lambda each: each[1] - each[0])
        bounds = [(run[0][1], run[-1][1]) for _, each in runs if (run := list(each))]
        return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in bounds)


def listed(manifest: Manifest) -> list[StoredScenario]:
    """All scenarios that have results; the latest last."""
    seeds: dict[int, list[int]] = {}
    for number, seed in manifest.rows("SELECT scenario, seed FROM results ORDER BY scenario, seed"):
        seeds.setdefault(number, []).append(seed)
    sizes = """
        SELECT scenario, sum(own * 1.0 / replicas * bytes), max(stored_s) FROM
            (SELECT scenario, batch, count(*) AS own, max(stored_s) AS stored_s FROM results GROUP BY scenario, batch)
            JOIN batches ON batch = id GROUP BY scenario
    """
    told = {number: (round(size), stored_s) for number, size, stored_s in manifest.rows(sizes)}
    found = [
        StoredScenario(key, name, version, _unsigned(seeds[number]), *told.get(number, (0, 0)))
        for number, key, name, version in manifest.rows("SELECT id, key, name, version FROM scenarios ORDER BY id")
        if number in seeds
    ]
    return sorted(found, key=lambda each: each.stored_s)


def _unsigned(seeds: Sequence[int]) -> tuple[int, ...]:
    return tuple(seeds) if seeds[0] >= 0 else tuple(sorted(map(unsigned, seeds)))
