"""Quantiles of all replicas' values together, with intervals from resampled replicas.

For each resample the product limit of all values is taken, each as often as its replica counts. Left out: smoothing
(the answer is always one of the values).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airlink.result.estimate import Estimate

from .resampling import expanded_level, group_of, percentile_ends, resampled_counts
from .samples import ROUNDING, Bools, Floats, Sample, check_share, pooled_quantile

MOST_CELLS = 2000
"""Above so many runs of ages between values, ages are moved to the end of their cell."""


def resampled_quantile(samples: Sequence[Sample], share: float, level: float = 0.95) -> Estimate:
    """The quantile of all replicas' values together, with its interval over replicas.

    Parameters
    ----------
    samples : one per replica, independent of one another; any unit.
    share : 0 < share <= 1: 0.95 is the 95th percentile.
    level : 0 < level < 1, default 0.95.

    Returns
    -------
    Estimate, in the unit of the samples; n counts the replicas that have a value. Ends are inf where they lie beyond
    what is known; both are infinite for one replica, NaN without values.

    Raises
    ------
    ValueError : share outside (0, 1].

    References
    ----------
    [Kaplan58]; [Efron93] ch. 13; [Hesterberg15] (the expanded percentile interval).

    Examples
    --------
    >>> runs = [Sample([1.0, 2.0, 3.0]), Sample([2.0, 3.0, 4.0]), Sample([1.0, 3.0, 5.0])]
    >>> estimate = resampled_quantile(runs, 0.5)
    >>> estimate.mean, estimate.low, estimate.high, estimate.n
    (3.0, 2.0, 3.0, 3)
    """
    check_share(share)
    runs = [sample for sample in samples if sample.values.size]
    point = pooled_quantile(runs, share)
    if not runs:
        return Estimate(point, point, point, 0, level)
    if len(runs) == 1:
        return Estimate(point, -math.inf, math.inf, 1, level)
    resampled = resampled_quantiles(runs, share)
    low, high = percentile_ends(resampled, resampled, expanded_level(level, len(runs)))
    return Estimate(point, low, high, len(runs), level)


def resampled_quantiles(samples: Sequence[Sample], share: float) -> Floats:
    """The quantile of each resample [resample]; NaN where none of its replicas has a value."""
    group = group_of(len(samples))
    counts = resampled_counts(int(group.max()) + 1)
    pool = _pool(samples, group)
    deaths = counts @ pool.per_cell(pool.ended, counts.shape[1])
    present = deaths if pool.ended.all() else counts @ pool.per_cell(np.ones_like(pool.ended), counts.shape[1])
    at_risk = np.cumsum(present[:, ::-1], axis=1)[:, ::-1]
    survival = np.cumprod(1 - deaths / np.maximum(at_risk, 1), axis=1)
    reached = (survival <= 1 - share + ROUNDING) & (at_risk[:, :1] > 0)
    found = np.where(reached.any(axis=1), math.inf, np.where(at_risk[:, 0] > 0, math.inf, math.nan))
    cells = reached.argmax(axis=1)
    before = np.concatenate([np.ones((len(counts), 1)), survival[:, :-1]], axis=1)
    for cell in np.unique(cells[reached.any(axis=1)]):
        rows = np.flatnonzero((cells == cell) & reached.any(axis=1))
        values, owners = pool.known_in(int(cell))
        passed = np.cumsum(counts[np.ix_(rows, owners)], axis=1)
        # The survival within a cell falls in a straight line: so many must have ended.
        due = at_risk[rows, cell] * (1 - (1 - share + 2 * ROUNDING) / before[rows, cell])
        found[rows] = values[((passed >= due[:, None]) & (passed > 0)).argmax(axis=1)]
    return found


@dataclass(frozen=True)
class _Pool:
    """All values in order, cut into cells in which those that ended come first."""

    values: Floats
    ended: Bools
    owner: NDArray[np.int64]
    cell: NDArray[np.int64]

    def per_cell(self, counted: Bools, groups: int) -> Floats:
        """How many each group has in each cell, [group, cell]."""
        cells = int(self.cell[-1]) + 1
        place = self.owner * cells + self.cell
        count = np.bincount(place, weights=counted.astype(float), minlength=groups * cells)
        return count.reshape(groups, cells).astype(float)

    def known_in(self, cell: int) -> tuple[Floats, NDArray[np.int64]]:
        """The values of a cell that ended, in order, and whose they are."""
        first, last = np.searchsorted(self.cell, [cell, cell + 1])
        known = self.ended[first:last]
        return self.values[first:last][known], self.owner[first:last][known]


def _pool(samples: Sequence[Sample], group: NDArray[np.int64]) -> _Pool:
    values = np.concatenate([sample.values for sample in samples])
    ended = np.concatenate([sample.ended for sample in samples])
    owner = np.repeat(group, [sample.values.size for sample in samples])
    order = np.lexsort((~ended, values))
    values, ended, owner = values[order], ended[order], owner[order]
    regular = np.arange(values.size) % max(math.isqrt(values.size), 1) == 0
    after_age = ended & ~np.concatenate([[True], ended[:-1]])
    starts = regular | after_age
    if np.count_nonzero(starts) > MOST_CELLS:
        cell = np.cumsum(np.arange(values.size) % -(-values.size // MOST_CELLS) == 0) - 1
        order = np.lexsort((~ended, cell))
        return _Pool(values[order], ended[order], owner[order], cell)
    return _Pool(values, ended, owner, np.cumsum(starts) - 1)
