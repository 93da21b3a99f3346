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
