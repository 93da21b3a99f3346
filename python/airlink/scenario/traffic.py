"""Flows: what is sent, to whom, when, and over which wires.

Leaves out request-reply traffic but for pages of one object, and uplink data.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .fields import Each, Flag, Number, Section, about
from .sections import Backlogged, Greedy, Impairments, Poisson, Tcp, Traffic

DELAY = Number(at_least=0, at_most=1e6)
RATE = Number(above=0, at_most=1e15, infinite=True)


class Path(Section):
    """The wires of each flow: a rate-limited link with an unlimited queue, then a constant delay, each way."""

    downlink_delay_ms: Annotated[
        float, DELAY, about("From the server to the base station's queue", "ms", "paper 001, given: 20")
    ] = 20.0
    downlink_rate_bps: Annotated[
        float, RATE, about("Rate of the wire from the server, a wire per flow", "b/s", "airlink default: unlimited")
    ] = float("inf")
    upstream: Annotated[
        Flag,
        about("Whether packets pass the queue of `[upstream]` behind that wire", "", "airlink default: they do not"),
    ] = False
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
    """One group of flows with the same settings: one flow for each listed user, of `poisson` one for each file."""

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
            "From then on the flow sends nothing new; what is outstanding is still repeated. Of `poisson`: from then "
            "on no file arrives. Above `start_s` + `start_spread_s`",
            "s",
            "airlink default",
        ),
    ] = float("inf")
    traffic: Annotated[
        Traffic, Field(discriminator="kind"), about("What the flow sends", "", "airlink default: greedy")
    ] = Greedy()
    path: Annotated[Path, about("The wires (not used by backlogged traffic)")] = Path()
    tcp: Annotated[Tcp, about("The TCP connection (not used by backlogged traffic)")] = Tcp()
    hold_timeouts: Annotated[
        Literal["off", "spurious", "initial"],
        about(
            "Control that no sender could run: the retransmission timer, when it expires although the oldest "
            'unacknowledged segment or its ACK is still to come, is armed again and nothing else happens. "spurious": '
            'always; "initial": in the initial slow start (cwnd below ssthresh at its initial value); "off": never',
            "",
            "airlink default; paper 003, Fig. 3(b): held",
        ),
    ] = "off"

    def count(self, users: int) -> int:
        """How many users of a scenario with so many it serves."""
        return users if isinstance(self.users, str) else len(self.users)

    def expected_files(self, users: int, duration_s: float) -> float:
        """Files that arrive for all its users in the mean; 0 without `poisson` traffic.

        A draw of `start_spread_s` is not counted: it only makes them fewer.
        """
        if not isinstance(self.traffic, Poisson):
            return 0.0
        open_s = max(min(self.stop_s, duration_s) - self.start_s, 0.0)
        return self.traffic.arrivals_per_s * open_s * self.count(users)

    def largest_packet_bytes(self) -> int:
        """The largest packet of the flow, headers included, bytes."""
        if isinstance(self.traffic, Backlogged):
            return self.traffic.packet_bytes
        return self.tcp.mss_bytes + self.tcp.header_bytes
