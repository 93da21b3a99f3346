"""Replicas whose truth is known exactly: numbers with a known mean, clustered values with known quantiles."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from airlink.statistics import Sample

Floats = NDArray[np.float64]
Random = np.random.Generator

USERS = 8
LARGEST = f"largest of {USERS} exponentials"


@dataclass(frozen=True)
class Numbers:
    """One number a replica.

    Attributes
    ----------
    mean : the true one.
    draw : of so many replicas.
    """

    mean: float
    draw: Callable[[Random, int], Floats]


def lognormal(sigma: float) -> Numbers:
    """With a mean of 1."""
    return Numbers(1.0, lambda random, count: random.lognormal(-(sigma**2) / 2, sigma, count))


MEANS: Mapping[str, Numbers] = {
    "normal": Numbers(10.0, lambda random, count: random.normal(10.0, 2.0, count)),
    LARGEST: Numbers(
        sum(1 / place for place in range(1, USERS + 1)),
        lambda random, count: random.exponential(size=(count, USERS)).max(axis=1),
    ),
    "lognormal, sigma 0.5": lognormal(0.5),
    "exponential": Numbers(1.0, lambda random, count: random.exponential(size=count)),
    "lognormal, sigma 1": lognormal(1.0),
}
"""From the least skewed to the most: skewness 0, 1.3, 1.8, 2, 6.2."""


@dataclass(frozen=True)
class Clusters:
    """Many values a replica, which share an effect of the replica.

    Attributes
    ----------
    quantile : the true one of all values, of a share.
    draw : the values of one replica, given the replica's effect, a standard normal.
    """

    quantile: Callable[[float], float]
    draw: Callable[[Random, float], Floats]


def clustered(values: int, within: float, scale: float = 1.0, sigma: float = 1.0) -> Clusters:
    """Lognormal values, whose logarithms have that correlation within a replica."""
    shared, own = sigma * math.sqrt(within), sigma * math.sqrt(1 - within)
    return Clusters(
        lambda share: scale * math.exp(sigma * float(ndtri(share))),
        lambda random, effect: scale * np.exp(shared * effect + own * random.standard_normal(values)),
    )


CLUSTERS: Mapping[str, Clusters] = {
    "100 values, correlation 0.1": clustered(100, 0.1),
    "20 values, correlation 0": clustered(20, 0.0),
    "20 values, correlation 0.3": clustered(20, 0.3),
    "10 values, correlation 0.8": clustered(10, 0.8),
    "1 value": clustered(1, 0.0),
}


def samples(random: Random, clusters: Clusters, effects: Floats) -> list[Sample]:
    """One sample for each replica's effect."""
    return [Sample(clusters.draw(random, float(effect))) for effect in effects]


MEAN_TIME_S = 1.0
LOADS = 4.0


def download_quantile_s(share: float) -> float:
    """Of times that are exponential with a rate that is gamma distributed over replicas: a Pareto law."""
    return MEAN_TIME_S * LOADS * math.expm1(-math.log1p(-share) / LOADS)


def downloads(random: Random, replicas: int, each: int, run_s: float) -> list[Sample]:
    """Requested at any time of a run that ends while some are under way; a loaded replica is slow in all of them."""
    found = []
    for rate in random.gamma(LOADS, 1 / (LOADS * MEAN_TIME_S), replicas):
        times = random.exponential(1 / rate, each)
        ages = random.uniform(0, run_s, each)
        found.append(Sample(np.minimum(times, ages), times <= ages))
    return found
