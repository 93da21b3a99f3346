"""Campaigns drawn from a pool: how often their interval holds the truth."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airlink.measures import Found, Measure, estimate, measure
from airlink.statistics import Estimate, Looks, Precision, control_variates, pooled_quantile

from .pools import Pool

Places = NDArray[np.int64]

SEED = 20
"""Of the order in which campaigns draw runs."""


@dataclass(frozen=True)
class Coverage:
    """How often intervals held the truth.

    Attributes
    ----------
    case, measure, method : what was estimated, and how.
    runs : of each campaign, in the mean.
    campaigns : how many.
    truth : the true value.
    covered : share of the campaigns whose interval holds it.
    below, above : shares whose whole interval lies below or above it.
    half_width : of the interval, the median over campaigns.
    """

    case: str
    measure: str
    method: str
    runs: float
    campaigns: int
    truth: float
    covered: float
    below: float
    above: float
    half_width: float


def true_value(pool: Pool, text: str) -> float:
    """What the whole pool says."""
    asked = measure(text)
    if asked.share is None:
        return float(np.nanmean(pool.values[text]))
    return pooled_quantile(pool.samples[text], asked.share)


def fixed(pool: Pool, text: str, runs: int, campaigns: int, controlled: bool = False) -> list[Estimate]:
    """The estimates of campaigns of so many runs each."""
    drawn = _drawn(_size(pool, text), runs)
    return [_estimate(pool, measure(text), next(drawn), controlled) for _ in range(campaigns)]


def until(
    pool: Pool, text: str, precision: Precision, campaigns: int, most: int, controlled: bool = False
) -> list[Estimate]:
    """The estimates of campaigns that end at the first look at which the interval is narrow enough, or at the cap."""
    drawn, asked = _drawn(_size(pool, text), most), measure(text)
    found = []
    for _ in range(campaigns):
        places = next(drawn)
        for size in Looks(most=most):
            last = _estimate(pool, asked, places[:size], controlled)
            if precision.is_met(last):
                break
        found.append(last)
    return found


def coverage(case: str, text: str, method: str, truth: float, estimates: list[Estimate]) -> Coverage:
    """What became of campaigns."""
    low, high = (np.array([getattr(each, name) for each in estimates]) for name in ("low", "high"))
    below, above = float(np.mean(high < truth)), float(np.mean(low > truth))
    half = float(np.median([each.half_width for each in estimates]))
    runs = float(np.mean([each.n for each in estimates]))
    return Coverage(case, text, method, runs, len(estimates), truth, 1 - below - above, below, above, half)


def relative_width(pool: Pool, text: str, runs: int) -> float:
    """The relative half width that campaigns of so many runs have: a precision to ask for."""
    of_campaigns = fixed(pool, text, runs, 20)
    return float(np.median([each.half_width / abs(each.mean) for each in of_campaigns]))


def _size(pool: Pool, text: str) -> int:
    return len(pool.values[text]) if text in pool.values else len(pool.samples[text])


def _estimate(pool: Pool, asked: Measure, places: Places, controlled: bool) -> Estimate:
    if asked.share is not None:
        samples: list[Found] = [pool.samples[str(asked)][place] for place in places]
        return estimate(asked, samples)
    values = pool.values[str(asked)][places]
    if not controlled:
        return estimate(asked, list(values))
    return control_variates(values, pool.controls[places], pool.known_means).estimate


def _drawn(size: int, each: int) -> Iterator[Places]:
    """Disjoint blocks of runs; when the pool is used up, it is shuffled and used again."""
    if each > size:
        raise ValueError(f"a campaign of {each} runs needs a pool of at least as many; there are {size}")
    random = np.random.default_rng(SEED)
    while True:
        order = random.permutation(size)
        yield from order[: size // each * each].reshape(-1, each)


def bounds(campaigns: int, covers: float, beyond: float = 1e-6) -> tuple[float, float]:
    """Between which shares of campaigns lie that are covered with that probability, but for a chance of `beyond`."""
    deviations = math.sqrt(2) * _inverse_error(1 - beyond)
    spread = deviations * math.sqrt(covers * (1 - covers) / campaigns)
    return covers - spread, min(covers + spread, 1.0)


def _inverse_error(value: float) -> float:
    from scipy.special import erfinv

    return float(erfinv(value))
