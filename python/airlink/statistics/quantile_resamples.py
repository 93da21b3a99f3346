"""The quantile of all replicas' values together, in each of many resamples of the replicas.

Each replica's values count as often as the replica does. A resample's quantile is found in two steps: its cell among
some hundred, from counts per replica and cell; then its place there. So 1000 replicas of 100 values take a fraction of
a second. Left out: intervals of one arm alone, for which `quantiles` has a better way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .product_limit import ROUNDING, ProductLimit
from .resampling import GROUPS, resampled_counts
from .samples import Sample

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

MOST_CELLS = 1000
"""With more runs of ages between values, ages are moved to the end of their cell."""


def resampled_quantiles(samples: Sequence[Sample], share: float) -> Floats:
    """The quantile of each resample [resample]; inf beyond what is known, NaN where no replica of it has a value."""
    cells = _cells(samples)
    counts = resampled_counts(min(len(samples), GROUPS))
    deaths = counts @ cells.per_group(cells.ended, counts.shape[1])
    present = deaths if cells.ended.all() else counts @ cells.per_group(np.ones_like(cells.ended), counts.shape[1])
    at_risk = np.cumsum(present[:, ::-1], axis=1)[:, ::-1]
    survival = np.cumprod(1 - deaths / np.maximum(at_risk, 1), axis=1)
    reached = survival <= 1 - share + ROUNDING
    cell = np.where(reached.any(axis=1), reached.argmax(axis=1), -1)
    found = np.where(at_risk[:, 0] > 0, math.inf, math.nan)
    for place in np.unique(cell[cell >= 0]):
        rows = np.flatnonzero(cell == place)
        values, owners = cells.known_in(int(place))
        passed = np.cumsum(counts[np.ix_(rows, owners)], axis=1)
        before = survival[rows, place - 1] if place else np.ones(rows.size)
        # Within a cell all that ended come first, so survival falls in proportion: so many must have ended.
        due = at_risk[rows, place] * (1 - (1 - share + 2 * ROUNDING) / before)
        found[rows] = values[((passed >= due[:, None]) & (passed > 0)).argmax(axis=1)]
    return found


@dataclass(frozen=True)
class _Cells:
    """All values in order, cut into cells in which those that ended come first."""

    values: Floats
    ended: Bools
    group: Ints
    cell: Ints

    def per_group(self, counted: Bools, groups: int) -> Floats:
        """How many each group has in each cell, [group, cell]."""
        cells = int(self.cell[-1]) + 1 if self.cell.size else 1
        place = self.group * cells + self.cell
        count = np.bincount(place, weights=counted.astype(float), minlength=groups * cells)
        return count.reshape(groups, cells).astype(float)

    def known_in(self, cell: int) -> tuple[Floats, Ints]:
        """The values of a cell that ended, in order, and whose they are."""
        first, last = np.searchsorted(self.cell, [cell, cell + 1])
        known = self.ended[first:last]
        return self.values[first:last][known], self.group[first:last][known]


def _cells(samples: Sequence[Sample]) -> _Cells:
    pool = ProductLimit.of(samples)
    size, group = pool.values.size, pool.owner % GROUPS
    starts = np.arange(size) % max(math.isqrt(size), 1) == 0
    starts |= pool.ended & ~np.concatenate([[True], pool.ended[:-1]])[:size]
    if np.count_nonzero(starts) <= MOST_CELLS:
        return _Cells(pool.values, pool.ended, group, np.cumsum(starts) - 1)
    cell = np.arange(size) // -(-size // MOST_CELLS)
    order = np.lexsort((~pool.ended, cell))
    return _Cells(pool.values[order], pool.ended[order], group[order], cell)
