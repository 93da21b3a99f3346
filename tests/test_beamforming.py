"""What opportunistic beamforming is for: users that hardly fade are scheduled as if they faded fast [Viswanath02].

The cell is one of backlogged users under proportional fair, whose rate is the capacity of 1 MHz.
"""

from __future__ import annotations

import itertools

import numpy as np

import airlink

CELL = """
duration_s = 14
warmup_s = 4
users = 8
slot.duration_ms = 2
channel.placement = {kind = "mean_snr", mean_snr_db = 0}
link.rate = {kind = "capacity", bandwidth_hz = 1e6}
scheduler = {kind = "proportional_fair", time_constant_slots = 500, average_counts = "granted"}
[[flows]]
traffic = {kind = "backlogged", packet_bytes = 300}
"""
STILL = "channel.fading={kind = 'rayleigh', doppler_hz = 0, terms = 32}"
FAST = "channel.fading={kind = 'rayleigh', doppler_hz = 10, terms = 32}"
SEEDS = 24


def rates_bps(*settings: str) -> np.ndarray:
    """Of the whole cell, one for each seed."""
    cell = airlink.run(airlink.Scenario.from_toml(CELL).override(settings), seed=1, replicas=SEEDS).cell
    return np.asarray(cell["delivered_bps"]).ravel()


def turning_bps(antennas: int) -> np.ndarray:
    return rates_bps(STILL, f"channel.beamforming={{kind = 'opportunistic', antennas = {antennas}}}")


def test_the_more_antennas_turn_the_more_still_users_gain_of_what_users_that_fade_fast_gain() -> None:
    still, fast = rates_bps(STILL), rates_bps(FAST)
    in_turn = rates_bps(STILL, "scheduler={kind = 'round_robin'}")
    assert abs(still.mean() / in_turn.mean() - 1) < 0.02, "nothing rides on fading that stands still"
    assert abs(turning_bps(1).mean() / still.mean() - 1) < 1e-3, "of one antenna only the phase turns"
    # The power of a still user varies by 1 - 1/M over time, a direction's share of its M antennas. Each step is seen
    # above 4.5 standard errors of the differences, seed by seed.
    steps = [still, *(turning_bps(antennas) for antennas in (2, 4)), fast]
    for less, more in itertools.pairwise(steps):
        step = more - less
        assert step.mean() > 4.5 * step.std(ddof=1) / np.sqrt(SEEDS)
    assert (steps[2] - still).mean() > 0.6 * (fast - still).mean()
