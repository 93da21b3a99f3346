"""Whether intervals hold the truth, on synthetic replicas whose truth is known exactly.

    PYTHONPATH=tests python -m validation.coverage

writes `tests/validation/results/coverage` (half an hour), from which docs/statistics.md has its tables.
"""

from __future__ import annotations

from pathlib import Path

RESULTS = Path(__file__).parent.parent / "results" / "coverage"


def results_of(part: str) -> Path:
    """The table of a part."""
    return RESULTS / f"{part}.csv"
