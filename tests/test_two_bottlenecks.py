"""A queue upstream of a bottleneck: what it holds and drops, and CLAMP where the prices of both add up."""

from __future__ import annotations

import numpy as np
import pytest

import airlink
from airlink import Scenario
from airlink_studies.clamp.theory import clamp_two_queues
from test_clamp import FIG_2, PACKET, AccessPoint, Advertised, Client, departures, passages, seen_by_arrivals

TAU = 500.0
FLOW = """
[[flows]]
users = [{user}]
start_spread_s = 0.1
path = {{ downlink_delay_ms = {delay_ms}, uplink_delay_ms = {delay_ms}, upstream = {upstream} }}
tcp.congestion_control = "new_reno"
tcp.handshake = true
tcp.mss_bytes = 1500
tcp.header_bytes = 0
tcp.receiver_window_bytes = 8_000_000
tcp.initial_window_segments = 1
tcp.delayed_ack.every = 1
tcp.clamp.side = "{side}"
"""


def series_of_two(rates_bps: tuple[float, float], both: int, second: int, duration_s: float, side: str) -> Scenario:
    """Flows through both queues, then flows through the second alone; 30 ms of wire between the queues."""
    flows = [
        FLOW.format(user=user, delay_ms=10 if user < both else 25, upstream=str(user < both).lower(), side=side)
        for user in range(both + second)
    ]
    return Scenario.from_toml(
        f"""
duration_s = {duration_s}
warmup_s = {duration_s * 2 / 3}
users = {both + second}
[bottleneck]
rate_bps = {rates_bps[1]}
delay_ms = 0
price.kind = "clamp"
[upstream]
rate_bps = {rates_bps[0]}
delay_ms = 30
price.kind = "clamp"
{"".join(flows)}
"""
    )


@pytest.mark.parametrize("side", ["receiver", "sender"])
@pytest.mark.parametrize(
    ("rates_bps", "both", "second"),
    [((2e6, 10e6), 1, 2), ((3e6, 10e6), 2, 1), ((4e6, 10e6), 1, 0), ((8e6, 10e6), 1, 1)],
)
def test_two_queues_settle_where_their_prices_add_up(
    rates_bps: tuple[float, float], both: int, second: int, side: str
) -> None:
    """Queues 3 %, rates 2 %; a queue that its flows do not fill holds less than what is free."""
    scenario = series_of_two(rates_bps, both, second, 400.0, side)
    result = airlink.run(scenario, record=["queue"])
    expected = clamp_two_queues(rates_bps, both, second)
    first_bytes = result.cell["upstream_queue_mean_bytes"][0]
    second_bytes = seen_by_arrivals(result.series("queue"), scenario.warmup_s)
    for measured, settled in zip((first_bytes, second_bytes), expected.queues_bytes, strict=True):
        assert measured == pytest.approx(settled, rel=0.03) if settled else measured < 5500
    rates = [expected.both_bps] * both + [expected.second_bps] * second
    assert result.flows["goodput_bps"] == pytest.approx(rates, rel=0.02)


def test_each_window_follows_the_sum_of_both_prices() -> None:
    """A second implementation of both access points and of the clients, packet by packet."""
    result = airlink.run(series_of_two((2e6, 10e6), 1, 2, 60.0, "receiver"), record=["packets", "acks"])
    packets, acks = result.series("packets"), result.series("acks")
    assert not packets["retransmission"].any()
    shift = next(shift for shift in range(15) if 8_000_000 >> shift <= 65_535)
    sent_s, queued_s = packets["sent_s"].tolist(), packets["queued_s"].tolist()
    upstream = [
        (round(came_s + 0.01, 9), round(left_s - 0.03, 9), flow, size)
        for came_s, left_s, (_, _, flow, size) in zip(sent_s, queued_s, passages(packets), strict=True)
        if flow == 0
    ]
    first_prices = iter([price for _, _, price in departures(upstream, AccessPoint(FIG_2, 5500.0))])
    opened = packets.where(packets["bytes"] != PACKET)
    starts = zip(opened["flow"].tolist(), opened["ended_s"].tolist(), strict=True)
    ends = {flow: Advertised(Client(time_s), 1 << shift) for flow, time_s in starts}
    windows: dict[int, list[int]] = {flow: [] for flow in ends}
    for time_s, flow, price in departures(passages(packets), AccessPoint(FIG_2, 5500.0)):
        total = np.float32(price) + (np.float32(next(first_prices)) if flow == 0 else np.float32(0))
        windows[flow].append(ends[flow].packet(time_s, float(total)))
    for flow, expected in windows.items():
        told = acks["window_bytes"][(acks["flow"] == flow) & (acks["number"] > 0)]
        assert len(told) > 5000
        assert np.max(np.abs(told - np.array(expected[: len(told)]))) <= 1 << shift
        assert np.mean(told == expected[: len(told)]) > 0.999


def test_what_the_queue_upstream_has_no_room_for_is_counted_and_repaired() -> None:
    """New Reno alone through ten places: fate 1 without having reached the network; the bottleneck drops nothing."""
    scenario = (
        series_of_two((2e6, 10e6), 2, 1, 60.0, "receiver")
        .with_(**{"flows.*.tcp.clamp": None})
        .override(["upstream.limit_packets=10", "warmup_s=0", "flows.2.tcp.receiver_window_bytes=65535"])
    )
    result = airlink.run(scenario, record=["packets"])
    packets, flows = result.series("packets"), result.flows
    refused = (packets["fate"] == 1) & np.isnan(packets["queued_s"])
    for flow in range(3):
        assert flows["upstream_queue_full"][flow] == np.sum(refused[packets["flow"] == flow])
    assert np.sum(flows["upstream_queue_full"]) > 10
    assert flows["upstream_queue_full"][2] == 0
    assert np.sum(result.users["drops_queue_full"]) == 0
    assert np.sum(flows["goodput_bps"][:2]) == pytest.approx(2e6, rel=0.05)


def test_packets_of_one_nanosecond_enter_the_network_after_those_of_flows_that_come_straight() -> None:
    """12 us of sending and 1 ms of wire upstream; two flows of one packet each, the lower number upstream."""
    scenario = Scenario.from_toml(
        """
duration_s = 1
users = 2
[bottleneck]
rate_bps = 1e9
delay_ms = 0
[upstream]
rate_bps = 1e9
delay_ms = 1
[[flows]]
users = [0]
path = { downlink_delay_ms = 1, upstream = true }
tcp = { mss_bytes = 1500, header_bytes = 0, initial_window_segments = 1, delayed_ack.every = 1 }
traffic = { kind = "file", bytes = 1500 }
[[flows]]
users = [1]
path.downlink_delay_ms = 2.012
tcp = { mss_bytes = 1500, header_bytes = 0, initial_window_segments = 1, delayed_ack.every = 1 }
traffic = { kind = "file", bytes = 1500 }
"""
    )
    packets = airlink.run(scenario, record=["packets"]).series("packets")
    assert packets["queued_s"].tolist() == [0.002012, 0.002012]
    assert dict(zip(packets["flow"].tolist(), packets["ended_s"].tolist(), strict=True)) == {0: 0.002036, 1: 0.002024}
