r"""How long a packet stands at the head of a queue that never empties: the service interval.

A packet of B bytes leaves in the slot that carries its last byte; a slot carries parts of several packets. With X bytes
in each slot won (independent, from the table of rates) the number N of slots won from one packet's end to the next's is
how many points of a renewal process fall into a stretch of B bytes:

.. math::
    P(N \ge j) = P(V + X_1 + \dots + X_{j-1} < B), \quad P(V = v) \propto P(X > v)

V, the bytes up to the first point, is a renewal process's forward recurrence. The interval is the sum of N gaps
(`SlotGaps`), 0 for a packet that ends in the slot of the one before.

Left out: correlation between the rates of slots that follow and between rates and gaps (both from fading that lasts
longer than a slot), empty queues, lost frames, headers of the air link.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from airlink.models.gaps import SlotGaps

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class ServiceInterval:
    r"""Slots from the end of one packet to the end of the next, for a user whose queue is never empty.

    Attributes
    ----------
    packet_bytes : B, whole, >= 1.
    slot_bytes : array [rate], bytes that a slot won carries at each rate, whole, >= 1.
    probabilities : array [rate], how likely each is in a slot that the user has won (`Sharing.given_selected`).
    gaps : gaps between the slots it wins.

    Raises
    ------
    ValueError : bytes that are not whole or below 1, probabilities that don't add up to 1.

    Examples
    --------
    Slots that carry two thirds of a packet; every other packet needs two of them:

    >>> interval = ServiceInterval(3, [2], [1.0], SlotGaps(0.5))
    >>> interval.transmissions().tolist()
    [0.0, 0.5, 0.5]
    >>> interval.mean()
    3.0
    """

    packet_bytes: int
    slot_bytes: ArrayLike
    probabilities: ArrayLike
    gaps: SlotGaps

    def __post_init__(self) -> None:
        sizes = np.asarray(self.slot_bytes, dtype=float)
        if self.packet_bytes < 1 or self.packet_bytes % 1 or np.any(sizes < 1) or np.any(sizes % 1):
            raise ValueError("packet_bytes and slot_bytes must be whole and at least 1")
        shares = np.asarray(self.probabilities, dtype=float)
        if shares.shape != sizes.shape or np.any(shares < 0) or abs(shares.sum() - 1) > 1e-9:
            raise ValueError("probabilities must be as many as slot_bytes, none below 0, and add up to 1")

    def transmissions(self) -> Floats:
        """P(N = n): array [n], n = 0, 1, ... slots won for one packet; 0 when it ends in the slot of the one before."""
        unit, carried = self._carried()
        packet = self.packet_bytes // unit
        above = np.concatenate([1 - np.cumsum(carried), np.zeros(packet)])[:packet].clip(0.0)  # P(X > v)
        start = above / (carried @ np.arange(carried.size))
        at_least = [1.0]
        while start.any():
            at_least.append(float(start.sum()))
            start = np.convolve(start, carried)[:packet]
        return np.asarray(np.array(at_least) - np.array([*at_least[1:], 0.0]))

    def mean(self) -> float:
        r"""Mean interval, slots: :math:`B / (p\, E X)`."""
        return float(self._needed()[0]) * self.gaps.mean()

    def variance(self) -> float:
        r"""Variance, slots squared: :math:`E N\, \mathrm{Var}\, G + \mathrm{Var} N\, (E G)^2`."""
        mean, variance = self._needed()
        return mean * self.gaps.variance() + variance * self.gaps.mean() ** 2

    def variation(self) -> float:
        """Coefficient of variation, standard deviation / mean."""
        return math.sqrt(self.variance()) / self.mean()

    def pmf(self, slots: int) -> Floats:
        r"""P(interval = n) for n = 0 ... `slots`: array [n].

        .. math:: P(D = n) = \sum_j P(N = j)\, P(G_1 + \dots + G_j = n)

        Parameters
        ----------
        slots : the longest interval that is asked for, >= 0.

        Examples
        --------
        >>> ServiceInterval(2, [2], [1.0], SlotGaps(0.5)).pmf(3).round(6).tolist()
        [0.0, 0.5, 0.25, 0.125]
        """
        gap = self.gaps.pmf(np.arange(slots + 1))
        size = 2 * gap.size
        spectrum = np.fft.rfft(gap, size)
        result = np.zeros(gap.size)
        for probability in self.transmissions()[::-1]:  # Horner's rule, cut off behind `slots`
            result = np.fft.irfft(np.fft.rfft(result, size) * spectrum, size)[: gap.size]
            result[0] += probability
        return np.maximum(result, 0.0)

    def cdf(self, slots: int) -> Floats:
        """P(interval <= n) for n = 0 ... `slots`: array [n]."""
        return np.asarray(np.cumsum(self.pmf(slots)))

    def _needed(self) -> tuple[float, float]:
        """Mean and variance of N."""
        shares = self.transmissions()
        count = np.arange(shares.size)
        mean = float(shares @ count)
        return mean, float(shares @ (count - mean) ** 2)

    def _carried(self) -> tuple[int, Floats]:
        """What a slot carries, in the largest unit in which all sizes are whole: P(X = n units), array [n]."""
        sizes = np.asarray(self.slot_bytes, dtype=np.int64)
        unit = int(np.gcd.reduce([self.packet_bytes, *sizes.tolist()]))
        return unit, np.asarray(np.bincount(sizes // unit, weights=np.asarray(self.probabilities)), dtype=float)
