"""The unit that numbers are read best in."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

BYTES = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def rate_unit(rates_bps: ArrayLike) -> tuple[float, str]:
    """The factor and the name of the unit that the largest of these rates is read best in: one for all of them."""
    known = np.asarray(rates_bps, dtype=float)
    highest = float(np.max(known, initial=0.0, where=np.isfinite(known)))
    return next(((size, unit) for size, unit in ((1e9, "Gb/s"), (1e6, "Mb/s")) if highest >= size), (1e3, "kb/s"))


def readable_unit(unit: str, values: ArrayLike) -> tuple[float, str]:
    """What to divide numbers by, and the unit that they are then in: one for all of them.

    Parameters
    ----------
    unit : as declared: "b/s" becomes kb/s, Mb/s or Gb/s, "s" below a second ms, "B" from 1000 on kB, MB or GB.
    values : array, in that unit; the largest finite one decides.

    Examples
    --------
    >>> readable_unit("b/s", [2.5e6, 9e5]), readable_unit("s", [0.25]), readable_unit("", [3])
    ((1000000.0, 'Mb/s'), (0.001, 'ms'), (1.0, ''))
    """
    known = np.abs(np.asarray(values, dtype=float).ravel())
    highest = float(np.max(known, initial=0.0, where=np.isfinite(known)))
    if unit == "b/s":
        return rate_unit(known)
    if unit == "s":
        return (1e-3, "ms") if highest < 1 else (1.0, "s")
    if unit == "B":
        return next(((size, name) for size, name in BYTES if highest >= size), (1.0, "B"))
    return 1.0, unit
