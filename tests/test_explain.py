"""What held flows back: known answers, the second accounting beside the engine's, and that no time is lost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import airlink
from airlink import engine
from airlink.engine import RequestError
from airlink.explain import CAUSES, Cause, explain
from airlink.result import Result, Table
from airlink.scenario import Scenario
from explain_cases import CELL, FOUR_PACKETS, WIRE, cases, changed, within_reach
from explain_page import PAGE, page
from limit_oracle import SERIES, Piece, accounted, seconds
from strategies import scenarios

CASES = {case.name: case for case in cases()}
NAMES = {cause.code: cause.name for cause in CAUSES}


def recorded(scenario: Scenario, replicas: int = 1) -> Result:
    """A run with what both accountings read."""
    kinds = [kind for kind in (*SERIES, "limits", "waits") if kind in engine.recordable(scenario)]
    return airlink.run(scenario, replicas=replicas, record=kinds)


def summed(intervals: Table, begin_s: float) -> dict[str, int]:
    """Nanoseconds of each cause from begin_s on."""
    held = np.rint(1e9 * intervals["to_s"]) - np.rint(1e9 * np.maximum(intervals["from_s"], begin_s))
    return {name: int(np.maximum(held, 0)[intervals["cause"] == code].sum()) for code, name in NAMES.items()}


def cut_at(intervals: Table, end_s: float) -> Table:
    """Only what is before."""
    kept = intervals.where(intervals["from_s"] < end_s)
    return Table({**kept, "to_s": np.minimum(kept["to_s"], end_s)})


def nanoseconds(number: float) -> int:
    return round(float(number) * 1e9)


@cache
def result_of(name: str) -> Result:
    """The run of a case."""
    return recorded(CASES[name].scenario)


@cache
def second_accounting(name: str) -> list[Piece]:
    """What the second accounting says of it."""
    return accounted(result_of(name), CASES[name].flow)


@pytest.mark.parametrize("name", CASES)
def test_what_is_known_to_hold_a_flow_back_has_its_share(name: str) -> None:
    (flow,) = explain(result_of(name), flow=CASES[name].flow).flows
    for cause, (least, most) in CASES[name].shares.items():
        assert least <= flow.shares[cause] <= most, flow.shares


@pytest.mark.parametrize("name", CASES)
def test_the_second_accounting_agrees_moment_by_moment(name: str) -> None:
    (flow,) = explain(result_of(name), flow=CASES[name].flow).flows
    assert agreement(flow.intervals, second_accounting(name)) > 0.99


@pytest.mark.thorough
@pytest.mark.parametrize("name", CASES)
def test_the_second_accounting_knows_the_share_by_itself(name: str) -> None:
    held = seconds(second_accounting(name))
    whole = sum(held.values())
    for cause, (least, most) in CASES[name].shares.items():
        assert least <= held.get(cause, 0) / whole <= most, held


@pytest.mark.parametrize("name", [*CASES][::4])
def test_the_pieces_of_the_second_accounting_are_the_whole_time_without_gaps(name: str) -> None:
    pieces = second_accounting(name)
    assert pieces[0][0] == 0
    assert pieces[-1][1] == round(CASES[name].scenario.duration_s * 1e9)
    assert all(before[1] == after[0] and before[2] != after[2] for before, after in pairwise(pieces))


@pytest.mark.thorough
@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(scenario=within_reach())
def test_the_second_accounting_agrees_in_random_scenarios(scenario: Scenario) -> None:
    result = recorded(scenario)
    for flow in explain(result).flows:
        if flow.active_s > 1:
            assert agreement(flow.intervals, accounted(result, flow.flow)) > 0.9, (flow.flow, flow.seconds)


def agreement(engines: Table, second: list[tuple[int, int, str]]) -> float:
    """The share of the time for which both name the same cause."""
    begins, ends, causes = zip(*second, strict=True)
    edges = np.unique(np.concatenate([np.rint(1e9 * engines["from_s"]), np.rint(1e9 * engines["to_s"]), begins, ends]))
    middles = (edges[:-1] + edges[1:]) / 2
    ours = engines["cause"][np.searchsorted(1e9 * engines["from_s"], middles) - 1]
    theirs = np.array(causes)[np.searchsorted(begins, middles) - 1]
    same = np.array([NAMES[code] for code in ours]) == theirs
    return float(np.diff(edges)[same].sum() / np.diff(edges).sum())


def test_the_page_holds_what_is_measured() -> None:
    assert PAGE.read_text() == page(), "run `make docs`"


LOST_WINDOW = {"drop_numbers": [400, 401, 402, 403]}
ONE_TIMEOUT = {
    "cell": changed(
        CELL,
        flows__0__tcp__receiver_window_bytes=FOUR_PACKETS,
        flows__0__path__downlink_impairments=LOST_WINDOW,
    ),
    "wired bottleneck": changed(
        WIRE,
        flows__0__tcp__receiver_window_bytes=FOUR_PACKETS,
        bottleneck__impairments=LOST_WINDOW,
    ),
    "full pipe and an outage": changed(
        WIRE,
        flows__0__tcp__receiver_window_bytes=100_000,
        bottleneck__impairments={"outages": [{"at_s": 8.0, "for_s": 0.3}]},
    ),
    "least timeout of 200 ms": changed(
        CELL,
        flows__0__tcp__receiver_window_bytes=FOUR_PACKETS,
        flows__0__tcp__rto__min_ms=200.0,
        flows__0__path__downlink_impairments=LOST_WINDOW,
    ),
}


@pytest.mark.parametrize("where", ONE_TIMEOUT)
def test_the_silence_before_a_timeout_is_the_retransmission_timeout(where: str) -> None:
    result = recorded(ONE_TIMEOUT[where])
    (flow,) = explain(result).flows
    windows = result.series("cwnd")
    (struck,) = np.flatnonzero(windows["event"] == 3)
    silence = flow.intervals.where(flow.intervals["cause"] == 3)
    assert silence.rows == 1
    assert silence["to_s"][0] == pytest.approx(windows["time_s"][struck], abs=1e-9)
    assert flow.seconds["rto"] == pytest.approx(windows["rto_s"][struck - 1], rel=0.05)
    (moment,) = flow.moments("rto")
    assert (moment.from_s, moment.to_s) == (silence["from_s"][0], silence["to_s"][0])


@pytest.mark.parametrize("way", ["downlink", "uplink"])
def test_what_a_wire_holds_waits_for_the_wire(way: str) -> None:
    held = {"outages": [{"at_s": 5.0, "for_s": 0.5, "hold": True}]}
    fields = {f"flows__0__path__{way}_impairments": held, "flows__0__tcp__receiver_window_bytes": FOUR_PACKETS}
    (flow,) = explain(recorded(changed(CELL, **fields))).flows
    assert 0.45 < flow.seconds["wire"] <= 0.5
    moment = flow.moments("wire")[0]
    assert 5 <= moment.from_s < 5.05
    assert moment.to_s == 5.5


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(scenario=scenarios(), replicas=st.integers(1, 2))
def test_the_whole_time_is_accounted_for_to_the_nanosecond(scenario: Scenario, replicas: int) -> None:
    result = recorded(scenario, replicas)
    for replica in range(replicas):
        limits, waits = result.series("limits", replica), result.series("waits", replica)
        for flow in explain(result, replica=replica).flows:
            row = result.replicas[replica].flows
            whole = nanoseconds(flow.active_s)
            told = dict.fromkeys(NAMES.values(), 0)
            told |= {cause.name: nanoseconds(row[cause.column][flow.flow]) for cause in causes_of(scenario)}
            assert sum(told.values()) == whole
            one = limits.where(limits["flow"] == flow.flow)
            assert_without_gaps(one)
            if one.rows == 0:
                assert whole == 0
                continue
            assert nanoseconds(one["from_s"][0]) == nanoseconds(row["start_s"][flow.flow])
            begin = float(one["to_s"][-1]) - flow.active_s
            assert summed(one, begin) == told
            if flow.facts.without_tcp:
                one = waits.where(waits["flow"] == flow.flow)
                assert_without_gaps(one)
                told = summed(one, begin)
                assert sum(told.values()) == whole
            assert_the_same_but_for_shared_slots(flow.seconds, told)
            assert summed(flow.intervals, 0) == summed(one, begin)


def causes_of(scenario: Scenario) -> list[Cause]:
    """Only an uplink with grants lets flows wait for them."""
    return [cause for cause in CAUSES if cause.name != "grant" or scenario.uplink is not None]


def assert_the_same_but_for_shared_slots(seconds: Mapping[str, float], told: Mapping[str, int]) -> None:
    """Of a slot that users share some air is the scheduler's; no other cause differs, and none is lost."""
    moved = nanoseconds(seconds["scheduler"]) - told["scheduler"]
    assert moved >= 0
    for name, held in seconds.items():
        expected = told[name] + (moved if name == "scheduler" else -moved if name == "air" else 0)
        assert abs(nanoseconds(held) - expected) <= 1, name


def assert_without_gaps(limits: Table) -> None:
    assert np.array_equal(limits["to_s"][:-1], limits["from_s"][1:])
    assert (limits["to_s"] > limits["from_s"]).all()
    rows = zip(limits["cause"].tolist(), limits["direction"].tolist(), strict=True)
    assert all(before != after for before, after in pairwise(rows))


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(scenario=scenarios())
def test_recording_it_adds_columns_and_changes_none(scenario: Scenario) -> None:
    plain, watched = airlink.run(scenario), airlink.run(scenario, record=["limits"])
    added = {"active_s", *(cause.column for cause in causes_of(scenario))}
    assert set(watched.flows) - set(plain.flows) == added
    for table in ("users", "flows", "cell"):
        for name, values in plain.table(table).items():
            assert np.array_equal(values, watched.table(table)[name], equal_nan=True), name


def test_the_time_of_a_flow_ends_with_its_file_and_begins_with_the_measuring() -> None:
    file = {"kind": "file", "bytes": 500_000}
    (whole,) = explain(recorded(changed(CELL, flows__0__traffic=file, flows__0__start_s=1.0))).flows
    result = recorded(changed(CELL, flows__0__traffic=file, flows__0__start_s=1.0, warmup_s=1.1))
    (cut,) = explain(result).flows
    assert whole.facts.complete
    assert whole.active_s == pytest.approx(float(result.flows["completion_s"][0]), abs=1e-9)
    assert cut.active_s == pytest.approx(whole.active_s - 0.1, abs=1e-9)
    assert float(cut.intervals["from_s"][0]) == pytest.approx(1.1, abs=1e-9)
    assert float(whole.intervals["from_s"][0]) == 1.0


def test_a_flow_that_is_over_before_measuring_has_no_time() -> None:
    file = {"kind": "file", "bytes": 5000}
    found = explain(recorded(changed(CELL, flows__0__traffic=file, warmup_s=10.0)))
    (flow,) = found.flows
    assert flow.active_s == 0
    assert flow.largest is None
    assert math.isnan(flow.rate_bps)
    assert found.slowest is None
    assert "had no time" in flow.sentences[0]


def test_flows_of_one_user_are_told_apart() -> None:
    window = {"receiver_window_bytes": FOUR_PACKETS}
    scenario = changed(
        CELL, duration_s=10, flows=[{"traffic": {"kind": "backlogged"}, "start_s": 5.0}, {"tcp": window}]
    )
    result = recorded(scenario)
    backlogged, limited = explain(result, user=0).flows
    assert backlogged.shares["air"] == 1
    assert summed(cut_at(limited.intervals, 5.0), 0)["receiver_window"] > 0.95 * 5e9
    assert [flow.flow for flow in explain(result, flow=1).flows] == [1]


def test_a_result_without_the_series_is_simulated_again(tmp_path: object) -> None:
    scenario = changed(CELL, users=2, channel__fading={"kind": "rayleigh"}, duration_s=3)
    plain = airlink.run(scenario, seed=5, replicas=2)
    watched = airlink.run(scenario, seed=5, replicas=2, record=["limits"])
    for replica in (0, 1):
        found, known = explain(plain, replica=replica), explain(watched, replica=replica)
        assert found.seconds == known.seconds
        assert found.seed == known.seed == 5 + replica
        assert found.sentences == known.sentences


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"user": 3}, "user 3 does not exist; there are 3, from 0 to 2"),
        ({"user": -1}, "user -1 does not exist"),
        ({"flow": 2}, "flow 2 does not exist; there are 2, from 0 to 1"),
        ({"replica": 1}, "replica 1 does not exist; there is one, 0"),
        ({"user": 2}, "user 2 has no flow"),
        ({"user": 0, "flow": 1}, "flow 1 goes to user 1; user 0 has 0"),
    ],
)
def test_what_does_not_exist_is_not_explained(question: dict[str, Any], message: str) -> None:
    result = airlink.run(changed(CELL, duration_s=1, users=3, flows=[{"users": [0, 1]}]))
    with pytest.raises(RequestError, match=message):
        explain(result, **question)


def test_a_changed_result_is_not_simulated_again() -> None:
    result = airlink.run(changed(CELL, duration_s=1))
    stored = result.replicas[0]
    flows = Table({**stored.flows, "segments_sent": stored.flows["segments_sent"] + 1})
    other = Result(result.scenario, [replace(stored, flows=flows)], (), result.version)
    with pytest.raises(airlink.ResultError, match="segments_sent"):
        explain(other)
