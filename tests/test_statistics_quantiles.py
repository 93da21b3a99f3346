"""Quantiles over replicas against textbooks, brute force and the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from airlink.statistics import Sample, pooled_quantile, quantile, quantile_interval, replica_mean
from airlink.statistics import quantile_resamples as resamples
from airlink.statistics.product_limit import ProductLimit
from airlink.statistics.quantiles import influence_on_share
from airlink.statistics.resampling import expanded_level, resampled_counts

REMISSION = Sample(
    [6, 6, 6, 7, 10, 13, 16, 22, 23, 6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35], [True] * 9 + [False] * 12
)
"""Remission under 6-MP, 21 patients [Freireich63]: times, then ages. Median 23, S(23) = 0.448."""

runs = st.lists(
    st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=1, max_size=6).map(
        lambda pairs: Sample([value for value, _ in pairs], [ended for _, ended in pairs])
    ),
    min_size=2,
    max_size=6,
)


def clustered(random: np.random.Generator, replicas: int, values: int = 20, within: float = 0.3) -> list[Sample]:
    effects = math.sqrt(within) * random.standard_normal(replicas)
    return [Sample(np.exp(effect + math.sqrt(1 - within) * random.standard_normal(values))) for effect in effects]


def repeated(samples: list[Sample], counts: np.ndarray) -> list[Sample]:
    """Each replica as often as it counts."""
    return [sample for sample, count in zip(samples, counts, strict=True) for _ in range(int(count))]


@given(
    st.lists(st.lists(st.integers(0, 20), max_size=8), min_size=1, max_size=5), st.sampled_from([0.05, 0.5, 0.95, 1])
)
def test_without_ages_the_quantile_is_a_rank_of_all_values(replicas: list[list[int]], share: float) -> None:
    pooled = pooled_quantile([Sample(values) for values in replicas], share)
    assert np.array_equal(pooled, quantile([value for values in replicas for value in values], share), equal_nan=True)


@pytest.mark.parametrize(("share", "value"), [(0.5, 23), (0.25, 13), (0.56, math.inf)])
def test_the_remission_times_of_the_textbook_have_its_median(share: float, value: float) -> None:
    halves = [Sample(REMISSION.values[side], REMISSION.ended[side]) for side in (slice(0, 11), slice(11, None))]
    assert pooled_quantile([REMISSION], share) == pooled_quantile(halves, share) == value


@given(runs, st.sampled_from([0.05, 0.3, 0.5, 0.95]))
def test_each_resample_has_the_quantile_of_the_replicas_it_drew(samples: list[Sample], share: float) -> None:
    found = resamples.resampled_quantiles(samples, share)
    counts = resampled_counts(len(samples))
    for row in range(0, len(counts), 400):
        assert found[row] == pooled_quantile(repeated(samples, counts[row]), share)


def test_many_ages_are_moved_to_the_end_of_their_cell_only(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(5)
    drawn = clustered(random, 30)
    known = resamples.resampled_quantiles(drawn, 0.5)
    aged = [Sample(each.values, random.random(20) < 0.5) for each in drawn]
    exact = resamples.resampled_quantiles(aged, 0.5)
    monkeypatch.setattr(resamples, "MOST_CELLS", 60)
    assert np.array_equal(resamples.resampled_quantiles(drawn, 0.5), known)
    # A cell holds ten of 600 values: the quantile moves by a few of them at most.
    ordered = np.sort(np.concatenate([each.values for each in aged]))
    moved = np.searchsorted(ordered, resamples.resampled_quantiles(aged, 0.5)) - np.searchsorted(ordered, exact)
    assert 0 < np.abs(moved).max() <= 20


@pytest.mark.parametrize("ages", [0.0, 0.3])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.8])
def test_influences_spread_as_resampled_replicas_do(share: float, ages: float) -> None:
    random = np.random.default_rng(3)
    samples = [Sample(each.values, random.random(20) >= ages) for each in clustered(random, 40)]
    pool, counts = ProductLimit.of(samples), resampled_counts(40)
    point = pool.quantile(share)
    influence = influence_on_share(pool, 40, share, point)
    below = []
    for row in counts:
        drawn = ProductLimit.of(repeated(samples, row))
        upto = int(np.searchsorted(drawn.values, point, side="right"))
        below.append(1 - drawn.survival[upto - 1] if upto else 0.0)
    # A standard deviation of 2000 resamples is known to 1.6 %; the derivative is right to first order, 1 / 40.
    assert math.sqrt(influence @ influence) == pytest.approx(np.std(below), rel=0.08)
    assert influence.sum() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("share", [0.05, 0.5, 0.95])
def test_intervals_of_clustered_values_hold_the_quantile(share: float) -> None:
    random = np.random.default_rng(11)
    truth = {0.05: math.exp(-1.6448536), 0.5: 1.0, 0.95: math.exp(1.6448536)}[share]
    found = [quantile_interval(clustered(random, 20), share) for _ in range(600)]
    covered = np.mean([each.low <= truth <= each.high for each in found])
    # 600 campaigns: a standard error of 0.0089; four of them either way.
    assert 0.914 <= covered <= 0.986


def test_values_taken_as_independent_would_cover_too_little() -> None:
    random = np.random.default_rng(12)
    drawn = [clustered(random, 20) for _ in range(100)]
    apart = [[Sample([value]) for each in samples for value in each.values] for samples in drawn]
    found = [quantile_interval(each, 0.5) for each in apart]
    assert np.mean([each.low <= 1.0 <= each.high for each in found]) < 0.7


def test_too_few_values_leave_an_end_unknown() -> None:
    runs = [Sample([value]) for value in np.random.default_rng(1).exponential(size=20)]
    # Twenty values lie below the 95th percentile 36 times in a hundred.
    assert quantile_interval(runs, 0.95).high == math.inf
    assert quantile_interval(runs, 0.05).low == -math.inf
    middle = quantile_interval(runs, 0.5)
    assert -math.inf < middle.low < middle.mean < middle.high < math.inf


def test_what_lies_beyond_all_ages_has_a_lower_end_only() -> None:
    random = np.random.default_rng(2)
    runs = [Sample(np.minimum(times, 2.0), times < 2.0) for times in random.exponential(1.0, (30, 40))]
    estimate = quantile_interval(runs, 0.9)
    assert (estimate.mean, estimate.high) == (math.inf, math.inf)
    assert estimate.low == 2.0, "it lies above every age"
    assert 1.5 < quantile_interval(runs, 0.87).low < 2.0
    assert quantile_interval(runs, 0.5).high < math.inf


def test_where_nothing_has_ended_only_the_longest_age_is_known() -> None:
    runs = [Sample([age, 2 * age], False) for age in range(1, 21)]
    estimate = quantile_interval(runs, 0.5)
    assert (estimate.mean, estimate.low, estimate.high) == (math.inf, 40.0, math.inf)


def test_the_largest_value_may_be_larger() -> None:
    estimate = quantile_interval([Sample([value]) for value in range(20)], 1.0)
    assert (estimate.mean, estimate.low, estimate.high) == (19.0, 19.0, math.inf)


def test_equal_replicas_leave_nothing_unknown() -> None:
    same = quantile_interval([Sample([3.0])] * 20, 0.95)
    assert (same.low, same.mean, same.high) == (3.0, 3.0, 3.0)
    assert quantile_interval([Sample([1.0, 2.0, 3.0])] * 9, 0.5).half_width == 0


def test_one_replica_says_nothing_of_others_and_none_nothing_at_all() -> None:
    alone = quantile_interval([Sample([1.0, 2.0]), Sample([])], 0.5)
    assert (alone.mean, alone.low, alone.high, alone.n) == (1.0, -math.inf, math.inf, 1)
    nothing = quantile_interval([Sample([math.nan])], 0.5)
    assert math.isnan(nothing.mean)
    assert nothing.n == 0
    assert math.isnan(pooled_quantile([], 0.5))


@given(runs, st.permutations(range(6)), st.sampled_from([0.2, 0.5, 0.9]))
def test_the_order_of_replicas_does_not_matter(samples: list[Sample], order: list[int], share: float) -> None:
    shuffled = [samples[place] for place in order if place < len(samples)]
    assert quantile_interval(shuffled, share) == quantile_interval(samples, share)


@given(runs, st.sampled_from([0.2, 0.5, 0.9]))
def test_the_interval_holds_the_quantile_and_grows_with_the_level(samples: list[Sample], share: float) -> None:
    narrow, wide = (quantile_interval(samples, share, level) for level in (0.8, 0.99))
    assert wide.low <= narrow.low <= narrow.mean <= narrow.high <= wide.high


@pytest.mark.parametrize("share", [0.0, 1.5, math.nan])
def test_a_share_that_no_quantile_has_is_refused(share: float) -> None:
    for ask in (lambda: quantile_interval([Sample([1.0])], share), lambda: pooled_quantile([], share)):
        with pytest.raises(ValueError, match="share is"):
            ask()


def test_a_sample_needs_a_flag_for_each_value() -> None:
    with pytest.raises(ValueError, match="2 values, but ended has 3"):
        Sample([1.0, 2.0], [True, True, False])
    assert Sample([1.0, math.nan, 2.0], [True, True, False]).ended.tolist() == [True, False]


def test_expanded_percentiles_of_a_mean_are_students_interval() -> None:
    values = np.random.default_rng(4).normal(size=20)
    means = resampled_counts(20) @ values / 20
    level = expanded_level(0.95, 20)
    reach = np.quantile(means, [(1 - level) / 2, (1 + level) / 2]) - values.mean()
    # The 2000 resamples leave some 4 % of the reach open.
    assert np.abs(reach) == pytest.approx(replica_mean(values).half_width, rel=0.12)


def test_replicas_without_a_number_are_left_out_of_a_mean() -> None:
    found = replica_mean([1.0, math.nan, 3.0])
    assert (found.mean, found.n) == (2.0, 2)
    assert (replica_mean([math.nan]).n, math.isnan(replica_mean([]).mean)) == (0, True)


def test_without_ages_an_influence_is_a_replicas_surplus_of_small_values() -> None:
    random = np.random.default_rng(6)
    samples = [Sample(random.integers(0, 9, size)) for size in random.integers(1, 9, 12)]
    pool = ProductLimit.of(samples)
    point = pool.quantile(0.4)
    below, upto = (
        np.array([np.sum(test(each.values, point)) for each in samples]) for test in (np.less, np.less_equal)
    )
    part = (upto.sum() - 0.4 * pool.values.size) / (upto.sum() - below.sum())
    sizes = np.array([each.values.size for each in samples])
    surplus = part * below + (1 - part) * upto - 0.4 * sizes
    assert influence_on_share(pool, 12, 0.4, point) == pytest.approx(surplus / pool.values.size)
