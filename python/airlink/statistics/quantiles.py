r"""Quantiles of all replicas' values together, with intervals over replicas.

Values of one run are not independent, so the replica is what varies. How far the share of values up to the quantile
moves when replica i counts a little more is its influence :math:`I_i` (the infinitesimal jackknife, what resampling of
replicas tends to [Efron82]); the share is known up to

.. math:: h = t_{n-1}\; \sqrt{\frac{n}{n-1} \sum_i I_i^2}

and the interval reaches from the quantile p - h to the quantile p + h [Woodruff52]. Where p + h is above 1, or above
what ended, the upper end is infinite: so few values say nothing of it. Where p - h is above what ended, the lower end
is the largest value or age. Percentiles of resampled quantiles never leave the values there are and cover far less
(docs/statistics.md). Left out: smoothing, so ends are always among the values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from airlink.result.estimate import Estimate, t_quantile

from .product_limit import ProductLimit, check_share
from .samples import Sample

Floats = NDArray[np.float64]


def pooled_quantile(samples: Sequence[Sample], share: float) -> float:
    """The quantile of all replicas' values together, by the product limit.

    Parameters
    ----------
    samples : one per replica.
    share : 0 < share <= 1.

    Returns
    -------
    float, in the unit of the samples: one of the values that ended, or inf where it lies beyond what is known; NaN
    without values.

    Raises
    ------
    ValueError : share outside (0, 1].

    References
    ----------
    [Kaplan58].

    Examples
    --------
    >>> pooled_quantile([Sample([1.0, 2.0]), Sample([3.0, 4.0])], 0.5)
    2.0
    >>> pooled_quantile([Sample([0.05] * 5), Sample([31.0], [False])], 0.95)
    inf
    """
    check_share(share)
    return ProductLimit.of(samples).quantile(share) if samples else math.nan


def quantile_interval(samples: Sequence[Sample], share: float, level: float = 0.95) -> Estimate:
    """The quantile of all replicas' values together, with its interval over replicas.

    Parameters
    ----------
    samples : one per replica, independent of one another; any unit.
    share : 0 < share <= 1: 0.95 is the 95th percentile.
    level : 0 < level < 1, default 0.95.

    Returns
    -------
    Estimate, in the unit of the samples; n counts the replicas that have a value. An end is infinite where the values
    say nothing of it, both for one replica; NaN without values. The quantile itself is inf beyond what is known.

    Raises
    ------
    ValueError : share outside (0, 1], or level outside (0, 1).

    References
    ----------
    [Woodruff52]; [Efron82]; [Kaplan58].

    Examples
    --------
    >>> runs = [Sample(range(start, start + 50)) for start in range(10)]
    >>> estimate = quantile_interval(runs, 0.5)
    >>> estimate.mean, estimate.low, estimate.high, estimate.n
    (29.0, 27.0, 31.0, 10)
    >>> quantile_interval(runs, 0.999).high
    inf
    """
    check_share(share)
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; it must lie between 0 and 1")
    runs = [sample for sample in samples if sample.values.size]
    if not runs:
        return Estimate(math.nan, math.nan, math.nan, 0, level)
    pool = ProductLimit.of(runs)
    point = pool.quantile(share)
    if len(runs) == 1:
        return Estimate(point, -math.inf, math.inf, 1, level)
    influence = influence_on_share(pool, len(runs), share, point)
    spread = math.sqrt(len(runs) / (len(runs) - 1) * float(influence @ influence))
    half = t_quantile(len(runs) - 1, level) * spread
    low = pool.quantile(share - half) if share > half else -math.inf
    # Beyond what is known: above every value and age.
    low = min(low, float(pool.values[-1]))
    return Estimate(point, low, pool.above(share + half), len(runs), level)


def influence_on_share(pool: ProductLimit, replicas: int, share: float, point: float) -> Floats:
    """How far each replica moves the share of values up to the quantile, [replica]; their sum is 0.

    Between the shares just below the quantile and at it, where it jumps past `share`, influences are interpolated.
    """
    if math.isinf(point):
        return _influence(pool, replicas, pool.values.size)
    first = int(np.searchsorted(pool.values, point, side="left"))
    last = int(np.searchsorted(pool.values, point, side="right"))
    before = float(pool.survival[first - 1]) if first else 1.0
    part = min(max((1 - share - float(pool.survival[last - 1])) / (before - float(pool.survival[last - 1])), 0.0), 1.0)
    return part * _influence(pool, replicas, first) + (1 - part) * _influence(pool, replicas, last)


def _influence(pool: ProductLimit, replicas: int, count: int) -> Floats:
    """How far each replica moves the share of the first `count` values: the derivative of the product limit."""
    if count == 0:
        return np.zeros(replicas)
    begins = np.concatenate([[True], pool.values[1:] > pool.values[:-1]])
    deaths = np.add.reduceat(pool.ended.astype(float), np.flatnonzero(begins))
    at_risk = pool.values.size - np.flatnonzero(begins)
    # Where all that are left end at once, nobody moves the share, which is 1 then.
    remain = np.where(at_risk > deaths, at_risk - deaths, math.inf)
    tie = np.cumsum(begins) - 1
    exposed = np.cumsum(deaths / (at_risk * remain))[tie]
    moved = pool.ended / remain[tie] - exposed
    moved[count:] = -exposed[count - 1]
    return np.asarray(pool.survival[count - 1] * np.bincount(pool.owner, weights=moved, minlength=replicas))
