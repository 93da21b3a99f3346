"""A second bottleneck: a queue that some flows pass on their way to the cell or to the wired bottleneck.

Leaves out active queue management, ECN, impairments of its wire, and rates that change.
"""

from __future__ import annotations

from typing import Annotated

from .bottleneck import SendingRate
from .clamp import NoPrice, Price
from .fields import Number, Section, about
from .queue import LimitBytes


class Upstream(Section):
    """One drop-tail queue, first in, first out, and the wire behind it, for the flows with `path.upstream = true`."""

    rate_bps: SendingRate = 1e7
    delay_ms: Annotated[
        float,
        Number(at_least=0, at_most=1e6),
        about("Delay of the wire behind it, which `path.downlink_delay_ms` leads to", "ms", "airlink default: none"),
    ] = 0.0
    limit_packets: Annotated[
        float,
        Number(at_least=1, at_most=10**9, whole=True, infinite=True),
        about(
            "A packet that finds this many in the queue, with the one that is being sent, is dropped",
            "packets",
            "airlink default: none",
        ),
    ] = float("inf")
    limit_bytes: LimitBytes = float("inf")
    price: Price = NoPrice()
