"""How much of the beginning of a run to leave out: MSER-5.

The rule cuts where what remains has the smallest standard error of its mean, as if its values were independent: too
early a cut leaves the bias of the start in the variance, too late a one leaves few values [White97]. Left out: runs
whose question is the start itself, and downloads, which are counted by when they were requested.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

BATCH = 5
"""Values a batch: the 5 of MSER-5."""
FEWEST = 5
"""Batches that remain."""


@dataclass(frozen=True)
class Truncation:
    """Where a series should begin to count.

    Attributes
    ----------
    start : how many values to leave out, a multiple of the batch.
    length : how many values there are.
    is_long_enough : the cut lies within the first half; if not, the start is not known to be over.
    """

    start: int
    length: int
    is_long_enough: bool


def mser(series: ArrayLike, batch: int = BATCH, most: float = 1.0) -> Truncation:
    r"""The truncation that MSER proposes for one series.

    .. math:: d^* = \arg\min_d \frac{1}{(m - d)^2} \sum_{j > d} (z_j - \bar z_d)^2

    with :math:`z_1 \dots z_m` the means of batches of 5 values and :math:`\bar z_d` the mean of those after d.

    Parameters
    ----------
    series : array [time] of equal steps, or [replica, time]: the mean over replicas is judged then; any unit. NaN is
        left out of the mean over replicas.
    batch : values a batch, >= 1, default 5.
    most : share of the series that may be cut, 0..1, default all but the last five batches. Of values that depend on
        their neighbours a few at the end often look calmer than all before them; 0.5 keeps the minimum away from them.

    Returns
    -------
    Truncation, in values of the series.

    Raises
    ------
    ValueError : fewer than ten batches, or a value that is not finite.

    References
    ----------
    [White97]; [White00] (MSER-5).

    Examples
    --------
    >>> mser([9.0] * 10 + [1.0, 2.0] * 100)
    Truncation(start=10, length=210, is_long_enough=True)
    """
    values = np.asarray(series, dtype=float)
    if values.ndim == 2:
        values = np.nanmean(values, axis=0)
    count = values.size // batch
    if count < 2 * FEWEST:
        raise ValueError(f"MSER-{batch} needs at least {2 * FEWEST * batch} values; there are {values.size}")
    if not np.isfinite(values).all():
        raise ValueError("a series for MSER must be finite")
    means = values[: count * batch].reshape(count, batch).mean(axis=1)
    # Fewer than five batches may be alike by chance.
    kept = np.arange(count, max(FEWEST, count - int(most * count)) - 1, -1)
    centred = means - means.mean()
    sums, squares = (np.cumsum(each[::-1])[::-1][: kept.size] for each in (centred, centred**2))
    errors = np.maximum(squares - sums**2 / kept, 0.0) / kept**2
    cut = int(np.argmin(errors))
    return Truncation(cut * batch, values.size, 2 * cut < count)


def common_mser(arms: Mapping[str, ArrayLike], batch: int = BATCH) -> tuple[Truncation, dict[str, Truncation]]:
    """One truncation for all arms of a comparison: the largest that one of them needs, and those of each.

    Parameters
    ----------
    arms : label -> array [replica, time], steps of one length.
    batch : values a batch, >= 1, default 5.

    Returns
    -------
    (common, label -> of each); the common one is long enough only if all are.

    Raises
    ------
    ValueError : no arm, or one that `mser` refuses.

    Examples
    --------
    >>> common, each = common_mser({"a": [1.0, 2.0] * 50, "b": [5.0] * 5 + [1.0, 2.0] * 50})
    >>> common.start, each["a"].start
    (5, 0)
    """
    if not arms:
        raise ValueError("a common truncation needs at least one arm")
    each = {label: mser(series, batch) for label, series in arms.items()}
    start = max(found.start for found in each.values())
    length = min(found.length for found in each.values())
    return Truncation(start, length, all(found.is_long_enough for found in each.values())), each
