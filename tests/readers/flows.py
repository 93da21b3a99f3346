"""Ten flows with losses, reordering, duplicates, late packets and spurious timeouts, on a wire and on air."""

from __future__ import annotations

from airlink import Scenario
from airlink.scenario import ready

CELL = """
name = "air"
duration_s = 12
users = 2
slot.duration_ms = 2
channel.placement = {kind = "mean_snr", mean_snr_db = 8}
channel.fading = {kind = "rayleigh", doppler_hz = 8}
link.rate = {kind = "table", name = "1xev-do"}
link.errors.probability = 0.01
queue.limit_packets = 40
scheduler.kind = "proportional_fair"

[[flows]]
traffic = {kind = "greedy"}
"""

BEHIND = "bottleneck.impairments"
TO_THE_WIRE = "flows.0.path.downlink_impairments"
BACK = "flows.0.path.uplink_impairments"
BURSTS = '{kind = "gilbert_elliott", p = 0.003, r = 0.4, loss_bad = 1.0}'
SPIKES = "[{at_s = 1.5, for_s = 0.3, extra_ms = 1500}, {at_s = 3.5, for_s = 0.2, extra_ms = 2500}]"
EACH_SEGMENT = "initial_window_segments = 1, delayed_ack = {every = 1}"


def _wire(tcp: str, *overrides: str) -> Scenario:
    return ready("dumbbell", ["duration_s=6", f"flows.0.tcp={{{tcp}}}", *overrides])


def _cell(tcp: str, *overrides: str) -> Scenario:
    return Scenario.from_toml(CELL).override([f"flows.0.tcp={{{tcp}}}", *overrides])


FLOWS = {
    "reno-full-queue": _wire(f'congestion_control = "reno", receiver_window_bytes = 400_000, {EACH_SEGMENT}'),
    "new-reno-reordered": _wire(
        f'congestion_control = "new_reno", {EACH_SEGMENT}',
        f"{BEHIND}.reorder_probability=0.01",
        f"{BEHIND}.reorder_extra_ms=8",
    ),
    "ns2-bursts": _wire('profile = "ns2"', f"{BEHIND}.loss={BURSTS}"),
    "rfc-late": _wire(
        'profile = "rfc"', f"{BEHIND}.delay_spikes={SPIKES}", f"{BEHIND}.loss.kind=random", f"{BEHIND}.loss.p=0.001"
    ),
    "rfc-lost-acks": _wire(
        'profile = "rfc", delayed_ack = {every = 2, timer_ms = 100}', f"{BACK}.loss={BURSTS}", f"{BEHIND}.loss={BURSTS}"
    ),
    "linux-late": _wire('profile = "linux"', f"{BEHIND}.delay_spikes={SPIKES}", f"{BEHIND}.loss={BURSTS}"),
    "linux-reordered-both-ways": _wire(
        'profile = "linux"',
        f"{TO_THE_WIRE}.reorder_probability=0.005",
        f"{TO_THE_WIRE}.reorder_extra_ms=15",
        f"{BACK}.reorder_probability=0.01",
        f"{BACK}.reorder_extra_ms=5",
        f"{BEHIND}.loss={BURSTS}",
    ),
    "linux-no-timestamps-doubled-acks": _wire(
        'profile = "linux", timestamps = false', f"{BACK}.duplicate_probability=0.01", f"{BEHIND}.loss={BURSTS}"
    ),
    "cell-classic": _cell('congestion_control = "reno", mss_bytes = 536'),
    "cell-linux-out-of-order": _cell(
        'profile = "linux"', "link.arq.max_retransmissions=3", "link.errors.probability=0.1", "rlc.in_order=false"
    ),
}
"""Scenarios by name; the flow under test is number 0."""
