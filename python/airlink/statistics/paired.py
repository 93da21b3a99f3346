"""Two arms run with the same seeds: their difference and their ratio, pair by pair.

Two scenarios run with the same seeds see the same channel, so compare them pair by pair: the interval is several
times narrower than that of two separate means. Left out: more than one other arm (see `simultaneous`).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from airlink.result.estimate import Estimate, mean_interval, t_quantile

Floats = NDArray[np.float64]


def paired_difference(a: ArrayLike, b: ArrayLike, level: float = 0.95) -> Estimate:
    r"""The mean of a - b with its Student-t interval, samples paired by seed.

    .. math:: \bar d \pm t_{n-1}\; s_d / \sqrt n, \quad d_i = a_i - b_i

    Parameters
    ----------
    a, b : arrays [seed], same unit, same seeds in the same order.
    level : 0 < level < 1, default 0.95.

    Returns
    -------
    Estimate, in the unit of a and b. Pairs in which both are the same infinity count as equal.

    Raises
    ------
    ValueError : lengths differ, or no samples.

    References
    ----------
    [Law15] sec. 10.2.1 (the paired-t interval).

    Examples
    --------
    >>> print(paired_difference([3.0, 5.0, 7.0], [2.0, 4.0, 6.0]))
    1 +- 0
    """
    left, right = _pairs(a, b)
    with np.errstate(invalid="ignore"):
        difference = np.where(left == right, 0.0, left - right)
    return mean_interval(difference, level)


def paired_ratio(a: ArrayLike, b: ArrayLike, level: float = 0.95) -> Estimate:
    r"""The ratio of the means of a and b, samples paired by seed, with Fieller's interval.

    .. math:: \left\{ \rho : (\bar a - \rho \bar b)^2 \le t_{n-1}^2\, s^2_{a - \rho b} / n \right\}

    The ratio of means, as papers print it, not the mean of the ratios, which leans to the seeds with a small b.
    Exact for normal pairs. Where the mean of b is not clearly different from 0 the interval is infinite.

    Parameters
    ----------
    a, b : arrays [seed], same unit, same seeds in the same order.
    level : 0 < level < 1, default 0.95.

    Returns
    -------
    Estimate, dimensionless.

    Raises
    ------
    ValueError : lengths differ, no samples, or the mean of b is 0.

    References
    ----------
    [Fieller54].

    Examples
    --------
    >>> print(paired_ratio([3.8, 4.1, 4.1], [1.9, 2.0, 2.1]))
    2 +- 0.13
    >>> paired_ratio([2.0, 4.0], [1.0, 2.0]).low
    2.0
    """
    left, right = _pairs(a, b)
    if float(np.mean(right)) == 0.0:
        raise ValueError("paired_ratio: the mean of the denominator is 0")
    ratio = float(np.mean(left) / np.mean(right))
    if not math.isfinite(ratio):
        return Estimate(ratio, ratio, ratio, left.size, level)
    if left.size < 2:
        return Estimate(ratio, -math.inf, math.inf, left.size, level)
    if float(np.std(left - ratio * right)) == 0.0:
        return Estimate(ratio, ratio, ratio, left.size, level)
    low, high = fieller_ends(left, right, t_quantile(left.size - 1, level))
    return Estimate(ratio, low, high, left.size, level)


def fieller_ends(a: Floats, b: Floats, reach: float) -> tuple[float, float]:
    """The roots of the quadratic in rho whose inside is Fieller's interval, so many standard errors to each side."""
    cov = np.cov(a, b, ddof=1) * (reach**2 / a.size)
    square = float(np.mean(b)) ** 2 - float(cov[1, 1])
    if not square > 0:
        return -math.inf, math.inf
    cross = float(np.mean(a) * np.mean(b)) - float(cov[0, 1])
    constant = float(np.mean(a)) ** 2 - float(cov[0, 0])
    root = math.sqrt(max(cross * cross - square * constant, 0.0))
    return (cross - root) / square, (cross + root) / square


def _pairs(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    left = np.asarray(a, dtype=float).ravel()
    right = np.asarray(b, dtype=float).ravel()
    if left.size != right.size:
        raise ValueError(f"pairs need equal lengths; there are {left.size} and {right.size} samples")
    if left.size == 0:
        raise ValueError("a paired comparison needs at least one pair")
    return left, right
