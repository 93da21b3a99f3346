"""Numbers in the words of a sentence."""

from __future__ import annotations

ROUNDS_UP = 0.9995
"""Of a unit, what three digits round up to one."""


def rate(bps: float) -> str:
    """A rate with the unit that fits it, once it is rounded.

    >>> rate(2.5e6), rate(999_900), rate(12.0)
    ('2.5 Mb/s', '1 Mb/s', '12 b/s')
    """
    for size, unit in ((1e9, "Gb/s"), (1e6, "Mb/s"), (1e3, "kb/s")):
        if bps >= ROUNDS_UP * size:
            return f"{bps / size:.3g} {unit}"
    return f"{bps:.3g} b/s"
