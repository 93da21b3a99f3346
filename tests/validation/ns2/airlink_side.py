"""The same case as an airlink scenario, and what airlink makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import airlink

from . import oracle
from .case import ACK_BYTES, HEADER_BYTES, PACKET_BYTES, Case
from .oracle import Flow, Outcome

FAST_RETRANSMIT, TIMEOUT = 2, 3  # column `event` of the series `cwnd`
ALGORITHMS = {"Tahoe": "tahoe", "Reno": "reno", "Newreno": "new_reno", "Sack1": "reno", "Vegas": "vegas"}
DEFAULTS = {
    "tcpTick_": 0.01,
    "minrto_": 0.2,
    "rtxcur_init_": 3.0,
    "maxrto_": 60.0,
    "bugFix_": 1.0,
    "bugfix_ss_": 1.0,
    "lessCareful_": 0.0,
    "precisionReduce_": 1.0,
    "partial_window_deflation_": 1.0,
    "maxburst_": 0.0,
    "singledup_": 1.0,
    "newreno_changes1_": 1.0,
    "windowInit_": 2.0,
    "windowInitOption_": 1.0,
}
"""Of ns-2.35, tcl/lib/ns-default.tcl, as far as a case may change them."""


def scenario(case: Case, clock_ahead_s: Sequence[float]) -> airlink.Scenario:
    """The case; only what profile "ns2" does not say already, or says for the papers' clock, is given."""
    return airlink.Scenario.model_validate(
        {
            "name": case.name,
            "description": case.what,
            "duration_s": case.duration_s,
            "users": case.flows,
            "bottleneck": {
                "rate_bps": case.rate_bps,
                "delay_ms": case.delay_ms,
                "limit_packets": case.limit_packets,
                "in_service_counts": True,
                "arrivals_first": arrivals_come_first(case),
            },
            "flows": [flow(case, number, ahead) for number, ahead in enumerate(clock_ahead_s)],
        }
    )


def arrivals_come_first(case: Case) -> bool:
    """True where ns-2 schedules an arrival (when the wire before sends it) before the departure of the same time."""
    bits = 8 * (PACKET_BYTES + case.header_bytes)
    return case.access_ms[0] / 1e3 + bits / case.access_bps > bits / case.rate_bps


def flow(case: Case, number: int, clock_ahead_s: float) -> dict[str, Any]:
    """One flow, to a user of its own."""
    path: dict[str, Any] = {
        "downlink_rate_bps": case.access_bps,
        "downlink_delay_ms": case.access_ms[number],
        "uplink_rate_bps": case.return_bps,
        "uplink_delay_ms": case.return_ms[number],
    }
    if number == 0 and (found := impairments(case)):
        path["downlink_impairments"] = found
    if number == 0 and case.late_acks:
        at_s, for_s, extra_ms = case.late_acks
        late = {"at_s": at_s, "for_s": for_s, "extra_ms": extra_ms, "keep_order": False}
        path["uplink_impairments"] = {"delay_spikes": [late]}
    size = case.packets * PACKET_BYTES
    traffic = {"kind": "file", "bytes": size} if size else {"kind": "greedy"}
    values = linux_tcp(case) if case.agent == "Linux" and case.linux != "cubic" else tcp(case, clock_ahead_s)
    return {"users": [number], "start_s": case.starts_s[number], "traffic": traffic, "path": path, "tcp": values}


def impairments(case: Case) -> dict[str, Any]:
    """The impairments of the first flow. ns-2 loses packets at the end of its wire, airlink at its beginning."""
    found: dict[str, Any] = {}
    if case.drops:
        found["drop_numbers"] = list(case.drops)
    if case.outages:
        found["outages"] = [
            {"at_s": at_s - case.access_ms[0] / 1e3, "for_s": for_s, "hold": False} for at_s, for_s in case.outages
        ]
    if case.spike_at_s >= 0:
        spike = {"at_s": case.spike_at_s, "for_s": case.spike_for_s, "extra_ms": case.spike_extra_ms}
        found["delay_spikes"] = [{**spike, "keep_order": True, "moment": "begun"}]
    return found


def delayed_ack(case: Case) -> dict[str, Any]:
    """When the receiver may wait."""
    timer_s = case.sink_settings.get("interval_", 0.1)
    bits = 8 * (PACKET_BYTES + case.header_bytes)
    return {
        "every": 2 if case.delayed_ack else 1,
        "timer_ms": 1e3 * timer_s,
        # ns-2 starts the timer before the last wire takes the packet of the same time, unless that wire is longer.
        "timer_first": bits / case.rate_bps + case.delay_ms / 1e3 < timer_s,
        "immediate_on_gap": case.sink_settings.get("RFC2581_immediate_ack_", 1.0) == 1,
    }


def tcp(case: Case, clock_ahead_s: float) -> dict[str, Any]:
    """The sender and the receiver."""
    settings = {**DEFAULTS, **case.settings}
    return {
        "profile": "ns2",
        "congestion_control": case.linux or ALGORITHMS[case.agent],
        "header_bytes": case.header_bytes,
        "handshake": case.has_syn,
        "initial_ssthresh_segments": case.window_packets,
        "receiver_window_bytes": case.window_packets * PACKET_BYTES,
        "rules": {
            "careful_fast_retransmit": settings["bugFix_"] == 1,
            "guard_after_recovery": settings["bugFix_"] == 1,
            "less_careful": settings["lessCareful_"] == 1,
            "forgets_recovery_point": settings["bugFix_"] == 0,
            "first_loss_unguarded": settings["bugfix_ss_"] == 1,
            "reduction_in_whole_segments": settings["precisionReduce_"] == 0,
            "partial_window_deflation": settings["partial_window_deflation_"] == 1,
            "max_burst_segments": int(settings["maxburst_"]),
            "limited_transmit": settings["singledup_"] == 1,
            "limited_transmit_resends": settings["singledup_"] == 1,
            "impatient": settings["newreno_changes1_"] == 1,
            "sack_blocks": 3,
        },
        "initial_window": "rfc3390" if settings["windowInitOption_"] == 2 else "segments",
        "initial_window_segments": int(settings["windowInit_"]),
        "sack": case.agent in ("Sack1", "Linux"),
        "ack_bytes": ACK_BYTES,
        "rto": {
            "tick_ms": 1e3 * settings["tcpTick_"],
            "tick_offset_ms": 1e3 * clock_ahead_s,
            "min_ms": max(1e3 * settings["minrto_"], 0.1),
            "initial_ms": 1e3 * settings["rtxcur_init_"],
            "max_ms": 1e3 * settings["maxrto_"],
        },
        "delayed_ack": delayed_ack(case),
    }


def linux_tcp(case: Case) -> dict[str, Any]:
    """Linux, without what came after 2.6: its Westwood+ never falls below BWE RTTmin, as at_loss.

    RACK stands for its FACK, which notices lost retransmissions too.
    """
    return {
        "profile": "linux",
        "congestion_control": {"reno": "new_reno"}.get(case.linux, case.linux),
        "westwood": {"sets": "at_loss"},
        "rules": {
            "slow_start_exit": "loss",
            "tail_loss_probe": False,
            "count_option_bytes": False,
        },
        "timestamps": False,
        "initial_window_segments": 2,
        "receiver_window_bytes": case.window_packets * PACKET_BYTES,
        "mss_bytes": PACKET_BYTES,
        "header_bytes": HEADER_BYTES,
        "ack_bytes": ACK_BYTES,
        "delayed_ack": {"every": 1},
    }


def run(case: Case, clock_ahead_s: Sequence[float]) -> Outcome:
    """Run a case in airlink, with clocks as far ahead."""
    result = airlink.run(scenario(case, clock_ahead_s), record=["packets", "cwnd"])
    table = result.flows
    counts = zip(
        *(table[name] for name in ("goodput_bytes", "segments_sent", "retransmissions", "timeouts")), strict=True
    )
    flows = tuple(
        Flow(int(goodput) // PACKET_BYTES, int(sent) - case.has_syn, int(resent), int(timeouts), ahead)
        for (goodput, sent, resent, timeouts), ahead in zip(counts, clock_ahead_s, strict=True)
    )
    cwnd = result.series("cwnd")
    first = np.asarray(cwnd["flow"]) == 0
    time_s, event = np.asarray(cwnd["time_s"])[first], np.asarray(cwnd["event"])[first]
    sent = transmissions(result, case)[case.keep_from : case.keep_from + case.keep]
    timeouts_s, fast_s = time_s[event == TIMEOUT], time_s[event == FAST_RETRANSMIT]
    segments = np.asarray(cwnd["cwnd_bytes"])[first] / PACKET_BYTES
    windows = () if case.is_the_same else oracle.every_second(time_s.tolist(), segments.tolist(), case.duration_s)
    return Outcome(flows, tuple(map(float, timeouts_s)), tuple(map(float, fast_s)), tuple(sent), windows)


def transmissions(result: airlink.Result, case: Case) -> list[tuple[float, int]]:
    """Time and number, as ns-2 counts, of each packet of the first flow: its SYN, if it sends one, is packet 0."""
    packets = result.series("packets")
    first = np.asarray(packets["flow"]) == 0

    columns = {name: np.asarray(packets[name])[first] for name in ("bytes", "sequence", "transmission", "sent_s")}
    has_data = columns["bytes"] > HEADER_BYTES
    number = np.where(has_data, columns["sequence"] // PACKET_BYTES + case.has_syn, 0)
    order = np.argsort(columns["transmission"], kind="stable")
    return [(float(time), int(packet)) for time, packet in zip(columns["sent_s"][order], number[order], strict=True)]
