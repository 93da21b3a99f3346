"""Small scenarios that together use every rule of the reference."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from airlink import Scenario
from airlink.scenario import ready

EVDO = """
duration_s = 8
users = 4
slot.duration_ms = "5/3"
channel.placement = { kind = "mean_snr_range", low_db = -10.8, high_db = 12.24 }
channel.fading = { kind = "rayleigh", doppler_hz = 4 }
link.rate = { kind = "table", name = "1xev-do" }
rlc.segment_bytes = 8
queue.limit_packets = 10
scheduler = { kind = "proportional_fair", ties = "lowest_index", time_constant_slots = 100, average_counts = "granted" }
[[flows]]
start_spread_s = 0.1
path = { downlink_delay_ms = 17.5, uplink_delay_ms = 17.5 }
[flows.tcp]
mss_bytes = 472
initial_window_segments = 1
delayed_ack.every = 1
initial_ssthresh_segments = 20
rules.timeout_raises_threshold = true
rto = { min_ms = 200, tick_ms = 100, initial_ms = 1000 }
"""

BACKLOGGED = (
    EVDO.partition("[[flows]]")[0]
    + """
[[flows]]
start_s = 0.5
stop_s = 6
traffic = { kind = "backlogged", packet_bytes = 700 }
"""
)

SHARED = """
duration_s = 12
users = 2
slot.duration_ms = 2
channel.placement = { kind = "mean_snr", mean_snr_db = 12 }
channel.fading = { kind = "rayleigh", doppler_hz = 10 }
link.rate = { kind = "table", name = "1xev-do" }
queue.limit_bytes = 30_000
scheduler = { kind = "max_rate", ties = "lowest_index" }
[[flows]]
users = [0]
[flows.tcp]
congestion_control = "new_reno"
initial_window_segments = 1
rules.timeout_raises_threshold = true
delayed_ack.every = 1
[[flows]]
start_s = 3
traffic = { kind = "file", bytes = 300_000 }
path = { downlink_delay_ms = 50, uplink_delay_ms = 50 }
[flows.tcp]
congestion_control = "new_reno"
initial_window_segments = 1
rules.timeout_raises_threshold = true
delayed_ack = { every = 2, timer_ms = 100 }
"""

ARQ = {
    "link.errors.probability": 0.2,
    "link.arq.max_retransmissions": 2,
    "link.arq.feedback_delay_slots": 3,
    "rlc.segment_header_bytes": 1,
    "rlc.block_header_bytes": 2,
}

SLOTS = {
    "link.errors.probability": 0.4,
    "link.arq.max_retransmissions": 2,
    "link.arq.unit": "slot",
    "rlc.segment_header_bytes": 1,
    "rlc.block_header_bytes": 2,
}

PAPER_004 = """
duration_s = 24
users = 3
slot.duration_ms = 3
channel.placement = { kind = "mean_snr", mean_snr_db = 6 }
channel.fading = { kind = "rayleigh", doppler_hz = 0.6, terms = 20 }
link.report.delay_slots = 1
link.rate = { kind = "capacity", bandwidth_hz = 4.3e6, max_rate_bps = 1e7 }
link.errors.threshold_rule = true
link.arq = { max_retransmissions = 4, unit = "slot", repeats = "at_once" }
queue.limit_bytes = 60_000
[scheduler]
kind = "proportional_fair"
ties = "lowest_index"
time_constant_slots = 33.333
average_counts = "granted"
initial_average_bps = 1000
[[flows]]
users = [0]
path = { downlink_delay_ms = 15, uplink_delay_ms = 15 }
tcp = { initial_window_segments = 1, delayed_ack.every = 1 }
[[flows]]
users = [1]
path = { downlink_delay_ms = 65, uplink_delay_ms = 65 }
tcp = { initial_window_segments = 1, delayed_ack.every = 1 }
[[flows]]
users = [2]
path = { downlink_delay_ms = 5, uplink_delay_ms = 5 }
tcp = { initial_window_segments = 1, delayed_ack.every = 1 }
[[flows]]
users = [2]
path = { downlink_delay_ms = 90, uplink_delay_ms = 90 }
tcp = { initial_window_segments = 1, delayed_ack.every = 1 }
"""

QOS: Mapping[str, Mapping[str, Any]] = {
    "weighted_pf": {"delay_budget_ms": math.inf},
    "m_lwdf": {"violation_probability": [0.01, 0.05, 0.3, 0.05]},
    "exp_pf": {"violation_probability": [0.01, 0.05, 0.3, 0.05]},
    "log_rule": {"offset": 1.3},
    "earliest_deadline": {"delay_budget_ms": [100, 400, math.inf, 100]},
    "guaranteed_rate": {"guaranteed_rate_bps": [200e3, 0, 50e3, 0], "bucket_ms": 500},
}
"""Kinds with weights, deadlines and guaranteed rates, and their own fields."""

WEIGHED = ("weighted_pf", "m_lwdf", "exp_pf", "log_rule")
"""Those that read both the weights and the delay budgets below."""

CHANGES: Mapping[str, Mapping[str, Any]] = {
    "1xEV-DO cell": {"users": 6},
    "round robin with wasted slots and frame errors": {
        "scheduler.kind": "round_robin",
        "scheduler.skip_unservable": False,
        "link.errors.probability": 0.05,
    },
    "first come, first served, with wasted slots and link retransmission": {**ARQ, "scheduler.kind": "fifo"},
    "first come, first served among servable users, out of order": {
        **ARQ,
        "rlc.in_order": False,
        "scheduler.kind": "fifo",
        "scheduler.skip_unservable": True,
        "scheduler.serve_empty_queues": True,
    },
    "link repetition in order": ARQ,
    "link retransmission out of order, lambda": {
        **ARQ,
        "rlc.in_order": False,
        "scheduler.kind": "lambda",
        "scheduler.exponent": 2,
    },
    "slots retransmitted at once, TCP-PF": {
        **SLOTS,
        "link.arq.repeats": "at_once",
        "scheduler.kind": "tcp_pf",
    },
    "slots retransmitted at once, round robin": {
        **SLOTS,
        "link.arq.repeats": "at_once",
        "link.errors.probability": 0.6,
        "scheduler.kind": "round_robin",
        "scheduler.skip_unservable": False,
    },
    "slots retransmitted when scheduled, lambda": {
        **SLOTS,
        "rlc.carry_fraction": True,
        "scheduler.kind": "lambda",
        "scheduler.exponent": 2,
    },
    "one queue for all users, link retransmission": {
        **ARQ,
        "queue": {"scope": "cell", "limit_packets": 25},
        "scheduler.kind": "fifo",
        "rlc.in_order": False,
        "channel.placement.low_db": -4,
    },
    "one queue for all users, limited in bytes, slots retransmitted at once": {
        **SLOTS,
        "link.arq.repeats": "at_once",
        "queue": {"scope": "cell", "limit_bytes": 9000},
        "scheduler.kind": "fifo",
    },
    "slots that are never retransmitted but returned to the queue": {
        **SLOTS,
        "link.arq.max_retransmissions": 0,
        "users": 2,
    },
    "unlimited retransmission, vacation in seconds": {
        **ARQ,
        "link.arq.max_retransmissions": "inf",
        "link.errors.probability": 0.4,
        "scheduler.kind": "tcp_pf",
        "scheduler.vacation_unit": "seconds",
        "scheduler.average_counts": "sent",
    },
    "fractions carried on": {
        "rlc.carry_fraction": True,
        "channel.placement.low_db": -7,
        "channel.placement.high_db": -4,
    },
    "slow wires, delayed ACKs, relative SNR": {
        "users": 3,
        "flows.0.path.downlink_rate_bps": 300_000,
        "flows.0.path.uplink_rate_bps": 9_600,
        "flows.0.tcp.delayed_ack": {"every": 2, "timer_ms": 100},
        "flows.0.tcp.congestion_control": "new_reno",
        "scheduler.kind": "relative_snr",
        "link.errors.probability": 0.02,
    },
    "log SNR over the average, as printed": {
        "channel.placement.low_db": -2,
        "scheduler.kind": "log_snr",
        "scheduler.average_counts": "sent",
    },
    "log(1 + SNR) over the average": {
        "users": 3,
        "scheduler.kind": "log_snr",
        "scheduler.argument": "one_plus_snr",
        "link.errors.probability": 0.02,
    },
    "New Reno at a small queue, every ACK a sample": {
        "users": 2,
        "channel.placement.low_db": 5,
        "queue.limit_packets": 4,
        "flows.0.tcp.congestion_control": "new_reno",
        "flows.0.tcp.rto": {"sample_every_ack": True, "min_ms": 200},
        "scheduler.kind": "round_robin",
        "scheduler.skip_unservable": True,
    },
    "without Karn's rule and careful fast retransmit, TCP-MAX that serves empty queues": {
        "flows.0.tcp.rto.karn": False,
        "flows.0.tcp.rules.careful_fast_retransmit": False,
        "link.errors.probability": 0.05,
        "scheduler.kind": "tcp_max",
        "scheduler.serve_empty_queues": True,
    },
    "files, more than one segment at the start": {
        "flows.0.traffic": {"kind": "file", "bytes": 100_001},
        "flows.0.tcp.initial_window_segments": 3,
        "link.errors.probability": 0.03,
    },
    "files that arrive and a stop": {
        "users": 4,
        "flows.0.traffic": {
            "kind": "poisson",
            "arrivals_per_s": 0.5,
            "size": {"kind": "pareto", "shape": 1.2, "min_bytes": 500, "max_bytes": 100_000},
        },
        "flows.0.stop_s": 6,
        "link.errors.probability": 0.02,
    },
    "pages with times to think": {
        "users": 4,
        "flows.0.traffic": {
            "kind": "sessions",
            "think_s": 0.3,
            "size": {"kind": "lognormal", "median_bytes": 8000, "sigma": 1},
        },
        "flows.0.tcp.restart_after_idle": "off",
    },
    "a queue limited in bytes, and a stop": {
        "flows.0.stop_s": 4,
        "queue.limit_bytes": 5_000,
        "queue.limit_packets": "inf",
        "flows.0.tcp.delayed_ack.every": 3,
        "link.errors.probability": 0.03,
    },
    "all events at the same nanosecond": {
        "slot.duration_ms": 2,
        "flows.0.start_spread_s": 0,
        "flows.0.path": {"downlink_delay_ms": 0, "uplink_delay_ms": 0},
        "flows.0.tcp.rto.tick_ms": 0,
    },
    "old reports and losses by threshold": {
        "link.errors.threshold_rule": True,
        "link.report": {"delay_slots": 5, "period_slots": 3, "backoff_db": 1, "quantisation_db": 0.5},
        "link.rate": {"kind": "capacity", "bandwidth_hz": 1.25e6, "gap_db": 3, "max_rate_bps": 2e6},
        "link.arq.max_retransmissions": 1,
    },
}


def scenarios() -> dict[str, Scenario]:
    """Every scenario by name."""
    evdo = Scenario.from_toml(EVDO)
    found = {name: evdo.with_(**changes) for name, changes in CHANGES.items()}
    found["always backlogged"] = Scenario.from_toml(BACKLOGGED).with_(**{"queue.limit_packets": 30})
    found["two flows share a queue"] = Scenario.from_toml(SHARED)
    found["[Andrew08], slowly"] = Scenario.from_toml(PAPER_004)
    found["[Andrew08], fast"] = Scenario.from_toml(PAPER_004).with_(
        **{"channel.fading.doppler_hz": 60, "link.arq.max_retransmissions": 14, "duration_s": 8}
    )
    of_users = {"weight": [1, 2, 0.5, 1], "delay_budget_ms": [100, 400, math.inf, 100]}
    for kind, own in QOS.items():
        fields = {"kind": kind, **(of_users if kind in WEIGHED else {}), **own}
        found[f"deadlines under {kind}"] = evdo.with_(**{f"scheduler.{name}": value for name, value in fields.items()})
    for kind in ("round_robin", "max_rate", "proportional_fair", "tcp_pf", "tcp_max"):
        found[f"[Klein04] under {kind}"] = ready("k3").with_(**{"scheduler.kind": kind})
    found["[Klein04] without losses"] = ready("k3-lossless").with_(**{"scheduler.kind": "tcp_pf", "duration_s": 12})
    return found
