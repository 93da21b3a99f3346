"""Numbers in the words of a sentence."""

from __future__ import annotations


def rate(bps: float) -> str:
    """A rate with the unit that fits it."""
    for size, unit in ((1e9, "Gb/s"), (1e6, "Mb/s"), (1e3, "kb/s")):
        if bps >= size:
            return f"{bps / size:.3g} {unit}"
    return f"{bps:.3g} b/s"
