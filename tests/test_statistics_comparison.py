"""Comparisons of arms: what one interval alone says, several at once, and what cannot be said."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from airlink.result.estimate import t_quantile
from airlink.statistics import (
    Difference,
    Estimate,
    Precision,
    Sample,
    paired_difference,
    paired_ratio,
    pooled_quantile,
    simultaneous,
    verdict,
)
from airlink.statistics.quantile_resamples import resampled_quantiles
from airlink.statistics.resampling import expanded_level
from airlink.statistics.simultaneous import studentised

Floats = NDArray[np.float64]


def normal(random: np.random.Generator, arms: int, replicas: int = 20) -> Floats:
    return random.normal(10.0, 2.0, replicas) + random.normal(0.0, 1.0, (arms, replicas))


def exponential(random: np.random.Generator, arms: int, replicas: int = 20) -> Floats:
    return random.exponential(size=(arms, replicas))


def labelled(values: Floats) -> dict[str, Floats]:
    return dict(zip("abcdefgh", values, strict=False))


def reach(difference: Difference, values: Floats) -> float:
    """Half width in standard errors."""
    return difference.absolute.half_width / (float(np.std(values, ddof=1)) / math.sqrt(values.size))


@pytest.mark.parametrize("replicas", [2, 5, 9])
def test_one_arm_of_few_replicas_has_the_paired_t_interval(replicas: int) -> None:
    arms = normal(np.random.default_rng(1), 2, replicas)
    found, alone = simultaneous(labelled(arms), "a")["b"].absolute, paired_difference(arms[1], arms[0])
    assert (found.mean, found.low, found.high) == pytest.approx((alone.mean, alone.low, alone.high))


def test_one_arm_agrees_with_the_paired_t_interval_up_to_resampling() -> None:
    random = np.random.default_rng(2)
    wider = []
    for _ in range(100):
        arms = normal(random, 2)
        found, alone = simultaneous(labelled(arms), "a")["b"].absolute, paired_difference(arms[1], arms[0])
        assert found.mean == alone.mean
        wider.append(found.half_width / alone.half_width)
    assert min(wider) >= 1
    # One standard error of counting resamples is 2 %; besides, they follow the sample, which may have an outlier.
    assert np.median(wider) < 1.05
    assert np.quantile(wider, 0.9) < 1.12


@pytest.mark.parametrize("law", [normal, exponential])
def test_equal_arms_are_told_apart_in_one_campaign_of_twenty(law: Callable[..., Floats]) -> None:
    random = np.random.default_rng(3)
    called = apart = 0
    for _ in range(300):
        arms = law(random, 6)
        found = simultaneous(labelled(arms), "a")
        called += any(verdict(each, better="higher") in ("better", "worse") for each in found.values())
        alone = [paired_difference(other, arms[0]) for other in arms[1:]]
        apart += any(each.low > 0 or each.high < 0 for each in alone)
    # A standard error is 0.0126: four above 0.05. Intervals of each arm alone are wrong three times as often.
    assert called <= 0.1 * 300 < apart


def test_skewed_differences_are_followed_where_students_t_fails() -> None:
    random = np.random.default_rng(4)
    missed = alone = 0
    for _ in range(300):
        base = random.normal(10, 1, 30)
        arms = np.array([base, *(base + random.lognormal(-0.5, 1.0, (5, 30)))])
        missed += any(
            not each.absolute.low <= 1 <= each.absolute.high for each in simultaneous(labelled(arms), "a").values()
        )
        bonferroni = t_quantile(29, 1 - 0.05 / 5)
        alone += any(abs(np.mean(d) - 1) > bonferroni * np.std(d, ddof=1) / math.sqrt(30) for d in arms[1:] - base)
    assert missed < alone / 2


def test_the_correlation_between_arms_is_kept() -> None:
    random = np.random.default_rng(5)
    base, one, other = normal(random, 3, 50)
    pair = simultaneous({"a": base, "b": one}, "a")["b"]
    twice = simultaneous({"a": base, "b": one, "c": one + 0.5, "d": one - 2.0}, "a")
    apart = simultaneous({"a": base, "b": one, "c": other, "d": random.normal(size=50)}, "a")
    assert twice["b"].absolute.half_width == pytest.approx(pair.absolute.half_width)
    assert twice["c"].absolute.half_width == pytest.approx(pair.absolute.half_width)
    assert apart["b"].absolute.half_width > 1.03 * pair.absolute.half_width


def test_several_arms_of_few_replicas_share_the_level_evenly() -> None:
    arms = normal(np.random.default_rng(6), 4, 6)
    found = simultaneous(labelled(arms), "b", level=0.9)
    assert list(found) == ["a", "c", "d"]
    for label, each in found.items():
        assert reach(each, arms["abcd".index(label)] - arms[1]) == pytest.approx(t_quantile(5, 1 - 0.1 / 3))
        assert each.absolute.level == each.relative.level == 0.9


def test_a_relative_difference_is_that_of_the_means() -> None:
    arms = normal(np.random.default_rng(7), 2, 8)
    found, ratio = simultaneous(labelled(arms), "a")["b"].relative, paired_ratio(arms[1], arms[0])
    assert (found.mean, found.low, found.high) == pytest.approx((ratio.mean - 1, ratio.low - 1, ratio.high - 1))
    mirrored = simultaneous(labelled(-arms), "a")["b"].relative
    assert (mirrored.mean, mirrored.low, mirrored.high) == pytest.approx((-found.mean, -found.high, -found.low))


def test_a_baseline_near_zero_leaves_the_relative_difference_open_but_not_the_direction() -> None:
    random = np.random.default_rng(8)
    base = random.normal(0.0, 1.0, 30)
    found = simultaneous({"a": base, "b": base + random.normal(5.0, 0.1, 30)}, "a")["b"]
    assert (found.relative.low, found.relative.high) == (-math.inf, math.inf)
    assert verdict(found, better="lower") == "worse"


def test_an_arm_without_events_is_not_known_to_have_all_of_a_rare_one_less() -> None:
    rare = np.zeros(20)
    rare[3] = 1.0
    found = simultaneous({"a": rare, "b": np.zeros(20)}, "a")["b"]
    assert found.absolute.low < 0 < found.absolute.high
    assert (found.relative.low, found.relative.high) == (-math.inf, math.inf)
    assert not Precision(0.01).is_met(found)


def test_a_small_difference_of_large_numbers_keeps_its_relative_interval() -> None:
    base = 1e12 + np.random.default_rng(18).normal(size=20)
    found = simultaneous({"a": base, "b": base + np.random.default_rng(19).normal(size=20)}, "a")["b"]
    assert found.relative.low == pytest.approx(found.absolute.low / 1e12, rel=1e-9)
    assert found.relative.high == pytest.approx(found.absolute.high / 1e12, rel=1e-9)


def test_a_missing_value_leaves_its_pair_out() -> None:
    arms = normal(np.random.default_rng(9), 3, 20)
    whole = simultaneous(labelled(arms[:, 1:]), "a")
    arms[1, 0] = math.nan
    found = simultaneous(labelled(arms), "a")
    assert found["b"].absolute.mean == pytest.approx(whole["b"].absolute.mean)
    assert (found["b"].absolute.n, found["c"].absolute.n) == (19, 20)
    assert found["b"].note == "1 of 20 replicas have no value"
    nothing = simultaneous({"a": [1.0, 2.0], "b": [math.nan, math.nan]}, "a")["b"]
    assert math.isnan(nothing.absolute.mean)
    assert verdict(nothing) == "undecided"


def test_equal_differences_are_a_point_and_say_so() -> None:
    base = np.arange(1.0, 21.0)
    found = simultaneous({"a": base, "b": base.copy(), "c": base + 1, "d": base + np.sin(base)}, "a")
    assert (found["b"].absolute.low, found["b"].absolute.high, found["b"].relative.high) == (0, 0, 0)
    assert (found["c"].absolute.low, found["c"].absolute.high) == (1, 1)
    assert found["c"].note == "all 20 replicas differ by the same amount"
    assert [verdict(each) for each in found.values()] == ["equivalent", "higher", "undecided"]
    assert found["d"].absolute == simultaneous({"a": base, "d": base + np.sin(base)}, "a")["d"].absolute


def test_a_single_replica_that_differs_leaves_the_interval_finite() -> None:
    base = np.full(20, 100.0)
    for differing in (1, 2, 3):
        arm = base + np.where(np.arange(20) < differing, np.arange(20) + 1e-3, 0.0)
        found = simultaneous({"a": base, "b": arm}, "a")["b"]
        # A resample's mean is at most some five standard errors off, its standard error a fifth at least.
        alone = paired_difference(arm, base).half_width
        assert alone <= found.absolute.half_width < 12 * alone
    tiny = simultaneous({"a": base, "b": base + 1e-3 * (np.arange(20) == 4)}, "a")["b"]
    assert verdict(tiny) == "equivalent"


def test_infinite_differences_decide_only_if_all_are() -> None:
    some = simultaneous({"a": [1.0, 2.0, 3.0], "b": [1.0, math.inf, 2.0]}, "a")["b"]
    assert (some.absolute.mean, some.absolute.low) == (math.inf, -math.inf)
    assert some.note == "1 of 3 replicas differ by an infinite amount"
    assert verdict(some, better="lower") == "undecided"
    every = simultaneous({"a": [1.0, 2.0], "b": [math.inf, math.inf]}, "a")["b"]
    assert verdict(every, better="lower") == "worse"
    both = simultaneous({"a": [math.inf, 2.0, 3.0], "b": [math.inf, 3.0, 4.5]}, "a")["b"]
    assert both.absolute.mean == pytest.approx(2.5 / 3)
    assert math.isnan(both.relative.mean)


def test_one_pair_says_nothing_of_the_spread() -> None:
    found = simultaneous({"a": [1.0], "b": [2.0]}, "a")["b"]
    assert (found.absolute.mean, found.absolute.low, found.absolute.high) == (1.0, -math.inf, math.inf)


def test_groups_of_replicas_resample_as_replicas_do() -> None:
    values = np.random.default_rng(10).exponential(size=3000)
    assert np.quantile(studentised(values), 0.95) == pytest.approx(1.96, rel=0.05)


def clusters(random: np.random.Generator, arms: int, within: float = 0.3) -> dict[str, list[Sample]]:
    shared = random.standard_normal(20)
    found = {}
    for label in "abcdef"[:arms]:
        effects = math.sqrt(within) * (0.95 * shared + math.sqrt(1 - 0.95**2) * random.standard_normal(20))
        found[label] = [Sample(np.exp(effect + 0.8 * random.standard_normal(20))) for effect in effects]
    return found


@pytest.mark.parametrize("share", [0.5, 0.95])
def test_equal_quantiles_are_told_apart_in_one_campaign_of_twenty(share: float) -> None:
    random = np.random.default_rng(int(100 * share))
    called = 0
    for _ in range(100):
        found = simultaneous(clusters(random, 3), "a", share=share)
        called += any(verdict(each) in ("higher", "lower") for each in found.values())
    # A standard error is 0.022: four above 0.05.
    assert called <= 13


def test_quantiles_that_differ_are_found_and_equal_ones_are_equivalent() -> None:
    base = clusters(np.random.default_rng(1), 1)["a"]
    arms = {
        "base": base,
        "same": base,
        "twice": [Sample(2 * each.values) for each in base],
        "close": [Sample(1.001 * each.values) for each in base],
    }
    found = simultaneous(arms, "base", share=0.9)
    assert {label: verdict(each, better="lower") for label, each in found.items()} == {
        "same": "equivalent",
        "twice": "worse",
        "close": "equivalent",
    }
    assert found["twice"].relative.mean == pytest.approx(1)
    assert (found["twice"].relative.low, found["twice"].relative.high) == pytest.approx((1, 1))


def test_of_what_never_happened_it_is_said_how_rare_it_may_be() -> None:
    found = simultaneous({"a": [0.0] * 20, "b": [0.0] * 20, "c": [2.0] * 20}, "a")
    assert found["b"].note == "both are 0 in all 20 replicas, which may miss what happens in up to 3 of 20"
    assert verdict(found["b"], better="lower") == "undecided"
    assert found["c"].note == "all 20 replicas differ by the same amount"


def test_quantiles_that_both_are_zero_are_equivalent() -> None:
    random = np.random.default_rng(4)
    arms = {label: [Sample([0.0, 0.0, *random.random(8)]) for _ in range(20)] for label in "ab"}
    arms["some"] = [Sample(random.random(10)) for _ in range(20)]
    found = simultaneous(arms, "a", share=0.05)
    assert (found["b"].relative.low, found["b"].relative.high) == (0, 0)
    assert verdict(found["b"], better="higher") == "equivalent"
    assert found["some"].relative.mean == math.inf
    assert verdict(found["some"], better="higher") == "better"


def test_what_never_ends_is_worse_than_what_does_and_two_of_these_are_undecided() -> None:
    random = np.random.default_rng(2)
    quick = [Sample(each) for each in random.exponential(0.1, (20, 30))]
    stuck, stuck_too = (
        [Sample(np.minimum(each, 1.0), each < 1.0) for each in random.exponential(scale, (20, 30))] for scale in (2, 9)
    )
    found = simultaneous({"quick": quick, "stuck": stuck, "stuck too": stuck_too}, "quick", share=0.95)
    assert found["stuck"].absolute.mean == math.inf
    assert 0 < found["stuck"].absolute.low < 1.0, "at least the longest age less the baseline"
    assert found["stuck"].note == "a quantile lies beyond what is known"
    assert verdict(found["stuck"], better="lower") == "worse"
    both = simultaneous({"a": stuck, "b": stuck_too}, "a", share=0.95)["b"]
    assert math.isnan(both.absolute.mean)
    assert verdict(both, better="lower") == "undecided"


def test_few_replicas_say_nothing_of_differences_of_quantiles() -> None:
    arms = {label: samples[:4] for label, samples in clusters(np.random.default_rng(3), 2).items()}
    found = simultaneous(arms, "a", share=0.5)["b"]
    assert math.isfinite(found.absolute.mean)
    assert (found.absolute.low, found.absolute.high) == (-math.inf, math.inf)


@pytest.mark.parametrize(
    ("low", "high", "better", "said"),
    [
        (-0.009, 0.009, "higher", "equivalent"),
        (0.002, 0.01, "higher", "equivalent"),
        (0.002, 0.011, "higher", "better"),
        (0.002, 0.011, "lower", "worse"),
        (-0.03, -0.02, "higher", "worse"),
        (-0.03, -0.02, "lower", "better"),
        (0.02, 0.03, "", "higher"),
        (-0.03, -0.02, "", "lower"),
        (-0.011, 0.001, "higher", "undecided"),
        (0.0, 0.02, "higher", "undecided"),
        (-math.inf, math.inf, "lower", "undecided"),
    ],
)
def test_the_interval_decides(low: float, high: float, better: str, said: str) -> None:
    found = Estimate(1.0, low, high, 20)
    assert verdict(Difference(found, found), better=better) == said  # type: ignore[arg-type]


def test_what_has_no_meaning_is_refused() -> None:
    arms = {"a": [1.0, 2.0], "b": [1.0, 2.0]}
    with pytest.raises(ValueError, match="baseline is 'c'; the arms are 'a', 'b'"):
        simultaneous(arms, "c")
    with pytest.raises(ValueError, match="same replicas"):
        simultaneous({"a": [1.0], "b": [1.0, 2.0]}, "a")
    with pytest.raises(ValueError, match="level is 1"):
        simultaneous(arms, "a", level=1.0)
    with pytest.raises(ValueError, match="share is 2"):
        simultaneous({"a": [Sample([1.0])], "b": [Sample([1.0])]}, "a", share=2)
    found = simultaneous(arms, "a")["b"]
    with pytest.raises(ValueError, match="margin is -1"):
        verdict(found, -1)
    with pytest.raises(ValueError, match="better is 'faster'"):
        verdict(found, better="faster")  # type: ignore[arg-type]


def test_a_difference_of_quantiles_has_expanded_percentiles_of_resamples() -> None:
    arms = clusters(np.random.default_rng(4), 2)
    ordered = np.sort(resampled_quantiles(arms["b"], 0.9) - resampled_quantiles(arms["a"], 0.9))
    found = simultaneous(arms, "a", share=0.9)["b"].absolute
    outside = round((1 - expanded_level(0.95, 20)) / 2 * ordered.size)
    assert 25 < outside < 40, "fewer than 2.5 % of 2000"
    assert found.low in ordered[outside - 2 : outside + 1]
    assert found.high in ordered[-outside - 1 : -outside + 2]
    assert (found.mean, found.n) == (pooled_quantile(arms["b"], 0.9) - pooled_quantile(arms["a"], 0.9), 20)


def test_several_quantiles_share_the_level() -> None:
    arms = clusters(np.random.default_rng(5), 4)
    alone = {label: simultaneous({"a": arms["a"], label: arms[label]}, "a", share=0.5)[label] for label in "bcd"}
    wider = [
        each.absolute.half_width / alone[label].absolute.half_width
        for label, each in simultaneous(arms, "a", share=0.5).items()
    ]
    # At a third of 5 % Student's t of 20 replicas is 1.25 times as far out; tails of resamples are known to some 5 %.
    assert 1.05 < np.mean(wider) < 1.35
    twice = simultaneous({"a": arms["a"], "b": arms["b"], "same": arms["b"]}, "a", share=0.5)
    assert twice["b"].absolute == alone["b"].absolute
