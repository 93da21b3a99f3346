r"""What a power-delay profile does to a band: how alike two frequencies fade, and how wide a band fades as one.

Paths with delays :math:`\tau_k` and shares :math:`p_k` of the power, uncorrelated with one another. The correlation
over frequency is the transform of the powers over the delays,

.. math::
    R(d) = E\,H(f)\,H^*(f + d) = \sum_k p_k\, e^{\,j 2\pi d \tau_k}, \quad \sum_k p_k = 1

whatever the law of the paths. A profile is a name (`channel.fading.profile`), or delays (ns) and powers (dB).

Left out: correlation of powers, which for Rayleigh paths is :math:`|R(d)|^2`; correlation over time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from airlink.scenario.delay_profiles import DELAY_PROFILES

Profile = str | tuple[Sequence[float], Sequence[float]]


def frequency_correlation(profile: Profile, hz: ArrayLike, delay_spread_ns: float = 100.0) -> NDArray[np.complex128]:
    r"""Correlation of the channel at two frequencies, :math:`R(d) = \sum_k p_k e^{j 2\pi d \tau_k}`.

    Parameters
    ----------
    profile : name of a profile, or (delays in ns, powers in dB).
    hz : d [any shape], distance of the frequencies, Hz.
    delay_spread_ns : to which TDL profiles are scaled, ns; default 100.

    Returns
    -------
    R [shape of `hz`], complex, 1 at 0. Its size is at most 1.

    Raises
    ------
    ValueError : there is no such profile, or delays and powers don't belong together.

    References
    ----------
    [Bello63]

    Examples
    --------
    >>> abs(frequency_correlation("tu6", [0, 200e3, 1e6])).round(3).tolist()
    [1.0, 0.766, 0.361]
    """
    delays_s, shares = _paths(profile, delay_spread_ns)
    turns = np.asarray(hz, dtype=float)[..., np.newaxis] * delays_s
    return np.asarray((shares * np.exp(2j * np.pi * turns)).sum(axis=-1))


def delay_spread(profile: Profile, delay_spread_ns: float = 100.0) -> float:
    r"""Root-mean-square delay spread, ns: the standard deviation of the delays, weighted with the powers.

    Parameters
    ----------
    profile, delay_spread_ns : as in `frequency_correlation`.

    Examples
    --------
    >>> round(delay_spread("etu")), round(delay_spread("tdl-c", delay_spread_ns=300.0), 1)
    (991, 300.0)
    """
    delays_s, shares = _paths(profile, delay_spread_ns)
    mean_s = (shares * delays_s).sum()
    return float(math.sqrt((shares * (delays_s - mean_s) ** 2).sum()) * 1e9)


def coherence_bandwidth(profile: Profile, level: float = 0.5, delay_spread_ns: float = 100.0) -> float:
    r"""The smallest distance of two frequencies at which :math:`|R|` has fallen to `level`, Hz.

    Solved by numbers: :math:`|R|` bends no faster than with the longest delay, so steps of a sixteenth of its turn meet
    the first crossing, but for one that only touches the level; then the step is halved until it is found.

    Parameters
    ----------
    profile, delay_spread_ns : as in `frequency_correlation`.
    level : above 0, below 1; default 0.5.

    Returns
    -------
    Hz; infinite where the correlation stays above `level` over 1000 turns of the longest delay.

    Raises
    ------
    ValueError : as `frequency_correlation`, or a level outside its range.

    Examples
    --------
    Two equal paths a microsecond apart have :math:`|R| = |\cos(\pi d \tau)|`: a third of a megahertz.

    >>> round(coherence_bandwidth(([0, 1000], [0, 0])))
    333333
    >>> round(coherence_bandwidth("tu6") / 1e3), round(coherence_bandwidth("epa") / 1e6, 1)
    (889, 4.6)
    """
    if not 0 < level < 1:
        raise ValueError(f"level {level} must be above 0 and below 1")
    delays_s, _ = _paths(profile, delay_spread_ns)
    longest_s = delays_s.max() - delays_s.min()
    if longest_s == 0:
        return math.inf
    step = 1 / (16 * longest_s)
    grid = step * np.arange(16_001)
    below = np.flatnonzero(np.abs(frequency_correlation(profile, grid, delay_spread_ns)) <= level)
    if below.size == 0:
        return math.inf
    low, high = grid[below[0] - 1], grid[below[0]]
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if abs(frequency_correlation(profile, middle, delay_spread_ns)) > level:
            low = middle
        else:
            high = middle
    return float(high)


def _paths(profile: Profile, delay_spread_ns: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Delays (s) and shares of the power of each path."""
    if isinstance(profile, str):
        named = DELAY_PROFILES.get(profile)
        if named is None:
            raise ValueError(f"there is no profile {profile!r}: {', '.join(DELAY_PROFILES)}")
        delays_ns, powers_db = named.delays_ns(delay_spread_ns), named.powers_db
    else:
        delays_ns, powers_db = (tuple(values) for values in profile)
    if len(delays_ns) != len(powers_db) or not delays_ns:
        raise ValueError(f"{len(delays_ns)} delays and {len(powers_db)} powers: there must be as many, at least one")
    if not all(map(math.isfinite, (*delays_ns, *powers_db))):
        raise ValueError("delays and powers must be finite")
    powers = 10 ** ((np.asarray(powers_db, dtype=float) - max(powers_db)) / 10)
    return np.asarray(delays_ns, dtype=float) * 1e-9, powers / powers.sum()
