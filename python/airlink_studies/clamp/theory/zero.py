"""Where a continuous function changes its sign: by halves, until no number lies between.

Left out: functions that touch zero without crossing it, and faster methods: what is looked for here takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable


def zero(function: Callable[[float], float], low: float, high: float) -> float:
    """A place between `low` and `high`, where the function has different signs, at which it changes its sign.

    >>> round(zero(lambda x: x * x - 2, 0.0, 2.0), 12)
    1.414213562373
    """
    above_at_low = function(low) > 0
    while True:
        middle = (low + high) / 2
        if middle in (low, high) or high - low < 1e-16:
            return middle
        if (function(middle) > 0) == above_at_low:
            low = middle
        else:
            high = middle
