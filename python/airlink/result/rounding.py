"""Numbers with their intervals as text, rounded to two digits of the interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from airlink.result.estimate import Estimate

UNKNOWN = "?"
"""Stands for an end that the samples do not tell."""


def interval_text(estimate: Estimate, by: float = 1.0) -> str:
    """A number and its interval, rounded to two digits of the interval.

    An end that is not known, as where more seeds are needed to tell, is a question mark.

    >>> from airlink.result import Estimate
    >>> interval_text(Estimate(12.345, 11.0, 13.69, 20)), interval_text(Estimate(3.0, 2.9, 3.4, 20))
    ('12.3 ± 1.3', '3.00 [2.90, 3.40]')
    >>> interval_text(Estimate(24.0, -math.inf, 49.0, 8)), interval_text(Estimate(math.inf, 8.1, math.inf, 8))
    ('24 [?, 49]', '? [8.1, ?]')
    >>> interval_text(Estimate(5.0, -math.inf, math.inf, 1)), interval_text(Estimate(math.nan, 0, 0, 0))
    ('5 ± ?', '-')
    """
    mean, low, high = estimate.mean / by, estimate.low / by, estimate.high / by
    if math.isnan(mean):
        return "-"
    if low == high:
        return f"{mean:.4g}" + " ± 0" * math.isfinite(mean)
    reach = reach_of(mean, low, high)
    if not reach:
        return f"{mean:.4g} ± ?" if math.isfinite(mean) else UNKNOWN
    decimals = decimals_of(max(reach))
    if math.isclose(mean - low, high - mean, rel_tol=1e-6):
        return f"{mean:.{decimals}f} ± {high - mean:.{decimals}f}"
    return f"{end_text(mean, decimals)} [{end_text(low, decimals)}, {end_text(high, decimals)}]"


def reach_of(mean: float, low: float, high: float) -> list[float]:
    """How far the known ends are from the mean; where that is not known, how far from 0."""
    return [abs(end - mean) if math.isfinite(mean) else abs(end) for end in (low, high) if math.isfinite(end)]


def end_text(value: float, decimals: int, sign: str = "") -> str:
    """An end of an interval, or a question mark where it is not known."""
    return f"{value:{sign}.{decimals}f}" if math.isfinite(value) else UNKNOWN


def decimals_of(width: float) -> int:
    """So many that two digits of a width are shown, and no fewer than none."""
    return 0 if width <= 0 else min(max(0, 1 - math.floor(math.log10(width))), 9)
