"""When K users with a packet each are done: the largest rate of each slot, against sampling and the engine."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

import airlink
from airlink import models
from airlink_studies.startup_timeout.finish_times import finish_times
from airlink_studies.startup_timeout.transmission_delay import TransmissionDelay

CELLS = 100
SIGMAS = 5.0
CASES = [(1500, 100, 50, 0.0), (1500, 100, 5, 0.0), (1500, 400, 50, 0.1), (1500, 100, 1, 0.2)]


@cache
def sampled(packet: float, slot: float, users: int, error: float) -> np.ndarray:
    """Finish times in order: array [cell, user], slots."""
    random = np.random.default_rng(6)
    ends = np.zeros((CELLS, users))
    for cell in range(CELLS):
        lacking, now = np.full(users, float(packet)), 0
        while np.any(lacking > 0):
            now += 1
            carried = np.where(lacking > 0, random.exponential(slot, users), -1.0)
            best = int(np.argmax(carried))
            if random.random() >= error:
                lacking[best] -= carried[best]
            if lacking[best] <= 0:
                ends[cell, best] = now
    return np.sort(ends, axis=1)


def near(samples: np.ndarray, expected: float, users: int) -> bool:
    """Within the sample's error, a part of 1/K for taking k for its mean, and half a slot for whole slots."""
    error = SIGMAS * float(samples.std()) / math.sqrt(samples.size)
    allowed = 0.0 if users == 1 else 0.15 / users * expected
    return bool(abs(samples.mean() - expected) <= error + allowed + 0.5)


@pytest.mark.parametrize("case", CASES)
def test_the_largest_rate_of_each_slot_finishes_users_so(case: tuple[float, float, int, float]) -> None:
    users = case[2]
    ends, times = sampled(*case), finish_times(*case)
    assert near(ends[:, -1], times.last(), users)
    assert near(ends.mean(axis=1), times.mean(), users)
    assert not near(ends[:, -1], 1.2 * times.last(), users), "the test can fail"
    if users > 1:
        assert near(ends[:, 0], times.first(), users)
        assert near(np.median(ends, axis=1), times.within(0.5), users)


@pytest.mark.parametrize("case", CASES)
def test_nobody_is_later_than_one_after_the_other(case: tuple[float, float, int, float]) -> None:
    packet, slot, users, error = case
    sequential = TransmissionDelay(packet, slot, users, error).mean()
    last = finish_times(*case).last()
    assert last == pytest.approx(sequential, rel=2e-3) if users == 1 else last < sequential
    largest = models.proportional_fair_gain(users) * slot * (1 - error)
    assert last >= users * packet / largest, "no slot carries more than the largest of all users' rates"


def test_the_share_of_users_that_are_done_rises_to_one() -> None:
    times = finish_times(1500, 100, users=50)
    done = times.done(np.arange(0, 400))
    assert done[0] == 0
    assert np.all(np.diff(done) >= 0)
    assert done[-1] == pytest.approx(1, abs=1e-6)
    assert times.done(times.within(0.9) - 1) < 0.9 <= times.done(times.within(0.9))


def cell(scheduler: dict[str, object]) -> airlink.Scenario:
    """[Choi05]'s example: 50 users, a packet of 1500 bytes each at time 0, a mean of 100 bytes a slot.

    At a mean SNR of -50 dB log2(1 + SNR) is SNR / ln 2 to five digits, so rates are proportional to the SNR; a Doppler
    shift of 100 kHz makes the slots of a user nearly independent.
    """
    bits_per_s = 100 * 8 * 600
    return airlink.Scenario.model_validate(
        {
            "users": 50,
            "duration_s": 5.0,
            "slot": {"duration_ms": "5/3"},
            "channel": {
                "placement": {"kind": "mean_snr", "mean_snr_db": -50.0},
                "fading": {"kind": "rayleigh", "doppler_hz": 1e5, "terms": 64},
            },
            "link": {"rate": {"kind": "capacity", "bandwidth_hz": bits_per_s * math.log(2) * 1e5}},
            "scheduler": scheduler,
            "flows": [
                {
                    "traffic": {"kind": "file", "bytes": 1460},
                    "tcp": {"rto": {"initial_ms": 60_000, "max_ms": 60_000}},
                    "path": {"downlink_delay_ms": 0, "uplink_delay_ms": 0},
                }
            ],
        }
    )


def measured(scheduler: dict[str, object]) -> np.ndarray:
    """Finish times in order: array [cell, user], slots."""
    flows = airlink.run(cell(scheduler), seed=1, replicas=30).flows
    return np.sort(np.asarray(flows["completion_s"]).reshape(30, 50) * 600, axis=1)


def test_the_engine_finishes_users_so_when_the_largest_rate_is_sent() -> None:
    ends, times = measured({"kind": "relative_snr"}), finish_times(1500, 100, users=50)
    assert near(ends[:, -1], times.last(), 50)
    assert near(ends[:, 0], times.first(), 50)
    assert near(np.median(ends, axis=1), times.within(0.5), 50)


def test_the_engine_has_the_last_user_law_when_packets_go_one_after_another() -> None:
    ends, law = measured({"kind": "fifo"})[:, -1], TransmissionDelay(1500, 100, users=50)
    error = SIGMAS * math.sqrt(law.variance() / ends.size)
    assert abs(ends.mean() - law.mean()) <= error
    # The sum of squares of so many draws lies in this range but once in a hundred thousand samples.
    assert 0.2 < ends.var(ddof=1) / law.variance() < 2.6


def test_the_memory_of_real_pf_delays_the_first_and_not_the_last() -> None:
    ends = measured({"kind": "proportional_fair", "time_constant_slots": 100, "initial_average_bps": 43_200})
    times = finish_times(1500, 100, users=50)
    assert ends[:, 0].mean() > 1.5 * times.first()
    assert np.median(ends, axis=1).mean() > 1.1 * times.within(0.5)
    assert ends[:, -1].mean() == pytest.approx(times.last(), rel=0.05)
    assert ends[:, -1].max() < TransmissionDelay(1500, 100, users=50).quantile(1e-6)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: finish_times(0, 100, 5),
        lambda: finish_times(1500, 100, 0),
        lambda: finish_times(1500, 100, 5, error_probability=1.0),
        lambda: finish_times(1500, 100, 5).within(1.0),
    ],
)
def test_values_out_of_range_are_refused(wrong: object) -> None:
    assert callable(wrong)
    with pytest.raises(ValueError, match="must"):
        wrong()
