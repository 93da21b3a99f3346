"""The empirical distribution of samples that all are known, and its quantiles.

Left out: samples of which only a lower bound is known, and intervals (see `samples`, `quantiles`).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


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
