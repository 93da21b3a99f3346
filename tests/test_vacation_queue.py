"""The queue behind TCP-PF against itself, served segment by segment."""

from __future__ import annotations

import math

import numpy as np
import pytest

from airlink_studies.tcp_pf import vacation_queue
from airlink_studies.tcp_pf.vacation_queue import Moments

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
    assert vacation_queue.utilisation(packets_per_time, segments.mean, SERVICE, VACATION) == pytest.approx(load)
    residual = vacation_queue.residual_time(cycle, vacation, load)
    if users is not None:
        assert residual == pytest.approx(vacation_queue.equal_users_residual_time(vacation, users, load))
    waiting = vacation_queue.segments_waiting(residual, load, segments, SERVICE, VACATION)
    expected = vacation_queue.packet_system_time(residual, waiting, segments.mean, SERVICE, VACATION)
    in_system, found = served(packets_per_time, users)
    assert within(found, waiting)
    assert within(in_system, expected)
    assert not within(in_system, 1.4 * expected), "the test can fail"


def test_queue_over_rate_is_the_waiting_of_the_segments() -> None:
    vacation = Moments(0.02, 0.0008)
    per_cycle = 1600.0  # bits a segment
    measured = vacation_queue.measured_system_time(vacation, queue_bits=5 * per_cycle, rate_bps=per_cycle / 0.021)
    assert measured == pytest.approx(vacation_queue.packet_system_time(0.02, 5.0, 1.0, 0.001, 0.02) - 0.001)


def test_a_vacation_of_constant_services_makes_a_constant_cycle() -> None:
    assert vacation_queue.cycle_second_moment(Moments(20.0, 400.0), users=21) == pytest.approx(21.0**2)


def test_the_second_moment_of_a_cycle_is_that_of_a_sum_of_services() -> None:
    services = np.random.default_rng(3).exponential(size=(200_000, 5))
    vacation = services[:, :4].sum(axis=1)
    moments = Moments(4.0, 4.0 * 2 + 4 * 3)
    assert within(vacation**2, moments.square)
    assert within(services.sum(axis=1) ** 2, vacation_queue.cycle_second_moment(moments, users=5))


def test_the_residual_time_approaches_its_large_cell_form() -> None:
    errors = []
    for users in (3, 21, 200):
        others = users - 1.0
        vacation = Moments(others, others**2 + others)
        cycle = Moments(float(users), vacation_queue.cycle_second_moment(vacation, users))
        exact = vacation_queue.residual_time(cycle, vacation, load=0.9)
        errors.append(abs(vacation_queue.large_cell_residual_time(vacation) / exact - 1))
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.01 < errors[0]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Moments(2.0, 3.0),
        lambda: vacation_queue.residual_time(Moments(1.0, 1.0), Moments(1.0, 1.0), load=1.1),
        lambda: vacation_queue.cycle_second_moment(Moments(1.0, 1.0), users=1),
        lambda: vacation_queue.utilisation(-1.0, 1.0, 1.0, 1.0),
        lambda: vacation_queue.utilisation(1.0, 0.5, 1.0, 1.0),
        lambda: vacation_queue.segments_waiting(1.0, 1.0, Moments(1.0, 1.0), 1.0, 1.0),
        lambda: vacation_queue.measured_system_time(Moments(1.0, 1.0), 1.0, 0.0),
        lambda: vacation_queue.equal_users_residual_time(Moments(1.0, 1.0), users=1, load=0.5),
    ],
)
def test_values_out_of_range_are_refused(wrong: object) -> None:
    assert callable(wrong)
    with pytest.raises(ValueError, match=r"must|needs|no random time"):
        wrong()
