"""A case of the kernel's, run by airlink with profile linux."""

from __future__ import annotations

from typing import Any

import numpy as np

import airlink

from .cases import Case
from .trace import ReceivedAck, Sent, Trace

# 4 MB by SO_RCVBUF: the kernel offers half, then five eighths, 2 MSS more with each segment, whose ACK is quick.
FIXED_BUFFER = {
    "receiver_window_bytes": 64 * 65_535,
    "receive_autotuning": False,
    "delayed_ack": {"quick_segments": 362},
}
# Five eighths of tcp_rmem[2], which is 32 MiB since 6.16.
GROWING_BUFFER = {"receiver_window_bytes": 20_971_520}


def scenario(case: Case) -> airlink.Scenario:
    """The same bottleneck, delays, settings and losses."""
    least = min(case.forward_ms)
    fields: dict[str, Any] = {
        "name": case.name,
        "duration_s": case.duration_s,
        "users": case.flows,
        "bottleneck": {
            "rate_bps": case.rate_bps,
            "delay_ms": least,
            "limit_packets": case.limit_packets,
            "in_service_counts": case.in_service_counts,
            "arrivals_first": True,
            "impairments": {
                "delay_spikes": [
                    {"at_s": one.start_s, "for_s": one.length_s, "extra_ms": one.extra_ms} for one in case.spikes
                ],
                "outages": [{"at_s": one.start_s, "for_s": one.length_s, "hold": one.hold} for one in case.outages],
            },
        },
        "flows": [_flow(case, number, least) for number in range(case.flows)],
    }
    return airlink.Scenario(**fields)


def _flow(case: Case, number: int, least_ms: float) -> dict[str, Any]:
    return {
        "users": [number],
        "traffic": {"kind": "file", "bytes": case.file_bytes} if case.file_bytes else {"kind": "greedy"},
        "path": {
            # Senders stand at the bottleneck; what a flow takes longer behind it is part of its way back.
            "downlink_delay_ms": 0.0,
            "uplink_delay_ms": case.forward_ms[number] - least_ms + case.backward_ms[number],
            # The SYN is packet 0.
            "downlink_impairments": {"drop_numbers": [one + 1 for one in case.drop]},
            "uplink_impairments": {"drop_numbers": [one + 1 for one in case.drop_acks]},
        },
        "tcp": {
            "profile": "linux",
            "congestion_control": case.congestion_control,
            "sack": case.sack,
            "timestamps": case.timestamps,
            **(FIXED_BUFFER if case.receive_buffer else GROWING_BUFFER),
        },
    }


class Run:
    """What came of a case in airlink."""

    def __init__(self, case: Case, start_s: float = 0.0) -> None:
        """All flows start then: timers ring on ticks since 0."""
        self.case = case
        shifted = scenario(case).override([f"flows.{flow}.start_s={start_s}" for flow in range(case.flows)])
        self.result = airlink.run(shifted, seed=1, record=["packets", "acks"])
        self.goodput_bps = [float(rate) for rate in np.asarray(self.result.flows["goodput_bps"])]

    def total(self, column: str) -> int:
        return int(np.asarray(self.result.flows[column]).sum())

    def trace(self, flow: int) -> Trace:
        packets, acks = dict(self.result.series("packets")), dict(self.result.series("acks"))
        header = 52 if self.case.timestamps else 40
        own = np.asarray(packets["flow"]) == flow
        rows = zip(
            *(np.asarray(packets[name])[own] for name in ("sent_s", "sequence", "bytes", "transmission")), strict=True
        )
        sent = sorted(
            (float(time), int(number), int(sequence), int(size))
            for time, sequence, size, number in rows
            if size > header
        )
        heard = np.asarray(acks["flow"]) == flow
        answers = zip(np.asarray(acks["time_s"])[heard], np.asarray(acks["number"])[heard], strict=True)
        return Trace(
            [Sent(time, sequence, size - header) for time, _, sequence, size in sent],
            [ReceivedAck(float(time), int(number)) for time, number in answers],
        )
