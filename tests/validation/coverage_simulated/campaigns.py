"""Campaigns drawn from a pool of runs, and how often their interval holds the truth."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from airlink.measures import Found, Measure, estimate, measure
from airlink.statistics import Estimate, Looks, Precision, control_variates, pooled_quantile

from ..coverage.tally import Case, Coverage, tally
from .pools import Pool
from .scenarios import TIMEOUTS, Simulated

Places = NDArray[np.int64]

CAMPAIGNS = 1000
SIZES = (10, 20, 50)
MORE = (100, 200)
"""Sizes for what is so skewed that fewer runs do not do."""

ABOUT = (45, 150)
"""Campaigns that end when they are precise enough ask for the half width that so many runs have without controls."""

MOST = 500
"""Their cap."""

SEED = 20
"""Of the order in which campaigns draw runs."""


def own_truth(simulated: Simulated, runs: Pool, campaigns: int = CAMPAIGNS) -> Iterator[Coverage]:
    """Coverage of the closed form, or of what the whole pool says."""
    for text, words in simulated.measures.items():
        truth = simulated.exact.get(text, true_value(runs, text))
        if not np.isfinite(truth):
            continue
        for controlled in _ways(runs, text):
            place = Case("simulated", words, "controls" if controlled else "plain")
            for size in SIZES + (MORE if text == TIMEOUTS else ()):
                if not controlled or size > len(runs.names) + 11:
                    yield tally(place, truth, fixed(runs, text, size, campaigns, controlled))
        widths = (relative_width(runs, text, size) for size in ABOUT)
        for precision in (Precision(width) for width in widths if np.isfinite(width)):
            for controlled in _ways(runs, text):
                place = Case("simulated-until", words, "controls" if controlled else "plain")
                yield tally(place, truth, until(runs, text, precision, campaigns, controlled))


def another_truth(simulated: Simulated, runs: Pool, longer: Simulated, truth: Pool) -> Iterator[Coverage]:
    """Coverage of what runs say that go on longer."""
    for text in truth.samples:
        place = Case("simulated", simulated.measures[text], longer.measures[text])
        for size in SIZES:
            yield tally(place, true_value(truth, text), fixed(runs, text, size, CAMPAIGNS))


def true_value(runs: Pool, text: str) -> float:
    """What the whole pool says, of a mean with its controls."""
    asked = measure(text)
    if asked.share is not None:
        return pooled_quantile(runs.samples[text], asked.share)
    return _estimate(runs, asked, np.arange(runs.size), controlled=bool(runs.names)).mean


def fixed(runs: Pool, text: str, size: int, campaigns: int, controlled: bool = False) -> list[Estimate]:
    """The estimates of campaigns of so many runs each."""
    drawn = _drawn(runs.size, size)
    return [_estimate(runs, measure(text), next(drawn), controlled) for _ in range(campaigns)]


def until(runs: Pool, text: str, precision: Precision, campaigns: int, controlled: bool = False) -> list[Estimate]:
    """The estimates of campaigns that end at the first look at which the interval is narrow enough, or at the cap."""
    drawn, asked = _drawn(runs.size, MOST), measure(text)
    found = []
    for _ in range(campaigns):
        places = next(drawn)
        for size in Looks(most=MOST):
            last = _estimate(runs, asked, places[:size], controlled)
            if precision.is_met(last):
                break
        found.append(last)
    return found


def relative_width(runs: Pool, text: str, size: int) -> float:
    """The relative half width that campaigns of so many runs have, in the median."""
    wanted = Precision(1.0)
    return float(np.median([wanted.width(each) for each in fixed(runs, text, size, 21)]))


def _ways(runs: Pool, text: str) -> tuple[bool, ...]:
    """Without controls, and with them if there are any for a mean."""
    return (False, True) if measure(text).share is None and runs.names else (False,)


def _estimate(runs: Pool, asked: Measure, places: Places, controlled: bool) -> Estimate:
    if asked.share is not None:
        samples: list[Found] = [runs.samples[str(asked)][place] for place in places]
        return estimate(asked, samples)
    values = runs.values[str(asked)][places]
    if not controlled:
        return estimate(asked, list(values))
    return control_variates(values, runs.controls[places], runs.known_means).estimate


def _drawn(size: int, each: int) -> Iterator[Places]:
    """Disjoint blocks of runs; when the pool is used up, it is shuffled and used again."""
    if each > size:
        raise ValueError(f"a campaign of {each} runs needs a pool of at least as many; there are {size}")
    random = np.random.default_rng(SEED)
    while True:
        yield from random.permutation(size)[: size // each * each].reshape(-1, each)
