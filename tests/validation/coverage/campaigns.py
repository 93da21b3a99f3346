"""Campaigns on synthetic replicas: each function gives the rows of one part of the table."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from airlink.statistics import (
    Difference,
    Estimate,
    Looks,
    Precision,
    Sample,
    batch_means,
    control_variates,
    quantile_interval,
    replica_mean,
    simultaneous,
    verdict,
)

from .populations import (
    CLUSTERS,
    LARGEST,
    MEANS,
    Clusters,
    Random,
    clustered,
    download_quantile_s,
    downloads,
    lognormal,
    samples,
)
from .tally import Case, Coverage, tally

Floats = NDArray[np.float64]

SHARES = (0.05, 0.5, 0.95)


def random_of(case: Case, replicas: float) -> Random:
    """Numbers of its own for each row, always the same."""
    return np.random.default_rng([zlib.crc32(f"{case.part}|{case.case}|{case.method}".encode()), int(replicas)])


def means(campaigns: int) -> Iterator[Coverage]:
    """Student-t intervals of means."""
    for name, numbers in MEANS.items():
        for count in (10, 20, 50, 100, 200, 400):
            case = Case("means", name, "Student-t")
            random = random_of(case, count)
            yield tally(case, numbers.mean, [replica_mean(numbers.draw(random, count)) for _ in range(campaigns)])


def quantiles(campaigns: int) -> Iterator[Coverage]:
    """Quantiles of clustered values."""
    for name, clusters in CLUSTERS.items():
        for count in (10, 20, 50, 100):
            for share in SHARES:
                case = Case("quantiles", name, f"p{100 * share:02.0f}")
                random = random_of(case, count)
                found = [
                    quantile_interval(samples(random, clusters, random.standard_normal(count)), share)
                    for _ in range(campaigns)
                ]
                yield tally(case, clusters.quantile(share), found)


def censored(campaigns: int) -> Iterator[Coverage]:
    """Quantiles of downloads of which some are under way when the run ends."""
    for run_s, under_way in ((40.0, "few"), (8.0, "some"), (4.0, "many")):
        for count in (10, 20, 50, 100):
            for share in (0.5, 0.95):
                case = Case("downloads", f"{under_way} under way ({run_s:g} s runs)", f"p{100 * share:02.0f}")
                random = random_of(case, count)
                found = [quantile_interval(downloads(random, count, 40, run_s), share) for _ in range(campaigns)]
                yield tally(case, download_quantile_s(share), found)


def controlled(random: Random, count: int, bend: float) -> tuple[Floats, Floats]:
    """Values of mean 1 and their control of mean 0; `bend` makes values skewed and their regression a curve."""
    control = random.standard_normal(count)
    log = bend * (0.8 * control + 0.6 * random.standard_normal(count))
    return np.exp(log - bend**2 / 2), control


def controls(campaigns: int) -> Iterator[Coverage]:
    """One control that explains 64 % of the (logarithm's) variance; ten of no use."""
    for bend, name in ((0.05, "nearly normal"), (0.5, "skewed"), (1.0, "very skewed")):
        for count in (15, 20, 50, 100, 200):
            case = Case("controls", name, "one control")
            random = random_of(case, count)
            drawn = [controlled(random, count, bend) for _ in range(campaigns)]
            yield tally(case, 1.0, [control_variates(values, control, [0.0]).estimate for values, control in drawn])
    case = Case("controls", "normal", "ten useless ones")
    random = random_of(case, 30)
    found = [
        control_variates(random.standard_normal(30), random.standard_normal((30, 10)), [0.0] * 10).estimate
        for _ in range(campaigns)
    ]
    yield tally(case, 0.0, found)


def looks(campaigns: int) -> Iterator[Coverage]:
    """Experiments that end when the interval of a mean is narrow enough."""
    deviations = {"normal": 0.2, LARGEST: 1.236 / 2.718, "exponential": 1.0, "lognormal, sigma 1": 1.311}
    for name, deviation in deviations.items():
        for about in (25, 60, 150, 400):
            case = Case("until", name, f"mean, about {about}")
            precision = Precision(1.96 * deviation / np.sqrt(about))
            yield _looked(case, MEANS[name].mean, precision, campaigns, _until_mean(name))


def looks_at_others(campaigns: int) -> Iterator[Coverage]:
    """The same of a quantile, a difference and a mean with a control."""
    for about, width in ((25, 0.5), (60, 0.2), (150, 0.125)):
        case = Case("until-others", "20 values, correlation 0.3", f"p95, about {about}")
        yield _looked(case, CLUSTERS[case.case].quantile(0.95), Precision(width), campaigns, _until_quantile)
    for about in (25, 60, 150):
        case = Case("until-others", "normal pairs", f"difference, about {about}")
        yield _looked(case, 0.1, Precision(1.96 * 0.2 / np.sqrt(about)), campaigns, _until_difference)
    for about in (25, 60, 150):
        case = Case("until-others", "nearly normal", f"one control, about {about}")
        yield _looked(case, 1.0, Precision(1.96 * 0.05 * 0.6 / np.sqrt(about)), campaigns, _until_controlled)


Until = Callable[[Random, int], Callable[[int], Estimate | Difference]]


def _looked(case: Case, truth: float, precision: Precision, campaigns: int, begin: Until) -> Coverage:
    random = random_of(case, 0)
    found = []
    for _ in range(campaigns):
        most = 1000
        look = begin(random, most)
        for size in Looks(most):
            last = look(size)
            if precision.is_met(last):
                break
        found.append(last.absolute if isinstance(last, Difference) else last)
    return tally(case, truth, found)


def _until_mean(name: str) -> Until:
    def begin(random: Random, most: int) -> Callable[[int], Estimate]:
        values = MEANS[name].draw(random, most)
        return lambda size: replica_mean(values[:size])

    return begin


def _until_quantile(random: Random, most: int) -> Callable[[int], Estimate]:
    drawn: list[Sample] = []

    def look(size: int) -> Estimate:
        drawn.extend(samples(random, CLUSTERS["20 values, correlation 0.3"], random.standard_normal(size - len(drawn))))
        return quantile_interval(drawn, 0.95)

    return look


def _until_difference(random: Random, most: int) -> Callable[[int], Difference]:
    shared = random.normal(1.0, 0.5, most)
    base, arm = shared, shared + random.normal(0.1, 0.2, most)
    return lambda size: simultaneous({"base": base[:size], "arm": arm[:size]}, "base")["arm"]


def _until_controlled(random: Random, most: int) -> Callable[[int], Estimate]:
    values, control = controlled(random, most, 0.05)
    return lambda size: control_variates(values[:size], control[:size], [0.0]).estimate


def equal_means(campaigns: int) -> Iterator[Coverage]:
    """Arms of one law: covered says how often no arm is called better or worse than the baseline."""
    laws: Mapping[str, Callable[[Random, int, int], Floats]] = {
        "normal": lambda random, arms, count: random.normal(10, 1, count) + random.normal(0, 0.5, (arms, count)),
        "exponential": lambda random, arms, count: random.exponential(size=(arms, count)),
        "lognormal, sigma 1": lambda random, arms, count: random.lognormal(0, 1, (arms, count)),
    }
    for name, law in laws.items():
        for arms in (2, 3, 6):
            for count in (10, 20, 50):
                case = Case("equal-means", name, f"{arms} arms")
                random = random_of(case, count)
                drawn = (law(random, arms, count) for _ in range(campaigns))
                yield called(case, count, [_compared(dict(enumerate(values))) for values in drawn])


def equal_quantiles(campaigns: int) -> Iterator[Coverage]:
    """The same of quantiles; replicas of all arms share nine tenths of the variance of their effects."""
    for name in ("20 values, correlation 0.3", "10 values, correlation 0.8"):
        for share in SHARES:
            case = Case("equal-quantiles", name, f"p{100 * share:02.0f}, 3 arms")
            random = random_of(case, 20)
            groups = (_paired(random, [CLUSTERS[name]] * 3, 20) for _ in range(campaigns))
            yield called(case, 20, [_compared(arms, share) for arms in groups])


def _paired(random: Random, arms: list[Clusters], count: int) -> dict[int, list[object]]:
    """Samples of each arm, whose replicas share nine tenths of their effect's variance."""
    shared = random.standard_normal(count)
    return {
        place: list(samples(random, clusters, np.sqrt(0.9) * shared + np.sqrt(0.1) * random.standard_normal(count)))
        for place, clusters in enumerate(arms)
    }


def _compared(arms: Mapping[int, object], share: float | None = None) -> dict[str, Difference]:
    labels = {str(place): values for place, values in arms.items()}
    return simultaneous(labels, "0", share=share)  # type: ignore[arg-type]


def called(case: Case, count: int, found: list[dict[str, Difference]]) -> Coverage:
    """How often no arm is called better or worse; which of them, by the first that is."""
    verdicts = [[verdict(each, better="higher") for each in one.values()] for one in found]
    first = [next((each for each in one if each in ("better", "worse")), "") for one in verdicts]
    worse, better = (float(np.mean([each == word for each in first])) for word in ("worse", "better"))
    width = [each.absolute for one in found for each in one.values()]
    row = tally(case, 0.0, width, count)
    return replace(row, campaigns=len(found), covered=round(1 - worse - better, 4), below=worse, above=better)


def differences(campaigns: int) -> Iterator[Coverage]:
    """Arms of different laws: all differences lie within their intervals at once."""
    skewed = lognormal(1.0)
    for arms in (2, 3, 6):
        for count in (10, 20, 50, 100):
            case = Case("differences", "skewed differences", f"mean, {arms} arms")
            random = random_of(case, count)
            found = []
            for _ in range(campaigns):
                base = random.normal(10, 1, count)
                others = {place: base + skewed.draw(random, count) for place in range(1, arms)}
                found.append(_compared({0: base, **others}))
            yield _all_at_once(case, count, 1.0, found)
    pair = [clustered(40, 0.2, 1.0, 0.7), clustered(20, 0.3, 1.5, 1.2)]
    for share in SHARES:
        truth = pair[1].quantile(share) - pair[0].quantile(share)
        for count in (10, 20, 50):
            case = Case("differences", "clusters of two kinds", f"p{100 * share:02.0f}, 2 arms")
            random = random_of(case, count)
            found = [_compared(_paired(random, pair, count), share) for _ in range(campaigns)]
            yield _all_at_once(case, count, truth, found)


def _all_at_once(case: Case, count: int, truth: float, found: list[dict[str, Difference]]) -> Coverage:
    ends = [
        (max(each.absolute.low for each in one.values()), min(each.absolute.high for each in one.values()))
        for one in found
    ]
    return tally(case, truth, [Estimate(truth, low, high, count) for low, high in ends])


def batches(campaigns: int) -> Iterator[Coverage]:
    """One long run of correlated values: batch means, and those of them that are not called correlated."""
    for length in (500, 2000, 8000):
        case = Case("batches", "AR(1), 0.9 from step to step", f"{length} steps")
        random = random_of(case, length)
        found = [batch_means(autoregressive(random, length)) for _ in range(campaigns)]
        yield tally(case, 0.0, [each.estimate for each in found])
        kept = [each.estimate for each in found if not each.is_correlated]
        if len(kept) > campaigns // 10:
            yield tally(replace(case, method=f"{length} steps, not called correlated"), 0.0, kept)


def autoregressive(random: Random, length: int, memory: float = 0.9) -> Floats:
    """Values of mean 0 that each keep that share of the one before."""
    from scipy.signal import lfilter

    first = random.standard_normal() / np.sqrt(1 - memory**2)
    series = lfilter([1.0], [1.0, -memory], random.standard_normal(length), zi=[memory * first])[0]
    return np.asarray(series, dtype=float)


@dataclass(frozen=True)
class Part:
    """Rows of the table, and of how many campaigns each is."""

    rows: Callable[[int], Iterator[Coverage]]
    campaigns: int


PARTS: Mapping[str, Part] = {
    "means": Part(means, 4000),
    "quantiles": Part(quantiles, 1000),
    "downloads": Part(censored, 1000),
    "controls": Part(controls, 4000),
    "until": Part(looks, 4000),
    "until-others": Part(looks_at_others, 1000),
    "equal-means": Part(equal_means, 2000),
    "equal-quantiles": Part(equal_quantiles, 1000),
    "differences": Part(differences, 1000),
    "batches": Part(batches, 4000),
}
