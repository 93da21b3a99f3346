"""What the fluids of CLAMP over time begin with and what they report: `clamp_fluid` and `clamp_clocked_trajectory`.

Left out: how windows move between the two.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

ALWAYS = (-math.inf, math.inf)


@dataclass(frozen=True)
class ClampStart:
    """Which flows are there when, and with which windows they begin.

    Attributes
    ----------
    windows_bytes : w_i at its beginning, bytes, >= 0.
    stays_s : from when to when each flow is there, s; default from ever to ever. One that is there before time 0 was
        there from ever: its window stood still.

    Raises
    ------
    ValueError : a value outside its range.
    """

    windows_bytes: tuple[float, ...]
    stays_s: tuple[tuple[float, float], ...] | None = None

    def __post_init__(self) -> None:
        if not all(0 <= window < math.inf for window in self.windows_bytes):
            raise ValueError(f"windows_bytes is {self.windows_bytes}; each must be at least 0")
        if len(self.stays) != len(self.windows_bytes) or not all(start < end for start, end in self.stays):
            raise ValueError(f"stays_s is {self.stays_s}; it must have one for each window, which ends after it begins")

    @property
    def stays(self) -> tuple[tuple[float, float], ...]:
        """From when to when each flow is there, s."""
        return self.stays_s if self.stays_s is not None else (ALWAYS,) * len(self.windows_bytes)


@dataclass(frozen=True)
class ClampTrajectory:
    """What the fluid did.

    Attributes
    ----------
    times_s : array [time], s.
    queue_bytes : array [time], q.
    windows_bytes : array [time, flow], w_i at the receiver; 0 where the flow is not there.
    rates_bps : array [time, flow], mu_i at the queue, b/s.
    """

    times_s: Floats
    queue_bytes: Floats
    windows_bytes: Floats
    rates_bps: Floats


def rising(times_s: ArrayLike) -> Floats:
    """Instants to report, as an array.

    Raises
    ------
    ValueError : none above 0, or not in rising order.
    """
    times = np.asarray(times_s, dtype=np.float64)
    if times.ndim != 1 or times.size == 0 or not times[0] >= 0 or not times[-1] > 0 or not (np.diff(times) > 0).all():
        raise ValueError("times_s must rise from 0 or later, and end above 0")
    return times
