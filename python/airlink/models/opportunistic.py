r"""What a scheduler gains or wastes when every user always has data and fades independently by Rayleigh's law.

A user's SNR is exponential with mean :math:`\bar\gamma_i`: :math:`P(\gamma_i \ge x) = e^{-x/\bar\gamma_i}`, x and
:math:`\bar\gamma_i` linear. Left out: correlation from slot to slot, estimation error, delay, empty queues, TCP.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def proportional_fair_gain(users: int) -> float:
    r"""Gain of proportional fair over round robin for equal users whose rate is proportional to their SNR.

    .. math:: G(N) = \sum_{k=1}^{N} \frac1k

    The mean of the largest of N exponentials, reached from below as the averaging time constant grows.

    Parameters
    ----------
    users : number of users N, >= 1.

    Returns
    -------
    float, dimensionless: cell rate under PF / cell rate under round robin.

    Raises
    ------
    ValueError : users below 1.

    References
    ----------
    [Viswanath02] sec. II.

    Examples
    --------
    >>> proportional_fair_gain(1), proportional_fair_gain(2)
    (1.0, 1.5)
    >>> round(proportional_fair_gain(16), 3)
    3.381
    """
    if users < 1:
        raise ValueError(f"users is {users}; it must be at least 1")
    return sum(1.0 / k for k in range(1, users + 1))


def rate_probabilities(thresholds_db: ArrayLike, mean_snr_db: ArrayLike) -> Floats:
    r"""Probability of each rate of a table for a Rayleigh user that always gets the best rate its SNR allows.

    .. math:: P_k = e^{-\theta_k/\bar\gamma} - e^{-\theta_{k+1}/\bar\gamma}, \quad \theta_{K+1} = \infty

    Parameters
    ----------
    thresholds_db : array [rate], SNR in dB from which each rate can be used, rising.
    mean_snr_db : array [user] or number, dB.

    Returns
    -------
    array [user, rate] ([rate] for one number); the rest to 1 is the probability of no rate at all.

    Raises
    ------
    ValueError : thresholds do not rise.

    References
    ----------
    [Knopp95].

    Examples
    --------
    >>> rate_probabilities([0.0, 3.0], 0.0).round(4).tolist()
    [0.2319, 0.136]
    """
    at_least = _reaching(thresholds_db, mean_snr_db)
    return np.asarray(at_least - np.concatenate([at_least[..., 1:], np.zeros_like(at_least[..., :1])], axis=-1))


def round_robin_mean(thresholds_db: ArrayLike, rates_bps: ArrayLike, mean_snr_db: ArrayLike) -> Floats:
    r"""Mean rate of each backlogged user under round robin: a 1/N share of its own mean rate.

    .. math:: \bar R_i = \frac1N \sum_k r_k P_{ik}

    Parameters
    ----------
    thresholds_db : array [rate], dB, rising.
    rates_bps : array [rate], b/s.
    mean_snr_db : array [user], dB.

    Returns
    -------
    array [user], b/s.

    Raises
    ------
    ValueError : thresholds do not rise.

    References
    ----------
    [Knopp95].

    Examples
    --------
    >>> round_robin_mean([0.0], [1e6], [0.0, 10.0]).round().tolist()
    [183940.0, 452419.0]
    """
    snr_db = np.atleast_1d(np.asarray(mean_snr_db, dtype=float))
    probabilities = rate_probabilities(thresholds_db, snr_db)
    return np.asarray(probabilities @ np.asarray(rates_bps, dtype=float) / snr_db.size)


def max_rate_mean(thresholds_db: ArrayLike, rates_bps: ArrayLike, mean_snr_db: ArrayLike) -> float:
    r"""Mean rate of the cell when each slot goes to a user with the highest rate, all users backlogged.

    .. math:: \bar R = \sum_k (r_k - r_{k-1}) \Big[1 - \prod_i \big(1 - e^{-\theta_k/\bar\gamma_i}\big)\Big]

    No scheduler can grant more to this cell.

    Parameters
    ----------
    thresholds_db : array [rate], dB, rising.
    rates_bps : array [rate], b/s, rising.
    mean_snr_db : array [user], dB.

    Returns
    -------
    float, b/s.

    Raises
    ------
    ValueError : thresholds or rates do not rise.

    References
    ----------
    [Knopp95].

    Examples
    --------
    >>> round(max_rate_mean([0.0], [1e6], [0.0, 10.0]))
    939846
    """
    rates = np.asarray(rates_bps, dtype=float)
    if np.any(np.diff(rates) <= 0):
        raise ValueError("rates_bps must rise")
    nobody = np.prod(1.0 - np.atleast_2d(_reaching(thresholds_db, mean_snr_db)), axis=0)
    return float(np.sum(np.diff(rates, prepend=0.0) * (1.0 - nobody)))


def _reaching(thresholds_db: ArrayLike, mean_snr_db: ArrayLike) -> Floats:
    """P(SNR >= threshold), axes [user, rate] or [rate]."""
    thresholds = np.asarray(thresholds_db, dtype=float)
    if np.any(np.diff(thresholds) <= 0):
        raise ValueError("thresholds_db must rise")
    mean = np.asarray(mean_snr_db, dtype=float)
    return np.asarray(np.exp(-(10.0 ** ((thresholds - mean[..., None]) / 10.0))))
