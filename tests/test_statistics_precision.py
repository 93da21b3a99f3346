"""Looks and precision, control variates, warm-up and batch means: against regression, hand counts and the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from airlink.result.estimate import t_quantile
from airlink.statistics import (
    Difference,
    Estimate,
    Looks,
    Precision,
    batch_means,
    common_mser,
    control_variates,
    mser,
    replica_mean,
)


def test_looks_grow_by_half_up_to_the_cap() -> None:
    assert list(Looks(300)) == [20, 30, 45, 68, 102, 153, 230, 300]
    assert list(Looks(20)) == [20]
    assert list(Looks(7)) == [7]
    assert list(Looks(50, least=5, growth=2)) == [5, 10, 20, 40, 50]


@given(st.integers(1, 5000), st.integers(2, 100), st.floats(1.001, 4))
def test_looks_end_at_the_cap_and_never_stand_still(most: int, least: int, growth: float) -> None:
    sizes = list(Looks(most, least, growth))
    assert sizes[-1] == most
    assert sizes == sorted(set(sizes))
    assert sizes[0] == min(least, most)


@pytest.mark.parametrize("wrong", [{"most": 0}, {"least": 1}, {"growth": 1.0}, {"growth": math.nan}])
def test_looks_that_go_nowhere_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Looks(**wrong)


def test_precision_is_half_of_the_interval() -> None:
    found = Estimate(-200.0, -203.0, -197.0, 20)
    assert Precision(0.02).width(found) == pytest.approx(0.015)
    assert [Precision(0.015).is_met(found), Precision(0.0149).is_met(found)] == [True, False]
    assert Precision(3.0, relative=False).is_met(found)
    lopsided = Estimate(1.0, 0.9, 1.3, 20)
    assert Precision(1.0).width(lopsided) == pytest.approx(0.2)


def test_a_difference_is_precise_in_shares_of_its_baseline() -> None:
    found = Difference(Estimate(1.0, 0.5, 1.5, 20), Estimate(0.1, 0.05, 0.15, 20))
    assert (Precision(0.1).width(found), Precision(1.0, relative=False).width(found)) == pytest.approx((0.05, 0.5))


@pytest.mark.parametrize(
    "unknown",
    [
        Estimate(1.0, -math.inf, math.inf, 1),
        Estimate(0.0, -1.0, 1.0, 20),
        Estimate(math.nan, math.nan, math.nan, 0),
        Estimate(math.inf, math.inf, math.inf, 20),
        Estimate(math.inf, 3.0, math.inf, 20),
    ],
)
def test_what_is_not_known_is_never_precise(unknown: Estimate) -> None:
    assert Precision(0.5).width(unknown) == math.inf
    assert not Precision(0.5).is_met(unknown)


@pytest.mark.parametrize("wrong", [0.0, -1.0, math.nan, math.inf])
def test_a_width_must_be_above_0(wrong: float) -> None:
    with pytest.raises(ValueError, match="half_width"):
        Precision(wrong)


def test_looking_until_it_is_precise_costs_little_coverage() -> None:
    random = np.random.default_rng(1)
    covered, sizes = 0, []
    for _ in range(600):
        values = random.normal(10.0, 2.0, 200)
        for size in Looks(200):
            found = replica_mean(values[:size])
            if Precision(0.06).is_met(found):
                break
        covered += found.low <= 10.0 <= found.high
        sizes.append(size)
    assert {20, 45, 68} < set(sizes)
    # 600 campaigns: a standard error of 0.0089; four of them either way.
    assert 0.914 <= covered / 600 <= 0.986


def controlled(random: np.random.Generator, replicas: int) -> tuple[np.ndarray, np.ndarray]:
    controls = random.normal([5.0, -1.0], 1.0, (replicas, 2))
    return 3 * controls[:, 0] - 2 * controls[:, 1] + random.normal(0, 1.0, replicas), controls


def test_the_controlled_mean_is_the_intercept_of_a_regression() -> None:
    values, controls = controlled(np.random.default_rng(2), 30)
    found = control_variates(values, controls, [5.0, -1.0], level=0.9)
    design = np.column_stack([np.ones(30), controls - [5.0, -1.0]])
    slopes, squares, *_ = np.linalg.lstsq(design, values)
    error = math.sqrt(squares[0] / 27 * np.linalg.inv(design.T @ design)[0, 0])
    assert found.estimate.mean == pytest.approx(slopes[0])
    assert found.estimate.half_width == pytest.approx(t_quantile(27, 0.9) * error)
    assert found.plain == replica_mean(values, 0.9)
    assert (found.used, found.estimate.n, found.estimate.level) == ((0, 1), 30, 0.9)


def test_controls_save_the_replicas_that_they_say() -> None:
    random = np.random.default_rng(3)
    covered, ratios, worth = 0, [], []
    for _ in range(600):
        found = control_variates(*controlled(random, 25), [5.0, -1.0])
        covered += found.estimate.low <= 17.0 <= found.estimate.high
        ratios.append(found.width_ratio)
        worth.append(found.worth)
    assert 0.914 <= covered / 600 <= 0.986
    # Of the variance 13 + 1 the controls explain 13; estimating two slopes costs a factor (n - 2) / (n - 4).
    assert np.mean(ratios) == pytest.approx(math.sqrt(1 / 14), rel=0.1)
    assert np.median(worth) == pytest.approx(25 * 14, rel=0.15)


def test_controls_that_say_nothing_new_are_dropped() -> None:
    values, controls = controlled(np.random.default_rng(4), 30)
    more = np.column_stack(
        [np.full(30, 7.0), controls[:, 0], 2 * controls[:, 0] + 1e3, controls[:, 1], controls.sum(axis=1)]
    )
    found = control_variates(values, more, [7.0, 5.0, 1010.0, -1.0, 4.0])
    assert found.used == (1, 3)
    assert found.estimate.mean == pytest.approx(control_variates(values, controls, [5.0, -1.0]).estimate.mean)
    plain = control_variates(values, np.full(30, 7.0), [7.0])
    assert (plain.used, plain.estimate, plain.width_ratio, plain.worth) == ((), plain.plain, 1.0, 30)


def test_a_perfect_control_leaves_no_doubt() -> None:
    control = np.random.default_rng(5).normal(size=20)
    found = control_variates(2 * control + 7, control, [0.0])
    assert found.estimate.mean == pytest.approx(7)
    assert found.estimate.half_width == pytest.approx(0, abs=1e-12)
    assert found.worth > 1e20
    certain = control_variates(np.full(20, 7.0), control, [0.0])
    assert math.isnan(certain.width_ratio)
    assert certain.estimate.mean == pytest.approx(7)


def test_replicas_without_a_value_are_left_out() -> None:
    values, controls = controlled(np.random.default_rng(6), 30)
    holes = values.copy()
    holes[[3, 8]] = math.nan
    kept = np.isfinite(holes)
    assert control_variates(holes, controls, [5.0, -1.0]) == control_variates(values[kept], controls[kept], [5.0, -1.0])


def test_an_infinite_value_is_not_left_out_with_controls() -> None:
    values, controls = controlled(np.random.default_rng(6), 30)
    values[3] = math.inf
    found = control_variates(values, controls, [5.0, -1.0])
    assert (found.estimate, found.used) == (found.plain, ())
    assert found.estimate.mean == math.inf


def test_what_controls_cannot_do_is_refused() -> None:
    values, controls = controlled(np.random.default_rng(7), 12)
    with pytest.raises(ValueError, match="2 controls need at least 13 replicas; there are 12"):
        control_variates(values, controls, [5.0, -1.0])
    with pytest.raises(ValueError, match="do not fit"):
        control_variates(values, controls, [5.0])
    with pytest.raises(ValueError, match="finite"):
        control_variates(values, controls, [5.0, math.inf])


def test_mser_cuts_where_the_start_is_over() -> None:
    random = np.random.default_rng(8)
    series = random.normal(0, 1, (20, 500)) + 30 * np.exp(-np.arange(500) / 20)
    found = mser(series)
    # The start decays to the noise of the mean over replicas, 0.22, within some 100 steps.
    assert 60 <= found.start <= 160
    assert (found.start % 5, found.length, found.is_long_enough) == (0, 500, True)
    assert mser(series[:, :60]).is_long_enough is False


def test_mser_minimises_the_error_of_what_is_kept() -> None:
    series = np.random.default_rng(9).normal(size=200) + np.linspace(3, 0, 200) ** 2
    batches = series.reshape(40, 5).mean(axis=1)
    errors = [np.sum((batches[cut:] - batches[cut:].mean()) ** 2) / (40 - cut) ** 2 for cut in range(36)]
    assert mser(series).start == 5 * int(np.argmin(errors))


def test_a_steady_series_needs_no_warm_up() -> None:
    assert mser([3.0] * 100).start == 0
    assert mser([1.0, 2.0] * 60).start == 0


def test_the_common_warm_up_is_that_of_the_slowest_arm() -> None:
    steps = np.arange(400)
    quick, slow = (np.sin(steps)[None, :] + 50.0 * (steps < start) for start in (20, 110))
    common, each = common_mser({"quick": quick, "slow": slow})
    assert (each["quick"].start, each["slow"].start, common.start) == (20, 110, 110)
    assert common.is_long_enough
    never, _ = common_mser({"quick": quick, "drifts": np.linspace(9, 0, 400)})
    assert not never.is_long_enough


@pytest.mark.parametrize("wrong", [[1.0] * 49, [math.nan] * 100, [1.0] * 99 + [math.inf]])
def test_what_mser_cannot_judge_is_refused(wrong: list[float]) -> None:
    with pytest.raises(ValueError, match="MSER"):
        mser(wrong)
    with pytest.raises(ValueError, match="at least one arm"):
        common_mser({})


def test_batch_means_are_those_of_equal_stretches() -> None:
    series = np.random.default_rng(10).normal(5.0, 1.0, 207)
    found = batch_means(series)
    assert found.estimate == replica_mean(series[:200].reshape(20, 10).mean(axis=1))
    assert (found.size, found.estimate.n, found.label) == (10, 20, "this realization only")
    assert not found.is_correlated


def test_batches_that_are_too_short_are_called_correlated() -> None:
    random = np.random.default_rng(11)
    walks = np.cumsum(random.normal(size=(50, 400)), axis=1)
    assert np.mean([batch_means(walk).is_correlated for walk in walks]) > 0.9
    white = random.normal(size=(400, 400))
    called = np.mean([batch_means(each).is_correlated for each in white])
    # One in twenty, four standard errors of 0.011 either way.
    assert 0.006 <= called <= 0.094


def test_a_constant_series_is_known() -> None:
    found = batch_means([2.0] * 40)
    assert (found.estimate.low, found.estimate.high, found.is_correlated) == (2.0, 2.0, False)
    assert math.isnan(found.lag_1)


def test_what_batch_means_cannot_do_is_refused() -> None:
    with pytest.raises(ValueError, match="batches is 1"):
        batch_means([1.0, 2.0], 1)
    with pytest.raises(ValueError, match="20 batches need as many values; there are 3"):
        batch_means([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="finite"):
        batch_means([math.nan] * 40)
