"""How often intervals held the truth, as rows of a table that is checked in."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np

from airlink.statistics import Estimate


@dataclass(frozen=True)
class Coverage:
    """What became of many campaigns.

    Attributes
    ----------
    part : of the table.
    case : what was drawn.
    method : what was asked.
    replicas : of a campaign; the mean over campaigns where they differ.
    campaigns : how many.
    covered : share of the campaigns whose interval, or all of whose intervals, hold the truth.
    below, above : shares whose interval lies wholly below or above it.
    infinite : share whose interval has an infinite end.
    half_width : the median over campaigns, in the unit of the truth.
    """

    part: str
    case: str
    method: str
    replicas: float
    campaigns: int
    covered: float
    below: float
    above: float
    infinite: float
    half_width: float


@dataclass(frozen=True)
class Case:
    """Where a row stands."""

    part: str
    case: str
    method: str


def tally(case: Case, truth: float, estimates: list[Estimate], replicas: float | None = None) -> Coverage:
    """Count the intervals that hold the truth."""
    low, high = (np.array([getattr(each, name) for each in estimates]) for name in ("low", "high"))
    below, above = float(np.mean(high < truth)), float(np.mean(low > truth))
    known = np.isfinite(low) & np.isfinite(high)
    infinite = float(np.mean(~known))
    half = float(np.median(np.where(known, np.subtract(high, low, where=known, out=np.ones_like(low)), math.inf))) / 2
    count = float(np.mean([each.n for each in estimates])) if replicas is None else replicas
    return Coverage(
        **asdict(case),
        replicas=round(count, 1),
        campaigns=len(estimates),
        covered=round(1 - below - above, 4),
        below=below,
        above=above,
        infinite=infinite,
        half_width=float(f"{half:.3g}"),
    )


def spread(covers: float, campaigns: int) -> float:
    """One standard error of the share of so many campaigns that cover with that probability."""
    return math.sqrt(covers * (1 - covers) / campaigns)


def write(rows: Iterable[Coverage], file: Path) -> None:
    """As CSV, row by row."""
    with file.open("w", newline="") as out:
        lines = csv.writer(out, lineterminator="\n")
        lines.writerow([field.name for field in fields(Coverage)])
        for row in rows:
            lines.writerow(list(asdict(row).values()))
            out.flush()


def read(file: Path) -> list[Coverage]:
    """What `write` wrote."""
    texts = {"part", "case", "method"}
    with file.open(newline="") as stored:
        return [
            Coverage(**{name: text if name in texts else float(text) for name, text in row.items()})  # type: ignore[arg-type]
            for row in csv.DictReader(stored)
        ]
