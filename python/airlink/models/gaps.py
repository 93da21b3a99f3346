r"""How long a user of an opportunistic scheduler waits: gaps between the slots it wins, and times that packets take.

A user with a share p of the slots wins by a chain of two states, on and off. Without correlation each slot is a draw of
its own and gaps are geometric. With fading that lasts, a user that leads goes on leading: the chain is watched once a
slot, and is on for a mean of L slots,

.. math::
    P(\text{on} \mid \text{on}) = p + (1-p)\, r, \quad P(\text{off} \mid \text{off}) = 1 - p + p\,r, \quad
    r = \exp\Big( -\frac{1}{L\,(1-p)} \Big)

so that gaps are independent of one another, with the same mean 1/p for every L. `lead_slots` has L of fading by Rice's
crossing rates.

Left out: the memory of PF (its averages fall while a user waits, so that gaps of several time constants are rarer than
here), times on and off that are not exponential, correlation between a user's rates in slots that follow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SlotGaps:
    r"""The gap from one slot that a user wins to the next one it wins, in slots (1: the very next).

    Attributes
    ----------
    share : p, share of all slots that the user wins, 0 < p <= 1.
    lead_slots : L, mean time for which a user that leads goes on leading, slots; 0 (default): each slot is a new draw.

    Raises
    ------
    ValueError : a value outside its range.

    References
    ----------
    [Gilbert60] for the chain.

    Examples
    --------
    >>> SlotGaps(0.25).mean(), round(SlotGaps(0.25).variation(), 3)
    (4.0, 0.866)
    >>> round(SlotGaps(0.25, lead_slots=5.0).variation(), 3)
    2.379
    """

    share: float
    lead_slots: float = 0.0

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1 or self.lead_slots < 0:
            raise ValueError(f"share {self.share} must be above 0 and at most 1, lead_slots {self.lead_slots} >= 0")

    def mean(self) -> float:
        r"""Mean gap, :math:`1/p` slots."""
        return 1 / self.share

    def variance(self) -> float:
        r"""Variance of the gap, slots squared.

        .. math::
            \mathrm{Var} = \frac{a (2 - b) - a^2}{b^2}, \quad
            a = 1 - P(\text{on}|\text{on}), \quad b = 1 - P(\text{off}|\text{off})

        For draws of their own it is :math:`(1-p)/p^2`.
        """
        leave, come = self._chances()
        if leave == 0:
            return 0.0
        return leave * (2 - come) / come**2 - (leave / come) ** 2

    def variation(self) -> float:
        r"""Coefficient of variation, standard deviation / mean: :math:`\sqrt{1-p}` for draws of their own."""
        return math.sqrt(self.variance()) / self.mean()

    def pmf(self, slots: ArrayLike) -> Floats:
        r"""P(gap = slots).

        .. math:: P(1) = 1 - a, \quad P(n) = a\, b\, (1-b)^{n-2} \text{ for } n \ge 2

        Parameters
        ----------
        slots : array of whole numbers.

        Examples
        --------
        >>> SlotGaps(0.5).pmf([0, 1, 2, 3]).tolist()
        [0.0, 0.5, 0.25, 0.125]
        """
        asked = np.asarray(slots, dtype=float)
        leave, come = self._chances()
        later = leave * come * (1 - come) ** np.maximum(asked - 2, 0)
        return np.asarray(np.where(asked < 1, 0.0, np.where(asked == 1, 1 - leave, later)))

    def cdf(self, slots: ArrayLike) -> Floats:
        """P(gap <= slots).

        Parameters
        ----------
        slots : array of numbers.

        Examples
        --------
        >>> SlotGaps(0.5).cdf([0, 1, 2, 3]).tolist()
        [0.0, 0.5, 0.75, 0.875]
        """
        asked = np.floor(np.asarray(slots, dtype=float))
        leave, come = self._chances()
        return np.asarray(np.where(asked < 1, 0.0, 1 - leave * (1 - come) ** np.maximum(asked - 1, 0)))

    def _chances(self) -> tuple[float, float]:
        """Of leaving the state on and the state off within a slot."""
        stays = 0.0
        if self.share < 1 and self.lead_slots > 0:
            stays = math.exp(-1 / (self.lead_slots * (1 - self.share)))
        return (1 - self.share) * (1 - stays), self.share * (1 - stays) if self.share < 1 else 1.0


def lead_slots(users: int, doppler_hz: float, slot_s: float) -> float:
    r"""How long a user stays the best of N equal ones, in slots: Rayleigh fading and a metric that rises with the SNR.

    .. math::
        L = \frac{1}{N (N-1) \sqrt\pi f_d\, I_N\, T_\mathrm{slot}}, \quad
        I_N = \int_0^\infty 2 \sqrt u\, e^{-2u} (1 - e^{-u})^{N-2} du

    Two envelopes of mean power 1 that are level part at a mean speed :math:`E(\dot r_i - \dot r_j)^+ = \sqrt\pi f_d`,
    since a slope is Gaussian with variance :math:`\pi^2 f_d^2` whatever the level. The lead changes hands where the two
    best are level; a share 1/N of time over the rate of losing the lead is the mean time of a lead.

    Parameters
    ----------
    users : N, >= 2.
    doppler_hz : maximum Doppler shift f_d, Hz, > 0.
    slot_s : length of a slot, s, > 0.

    Returns
    -------
    float, slots (continuous: it may be below 1).

    Raises
    ------
    ValueError : a value outside its range.

    References
    ----------
    [Rice45] for the slope of an envelope.

    Examples
    --------
    >>> round(lead_slots(2, 4.0, 1 / 600), 1)
    67.5
    """
    if users < 2 or doppler_hz <= 0 or slot_s <= 0:
        raise ValueError(f"users {users} must be at least 2, doppler_hz {doppler_hz} and slot_s {slot_s} above 0")

    # u = x^2 makes the integrand even and smooth: a sum over equal steps is then exact but for rounding; beyond x = 8
    # nothing is left.
    x = np.linspace(0.0, 8.0, 1601)
    level = 4 * x**2 * np.exp(-2 * x**2) * (-np.expm1(-(x**2))) ** (users - 2)
    meetings = float(level.sum()) * (x[1] - x[0])
    return float(1 / (users * (users - 1) * math.sqrt(math.pi) * doppler_hz * meetings * slot_s))
