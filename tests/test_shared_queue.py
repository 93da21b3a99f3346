"""One queue for all users of a cell: one price holds all that waits, and everybody has the same share of it."""

from __future__ import annotations

import numpy as np
import pytest

import airlink
from airlink import Scenario

TAU, FREE, RATE_BPS = 500, 5500, 9.6e6


def cell(users: int, scope: str, delays_ms: list[float]) -> Scenario:
    """Equal links on which a packet takes exactly five slots of 0.25 ms."""
    flows = [
        f"""
[[flows]]
users = [{user}]
start_spread_s = 0.1
path = {{ downlink_delay_ms = {delay_ms / 2}, uplink_delay_ms = {delay_ms / 2} }}
tcp.congestion_control = "new_reno"
tcp.handshake = true
tcp.receiver_window_bytes = 8_000_000
tcp.initial_window_segments = 1
tcp.delayed_ack.every = 1
tcp.clamp.side = "receiver"
"""
        for user, delay_ms in enumerate(delays_ms)
    ]
    return Scenario.from_toml(
        f"""
duration_s = 60
warmup_s = 30
users = {users}
slot.duration_ms = 0.25
channel.placement = {{ kind = "mean_snr", mean_snr_db = 20 }}
link.rate = {{ kind = "table", thresholds_db = [0], rates_bps = [{RATE_BPS}] }}
queue = {{ scope = "{scope}", price = {{ kind = "clamp", free_a_bytes = {FREE} }} }}
scheduler.kind = "fifo"
{"".join(flows)}
"""
    )


def waiting_bytes(result: airlink.Result, users: int) -> float:
    """Mean over time, of the measured half, of all that is at the base station."""
    changes = []
    for user in range(users):
        queue = result.series("queue").where(result.series("queue")["user"] == user)
        steps = np.diff(np.asarray(queue["bytes"], dtype=float), prepend=0.0)
        changes += list(zip(np.asarray(queue["time_s"]).tolist(), steps.tolist(), strict=True))
    changes.sort()
    times, steps = np.array([time for time, _ in changes]), np.cumsum([step for _, step in changes])
    spans = np.diff(np.append(times, 60.0)) * (times >= 30)
    return float(np.sum(steps * spans) / np.sum(spans))


@pytest.mark.parametrize("users", [1, 3])
def test_one_price_holds_what_all_users_have_waiting_at_tau_times_their_number_and_a(users: int) -> None:
    delays_ms = [50.0, 30.0, 80.0][:users]
    result = airlink.run(cell(users, "cell", delays_ms), record=["queue"])
    # The access point sees what was never on air with the packet that comes; a mean over time has half a packet on air,
    # say, and misses the one that comes: between them a packet.
    assert waiting_bytes(result, users) == pytest.approx(users * TAU + FREE, abs=1500)
    rates = np.asarray(result.flows["goodput_bps"])
    np.testing.assert_allclose(rates, rates.mean(), rtol=0.03)
    assert rates.sum() == pytest.approx(RATE_BPS * 1460 / 1500, rel=0.005)


def test_with_a_queue_each_every_user_has_its_own() -> None:
    result = airlink.run(cell(3, "user", [50.0, 30.0, 80.0]), record=["queue"])
    assert waiting_bytes(result, 3) > 2 * (3 * TAU + FREE)
