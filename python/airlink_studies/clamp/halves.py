"""The first and the second half of what was measured, beside one another, to see whether it had settled.

Runs over a wire hardly differ, so that intervals over seeds can be narrower than what a half that is no whole number of
swings moves a mean by: a difference below `GRAIN` is taken for none, and shown as such. Left out: what to do where it
had not settled.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from airlink.report import plus_minus
from airlink.statistics import Estimate, mean_interval
from airlink_studies.clamp.trajectories import Floats

GRAIN = 0.01
"""Of the mean: halves that are less apart agree, whatever their intervals (chosen)."""


@dataclass(frozen=True)
class Halves:
    """A number of either half of a measured window: arrays [seed]."""

    first: Floats
    second: Floats

    @property
    def estimates(self) -> tuple[Estimate, Estimate]:
        """Of either half."""
        return mean_interval(self.first), mean_interval(self.second)

    @property
    def overlap(self) -> bool:
        """Whether the two intervals overlap.

        >>> Halves(np.array([1.0, 2.0, 3.0]), np.array([2.0, 3.0, 4.0])).overlap
        True
        """
        one, other = self.estimates
        return one.low <= other.high and other.low <= one.high

    @property
    def agree(self) -> bool:
        """Whether they overlap, or are less apart than `GRAIN`."""
        return self.overlap or abs(self.apart) < GRAIN

    def cells(self, decimals: int) -> tuple[str, str, str, str]:
        """For a table: both, how far apart, and whether they agree: "yes", "1 %" (intervals are narrower), "NO"."""
        one, other = self.estimates
        verdict = "yes" if self.overlap else f"{100 * GRAIN:g} %" if self.agree else "NO"
        return plus_minus(one, decimals), plus_minus(other, decimals), f"{100 * self.apart:+.1f} %", verdict

    @property
    def apart(self) -> float:
        """Second less first half, relative to their mean."""
        one, other = float(np.mean(self.first)), float(np.mean(self.second))
        return 0.0 if one == other else 2 * (other - one) / (one + other)
