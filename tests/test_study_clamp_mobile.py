"""The study of [Andrew08] over the air: its cell, how it compares at equal delay, and how it judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from airlink.campaign import Plan, run
from airlink.report import Claim
from airlink.result import Table
from airlink.scenario import ready
from airlink.study import Request
from airlink_studies.clamp import (
    controls,
    delay_claims,
    delay_sheets,
    delays,
    fading_cell,
    low_rate,
    short_flows,
    window_claims,
    windows,
)
from airlink_studies.clamp.curves import Curve, Window, along, curve, fetch_s, halves_of, knee_ms, of_queues, scenarios
from airlink_studies.clamp.fading_cell import CLAMP, FAST, NEW_RENO, SLOW
from airlink_studies.clamp.trajectories import Floats, Trajectory

QUICK = Request(quick=True)
PAIRS = ((CLAMP, SLOW), (NEW_RENO, SLOW), (CLAMP, FAST), (NEW_RENO, FAST))


def test_the_cell_without_changes_is_the_ready_scenario() -> None:
    cell = ready("clamp")
    assert cell.queue is not None
    assert cell.queue.price.kind == "clamp"
    assert fading_cell.cell(CLAMP, SLOW, cell.queue.price.free_a_bytes) == cell


def test_the_cell_has_the_numbers_of_the_paper() -> None:
    cell = ready("clamp")
    assert cell.slot is not None
    assert cell.queue is not None
    assert (cell.users, cell.slot.duration_ms, cell.queue.limit_bytes) == (3, 3.0, 6_000_000)
    round_trips = [flow.path.downlink_delay_ms + flow.path.uplink_delay_ms for flow in cell.flows]
    assert round_trips == list(fading_cell.DELAYS_MS)
    assert [flow.users for flow in cell.flows] == [(0,), (1,), (2,), (2,)]
    assert all(flow.tcp.mss_bytes + flow.tcp.header_bytes == 1500 for flow in cell.flows)
    assert all(flow.tcp.clamp is not None and flow.tcp.clamp.side == "receiver" for flow in cell.flows)


def test_new_reno_alone_has_no_price_and_no_clamp() -> None:
    cell = fading_cell.cell(NEW_RENO, FAST, 30_000)
    assert cell.queue is not None
    assert (cell.queue.price.kind, cell.queue.limit_bytes) == ("none", 30_000)
    assert all(flow.tcp.clamp is None for flow in cell.flows)


def test_halves_follow_one_another_and_are_equally_long() -> None:
    for request in (QUICK, Request()):
        (start, middle), (again, end) = fading_cell.halves(request)
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
    assert len(halves_of(own)) == len(fading_cell.FLOWS) + 2


def test_every_setting_of_every_control_can_be_run() -> None:
    base = fading_cell.cell(CLAMP, SLOW, 3000)
    for request in (QUICK, Request()):
        made = controls.plans(request)
        assert set(made) == set(controls.controls(request))
    cells = [fading_cell.cell(CLAMP, SLOW, 3000, **each.changes) for each in controls.CONTROLS.values()]
    assert sum(cell == base for cell in cells) == 1
    assert len({cell.model_dump_json() for cell in cells}) == len(cells)


# Judging


def _curve(rates: Floats, delay_ms: Floats, *, timeouts: Floats | None = None, margin: float = 0.1) -> Curve:
    """Of rates [point, flow] and delays [point], with four seeds that hardly differ, in two equal halves."""
    wobble = 1 + 1e-3 * np.array([-1.0, -0.3, 0.4, 0.9])
    points, flows = rates.shape
    many = rates[:, None, :] * wobble[None, :, None]
    window = Window(
        rates_mbps=many,
        delays_ms=np.broadcast_to(delay_ms[:, None, None] * wobble[None, :, None], (points, 4, 3)),
        packets=np.ones((points, 4, 3)),
        serving_ms=np.zeros((points, 4, 3)),
        timeouts=np.zeros((points, 4, flows)) if timeouts is None else timeouts[:, None, :] * wobble[None, :, None],
        margins=margin * np.broadcast_to(wobble[None, :, None], (points, 4, 3)),
    )
    return Curve(1e3 * np.arange(points, dtype=float), (window, window), 120.0)


DELAYS_MS = np.array([10.0, 25.0, 50.0, 100.0, 200.0, 400.0])
GROWTH = np.array([0.4, 0.6, 0.8, 0.95, 1.0, 1.0])[:, None]
"""Of rates, from point to point."""
TIMEOUTS = np.array([0.0, 4.0, 5.0, 4.0, 1.0, 0.5])[:, None] * np.array([0.1, 0.1, 1.0, 0.1])
CONTROL_LOST = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1.5])[:, None] * np.array([[0, 0, 1, 0]])


def test_the_table_of_all_controls_fits_80_columns() -> None:
    made = _curve(GROWTH * np.array([2.0, 1.0, 2.0, 0.08]), DELAYS_MS)
    rates = made.windows[0].rates_mbps.copy()
    rates[..., 3] *= 1 + np.array([-0.1, -0.03, 0.04, 0.09])
    uneven = replace(made, windows=(replace(made.windows[0], rates_mbps=rates),) * 2)
    curves = {
        (name, protocol, speed): uneven
        for name, control in controls.CONTROLS.items()
        for speed in control.speeds
        for protocol in (CLAMP, NEW_RENO)
    }
    sheet = controls.sheet_of(curves)
    assert max(len(cell) for row in sheet.rows for cell in row[1:5]) == len("26.48 ± 4.00")
    assert Console(width=200).measure(sheet.to_rich()).maximum <= 80


def _as_the_paper() -> dict[tuple[str, str], Curve]:
    ones = np.ones((DELAYS_MS.size, 1))
    steady = GROWTH * np.array([[2.4, 2.0, 1.2, 1.0]])
    steady[:, 2] = GROWTH[:, 0] * np.where(CONTROL_LOST[:, 2] > 1, 1.6, 1.2)
    fair = GROWTH * np.array([[1.6, 1.6, 0.8, 0.8]])
    fair[-2:, 2] *= 1.1
    return {
        (CLAMP, SLOW): _curve(steady, DELAYS_MS, margin=0.02),
        (NEW_RENO, SLOW): _curve(GROWTH * np.array([[2.6, 1.5, 2.4, 0.2]]), DELAYS_MS, margin=0.02),
        (CLAMP, FAST): _curve(fair, DELAYS_MS, timeouts=TIMEOUTS * ones, margin=0.7),
        (NEW_RENO, FAST): _curve(GROWTH * np.array([[1.7, 1.3, 1.5, 0.2]]), DELAYS_MS, margin=0.7),
    }


def _alike() -> dict[tuple[str, str], Curve]:
    """Nothing differs between flows, speeds, protocols or delays."""
    rates = np.broadcast_to(np.array([[1.6, 1.6, 0.8, 0.8]]), (DELAYS_MS.size, 4))
    return {key: _curve(rates, DELAYS_MS) for key in PAIRS}


def _unfair() -> dict[tuple[str, str], Curve]:
    """CLAMP as unequal as New Reno, and half as fast; delays that fall."""
    rates = GROWTH * np.array([[1.0, 0.5, 1.2, 0.1]])
    falling = np.array([10.0, 25.0, 24.0, 100.0, 200.0, 400.0])
    return {key: _curve(rates, falling) if key[0] == CLAMP else _as_the_paper()[key] for key in PAIRS}


def _falling() -> dict[tuple[str, str], Curve]:
    return {key: replace(each, windows=_down(each.windows)) for key, each in _as_the_paper().items()}


def _down(each: Sequence[Window]) -> tuple[Window, ...]:
    order = [0, 2, 1, 3, 4, 5]
    return tuple(replace(window, delays_ms=window.delays_ms[order]) for window in each)


def _verdicts(claims: list[Claim]) -> dict[str, bool | None]:
    return {claim.id.removeprefix("004-"): claim.holds for claim in claims}


def test_claims_of_the_curves_hold_where_all_is_as_the_paper_says() -> None:
    verdicts = _verdicts(delay_claims.judged(_as_the_paper(), ""))
    assert set(verdicts.values()) == {True}, [name for name, held in verdicts.items() if not held]
    assert len(verdicts) == 38


FAILING: Mapping[str, tuple[Callable[[], dict[tuple[str, str], Curve]], str]] = {
    "nothing differs": (_alike, "3a 3b 3c 3d 3e 3f 4c 4d 4e 4f 4g 4h 5e 5f 5g 5h 5i 5j 6a 6b 10a 10b 10c 13c 13d 13e"),
    "CLAMP is unfair and slow": (_unfair, "4a 4b 5a 5b 5c 5d 13a 13b"),
    "delays fall": (_falling, "12a 12b 12c 12d"),
}


@pytest.mark.parametrize("name", FAILING)
def test_claims_of_the_curves_fail_where_it_is_not(name: str) -> None:
    made, failing = FAILING[name]
    verdicts = _verdicts(delay_claims.judged(made(), ""))
    assert {each: verdicts[each] for each in failing.split()} == dict.fromkeys(failing.split(), False)


def test_every_claim_of_the_curves_fails_somewhere() -> None:
    failing = {each for _, names in FAILING.values() for each in names.split()}
    assert failing == set(_verdicts(delay_claims.judged(_as_the_paper(), "")))


def test_claims_of_the_low_rate_can_hold_and_fail() -> None:
    high = _as_the_paper()
    near = {key: replace(each, windows=_moved(each.windows, 0.5)) for key, each in high.items()}
    far = {key: replace(each, windows=_moved(each.windows, 1.6)) for key, each in _unfair().items()}
    assert set(_verdicts(low_rate.judged(near, high, "")).values()) == {True}
    failed = _verdicts(low_rate.judged(dict.fromkeys(PAIRS, far[CLAMP, FAST]), high, ""))
    assert {name for name, held in failed.items() if held is False} >= {"9c", "9d", "9f", "9g", "9h", "9i"}
    same = _verdicts(low_rate.judged(_alike(), high, ""))
    assert (same["9a"], same["9b"]) == (False, False)
    slower = {**near, (CLAMP, FAST): far[CLAMP, FAST]}
    assert _verdicts(low_rate.judged(slower, high, ""))["9e"] is False


def _moved(each: Sequence[Window], times: float) -> tuple[Window, ...]:
    return tuple(replace(window, delays_ms=times * window.delays_ms) for window in each)


def test_halves_that_differ_are_named() -> None:
    curves = _as_the_paper()
    own = curves[CLAMP, SLOW]
    late = replace(own.windows[1], rates_mbps=own.windows[1].rates_mbps * np.array([1.0, 1.2, 1.0, 1.0]))
    sheet = delay_sheets.halves({**curves, (CLAMP, SLOW): replace(own, windows=(own.windows[0], late))}, "")
    assert [row[2] for row in sheet.rows] == ["12", "0", "0", "0"]
    assert "rate of the 130 ms flow: +18.2 %" in sheet.rows[0][3]


# Windows and queues


def _outcome(
    clamped: float,
    empty: tuple[float, float, float],
    queue: float,
    deviation: float,
    lost: tuple[float, float] = (1.5, 1.0),
) -> windows.Outcome:
    """Of four seeds that hardly differ; `lost`: losses of control a minute, and their length, s."""
    wobble = (1 - 1e-3 * np.array([0.0, 0.5, 1.0, 0.2]))[:, None, None]
    return windows.Outcome(
        clamped=np.full((4, 2, 4), clamped) * wobble,
        losses_per_minute=np.full((4, 2, 4), lost[0]) * wobble,
        loss_s=np.full((4, 2, 4), lost[1]) * wobble,
        empty=np.array(empty) * np.ones((4, 2, 3)) * wobble,
        queue_bytes=np.full((4, 2, 3), queue) * wobble,
        deviation_bytes=np.full((4, 2, 3), deviation) * wobble**2,
    )


def _found(**changes: windows.Outcome) -> windows.Outcomes:
    """As the paper says, but for the cases that are given."""
    named = {
        "fast_50": ((CLAMP, FAST, 50), _outcome(0.98, (0.0, 0.02, 0.0), 9e3, 6e3, (1.0, 0.5))),
        "fast_180": ((CLAMP, FAST, 180), _outcome(0.8, (0.0, 0.0, 0.0), 3e4, 2e4, (2.0, 3.0))),
        "fast_350": ((CLAMP, FAST, 350), _outcome(0.5, (0.0, 0.0, 0.0), 6e4, 3e4)),
        "reno_50": ((NEW_RENO, FAST, 50), _outcome(0.0, (0.0, 0.2, 0.0), 5e3, 6e3)),
        "reno_180": ((NEW_RENO, FAST, 180), _outcome(0.0, (0.0, 0.01, 0.0), 2.5e4, 2e4)),
        "slow_50": ((CLAMP, SLOW, 50), _outcome(0.98, (0.002, 0.2, 0.05), 9e3, 9e3)),
        "slow_180": ((CLAMP, SLOW, 180), _outcome(0.9, (0.0, 0.002, 0.02), 3e4, 2e4)),
        "slow_250": ((CLAMP, SLOW, 250), _outcome(0.6, (0.0, 0.0, 0.001), 6e4, 3e4)),
    }
    outcomes = {case: changes.get(name, outcome) for name, (case, outcome) in named.items()}
    return windows.Outcomes(outcomes, {}, {case: np.full(4, float(case[2])) for case in outcomes})


def test_claims_of_windows_hold_where_all_is_as_the_paper_says() -> None:
    verdicts = _verdicts(window_claims.judged(_found(), ""))
    assert set(verdicts.values()) == {True}, [name for name, held in verdicts.items() if not held]
    assert len(verdicts) == 19


def test_claims_of_windows_fail_where_it_is_not() -> None:
    lost = _outcome(0.6, (0.05, 0.0, 0.05), 1e4, 1e3, (2.0, 4.0))
    calm = _outcome(0.95, (0.05, 0.05, 0.05), 1e4, 1e3)
    kept = _outcome(0.99, (0.05, 0.05, 0.05), 1e4, 1e3)
    verdicts = _verdicts(
        window_claims.judged(
            _found(
                fast_50=lost, fast_180=calm, fast_350=kept, reno_50=_outcome(0.0, (0.0, -1e-9, 0.0), 2e4, 6e3),
                slow_50=lost, slow_180=calm, slow_250=kept,
            ),
            "",
        )
    )  # fmt: skip
    assert {name for name, held in verdicts.items() if held is not False} == set()


def test_a_window_is_clamped_while_it_is_the_smaller_one() -> None:
    acks = Table({"flow": np.zeros(2), "time_s": np.array([0.0, 2.0]), "window_bytes": np.array([5.0, 9.0])})
    cwnd = Table({"flow": np.zeros(3), "time_s": np.array([0.0, 1.0, 3.0]), "cwnd_bytes": np.array([4.0, 8.0, 10.0])})
    assert windows.clamped(acks, cwnd, 0).values.tolist() == [0.0, 1.0, 0.0, 1.0]
    assert windows.clamped(acks, cwnd, 0).mean(0.0, 4.0) == 0.5


def test_losses_of_control_are_counted_with_the_one_that_lasts_from_before() -> None:
    held = Trajectory(np.array([0.0, 1.0, 2.0, 5.0, 7.0]), np.array([1.0, 0.0, 1.0, 0.0, 1.0]))
    assert windows.losses(held, 0.0, 8.0) == 2
    assert windows.losses(held, 1.5, 4.0) == 1
    assert windows.losses(held, 2.0, 4.0) == 0
    assert windows.loss_s(held, 0.0, 8.0) == pytest.approx((1 + 2) / 2)
    assert windows.loss_s(held, 2.0, 4.0) == 0.0


def test_a_users_queue_is_its_own_rows() -> None:
    queue = Table({"time_s": np.array([0.0, 1.0, 2.0]), "user": np.array([1, 0, 1]), "bytes": np.array([7, 8, 9])})
    assert windows.queue_of(queue, 1).values.tolist() == [7.0, 9.0]


# Short flows


def test_short_flows_are_those_of_the_paper() -> None:
    cell = short_flows.scenario(NEW_RENO, short_flows.SYMMETRIC)
    long, short = cell.flows
    assert (cell.users, cell.duration_s) == (1, 150.0)
    assert long.traffic.kind == "greedy"
    assert short.traffic.kind == "poisson"
    assert (short.traffic.arrivals_per_s, short.stop_s) == (0.26, 100.0)
    size = short.traffic.size
    assert size.kind == "triangular"
    assert [value / 1460 for value in (size.min_bytes, size.mode_bytes, size.max_bytes)] == [1, 2000.5, 4000]
    assert long.tcp == short.tcp
    assert long.path == short.path


def test_both_protocols_meet_the_same_short_flows() -> None:
    cells = {each: short_flows.scenario(each, short_flows.SMALL).with_(duration_s=12.0) for each in (CLAMP, NEW_RENO)}
    result = run(Plan(cells, (3,)))
    sizes = [result.flows(each, "file_bytes")[0] for each in cells]
    assert sizes[0].size > 1
    assert sizes[0] == pytest.approx(sizes[1], nan_ok=True)


def _course(deviation: float, step: float, queue: float, highest: float) -> short_flows.Outcome:
    wobble = 1 + 1e-3 * np.array([-1.0, 0.2, 0.8])
    values = (1.0, deviation, step, 5e4, queue, highest)
    rows = [*(value * wobble for value in values), np.zeros(1), np.zeros(1)]
    return short_flows.Outcome(*rows)


def test_claims_of_short_flows_can_hold_and_fail() -> None:
    alone = _course(1.0, 0.5, 1e4, 65e3)
    for clamp, expected in ((_course(0.8, 0.2, 1e4, 9e4), True), (_course(1.2, 0.7, 4e3, 6e4), False)):
        limited = replace(clamp, highest_bytes=clamp.highest_bytes * (0.7 if expected else 2.0))
        of = {CLAMP: clamp, NEW_RENO: alone, short_flows.RESTRICTED: limited}
        found = {(protocol, short_flows.SYMMETRIC): each for protocol, each in of.items()}
        assert set(_verdicts(short_flows.judged(found, "")).values()) == {expected}


def test_the_curves_of_a_quick_run_are_those_of_a_whole_one_with_fewer_points() -> None:
    for rate in delays.KNOBS_BYTES:
        for key, knobs in delays.knobs_bytes(rate, QUICK).items():
            assert set(knobs) <= set(delays.knobs_bytes(rate, Request())[key])
