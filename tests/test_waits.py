"""Where packets over UDP were, second by second, against counts by hand; and which way requests and uploads waited."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import airlink
from airlink import Result, Scenario
from airlink.explain import FlowExplanation, explain
from airlink.explain.causes import BY_NAME
from airlink.explain.explanation import needed
from airlink.scenario import ready
from airlink.tables import UP

EACH_S, BYTES = 0.1, 1250
PACED = {"kind": "constant_rate", "rate_bps": 8 * BYTES / EACH_S, "packet_bytes": BYTES}
"""A packet each 100 ms."""


def wired(**flow: Any) -> Scenario:
    """10 ms on a bottleneck of 1 Mb/s, then 20 ms behind it; nothing before it."""
    path = {"downlink_delay_ms": 0, "uplink_delay_ms": 7, **flow.pop("path", {})}
    values: dict[str, Any] = {
        "users": 1,
        "duration_s": 10,
        "bottleneck": {"rate_bps": 1e6, "delay_ms": 20},
        "flows": [{"traffic": PACED, "path": path, **flow}],
    }
    return Scenario(**values)


def in_a_cell(**fields: Any) -> Scenario:
    """Slots of 5 ms that carry a packet each; packets come 1 ms after a slot's start."""
    return Scenario(
        users=1,
        duration_s=10,
        slot={"duration_ms": 5},
        channel={"placement": {"kind": "mean_snr", "mean_snr_db": 20}, "fading": {"kind": "none"}},
        link={"rate": {"kind": "capacity", "bandwidth_hz": 1e6}, **fields},
        flows=[{"traffic": PACED, "path": {"downlink_delay_ms": 1, "uplink_delay_ms": 0}}],
    )


def told(scenario: Scenario, record: tuple[str, ...] = ("limits", "waits")) -> FlowExplanation:
    (flow,) = explain(airlink.run(scenario, record=record), flow=0).flows
    return flow


def test_a_packet_on_a_wired_path_is_under_way_for_what_the_wires_say() -> None:
    flow = told(wired())
    assert flow.active_s == 10
    assert flow.seconds["wire"] == pytest.approx(100 * 0.030, abs=1e-6)
    assert flow.seconds["application"] == pytest.approx(7.0, abs=1e-6)
    assert "Packets of it were under way for 3.0 of 10.0 s (30 % of its time)" in flow.sentences[1]


def test_a_packet_in_a_cell_waits_for_its_slot_and_is_on_air_for_it() -> None:
    flow = told(in_a_cell())
    # 1 ms on the wire, 4 ms until the next slot, 5 ms in it: of each 100 ms.
    assert {name: round(seconds, 6) for name, seconds in flow.seconds.items() if seconds > 0} == {
        "application": 9.0,
        "wire": 0.1,
        "scheduler": 0.4,
        "air": 0.5,
    }
    assert flow.sentences[1].endswith(
        "(10 % of its time): they were on air for 5 %, waited at the base station for their turn for 4 %, were on the "
        "path's wires or in their queues for 1 %."
    )


def test_a_packet_that_is_lost_is_under_way_no_more() -> None:
    """Every second packet is lost on the wire before the cell, 1 ms after it left: it never waits for a slot."""
    scenario = in_a_cell()
    lost = {"drop_numbers": list(range(0, 100, 2))}
    path = {"downlink_delay_ms": 1, "uplink_delay_ms": 0, "downlink_impairments": lost}
    flow = told(scenario.with_(flows=[{"traffic": PACED, "path": path}]))
    assert flow.seconds["scheduler"] == pytest.approx(0.2, abs=1e-6)
    assert flow.seconds["air"] == pytest.approx(0.25, abs=1e-6)
    assert flow.seconds["wire"] <= 0.1 + 1e-6
    assert sum(flow.seconds.values()) == pytest.approx(flow.active_s)


def test_a_repetition_is_told_apart_from_the_air() -> None:
    repeats = told(in_a_cell(errors={"probability": 0.3}, arq={"max_retransmissions": 5, "feedback_delay_slots": 2}))
    assert repeats.seconds["arq"] > 0.1
    assert repeats.seconds["air"] < 0.5
    assert "waited for the link to repeat what was lost on air" in repeats.sentences[1]


def test_what_goes_up_waits_for_grants() -> None:
    uplink = {"request_period_ms": 20, "grant_delay_ms": 5, "transmit_delay_ms": 1}
    up = {"traffic": PACED, "direction": "up", "path": {"uplink_delay_ms": 7}}
    result = airlink.run(in_a_cell().with_(uplink=uplink, flows=[up]), record=("waits", "limits"))
    (flow,) = explain(result).flows
    # The next opportunity is less than 20 ms away, then 6 ms until it has left.
    assert 100 * 0.006 <= flow.seconds["grant"] <= 100 * 0.026
    assert flow.seconds["wire"] == pytest.approx(100 * 0.007, abs=1e-6)
    assert set(result.series("waits")["direction"]) == {UP}
    assert "waited at the user for a grant of the uplink" in flow.sentences[1]


@pytest.mark.parametrize("seed", range(3))
def test_intervals_have_no_gaps_and_end_where_those_of_limits_do(seed: int) -> None:
    """Losses, copies and hops, both ways; as many seconds as the flow was there, whatever happened to its packets."""
    impaired = {"loss": {"kind": "random", "p": 0.1}, "duplicate_probability": 0.1}
    hops = [{"name": "core", "rate_bps": 3e5, "limit_packets": 3, "impairments": impaired}]
    poisson = {**PACED, "rate_bps": 3e5, "spacing": "exponential"}
    down = {"traffic": poisson, "path": {"hops": ["core"], "downlink_impairments": impaired}, "stop_s": 7}
    up = {"traffic": poisson, "direction": "up", "path": {"uplink_hops": ["core"], "uplink_impairments": impaired}}
    scenario = in_a_cell(errors={"probability": 0.2}).with_(hops=hops, flows=[down, up], warmup_s=1)
    result = airlink.run(scenario, seed=seed, record=("limits", "waits"))
    limits, waits = result.series("limits"), result.series("waits")
    for flow in (0, 1):
        own, whole = waits.where(waits["flow"] == flow), limits.where(limits["flow"] == flow)
        assert np.array_equal(own["from_s"][1:], own["to_s"][:-1])
        assert (own["from_s"][0], own["to_s"][-1]) == (whole["from_s"][0], whole["to_s"][-1])
        assert set(whole["cause"]) == {BY_NAME["application"].code}, "nothing holds it back"
        assert np.any(own["cause"] == BY_NAME["application"].code), "at times nothing is under way"
    for each in explain(result).flows:
        assert sum(each.seconds.values()) == pytest.approx(each.active_s)


def test_series_that_are_not_recorded_are_simulated_again_and_say_the_same() -> None:
    assert told(in_a_cell(), record=()).seconds == told(in_a_cell()).seconds
    assert needed(in_a_cell()) == ["limits", "waits"]
    assert needed(ready("dumbbell")) == ["limits"]


def test_waits_alone_add_no_columns_of_limits() -> None:
    alone = airlink.run(wired(), record=("waits",))
    assert "time_application_s" not in alone.flows
    both = airlink.run(wired(), record=("waits", "limits"))
    assert np.array_equal(alone.series("waits")["to_s"], both.series("waits")["to_s"])


ASKS = (
    "traffic = {kind = 'requests', request_bytes = 40_000, size = {kind = 'constant', bytes = 60_000}, think_s = 0.2}"
)


def asked(uplink_bps: float) -> Result:
    flow = f"[{{{ASKS}, path = {{uplink_rate_bps = {uplink_bps}}}, tcp = {{profile = 'linux'}}}}]"
    wire = "bottleneck={rate_bps = 1e7, delay_ms = 10}"
    return airlink.run(ready("dumbbell", ["duration_s=20", "users=2", wire, f"flows={flow}"]), record=("limits",))


def test_requests_on_a_slow_uplink_are_what_is_waited_for() -> None:
    slow, fast = (explain(asked(bps), flow=0).flows[0] for bps in (1e6, 1e8))
    # 40 kB with their headers take 0.33 s at 1 Mb/s; of each exchange that is most.
    assert 0.6 < sum(slow.of_requests.values()) / slow.waited_s < 0.9
    assert sum(fast.of_requests.values()) / fast.waited_s < 0.5
    (told_so,) = [sentence for sentence in slow.sentences if sentence.startswith("Of this time requests")]
    assert "requests on their way up took" in told_so
    assert "answers on their way down" in told_so
    assert "path.uplink_rate_bps is 1000000" in " ".join(slow.sentences)
    assert "bottleneck.rate_bps" not in " ".join(slow.sentences)


def test_directions_follow_the_dialogue() -> None:
    """Up from the request to its end at the server, down from there on until the next one."""
    limits = asked(1e6).series("limits")
    own = limits.where(limits["flow"] == 0)
    assert np.all(own["direction"][own["cause"] == BY_NAME["application"].code] == 0), "who thinks has an answer"
    borders = np.flatnonzero(np.diff(own["direction"])) + 1
    begins, ends = np.concatenate([[0], borders]), np.concatenate([borders, [own.rows]])
    lasted = own["to_s"][ends - 1] - own["from_s"][begins]
    # All but the last one, which the run's end may cut.
    of_requests = lasted[own["direction"][begins] == UP][:-1]
    assert of_requests.size > 20
    assert np.all(of_requests > 8 * 40_000 / 1e6), "40 kB at 1 Mb/s"


def test_a_request_that_is_lost_is_told_as_lossy() -> None:
    """What the user's sender met counts as much as what the server's did."""
    traffic = "{kind = 'requests', request_bytes = 30_000, think_s = 0.1, size = {kind = 'constant', bytes = 3000}}"
    lossy = "{uplink_impairments = {loss = {kind = 'random', p = 0.15}}}"
    wire = "bottleneck={rate_bps = 10e6}"
    flows = f"flows=[{{traffic = {traffic}, path = {lossy}}}]"
    result = airlink.run(ready("dumbbell", ["duration_s=20", "users=1", wire, flows]), record=("limits",))
    (found,) = explain(result).flows
    counts = [int(result.flows[name][0]) for name in ("segments_sent_up", "retransmissions_up", "timeouts_up")]
    assert counts[2] > 3
    # Each timeout comes at least RTO's least, 1 s by default, after what was sent last.
    assert found.seconds["rto"] > 0.5 * counts[2]
    assert found.largest is BY_NAME["rto"]
    said = " ".join(found.sentences)
    assert "Nothing was lost" not in said
    assert f"and {counts[1]} of {counts[0]} of requests were retransmitted, {counts[2]} timeouts" in said


def test_a_connection_that_was_never_opened_is_not_the_slowest() -> None:
    pages = (
        "{kind = 'pages', connections = 6, main_size = {kind = 'constant', bytes = 5000}, think_s = 1.0,"
        " object_size = {kind = 'constant', bytes = 5000}, objects = {kind = 'constant', objects = 2}}"
    )
    wire = "bottleneck={rate_bps = 10e6, delay_ms = 5}"
    flows = f"flows=[{{traffic = {pages}}}]"
    result = airlink.run(ready("dumbbell", ["duration_s=10", "users=1", wire, flows]), record=("limits",))
    found = explain(result)
    unused = [flow for flow in found.flows if result.flows["segments_sent_up"][flow.flow] == 0]
    assert len(unused) == 4
    assert all(flow.waited_s == 0 and flow.largest is None for flow in unused)
    assert found.slowest is not None
    assert found.slowest.flow not in [flow.flow for flow in unused]


def test_an_upload_is_called_one_and_all_of_its_time_is_up() -> None:
    flow = "[{direction = 'up', path = {uplink_rate_bps = 1e6}, tcp = {ack_bytes = 52}}]"
    wire = "bottleneck={rate_bps = 1e7}"
    result = airlink.run(ready("dumbbell", ["duration_s=10", "users=1", wire, f"flows={flow}"]), record=("limits",))
    (found,) = explain(result).flows
    assert sum(found.of_requests.values()) == pytest.approx(found.active_s)
    assert found.sentences[0].startswith("Flow 0 (user 0, upload) was held back by the wired path")
    assert "path.uplink_rate_bps is 1000000" in " ".join(found.sentences)
