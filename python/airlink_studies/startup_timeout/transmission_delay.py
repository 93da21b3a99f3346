r"""How many slots K users' packets take, one packet each and one user after another: [Choi05]'s model.

A packet of T bytes is sent in slots that carry X bytes each, X exponential of mean m: a rate proportional to the SNR
under Rayleigh fading. Each of its N slots is repeated until it succeeds, and fails with probability p:

.. math:: S = \sum_{j=1}^{N} Y_j, \quad N - 1 \sim \mathrm{Poisson}(T/m), \quad P(Y = n) = p^{n-1} (1 - p)

D, the sum of K independent S, is when the last of K users is done. Times are in slots from the first slot on.

Left out: what a scheduler gains by taking the best user of each slot, correlation of a user's slots, users that differ,
whatever else waits in the queues.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Variance: TypeAlias = Literal["printed", "corrected"]

REACH = 12.0  # standard deviations of a Poisson number that are summed over; less than 1e-15 lies beyond


def constant_rate_delay(packet_bytes: float, slot_bytes: float, users: int = 1) -> int:
    r"""Slots until the last of K users is done when each slot carries m bytes and none fails.

    .. math:: D = K \lceil T / m \rceil

    Parameters
    ----------
    packet_bytes : T, > 0.
    slot_bytes : m, bytes a slot, > 0.
    users : K, >= 1.

    Returns
    -------
    int, slots.

    Raises
    ------
    ValueError : a value outside its range.

    References
    ----------
    [Choi05] sec. 4.2.

    Examples
    --------
    >>> constant_rate_delay(1500, 100, users=50)
    750
    """
    _check(packet_bytes, slot_bytes, 0.0, users)
    return users * math.ceil(packet_bytes / slot_bytes)


@dataclass(frozen=True)
class TransmissionDelay:
    r"""D: slots until the last of K users is done when rates vary and slots fail.

    The paper's five numbers, a median and what is exceeded in 5 % of cases:

    >>> no_errors = TransmissionDelay(1500, 100, users=50)
    >>> errors = TransmissionDelay(1500, 100, users=50, error_probability=0.1)
    >>> constant_rate_delay(1500, 100, users=50)
    750
    >>> [round(delay.normal_quantile(p, "printed")) for delay in (no_errors, errors) for p in (0.5, 0.95)]
    [800, 847, 889, 943]

    Attributes
    ----------
    packet_bytes : T, > 0.
    slot_bytes : m, mean bytes of a slot, > 0.
    users : K, >= 1; 1 (default) makes D the time S of one packet.
    error_probability : p, 0 <= p < 1, default 0.

    Raises
    ------
    ValueError : a value outside its range.

    References
    ----------
    [Choi05] sec. 4.2.
    """

    packet_bytes: float
    slot_bytes: float
    users: int = 1
    error_probability: float = 0.0

    def __post_init__(self) -> None:
        _check(self.packet_bytes, self.slot_bytes, self.error_probability, self.users)

    def mean(self) -> float:
        r"""Mean of D, slots.

        .. math:: E D = K \frac{T/m + 1}{1 - p}

        References
        ----------
        [Choi05] eqs (3), (5).

        Examples
        --------
        >>> TransmissionDelay(1500, 100).mean()
        16.0
        """
        return self.users * (self._refills() + 1) / (1 - self.error_probability)

    def variance(self, variance: Variance = "corrected") -> float:
        r"""Variance of D, slots squared.

        .. math::
            \mathrm{Var}_\mathrm{corrected} = K \frac{(T/m + 1)\,p + T/m}{(1-p)^2}, \quad
            \mathrm{Var}_\mathrm{printed} = K \frac{(T/m + 1)(1 + p)}{(1-p)^2}

        The printed one takes the mean of N for its variance; N - 1 is Poisson, so Var N is T/m, as the paper has it.

        Parameters
        ----------
        variance : "corrected" (default) is the model's; "printed" is the paper's eq. (4).

        References
        ----------
        [Choi05] eqs (4), (5).

        Examples
        --------
        >>> TransmissionDelay(1500, 100).variance(), TransmissionDelay(1500, 100).variance("printed")
        (15.0, 16.0)
        """
        p = self.error_probability
        refills = self._refills()
        spread = refills if variance == "corrected" else refills + 1
        return self.users * ((refills + 1) * p + spread) / (1 - p) ** 2

    def normal_quantile(self, probability: float, variance: Variance = "corrected") -> float:
        r"""What D stays below with a probability, if the sum of K users is taken for a Gaussian.

        Parameters
        ----------
        probability : 0..1, both excluded; the paper's "847 with 5 %" is 0.95.
        variance : as in `variance`.

        Returns
        -------
        float, slots, not rounded.

        Raises
        ------
        ValueError : probability outside its range.

        References
        ----------
        [Choi05] sec. 4.2.

        Examples
        --------
        >>> round(TransmissionDelay(1500, 100, users=50).normal_quantile(0.95), 1)
        845.0
        """
        _check_probability(probability)
        return self.mean() + NormalDist().inv_cdf(probability) * math.sqrt(self.variance(variance))

    def pmf(self, slots: ArrayLike) -> Floats:
        r"""P(D = slots), exact: the N of all users minus K is Poisson(KT/m), and what fails is negative binomial.

        .. math::
            P(D = n) = \sum_{j \ge 0} e^{-KT/m} \frac{(KT/m)^j}{j!} \binom{n-1}{K+j-1} (1-p)^{K+j} p^{\,n-K-j}

        Parameters
        ----------
        slots : array of whole numbers.

        Returns
        -------
        array of the shape of `slots`.

        Examples
        --------
        >>> TransmissionDelay(100, 100, error_probability=0.5).pmf([0, 1, 2]).round(4).tolist()
        [0.0, 0.1839, 0.1839]
        """
        slots_taken = np.asarray(slots, dtype=float)[..., None]
        needed, weights = self._transmissions()
        before = np.maximum(slots_taken, 1) - 1  # slots before the last, which is a success
        shares = self._successes(needed - 1, before) * (1 - self.error_probability)
        return np.asarray(np.where(slots_taken >= needed, shares, 0.0) @ weights)

    def cdf(self, slots: ArrayLike) -> Floats:
        r"""P(D <= slots), exact: within n slots there are as many successes as are needed.

        .. math::
            P(D \le n) = 1 - \sum_k \binom{n}{k} (1-p)^k p^{\,n-k} \, P(K + j > k), \quad j \sim \mathrm{Poisson}(KT/m)

        Parameters
        ----------
        slots : array of numbers.

        Returns
        -------
        array of the shape of `slots`.

        Examples
        --------
        >>> TransmissionDelay(1500, 100, users=50).cdf([799, 847]).round(3).tolist()
        [0.495, 0.958]
        """
        within = np.maximum(np.floor(np.asarray(slots, dtype=float)), -1)[..., None]
        needed, weights = self._transmissions()
        successes = np.arange(needed[-1])
        enough = np.zeros(len(successes))  # the probability that so many are
        enough[needed[0] :] = np.cumsum(weights)[:-1]
        shares = self._successes(successes, np.maximum(within, 0))
        return np.where(within[..., 0] >= 0, np.clip(1 - shares @ (1 - enough), 0, 1), 0.0)

    def quantile(self, probability: float) -> int:
        """The fewest slots within which D lies with at least this probability, exact.

        Parameters
        ----------
        probability : 0..1, both excluded.

        Returns
        -------
        int, slots.

        Raises
        ------
        ValueError : probability outside its range.

        Examples
        --------
        >>> TransmissionDelay(1500, 100, users=50).quantile(0.95)
        845
        >>> TransmissionDelay(1500, 100, users=50, error_probability=0.1).quantile(0.95)
        942
        """
        _check_probability(probability)
        below, within = 0, math.ceil(self.mean())
        while self.cdf(within) < probability:
            below, within = within, 2 * within
        while within - below > 1:
            between = (below + within) // 2
            below, within = (between, within) if self.cdf(between) < probability else (below, between)
        return within

    def _refills(self) -> float:
        """Mean slots of a packet beyond its first, T/m."""
        return self.packet_bytes / self.slot_bytes

    def _successes(self, successes: Integers, slots: Floats) -> Floats:
        """The probability of so many among so many slots; 0 where there are fewer slots."""
        failures = slots - successes
        lost = np.maximum(failures, 0)
        ways = _log_factorials(slots) - _log_factorials(successes) - _log_factorials(lost)
        p = self.error_probability
        logs = ways + successes * math.log1p(-p) + (lost * math.log(p) if p else np.where(lost > 0, -math.inf, 0.0))
        return np.where(failures >= 0, np.exp(logs), 0.0)

    def _transmissions(self) -> tuple[Integers, Floats]:
        """Successful slots of all users together, and how likely each number of them is."""
        refills = self.users * self._refills()
        reach = REACH * (math.sqrt(refills) + 1)
        beyond_first = np.arange(max(0, math.floor(refills - reach)), math.ceil(refills + reach) + 1)
        weights = np.exp(beyond_first * math.log(refills) - refills - _log_factorials(beyond_first))
        return beyond_first + self.users, weights


def _log_factorials(counts: ArrayLike) -> Floats:
    counts = np.asarray(counts)
    known, places = np.unique(counts, return_inverse=True)
    return np.array([math.lgamma(count + 1) for count in known.tolist()])[places].reshape(counts.shape)


def _check(packet_bytes: float, slot_bytes: float, error_probability: float, users: int) -> None:
    if not (0 < packet_bytes < math.inf and 0 < slot_bytes < math.inf):
        raise ValueError(f"packet_bytes {packet_bytes} and slot_bytes {slot_bytes} must be above 0 and finite")
    if not 0 <= error_probability < 1:
        raise ValueError(f"error_probability is {error_probability}; it must be at least 0 and below 1")
    if users < 1:
        raise ValueError(f"users is {users}; it must be at least 1")


def _check_probability(probability: float) -> None:
    if not 0 < probability < 1:
        raise ValueError(f"probability is {probability}; it must lie between 0 and 1")
