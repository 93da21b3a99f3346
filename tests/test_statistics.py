"""Statistics against textbook numbers, and their coverage against the normal distribution."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betainc, stdtrit

from airlink.result.estimate import CLOSED_FORM_UP_TO, t_quantile
from airlink.statistics import (
    cdf,
    coverage_rate,
    jain_index,
    mean_interval,
    mean_log_throughput,
    paired_difference,
    paired_ratio,
    prediction_interval,
    quantile,
)

# Two-sided 95 % quantiles of Student's t, any table.
STUDENT = {1: 12.706, 4: 2.776, 9: 2.262, 49: 2.010}

finite = st.floats(-1e6, 1e6)


@pytest.mark.parametrize(("degrees", "reach"), STUDENT.items())
def test_the_interval_reaches_as_far_as_students_table_says(degrees: int, reach: float) -> None:
    assert t_quantile(degrees, 0.95) == pytest.approx(reach, abs=5e-4)


@pytest.mark.parametrize("degrees", [*range(1, 60), 99, 100, CLOSED_FORM_UP_TO, CLOSED_FORM_UP_TO + 1, 30_000])
def test_outside_a_quantile_lies_the_probability_that_its_level_leaves(degrees: int) -> None:
    for level in (1e-3, 0.5, 0.9, 0.95, 0.999):
        t = t_quantile(degrees, level)
        outside = float(betainc(degrees / 2, 0.5, degrees / (degrees + t * t)))
        assert outside == pytest.approx(1 - level, rel=1e-10)


@given(st.integers(1, 5000), st.floats(0.01, 1 - 1e-6))
def test_the_quantiles_of_student_are_those_of_scipy(degrees: int, level: float) -> None:
    # Those of scipy before 1.17 are right to 1e-8 only, hence the probabilities above.
    assert t_quantile(degrees, level) == pytest.approx(float(stdtrit(degrees, (1 + level) / 2)), rel=1e-7)


def test_the_mean_of_a_textbook_sample_has_its_interval() -> None:
    # sd of 1..5 is sqrt(2.5); half width = 2.776 * sqrt(2.5 / 5).
    estimate = mean_interval([1, 2, 3, 4, 5])
    assert estimate.mean == 3
    assert estimate.half_width == pytest.approx(2.7764451 * math.sqrt(0.5))
    assert (estimate.low + estimate.high) / 2 == pytest.approx(3)


def test_one_sample_says_nothing_about_the_spread() -> None:
    estimate = mean_interval([7.0])
    assert (estimate.mean, estimate.low, estimate.high) == (7.0, -math.inf, math.inf)


def test_a_user_who_got_nothing_makes_the_mean_of_logarithms_minus_infinity() -> None:
    estimate = mean_interval([0.5, -math.inf, 0.7])
    assert (estimate.mean, estimate.low, estimate.high) == (-math.inf,) * 3


def test_what_is_missing_stays_missing() -> None:
    assert math.isnan(mean_interval([1.0, math.nan]).mean)


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0, 2.0])
def test_a_level_outside_0_to_1_is_refused(level: float) -> None:
    with pytest.raises(ValueError, match="level"):
        mean_interval([1, 2], level)


def test_no_samples_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        mean_interval([])


def test_intervals_hold_the_truth_as_often_as_they_claim() -> None:
    # 4000 trials: the standard error of a share of 0.95 is 0.0034; four of them either way.
    draws = np.random.default_rng(1).normal(3.0, 2.0, (4000, 6))
    hits = sum(estimate.low <= 3.0 <= estimate.high for estimate in map(mean_interval, draws))
    assert 0.936 <= hits / 4000 <= 0.964


def test_fiellers_intervals_hold_the_ratio_as_often_as_they_claim() -> None:
    random = np.random.default_rng(2)
    hits = 0
    for _ in range(4000):
        shared = random.normal(10.0, 2.0, 8)
        a, b = 1.2 * shared + random.normal(0, 0.5, 8), shared + random.normal(0, 0.5, 8)
        estimate = paired_ratio(a, b)
        hits += estimate.low <= 1.2 <= estimate.high
    assert 0.936 <= hits / 4000 <= 0.964


def test_pairing_by_seed_cancels_what_both_share() -> None:
    shared = np.random.default_rng(3).normal(100, 30, 20)
    a, b = shared + 1.0, shared
    assert paired_difference(a, b).half_width < 1e-9
    assert mean_interval(a).half_width > 5


def test_a_ratio_is_that_of_the_means_not_the_mean_of_the_ratios() -> None:
    estimate = paired_ratio([10, 1], [5, 1])
    assert estimate.mean == pytest.approx(11 / 6)


def test_a_ratio_to_something_near_zero_is_known_to_be_unknown() -> None:
    estimate = paired_ratio([1, 2, 3], [-1, 0, 2])
    assert (estimate.low, estimate.high) == (-math.inf, math.inf)


def test_a_ratio_to_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="denominator"):
        paired_ratio([1, 2], [0, 0])


def test_pairs_need_partners() -> None:
    with pytest.raises(ValueError, match="equal lengths"):
        paired_difference([1, 2], [1])


def test_the_same_infinity_on_both_sides_is_no_difference() -> None:
    assert paired_difference([-math.inf, 1.0], [-math.inf, 1.0]).mean == 0
    assert paired_difference([-math.inf, 1.0], [0.0, 1.0]).mean == -math.inf


@given(st.lists(finite, min_size=1, max_size=30), finite)
def test_the_interval_moves_with_the_samples(samples: list[float], shift: float) -> None:
    here, there = mean_interval(samples), mean_interval(np.add(samples, shift))
    assert there.mean == pytest.approx(here.mean + shift, abs=1e-6)
    if len(samples) > 1:
        assert there.half_width == pytest.approx(here.half_width, abs=1e-4)


def test_jains_index_is_1_for_equals_and_1_over_n_for_a_monopoly() -> None:
    assert jain_index([3, 3, 3]) == 1
    assert jain_index([[5, 0, 0, 0], [1, 1, 1, 1]]).tolist() == [0.25, 1.0]
    assert np.isnan(jain_index([0, 0]))


@given(st.lists(st.floats(0.01, 1e6), min_size=1, max_size=20))
def test_jains_index_lies_between_its_bounds(shares: list[float]) -> None:
    assert 1 / len(shares) - 1e-9 <= jain_index(shares) <= 1 + 1e-9


def test_the_mean_of_logarithms_counts_in_kilobytes() -> None:
    assert mean_log_throughput([[8e4, 8e4], [8e4, 0.0]]).tolist() == [1.0, -math.inf]


def test_the_distribution_counts_each_sample_once() -> None:
    values, share = cdf([2.0, math.nan, 1.0, 2.0])
    assert values.tolist() == [1, 2, 2]
    assert share.tolist() == pytest.approx([1 / 3, 2 / 3, 1])


def test_quantiles_are_samples() -> None:
    tens = list(range(10, 110, 10))
    assert [quantile(tens, share) for share in (0, 0.1, 0.11, 0.5, 1)] == [10, 10, 20, 50, 100]
    assert math.isnan(quantile([], 0.5))


def test_nine_users_in_ten_reach_the_coverage_rate() -> None:
    rates = np.arange(1.0, 22.0)
    reached = coverage_rate(rates, 0.9)
    assert np.mean(rates >= reached) >= 0.9
    assert np.mean(rates >= np.nextafter(reached, np.inf)) < 0.9
    assert coverage_rate(range(1, 11), 0.9) == 2


@pytest.mark.parametrize("share", [-0.1, 1.1, math.nan])
def test_a_share_outside_0_to_1_is_refused(share: float) -> None:
    with pytest.raises(ValueError, match="share"):
        quantile([1.0], share)


REPEATS = 4000


def inside(low: np.ndarray, high: np.ndarray, new: np.ndarray) -> None:
    """Nineteen of twenty new values lie from low to high, within four standard errors of the count."""
    share = float(np.mean((low <= new) & (new <= high)))
    assert abs(share - 0.95) <= 4 * math.sqrt(0.95 * 0.05 / new.size)


@pytest.mark.parametrize(("ours", "papers"), [(50, 50), (5, 50), (10, 1), (50, 3), (2, 10)])
def test_a_new_mean_falls_into_the_prediction_interval_19_times_of_20(ours: int, papers: int) -> None:
    draws = np.random.default_rng(ours * 100 + papers).normal(178.0, 18.0, (REPEATS, ours + papers))
    made = [prediction_interval(mean_interval(each[:ours]), papers) for each in draws]
    inside(np.array([one.low for one in made]), np.array([one.high for one in made]), draws[:, ours:].mean(axis=1))


@pytest.mark.parametrize("papers", [50, 10])
def test_a_new_ratio_of_means_falls_into_the_prediction_interval_19_times_of_20(papers: int) -> None:
    rng = np.random.default_rng(papers)
    below = rng.normal(174.0, 20.0, (REPEATS, 50 + papers))
    above = 0.5 * below + rng.normal(107.0, 10.0, below.shape)
    made = [prediction_interval(paired_ratio(a[:50], b[:50]), papers) for a, b in zip(above, below, strict=True)]
    new = above[:, 50:].mean(axis=1) / below[:, 50:].mean(axis=1)
    inside(np.array([one.low for one in made]), np.array([one.high for one in made]), new)


def test_the_confidence_interval_alone_would_miss_a_new_mean() -> None:
    draws = np.random.default_rng(1).normal(0.0, 1.0, (REPEATS, 100))
    made = [mean_interval(each[:50]) for each in draws]
    hits = [one.low <= new <= one.high for one, new in zip(made, draws[:, 50:].mean(axis=1), strict=True)]
    assert np.mean(hits) < 0.88, "sqrt(2) times too narrow: about 84 %"


def test_a_prediction_needs_a_sample_and_keeps_certainties() -> None:
    with pytest.raises(ValueError, match="samples is 0"):
        prediction_interval(mean_interval([1.0, 2.0]), 0)
    assert prediction_interval(mean_interval([3.0, 3.0]), 1).high == 3.0
    assert prediction_interval(mean_interval([3.0]), 1).high == math.inf
