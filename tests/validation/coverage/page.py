"""The tables of docs/statistics.md, from the results that are checked in.

    PYTHONPATH=tests python -m validation.coverage.page

Prose is written by hand; what stands between `<!-- table NAME -->` and `<!-- end -->` is written here.
"""

from __future__ import annotations

import re
from pathlib import Path

from ..coverage_simulated import TABLES
from ..page import table
from . import least, results_of
from .campaigns import PARTS
from .tally import Coverage, read

PAGE = Path(__file__).parents[3] / "docs/statistics.md"
BY_SIZE = {"until", "until-others", "batches", "simulated-until"}
"""Parts whose campaigns have no common numbers of replicas."""
LEAST = "least"
"""The table of how many replicas it takes, from several parts."""


def coverage_table(part: str) -> str:
    """Coverage in percent; in brackets how many percent of the intervals have an infinite end, if any."""
    if part == LEAST:
        return least.of_parts()
    rows = read(results_of(part))
    return by_size(rows) if part in BY_SIZE else by_replicas(rows)


def by_replicas(rows: list[Coverage]) -> str:
    """A column for each number of replicas."""
    sizes = sorted({row.replicas for row in rows})
    found = {(row.case, row.method, row.replicas): cell(row) for row in rows}
    labels = list(dict.fromkeys((row.case, row.method) for row in rows))
    head = ["replicas", "", *(f"{size:g}" for size in sizes)]
    return table(head, [[*label, *(found.get((*label, size), "") for size in sizes)] for label in labels])


def by_size(rows: list[Coverage]) -> str:
    """A row for each number of replicas."""
    return table(
        ["", "", "replicas", "covered"], [[row.case, row.method, f"{row.replicas:.0f}", cell(row)] for row in rows]
    )


def cell(row: Coverage) -> str:
    """Coverage in percent, and infinite ends."""
    infinite = f" ({100 * row.infinite:.0f})" if row.infinite >= 0.005 else ""
    return f"{100 * row.covered:.1f}{infinite}"


def filled(page: str) -> str:
    """The page with its tables written anew."""
    return re.sub(
        r"(<!-- table ([\w-]+) -->\n).*?(<!-- end -->)",
        lambda found: f"{found[1]}\n{coverage_table(found[2])}\n\n{found[3]}",
        page,
        flags=re.DOTALL,
    )


def tables(page: str) -> list[str]:
    """The names of the tables of a page."""
    return re.findall(r"<!-- table ([\w-]+) -->", page)


if __name__ == "__main__":
    assert set(tables(PAGE.read_text())) == {LEAST, *PARTS, *TABLES}, "a part has no place on the page"
    PAGE.write_text(filled(PAGE.read_text()))
