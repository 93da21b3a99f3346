"""Whether intervals hold the truth, on simulations: campaigns drawn from large pools of short runs.

    PYTHONPATH=tests python -m validation.coverage_simulated FOLDER

keeps the pools in FOLDER (some 20 MB, never checked in; half an hour of one core) and writes the tables `simulated`,
`simulated-until` and `simulated-equal` of `tests/validation/results/coverage`, which docs/statistics.md shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ..coverage.tally import Coverage
from . import equal_arms
from .campaigns import another_truth, own_truth
from .pools import pool
from .scenarios import scenarios

TABLES = ("simulated", "simulated-until", equal_arms.PART)
RUNS = 30_000

REFERENCES: Mapping[str, tuple[str, ...]] = {"pages": ("pages-drained", "pages-longer"), "heavy": ("heavy-drained",)}
"""Scenarios whose downloads are cut off -> those that run on until all have ended, or ten times as long."""


def rows(folder: Path, runs: int = RUNS) -> Iterator[Coverage]:
    """Every row of the table, from pools that are kept in a folder."""
    known = {each.name: each for each in scenarios(runs)}
    references = {name for names in REFERENCES.values() for name in names}
    for name, simulated in known.items():
        if name in references:
            continue
        of_runs = pool(simulated, folder)
        yield from own_truth(simulated, of_runs)
        for reference in REFERENCES.get(name, ()):
            longer = known[reference]
            yield from another_truth(simulated, of_runs, longer, pool(longer, folder))
    yield from equal_arms.rows()
