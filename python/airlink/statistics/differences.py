"""An arm of a comparison minus its baseline: absolute and relative, with intervals.

Means keep the Student form, so many standard errors to each side, and Fieller's for the relative difference; quantiles
have percentiles of resampled replicas. Left out: how many standard errors or which level, which depends on all arms
(see `simultaneous`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from airlink.result.estimate import Estimate

from .paired import fieller_ends
from .resampling import percentile_ends

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Difference:
    """An arm minus the baseline.

    Attributes
    ----------
    absolute : the difference, in the unit of the values.
    relative : the difference over the size of the baseline's, dimensionless. Its interval is infinite where the
        baseline is not clearly different from 0.
    note : what a reader must know of it, as why an interval is a point or infinite; "" if nothing.
    """

    absolute: Estimate
    relative: Estimate
    note: str = ""

    @property
    def never_happened(self) -> bool:
        """Whether what is counted was 0 in all replicas of both: they do not tell how rare it is."""
        return self.note.startswith(NEVER)


NEVER = "both are 0 in all "


def pair_differences(values: Floats, base: Floats) -> Floats:
    """Arm minus baseline [replica]; equal infinities are no difference, NaN where one is missing."""
    with np.errstate(invalid="ignore"):
        return np.where(values == base, 0.0, values - base)


def mean_difference(values: Floats, base: Floats, reach: float) -> Difference:
    """The mean of the known pairs' differences, `reach` standard errors to each side."""
    differences = pair_differences(values, base)
    known = ~np.isnan(differences)
    count = int(np.count_nonzero(known))
    values, base, differences = values[known], base[known], differences[known]
    missing = f"{known.size - count} of {known.size} replicas have no value" if count < known.size else ""
    if count == 0:
        return _unknown(math.nan, 0, missing)
    infinite = int(np.count_nonzero(~np.isfinite(differences)))
    with np.errstate(invalid="ignore"):
        mean = float(np.mean(differences))
    if infinite and infinite < count:
        return _unknown(mean, count, f"{infinite} of {count} replicas differ by an infinite amount")
    if count == 1:
        return _unknown(mean, 1, "one replica says nothing of the spread")
    relative = _relative(differences, base, reach)
    if infinite or float(np.ptp(differences)) == 0:
        note = missing or _why_a_point(values, base)
        return Difference(Estimate(mean, mean, mean, count), relative, note)
    half = reach * float(np.std(differences, ddof=1)) / math.sqrt(count)
    return Difference(Estimate(mean, mean - half, mean + half, count), relative, missing)


def _why_a_point(values: Floats, base: Floats) -> str:
    if values.any() or base.any():
        return f"all {values.size} replicas differ by the same amount"
    # The rule of three: what happens in a share of 3 / n of the replicas is missed by all n one time in twenty.
    return f"{NEVER}{values.size} replicas, which may miss what happens in up to 3 of {values.size}"


def _relative(differences: Floats, base: Floats, reach: float) -> Estimate:
    """The mean difference over the size of the baseline's mean, with Fieller's interval."""
    over = float(np.mean(base))
    if not differences.any():
        return Estimate(0.0, 0.0, 0.0, base.size)
    if over == 0 or not math.isfinite(over) or not np.isfinite(differences).all():
        return Estimate(math.nan, -math.inf, math.inf, base.size)
    # Of differences, not of arms: the ends of a small difference of large numbers would be lost in rounding.
    low, high = fieller_ends(differences, base, reach)
    mean = float(np.mean(differences)) / over
    return Estimate(mean, low, high, base.size) if over > 0 else Estimate(-mean, -high, -low, base.size)


def _unknown(mean: float, count: int, note: str) -> Difference:
    estimate = Estimate(mean, -math.inf, math.inf, count)
    return Difference(estimate, replace(estimate, mean=math.nan), note)


class Resampled(NamedTuple):
    """A quantile in each resample [resample]: its least and its greatest possible value, equal where it is known."""

    least: Floats
    greatest: Floats

    @staticmethod
    def of(quantiles: Floats, largest: float) -> Resampled:
        """From quantiles, inf beyond what is known (so above the largest value or age), NaN where there is none."""
        beyond = np.where(np.isnan(quantiles), -math.inf, largest)
        known = np.isfinite(quantiles)
        return Resampled(np.where(known, quantiles, beyond), np.where(known, quantiles, math.inf))

    def minus(self, base: Resampled) -> tuple[Floats, Floats]:
        """The least and the greatest that the difference can be, in each resample."""
        return self.least - base.greatest, self.greatest - base.least


def quantile_difference(
    points: tuple[float, float], arm: Resampled, base: Resampled, replicas: int, level: float
) -> Difference:
    """The difference of the quantiles of an arm and its baseline, from both in each resample."""
    low, high = arm.minus(base)
    mean = points[0] - points[1]
    absolute = Estimate(mean, *percentile_ends(low, high, level), replicas)
    known = base.least == base.greatest
    lowest, highest = (
        np.where(known, _over(each, base.least, end), end) for each, end in ((low, -math.inf), (high, math.inf))
    )
    share = float(_over(np.array([mean]), np.array(points[1:]), math.nan)[0])
    note = "" if math.isfinite(mean) else "a quantile lies beyond what is known"
    if absolute.low == absolute.high:
        note = note or "the quantiles differ by the same amount in all resamples"
    return Difference(absolute, Estimate(share, *percentile_ends(lowest, highest, level), replicas), note)


def _over(differences: Floats, sizes: Floats, unknown: float) -> Floats:
    """Differences as shares of a size: no difference is 0 of any size; inf / inf is not known."""
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.where(differences == 0, 0.0, differences / np.abs(sizes))
    return np.nan_to_num(shares, nan=unknown, posinf=math.inf, neginf=-math.inf)
