"""TCP: sender, retransmission timer, delayed acknowledgements.

Leaves out SACK, ECN, connection set-up and closing, and a receiver that reads slowly.
"""

from __future__ import annotations

from typing import Annotated, Literal

from .fields import Flag, Number, Section, about

SEGMENTS = Number(at_least=1, at_most=1e9, whole=True)
SHORTEST_MS = 0.1  # a timer that runs faster than a packet can be answered never lets a run end


class Rto(Section):
    """The retransmission timer: SRTT and RTTVAR by RFC 6298, every number of it a parameter."""

    min_ms: Annotated[
        float,
        Number(at_least=SHORTEST_MS, at_most=600_000),
        about("Smallest RTO", "ms", "RFC 6298 section 2.4; K3: 250"),
    ] = 1000.0
    initial_ms: Annotated[
        float,
        Number(at_least=SHORTEST_MS, at_most=600_000),
        about("RTO before the first measurement", "ms", "RFC 6298 section 2.1; K3: 3000"),
    ] = 1000.0
    max_ms: Annotated[
        float,
        Number(at_least=SHORTEST_MS, at_most=3_600_000),
        about("Largest RTO, backed off or not; at least the two above", "ms", "RFC 6298 section 2.5: at least 60 s"),
    ] = 60_000.0
    tick_ms: Annotated[
        float,
        Number(at_least=SHORTEST_MS, at_most=10_000, or_zero=True),
        about(
            "Clock granularity G: the RTT is counted in boundaries of this clock crossed, at least 1; 0 = exact",
            "ms",
            "airlink default: exact; paper 001, given: 200",
        ),
    ] = 0.0
    backoff_factor: Annotated[
        float,
        Number(at_least=1, at_most=10),
        about("The RTO grows by this at every timeout until a new measurement", "", "RFC 6298 section 5.5"),
    ] = 2.0
    karn: Annotated[
        Flag,
        about(
            "Segments that were sent twice are not timed, and a backed-off RTO is kept until one that was sent once "
            "is acknowledged",
            "",
            "RFC 6298 section 3",
        ),
    ] = True
    variance_floor: Annotated[
        Flag,
        about("true: RTO = SRTT + max(G, 4 RTTVAR); false: SRTT + 4 RTTVAR", "", "RFC 6298 section 2.3"),
    ] = True
    sample_every_ack: Annotated[
        Flag,
        about(
            "true: every acknowledgement of new data gives a sample; false: one segment is timed at a time",
            "",
            "airlink default (RFC 6298 section 3: at least once per RTT)",
        ),
    ] = False


class DelayedAck(Section):
    """The receiver acknowledges every n-th segment or after a time (RFC 5681 section 4.2)."""

    every: Annotated[
        int,
        Number(at_least=1, at_most=1000, whole=True),
        about(
            "An acknowledgement per so many segments in order; 1 = each. Those out of order are acknowledged at once",
            "segments",
            "papers 000 and 001: 1; RFC 5681: 2",
        ),
    ] = 1
    timer_ms: Annotated[
        float,
        Number(above=0, at_most=10_000),
        about("Longest wait of an acknowledgement; not used when `every` is 1", "ms", "RFC 5681: at most 500"),
    ] = 200.0


class Tcp(Section):
    """A TCP connection from the server to the user, already open; bytes are counted from 0."""

    congestion_control: Annotated[
        Literal["reno", "new_reno"],
        about(
            "reno: RFC 5681; new_reno: RFC 6582 (partial acknowledgements stay in fast recovery)",
            "",
            "papers 000, 001, given: Reno",
        ),
    ] = "reno"
    mss_bytes: Annotated[
        int,
        Number(at_least=1, at_most=65495, whole=True),
        about("Payload of a full segment", "bytes", "Ethernet less 40; paper 000: 472 (inferred); paper 001: 536"),
    ] = 1460
    header_bytes: Annotated[
        int,
        Number(at_least=0, at_most=1000, whole=True),
        about(
            "TCP and IP header of every segment: on the wire, in the queue and on air", "bytes", "TCP and IPv4: 20 + 20"
        ),
    ] = 40
    ack_bytes: Annotated[
        int, Number(at_least=1, at_most=65535, whole=True), about("Size of an acknowledgement", "bytes", "TCP and IPv4")
    ] = 40
    initial_window_segments: Annotated[
        int, SEGMENTS, about("Congestion window at the start, in MSS", "MSS", "profile K3 of paper 001; RFC 5681: 2-4")
    ] = 1
    initial_ssthresh_segments: Annotated[
        float,
        Number(at_least=1, at_most=1e9, infinite=True),
        about(
            "Slow-start threshold at the start, in MSS", "MSS", "RFC 5681 section 3.1: arbitrarily high; paper 000: 20"
        ),
    ] = float("inf")
    receiver_window_bytes: Annotated[
        int,
        Number(at_least=1, at_most=2**30, whole=True),
        about(
            "Most payload in flight that the receiver allows, at least one MSS and at most 1e6; it never shrinks",
            "bytes",
            "largest window of RFC 9293 without scaling; paper 001: 64 kB",
        ),
    ] = 65535
    duplicate_ack_threshold: Annotated[
        int,
        Number(at_least=1, at_most=1000, whole=True),
        about("Duplicate acknowledgements that start fast retransmit", "", "RFC 5681 section 3.2"),
    ] = 3
    guard_after_timeout: Annotated[
        Flag,
        about(
            "After a timeout, duplicate acknowledgements of what was sent before it don't start fast retransmit "
            '(ns-2: "bugFix")',
            "",
            "RFC 6582 section 3.2, steps 2 and 4; K3: false",
        ),
    ] = True
    rto: Annotated[Rto, about("The retransmission timer")] = Rto()
    delayed_ack: Annotated[DelayedAck, about("When the receiver answers")] = DelayedAck()
