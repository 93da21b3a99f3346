"""The queues of the base station: their limits, and what keeps them short within these.

Leaves out ECN marks (no TCP here reacts to them), queues shared by users, a queue for each flow.
"""

from __future__ import annotations

from typing import Annotated, Literal

from .fields import Number, Section, about

MILLISECONDS = Number(at_least=1e-3, at_most=1e6)


class Codel(Section):
    """CoDel (RFC 8289): drops at the head once packets have waited too long; not used by the other kinds."""

    target_ms: Annotated[
        float,
        MILLISECONDS,
        about("TARGET: the wait in the queue that may stay", "ms", "RFC 8289 section 4.4"),
    ] = 5.0
    interval_ms: Annotated[
        float,
        MILLISECONDS,
        about(
            "INTERVAL: drops begin when no packet has waited less than the target for so long; about a round trip",
            "ms",
            "RFC 8289 section 4.4",
        ),
    ] = 100.0


class Queue(Section):
    """The queue of each user at the base station, shared by the user's flows: first in, first out."""

    kind: Annotated[
        Literal["drop_tail", "codel"],
        about(
            'What keeps it short within its limits. "drop_tail": nothing; "codel": drops at the head once packets have '
            "waited too long",
            "",
            "airlink default",
        ),
    ] = "drop_tail"
    limit_packets: Annotated[
        float,
        Number(at_least=1, at_most=10**9, whole=True, infinite=True),
        about(
            "A packet that finds this many in the queue is dropped", "packets", "airlink default: none; paper 000: 10"
        ),
    ] = float("inf")
    limit_bytes: Annotated[
        float,
        Number(at_least=1, at_most=10**15, whole=True, infinite=True),
        about(
            "A packet is dropped when the bytes of the queue would exceed this with it; at least the largest packet",
            "bytes",
            "airlink default: none",
        ),
    ] = float("inf")
    codel: Annotated[Codel, about("Parameters of CoDel", "", "airlink default: those of RFC 8289")] = Codel()
