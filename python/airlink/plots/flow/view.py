"""What is seen of one flow: the recorded series of one replica, cut to a stretch of time, with what is derived of them."""

from __future__ import annotations

from dataclasses import dataclass

from airlink.result import Table


@dataclass(frozen=True)
class FlowView:
    """One flow of one replica from `start_s` to before `stop_s`. Times are s since the start of the run.

    Attributes
    ----------
    scenario, seed, version, replica : where it comes from: the scenario's name, the engine's version.
    user, flow : numbers, from 0.
    start_s, stop_s : what is shown; both finite.
    mss_bytes : payload of a full segment.
    segments : a row per segment sent: sent_s, ended_s (NaN if it did not end), start, end (bytes of the stream),
        retransmission (0/1), out_of_order (0/1: arrived after bytes that lie behind it), fate (as in `packets`).
    acks : a row per ACK at the server: time_s, number, window_end (number + the window advertised), duplicate (0/1),
        third (0/1: the duplicate that reaches `flows.tcp.duplicate_ack_threshold`).
    sacks : a row per SACK block at the server: time_s, start, end, duplicate (0/1: DSACK).
    slots : a row per slot that the user won: time_s, rate_bps, sent_bytes, error (0/1). Empty with a bottleneck.
    snr : a row per slot: time_s, true_db, of the user. Empty with a bottleneck.
    queue : time_s, packets, bytes: after every change of the user's queue, of the bottleneck's with one.
    drops : a row per packet of the flow that was lost: time_s, start, fate (1 queue full, 2 air error, 3 retry limit,
        5 lost on a wire, 6 lost in an outage).
    window : time_s, cwnd_bytes, ssthresh_bytes (inf allowed), flight_bytes, at every ACK and timeout.
    rtt : time_s, rtt_s, srtt_s: a row per sample.
    rto : time_s, rto_s: at every ACK and timeout.
    events : time_s, event, sequence, spurious, as in the series `events`.
    limits : from_s, to_s, cause, as in the series `limits`; clipped to the stretch.

    `queue`, `window` and `rto` begin with the state at `start_s`, if there was one before.
    """

    scenario: str
    replica: int
    seed: int
    version: str
    user: int
    flow: int
    start_s: float
    stop_s: float
    mss_bytes: int
    segments: Table
    acks: Table
    sacks: Table
    slots: Table
    snr: Table
    queue: Table
    drops: Table
    window: Table
    rtt: Table
    rto: Table
    events: Table
    limits: Table
