"""The fluid of CLAMP over time: exact polynomials, the order of the steps, its threshold, flows that come and go."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from airlink.models import DelayedSolution, integrate_delayed
from airlink.models.delayed_equations import Floats
from airlink_studies.clamp import theory
from airlink_studies.clamp.theory import ClampFlows, ClampStart, clamp_queue, clamp_trajectory

RATE_BPS = 10e6
RATE_BYTES = RATE_BPS / 8
DELAY_S = 0.05


def exact_queue(b: float, excess: float, settled: float, time_s: float) -> float:
    """Eq. (2) by the method of steps from a queue that stood still: a polynomial of one degree more on each delay."""
    delays = time_s / DELAY_S
    terms = [
        (-b) ** n * (delays - (n - 1)) ** n / math.factorial(n)
        for n in range(1, math.ceil(delays) + 1)
        if delays > n - 1
    ]
    return settled + excess * (1 + math.fsum(terms))


@pytest.mark.parametrize("b", [0.5, 1.0, 1.7])
def test_the_queue_is_the_polynomial_of_each_delay(b: float) -> None:
    flows = ClampFlows((DELAY_S,), RATE_BPS, b=b)
    settled = theory.clamp_equilibrium(flows).queue_bytes
    queue = clamp_queue(flows, 1000.0, until_s=6 * DELAY_S, step_s=DELAY_S / 100)
    for time in np.linspace(0.003, 6 * DELAY_S, 37):
        exact = exact_queue(b, 1000.0 - settled, settled, float(time))
        assert float(queue(float(time))[0]) == pytest.approx(exact, abs=1e-9 * settled)
    # Up to the fourth power the steps themselves are exact, however long.
    coarse = clamp_queue(flows, 1000.0, until_s=3 * DELAY_S, step_s=DELAY_S)
    assert float(coarse(3 * DELAY_S)[0]) == pytest.approx(
        exact_queue(b, 1000.0 - settled, settled, 3 * DELAY_S), rel=1e-12
    )


def two_delays(time_s: float, value: Floats, late: list[Floats]) -> Floats:
    return -0.6 * late[0] * (1 + 0.3 * late[1]) + 0.2 * math.sin(time_s) - 0.1 * value


def explosion(time_s: float, value: Floats, late: list[Floats]) -> Floats:
    return np.exp(value)


def stood_at_one(time_s: float) -> Floats:
    return np.ones(1)


def test_halving_the_steps_takes_a_sixteenth_of_the_error_though_the_past_has_kinks() -> None:
    def end(steps: int) -> float:
        solution = integrate_delayed(two_delays, stood_at_one, (0.0, 9.0), [1.0, 1.7], 1 / steps)
        return float(solution(9.0)[0])

    exact = end(200)
    errors = [abs(end(steps) - exact) for steps in (6, 12, 24)]
    assert all(12 < before / after < 22 for before, after in pairwise(errors))
    assert errors[-1] < 1e-8


def test_a_solution_carries_on_where_another_ended() -> None:
    def once(until_s: float, past: Callable[[float], Floats], start_s: float = 0.0) -> DelayedSolution:
        return integrate_delayed(two_delays, past, (start_s, until_s), [1.0, 1.7], 0.05)

    whole = once(5.0, stood_at_one)
    second = once(5.0, once(2.5, stood_at_one), 2.5)
    times = np.linspace(-1.0, 5.0, 25)
    assert second.sample(times) == pytest.approx(whole.sample(times), abs=1e-7)
    with pytest.raises(ValueError, match=re.escape("the solution ends at 5.0")):
        second(5.1)


def growth_per_s(solution: DelayedSolution, settled: float, from_s: float, to_s: float) -> float:
    """Log-decrement of the swings about `settled`, 1/s: a straight line through the logs of their peaks."""
    times = np.arange(from_s, to_s, DELAY_S / 40)
    away = np.abs(solution.sample(times)[:, 0] - settled)
    peaks = np.flatnonzero((away[1:-1] > away[:-2]) & (away[1:-1] >= away[2:])) + 1
    return float(np.polyfit(times[peaks], np.log(away[peaks]), 1)[0])


def test_swings_die_out_below_half_pi_and_grow_above_as_fast_as_the_root_says() -> None:
    grown = {}
    for part in (0.9, 0.99, 1.01, 1.1):
        flows = ClampFlows((DELAY_S,) * 2, RATE_BPS, b=part * math.pi / 2)
        settled = theory.clamp_equilibrium(flows).queue_bytes
        grown[part] = growth_per_s(clamp_queue(flows, 1.001 * settled, until_s=4.0), settled, 1.0, 4.0)
        assert grown[part] == pytest.approx(theory.clamp_roots(flows.b, DELAY_S)[0].real, rel=0.01)
    assert grown[0.9] < grown[0.99] < 0 < grown[1.01] < grown[1.1]
    between = 0.99 + 0.02 * grown[0.99] / (grown[0.99] - grown[1.01])
    assert between == pytest.approx(1.0, abs=1e-3)  # asked for: 1 %


@pytest.mark.parametrize("gain_hz", [None, 12.0])
@pytest.mark.parametrize("delays", [(0.05, 0.06), (0.03, 0.13), (0.02, 0.05, 0.2)])
def test_the_map_of_unequal_delays_is_where_the_solution_says(delays: tuple[float, ...], gain_hz: float | None) -> None:
    critical = theory.clamp_critical_b(delays, gain_hz=gain_hz)
    for part, sign in [(0.99, -1), (1.01, 1)]:
        flows = ClampFlows(delays, RATE_BPS, b=part * critical, gain_hz=gain_hz)
        settled = theory.clamp_equilibrium(flows).queue_bytes
        queue = clamp_queue(flows, 1.001 * settled, until_s=8.0, step_s=min(delays) / 6)
        away = np.abs(queue.sample(np.linspace(2.0, 8.0, 2000))[:, 0] - settled)
        assert math.copysign(1, away[1000:].max() - away[:1000].max()) == sign


def test_one_flow_is_equation_1_and_its_queue_empties() -> None:
    flows = ClampFlows((DELAY_S,), RATE_BPS, a_bytes=0.0, b=2.0)
    times = np.linspace(0.0, 12.0, 2401)
    course = clamp_trajectory(flows, ClampStart((40_000.0,)), times)
    window, queue = course.windows_bytes[:, 0], course.queue_bytes
    late = np.interp(times - DELAY_S, times, window)  # 0.05 s is ten places of this grid
    assert queue == pytest.approx(np.maximum(late - RATE_BYTES * DELAY_S, 0.0), abs=1e-6)
    # Filled by tau a round trip until the pipe is full; then b > pi/2 swings, but not without end: the queue runs dry.
    assert window[100] == pytest.approx(40_000 + 500 * 0.5 / DELAY_S)
    later = queue[1200:]
    assert later.min() == 0.0
    assert 1.0 < later.max() / 500.0 < 10.0
    assert course.rates_bps[1200:].min() < RATE_BPS <= course.rates_bps[1200:].max() * (1 + 1e-12)


def test_flows_of_equal_delays_are_equation_12_while_the_queue_lasts() -> None:
    flows = ClampFlows((DELAY_S,) * 3, RATE_BPS)
    windows = (30_000.0, 20_000.0, 19_000.0)
    times = np.linspace(0.02, 1.0, 50)
    course = clamp_trajectory(
        flows, ClampStart(windows), times + DELAY_S
    )  # windows move from 0 on, the queue a delay later
    queue = clamp_queue(flows, sum(windows) - RATE_BYTES * DELAY_S, until_s=1.0)
    assert course.queue_bytes == pytest.approx(queue.sample(times)[:, 0], rel=1e-6)
    assert course.rates_bps.sum(axis=1) == pytest.approx(RATE_BPS)


def test_flows_that_come_and_go_settle_as_in_figure_2() -> None:
    """A fifth of the figure's time for each stay."""
    flows = ClampFlows((DELAY_S,) * 3, RATE_BPS)
    start = ClampStart((0.0,) * 3, stays_s=((0.0, 70.0), (10.0, 60.0), (30.0, 50.0)))
    times = [9.9, 29.9, 49.9, 50.01, 50.2, 59.9, 69.9]
    course = clamp_trajectory(flows, start, times, step_s=DELAY_S / 5)
    alone, two, three, leaving, left, two_again, last = zip(
        course.queue_bytes, course.windows_bytes, course.rates_bps, strict=True
    )
    for (queue, windows, _), settled, there in [
        (alone, 6000, [68_500, 0, 0]),
        (two, 6500, [34_500, 34_500, 0]),
        (three, 7000, [23_167, 23_167, 23_167]),
        (two_again, 6500, [34_500, 34_500, 0]),
        (last, 6000, [68_500, 0, 0]),
    ]:
        assert queue == pytest.approx(settled, rel=0.002)
        assert windows == pytest.approx(there, rel=0.02)
    assert leaving[1][2] == 0 < leaving[2][2]  # its window is gone; its rate goes a round trip later
    assert left[0] == 0 == left[2][2]


def test_unequal_delays_come_to_equal_rates_in_windows_that_their_delays_ask_for() -> None:
    flows = ClampFlows((0.05, 0.1), RATE_BPS)
    course = clamp_trajectory(flows, ClampStart((50_000.0, 50_000.0)), [45.0], step_s=0.0125)
    settled = theory.clamp_equilibrium(flows)
    assert course.rates_bps[0] == pytest.approx(settled.rates_bps, rel=0.01)
    assert course.windows_bytes[0] == pytest.approx(settled.windows_bytes, rel=0.01)
    assert course.queue_bytes[0] == pytest.approx(settled.queue_bytes, rel=1e-3)


def test_a_price_that_is_floored_fills_an_empty_pipe_by_tau_alone() -> None:
    flows = ClampFlows((DELAY_S,), RATE_BPS)
    half = RATE_BYTES * DELAY_S / 2
    floored, printed = (
        clamp_trajectory(flows, ClampStart((half,)), [DELAY_S], floored_price=floor).windows_bytes[0, 0] - half
        for floor in (True, False)
    )
    assert floored == pytest.approx(500.0)
    assert printed == pytest.approx(500.0 + 5500.0 / 2)  # at half the rate, p = -a/mu_c pays half of a


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ClampStart((-1.0,)), "windows_bytes is (-1.0,)"),
        (lambda: ClampStart((1.0,), stays_s=((2.0, 1.0),)), "stays_s is ((2.0, 1.0),)"),
        (
            lambda: clamp_trajectory(ClampFlows((0.05,), RATE_BPS), ClampStart((1.0, 1.0)), [1.0]),
            "2 windows for 1 flows",
        ),
        (lambda: clamp_trajectory(ClampFlows((0.05,), RATE_BPS), ClampStart((1.0,)), [1.0, 0.5]), "times_s must rise"),
        (lambda: clamp_queue(ClampFlows((0.05,), RATE_BPS), 0.0, 1.0, step_s=0.0), "step_s is 0.0"),
        (lambda: integrate_delayed(two_delays, stood_at_one, (1.0, 1.0), [1.0], 0.1), "interval_s is (1.0, 1.0)"),
        (lambda: integrate_delayed(two_delays, stood_at_one, (0.0, 1.0), [0.0], 0.1), "delays_s is [0.0]"),
        (
            lambda: integrate_delayed(explosion, stood_at_one, (0.0, 9.0), [1.0], 0.5),
            "grows beyond all numbers",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
def test_what_makes_no_sense_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        make()
