"""The mean of one long run, from means of batches that are nearly independent.

It says how well this realization's own mean is known; nothing of another placement or another seed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from airlink.result.estimate import Estimate, mean_interval

BATCHES = 20
LABEL = "this realization only"


@dataclass(frozen=True)
class BatchMeans:
    """A mean over the time of one run.

    Attributes
    ----------
    estimate : with the interval of its batches, n of them; in the unit of the values.
    size : values a batch.
    lag_1 : correlation of neighbouring batch means, -1..1; NaN if they are all equal.
    is_correlated : more than independent batches show: the interval is too short, the run too.
    label : what the interval is about: "this realization only".
    """

    estimate: Estimate
    size: int
    lag_1: float
    is_correlated: bool
    label: str = LABEL


def batch_means(values: ArrayLike, batches: int = BATCHES, level: float = 0.95) -> BatchMeans:
    r"""The mean of one realization, with the Student-t interval of the means of equal, non-overlapping batches.

    Neighbouring batches are taken as correlated when their correlation of lag 1 is above
    :math:`1.645 / \sqrt n`, what independent ones exceed one time in twenty.

    Parameters
    ----------
    values : array [time] of equal steps, after the warm-up; any unit. What is left of the last batch is left out.
    batches : >= 2, default 20.
    level : 0 < level < 1, default 0.95.

    Returns
    -------
    BatchMeans.

    Raises
    ------
    ValueError : fewer than two batches, fewer values than batches, or a value that is not finite.

    References
    ----------
    [Schmeiser82]; [Law15] sec. 9.5.3.

    Examples
    --------
    >>> found = batch_means([1.0, 3.0, 2.0, 2.0, 3.0, 1.0, 1.0, 3.0] * 10)
    >>> print(found.estimate, found.label)
    2 +- 0 this realization only
    """
    series = np.asarray(values, dtype=float).ravel()
    if batches < 2:
        raise ValueError(f"batches is {batches}; it must be at least 2")
    if series.size < batches:
        raise ValueError(f"{batches} batches need as many values; there are {series.size}")
    if not np.isfinite(series).all():
        raise ValueError("a series for batch means must be finite")
    size = series.size // batches
    means = series[: batches * size].reshape(batches, size).mean(axis=1)
    centred = means - means.mean()
    power = float(centred @ centred)
    lag_1 = float(centred[1:] @ centred[:-1]) / power if power > 0 else math.nan
    return BatchMeans(mean_interval(means, level), size, lag_1, lag_1 > 1.645 / math.sqrt(batches))
