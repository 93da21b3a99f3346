"""The cell of paper 004 over the air, and how the study compares at equal delay."""

from __future__ import annotations

import numpy as np
import pytest

from airlink.campaign import Plan, run
from airlink.scenario import ready
from airlink.studies import Request
from airlink.studies.clamp import air
from airlink.studies.clamp.air import CLAMP, FAST, NEW_RENO, SLOW
from airlink.studies.clamp.curves import along, curve, fetch_s, halves_of, knee_ms, of_queues, scenarios

QUICK = Request(quick=True)


def test_the_cell_without_changes_is_the_ready_scenario() -> None:
    cell = ready("clamp")
    assert cell.queue is not None
    assert cell.queue.price.kind == "clamp"
    assert air.cell(CLAMP, SLOW, cell.queue.price.free_bytes) == cell


def test_the_cell_has_the_numbers_of_the_paper() -> None:
    cell = ready("clamp")
    assert cell.slot is not None
    assert cell.queue is not None
    assert (cell.users, cell.slot.duration_ms, cell.queue.limit_bytes) == (3, 3.0, 6_000_000)
    round_trips = [flow.path.downlink_delay_ms + flow.path.uplink_delay_ms for flow in cell.flows]
    assert round_trips == list(air.DELAYS_MS)
    assert [flow.users for flow in cell.flows] == [(0,), (1,), (2,), (2,)]
    assert all(flow.tcp.mss_bytes + flow.tcp.header_bytes == 1500 for flow in cell.flows)
    assert all(flow.tcp.clamp.kind == "on" for flow in cell.flows)


def test_new_reno_alone_has_no_price_and_no_clamp() -> None:
    cell = air.cell(NEW_RENO, FAST, 30_000)
    assert cell.queue is not None
    assert (cell.queue.price.kind, cell.queue.limit_bytes) == ("none", 30_000)
    assert all(flow.tcp.clamp.kind == "off" for flow in cell.flows)


def test_halves_follow_one_another_and_are_equally_long() -> None:
    for request in (QUICK, Request()):
        (start, middle), (again, end) = air.halves(request)
        assert middle == again
        assert middle - start == end - middle > 0


# Along a curve


def test_a_value_at_a_delay_lies_on_each_seeds_own_curve() -> None:
    delay = np.array([[10.0, 20.0], [30.0, 60.0], [50.0, 80.0]])
    values = np.array([[1.0, 0.0], [3.0, 4.0], [9.0, 5.0]])
    assert along(delay, values, 40.0) == pytest.approx([6.0, 2.0])
    assert along(delay, values, 30.0) == pytest.approx([3.0, 1.0])
    both = along(delay, np.stack([values, 2 * values], axis=2), 40.0)
    assert both == pytest.approx(np.array([[6.0, 12.0], [2.0, 4.0]]))


def test_beyond_a_curve_there_is_nothing() -> None:
    delay, values = np.array([[10.0, 20.0], [30.0, 60.0]]), np.ones((2, 2))
    assert np.isnan(along(delay, values, 15.0)).tolist() == [False, True]
    assert np.isnan(along(delay, values, 40.0)).tolist() == [True, False]


def test_the_knee_is_where_the_share_is_reached() -> None:
    delay = np.array([[10.0], [20.0], [40.0], [80.0]])
    total = np.array([[4.0], [8.0], [10.0], [10.0]])
    assert knee_ms(delay, total, 0.9) == pytest.approx([30.0])
    assert np.isnan(knee_ms(delay, total, 0.3)).all()


def test_flows_that_fetch_file_after_file_take_the_mean_of_their_times() -> None:
    assert fetch_s(np.array([8.0, 4.0, 2.0, 1.0])) == pytest.approx((1 + 2 + 4 + 8) / 4)


def test_rates_of_queues_are_sums_over_their_flows() -> None:
    assert of_queues(np.array([[1.0, 2.0, 3.0, 4.0]])).tolist() == [[1.0, 2.0, 7.0]]


def test_two_halves_are_the_whole() -> None:
    stretches = ((3.0, 6.0), (6.0, 9.0))
    made = scenarios(CLAMP, SLOW, (20_000,), stretches)
    own = curve(run(Plan(made, (1, 2))), CLAMP, SLOW, (20_000,), stretches)
    once = ((3.0, 9.0),)
    whole = curve(run(Plan(scenarios(CLAMP, SLOW, (20_000,), once), (1, 2))), CLAMP, SLOW, (20_000,), once)
    assert own.measured_s == whole.measured_s
    assert own.rates_mbps == pytest.approx(whole.rates_mbps, rel=1e-9)
    assert own.delay_ms == pytest.approx(whole.delay_ms, rel=1e-9)
    assert own.whole.packets == pytest.approx(whole.whole.packets)
    assert own.timeouts_per_minute == pytest.approx(whole.timeouts_per_minute)
    assert len(halves_of(own)) == len(air.FLOWS) + 2
