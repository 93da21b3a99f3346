"""What tcptrace 6.6 and tshark 4.0 count, by their definitions, from a list of passing packets.

Written from what the programs do. Left out: closed windows, FIN, RST, sequence numbers beyond 2^32, several ways of
cutting the same bytes into segments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from readers.passing import Passing

MICROSECOND = 1000
FAST_NS = 20_000_000
"""tshark: a fast retransmission comes within 20 ms of the ACK that asked for it."""
REORDERED_NS = 3_000_000
"""tshark: a late segment is out of order within the first round trip, or this where that took no time."""


@dataclass
class TcptraceView:
    """Of the way down, by tcptrace's words; marks as (microseconds, end or number, letter)."""

    counts: Counter[str] = field(default_factory=Counter)
    marks: list[tuple[int, int, str]] = field(default_factory=list)


def by_tcptrace(passing: Iterable[Passing]) -> TcptraceView:
    """What tcptrace counts of a connection after its handshake, whose SYN has been acknowledged.

    An RTT sample is an ACK of new data whose number is the end of a segment that was sent once, if nothing
    below it was sent later, to the microsecond. A duplicate ACK repeats highest number and window; the third
    in a row is marked, and ACKs that come late count into the row.
    """
    connection = _Tcptrace()
    for packet in passing:
        if packet.down:
            connection.on_data(packet)
        else:
            connection.on_ack(packet)
    return connection.view


class _Tcptrace:
    """What tcptrace remembers of a connection."""

    def __init__(self) -> None:
        self.view = TcptraceView()
        self.sendings: dict[int, list[int]] = {}  # microseconds of each, by first byte
        self.starts: dict[int, int] = {}  # first byte by end
        self.unacknowledged: list[int] = []
        self.highest = 0
        self.reached = 0
        self.times_reached = 1
        self.window_bytes = 0
        self.latest = 0  # sending of what lies below `reached`

    def on_data(self, packet: Passing) -> None:
        now, end = packet.time_ns // MICROSECOND, packet.start + packet.length
        self._count("actual data", packet.length)
        if packet.start in self.sendings:
            self._count("rexmt data", packet.length)
            self.view.marks.append((now, end, "R"))
        else:
            self.starts[end] = packet.start
            self.unacknowledged.append(packet.start)
            if packet.start < self.highest:
                self.view.counts["outoforder pkts"] += 1
                self.view.marks.append((now, end, "O"))
        self.sendings.setdefault(packet.start, []).append(now)
        self.highest = max(self.highest, end)
        if packet.start < self.reached:
            self.latest = now

    def on_ack(self, packet: Passing) -> None:
        if packet.number > self.reached:
            self._reach(packet.number)
            self.window_bytes = packet.window_bytes
            return
        same_window, self.window_bytes = packet.window_bytes == self.window_bytes, packet.window_bytes
        if packet.number == self.reached and not same_window:
            return
        self.times_reached += 1
        if packet.number == self.reached:
            self.view.counts["duplicate acks"] += 1
            if self.times_reached == 4:
                self.view.counts["triple dupacks"] += 1
                self.view.marks.append((packet.time_ns // MICROSECOND, packet.number, "3"))

    def _reach(self, number: int) -> None:
        covered = [start for start in self.unacknowledged if start < number]
        self.unacknowledged = [start for start in self.unacknowledged if start >= number]
        self.latest = max([self.latest, *(self.sendings[start][-1] for start in covered)])
        last = self.sendings[self.starts[number]] if number in self.starts else []
        if len(last) == 1 and last[0] >= self.latest:
            self.view.counts["RTT samples"] += 1
        self.reached, self.times_reached = number, 1

    def _count(self, what: str, size: int) -> None:
        self.view.counts[f"{what} pkts"] += 1
        self.view.counts[f"{what} bytes"] += size


@dataclass
class _Way:
    """What tshark remembers of one way of a connection."""

    expected: int = 0
    expected_at: int = 0
    number: int = 0
    window: int = -1
    duplicates: int = 0
    at: int = 0


@dataclass(frozen=True)
class TsharkView:
    """What tshark says of a packet: how it is repeated, whether it is a duplicate, the round trip it ends, ns."""

    repeated: str
    duplicate: bool
    rtt_ns: int | None


def by_tshark(passing: Iterable[Passing], initial_rtt_ns: int, first_window: int) -> list[TsharkView]:
    """What tshark says of each packet after the handshake.

    Parameters
    ----------
    initial_rtt_ns : of the handshake; 0 when it took no time.
    first_window : of the user's last packet in the handshake, in the units of `window_bytes`.
    """
    down, up = _Way(), _Way(window=first_window)
    outstanding: list[Passing] = []
    said = []
    for packet in passing:
        if packet.down:
            said.append(TsharkView(_repeated(packet, down, up, initial_rtt_ns), False, None))
            outstanding.append(packet)
            end = packet.start + packet.length
            if end > down.expected:
                down.expected, down.expected_at = end, packet.time_ns
        else:
            same = packet.number == up.number
            duplicate = same and packet.window_bytes == up.window and packet.window_bytes > 0
            up.duplicates = (up.duplicates + duplicate) if same else 0
            ended = [sent.time_ns for sent in outstanding if sent.start + sent.length == packet.number]
            outstanding = [sent for sent in outstanding if sent.start + sent.length > packet.number]
            said.append(TsharkView("", duplicate, packet.time_ns - ended[0] if ended else None))
            up.number, up.window, up.at = packet.number, packet.window_bytes, packet.time_ns
    return said


def _repeated(packet: Passing, down: _Way, up: _Way, initial_rtt_ns: int) -> str:
    """How tshark calls a segment that starts below what it expects."""
    end = packet.start + packet.length
    if packet.start >= down.expected:
        return ""
    if end <= up.number:
        return "spurious_retransmission"
    if up.duplicates >= 2 and up.number == packet.start and packet.time_ns - up.at < FAST_NS:
        return "fast_retransmission"
    if packet.time_ns - down.expected_at < (initial_rtt_ns or REORDERED_NS) and end != down.expected:
        return "out_of_order"
    return "retransmission"
