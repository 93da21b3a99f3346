"""A mean over replicas with its Student-t interval.

Replicas are the unit: one number each. Left out: several values per replica (see `quantiles`).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from airlink.result.estimate import Estimate, mean_interval


def replica_mean(values: ArrayLike, level: float = 0.95) -> Estimate:
    """The mean over replicas with its Student-t interval; replicas without a value are left out.

    Parameters
    ----------
    values : array [replica], any unit; NaN: this replica has none.
    level : 0 < level < 1, default 0.95.

    Returns
    -------
    Estimate, in the unit of the values; n counts the replicas that have one. NaN if none has.

    Raises
    ------
    ValueError : a level outside (0, 1).

    References
    ----------
    [Student08].

    Examples
    --------
    >>> estimate = replica_mean([1.0, 2.0, float("nan"), 3.0])
    >>> print(estimate, estimate.n)
    2 +- 2.5 3
    """
    numbers = np.asarray(values, dtype=float).ravel()
    numbers = numbers[~np.isnan(numbers)]
    return mean_interval(numbers, level) if numbers.size else Estimate(math.nan, math.nan, math.nan, 0, level)
