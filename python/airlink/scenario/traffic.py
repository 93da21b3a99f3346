"""Flows: what is sent, to whom, when, and over which wires.

Leaves out request-reply traffic but for pages of one object, and uplink data.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .fields import Each, Flag, Number, Section, about
from .impairments import Impairments
from .sizes import ConstantSize, ExponentialSize, LognormalSize, ParetoSize, TriangularSize
from .transport import Tcp

DELAY = Number(at_least=0, at_most=1e6)
RATE = Number(above=0, at_most=1e15, infinite=True)
Sizes = ConstantSize | ExponentialSize | LognormalSize | ParetoSize | TriangularSize


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


class Poisson(Section):
    """Files that arrive at random, each over a TCP connection of its own.

    From the group's start to its stop files arrive for each listed user by a Poisson process of its own. Each file is a
    flow, from its arrival to its last byte, and has its connection to itself: handshake (if `tcp.handshake`), slow
    start and all. Files that are under way at the stop are sent to their end.

    >>> Poisson(arrivals_per_s=2, size=ConstantSize(bytes=100_000)).offered_bps
    1600000.0
    """

    kind: Annotated[Literal["poisson"], about("Files that arrive at random, each over a TCP of its own")] = "poisson"
    arrivals_per_s: Annotated[
        float,
        Number(above=0, at_most=1e6),
        about(
            "Rate at which files arrive for each user; arrivals x users x time must be at most 100 000 files",
            "1/s",
            "airlink default",
        ),
    ] = 0.1
    size: Annotated[
        Sizes,
        Field(discriminator="kind"),
        about("How large files are", "", "airlink default; [Tgpp10], FTP models: 500 kB or 2 MB each"),
    ] = ConstantSize(bytes=500_000)

    @property
    def offered_bps(self) -> float:
        """Payload offered to each user in the mean, b/s: arrivals a second x mean size."""
        return 8 * self.arrivals_per_s * self.size.mean_bytes


class Sessions(Section):
    """On-off (web) traffic: a page, a time to think, the next page, on one TCP connection that is kept.

    The first page is requested so that the server has it to send at the flow's start. When the last byte of a page has
    arrived at the user, it thinks; then the request takes the delay of the path's uplink to the server. What the window
    is after a pause is up to `tcp.restart_after_idle`. Leaves out embedded objects and parallel connections, the bytes
    of requests, what is lost of them, and users who give up.
    """

    kind: Annotated[Literal["sessions"], about("Page after page, with times to think, over one TCP")] = "sessions"
    size: Annotated[
        Sizes,
        Field(discriminator="kind"),
        about(
            "How large pages are, with all that is on them",
            "",
            "airlink default: 51 kB in the mean, nearly the 54 kB of a main object and 5.64 embedded ones of [Ngmn08]; "
            "sigma that of its main objects",
        ),
    ] = LognormalSize(median_bytes=20_000, sigma=1.37)
    think_s: Annotated[
        float,
        Number(at_least=0, at_most=1e6),
        about("Mean time from a page's last byte at the user to the next request", "s", "[Ngmn08]: 30"),
    ] = 30.0
    think: Annotated[
        Literal["exponential", "constant"],
        about("How times to think are distributed", "", "[Ngmn08]: exponential"),
    ] = "exponential"


class Backlogged(Section):
    """The queue is never empty; no TCP, no wires: what the radio alone can do."""

    kind: Annotated[Literal["backlogged"], about("Always data, no TCP")] = "backlogged"
    packet_bytes: Annotated[
        int,
        Number(at_least=1, at_most=65535, whole=True),
        about("Size of a packet, headers included", "bytes", "airlink default: Ethernet"),
    ] = 1500


Traffic = Annotated[
    Greedy | File | Stream | Poisson | Sessions | Backlogged,
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
    traffic: Traffic = Greedy()
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
