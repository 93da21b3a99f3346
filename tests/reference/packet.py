"""A packet on its way from the server to the user, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass

DELIVERED, QUEUE_FULL, AIR_ERROR, RETRY_LIMIT, WAITING = range(5)


@dataclass(eq=False)
class Packet:
    """`size` and the counters are bytes, headers included; times are nanoseconds."""

    flow: int
    user: int
    sequence: int
    payload: int
    size: int
    transmission: int
    retransmission: bool
    sent: int
    queued: int | None = None
    ended: int | None = None
    fate: int = WAITING
    unsent: int = 0
    arrived: int = 0
    broken: bool = False
    first_since: int = 0
