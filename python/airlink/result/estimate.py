"""A mean and the interval that holds it, from a few independent samples.

Student-t, so right for a handful of replicas as long as their mean is roughly normal. Left out: bootstrap,
correlated samples (batch means), correction for asking many questions of the same samples.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

CLOSED_FORM_UP_TO = 1000
"""Degrees of freedom up to which a quantile is that of the closed form; beyond, the expansion is as good."""
ENOUGH_STEPS = 100
"""Of a search that needs some five."""


@dataclass(frozen=True)
class Estimate:
    """A mean with its confidence interval.

    Attributes
    ----------
    mean : the estimate, in the unit of the samples.
    low, high : ends of the interval; infinite when one sample says nothing about the spread.
    n : number of samples.
    level : probability that an interval made this way holds the true mean, 0..1.
    """

    mean: float
    low: float
    high: float
    n: int
    level: float = 0.95

    @property
    def half_width(self) -> float:
        """Half of the interval's length."""
        return 0.0 if self.low == self.high else (self.high - self.low) / 2

    def __str__(self) -> str:
        if not math.isfinite(self.mean):
            return f"{self.mean:g}"
        if not math.isfinite(self.half_width):
            return f"{self.mean:.4g} +- ?"
        return f"{self.mean:.4g} +- {self.half_width:.2g}"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from airlink.result.rounding import interval_text

        return f"{interval_text(self)} <small>({100 * self.level:g} % interval, {self.n} samples)</small>"


def mean_interval(samples: ArrayLike, level: float = 0.95) -> Estimate:
    r"""The mean of independent samples with its Student-t interval.

    .. math:: \bar x \pm t_{n-1,(1+level)/2} \; s / \sqrt n

    One sample gives an infinite interval. A sample of -inf (a user who got nothing, in a mean of logarithms)
    makes the mean -inf for sure: the interval is that point. NaN in, NaN out.

    Parameters
    ----------
    samples : array [n], n >= 1, any unit.
    level : 0 < level < 1, default 0.95.

    Returns
    -------
    Estimate, in the unit of the samples.

    Raises
    ------
    ValueError : no samples, or a level outside (0, 1).

    References
    ----------
    [Student08].

    Examples
    --------
    >>> print(mean_interval([1.0, 2.0, 3.0]))
    2 +- 2.5
    >>> mean_interval([1.0, float("-inf")]).high
    -inf
    """
    values = np.asarray(samples, dtype=float).ravel()
    if values.size == 0:
        raise ValueError("mean_interval needs at least one sample")
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; it must lie between 0 and 1")
    with np.errstate(invalid="ignore"):
        mean = float(np.mean(values))
    if not math.isfinite(mean):
        return Estimate(mean, mean, mean, values.size, level)
    half = t_half_width(values, level)
    return Estimate(mean, mean - half, mean + half, values.size, level)


def prediction_interval(measured: Estimate, samples: int) -> Estimate:
    r"""Where the mean of so many new samples falls, given the mean and interval of the samples at hand.

    .. math:: \bar x \pm t_{n-1,(1+level)/2} \; s \, \sqrt{1/n + 1/m}

    It is the confidence interval, :math:`\sqrt{1 + n/m}` times as wide: exact for Student's interval of a mean, to
    first order for a ratio or a quantile, whose two halves are widened each by itself.

    Parameters
    ----------
    measured : estimate from n independent samples, with the interval of its level.
    samples : m >= 1, the number of new samples.

    Returns
    -------
    Estimate with the same mean, n and level; infinite where the confidence interval is.

    Raises
    ------
    ValueError : samples below 1.

    References
    ----------
    [Hahn91] ch. 4 (the mean of m future observations).

    Examples
    --------
    >>> print(prediction_interval(mean_interval([1.0, 2.0, 3.0]), 1))
    2 +- 5
    >>> print(prediction_interval(mean_interval([1.0, 2.0, 3.0]), 10**9))
    2 +- 2.5
    """
    if samples < 1:
        raise ValueError(f"samples is {samples}; it must be at least 1")
    if measured.low == measured.high:
        return measured
    wider = math.sqrt(1 + measured.n / samples)
    low = measured.mean - wider * (measured.mean - measured.low)
    high = measured.mean + wider * (measured.high - measured.mean)
    return Estimate(measured.mean, low, high, measured.n, measured.level)


@cache
def t_quantile(degrees_of_freedom: int, level: float) -> float:
    """How many standard errors the two-sided Student-t interval of that level reaches to each side.

    >>> round(t_quantile(10, 0.95), 3)
    2.228
    """
    far = _expanded(degrees_of_freedom, level)
    if degrees_of_freedom > CLOSED_FORM_UP_TO:
        return far
    low, high = 0.0, math.inf
    for _ in range(ENOUGH_STEPS):
        missing = level - _within(far, degrees_of_freedom)
        step = missing / (2 * _density(far, degrees_of_freedom))
        if abs(step) <= 1e-15 * far:
            break
        low, high = (far, high) if missing > 0 else (low, far)
        # Newton's step, but never out of what is known to hold the quantile.
        far = far + step if low < far + step < high else (low + high) / 2 if high < math.inf else 2 * far
    return far


def _expanded(degrees_of_freedom: int, level: float) -> float:
    """The quantile by powers of 1 / degrees of freedom about that of the normal distribution.

    References
    ----------
    [Abramowitz64] 26.7.5.
    """
    from statistics import NormalDist  # late: one run does not need it

    x = NormalDist().inv_cdf(min((1 + level) / 2, math.nextafter(1, 0)))
    terms = (
        x,
        (x**3 + x) / 4,
        (5 * x**5 + 16 * x**3 + 3 * x) / 96,
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
        (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160,
    )
    return float(sum(term / degrees_of_freedom**power for power, term in enumerate(terms)))


def _within(t: float, degrees_of_freedom: int) -> float:
    """The probability that a Student-t variable lies between -t and t: a finite sum for whole degrees of freedom.

    References
    ----------
    [Abramowitz64] 26.7.3 and 26.7.4.
    """
    angle = math.atan2(t, math.sqrt(degrees_of_freedom))
    odd = degrees_of_freedom % 2
    if degrees_of_freedom == 1:
        return 2 * angle / math.pi
    steps = np.arange(1, (degrees_of_freedom - 2 - odd) // 2 + 1)
    ratios = (2 * steps - 1 + odd) / (2 * steps + odd) * math.cos(angle) ** 2
    powers = math.sin(angle) * float(1 + np.cumprod(ratios).sum())
    return 2 / math.pi * (angle + math.cos(angle) * powers) if odd else powers


def _density(t: float, degrees_of_freedom: int) -> float:
    """Student's density at t."""
    half = degrees_of_freedom / 2
    scale = math.exp(math.lgamma(half + 0.5) - math.lgamma(half)) / math.sqrt(degrees_of_freedom * math.pi)
    return scale * math.exp(-(half + 0.5) * math.log1p(t * t / degrees_of_freedom))


def t_half_width(values: np.ndarray, level: float) -> float:
    """Half of the Student-t interval's length; infinite for one sample."""
    if values.size < 2:
        return math.inf
    spread = float(np.std(values, ddof=1))
    return t_quantile(values.size - 1, level) * spread / math.sqrt(values.size)
