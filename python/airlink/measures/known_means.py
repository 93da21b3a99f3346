r"""Exact means of what a scenario draws: sizes, the time in which files arrive, users' mean SNR.

Where a mean is known only nearly, there is none: `None`.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airlink.scenario.sections import (
    Channel,
    ConstantSize,
    Disc,
    Distances,
    ExponentialSize,
    Flow,
    LognormalSize,
    MeanSnr,
    MeanSnrRange,
    ParetoSize,
    TriangularSize,
)

Floats = NDArray[np.float64]

MOST_DENSITY = 0.01
"""The highest density of sizes, in a byte, up to which rounding up adds half a byte: it is off by a quarter of that."""

MOST_BYTES = 1e15
"""Sizes above are drawn as that."""

NODES = 100
"""Of an integral; more change the twelfth digit."""


def mean_size(law: Any) -> float | None:
    r"""The mean of the whole bytes that a law of sizes draws: E ceil(S).

    Exact for constant and exponential sizes, :math:`1 / (1 - e^{-1/m})`; of others :math:`E S + 1/2`, which is off by
    at most a quarter of the highest density: None where that is more than 0.0025 bytes.

    Examples
    --------
    >>> mean_size(ConstantSize(bytes=700)), mean_size(TriangularSize(min_bytes=0, mode_bytes=0, max_bytes=3000))
    (700.0, 1000.5)
    """
    if isinstance(law, ConstantSize):
        return float(law.bytes)
    if isinstance(law, ExponentialSize):
        return -1 / math.expm1(-1 / law.mean_bytes)
    if _highest_density(law) > MOST_DENSITY or _reaches_most_bytes(law):
        return None
    return float(law.mean_bytes) + 0.5


def _highest_density(law: Any) -> float:
    """The highest probability of a byte."""
    if isinstance(law, LognormalSize):
        narrow = law.sigma * law.median_bytes * math.exp(-(law.sigma**2) / 2) * math.sqrt(2 * math.pi)
        return 1 / narrow if narrow > 0 else math.inf
    if isinstance(law, TriangularSize):
        width = law.max_bytes - law.min_bytes
        return 2 / width if width > 0 else math.inf
    assert isinstance(law, ParetoSize)
    within = -math.expm1(-law.shape * math.log(law.max_bytes / law.min_bytes))
    return law.shape / law.min_bytes / within if within > 0 else math.inf


def _reaches_most_bytes(law: Any) -> bool:
    """Whether sizes that are cut off hold a part of the mean that could be seen."""
    if not isinstance(law, LognormalSize):
        return False
    return (math.log(MOST_BYTES / law.median_bytes) - law.sigma**2) / law.sigma < 7


def mean_open_s(flow: Flow, from_s: float, until_s: float) -> float:
    r"""For how long files arrive between two instants, in the mean over the draw of the start, s.

    .. math:: E\,[\min(\mathrm{stop}, \mathrm{until}) - \max(\mathrm{start} + U\,\mathrm{spread}, \mathrm{from})]^+

    Examples
    --------
    >>> mean_open_s(Flow(start_s=1, start_spread_s=2), 0, 10), mean_open_s(Flow(start_s=1, start_spread_s=2), 2, 10)
    (8.0, 7.75)
    """
    end = min(flow.stop_s, until_s)
    if end <= from_s:
        return 0.0
    first, last = flow.start_s, flow.start_s + flow.start_spread_s
    if last <= first:
        return max(end - max(first, from_s), 0.0)
    before = max(min(last, from_s) - first, 0.0)
    low, high = min(max(first, from_s), end), min(max(last, from_s), end)
    return (before * (end - from_s) + (high - low) * (end - (low + high) / 2)) / (last - first)


def mean_snr_db(channel: Channel, users: int) -> float | None:
    """The mean over users and seeds of the users' mean SNR, dB; None of a replayed trace.

    Places in a ring have the density :math:`2 d / (R^2 - r^2)` at distance d. The integral is over x with
    :math:`d = r + (R - r) x^2`, which tames the logarithm near the antenna: to 1e-9 dB.

    Examples
    --------
    >>> from airlink.scenario import ready
    >>> round(mean_snr_db(ready("lte").channel, 10), 6)
    7.433539
    """
    placement = channel.placement
    if isinstance(placement, Disc):
        inner, outer = placement.inner_radius_m, placement.radius_m
        nodes, weights = _quadrature()
        distance = inner + (outer - inner) * nodes**2
        density = 2 * distance / (outer**2 - inner**2) * 2 * (outer - inner) * nodes
        return float(weights @ (density * _at_distances(channel, distance)))
    if isinstance(placement, Distances):
        return float(np.mean(_at_distances(channel, np.array(placement.distances_m))))
    if isinstance(placement, MeanSnr):
        return float(np.mean(_under_ceiling(channel, np.atleast_1d(np.array(placement.mean_snr_db, dtype=float)))))
    if not isinstance(placement, MeanSnrRange):
        return None
    low, width = placement.low_db, placement.high_db - placement.low_db
    if placement.spacing == "random":
        nodes, weights = _quadrature()
        return float(weights @ _under_ceiling(channel, low + width * nodes))
    shares = np.arange(users) / max(users - 1, 1)
    return float(np.mean(_under_ceiling(channel, low + width * shares)))


@lru_cache(maxsize=1)
def _quadrature() -> tuple[Floats, Floats]:
    """Nodes and weights of an integral over 0..1."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return (nodes + 1) / 2, weights / 2


def _at_distances(channel: Channel, distances_m: Floats) -> Floats:
    return _under_ceiling(channel, np.array([channel.mean_snr_db(float(each)) for each in distances_m]))


def _under_ceiling(channel: Channel, snr_db: Floats) -> Floats:
    """1/SINR = 1/SNR + 1/ceiling, if the ceiling is on the mean."""
    ceiling = channel.ceiling
    if ceiling.applies_to != "mean" or math.isinf(ceiling.sinr_db):
        return snr_db
    return np.asarray(-10 * np.log10(10 ** (-snr_db / 10) + 10 ** (-ceiling.sinr_db / 10)))
