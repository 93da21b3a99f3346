"""Where the fluid of CLAMP settles, and whether: hand counts, roots, and what holds for any delays."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import lambertw

from airlink_studies.clamp import theory
from airlink_studies.clamp.theory import ClampFlows, clamp_critical_b, clamp_rightmost_roots, clamp_roots

RATE_BPS = 10e6
PAIRS = [(0.05, 0.05), (0.05, 0.06), (0.05, 0.1), (0.03, 0.13), (0.01, 0.18)]


@pytest.mark.parametrize(("count", "queue", "window"), [(1, 6000, 68_500), (2, 6500, 34_500), (3, 7000, 23_166.7)])
def test_the_flows_of_figure_2_settle_where_the_paper_has_them(count: int, queue: float, window: float) -> None:
    settled = theory.clamp_equilibrium(ClampFlows((0.05,) * count, RATE_BPS))
    assert settled.queue_bytes == queue
    assert settled.windows_bytes == pytest.approx((window,) * count, rel=1e-5)
    assert settled.rates_bps == (RATE_BPS / count,) * count
    assert settled.queueing_delay_s == pytest.approx(queue / 1.25e6)


@pytest.mark.parametrize("gain_hz", [None, 7.0, (1.0, 2.0, 3.0)])
def test_no_window_moves_at_the_equilibrium_of_unequal_flows(gain_hz: float | tuple[float, ...] | None) -> None:
    flows = ClampFlows((0.01, 0.05, 0.2), 2e6, tau_bytes=300.0, a_bytes=2000.0, b=0.7, gain_hz=gain_hz)
    settled = theory.clamp_equilibrium(flows)
    price = flows.price_s(settled.queue_bytes)
    for rate, window, delay in zip(settled.rates_bps, settled.windows_bytes, flows.delays_s, strict=True):
        assert price * rate / 8 == pytest.approx(300.0)
        assert window == pytest.approx(rate / 8 * (delay + settled.queueing_delay_s))
    assert sum(settled.rates_bps) == pytest.approx(2e6)


@pytest.mark.parametrize("b", [0.1, 0.3, 0.5, 1.0, math.pi / 2, 3.0])
def test_roots_in_closed_form_are_roots_and_those_that_numbers_find(b: float) -> None:
    delay = 0.05
    roots = clamp_roots(b, delay, count=6)
    assert np.abs(roots + b / delay * np.exp(-roots * delay)).max() < 1e-9 * b / delay
    assert (np.diff(roots.real) < 0).all()
    assert clamp_rightmost_roots(b, (delay, delay), count=6) == pytest.approx(roots, rel=1e-9, abs=1e-9)
    assert (roots.imag[:2] == 0).all() == (b < 1 / math.e)


@pytest.mark.parametrize("b", [0.01, 0.1, 0.36, 0.37, 0.5, 0.99, 1.0, 3.0, 100.0])
@pytest.mark.parametrize("branch", [0, -1, 1, 2, 20])
def test_a_branch_of_lamberts_function_is_that_of_scipy(b: float, branch: int) -> None:
    found = clamp_roots(b, 1.0, count=22)
    sought = complex(lambertw(-b, branch))
    apart = min(abs(found - sought).min(), abs(found - sought.conjugate()).min())
    assert apart <= 1e-12 * abs(sought)


def test_where_two_branches_of_lamberts_function_meet_the_root_is_real() -> None:
    assert clamp_roots(1 / math.e, 0.05)[0] == pytest.approx(-20.0, rel=1e-7)


def test_the_rightmost_root_crosses_at_half_pi() -> None:
    for b, sign in [(0.999, -1), (1.001, 1)]:
        assert math.copysign(1, clamp_roots(b * math.pi / 2, 0.05)[0].real) == sign
    crossing = clamp_roots(math.pi / 2, 0.05)[0]
    assert crossing == pytest.approx(1j * math.pi / 2 / 0.05, abs=1e-9)


def test_a_gain_that_does_not_follow_the_delay_bears_it_up_to_a_bound() -> None:
    bound = theory.clamp_critical_delay(b=1.2, gain_hz=20.0)
    assert bound == pytest.approx(math.pi * 0.05 / (2 * 1.2))  # the paper's pi d / (2 b) with d = 1/20 s
    for part, sign in [(0.99, -1), (1.01, 1)]:
        root = clamp_rightmost_roots(1.2, (part * bound,), gain_hz=20.0)[0]
        assert math.copysign(1, root.real) == sign


def test_the_critical_b_of_two_delays_with_one_gain_is_that_of_their_mean_over_a_cosine() -> None:
    # cos x + cos y = 0 first where the phases' mean is pi/2; the sines then add up to 2 cos((x - y) / 2).
    for shorter, longer in PAIRS:
        omega = math.pi / (shorter + longer)
        by_hand = omega / (20.0 * math.cos(omega * (longer - shorter) / 2))
        assert clamp_critical_b((shorter, longer), gain_hz=20.0) <= by_hand * (1 + 1e-9)
    assert clamp_critical_b((0.05, 0.06), gain_hz=20.0) == pytest.approx(
        math.pi / 0.11 / 20 / math.cos(math.pi / 22), rel=1e-12
    )


@pytest.mark.parametrize("gain_hz", [None, 12.0])
@pytest.mark.parametrize("delays", [*PAIRS, (0.05, 0.15), (0.06, 0.1), (0.01, 0.05, 0.2)])
def test_at_the_critical_b_the_rightmost_root_stands_on_the_axis(
    delays: tuple[float, ...], gain_hz: float | None
) -> None:
    b = clamp_critical_b(delays, gain_hz=gain_hz)
    for part, sign in [(0.995, -1), (1.005, 1)]:
        root = clamp_rightmost_roots(part * b, delays, gain_hz=gain_hz)[0]
        assert math.copysign(1, root.real) == sign
    assert abs(clamp_rightmost_roots(b, delays, gain_hz=gain_hz)[0].real) < 1e-8


def test_b_below_half_pi_is_enough_for_any_delays_and_shares_that_stand_still() -> None:
    random = np.random.default_rng(4)
    theta = np.linspace(1e-3, 40.0, 100_000)
    assert (np.sin(theta) - 2 / math.pi * np.cos(theta) <= 2 / math.pi * theta + 1e-12).all()
    least = math.inf
    for count in (2, 2, 3, 3, 4) * 6:
        delays = tuple(random.uniform(0.01, 0.2, count))
        shares = tuple(random.dirichlet(np.ones(count)))
        least = min(least, clamp_critical_b(delays, shares) / (math.pi / 2))
    assert 1 - 1e-9 <= least < 1.05
    assert clamp_critical_b((0.05, 0.05), (0.3, 0.7)) == pytest.approx(math.pi / 2, rel=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ClampFlows((), RATE_BPS), "delays_s is ()"),
        (lambda: ClampFlows((0.05, 0.0), RATE_BPS), "delays_s is (0.05, 0.0)"),
        (lambda: ClampFlows((0.05,), 0.0), "rate_bps is 0.0"),
        (lambda: ClampFlows((0.05,), RATE_BPS, tau_bytes=-1.0), "tau_bytes is -1.0"),
        (lambda: ClampFlows((0.05,), RATE_BPS, a_bytes=-1.0), "a_bytes is -1.0"),
        (lambda: ClampFlows((0.05,), RATE_BPS, b=math.nan), "b is nan"),
        (lambda: ClampFlows((0.05,), RATE_BPS, gain_hz=(1.0, 2.0)), "gain_hz is (1.0, 2.0)"),
        (lambda: clamp_roots(0.0, 0.05), "b 0.0"),
        (lambda: theory.clamp_critical_delay(1.0, -1.0), "gain_hz -1.0"),
        (lambda: clamp_critical_b((0.05, 0.1), shares=(0.5, 0.6)), "shares is (0.5, 0.6)"),
        (lambda: clamp_rightmost_roots(1.0, (0.05,), count=0), "count 0"),
        (lambda: clamp_rightmost_roots(1.0, (1e-4, 1.0)), "too far from the others"),
    ],
)
def test_what_makes_no_sense_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        make()
