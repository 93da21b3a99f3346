"""CLAMP's fluid clocked by ACKs: bytes that are conserved, and thresholds that its own course shows."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from airlink_studies.clamp import theory
from airlink_studies.clamp.theory import (
    ClampFlows,
    ClampStart,
    clamp_clocked_critical_b,
    clamp_clocked_trajectory,
    clamp_trajectory,
)

RATE_BPS = 10e6
RATE_BYTES = RATE_BPS / 8
DELAY_S = 0.05
WAIT_S = 0.02


def flows_that_wait(
    delays: tuple[float, ...], b: float, gain_hz: float | None = None, rate_bps: float = RATE_BPS
) -> ClampFlows:
    """Flows whose queue settles at `WAIT_S`: a is what b leaves over."""
    a_bytes = b * WAIT_S * rate_bps / 8 - len(delays) * 500.0
    return ClampFlows(delays, rate_bps, a_bytes=a_bytes, b=b, gain_hz=gain_hz)


@pytest.mark.parametrize("wait_s", [0.0, 0.05])
@pytest.mark.parametrize("count", [1, 3])
def test_equal_delays_are_stable_up_to_half_pi_whatever_waits(count: int, wait_s: float) -> None:
    for rate_bps in (2e6, 10e6):
        flows = ClampFlows((DELAY_S,) * count, rate_bps)
        assert clamp_clocked_critical_b(flows, wait_s) == pytest.approx(math.pi / 2, rel=1e-9)


@pytest.mark.parametrize(
    ("delays", "wait_s", "rate_bps"),
    [((0.05, 0.1), 0.005, 10e6), ((0.01, 0.18), 0.2, 1e6), ((0.02, 0.05, 0.2), 0.05, 5e6)],
)
def test_the_critical_b_is_the_least_that_a_dense_scan_finds(
    delays: tuple[float, ...], wait_s: float, rate_bps: float
) -> None:
    omegas = np.linspace(1e-3, 400.0, 1_000_001)
    spent = len(delays) * 500.0 / (rate_bps / 8)
    above, below = np.zeros((2, omegas.size), dtype=complex)
    for delay in delays:
        clocked = 1 / (1 - (1 - spent / delay) * np.exp(-1j * omegas * (delay + wait_s)))
        above += clocked
        below += clocked * np.exp(-1j * omegas * delay) / delay
    b = -1j * omegas * above / below
    crossed = np.flatnonzero((b.imag[1:] > 0) != (b.imag[:-1] > 0))
    middles = (b[crossed] + b[crossed + 1]).real / 2
    found = clamp_clocked_critical_b(ClampFlows(delays, rate_bps), wait_s)
    assert found == pytest.approx(middles[middles > 0].min(), rel=1e-3)


@pytest.mark.parametrize(
    ("delays", "gain_hz"),
    [((0.05, 0.05), None), ((0.05, 0.1), None), ((0.03, 0.13), None), ((0.02, 0.05, 0.2), None), ((0.03, 0.13), 12.0)],
)
def test_its_course_settles_below_the_critical_b_and_not_above(
    delays: tuple[float, ...], gain_hz: float | None
) -> None:
    critical = clamp_clocked_critical_b(flows_that_wait(delays, 1.0, gain_hz))
    for part, sign in [(0.97, -1), (1.03, 1)]:
        flows = flows_that_wait(delays, part * critical, gain_hz)
        settled = theory.clamp_equilibrium(flows)
        windows = (1.001 * settled.windows_bytes[0], *settled.windows_bytes[1:])
        course = clamp_clocked_trajectory(flows, ClampStart(windows), np.linspace(5.0, 13.0, 4000))
        away = np.abs(course.queue_bytes - settled.queue_bytes)
        assert math.copysign(1, away[2000:].max() - away[:2000].max()) == sign


def test_unequal_delays_are_unstable_below_half_pi() -> None:
    """Where the paper's evidence, of shares that follow their windows, sees none; the same windows, both courses."""
    flows = flows_that_wait((0.03, 0.13), 1.3)
    assert clamp_clocked_critical_b(flows) < 1.15 < math.pi / 2 < theory.clamp_critical_b(flows.delays_s)
    settled = theory.clamp_equilibrium(flows)
    start = ClampStart((1.01 * settled.windows_bytes[0], settled.windows_bytes[1]))
    times = np.linspace(8.0, 10.0, 400)
    swings = [np.ptp(of(flows, start, times).queue_bytes) for of in (clamp_trajectory, clamp_clocked_trajectory)]
    assert swings[0] < 1e-3 * settled.queue_bytes < settled.queue_bytes < swings[1]


def test_it_is_the_other_fluid_where_delays_are_equal_and_the_queue_lasts_to_second_order() -> None:
    flows = ClampFlows((DELAY_S,) * 2, RATE_BPS, b=1.3)
    settled = theory.clamp_equilibrium(flows)
    start = ClampStart((1.05 * settled.windows_bytes[0], settled.windows_bytes[1]))
    times = np.linspace(0.1, 1.5, 60)
    smooth = clamp_trajectory(flows, start, times, step_s=DELAY_S / 20)
    errors = [
        np.abs(clamp_clocked_trajectory(flows, start, times, DELAY_S / steps).queue_bytes - smooth.queue_bytes).max()
        for steps in (25, 50, 100)
    ]
    assert errors[-1] < 1e-4 * settled.queue_bytes
    assert all(3 < before / after < 5 for before, after in pairwise(errors))


def test_bytes_are_neither_lost_nor_made() -> None:
    flows = ClampFlows((0.03, 0.13), RATE_BPS, b=1.4)  # swings until the queue runs dry
    step = 0.03 / 50
    times = np.arange(1, 20_000) * step
    course = clamp_clocked_trajectory(flows, ClampStart((25_000.0, 90_000.0)), times, step)
    rates = course.rates_bps.sum(axis=1)
    assert course.queue_bytes.min() == 0.0
    busy = (course.queue_bytes[1:] > 0) & (course.queue_bytes[:-1] > 0)
    assert rates[1:][busy] == pytest.approx(RATE_BPS, rel=1e-6)
    assert rates.max() <= RATE_BPS * (1 + 1e-6)
    assert course.rates_bps.min() >= 0.0


def test_the_queue_is_what_windows_allow_less_what_is_on_the_wires() -> None:
    flows, step = ClampFlows((0.03, 0.12), RATE_BPS), 0.03 / 50
    settled = theory.clamp_equilibrium(flows)
    times = np.arange(1, 3001) * step
    course = clamp_clocked_trajectory(flows, ClampStart((1.2 * settled.windows_bytes[0], 70_000.0)), times, step)
    left = np.cumsum(course.rates_bps / 8 * step, axis=0)
    wires = sum(
        course.windows_bytes[1000 - steps : 3000 - steps, flow]
        - left[1000:, flow]
        + left[1000 - steps : 3000 - steps, flow]
        for flow, steps in enumerate((50, 200))
    )
    assert np.ptp(course.queue_bytes[1000:]) > 10.0
    assert course.queue_bytes[1000:] == pytest.approx(wires, abs=1e-3)


def test_a_window_that_collapses_takes_nothing_back_from_the_queue() -> None:
    # 300 kB at 10 ms: the price asks for twenty times what arrives, so the window is gone at once and the queue drains.
    flows = ClampFlows((0.01,), RATE_BPS)
    times = np.array([0.005, 0.05, 0.1, 0.15, 0.2])
    course = clamp_clocked_trajectory(flows, ClampStart((300_000.0,)), times)
    assert course.windows_bytes[1:, 0] == pytest.approx([0.0] * 4)
    full = 300_000 - RATE_BYTES * 0.01
    assert course.queue_bytes[0] == pytest.approx(full)
    gone = -np.diff(course.queue_bytes[1:]) / 0.05
    assert gone == pytest.approx(RATE_BYTES, rel=1e-6)
    assert course.rates_bps[:, 0] == pytest.approx(RATE_BPS)


def test_flows_that_come_and_go_settle_as_in_figure_2() -> None:
    flows = ClampFlows((DELAY_S,) * 3, RATE_BPS)
    start = ClampStart((0.0,) * 3, stays_s=((0.0, 70.0), (10.0, 60.0), (30.0, 50.0)))
    course = clamp_clocked_trajectory(flows, start, [9.9, 29.9, 49.9, 50.04, 50.2, 59.9, 69.9, 71.0], DELAY_S / 25)
    assert course.queue_bytes[[0, 1, 2, 5, 6]] == pytest.approx([6000, 6500, 7000, 6500, 6000], rel=0.002)
    assert course.windows_bytes[2] == pytest.approx([23_167] * 3, rel=0.02)
    assert course.windows_bytes[5] == pytest.approx([34_500, 34_500, 0], rel=0.02)
    assert course.windows_bytes[3, 2] == 0 < course.rates_bps[3, 2]  # what it had under way still comes
    assert course.rates_bps[4, 2] == 0
    assert course.rates_bps[-1] == pytest.approx([0, 0, 0])
    assert course.queue_bytes[-1] == 0


def test_a_delay_that_is_no_whole_number_of_steps_is_kept() -> None:
    flows = ClampFlows((DELAY_S,), RATE_BPS)
    times = np.linspace(0.1, 1.0, 19)
    start = ClampStart((70_000.0,))
    whole = clamp_clocked_trajectory(flows, start, times, DELAY_S / 100).queue_bytes
    broken = clamp_clocked_trajectory(flows, start, times, DELAY_S / 100.37).queue_bytes
    assert broken == pytest.approx(whole, abs=1.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: clamp_clocked_critical_b(ClampFlows((0.05,), RATE_BPS), -1.0), "queueing_delay_s is -1.0"),
        (lambda: clamp_clocked_critical_b(ClampFlows((0.01,), 1e5)), "rate_bps is 100000.0"),
        (lambda: clamp_clocked_trajectory(ClampFlows((0.05,), 1e6), ClampStart(()), [1.0]), "0 windows for 1 flows"),
        (lambda: clamp_clocked_trajectory(ClampFlows((0.05,), 1e6), ClampStart((1.0,)), [1.0], 0.06), "step_s is 0.06"),
        (lambda: clamp_clocked_trajectory(ClampFlows((0.05,), 1e6), ClampStart((1.0,)), [-1.0]), "times_s must rise"),
    ],
)
def test_what_makes_no_sense_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        make()
