"""Correlation over frequency against what can be done by hand, and against the engine's fading over subchannels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import spence

import airlink
from airlink.models import coherence_bandwidth, delay_spread, frequency_correlation
from airlink.scenario.delay_profiles import DELAY_PROFILES

TWO_PATHS = ([0.0, 1000.0], [-7.0, -7.0])
USERS, REPLICAS = 400, 5

STILL = """
duration_s = 0.002
users = 400
slot.duration_ms = 1
carrier = {subchannels = 12}
channel.placement = {kind = "mean_snr", mean_snr_db = 10}
channel.fading = {kind = "tapped_delay_line", profile = "tu6", terms = 64, doppler_hz = 0}
scheduler.kind = "round_robin"
[[flows]]
"""


@pytest.mark.parametrize("hz", [0.0, 123e3, 500e3, 2e6])
def test_two_equal_paths_beat(hz: float) -> None:
    turns = hz * 1e-6
    expected = math.cos(math.pi * turns) * complex(math.cos(math.pi * turns), math.sin(math.pi * turns))
    assert abs(frequency_correlation(TWO_PATHS, hz) - expected) < 1e-12


def test_a_second_of_zero_power_changes_nothing() -> None:
    assert abs(frequency_correlation(([0.0, 1000.0], [0.0, -3000.0]), 250e3) - 1) < 1e-12
    assert coherence_bandwidth(([300.0, 300.0], [0.0, -3.0])) == math.inf
    assert coherence_bandwidth(([0.0, 300.0], [0.0, -20.0])) == math.inf


@pytest.mark.parametrize("level", [0.2, 0.5, 0.9])
def test_two_equal_paths_are_coherent_up_to_the_arc_cosine(level: float) -> None:
    assert coherence_bandwidth(TWO_PATHS, level) == pytest.approx(math.acos(level) / (math.pi * 1e-6), rel=1e-9)
    assert delay_spread(TWO_PATHS) == pytest.approx(500.0, rel=1e-12)


@pytest.mark.parametrize("name", sorted(DELAY_PROFILES))
def test_small_distances_see_the_spread_alone(name: str) -> None:
    """|R|^2 is 1 - (2 pi d spread)^2, but for terms of the fourth power."""
    spread_s = delay_spread(name) * 1e-9
    hz = 0.003 / spread_s
    angle = 2 * math.pi * hz * spread_s
    assert 1 - abs(frequency_correlation(name, hz)) ** 2 == pytest.approx(angle**2, rel=0.01)
    assert abs(frequency_correlation(name, coherence_bandwidth(name, 0.9))) == pytest.approx(0.9, abs=1e-9)


def test_a_scaled_profile_has_the_spread_that_it_is_scaled_to() -> None:
    assert delay_spread("tdl-a", 363.0) == pytest.approx(363.0, rel=1e-4)
    assert coherence_bandwidth("tdl-b", 0.5, 363.0) == pytest.approx(coherence_bandwidth("tdl-b") / 3.63, rel=1e-4)


@pytest.mark.parametrize(
    "profile", ["typical", ([0.0], []), ([], []), ([0.0, math.nan], [0.0, 0.0]), ([0.0], [math.inf])]
)
def test_what_is_no_profile_is_refused(profile: str | tuple[list[float], list[float]]) -> None:
    with pytest.raises(ValueError, match=r"profile|delays"):
        frequency_correlation(profile, 1e3)


@pytest.mark.parametrize("level", [0.0, 1.0, -0.5, math.nan])
def test_levels_outside_their_range_are_refused(level: float) -> None:
    with pytest.raises(ValueError, match="level"):
        coherence_bandwidth("tu6", level)


@pytest.mark.parametrize(("profile", "subchannel_hz"), [("tu6", 200e3), ("eva", 50e3), ("pedestrian-a", 5e6)])
def test_the_engine_s_mean_over_a_band_scatters_as_its_frequencies_correlate(
    profile: str, subchannel_hz: float
) -> None:
    """Of Rayleigh fading ln |H|^2 at two frequencies has the covariance Li2(|R|^2), the dilogarithm: pi^2 / 6 at one.

    So the mean over the band in dB has the variance (10 / ln 10)^2 times the mean of that over all pairs.
    """
    settings = {"channel.fading.profile": profile, "carrier.subchannel_hz": subchannel_hz}
    scenario = airlink.Scenario.from_toml(STILL).with_(**settings)
    result = airlink.run(scenario, seed=1, replicas=REPLICAS, record=["snr"])
    series = [result.series("snr", replica) for replica in range(REPLICAS)]
    mean_db = np.concatenate([table["true_db"][table["slot"] == 0] for table in series])
    assert mean_db.size == USERS * REPLICAS
    places = np.arange(12) * subchannel_hz
    power_correlation = np.abs(frequency_correlation(profile, places[:, np.newaxis] - places)) ** 2
    expected = (10 / math.log(10)) ** 2 * spence(1 - power_correlation).mean()
    squares = (mean_db - (10 - 10 * np.euler_gamma / math.log(10))) ** 2
    bound = 4.5 * squares.std() / math.sqrt(squares.size)
    assert abs(squares.mean() - expected) < bound
    alone = (10 / math.log(10)) ** 2 * math.pi**2 / 6
    assert expected < 0.8 * alone, "the test can tell a flat carrier"
