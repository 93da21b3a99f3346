"""The receiver of TCP: its window, when it answers, and how its application reads.

Leaves out applications that read at other than a steady rate. The options are fields of `Tcp`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .fields import Flag, Number, Section, about

ReceiverWindow = Annotated[
    int,
    Number(at_least=1, at_most=2**30, whole=True),
    about(
        "The receiver's buffer, and so the most payload in flight that it allows; at least one MSS and at most 1e6",
        "bytes",
        "largest window of RFC 9293 without scaling; paper 001: 64 kB",
    ),
]
WindowScaling = Annotated[
    Flag,
    about(
        "true: windows above 65535 bytes are advertised in the smallest units of 2^shift bytes that can say them, "
        "rounded down; false: never more than 65535",
        "",
        "RFC 7323 section 2",
    ),
]
ReceiveAutotuning = Annotated[
    Flag,
    about(
        "true: the window begins at 65160 bytes (with 1448 a segment) and grows with the flow up to "
        "`receiver_window_bytes`; each segment with which it grows renews quick ACKs (Linux: tcp_grow_window, "
        "tcp_rcvbuf_grow). false: it is `receiver_window_bytes` from the start",
        "",
        "airlink default",
    ),
]


class DelayedAck(Section):
    """The receiver acknowledges every n-th segment or after a time (RFC 5681 section 4.2)."""

    every: Annotated[
        int,
        Number(at_least=1, at_most=1000, whole=True),
        about(
            "An acknowledgement per so many segments in order; 1 = each",
            "segments",
            "papers 000 and 001: 1; RFC 5681: 2",
        ),
    ] = 1
    timer_ms: Annotated[
        float,
        Number(above=0, at_most=10_000),
        about("Longest wait of an acknowledgement; not used when `every` is 1", "ms", "RFC 5681: at most 500"),
    ] = 200.0
    least_timer_ms: Annotated[
        float,
        Number(above=0, at_most=10_000, infinite=True),
        about(
            'The wait adapts down to this while segments arrive faster (Linux: 40); "inf" = it is always `timer_ms`',
            "ms",
            "airlink default: fixed",
        ),
    ] = float("inf")
    quick_segments: Annotated[
        int,
        Number(at_least=0, at_most=1_000_000, whole=True),
        about(
            "Segments at the start of a connection that are acknowledged one by one (Linux: 16, quick ACKs)",
            "segments",
            "airlink default: none",
        ),
    ] = 0
    immediate_on_gap: Annotated[
        Flag,
        about(
            "A segment that fills a part of a gap is acknowledged at once; false: it waits like new data (ns-2: "
            "RFC2581_immediate_ack_ false). One out of order, or that fills all of a gap, never waits",
            "",
            "RFC 5681 section 4.2",
        ),
    ] = True
    repetition_waits: Annotated[
        Flag,
        about(
            "A segment that repeats the last one in order waits like a new one (ns-2)",
            "",
            "RFC 9293 section 3.10.7.4: it is acknowledged at once",
        ),
    ] = False
    timer_first: Annotated[
        Flag,
        about(
            "A wait that is over at the nanosecond at which a segment arrives ends first, with an acknowledgement of "
            "its own (ns-2)",
            "",
            "airlink default: the segment's arrival ends it",
        ),
    ] = False
    merge_bytes: Annotated[
        int,
        Number(at_least=0, at_most=65_535, whole=True),
        about(
            "Segments that follow one another and arrive in one moment, as those of a slot do, have one ACK, up "
            "to so many bytes (Linux: 65535, generic receive offload); 0 = each is acknowledged by itself",
            "bytes",
            "airlink default: none",
        ),
    ] = 0


class Immediate(Section):
    """The application takes what is in order at once: the buffer holds nothing but what is out of order."""

    kind: Annotated[Literal["immediate"], about("Reads at once")] = "immediate"


class Stalling(Section):
    """The application reads at a rate, and for a while not at all: the advertised window shrinks, and may close."""

    kind: Annotated[Literal["stalling"], about("Reads at a rate, with a pause")] = "stalling"
    rate_bps: Annotated[
        float,
        Number(above=0, at_most=1e15, infinite=True),
        about("Rate at which it reads", "b/s", "airlink default: no limit"),
    ] = float("inf")
    stall_after_s: Annotated[
        float,
        Number(at_least=0, at_most=1e6, infinite=True),
        about("So long after the flow's first segment arrived it stops reading", "s", "airlink default: never"),
    ] = float("inf")
    stall_for_s: Annotated[
        float,
        Number(at_least=0, at_most=1e6),
        about("So much later it goes on", "s", "airlink default"),
    ] = 0.0


Reader = Annotated[
    Immediate | Stalling,
    Field(discriminator="kind"),
    about("How the application reads what has arrived", "", "airlink default: at once"),
]
