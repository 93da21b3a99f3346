"""What an uplink with grants does to TCP: the runs behind the table and the figure of docs/models/uplink.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

import airlink
from airlink.result import Result, Table
from airlink.scenario import Scenario

SEEDS, FILE_SEEDS = 5, 40

CELL = """
name = "uplink"
duration_s = 20
warmup_s = 2
users = 4
slot.duration_ms = 1
channel.placement = { kind = "mean_snr", mean_snr_db = 12 }
channel.fading = { kind = "jakes", terms = 8 }
link.rate = { kind = "capacity", bandwidth_hz = 5e6 }
queue.limit_packets = 60
scheduler.kind = "proportional_fair"

[[flows]]
traffic.kind = "greedy"
path = { downlink_delay_ms = 10, uplink_delay_ms = 10 }
tcp = { profile = "linux", receiver_window_bytes = 4_000_000 }
"""
"""Four users with what Linux does: SACK, RACK-TLP, PRR, an ACK for every second segment."""

UPLINKS: dict[str, tuple[str, ...]] = {
    "constant": (),
    "requests each 5 ms": ("uplink.request_period_ms=5",),
    "requests each 10 ms": ("uplink.request_period_ms=10",),
    "requests each 20 ms": ("uplink.request_period_ms=20",),
    "constant, DDDSU": ("slot.tdd=DDDSU",),
    "requests each 10 ms, DDDSU": ("uplink.request_period_ms=10", "slot.tdd=DDDSU"),
}
"""What is set, by its name on the page."""

CONTROLS = ("new_reno", "cubic")


@dataclass(frozen=True)
class Measured:
    """Means over the seeds, and what the figure draws."""

    goodput_bps: float
    """Of the cell."""
    rtt_ms: float
    together: float
    """ACKs that reach their sender at one nanosecond, in the mean over ACKs."""
    dropped: float
    """Packets of all flows."""
    in_vain: float
    """Retransmissions beyond what was dropped."""
    timeouts: float
    grant_share: float
    """Of all flows' time, that in which they waited for a grant."""
    file_ms: float
    """Until a file has come to the one user of the cell."""
    file_grant_share: float
    """Of that time, what was a wait for a grant."""


def scenario(control: str, uplink: str, *more: str) -> Scenario:
    settings = (f"flows.0.tcp.congestion_control={control}", *UPLINKS[uplink], *more)
    return Scenario.from_toml(CELL, overrides=settings)


@cache
def results(control: str, uplink: str) -> Result:
    return airlink.run(scenario(control, uplink), replicas=SEEDS, record=["acks", "limits"])


ONE_FILE = (
    "users=1", "duration_s=5", "warmup_s=0", "channel.fading.kind=none", "flows.0.traffic.kind=file",
    "flows.0.traffic.bytes=200000", "flows.0.start_spread_s=0.1",
)  # fmt: skip
"""One user on a link that does not change; each seed starts the file elsewhere in the cycles of grants and slots."""


@cache
def files(control: str, uplink: str) -> Result:
    return airlink.run(scenario(control, uplink, *ONE_FILE), replicas=FILE_SEEDS, record=["limits"])


def measured(control: str, uplink: str) -> Measured:
    result = results(control, uplink)
    flows, cell = result.flows, result.cell
    bursts = np.concatenate([burst_of(times) for times in ack_times(result)])
    file = files(control, uplink).flows
    return Measured(
        goodput_bps=float(cell["goodput_bps"].mean()),
        rtt_ms=1e3 * float(np.average(flows["rtt_mean_s"], weights=flows["rtt_count"])),
        together=float(bursts.mean()),
        dropped=float(cell["drops_queue_full"].mean()),
        in_vain=float((cell["retransmissions"] - cell["drops_queue_full"]).mean()),
        timeouts=float(cell["timeouts"].mean()),
        grant_share=granted(flows),
        file_ms=1e3 * float(file["completion_s"].mean()),
        file_grant_share=granted(file),
    )


def ack_times(result: Result) -> Iterator[np.ndarray]:
    """The times of each flow's ACKs at its sender, s."""
    for replica in range(SEEDS):
        acks = result.series("acks", replica)
        for flow in range(4):
            yield acks["time_s"][acks["flow"] == flow]


def burst_of(times_s: np.ndarray) -> np.ndarray:
    """Of each ACK, how many come at its nanosecond."""
    _, inverse, counts = np.unique(times_s, return_inverse=True, return_counts=True)
    return counts[inverse]


def granted(flows: Table) -> float:
    """Of all flows' time, that in which they waited for a grant."""
    return float(flows["time_grant_s"].sum() / flows["active_s"].sum()) if "time_grant_s" in flows else 0.0
