"""Flows: what is sent, to whom, when, and over which wires.

Leaves out sessions and request-reply traffic, and uplink data.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .fields import Each, Number, Section, about
from .impairments import Impairments
from .transport import Tcp

DELAY = Number(at_least=0, at_most=1e6)
RATE = Number(above=0, at_most=1e15, infinite=True)


class Greedy(Section):
    """An endless download over TCP."""

    kind: Annotated[Literal["greedy"], about("Endless data over TCP")] = "greedy"


class File(Section):
    """A download of one file over TCP; it is complete when its last byte has arrived at the user in order."""

    kind: Annotated[Literal["file"], about("One file over TCP")] = "file"
    bytes: Annotated[
        int,
        Number(at_least=1, at_most=10**15, whole=True),
        about("Size of the file, payload only", "bytes", "paper 001, given: 700 kB, decimal assumed"),
    ] = 700_000


class Stream(Section):
    """Messages of one size at a constant rate over TCP: the application, not the network, sets the pace."""

    kind: Annotated[Literal["stream"], about("Messages at a constant rate over TCP")] = "stream"
    rate_bps: Annotated[
        float,
        Number(at_least=1, at_most=1e12),
        about(
            "Rate at which the application hands payload to TCP, taken to the millionth of a b/s",
            "b/s",
            "airlink default: a video of standard definition",
        ),
    ] = 2e6
    message_bytes: Annotated[
        int,
        Number(at_least=1, at_most=10**9, whole=True),
        about(
            "Size of a message: one is handed over every 8 x `message_bytes` / `rate_bps`, a microsecond or more",
            "bytes",
            "airlink default: 25 a second at 2 Mb/s",
        ),
    ] = 10_000


class Backlogged(Section):
    """The queue is never empty; no TCP, no wires: what the radio alone can do."""

    kind: Annotated[Literal["backlogged"], about("Always data, no TCP")] = "backlogged"
    packet_bytes: Annotated[
        int,
        Number(at_least=1, at_most=65535, whole=True),
        about("Size of a packet, headers included", "bytes", "airlink default: Ethernet"),
    ] = 1500


Traffic = Annotated[
    Greedy | File | Stream | Backlogged,
    Field(discriminator="kind"),
    about("What the flow sends", "", "airlink default: greedy"),
]


class Path(Section):
    """The wires of each flow: a rate-limited link with an unlimited queue, then a constant delay, each way."""

    downlink_delay_ms: Annotated[
        float, DELAY, about("From the server to the base station's queue", "ms", "paper 001, given: 20")
    ] = 20.0
    downlink_rate_bps: Annotated[
        float, RATE, about("Rate of the wire from the server, a wire per flow", "b/s", "airlink default: unlimited")
    ] = float("inf")
    uplink_delay_ms: Annotated[
        float, DELAY, about("Of acknowledgements, from the user to the server", "ms", "paper 001, given: 20")
    ] = 20.0
    uplink_rate_bps: Annotated[
        float,
        RATE,
        about(
            "Rate of acknowledgements, a link per flow", "b/s", "airlink default: unlimited; paper 001, given: 64 kb/s"
        ),
    ] = float("inf")
    downlink_impairments: Annotated[
        Impairments | None,
        about("What befalls packets on the wire from the server, each flow by itself", "", "airlink default: nothing"),
    ] = None
    uplink_impairments: Annotated[
        Impairments | None,
        about("What befalls acknowledgements, each flow by itself", "", "airlink default: nothing"),
    ] = None


class Flow(Section):
    """One group of flows with the same settings: one flow for each listed user."""

    users: Annotated[
        Literal["all"] | tuple[int, ...],
        Each(Number(at_least=0, at_most=99_999, whole=True), at_least=1, word="all"),
        about(
            "The users (numbered from 0) that have such a flow; each at most once in the list", "", "airlink default"
        ),
    ] = "all"
    start_s: Annotated[
        float, Number(at_least=0, at_most=1e6), about("When the flow starts", "s", "airlink default")
    ] = 0.0
    start_spread_s: Annotated[
        float,
        Number(at_least=0, at_most=1e6),
        about(
            "Added to `start_s`: a draw, uniform from 0 to this, for each flow and seed", "s", "airlink default; K3: 5"
        ),
    ] = 0.0
    stop_s: Annotated[
        float,
        Number(above=0, at_most=1e9, infinite=True),
        about(
            "From then on the flow sends nothing new; what is outstanding is still repeated. Above `start_s` + "
            "`start_spread_s`",
            "s",
            "airlink default",
        ),
    ] = float("inf")
    traffic: Traffic = Greedy()
    path: Annotated[Path, about("The wires (not used by backlogged traffic)")] = Path()
    tcp: Annotated[Tcp, about("The TCP connection (not used by backlogged traffic)")] = Tcp()

    def largest_packet_bytes(self) -> int:
        """The largest packet of the flow, headers included, bytes."""
        if isinstance(self.traffic, Backlogged):
            return self.traffic.packet_bytes
        return self.tcp.mss_bytes + self.tcp.header_bytes
