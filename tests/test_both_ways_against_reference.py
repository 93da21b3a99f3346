"""The engine against the plain reference where data flows both ways: every packet and every ACK is the same.

`tests/reference/wired.py` shares no code with the engine; `tests/validation/ns2` holds it against ns-2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

import airlink
from airlink import Scenario
from airlink.tables import DOWN, UP
from reference.clock import SECOND
from reference.end import Segment
from reference.wired import WiredRun

REQUESTS = """
duration_s = 12
users = 2
bottleneck = { rate_bps = 4e6, delay_ms = 11, limit_packets = 12 }
[[flows]]
traffic = { kind = "requests", request_bytes = 3500, size = { kind = "constant", bytes = 60_000 }, think_s = 0.05 }
start_spread_s = 0.3
path = { downlink_delay_ms = 3, uplink_delay_ms = 9, downlink_rate_bps = 1e8, uplink_rate_bps = 2e6 }
[flows.tcp]
mss_bytes = 1000
handshake = true
initial_window_segments = 2
delayed_ack = { every = 2, timer_ms = 100 }
rules.timeout_raises_threshold = true
"""
CHANGES: dict[str, dict[str, Any]] = {
    "requests that share a full queue": {},
    "NewReno, an ACK for each segment, open from the start": {
        "flows.0.tcp.congestion_control": "new_reno",
        "flows.0.tcp.delayed_ack": {"every": 1},
        "flows.0.tcp.handshake": False,
    },
    "requests that are longer than their answers": {
        "users": 1,
        "flows.0.traffic.request_bytes": 120_001,
        "flows.0.traffic.size.bytes": 5_003,
    },
    "marks instead of drops, both ways": {
        "bottleneck.limit_packets": 100,
        "bottleneck.mark_above_packets": 6,
        "flows.0.tcp.ecn": "rfc3168",
        "flows.0.traffic.size.bytes": 300_000,
    },
    "downloads whose packets are marked": {
        "bottleneck.limit_packets": 100,
        "bottleneck.mark_above_packets": 8,
        "flows.0.traffic": {"kind": "greedy"},
        "flows.0.tcp.ecn": "rfc3168",
        "flows.0.tcp.delayed_ack": {"every": 1},
        "flows.0.tcp.handshake": False,
    },
    "marks and drops": {
        "bottleneck.limit_packets": 12,
        "bottleneck.mark_above_packets": 10,
        "flows.0.traffic": {"kind": "greedy"},
        "flows.0.tcp.ecn": "rfc3168",
        "flows.0.tcp.handshake": False,
    },
    "one segment each way": {
        "flows.0.traffic.request_bytes": 1,
        "flows.0.traffic.size.bytes": 1,
        "flows.0.traffic.think_s": 0.0,
    },
}
DATAGRAMS = """
duration_s = 20
users = 2
bottleneck = { rate_bps = 4e6, delay_ms = 11, limit_packets = 12 }
[[flows]]
traffic = { kind = "greedy" }
start_spread_s = 0.3
[flows.tcp]
mss_bytes = 1000
initial_window_segments = 2
delayed_ack = { every = 2, timer_ms = 100 }
rules.timeout_raises_threshold = true
[[flows]]
traffic = { kind = "constant_rate", rate_bps = 777_777.7, packet_bytes = 613 }
path = { downlink_delay_ms = 3, downlink_rate_bps = 3e6 }
start_spread_s = 0.3
[[flows]]
traffic = { kind = "constant_rate", rate_bps = 123_456.7, packet_bytes = 201 }
path = { uplink_delay_ms = 7, uplink_rate_bps = 2e5 }
start_spread_s = 0.3
direction = "up"
"""
"""TCP and packets without it at one full queue, and packets upwards."""


@dataclass(frozen=True)
class Both:
    """The same scenario by the reference and by the engine."""

    run: WiredRun
    result: airlink.Result

    def of_flow(self, series: str, flow: int) -> dict[str, np.ndarray[Any, Any]]:
        table = {name: np.asarray(column) for name, column in dict(self.result.series(series)).items()}
        return {name: column[table["flow"] == flow] for name, column in table.items()}


def scenarios() -> dict[str, Scenario]:
    plain = Scenario.from_toml(REQUESTS).with_(**{"flows.0.traffic.think": "constant"})
    return {name: plain.with_(**changes) for name, changes in CHANGES.items()}


@cache
def both(name: str) -> Both:
    result = airlink.run(scenarios()[name], record=["packets", "acks", "downloads"])
    starts = [round(float(start) * SECOND) for start in result.flows["start_s"]]
    return Both(WiredRun(scenarios()[name], starts).run(), result)


@cache
def beside_datagrams() -> Both:
    scenario = Scenario.from_toml(DATAGRAMS)
    result = airlink.run(scenario, record=["packets", "bursts"])
    starts = [round(float(start) * SECOND) for start in result.flows["start_s"]]
    return Both(WiredRun(scenario, starts).run(), result)


def same(ours: list[float], engine: np.ndarray[Any, Any]) -> None:
    assert len(ours) == len(engine)
    np.testing.assert_allclose(np.array(ours, dtype=float), engine.astype(float), rtol=1e-15, atol=0)


def seconds(moments: list[int | None]) -> list[float]:
    return [np.nan if moment is None else moment / SECOND for moment in moments]


def of_direction(table: dict[str, np.ndarray[Any, Any]], direction: int) -> dict[str, np.ndarray[Any, Any]]:
    return {name: column[table["direction"] == direction] for name, column in table.items()}


@pytest.mark.parametrize("direction", [DOWN, UP])
@pytest.mark.parametrize("name", CHANGES)
def test_every_packet_leaves_and_ends_alike(name: str, direction: int) -> None:
    """All that go down; of those that go up the ones with data, which alone have rows."""
    two = both(name)
    for flow in two.run.flows:
        packets = of_direction(two.of_flow("packets", flow.number), direction)
        order = np.argsort(packets["transmission"], kind="stable")
        ours: list[Segment] = [
            segment
            for segment in flow.segments
            if segment.down == (direction == DOWN) and (segment.down or segment.payload > 0)
        ]
        same([segment.sequence for segment in ours], packets["sequence"][order])
        same([segment.size for segment in ours], packets["bytes"][order])
        same([segment.again for segment in ours], packets["retransmission"][order])
        same(seconds([segment.sent for segment in ours]), packets["sent_s"][order])
        same(seconds([segment.ended for segment in ours]), packets["ended_s"][order])
        assert [segment.lost for segment in ours] == (packets["fate"][order] == 1).tolist()


@pytest.mark.parametrize("direction", [DOWN, UP])
@pytest.mark.parametrize("name", CHANGES)
def test_every_ack_comes_alike(name: str, direction: int) -> None:
    two = both(name)
    for flow in two.run.flows:
        acks = of_direction(two.of_flow("acks", flow.number), direction)
        come = [segment for segment in flow.segments if segment.down == (direction == DOWN)]
        come = [segment for segment in come if segment.ended is not None and not segment.lost]
        come = [segment for segment in come if segment.number is not None]
        same(seconds([segment.ended for segment in come]), acks["time_s"])
        same([segment.number or 0 for segment in come], acks["number"])


@pytest.mark.parametrize("name", CHANGES)
def test_answers_are_there_alike_and_flows_count_alike(name: str) -> None:
    two = both(name)
    for flow in two.run.flows:
        downloads = two.of_flow("downloads", flow.number)
        same(seconds(list(flow.asked)), downloads["requested_s"])
        done = [*flow.answered, *[None] * (len(flow.asked) - len(flow.answered))]
        same(seconds(done), downloads["completed_s"])
        row = {column: np.asarray(values)[flow.number] for column, values in dict(two.result.flows).items()}
        down, up = flow.server.sender.counts, flow.user.sender.counts
        assert row["retransmissions"] == down["retransmissions"]
        assert row["timeouts"] == down["timeouts"]
        assert row["goodput_bytes"] == flow.user.receiver.expected
        if flow.group.traffic.kind == "requests":
            assert row["goodput_up_bytes"] == flow.server.receiver.expected
            assert row["retransmissions_up"] == up["retransmissions"]
            assert row["timeouts_up"] == up["timeouts"]
            assert row["packets_sent_up"] == sum(not segment.down for segment in flow.segments)
        if flow.group.tcp.ecn == "rfc3168":
            assert row["ecn_reductions"] == flow.server.sender.reductions + flow.user.sender.reductions
            assert row["ce_set"] == sum(segment.ce and not segment.lost for segment in flow.segments if segment.down)


def test_the_runs_meet_losses_and_data_both_ways() -> None:
    runs = [both(name).run for name in CHANGES]
    segments = [segment for run in runs for flow in run.flows for segment in flow.segments]
    assert sum(segment.lost for segment in segments) > 100
    assert sum(segment.payload > 0 and not segment.down for segment in segments) > 1000
    assert sum(flow.server.sender.counts["timeouts"] for run in runs for flow in run.flows) > 5
    assert sum(flow.server.sender.reductions for run in runs for flow in run.flows) > 100


def test_packets_without_tcp_leave_wait_and_are_lost_alike_beside_tcp() -> None:
    two = beside_datagrams()
    down = [flow for flow in two.run.flows if flow.group.direction == "down"]
    assert len(down) == 4
    for flow in down:
        packets = two.of_flow("packets", flow.number)
        same([segment.size for segment in flow.segments if segment.down], packets["bytes"])
        same(seconds([segment.sent for segment in flow.segments if segment.down]), packets["sent_s"])
        same(seconds([segment.ended for segment in flow.segments if segment.down]), packets["ended_s"])
        lost = [segment.lost for segment in flow.segments if segment.down]
        assert lost == (packets["fate"] == 1).tolist()
        assert any(lost)


def test_packets_without_tcp_go_up_alike_and_all_are_counted_alike() -> None:
    two = beside_datagrams()
    without_tcp = [flow for flow in two.run.flows if flow.group.traffic.kind == "constant_rate"]
    for flow in without_tcp:
        bursts = two.of_flow("bursts", flow.number)
        arrived = [None if segment.lost else segment.ended for segment in flow.segments]
        same(seconds([segment.sent for segment in flow.segments]), bursts["time_s"])
        same(seconds(arrived), bursts["ended_s"])
        row = {column: np.asarray(values)[flow.number] for column, values in dict(two.result.flows).items()}
        assert row["datagrams_sent"] == len(flow.segments)
        assert row["datagrams_received"] == sum(moment is not None for moment in arrived)
        assert row["datagrams_lost"] == sum(segment.lost for segment in flow.segments)
    assert sum(flow.group.direction == "up" for flow in without_tcp) == 2
