"""A wired bottleneck instead of a cell: TCP alone, without a radio.

Leaves out active queue management, ECN, several queues, and rates that change.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from .clamp import NoPrice, Price
from .fields import Flag, Number, Section, about
from .impairments import LENGTH, MOMENT, Impairments
from .queue import LimitBytes

SendingRate: TypeAlias = Annotated[
    float,
    Number(above=0, at_most=1e15),
    about("Rate at which the queue is sent", "b/s", "airlink default: 10 Mb/s"),
]


class Freeze(Section):
    """A stretch of time in which the bottleneck sends nothing and its queue waits."""

    at_s: Annotated[float, MOMENT, about("When it begins", "s")]
    for_s: Annotated[float, LENGTH, about("How long it lasts", "s")]
    in_service: Annotated[
        Literal["pauses", "ends"],
        about(
            "The packet that is being sent when it begins. pauses: its other bits go when the freeze is over; ends: "
            "it is sent to its end, and none begins",
            "",
            "airlink default",
        ),
    ] = "pauses"


class Bottleneck(Section):
    """One drop-tail queue that all flows share, first in, first out, and the wire behind it, in the cell's place."""

    rate_bps: SendingRate = 1e7
    delay_ms: Annotated[
        float, Number(at_least=0, at_most=1e6), about("Delay of the wire behind it", "ms", "airlink default")
    ] = 20.0
    limit_packets: Annotated[
        float,
        Number(at_least=1, at_most=10**9, whole=True, infinite=True),
        about("A packet that finds this many in the queue is dropped", "packets", "airlink default: none"),
    ] = float("inf")
    limit_bytes: LimitBytes = float("inf")
    in_service_counts: Annotated[
        Flag,
        about(
            "Whether the packet that is being sent counts against the limits; that of ns-2's DropTail takes it in",
            "",
            "airlink default: it counts, as in [queue]",
        ),
    ] = True
    arrivals_first: Annotated[
        Flag,
        about(
            "Whether a packet that comes at the very moment at which another leaves the queue finds it still there, as "
            "in ns-2 when the wire before the queue is longer than a transmission; ACKs clock such moments",
            "",
            "airlink default",
        ),
    ] = False
    freezes: Annotated[
        tuple[Freeze, ...],
        about(
            "Times in which nothing is sent, which don't overlap; what waits goes on waiting, and what comes is queued "
            "or dropped as ever",
            "",
            "airlink default: none",
        ),
    ] = ()
    price: Price = NoPrice()
    impairments: Annotated[
        Impairments | None, about("What befalls packets on the wire behind the queue", "", "airlink default: nothing")
    ] = None
