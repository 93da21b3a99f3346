"""Batch means of one run: its own mean, an interval that covers where truth is known, and a run that is too short."""

from __future__ import annotations

import numpy as np
import pytest

from airlink import Scenario, run
from airlink.campaign.realization import goodput_of_realization
from airlink.engine import RequestError
from airlink.scenario import ready

LOSSY = """
duration_s = 4.1
warmup_s = 0.1
users = 1
slot.duration_ms = 1
channel.placement = { kind = "mean_snr", mean_snr_db = 10 }
link.rate = { kind = "table", thresholds_db = [0], rates_bps = [1e6] }
link.errors.probability = 0.3
rlc.segment_bytes = 125
[[flows]]
traffic = { kind = "backlogged", packet_bytes = 125 }
"""
"""A packet fills a slot and is lost with probability 0.3, whatever became of the others: 0.7 Mb/s, exactly known."""
TRUTH_BPS = 0.7e6
RUNS = 200


def intervals(scenario: Scenario) -> list[tuple[float, float, bool]]:
    result = run(scenario, replicas=RUNS, seed=1, record=["packets"])
    found = [goodput_of_realization(result, replica) for replica in range(RUNS)]
    return [(each.estimate.low, each.estimate.high, each.is_correlated) for each in found]


def test_where_the_mean_is_known_the_intervals_cover_it_as_often_as_they_say() -> None:
    found = intervals(Scenario.from_toml(LOSSY))
    covered = np.mean([low <= TRUTH_BPS <= high for low, high, _ in found])
    # 4.5 standard errors of a share of 200 runs.
    assert abs(covered - 0.95) < 4.5 * np.sqrt(0.95 * 0.05 / RUNS)
    width = np.mean([high - low for low, high, _ in found]) / 2
    expected = 2.093 * 1e6 * np.sqrt(0.3 * 0.7 / 4000)
    assert width == pytest.approx(expected, rel=0.05)
    assert np.mean([is_correlated for _, _, is_correlated in found]) < 0.1


def test_a_run_that_is_short_beside_its_fading_is_said_to_be_correlated() -> None:
    slow = {
        "channel.fading": {"kind": "rayleigh", "doppler_hz": 1},
        "link.rate": {"kind": "capacity", "bandwidth_hz": 1e6},
    }
    found = intervals(Scenario.from_toml(LOSSY).with_(**slow))
    # Of independent batches one in twenty is.
    assert np.mean([is_correlated for _, _, is_correlated in found]) > 0.25


@pytest.mark.parametrize("name", ["dumbbell", "first-cell", "evdo"])
@pytest.mark.parametrize("warmup_s", [0, 1.003])
def test_its_mean_is_that_of_the_cell(name: str, warmup_s: float) -> None:
    result = run(ready(name).with_(duration_s=4, warmup_s=warmup_s), replicas=2, seed=3)
    for replica in range(2):
        found = goodput_of_realization(result, replica)
        assert found.estimate.mean == pytest.approx(float(result.cell["goodput_bps"][replica]), rel=1e-9)
        assert found.estimate.n == 20
        assert found.label == "this realization only"


def test_what_was_recorded_is_not_simulated_again() -> None:
    result = run(Scenario.from_toml(LOSSY), record=["packets"])
    calls: list[tuple[int, int]] = []
    goodput_of_realization(result, progress=lambda done, total: calls.append((done, total)))
    assert not calls
    goodput_of_realization(run(Scenario.from_toml(LOSSY)), progress=lambda done, total: calls.append((done, total)))
    assert calls


def test_a_replica_that_is_none_is_refused() -> None:
    with pytest.raises(RequestError, match="replica"):
        goodput_of_realization(run(Scenario.from_toml(LOSSY)), 1)
