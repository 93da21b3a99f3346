"""A speed of its own for each user: what a user meets is what it meets where everybody is as fast."""

from __future__ import annotations

import numpy as np
import pytest

from airlink import _rust, run
from airlink.scenario import Scenario, ScenarioError

CELL = """
duration_s = 2
users = 3
slot.duration_ms = 5
channel.placement = { kind = "mean_snr", mean_snr_db = 10 }
channel.shadowing = { sd_db = 6, decorrelation_m = 5 }
link.rate = { kind = "capacity", bandwidth_hz = 1e6 }
[[flows]]
traffic.kind = "backlogged"
"""
SPEEDS = [0, 3, 120]
FADING = {
    "none": {"kind": "none"},
    "rayleigh": {"kind": "rayleigh"},
    "jakes": {"kind": "jakes"},
    "tapped": {"kind": "tapped_delay_line", "profile": "etu"},
}


def cell(speeds: object, **changes: object) -> Scenario:
    return Scenario.from_toml(CELL).with_(**{"channel.motion.speed_kmh": speeds, **changes})


def snr_db(scenario: Scenario) -> np.ndarray:
    """True SNR by user and slot."""
    (replica,) = run(scenario, seed=4, record=["snr"]).replicas
    series = replica.series["snr"]
    return np.stack([np.asarray(series["true_db"])[np.asarray(series["user"]) == user] for user in range(3)])


@pytest.mark.parametrize("kind", FADING)
def test_doppler_and_shadowing_of_a_user_are_those_of_its_speed(kind: str) -> None:
    fading = {"channel.fading": FADING[kind]}
    mixed = snr_db(cell(SPEEDS, **fading))
    for user, speed in enumerate(SPEEDS):
        alike = snr_db(cell(speed, **fading))
        assert np.array_equal(mixed[user], alike[user])
    assert np.ptp(mixed[0]) == 0
    assert np.ptp(mixed[2]) > 0


def test_antennas_whose_weights_turn_leave_each_user_its_speed() -> None:
    turning = {"channel.fading": {"kind": "rayleigh"}, "channel.beamforming": {"kind": "opportunistic"}}
    mixed = snr_db(cell(SPEEDS, **turning))
    assert np.array_equal(mixed[1], snr_db(cell(3, **turning))[1])
    assert np.array_equal(mixed[2], snr_db(cell(120, **turning))[2])


def test_a_list_of_one_speed_is_that_speed() -> None:
    digests = {run(cell(speeds), seed=1).digest() for speeds in (30, [30, 30, 30])}
    assert len(digests) == 1


def test_a_doppler_shift_that_is_given_holds_for_all_users() -> None:
    fixed = {"channel.fading": {"kind": "rayleigh", "doppler_hz": 7}, "channel.shadowing.sd_db": 0}
    assert np.array_equal(snr_db(cell(SPEEDS, **fixed)), snr_db(cell(3, **fixed)))


@pytest.mark.parametrize(("speeds", "path"), [([3, 3], ""), ([3, 3, 3, 3], ""), ([3, -1, 3], ".1"), ([], "")])
def test_speeds_are_one_or_one_per_user(speeds: list[float], path: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        cell(speeds)
    assert [problem.path for problem in caught.value.problems] == [f"channel.motion.speed_kmh{path}"]


def test_the_engine_counts_speeds_itself() -> None:
    text = cell(SPEEDS).to_json().replace("[0.0, 3.0, 120.0]", "[0.0, 3.0]")
    with pytest.raises(_rust.ScenarioError, match=r"channel\.motion\.speed_kmh"):
        _rust.rate_table(text)
