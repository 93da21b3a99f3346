"""CLAMP [Andrew08]: the price that a queue puts on its packets, and the window of one end that follows it.

Leaves out how a price is written into a header.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .fields import Number, Section, about

MILLISECONDS = Number(at_least=1e-3, at_most=1e6)


class NoPrice(Section):
    """Packets carry no price."""

    kind: Annotated[Literal["none"], about("No price")] = "none"


class MeasuredPrice(Section):
    """What both prices measure of their queue."""

    kind: Annotated[Literal["clamp", "clamp_delay"], about("Which")]
    reactivity: Annotated[
        float,
        Number(above=0, at_most=1000),
        about("b: how much a waiting byte counts; above pi / 2 windows swing", "", "paper 004: 1"),
    ] = 1.0
    averaging_ms: Annotated[
        float,
        MILLISECONDS,
        about("Time constant of the mean", "ms", "paper 004 section 4.1: weights exp(-2 I), so 500"),
    ] = 500.0
    rate_memory_ms: Annotated[
        float,
        MILLISECONDS,
        about(
            "How much time of service the measured rate of the queue remembers",
            "ms",
            "airlink default; paper 004 does not say",
        ),
    ] = 1000.0


class ClampPrice(MeasuredPrice):
    """Departing packets carry max((b mean - a) / rate, 0), the mean taken of the queue as arrivals find it.

    With `per_flow_bytes` a is less by that for each flow that is there: q* = (k (tau - per_flow_bytes) + a) / b.
    """

    kind: Annotated[Literal["clamp"], about("The price of CLAMP's access point, eq. (13) of paper 004")] = "clamp"
    free_bytes: Annotated[
        float,
        Number(at_least=0, at_most=1e12),
        about("a: bytes of queue that have no price", "bytes", "paper 004, Fig. 2: 5500"),
    ] = 5500.0
    per_flow_bytes: Annotated[
        float,
        Number(at_least=0, at_most=1e12),
        about(
            "What each flow takes off a; with tau, the queue settles at a / b however many flows share it",
            "bytes",
            "airlink default: nothing, as paper 004, which leaves it open (section 3.2)",
        ),
    ] = 0.0
    flow_memory_ms: Annotated[
        float,
        MILLISECONDS,
        about("A flow is there for so long after its last packet came", "ms", "airlink default: a few round trips"),
    ] = 1000.0


class ClampDelayPrice(MeasuredPrice):
    """The same price, with an a that moves until packets wait so long on average.

    A packet of s bytes that leaves after a wait of W adds speed_hz s (target - W) to a.
    """

    kind: Annotated[
        Literal["clamp_delay"], about("That price with an a that follows a wait (paper 004, sections 5.9 and 6)")
    ] = "clamp_delay"
    target_ms: Annotated[
        float,
        MILLISECONDS,
        about(
            "The mean wait to hold, from a packet's arrival in the queue to its departure",
            "ms",
            "airlink default; paper 004: low to moderate, 50 or less",
        ),
    ] = 20.0
    speed_hz: Annotated[
        float,
        Number(above=0, at_most=1000),
        about(
            "How fast a follows; b / speed_hz is the time constant, and its stability is on the page of CLAMP",
            "1/s",
            "airlink default: stable for any round trip at targets from 5 ms on, with b = 1",
        ),
    ] = 0.05
    initial_free_bytes: Annotated[
        float, Number(at_least=-1e12, at_most=1e12), about("a at first", "bytes", "airlink default: that of the paper")
    ] = 5500.0
    least_free_bytes: Annotated[
        float,
        Number(at_least=-1e12, at_most=1e12),
        about("The least a; below 0 an empty queue has a price", "bytes", "airlink default: what 20 flows add"),
    ] = -10_000.0
    most_free_bytes: Annotated[
        float,
        Number(at_least=-1e12, at_most=1e12),
        about("The most", "bytes", "airlink default: the buffer of paper 004, section 4.3"),
    ] = 6e6
    hold_ms: Annotated[
        float,
        MILLISECONDS,
        about(
            "a rises only for so long after something had a price: then it is not a that keeps the queue short",
            "ms",
            "airlink default: the time constant of a",
        ),
    ] = 20_000.0


Price = Annotated[
    NoPrice | ClampPrice | ClampDelayPrice,
    Field(discriminator="kind"),
    about("What departing packets tell receivers of the queue", "", "airlink default: nothing"),
]


class ClampOff(Section):
    """No window follows prices."""

    kind: Annotated[Literal["off"], about("Windows are the buffer's and congestion control's")] = "off"


class ClampClient(Section):
    """A window is at most one that follows the price of the queue, eqs (14) to (17)."""

    kind: Annotated[Literal["on", "sender"], about("Whose window")]
    additive_bytes: Annotated[
        float,
        Number(above=0, at_most=1e12),
        about("tau: what the window grows by in a round trip that costs nothing", "bytes", "paper 004: 500"),
    ] = 500.0
    rate_packets: Annotated[
        int,
        Number(at_least=1, at_most=100_000, whole=True),
        about(
            "alpha: packets, at the sender ACKs, that the measured rate is a mean over, at most",
            "packets",
            "paper 004: 1000",
        ),
    ] = 1000
    delay_weight: Annotated[
        float,
        Number(above=0, at_most=1),
        about("beta: weight of the newest round trip in the measured one", "", "paper 004: 0.001"),
    ] = 0.001
    most_increase_bytes: Annotated[
        int,
        Number(at_least=1, at_most=10**12, whole=True),
        about(
            "What one packet, or one ACK at the sender, adds to the window at most, outside slow start",
            "bytes",
            "paper 004: 10 kB, read as 10 000",
        ),
    ] = 10_000
    slow_start_threshold_bytes: Annotated[
        float,
        Number(at_least=1, at_most=10**12, whole=True, infinite=True),
        about("The window from which its slow start does not go on", "bytes", "paper 004: not reached"),
    ] = float("inf")


class ClampOn(ClampClient):
    """The window advertised is at most one that follows the price of the queue: CLAMP's client, eqs (14) to (17)."""

    kind: Annotated[Literal["on"], about("The receiver's window follows the price; needs a queue with one")] = "on"


class ClampSender(ClampClient):
    """Receivers echo prices in their ACKs, and the sender sends at most the least of cwnd, what is advertised and w."""

    kind: Annotated[
        Literal["sender"],
        about("A window of the sender's follows the price; needs a queue with one", "", "airlink: not in paper 004"),
    ] = "sender"


Clamp = Annotated[
    ClampOff | ClampOn | ClampSender,
    Field(discriminator="kind"),
    about("Which end's window follows the price of the queue (CLAMP)", "", "airlink default: neither"),
]
