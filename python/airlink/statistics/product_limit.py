r"""The distribution of all replicas' values together, where some are only lower bounds: the product limit [Kaplan58].

With :math:`n_i` values or ages of at least :math:`t_i`, an age after the values that equal it,

.. math:: S(t) = \prod_{t_i \le t} (1 - 1/n_i)

over the values that are known; the quantile p is the least t with S(t) <= 1 - p, infinite if the ages leave S above
that. Without an age it is the value of rank ceil(p n). It is the convention of the columns of downloads in a result.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .samples import Sample

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

ROUNDING = 1e-9
"""How far a product of many fractions may be off."""


@dataclass(frozen=True)
class ProductLimit:
    """All values of some replicas in order, and how much of the distribution lies above each.

    Attributes
    ----------
    values, ended : arrays [value], from the least; ages after the values that equal them.
    owner : array [value], the place of its replica.
    survival : array [value], S at each value.
    """

    values: Floats
    ended: Bools
    owner: Ints
    survival: Floats

    @staticmethod
    def of(samples: Sequence[Sample]) -> ProductLimit:
        """Put the values of all replicas, at least one, in order."""
        values = np.concatenate([sample.values for sample in samples])
        ended = np.concatenate([sample.ended for sample in samples])
        owner = np.repeat(np.arange(len(samples)), [sample.values.size for sample in samples])
        order = np.lexsort((~ended, values))
        values, ended, owner = values[order], ended[order], owner[order]
        factors: Floats = np.where(ended, 1 - 1 / np.arange(values.size, 0, -1.0), 1.0)
        return ProductLimit(values, ended, owner, np.cumprod(factors, dtype=np.float64))

    def quantile(self, share: float) -> float:
        """The least value that at least that share do not exceed; inf beyond what is known, NaN without values."""
        if self.values.size == 0:
            return math.nan
        return self._first(self.ended & (self.survival <= 1 - share + ROUNDING))

    def above(self, share: float) -> float:
        """The least value that more than that share do not exceed; inf beyond what is known."""
        return self._first(self.ended & (self.survival < 1 - share - ROUNDING))

    def _first(self, reached: Bools) -> float:
        place = int(reached.argmax())
        return float(self.values[place]) if reached[place] else math.inf


def check_share(share: float) -> None:
    """Refuse a share that no quantile has."""
    if not 0 < share <= 1:
        raise ValueError(f"share is {share}; it must be above 0 and at most 1")
