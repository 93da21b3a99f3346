"""Active queue management with one greedy TCP flow at a constant rate, against theoretical bounds.

12 Mb/s carry a packet of 1500 bytes in each slot of 1 ms, and the round trip without a queue is 40 ms of wires and a
slot or two. Packet by packet the rules are held to their RFCs in crates/model/tests/queue_management.
"""

from __future__ import annotations

import functools

import numpy as np
import pytest

import airlink
from airlink import Scenario

SCENARIO = """
duration_s = 60
warmup_s = 10
users = 1
slot.duration_ms = 1
channel.placement = { kind = "mean_snr", mean_snr_db = 20 }
link.rate = { kind = "table", thresholds_db = [0], rates_bps = [12e6] }
scheduler.kind = "round_robin"
[[flows]]
path = { downlink_delay_ms = 20, uplink_delay_ms = 20 }
tcp.profile = "rfc"
tcp.congestion_control = "new_reno"
tcp.mss_bytes = 1460
tcp.header_bytes = 40
tcp.receiver_window_bytes = 4_000_000
"""
SLOT_MS = 1.0
ROUND_TRIP_MS = 40.0
RENO_WITHOUT_A_QUEUE = 0.75
"""Mean utilization of a link by a window that moves between half of the bandwidth-delay product and all of it."""


@functools.cache
def held(*settings: str) -> dict[str, float]:
    """Means over three seeds of the only user's columns; delays until the end of the slot on air."""
    users = airlink.run(Scenario.from_toml(SCENARIO).override(list(settings)), replicas=3).users
    return {name: float(np.mean(users[name])) for name in users}


def delay_ms(columns: dict[str, float], statistic: str) -> float:
    return columns[f"queueing_delay_{statistic}_s"] * 1e3


@pytest.fixture(scope="module")
def unmanaged() -> dict[str, float]:
    return held("queue.limit_packets=500")


def test_without_queue_management_the_queue_fills(unmanaged: dict[str, float]) -> None:
    assert delay_ms(unmanaged, "mean") > 200
    assert unmanaged["goodput_bps"] == pytest.approx(12e6 * 1460 / 1500, rel=0.01)


@pytest.mark.parametrize("rule", ["codel", "pie", "adaptive"])
def test_queue_management_costs_less_throughput_than_an_empty_buffer(unmanaged: dict[str, float], rule: str) -> None:
    share = held(f"queue.kind={rule}")["goodput_bps"] / unmanaged["goodput_bps"]
    assert RENO_WITHOUT_A_QUEUE < share <= 1.001


def test_codel_bounds_the_peak_by_the_growth_of_a_window_in_an_interval() -> None:
    """Each round trip adds a packet: in the interval above the target, and until the sender reacts to the drop."""
    target_ms, interval_ms = 5.0, 100.0
    grown = (interval_ms / (ROUND_TRIP_MS + target_ms) + 2) * SLOT_MS
    columns = held("queue.kind=codel")
    # The measured delay includes the slot on air and the wait for its start.
    assert target_ms + SLOT_MS < delay_ms(columns, "max") < target_ms + grown + 2 * SLOT_MS
    assert columns["drops_aqm"] > 10
    assert columns["drops_queue_full"] == 0


def test_pie_keeps_the_mean_delay_at_its_target() -> None:
    """The controller integrates the deviation, so its mean is 0, except where bounds limit the probability.

    One bound: nothing is dropped below half the target (RFC 8033 section 4.1), so the factor is 2.
    """
    columns = held("queue.kind=pie")
    assert 7.5 < delay_ms(columns, "mean") - SLOT_MS < 30
    twice = held("queue.kind=pie", "queue.pie.target_ms=30")
    assert 15 < delay_ms(twice, "mean") - SLOT_MS < 60
    assert delay_ms(twice, "mean") > delay_ms(columns, "mean") + 7.5
    assert columns["drops_aqm"] > 10


@pytest.mark.parametrize("target_ms", [20.0, 40.0, 100.0])
def test_an_adaptive_limit_is_the_rate_times_its_target(target_ms: float) -> None:
    """The last packet accepted waits at most the target, and at least the target minus its own service time."""
    columns = held("queue.kind=adaptive", f"queue.adaptive.target_ms={target_ms:g}")
    assert target_ms - SLOT_MS <= delay_ms(columns, "max") <= target_ms + SLOT_MS
    same = held(f"queue.limit_packets={target_ms / SLOT_MS:g}")
    assert columns["goodput_bps"] == pytest.approx(same["goodput_bps"], rel=0.02)
    assert "drops_aqm" not in columns


def test_an_adaptive_limit_follows_a_rate_that_falls() -> None:
    """A drop-tail queue for the good rate is ten times too long for a tenth of it."""
    slow = ("link.rate.rates_bps=[1.2e6]",)
    fixed, follows = held("queue.limit_packets=100", *slow), held("queue.kind=adaptive", *slow)
    assert delay_ms(fixed, "max") == pytest.approx(1000, abs=20)
    assert delay_ms(follows, "max") == pytest.approx(100, abs=20)
    assert follows["goodput_bps"] > RENO_WITHOUT_A_QUEUE * fixed["goodput_bps"]


def test_always_backlogged_users_lose_packets_and_offer_new_ones() -> None:
    scenario = Scenario.from_toml(SCENARIO).override(["duration_s=12", "flows.0.traffic.kind=backlogged"])
    for rule in ("codel", "pie", "adaptive"):
        users = airlink.run(scenario.override([f"queue.kind={rule}", "queue.pie.mean_packet_bytes=500"])).users
        assert float(users["goodput_bps"][0]) > 0.5 * 12e6, rule
