r"""The values of one replica, of which some may be lower bounds, and the quantile of many replicas' values together.

A download that has not ended when the run does took longer than its age. Quantiles are those of the product limit
[Kaplan58]: with :math:`n_i` values or ages of at least :math:`t_i`,

.. math:: S(t) = \prod_{t_i \le t} (1 - 1/n_i)

over the values that are known; the quantile p is the least t with S(t) <= 1 - p, infinite if the ages leave S above
that. It is the convention of the columns of downloads in a result. Left out: ages that tell of the value (a run that
ends because of what is waited for).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

ROUNDING = 1e-9
"""How far a product of many fractions may be off."""


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

    values: Floats
    ended: Bools

    def __init__(self, values: ArrayLike, ended: ArrayLike = True) -> None:
        """Make a sample; by default every value is known."""
        numbers = np.asarray(values, dtype=float).ravel()
        flags = np.asarray(ended, dtype=bool).ravel()
        if flags.size == 1:
            flags = np.broadcast_to(flags, numbers.shape)
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
    values = np.concatenate([sample.values for sample in samples]) if samples else np.empty(0)
    if values.size == 0:
        return math.nan
    ended = np.concatenate([sample.ended for sample in samples])
    order = np.lexsort((~ended, values))
    values, ended = values[order], ended[order]
    at_risk = np.arange(values.size, 0, -1)
    survival = np.cumprod(np.where(ended, 1 - 1 / at_risk, 1.0))
    reached = np.flatnonzero(ended & (survival <= 1 - share + ROUNDING))
    return float(values[reached[0]]) if reached.size else math.inf


def check_share(share: float) -> None:
    """Refuse a share that no quantile has."""
    if not 0 < share <= 1:
        raise ValueError(f"share is {share}; it must be above 0 and at most 1")
