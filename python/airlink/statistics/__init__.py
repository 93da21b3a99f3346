"""What many replicas say: intervals, paired comparisons, fairness, distributions.

Everything here is a pure function of arrays. Two scenarios run with the same seeds see the same channel, so
compare them pair by pair: the interval is several times narrower than that of two separate means.

Left out: bootstrap intervals, batch means for one long run, tests for many comparisons at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from airlink.result.estimate import Estimate, mean_interval, prediction_interval, t_half_width, t_quantile

__all__ = [
    "Estimate",
    "JainParts",
    "cdf",
    "coverage_rate",
    "jain_index",
    "jain_parts",
    "mean_interval",
    "mean_log_throughput",
    "paired_difference",
    "paired_ratio",
    "prediction_interval",
    "quantile",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


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
    low, high = _fieller(left, right, level)
    return Estimate(ratio, low, high, left.size, level)


def jain_index(shares: ArrayLike, axis: int = -1) -> Floats:
    r"""Jain's fairness index: 1 when all are equal, 1/n when one has everything.

    .. math:: J = (\sum x_i)^2 / (n \sum x_i^2)

    Parameters
    ----------
    shares : array [..., user], non-negative, any unit (usually goodput, b/s).
    axis : the axis of users, default the last.

    Returns
    -------
    array without that axis (0-d for one set of users), 1/n..1, dimensionless; NaN when nobody got anything.

    References
    ----------
    [Jain84] eq. (1).

    Examples
    --------
    >>> float(jain_index([1.0, 1.0, 1.0, 1.0]))
    1.0
    >>> float(jain_index([1.0, 0.0, 0.0, 0.0]))
    0.25
    """
    x = np.asarray(shares, dtype=float)
    square = np.sum(x * x, axis=axis) * x.shape[axis]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.sum(x, axis=axis) ** 2 / square)


@dataclass(frozen=True)
class JainParts:
    """Jain's index and its two factors; arrays [set], or of one set numbers in arrays of none dimension.

    Attributes
    ----------
    whole, within, across : dimensionless, NaN when nobody got anything.
    members, groups : how many count, and in how many groups they are.
    """

    whole: Floats
    within: Floats
    across: Floats
    members: Ints
    groups: Ints


def jain_parts(shares: ArrayLike, groups: ArrayLike, sets: ArrayLike | None = None) -> JainParts:
    r"""Jain's index as the product of that within groups and that across them.

    .. math:: J = \underbrace{\frac{\sum_g n_g \bar x_g^2}{\sum_i x_i^2}}_{J_\text{within}} \;
        \underbrace{\frac{(\sum_i x_i)^2}{n \sum_g n_g \bar x_g^2}}_{J_\text{across}}

    with :math:`n_g` members of group g and their mean :math:`\bar x_g`. Across is the index that would be left if every
    group shared equally what it has; within is the mean of the groups' own indices, harmonic, weighted by :math:`n_g
    \bar x_g^2`. Both are 1 at most. Since :math:`1/J - 1` is the squared coefficient of variation, twice the
    generalised entropy of order 2, they are that measure's exact decomposition: :math:`1/J - 1 = (1/J_\text{across} -
    1) + (1/J_\text{within} - 1) / J_\text{across}`.

    Parameters
    ----------
    shares : array [member], non-negative, any unit; NaN is left out.
    groups : array [member], the number of its group.
    sets : array [member], 0, 1, ...: which of several sets it belongs to, each judged by itself; default all are one.

    Returns
    -------
    JainParts; each an array [set] if `sets` was given.

    References
    ----------
    [Jain84] eq. (1) and its relation to the coefficient of variation; [Shorrocks80], c = 2.

    Examples
    --------
    >>> parts = jain_parts([3.0, 1.0, 2.0], [0, 0, 1])
    >>> round(float(parts.whole), 4), round(float(parts.within), 4), float(parts.across)
    (0.8571, 0.8571, 1.0)
    """
    x, group = np.asarray(shares, dtype=float), np.unique(np.asarray(groups), return_inverse=True)[1]
    which = np.zeros(x.size, dtype=np.int64) if sets is None else np.asarray(sets, dtype=np.int64)
    size = int(which.max(initial=-1)) + 1 if sets is not None else 1
    known = ~np.isnan(x)
    x, group, which = x[known], group[known], which[known]
    keys, cell = np.unique(which * (int(group.max(initial=0)) + 1) + group, return_inverse=True)
    own = keys // (int(group.max(initial=0)) + 1)
    count, total = np.bincount(cell, minlength=keys.size), np.bincount(cell, weights=x, minlength=keys.size)
    members, sums = (np.bincount(own, weights=each, minlength=size) for each in (count, total))
    levelled = np.bincount(own, weights=total * total / np.maximum(count, 1), minlength=size)
    squares = np.bincount(which, weights=x * x, minlength=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = (sums**2 / (members * squares), levelled / squares, sums**2 / (members * levelled))
    counts = (members.astype(np.int64), np.bincount(own, minlength=size))
    return JainParts(*(np.asarray(each if sets is not None else each[0]) for each in (*parts, *counts)))


def mean_log_throughput(goodput_bps: ArrayLike, axis: int = -1) -> Floats:
    r"""The proportional-fairness measure: mean over users of log10 of goodput in kB/s.

    .. math:: F = \frac1M \sum_i \log_{10}(\Gamma_i / 8000)

    Parameters
    ----------
    goodput_bps : array [..., user], b/s, >= 0.
    axis : the axis of users, default the last.

    Returns
    -------
    array without that axis, in log10(kB/s); -inf when a user got nothing.

    References
    ----------
    [Klein04] eq. (21); the base of the logarithm is ours (10 fits the paper's numbers, e does not).

    Examples
    --------
    >>> float(mean_log_throughput([8000.0, 800000.0]))
    1.0
    """
    rates = np.asarray(goodput_bps, dtype=float) / 8000.0
    with np.errstate(divide="ignore"):
        return np.asarray(np.mean(np.log10(rates), axis=axis))


def cdf(samples: ArrayLike) -> tuple[Floats, Floats]:
    """The empirical distribution: sorted samples and the share of samples at or below each.

    Parameters
    ----------
    samples : array, any shape and unit; NaN is left out.

    Returns
    -------
    (values [n], share [n]): values in the unit of the samples, share from 1/n to 1.

    Examples
    --------
    >>> values, share = cdf([3.0, 1.0])
    >>> values.tolist(), share.tolist()
    ([1.0, 3.0], [0.5, 1.0])
    """
    values = np.asarray(samples, dtype=float).ravel()
    values = np.sort(values[~np.isnan(values)])
    return values, np.arange(1, values.size + 1) / max(values.size, 1)


def quantile(samples: ArrayLike, share: float) -> float:
    """The smallest sample that at least that share of the samples do not exceed.

    An inverse of `cdf`, without interpolation: the answer is always one of the samples.

    Parameters
    ----------
    samples : array, any shape and unit; NaN is left out.
    share : 0..1 (0 gives the smallest sample).

    Returns
    -------
    float, in the unit of the samples; NaN without samples.

    Raises
    ------
    ValueError : share outside 0..1.

    Examples
    --------
    >>> quantile([10.0, 20.0, 30.0, 40.0], 0.5)
    20.0
    """
    if not 0 <= share <= 1:
        raise ValueError(f"share is {share}; it must lie in 0..1")
    values, _ = cdf(samples)
    if values.size == 0:
        return math.nan
    # 0.9 * 10 is 9.000000000000002 for some n: the tolerance keeps exact shares at their rank.
    rank = max(1, math.ceil(share * values.size - 1e-9))
    return float(values[rank - 1])


def coverage_rate(rates: ArrayLike, share: float = 0.9) -> float:
    r"""The rate that (at least) that share of users reach: the largest r with P(rate >= r) >= share.

    .. math:: \Gamma_{share} = \max \{ r : \#\{i : \Gamma_i \ge r\} \ge share \cdot n \}

    Parameters
    ----------
    rates : array, any shape and unit; NaN is left out. Usually the goodput of all users of all realizations.
    share : 0..1, default 0.9.

    Returns
    -------
    float, in the unit of the rates; NaN without rates.

    Raises
    ------
    ValueError : share outside 0..1.

    References
    ----------
    [Klein04] Table I, column Gamma_0.9.

    Examples
    --------
    >>> coverage_rate([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0])
    2.0
    """
    return -quantile(-np.asarray(rates, dtype=float), share)


def _pairs(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    left = np.asarray(a, dtype=float).ravel()
    right = np.asarray(b, dtype=float).ravel()
    if left.size != right.size:
        raise ValueError(f"pairs need equal lengths; there are {left.size} and {right.size} samples")
    if left.size == 0:
        raise ValueError("a paired comparison needs at least one pair")
    return left, right


def _fieller(a: Floats, b: Floats, level: float) -> tuple[float, float]:
    """The roots of the quadratic in rho whose inside is Fieller's interval."""
    ratio = float(np.mean(a) / np.mean(b))
    residual = a - ratio * b
    if t_half_width(residual, level) == 0.0:
        return ratio, ratio
    scale = t_quantile(a.size - 1, level) ** 2 / a.size
    cov = np.cov(a, b, ddof=1) * scale
    square = float(np.mean(b)) ** 2 - float(cov[1, 1])
    if square <= 0:
        return -math.inf, math.inf
    cross = float(np.mean(a) * np.mean(b)) - float(cov[0, 1])
    constant = float(np.mean(a)) ** 2 - float(cov[0, 0])
    root = math.sqrt(max(cross * cross - square * constant, 0.0))
    return (cross - root) / square, (cross + root) / square
