"""The values of one replica, of which some may be only lower bounds.

A download that has not ended when the run does takes longer than its age. Left out: ages that tell of the value (a run
that ends because of what is waited for).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False, init=False)
class Sample:
    """The values of one replica.

    Attributes
    ----------
    values : array [value], any unit; NaN is left out when the sample is made.
    ended : array [value]; False: the value is only a lower bound, as the age of a download that did not end.

    Raises
    ------
    ValueError : `ended` has another length than `values`.

    Examples
    --------
    >>> Sample([0.2, 31.0], [True, False]).ended.tolist()
    [True, False]
    >>> Sample([3.0, float("nan")]).values.tolist()
    [3.0]
    """

    values: NDArray[np.float64]
    ended: NDArray[np.bool_]

    def __init__(self, values: ArrayLike, ended: ArrayLike = True) -> None:
        """Make a sample; by default every value is known."""
        numbers = np.asarray(values, dtype=float).ravel()
        flags = np.asarray(ended, dtype=bool)
        flags = np.broadcast_to(flags, numbers.shape) if flags.ndim == 0 else flags.ravel()
        if flags.size != numbers.size:
            raise ValueError(f"a sample has {numbers.size} values, but ended has {flags.size}")
        known = ~np.isnan(numbers)
        object.__setattr__(self, "values", numbers[known])
        object.__setattr__(self, "ended", flags[known])


def pooled_quantile(samples: Sequence[Sample], share: float) -> float:
    """The quantile of all replicas' values together, by the product limit.

    Parameters
    ----------
    samples : one per replica.
    share : 0 < share <= 1.

    Returns
    -------
    float, in the unit of the samples; always one of the values that ended, or inf where it lies beyond what is known;
    NaN without values.

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
    values, shares = pooled_cdf(samples)
    if not any(sample.values.size for sample in samples):
        return math.nan
    reached = np.flatnonzero(shares >= share - ROUNDING)
    return float(values[reached[0]]) if reached.size else math.inf


def pooled_cdf(samples: Sequence[Sample]) -> tuple[Floats, Floats]:
    """The distribution of all replicas' values together, by the product limit.

    Parameters
    ----------
    samples : one per replica.

    Returns
    -------
    (values [n], share [n]): the values that ended, sorted, and the share at or below each, which stays below 1 where
    the largest value is a lower bound.

    References
    ----------
    [Kaplan58].

    Examples
    --------
    >>> values, share = pooled_cdf([Sample([1.0, 2.0]), Sample([3.0, 4.0], [True, False])])
    >>> values.tolist(), share.tolist()
    ([1.0, 2.0, 3.0], [0.25, 0.5, 0.75])
    """
    values = np.concatenate([sample.values for sample in samples]) if samples else np.empty(0)
    ended = np.concatenate([sample.ended for sample in samples]) if samples else np.empty(0, dtype=bool)
    order = np.lexsort((~ended, values))
    values, ended = values[order], ended[order]
    survival = np.cumprod(np.where(ended, 1 - 1 / np.arange(values.size, 0, -1), 1.0))
    return values[ended], 1 - survival[ended]


def check_share(share: float) -> None:
    """Refuse a share that no quantile has."""
    if not 0 < share <= 1:
        raise ValueError(f"share is {share}; it must be above 0 and at most 1")
