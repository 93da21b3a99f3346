"""Runs all pools and campaigns; writes the results as a table."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from airlink.measures import measure
from airlink.statistics import Precision

from .campaigns import Coverage, coverage, fixed, relative_width, true_value, until
from .cases import TIMEOUTS, Case, all_cases
from .pools import Pool, pool

RESULTS = Path(__file__).parents[1] / "results/coverage_simulated.csv"
RUNS = 30_000
CAMPAIGNS = 1000
SIZES = (10, 20, 50)
MORE = (100, 200)
"""For what is so skewed that fewer runs do not do."""

MOST = 500
"""The cap of campaigns that end when they are precise enough: `most` of the commands' default is 1000."""

REFERENCES = {"pages": ("pages-drained", "pages-longer"), "heavy": ("heavy-drained",)}
"""Cases whose downloads are cut off, and those that run on until all have ended, or ten times as long."""


def main() -> None:
    """Writes the results of all cases; their pools are kept in the folder that is named."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    cases = {case.name: case for case in all_cases(RUNS)}
    rows: list[Coverage] = []
    for name, case in cases.items():
        of_case = pool(case, folder)
        rows += own_truth(case, of_case)
        for reference in REFERENCES.get(name, ()):
            rows += another_truth(case, of_case, reference, pool(cases[reference], folder))
        write(rows)


def own_truth(case: Case, runs: Pool) -> Iterator[Coverage]:
    """Coverage of the closed form or of what the whole pool says."""
    for text in case.measures:
        truth = case.exact.get(text, true_value(runs, text))
        has_controls = measure(text).share is None and len(runs.names) > 0
        for size in SIZES + (MORE if text == TIMEOUTS else ()):
            yield coverage(case.name, text, "plain", truth, fixed(runs, text, size, CAMPAIGNS))
            if has_controls and size > len(runs.names) + 11:
                made = fixed(runs, text, size, CAMPAIGNS, controlled=True)
                yield coverage(case.name, text, "controls", truth, made)
        precision = Precision(relative_width(runs, text, 45))
        made = until(runs, text, precision, CAMPAIGNS, MOST)
        yield coverage(case.name, text, f"until {precision.half_width:.1%}", truth, made)
        if has_controls:
            made = until(runs, text, precision, CAMPAIGNS, MOST, controlled=True)
            yield coverage(case.name, text, f"until {precision.half_width:.1%}, controls", truth, made)


def another_truth(case: Case, runs: Pool, reference: str, longer: Pool) -> Iterator[Coverage]:
    """Coverage of what runs say that go on longer."""
    for text in longer.samples:
        for size in SIZES:
            made = fixed(runs, text, size, CAMPAIGNS)
            yield coverage(case.name, text, f"against {reference}", true_value(longer, text), made)


def write(rows: list[Coverage]) -> None:
    """Writes the results so far."""
    with RESULTS.open("w", newline="") as file:
        out = csv.DictWriter(file, list(asdict(rows[0])), lineterminator="\n")
        out.writeheader()
        for row in rows:
            shown = {name: f"{value:.4g}" if isinstance(value, float) else value for name, value in asdict(row).items()}
            out.writerow(shown)


if __name__ == "__main__":
    main()
