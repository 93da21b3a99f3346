"""CLAMP [Andrew08]: the window of one end that follows the price of a queue.

Leaves out the price, which `sections.py` has, and how it is written into a header.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .fields import Number, Section, about


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
