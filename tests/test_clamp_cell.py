"""CLAMP's queue over the air, in slots and in fading: the queue that the price controls.

The price counts bytes that were never on air. They are found again from the series: those of packets that came, less
those of slots that began before.
"""

from __future__ import annotations

import numpy as np
import pytest

import airlink
from airlink import Scenario
from airlink.result import Result

TAU = 500.0
FREE_BYTES = 12_000.0
PACKET = 1500


def cell(flows: list[tuple[int, float]], slot_ms: float, duration_s: float, changes: list[str]) -> Scenario:
    """A flow for each user and round trip, ms, in a cell of 9.7 Mb/s, with a priced queue and CLAMP clients."""
    groups = [
        f"""
[[flows]]
users = [{user}]
start_spread_s = 0.1
path = {{ downlink_delay_ms = {delay_ms / 2}, uplink_delay_ms = {delay_ms / 2} }}
tcp.congestion_control = "new_reno"
tcp.receiver_window_bytes = 4_000_000
tcp.initial_window_segments = 1
tcp.delayed_ack.every = 1
tcp.mss_bytes = {PACKET - 40}
tcp.clamp = {{ side = "receiver", tau_bytes = {TAU}, slow_start_threshold_bytes = 20_000 }}
"""
        for user, delay_ms in flows
    ]
    return Scenario.from_toml(
        f"""
duration_s = {duration_s}
warmup_s = {duration_s / 3}
users = {1 + max(user for user, _ in flows)}
slot.duration_ms = {slot_ms}
channel.placement = {{ kind = "mean_snr", mean_snr_db = 20 }}
channel.fading = {{ kind = "none" }}
link.rate = {{ kind = "capacity", bandwidth_hz = 4.3e6, max_rate_bps = 10e6 }}
queue.price = {{ kind = "clamp", free_a_bytes = {FREE_BYTES} }}
scheduler = {{ kind = "round_robin", skip_unservable = false }}
{"".join(groups)}
"""
    ).override(changes)


def sampled_bytes(result: Result, user: int, since_s: float) -> float:
    """The mean of (13) at each arrival: bytes never on air, weighted by the time since the arrival before."""
    packets, slots = result.series("packets"), result.series("slots")
    own = packets.where((packets["user"] == user) & np.isfinite(packets["queued_s"]))
    order = np.argsort(own["queued_s"], kind="stable")
    came_s, came = own["queued_s"][order], np.cumsum(own["bytes"][order].astype(float))
    served = slots.where(slots["user"] == user)
    sent = np.concatenate([[0.0], np.cumsum(served["sent_bytes"].astype(float))])
    # An arrival at the start of a slot is queued before the slot is filled.
    unsent = came - sent[np.searchsorted(served["time_s"], came_s - 1e-9)]
    late = came_s > since_s
    return float(np.average(unsent[late], weights=np.diff(came_s, prepend=0.0)[late]))


@pytest.mark.parametrize("slot_ms", [0.5, 3, 10])
@pytest.mark.parametrize("flows", [[(0, 50.0)], [(0, 50.0)] * 3, [(0, 30.0), (1, 130.0), (2, 60.0)]], ids=str)
def test_the_sampled_queue_does_not_depend_on_the_slot_length(flows: list[tuple[int, float]], slot_ms: float) -> None:
    """Eq. (11) at a constant rate, 1 %: a queue that leaves slot by slot, alone or every third slot."""
    result = airlink.run(cell(flows, slot_ms, 180.0, []), record=["packets", "slots"])
    users = {user for user, _ in flows}
    expected = FREE_BYTES + TAU * len(flows) / len(users)
    for user in users:
        assert sampled_bytes(result, user, 60.0) == pytest.approx(expected, rel=0.01), f"user {user}"


@pytest.mark.parametrize("scope", ["user", "cell"])
def test_every_packet_that_is_delivered_has_a_row_of_its_price(scope: str) -> None:
    """Departure time and user; the price follows (13) from its row; the mean is q* of (11), 1 %."""
    changes = [f"queue.scope={scope}", "scheduler.kind=fifo", "queue.price.gain_b=0.4"]
    result = airlink.run(cell([(0, 50.0), (1, 50.0)], 3, 180.0, changes), record=["packets", "prices"])
    packets, prices = result.series("packets"), result.series("prices")
    left = packets.where(np.isfinite(packets["ended_s"]) & (packets["fate"] == 0))
    order = np.lexsort((left["flow"], left["ended_s"]))
    own = np.lexsort((prices["flow"], prices["time_s"]))
    for name, of in (("time_s", "ended_s"), ("user", "user"), ("flow", "flow")):
        np.testing.assert_array_equal(prices[name][own], left[of][order])
    known = prices.where(np.isfinite(prices["service_bps"]))
    charged = np.maximum(0.4 * known["mean_bytes"] - known["free_bytes"], 0.0) * 8 / known["service_bps"]
    np.testing.assert_allclose(known["price_s_per_byte"], charged, rtol=1e-6)
    assert set(prices["free_bytes"]) == {FREE_BYTES}
    flows = 2 if scope == "cell" else 1  # in a queue
    for user in (0, 1):
        late = known.where((known["time_s"] > 60.0) & (known["user"] == user))
        mean = np.average(late["mean_bytes"], weights=np.diff(late["time_s"], prepend=60.0))
        assert mean == pytest.approx((FREE_BYTES + flows * TAU) / 0.4, rel=0.01)


@pytest.mark.parametrize("count", [1, 3])
def test_a_part_of_a_per_flow_keeps_the_queue_constant_in_a_cell(count: int) -> None:
    """q* = (k (tau - per_flow) + a) / b, 1 %: one queue for one flow and for three."""
    result = airlink.run(
        cell([(0, 50.0)] * count, 3, 180.0, [f"queue.price.per_flow_bytes={TAU}"]), record=["packets", "slots"]
    )
    assert sampled_bytes(result, 0, 60.0) == pytest.approx(FREE_BYTES, rel=0.01)


def test_fading_makes_the_sampled_queue_shorter_than_eq_11() -> None:
    """A mean above a has a price, a mean below a has none; so slower fading makes the queue shorter."""
    flows = [(0, 30.0), (1, 130.0), (2, 60.0)]
    means = []
    for doppler_hz in (60.0, 6.0, 0.6):
        changes = [
            f'channel.fading={{ kind = "rayleigh", terms = 16, doppler_hz = {doppler_hz} }}',
            "channel.placement.mean_snr_db=6",
            "scheduler.kind=proportional_fair",
            "scheduler.initial_average_bps=16000",
        ]
        result = airlink.run(cell(flows, 3, 300.0, changes), record=["packets", "slots"])
        means.append([sampled_bytes(result, user, 100.0) for user, _ in flows])
    fast, middle, slow = np.array(means) / (FREE_BYTES + TAU)
    for slower, faster in ((slow, middle), (middle, fast), (fast, 1.0)):
        assert np.all(slower < faster)
    assert min(fast) > 0.9
    assert max(slow) < 0.85
