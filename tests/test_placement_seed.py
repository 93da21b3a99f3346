"""A seed of its own for places and shadowing: user 12 is the same user in the runs of all seeds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from airlink import run
from airlink.scenario import Scenario, warnings_of

CELL = """
duration_s = 2
users = 13
slot.duration_ms = 5
channel.placement = { kind = "disc", radius_m = 900 }
channel.motion.speed_kmh = 60
channel.shadowing = { sd_db = 6, decorrelation_m = 5 }
channel.fading.kind = "rayleigh"
link.rate = { kind = "capacity", bandwidth_hz = 1e6 }
[[flows]]
traffic.kind = "backlogged"
"""
TRACE = Path(__file__).parent / "traces/trace.csv"
OF_THE_USER = ("distance_m", "mean_snr_db", "shadowed_snr_db")
LARGEST = 2**64 - 1


def cell(**changes: object) -> Scenario:
    return Scenario.from_toml(CELL).with_(**changes)


def test_a_user_is_the_same_in_every_seed_and_fades_anew() -> None:
    one, other = run(cell(**{"channel.placement_seed": 7}), replicas=2, seed=1, record=["snr"]).replicas
    for name in OF_THE_USER:
        assert np.array_equal(one.users[name], other.users[name])
    assert np.corrcoef(one.series["snr"]["true_db"], other.series["snr"]["true_db"])[0, 1] < 0.999
    (drawn,) = run(cell(), seed=1).replicas
    assert not np.any(drawn.users["distance_m"] == one.users["distance_m"])


def test_without_fading_the_signal_is_the_same_along_the_way() -> None:
    still = cell(**{"channel.placement_seed": 7, "channel.fading": {"kind": "none"}})
    one, other = run(still, replicas=2, seed=1, record=["snr"]).replicas
    signal_db = one.series["snr"]["true_db"]
    assert np.array_equal(signal_db, other.series["snr"]["true_db"])
    assert np.ptp(signal_db[::13]) > 1


@pytest.mark.parametrize("seed", [0, 3, 2**53 + 1, LARGEST])
def test_the_runs_own_seed_written_out_changes_no_bit(seed: int) -> None:
    held = cell(**{"channel.placement_seed": seed})
    assert run(held, seed=seed).digest() == run(cell(), seed=seed).digest()
    (near,) = run(cell(**{"channel.placement_seed": seed ^ 1}), seed=seed).replicas
    assert not np.array_equal(near.users["distance_m"], run(held, seed=seed).replicas[0].users["distance_m"])


def test_offsets_of_traces_are_drawn_for_each_run() -> None:
    trace = {"kind": "trace", "files": [str(TRACE)], "time_column": "time_ms", "value_column": "snr_db"}
    held = cell(**{"channel.placement": {**trace, "random_offset": True}, "channel.fading": {"kind": "none"}})
    one, other = run(held.with_(**{"channel.placement_seed": 7}), replicas=2, seed=1, record=["snr"]).replicas
    assert not np.array_equal(one.series["snr"]["true_db"], other.series["snr"]["true_db"])


@pytest.mark.parametrize("seed", [7, LARGEST])
def test_a_file_keeps_every_digit(seed: int) -> None:
    held = cell(**{"channel.placement_seed": seed})
    assert f"placement_seed = {seed}\n" in held.to_toml()
    assert Scenario.from_toml(held.to_toml()) == Scenario.model_validate_json(held.to_json()) == held


def test_a_seed_of_nothing_drawn_is_a_warning() -> None:
    given = {"kind": "mean_snr", "mean_snr_db": 10}
    fixed = cell(**{"channel.placement_seed": 7, "channel.placement": given, "channel.shadowing.sd_db": 0})
    told = [warning.message for warning in warnings_of(fixed) if warning.path == "channel.placement_seed"]
    assert len(told) == 1
    assert "nothing to draw from it" in told[0]
    assert not [warning for warning in warnings_of(cell(**{"channel.placement_seed": 7})) if "seed" in warning.path]
