"""The queues of the base station: their limits, and what keeps them short within these.

Leaves out ECN marks (no TCP here reacts to them), a queue for each flow.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from .clamp import NoPrice, Price
from .fields import Flag, Number, Section, about

MILLISECONDS = Number(at_least=1e-3, at_most=1e6)
LimitBytes: TypeAlias = Annotated[
    float,
    Number(at_least=1, at_most=10**15, whole=True, infinite=True),
    about(
        "A packet is dropped when the bytes of the queue would exceed this with it; at least the largest packet",
        "bytes",
        "airlink default: none",
    ),
]


class Codel(Section):
    """CoDel (RFC 8289): drops at the head once packets have waited too long; not used by the other kinds."""

    target_ms: Annotated[
        float,
        MILLISECONDS,
        about("TARGET: the wait in the queue that may stay", "ms", "RFC 8289 section 4.3"),
    ] = 5.0
    interval_ms: Annotated[
        float,
        MILLISECONDS,
        about(
            "INTERVAL: drops begin when no packet has waited less than the target for so long; about a round trip",
            "ms",
            "RFC 8289 section 4.2",
        ),
    ] = 100.0


class Pie(Section):
    """PIE (RFC 8033): refuses arrivals at random, the more the longer packets wait; not used by the other kinds."""

    target_ms: Annotated[
        float, MILLISECONDS, about("QDELAY_REF: the wait in the queue to hold", "ms", "RFC 8033 section 4.2")
    ] = 15.0
    update_ms: Annotated[
        float,
        MILLISECONDS,
        about("T_UPDATE: the probability is updated at every multiple of it", "ms", "RFC 8033 section 4.2"),
    ] = 15.0
    burst_ms: Annotated[
        float,
        Number(at_least=0, at_most=1e6),
        about("MAX_BURST: nothing is refused for so long after calm", "ms", "RFC 8033 section 4.4"),
    ] = 150.0
    alpha_hz: Annotated[
        float,
        Number(at_least=0, at_most=1000),
        about("alpha: weight of the wait's deviation from the target", "1/s", "RFC 8033 appendix A: 1/8"),
    ] = 0.125
    beta_hz: Annotated[
        float,
        Number(at_least=0, at_most=1000),
        about("beta: weight of the wait's change since the last update", "1/s", "RFC 8033 appendix A: 1 + 1/4"),
    ] = 1.25
    mean_packet_bytes: Annotated[
        int,
        Number(at_least=1, at_most=65535, whole=True),
        about(
            "MEAN_PKTSIZE: with at most two of these in the queue nothing is refused",
            "bytes",
            "airlink default: a full packet; RFC 8033 gives no value",
        ),
    ] = 1500
    derandomise: Annotated[
        Flag,
        about(
            "Nothing is refused until probabilities have added up to 0.85 since the last drop, something at 8.5",
            "",
            "airlink default; RFC 8033 section 5.4, optional",
        ),
    ] = False
    cap_steps: Annotated[
        Flag,
        about(
            "From a probability of 0.1 on it rises by 0.02 at most in an update",
            "",
            "airlink default; RFC 8033 section 5.5, optional",
        ),
    ] = False


class Adaptive(Section):
    """A limit in bytes that follows the rate at which the user's queue drains; not used by the other kinds."""

    target_ms: Annotated[
        float,
        MILLISECONDS,
        about(
            "The limit is what drains in so long: about a round trip fills the link",
            "ms",
            "airlink default; eBDP [Li11]: 200",
        ),
    ] = 100.0
    memory_ms: Annotated[
        float,
        MILLISECONDS,
        about(
            "How much time of service the rate remembers",
            "ms",
            "airlink default: a second, 1000 packets of 1500 bytes at 12 Mb/s; eBDP [Li11] remembers 1000 packets",
        ),
    ] = 1000.0
    floor_bytes: Annotated[
        int,
        Number(at_least=1, at_most=10**15, whole=True),
        about(
            "The least limit; at least the largest packet",
            "bytes",
            "airlink default: five full packets, which eBDP [Li11] adds to its limit",
        ),
    ] = 7500


class Queue(Section):
    """The queue of each user, or of all, at the base station, shared by its flows: first in, first out."""

    kind: Annotated[
        Literal["drop_tail", "codel", "pie", "adaptive"],
        about(
            'What keeps it short within its limits. "drop_tail": nothing; "codel": drops at the head once packets have '
            'waited too long; "pie": arrivals are refused at random, the more the longer packets wait; "adaptive": a '
            "limit in bytes that follows the rate at which the queue drains",
            "",
            "airlink default",
        ),
    ] = "drop_tail"
    scope: Annotated[
        Literal["user", "cell"],
        about(
            'Whose it is: "user", one for each user; "cell", one for all, with one limit and one price, served in '
            "strict order: a slot ends at another user's packet (needs drop_tail, one carrier without code blocks, and "
            'scheduler "fifo" without serve_empty_queues and skip_unservable)',
            "",
            "airlink default; the control of paper 004: cell",
        ),
    ] = "user"
    limit_packets: Annotated[
        float,
        Number(at_least=1, at_most=10**9, whole=True, infinite=True),
        about(
            "A packet that finds this many in the queue is dropped", "packets", "airlink default: none; paper 000: 10"
        ),
    ] = float("inf")
    limit_bytes: LimitBytes = float("inf")
    limit_counts: Annotated[
        Literal["held", "unsent"],
        about(
            'What the limits count: "held" = every packet that has not left, those on air or waiting to be repeated '
            'among them; "unsent" = packets with bytes that were never sent, and these bytes: what was sent waits for '
            "its repetition in a memory without a limit",
            "",
            "airlink default: held, as paper 000; paper 002, profile W1: unsent",
        ),
    ] = "held"
    codel: Annotated[Codel, about("Parameters of CoDel", "", "airlink default: those of RFC 8289")] = Codel()
    pie: Annotated[Pie, about("Parameters of PIE", "", "airlink default: those of RFC 8033")] = Pie()
    adaptive: Annotated[Adaptive, about("Parameters of the limit that follows the rate", "", "airlink default")] = (
        Adaptive()
    )
    price: Price = NoPrice()
