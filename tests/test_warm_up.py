"""A warm-up from pilot runs: of a start with a known length, of none, of one that never ends."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from airlink import Scenario, campaign
from airlink.campaign.pilot_series import Binned, quantity_of, together
from airlink.campaign.warm_up import proposed_warm_up, readable, start_of
from airlink.measures import MeasureError, measure
from airlink.statistics import mean_interval, mser

BINS = 500
DELAY = "cell.queueing_delay_mean_s"
GOODPUT = "cell.goodput_bps"
WIRE = """
duration_s = 40
users = 8
[bottleneck]
rate_bps = 4e6
delay_ms = 20
limit_packets = 30
[bottleneck.impairments]
loss = { kind = "random", p = 0.001 }
[[flows]]
path.uplink_delay_ms = 20
start_spread_s = {spread_s}
"""
CELL = """
duration_s = 8
users = 6
slot.duration_ms = 2
channel.placement = { kind = "mean_snr_range", low_db = 5, high_db = 15 }
channel.fading.kind = "rayleigh"
channel.motion.speed_kmh = 50
link.rate = { kind = "capacity", bandwidth_hz = 1e6 }
scheduler.kind = "round_robin"
[[flows]]
traffic.kind = "backlogged"
"""


def wire(spread_s: float, **changes: object) -> Scenario:
    return Scenario.from_toml(WIRE.replace("{spread_s}", str(spread_s))).with_(**changes)


def series(values: NDArray[np.float64]) -> Binned:
    """Values [pilot, bin] as pilots would have them."""
    return Binned(values, np.ones_like(values), 0, 0.1)


def pilots(start: NDArray[np.float64], correlation: float, seed: int) -> Binned:
    """Five pilots of an AR(1) process of mean 20 and standard deviation 1, on top of a start."""
    draws = np.random.default_rng(seed).normal(size=(5, BINS))
    noise = np.empty_like(draws)
    noise[:, 0] = draws[:, 0]
    for time in range(1, BINS):
        noise[:, time] = correlation * noise[:, time - 1] + np.sqrt(1 - correlation**2) * draws[:, time]
    return series(20 + start + noise)


NONE = np.zeros(BINS)
DECAYS = 10 * np.exp(-np.arange(BINS) / 20)
"""Its mean over the run is 0.4."""


@pytest.mark.parametrize("correlation", [0, 0.9])
def test_a_start_is_cut_and_a_stationary_process_is_not(correlation: float) -> None:
    cuts = [start_of(pilots(DECAYS, correlation, seed)) for seed in range(40)]
    left = [DECAYS[cut:].mean() for cut in cuts if cut is not None]
    assert len(left) >= 38
    # The mean of the five pilots has a standard error of at least this without any correlation.
    assert np.mean(left) < 1 / np.sqrt(5 * BINS * (1 - correlation) / (1 + correlation))
    none = [start_of(pilots(NONE, correlation, seed)) for seed in range(40)]
    found = [cut for cut in none if cut is not None]
    assert len(found) >= 38
    assert np.median(found) == 0
    assert np.quantile(found, 0.9) <= BINS / 10


def test_a_start_that_does_not_end_is_not_over() -> None:
    assert start_of(pilots(np.linspace(0, 5, BINS), 0.9, 1)) is None
    assert start_of(pilots(np.where(np.arange(BINS) < 400, 3.0, 0), 0, 1)) is None


def test_runs_without_chance_are_judged_by_more_than_their_cycles() -> None:
    sawtooth = 20 + 0.3 * (np.arange(BINS) % 37) / 37
    assert start_of(series(np.tile(sawtooth, (5, 1)))) == 0
    started = np.where(np.arange(BINS) < 15, 2, sawtooth)
    assert start_of(series(np.tile(started, (5, 1)))) == 15


def test_the_end_of_a_series_may_be_kept_from_the_minimum() -> None:
    calm = np.r_[np.random.default_rng(1).normal(size=400), np.zeros(100)]
    assert mser(calm).start >= 395
    assert mser(calm, most=0.5).start <= 250


def test_a_stationary_cell_needs_nearly_none() -> None:
    found = proposed_warm_up({"cell": Scenario.from_toml(CELL)}, GOODPUT, range(1, 21))
    assert found.seconds <= 0.4
    assert len(found.notes) == 1


@pytest.mark.parametrize("seeds", [range(1, 6), range(6, 11)])
@pytest.mark.parametrize("text", [DELAY, GOODPUT])
def test_flows_that_start_one_by_one_are_waited_for(seeds: range, text: str) -> None:
    found = proposed_warm_up({"at once": wire(0), "one by one": wire(8)}, text, seeds)
    assert 0.8 <= found.by_arm["at once"] < 6
    assert 4 <= found.by_arm["one by one"] <= 16
    assert found.seconds >= max(found.by_arm.values())
    assert found.seconds <= 1.34 * max(found.by_arm.values())


@pytest.mark.thorough
@pytest.mark.parametrize("spread_s", [0, 8])
def test_what_is_left_of_a_start_is_within_the_interval_of_long_runs(spread_s: float) -> None:
    """Bias: what runs of 40 s say beyond what they say of their last half, both much longer run."""
    short, long = wire(spread_s), wire(spread_s, duration_s=400, warmup_s=40)
    plan_seeds = range(1, 41)
    chosen_s = proposed_warm_up({"wire": short}, DELAY, plan_seeds).seconds
    arms = {"cold": short, "warm": short.with_(warmup_s=chosen_s)}
    found = campaign.run(campaign.Plan(arms, plan_seeds))
    truth = campaign.run(campaign.Plan({"long": long}, range(101, 111))).interval("long", "queueing_delay_mean_s")
    warm = mean_interval(found.cell("warm", "queueing_delay_mean_s"))
    cold = mean_interval(found.cell("cold", "queueing_delay_mean_s"))
    assert warm.low <= truth.high
    assert warm.high >= truth.low
    if spread_s:
        assert cold.high < truth.low


def test_a_run_that_is_too_short_is_told() -> None:
    filling = wire(
        0, duration_s=9, **{"flows.0.tcp": {"receiver_window_bytes": 10_000_000, "initial_ssthresh_segments": 2}}
    )
    filling = filling.with_(**{"bottleneck.limit_packets": 100_000})
    found = proposed_warm_up({"a": filling, "b": wire(0)}, DELAY, range(1, 6))
    assert found.by_arm["a"] == 4.5
    assert found.seconds >= 4.5
    assert found.notes[1:] == ("a: the start is not known to be over after half of the 9 s; give longer runs.",)


def test_who_delivers_nothing_is_told() -> None:
    late = wire(0, **{"flows.0.start_s": 39.9})
    found = proposed_warm_up({"late": late}, DELAY, range(1, 6))
    assert (found.seconds, found.notes[1:]) == (0, ("late: too few packets in 40 s to see when the start is over.",))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("downloads.p95(time_s)", "downloads, which count from their request on"),
        ("users.mean(download_mean_s)", "downloads, which count from their request on"),
        ("flows.mean(first_timeout_s)", "the start itself"),
    ],
)
def test_downloads_and_the_start_itself_have_no_warm_up(text: str, reason: str) -> None:
    found = proposed_warm_up({"wire": wire(0)}, text, range(1, 6))
    assert (found.seconds, found.by_arm) == (0, {})
    assert found.notes == (f'No warm-up is proposed: measure "{text}" is of {reason}.',)


def test_files_that_start_once_have_no_steady_state() -> None:
    files = wire(0, **{"flows.0.traffic": {"kind": "file", "bytes": 100_000}})
    found = proposed_warm_up({"files": files}, GOODPUT, range(1, 6))
    assert (found.seconds, found.notes) == (
        0,
        ("No warm-up is proposed: there are only files that start once and end.",),
    )


def test_the_first_five_seeds_decide_whatever_the_threads_and_the_own_warm_up() -> None:
    one = proposed_warm_up({"a": wire(8)}, DELAY, range(1, 6), threads=1)
    other = proposed_warm_up({"a": wire(8, warmup_s=20, drain_s=5)}, DELAY, range(1, 1001), threads=2)
    assert one == other
    assert "in 5 pilot runs of each scenario" in one.notes[0]


def test_a_measure_that_is_none_is_refused() -> None:
    with pytest.raises(MeasureError):
        proposed_warm_up({"wire": wire(0)}, "cell.no_such", range(1, 6))


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0, 0), (0.4, 0.4), (0.41, 0.5), (1.2, 1.5), (2.1, 2.5), (6.6, 8), (8.1, 10), (99, 100), (0.0302, 0.04), (3, 3)],
)
def test_a_warm_up_is_rounded_up_to_a_number_that_can_be_read(seconds: float, expected: float) -> None:
    assert readable(seconds) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (GOODPUT, "the rate at which the cell delivers"),
        ("cell.jain_index", "the rate that each user gets, relative to its mean"),
        ("users.p05(goodput_bps)", "the rate that each user gets, relative to its mean"),
        ("users.2.goodput_bps", "the rate that user 2 gets"),
        ("flows.2.rtt_mean_s", "the delay of the packets of flow 2"),
        ("flows.mean(rtt_mean_s)", "the delay of the packets of the cell"),
    ],
)
def test_what_shows_the_start_follows_from_the_measure(text: str, words: str) -> None:
    assert quantity_of(measure(text)).text == words


@pytest.mark.parametrize("text", ["users.p05(goodput_bps)", "users.1.goodput_bps"])
def test_a_weak_user_that_starts_late_counts_as_much_as_the_others(text: str) -> None:
    weak = {"users": [1], "start_s": 12, "path": {"downlink_rate_bps": 5e5}}
    late = wire(0, users=2).with_(flows=[{"users": [0]}, weak])
    found = proposed_warm_up({"late": late}, text, range(1, 6))
    assert 12 <= found.by_arm["late"] < 16


def test_bins_are_taken_together_until_each_has_packets() -> None:
    weights = np.zeros((2, BINS))
    weights[:, 102:450:4] = 1
    found = together([(3 * row, row) for row in weights], 50)
    assert found is not None
    assert (found.first, found.bin_s, found.mean.size) == (20, 0.5, 70)
    assert (found.mean == 3).all()
    weights[:, ::7] = 0
    assert together([(row, row) for row in weights[:, :400]], 50) is None
