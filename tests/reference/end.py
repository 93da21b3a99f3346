"""One end of a connection with data both ways: a sender and a receiver that share segments, a handshake, and ECN."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from reference.clock import ns
from reference.receiver import Receiver
from reference.sender import Sender


@dataclass(eq=False)
class Segment:
    """What travels, either way. Numbers are bytes of the stream from 0; `size` is with headers; times in ns."""

    down: bool
    sequence: int = 0
    payload: int = 0
    number: int | None = None
    syn: bool = False
    again: bool = False
    ece: bool = False
    cwr: bool = False
    ect: bool = False
    ce: bool = False
    size: int = 0
    sent: int = 0
    ended: int | None = None
    lost: bool = False


class EcnSender(Sender):
    """RFC 3168 section 6.1.2: an ECE halves the window once in a window of data, and no ECE lets it grow."""

    echoed = False
    reduced_at = 0
    reductions = 0
    announce = False

    def on_ack(self, now: int, number: int, ece: bool = False) -> None:
        self.echoed = ece
        super().on_ack(now, number)

    def grow(self, acked: int) -> int:
        if not self.echoed or self.recover is not None:
            return super().grow(acked)
        if self.una > self.reduced_at:
            window = min(self.cwnd, self.tcp.receiver_window_bytes)
            reduced = window if self.tcp.rules.reduction_of == "window" else self.flight
            self.ssthresh = max(reduced / 2, 2 * self.mss)
            self.cwnd = self.ssthresh
            self.reduced_at = self.max
            self.reductions += 1
            self.announce = True
        return 0


class End:
    """`transmit` takes each segment; `deliver` is told how many bytes are there in order."""

    def __init__(
        self,
        tcp: Any,
        down: bool,
        transmit: Callable[[int, Segment], None],
        deliver: Callable[[int, int], None],
    ) -> None:
        self.tcp, self.down, self.transmit, self.deliver = tcp, down, transmit, deliver
        self.ecn = getattr(tcp, "ecn", "off") == "rfc3168"
        self.sender = EcnSender(tcp, 0, math.inf, self.send_data)
        self.receiver = Receiver(tcp)
        self.is_open = not tcp.handshake
        self.asked_at: int | None = None
        self.owes = False
        self.echo = False
        self.told: dict[str, int] = {}
        self.has_heard = False

    def supply(self, now: int, size: float) -> None:
        """The application has more to send."""
        self.sender.size += size
        if self.is_open:
            self.sender.send_allowed(now)

    def open(self, now: int, number: int | None = None) -> None:
        """Asks for the connection, or agrees to it with a `number`; nothing is lost before it is open."""
        self.asked_at = now
        self.send(now, Segment(self.down, number=number, syn=True, ece=self.ecn, cwr=self.ecn and number is None))

    def receive(self, now: int, segment: Segment) -> None:
        """Data first, so that what the ACK in it lets out acknowledges that data; a pure ACK if nothing else does."""
        self.has_heard = self.has_heard or segment.syn or segment.payload > 0
        if segment.syn and segment.number is None:
            self.open(now, number=0)
            return
        if not self.is_open:
            self.owes = segment.syn
            self.establish(now)
        if segment.payload:
            self.take(now, segment)
        if (
            segment.number is not None
            and not segment.syn
            and (segment.payload == 0 or segment.number > self.sender.una)
        ):
            self.sender.on_ack(now, segment.number, segment.ece)
        self.deliver(now, self.receiver.expected)
        self.acknowledge(now)

    def establish(self, now: int) -> None:
        assert self.asked_at is not None
        self.is_open = True
        self.sender.timer.sample(self.asked_at, now)
        self.sender.send_allowed(now)

    def take(self, now: int, segment: Segment) -> None:
        """RFC 3168 section 6.1.3: from a mark on every ACK echoes it, until a CWR comes without one."""
        self.echo = segment.ce or (self.echo and not segment.cwr)
        self.owes = self.receiver.on_segment(now, segment.sequence, segment.payload)

    def acknowledge(self, now: int) -> None:
        if self.owes:
            self.send(now, Segment(self.down, sequence=self.sender.nxt, number=self.receiver.expected))

    def timers(self) -> Iterator[tuple[int, Callable[[int], None]]]:
        """What has become due since the last call, and when; what has been set anew by then does nothing."""
        for at, action in ((self.sender.timer.expiry, self.on_expiry), (self.receiver.answer_at, self.on_delayed)):
            if at is not None and self.told.get(action.__name__) != at:
                self.told[action.__name__] = at
                yield at, action

    def on_expiry(self, now: int) -> None:
        if self.sender.timer.expiry == now:
            self.sender.on_timeout(now)

    def on_delayed(self, now: int) -> None:
        """The ACK that waited leaves."""
        if self.receiver.answer_at == now:
            self.owes = self.receiver.answered()
            self.acknowledge(now)

    def send_data(self, now: int, sequence: int, payload: int, again: bool) -> None:
        cwr = self.sender.announce and not again
        self.sender.announce = self.sender.announce and not cwr
        number = self.receiver.expected if self.has_heard else None
        segment = Segment(self.down, sequence, payload, number, again=again, cwr=cwr)
        segment.ect = self.ecn and not again
        self.receiver.answered()
        self.send(now, segment)

    def send(self, now: int, segment: Segment) -> None:
        self.owes = False
        segment.sent = now
        segment.ece = segment.ece or self.echo
        segment.size = self.tcp.header_bytes + segment.payload if segment.payload else self.tcp.ack_bytes
        self.transmit(now, segment)


def milliseconds(value: float) -> int:
    """In nanoseconds."""
    return ns(value, 10**6)
