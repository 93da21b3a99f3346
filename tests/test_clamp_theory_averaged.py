"""CLAMP with an averaged queue and an a that follows a wait: where its roots cross, and the equations integrated."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from airlink.models import integrate_delayed
from airlink.models.delayed_equations import Floats
from airlink_studies.clamp.theory import clamp_averaged_critical_b, clamp_delay_critical_speed

SETTINGS = [(0.05, 0.02, 0.5), (0.2, 0.1, 0.5), (0.05, 0.02, 0.02)]  # d, theta, T, s


@pytest.mark.parametrize(("delay", "wait"), [(0.05, 0.0), (0.05, 0.0048), (0.2, 0.1)])
def test_without_averaging_it_is_half_pi_and_with_much_nearly_one(delay: float, wait: float) -> None:
    steered = (delay + wait) / delay
    assert clamp_averaged_critical_b(delay, wait, averaging_s=0.0) == pytest.approx(steered * math.pi / 2)
    assert clamp_averaged_critical_b(delay, wait, averaging_s=1e-9) == pytest.approx(steered * math.pi / 2, rel=1e-6)
    # x tan x = d/T and x / sin x to second order in d/T: x^2 = d/T - (d/T)^2 / 3.
    slow = 100 * delay
    assert clamp_averaged_critical_b(delay, wait, slow) == pytest.approx(steered * (1 + 0.01 / 6), rel=2e-5)


def swing(delay: float, wait: float, averaging: float, b: float, speed: float) -> float:
    """How much larger the loop's swings are a while later: q, its mean and a, integrated."""

    def slope(_time: float, now: Floats, late: list[Floats]) -> Floats:
        (queue, mean, _), then, before = now, late[0], late[1]
        return np.array(
            [(then[2] - b * then[1]) / (delay + wait), (queue - mean) / averaging, -speed * before[0]], dtype=np.float64
        )

    period = 2 * math.pi * math.sqrt((delay + wait) * averaging / b)
    begin, end = 6 * period, 20 * period
    path = integrate_delayed(slope, lambda _: np.array([1.0, 0.0, 0.0]), (0.0, end), (delay, wait), min(delay, wait))
    early, late = (
        [abs(path(at)[0]) for at in np.linspace(start, start + 1.5 * period, 60)]
        for start in (begin, end - 1.5 * period)
    )
    return float(max(late) / max(early))


@pytest.mark.parametrize(("delay", "wait", "averaging"), SETTINGS)
def test_swings_die_out_below_the_critical_b_and_grow_above(delay: float, wait: float, averaging: float) -> None:
    critical = clamp_averaged_critical_b(delay, wait, averaging)
    assert swing(delay, wait, averaging, 0.95 * critical, 0.0) < 1 < swing(delay, wait, averaging, 1.05 * critical, 0.0)


@pytest.mark.parametrize(("delay", "wait", "averaging"), SETTINGS)
@pytest.mark.parametrize("b", [0.5, 1.0])
def test_swings_die_out_below_the_critical_speed_and_grow_above(
    delay: float, wait: float, averaging: float, b: float
) -> None:
    critical = clamp_delay_critical_speed(delay, wait, averaging, b)
    assert swing(delay, wait, averaging, b, 0.9 * critical) < 1 < swing(delay, wait, averaging, b, 1.1 * critical)


def test_no_speed_settles_what_does_not_settle_without() -> None:
    critical = clamp_averaged_critical_b(0.05, 0.005)
    assert clamp_delay_critical_speed(0.05, 0.005, b=1.001 * critical) == 0
    assert 0 < clamp_delay_critical_speed(0.05, 0.005, b=0.999 * critical) < 0.01


def test_the_default_speed_settles_any_round_trip_at_targets_from_5_ms_on() -> None:
    """The claim of the scenario's `speed_hz`, and that it is not true of any target."""
    round_trips = np.geomspace(0.002, 3.0, 60).tolist()
    least = {
        target: min(clamp_delay_critical_speed(delay, target) for delay in round_trips) for target in (0.005, 0.02, 0.2)
    }
    assert min(least.values()) == least[0.005] == pytest.approx(0.076, abs=0.001)
    assert clamp_delay_critical_speed(0.05, 0.001) < 0.05


def test_the_crossing_is_a_root() -> None:
    delay, wait, averaging = 0.05, 0.02, 0.5
    speed = clamp_delay_critical_speed(delay, wait, averaging)

    def loop(root: complex) -> complex:
        lag = 1 + root * averaging
        moved = root + speed * cmath.exp(-root * wait) * lag
        return root**2 * lag + cmath.exp(-root * delay) * moved / (delay + wait)

    omegas = np.linspace(1.0, 20.0, 200_001)
    assert min(abs(loop(1j * omega)) / omega for omega in omegas) < 1e-3


def test_what_is_no_number_of_a_loop_is_refused() -> None:
    with pytest.raises(ValueError, match="delay_s is 0"):
        clamp_averaged_critical_b(0.0)
    with pytest.raises(ValueError, match="averaging_s -1"):
        clamp_averaged_critical_b(0.05, 0.0, -1.0)
    with pytest.raises(ValueError, match="target_s 0"):
        clamp_delay_critical_speed(0.05, 0.0)
