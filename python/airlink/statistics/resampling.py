r"""Resampled replicas: how often each replica counts in each of many new experiments [Efron93].

Replicas are the unit, since the values of one run are not independent. The seed is fixed: the same replicas always
have the same interval. Arms with as many replicas share the resamples, so that pairs stay pairs.

A percentile interval of few replicas is too short: the resamples spread by :math:`\sqrt{(n-1)/n}` too little and know
nothing of Student's t. The expanded interval takes percentiles further out, such that for a mean its ends are those of
Student's interval [Hesterberg15]: :math:`\Phi(-\sqrt{n/(n-1)}\, t_{n-1})` instead of (1 - level) / 2.

More than 1000 replicas are resampled in 1000 groups, so that memory stays flat: a thousand of them vary as all do.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from airlink.result.estimate import t_quantile

Floats = NDArray[np.float64]

RESAMPLES = 2000
"""How many experiments are made anew: beyond an interval of 95 % lie 100 +- 10 of them."""
GROUPS = 1000
"""The most groups that replicas are resampled in."""
SEED = 19
"""Of the resamples; fixed, so that an interval is a function of its samples."""


@lru_cache(maxsize=4)
def resampled_counts(units: int) -> Floats:
    """How often each unit counts in each resample, [resample, unit]: whole numbers, `units` in each row; read-only."""
    random = np.random.default_rng([SEED, units])
    drawn = random.integers(0, units, (RESAMPLES, units))
    places = drawn + np.arange(RESAMPLES)[:, None] * units
    counts = np.bincount(places.ravel(), minlength=RESAMPLES * units).reshape(RESAMPLES, units).astype(float)
    counts.flags.writeable = False
    return counts


def expanded_level(level: float, replicas: int) -> float:
    """The level of percentiles whose interval of a mean has Student's ends, of at least two replicas.

    >>> round(expanded_level(0.95, 20), 4), round(expanded_level(0.95, 10**6), 4)
    (0.9682, 0.95)
    """
    return math.erf(t_quantile(replicas - 1, level) * math.sqrt(replicas / (replicas - 1) / 2))


def percentile_ends(low_side: Floats, high_side: Floats, level: float) -> tuple[float, float]:
    """The central share `level` of resampled values; of those that are not known, the least and the greatest possible.

    Parameters
    ----------
    low_side, high_side : arrays [resample], equal where the value is known. Infinities are values.
    level : 0 < level <= 1.
    """
    out = math.floor((1 - level) / 2 * (low_side.size + 1))
    place = max(out - 1, 0)
    return float(np.sort(low_side)[place]), float(np.sort(high_side)[-1 - place])
