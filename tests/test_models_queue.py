"""The queue behind TCP-PF against itself, served segment by segment."""

from __future__ import annotations

import math

import numpy as np
import pytest

from airlink import models
from airlink.models import Moments

PACKETS = 20_000
BLOCKS = 20
SIGMAS = 5.0
SERVICE, VACATION = 1.0, 4.0


def served(packets_per_time: float, users: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Time in the system and segments found waiting of each packet; one or three segments, alike often.

    With `users` a vacation is the sum of the others' exponential services and a service is one; else both are constant.
    """
    random = np.random.default_rng(7)
    arrivals = np.cumsum(random.exponential(1 / packets_per_time, PACKETS)).tolist()
    sizes = random.choice([1, 3], PACKETS).tolist()
    waiting: list[int] = []  # of each waiting segment, its packet
    found, ended = np.zeros(PACKETS), np.zeros(PACKETS)
    now, arrived = 0.0, 0
    while arrived < PACKETS or waiting:
        service, vacation = times(random, users)
        segment = waiting.pop(0) if waiting else None
        if segment is not None:
            ended[segment] = now + service
            now += service
        now += vacation
        while arrived < PACKETS and arrivals[arrived] < now:
            found[arrived] = len(waiting)
            waiting += [arrived] * sizes[arrived]
            arrived += 1
    return ended - arrivals, found


def times(random: np.random.Generator, users: int | None) -> tuple[float, float]:
    if users is None:
        return SERVICE, VACATION
    return random.exponential(SERVICE), random.gamma(users - 1, SERVICE)


def within(samples: np.ndarray, expected: float) -> bool:
    """Means of blocks are nearly independent, single packets are not."""
    means = samples.reshape(BLOCKS, -1).mean(axis=1)
    return bool(abs(means.mean() - expected) <= SIGMAS * means.std(ddof=1) / math.sqrt(BLOCKS))


@pytest.mark.parametrize("users", [None, 5])
@pytest.mark.parametrize("load", [0.2, 0.7])
def test_the_queue_served_segment_by_segment_has_the_mean_times_of_the_closed_forms(
    users: int | None, load: float
) -> None:
    segments = Moments(2.0, 5.0)
    vacation = Moments(VACATION, VACATION**2 if users is None else VACATION**2 + VACATION)
    cycle = Moments(SERVICE + VACATION, (SERVICE + VACATION) ** 2 + (0 if users is None else 5.0))
    packets_per_time = load / (segments.mean * cycle.mean)
    assert models.utilisation(packets_per_time, segments.mean, SERVICE, VACATION) == pytest.approx(load)
    residual = models.residual_time(cycle, vacation, load)
    if users is not None:
        assert residual == pytest.approx(models.equal_users_residual_time(vacation, users, load))
    waiting = models.segments_waiting(residual, load, segments, SERVICE, VACATION)
    expected = models.packet_system_time(residual, waiting, segments.mean, SERVICE, VACATION)
    in_system, found = served(packets_per_time, users)
    assert within(found, waiting)
    assert within(in_system, expected)
    assert not within(in_system, 1.4 * expected), "the test can fail"


def test_queue_over_rate_is_the_waiting_of_the_segments() -> None:
    vacation = Moments(0.02, 0.0008)
    per_cycle = 1600.0  # bits a segment
    measured = models.measured_system_time(vacation, queue_bits=5 * per_cycle, rate_bps=per_cycle / 0.021)
    assert measured == pytest.approx(models.packet_system_time(0.02, 5.0, 1.0, 0.001, 0.02) - 0.001)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: models.utilisation(-1.0, 1.0, 1.0, 1.0),
        lambda: models.utilisation(1.0, 0.5, 1.0, 1.0),
        lambda: models.segments_waiting(1.0, 1.0, Moments(1.0, 1.0), 1.0, 1.0),
        lambda: models.measured_system_time(Moments(1.0, 1.0), 1.0, 0.0),
        lambda: models.equal_users_residual_time(Moments(1.0, 1.0), users=1, load=0.5),
    ],
)
def test_values_out_of_range_are_refused(wrong: object) -> None:
    assert callable(wrong)
    with pytest.raises(ValueError, match=r"must|needs"):
        wrong()
