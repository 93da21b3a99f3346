"""What a comparison says of an arm: how far from the baseline, and the verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from airlink.statistics import Difference


@dataclass(frozen=True)
class Judged:
    """How far an arm is from the baseline.

    Attributes
    ----------
    difference : `statistics.Difference`: `absolute` in the measure's unit, `relative` to the size of the baseline's,
        0.1 for 10 % more. The intervals of all arms hold at once.
    verdict : "better", "worse", "equivalent" or "undecided"; "higher" or "lower" where a measure has no good end. Empty
        for an exploratory measure.
    """

    difference: Difference
    verdict: str = ""
