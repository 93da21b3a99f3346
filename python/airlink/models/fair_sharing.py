r"""Who gets how many slots, and at which rates, when the metric is log R - lambda log T and the memory is long.

Backlogged users with independent Rayleigh fading and a table of rates. T settles where it reproduces itself:

.. math::
    T_i = E\big[ R_i\, 1\{ R_i / T_i^\lambda \text{ is the largest} \} \big]

which is the best point of the rate region for :math:`\sum_i T_i^{1-\lambda} / (1-\lambda)` (the sum of logarithms for
lambda = 1, proportional fair), because the rule climbs along its gradient. Rates of a table are few, so there the
metrics of two users are often exactly equal and it is the shares of such ties that balance T. Metrics nearer than `TIE`
count as ties: each gets an even jitter in its logarithm, which makes the equations smooth, and Newton's method solves
them for ever less of it.

Left out: how T moves about its mean with a memory that ends, correlation from slot to slot (with a long memory it does
not matter), estimation error, empty queues, TCP.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from airlink.models.opportunistic import rate_probabilities

Floats = NDArray[np.float64]

TIE = 1e-3  # half of the width, in the logarithm, within which metrics count as equal
JITTERS = TIE * 4.0 ** np.arange(4, -1, -1)  # each is solved from the one before
NEWTON_STEPS = 100
POINTS = 6  # at most, of each piece of an integral: exact while no more than twelve users' metrics can tie at once
SETTLED = 1e-9  # largest change of log T that is none


@dataclass(frozen=True)
class Sharing:
    """What each user gets of a cell.

    Attributes
    ----------
    rate_shares : array [user, rate], share of all slots that the user has at this rate; what is missing to 1 is idle.
    rates_bps : array [rate], b/s.
    """

    rate_shares: Floats
    rates_bps: Floats

    def slot_shares(self) -> Floats:
        """Share of all slots: array [user]."""
        return np.asarray(self.rate_shares.sum(axis=1))

    def means_bps(self) -> Floats:
        """Mean rate of each user: array [user], b/s."""
        return np.asarray(self.rate_shares @ self.rates_bps)

    def given_selected(self) -> Floats:
        """Distribution of the rate in the slots that a user has: array [user, rate]; NaN for a user that has none."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.rate_shares / self.slot_shares()[:, None])


def fair_sharing(
    thresholds_db: ArrayLike, rates_bps: ArrayLike, mean_snr_db: ArrayLike, exponent: float = 1.0
) -> Sharing:
    r"""Slots and rates of backlogged Rayleigh users under the metric log R - lambda log T with a long memory.

    Parameters
    ----------
    thresholds_db : array [rate], SNR in dB from which each rate can be used, rising.
    rates_bps : array [rate], b/s, rising, > 0.
    mean_snr_db : array [user], dB.
    exponent : lambda >= 0: 0 largest rate (ties drawn at random), 1 (default) proportional fair, large: equal rates.

    Returns
    -------
    Sharing.

    Raises
    ------
    ValueError : thresholds or rates do not rise, or exponent is below 0 or not finite.
    ArithmeticError : no solution was found.

    References
    ----------
    [EvdoTcp], eq. (7); [Kelly97] for lambda = 1.

    Examples
    --------
    Two equal users and one rate share what at least one of them can have:

    >>> sharing = fair_sharing([0.0], [1e6], [0.0, 0.0])
    >>> sharing.slot_shares().round(4).tolist()
    [0.3002, 0.3002]
    >>> sharing.means_bps().round().tolist()
    [300212.0, 300212.0]
    """
    rates = np.asarray(rates_bps, dtype=float)
    if np.any(np.diff(rates, prepend=0.0) <= 0):
        raise ValueError("rates_bps must rise and be above 0")
    if not 0 <= exponent < math.inf:
        raise ValueError(f"exponent is {exponent}; it must be at least 0 and finite")
    probabilities = rate_probabilities(thresholds_db, np.atleast_1d(np.asarray(mean_snr_db, dtype=float)))
    shares = np.zeros_like(probabilities)
    served = probabilities.sum(axis=1) > 0
    if np.any(served):
        shares[served] = _Cell(probabilities[served], np.log(rates / rates[-1]), exponent).rate_shares()
    return Sharing(shares, rates)


def proportional_fair_mean(thresholds_db: ArrayLike, rates_bps: ArrayLike, mean_snr_db: ArrayLike) -> Floats:
    r"""Mean rate of each backlogged Rayleigh user under proportional fair with a long memory, for a table of rates.

    .. math:: T_i = E\big[ R_i\, 1\{ R_i / T_i \text{ is the largest} \} \big]

    Parameters
    ----------
    thresholds_db : array [rate], dB, rising.
    rates_bps : array [rate], b/s, rising.
    mean_snr_db : array [user], dB.

    Returns
    -------
    array [user], b/s.

    Raises
    ------
    ValueError : thresholds or rates do not rise.

    References
    ----------
    [Viswanath02] sec. II; [Jalali00].

    Examples
    --------
    >>> proportional_fair_mean([0.0], [1e6], [0.0]).round().tolist()
    [367879.0]
    """
    return fair_sharing(thresholds_db, rates_bps, mean_snr_db).means_bps()


@dataclass(frozen=True)
class _Cell:
    """The equations x = log F(x) of x = log T, with rates in units of the highest."""

    probabilities: Floats  # [user, rate]
    log_rates: Floats  # [rate]
    exponent: float

    def rate_shares(self) -> Floats:
        """Newton's method for ever smaller jitter."""
        rates = np.exp(self.log_rates)
        x = np.log(self.probabilities @ rates / len(self.probabilities))
        if self.exponent > 0:
            for jitter in JITTERS:
                x = self._settle(x, float(jitter))
        return self._outcome(x, TIE)[0]

    def _settle(self, x: Floats, jitter: float) -> Floats:
        residual, slope = self._residual(x, jitter)
        for _ in range(NEWTON_STEPS):
            if np.abs(residual).max() < SETTLED:
                return x
            step, part = np.linalg.solve(slope, residual), 1.0
            while True:
                tried = x - part * step
                next_residual, next_slope = self._residual(tried, jitter)
                if np.abs(next_residual).max() < np.abs(residual).max() or part < 1e-6:
                    break
                part /= 2
            x, residual, slope = tried, next_residual, next_slope
        raise ArithmeticError(f"shares for lambda = {self.exponent} did not settle")

    def _residual(self, x: Floats, jitter: float) -> tuple[Floats, Floats]:
        """What is left of x - log F(x), and its derivative.

        F does not change when all T change by one factor, so the slope to a user's own T is minus the sum of the rest.
        """
        shares, pulls = self._outcome(x, jitter)
        mean = shares @ np.exp(self.log_rates)
        others = self.exponent * pulls / mean[:, None]
        np.fill_diagonal(others, 0.0)
        return x - np.log(mean), np.eye(len(x)) + np.diag(others.sum(axis=1)) - others

    def _outcome(self, x: Floats, jitter: float) -> tuple[Floats, Floats]:
        """Slot shares [user, rate], and what user i gains in rate when the metric of user j falls, [i, j]."""
        points, weights = _quadrature(self.log_rates - self.exponent * x[:, None], jitter)
        # What a user's rate with its jitter would have to be for its metric to lie at the point, [user, point].
        log_rate = points + self.exponent * x[:, None]
        corners = np.sort(np.concatenate([self.log_rates - jitter, self.log_rates + jitter]))
        pieces = np.searchsorted(corners, log_rate, side="right")
        middles = np.concatenate([[-np.inf], (corners[1:] + corners[:-1]) / 2, [np.inf]])
        inside = (np.abs(middles - self.log_rates[:, None]) < jitter) / (2 * jitter)  # [rate, piece]
        below = np.maximum(self._below(log_rate, corners, pieces, inside), np.finfo(float).tiny)
        others = np.prod(below, axis=0) * weights / below
        rows = np.arange(len(x))[:, None]
        earned = ((self.probabilities * np.exp(self.log_rates)) @ inside)[rows, pieces]
        density = (self.probabilities @ inside)[rows, pieces]
        won = np.stack([np.bincount(*each, minlength=len(middles)) for each in zip(pieces, others, strict=True)])
        return self.probabilities * (won @ inside.T), (earned * others) @ (density / below).T

    def _below(self, log_rate: Floats, corners: Floats, pieces: NDArray[np.intp], inside: Floats) -> Floats:
        """Probability that each user's jittered rate is below these, [user, point]."""
        slopes = self.probabilities @ inside
        rises = np.cumsum(slopes[:, 1:-1] * np.diff(corners), axis=1)
        idle = 1.0 - self.probabilities.sum(axis=1, keepdims=True)
        levels = np.hstack([idle, idle, idle + rises])  # at the start of each piece
        starts = np.concatenate([[corners[0]], corners])
        rows = np.arange(len(log_rate))[:, None]
        return np.asarray(levels[rows, pieces] + slopes[rows, pieces] * (log_rate - starts[pieces]))


def _quadrature(metrics: Floats, jitter: float) -> tuple[Floats, Floats]:
    """Gauss-Legendre points between all corners of the users' distributions, where any of them rises."""
    starts, ends = np.sort(metrics - jitter, axis=None), np.sort(metrics + jitter, axis=None)
    corners = np.sort(np.concatenate([starts, ends]))
    left, length = corners[:-1], np.diff(corners)
    rising = np.searchsorted(starts, left, side="right") - np.searchsorted(ends, left, side="right")
    used = (rising > 0) & (length > 0)
    nodes, weights = np.polynomial.legendre.leggauss(min(POINTS, len(metrics) // 2 + 1))
    points = left[used, None] + length[used, None] * (1 + nodes) / 2
    return points.ravel(), (length[used, None] / 2 * weights).ravel()
