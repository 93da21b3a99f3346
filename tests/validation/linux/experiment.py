"""One experiment: sockets of the kernel on both sides, this process as the wire between them.

The link is computed, not slept through: a packet that is read at t leaves the bottleneck when the ones before it have
been sent, and is written to the other side at the time so found. The process waits awake for the last 150 us.
"""

from __future__ import annotations

import gc
import heapq
import os
import select
import socket
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from . import kernel, segments
from .cases import Case, Spell
from .segments import MODULUS, Segment

SENDER, RECEIVER = "10.99.0.1", "10.99.0.2"
PORT = 5000
AWAKE_S = 150e-6
CHUNK = bytes(131_072)


@dataclass(frozen=True)
class Event:
    """A packet seen at a place. Numbers count bytes of the stream from 0.

    Places: `sent` by the sender, `arrived` at the receiver, `answered` by it, `heard` back, `dropped` for a reason.
    """

    time: float
    place: str
    flow: int
    sequence: int
    length: int
    acknowledgment: int
    window: int
    sack: tuple[tuple[int, int], ...]
    flags: int
    timestamp: int | None
    echo: int | None
    why: str = ""


@dataclass
class Flow:
    """Sockets of a flow and the numbers that its streams start with."""

    sender: socket.socket
    receiver: socket.socket | None = None
    first: int | None = None
    first_back: int | None = None
    seen: int = 0
    answers: int = 0
    written: int = 0
    received: int = 0
    connected: bool = False
    infos: list[tuple[float, kernel.Info]] = field(default_factory=list)


@dataclass
class Outcome:
    """What came of an experiment. Times in seconds since the first SYN."""

    case: Case
    events: list[Event]
    infos: list[list[tuple[float, kernel.Info]]]
    received: list[int]
    sender_counters: dict[str, int]
    receiver_counters: dict[str, int]
    late_us: float


class Bottleneck:
    """A rate and a queue of packets, dropping the newest. Departure times are exact, however late this process is."""

    def __init__(self, rate_bps: float, limit: int, in_service_counts: bool) -> None:
        self.rate_bps = rate_bps
        self.limit = limit + (0 if in_service_counts else 1)
        self.departures: deque[float] = deque()

    def departure(self, now: float, packet_bytes: int) -> float | None:
        """When a packet that comes now has been sent; None: there's no room."""
        departures = self.departures
        while departures and departures[0] <= now:
            departures.popleft()
        if len(departures) >= self.limit:
            return None
        start = departures[-1] if departures else now
        departures.append(start + packet_bytes * 8 / self.rate_bps)
        return departures[-1]


class Wire:
    """A delay, at times more of it or an outage; packets keep their order."""

    def __init__(self, delay_s: float, spikes: tuple[Spell, ...], outages: tuple[Spell, ...]) -> None:
        self.delay_s = delay_s
        self.spikes = spikes
        self.outages = outages
        self.last = 0.0

    def arrival(self, entry: float) -> float | None:
        """When a packet that enters at this time arrives; None: lost in an outage."""
        for outage in self.outages:
            if outage.start_s <= entry < outage.start_s + outage.length_s:
                if not outage.hold:
                    return None
                entry = outage.start_s + outage.length_s
        for spike in self.spikes:
            if spike.start_s <= entry < spike.start_s + spike.length_s:
                entry += spike.extra_ms / 1e3
        self.last = max(self.last, entry + self.delay_s)
        return self.last


class Experiment:
    """Runs one case."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.near = kernel.Namespace(SENDER, RECEIVER, case.settings())
        self.far = kernel.Namespace(RECEIVER, SENDER, case.settings())
        self.bottleneck = Bottleneck(case.rate_bps, case.limit_packets, case.in_service_counts)
        self.forward = [Wire(delay / 1e3, case.spikes, case.outages) for delay in case.forward_ms]
        self.backward = [Wire(delay / 1e3, (), ()) for delay in case.backward_ms]
        self.events: list[Event] = []
        self.heap: list[tuple[float, int, int, bytes, int, Segment]] = []
        self.count = 0
        self.flows: list[Flow] = []
        self.by_port: dict[int, int] = {}
        self.start = 0.0
        self.late = 0.0

    def run(self) -> Outcome:
        try:
            with kernel.in_real_time():
                gc.disable()
                self._open()
                self._loop()
            outcome = self._outcome()
        finally:
            gc.enable()
            self._close()
        return outcome

    def _open(self) -> None:
        self.listener = self.far.socket()
        kernel.set_buffers(self.listener, 0, self.case.receive_buffer)
        self.listener.bind((RECEIVER, PORT))
        self.listener.listen(64)
        self.start = time.monotonic()
        for number in range(self.case.flows):
            sender = self.near.socket()
            kernel.set_buffers(sender, self.case.send_buffer, 0)
            sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, self.case.congestion_control.encode())
            sender.bind((SENDER, 40000 + number))
            self.by_port[40000 + number] = number
            self.flows.append(Flow(sender))
            sender.connect_ex((RECEIVER, PORT))

    def _loop(self) -> None:
        end = self.start + self.case.duration_s
        tuns = [self.near.tun, self.far.tun]
        while (now := time.monotonic()) < end:
            moved = self._take(self.near.tun, self._from_sender) + self._take(self.far.tun, self._from_receiver)
            moved += self._deliver()
            if moved:
                continue
            due = min(self.heap[0][0] + self.start if self.heap else end, end)
            if due - now > AWAKE_S:
                select.select(tuns, [], [], due - now - AWAKE_S)

    def _take(self, tun: int, handle: Callable[[float, bytes, Segment], None]) -> int:
        taken = 0
        while True:
            try:
                packet = os.read(tun, 65536)
            except BlockingIOError:
                return taken
            now = time.monotonic() - self.start
            segment = segments.read(packet)
            if segment is not None:
                handle(now, packet, segment)
                taken += 1

    def _from_sender(self, now: float, packet: bytes, segment: Segment) -> None:
        number = self.by_port[segment.source]
        flow = self.flows[number]
        if segment.flags & segments.SYN:
            flow.first = (segment.sequence + 1) % MODULUS
        self._note(now, "sent", number, segment)
        if segment.length:
            flow.seen += 1
            if flow.seen - 1 in self.case.drop:
                self._note(now, "dropped", number, segment, "chosen")
                return
        departure = self.bottleneck.departure(now, segment.packet_bytes)
        if departure is None:
            self._note(now, "dropped", number, segment, "queue full")
            return
        arrival = self.forward[number].arrival(departure)
        if arrival is None:
            self._note(departure, "dropped", number, segment, "outage")
            return
        self._push(arrival, self.far.tun, packet, number, segment)

    def _from_receiver(self, now: float, packet: bytes, segment: Segment) -> None:
        number = self.by_port[segment.target]
        if segment.flags & segments.SYN:
            self.flows[number].first_back = (segment.sequence + 1) % MODULUS
        self._note(now, "answered", number, segment)
        if not segment.flags & segments.SYN:
            self.flows[number].answers += 1
            if self.flows[number].answers - 1 in self.case.drop_acks:
                return
        arrival = self.backward[number].arrival(now)
        if arrival is not None:
            self._push(arrival, self.near.tun, packet, number, segment)

    def _push(self, when: float, tun: int, packet: bytes, number: int, segment: Segment) -> None:
        self.count += 1
        heapq.heappush(self.heap, (when, self.count, tun, packet, number, segment))

    def _deliver(self) -> int:
        delivered = 0
        while self.heap and self.heap[0][0] <= time.monotonic() - self.start:
            when, _, tun, packet, number, segment = heapq.heappop(self.heap)
            now = time.monotonic() - self.start
            self.late = max(self.late, now - when)
            os.write(tun, packet)
            self._note(now, "arrived" if tun == self.far.tun else "heard", number, segment)
            self._serve(tun, number)
            delivered += 1
            if tun == self.near.tun:
                self._take(self.near.tun, self._from_sender)
            else:
                self._take(self.far.tun, self._from_receiver)
        return delivered

    def _serve(self, tun: int, number: int) -> None:
        """What the two applications do: the one never lacks data, the other reads at once."""
        flow = self.flows[number]
        if tun == self.far.tun:
            if flow.receiver is None:
                self._accept()
            if flow.receiver is not None:
                flow.received += _read_all(flow.receiver)
        else:
            flow.written += _write(flow.sender, self._chunk(flow.written))
            flow.infos.append((time.monotonic() - self.start, kernel.info(flow.sender)))

    def _chunk(self, written: int) -> bytes:
        """What the application has to send next."""
        return CHUNK[: max(self.case.file_bytes - written, 0)] if self.case.file_bytes else CHUNK

    def _accept(self) -> None:
        try:
            opened, (_, port) = self.listener.accept()
        except BlockingIOError:
            return
        opened.setblocking(False)
        self.flows[self.by_port[port]].receiver = opened

    def _note(self, now: float, place: str, number: int, segment: Segment, why: str = "") -> None:
        flow = self.flows[number]
        near = place in ("sent", "arrived", "dropped")
        own, other = (flow.first, flow.first_back) if near else (flow.first_back, flow.first)
        self.events.append(
            Event(
                time=now,
                place=place,
                flow=number,
                sequence=_since(segment.sequence, own),
                length=segment.length,
                acknowledgment=_since(segment.acknowledgment, other),
                window=segment.window,
                sack=tuple((_since(first, other), _since(last, other)) for first, last in segment.sack),
                flags=segment.flags,
                timestamp=segment.timestamp,
                echo=segment.echo,
                why=why,
            )
        )

    def _outcome(self) -> Outcome:
        return Outcome(
            case=self.case,
            events=self.events,
            infos=[flow.infos for flow in self.flows],
            received=[flow.received for flow in self.flows],
            sender_counters=self.near.counters(),
            receiver_counters=self.far.counters(),
            late_us=self.late * 1e6,
        )

    def _close(self) -> None:
        for flow in self.flows:
            flow.sender.close()
            if flow.receiver is not None:
                flow.receiver.close()
        self.listener.close()
        self.near.close()
        self.far.close()


def _since(number: int, first: int | None) -> int:
    """Bytes of the stream before this number; -1: of the SYN."""
    if first is None:
        return -1
    distance = (number - first) % MODULUS
    return distance if distance < MODULUS // 2 else distance - MODULUS


def _read_all(opened: socket.socket) -> int:
    total = 0
    while True:
        try:
            taken = len(opened.recv(1 << 20))
        except (BlockingIOError, ConnectionError):
            return total
        if taken == 0:
            return total
        total += taken


def _write(opened: socket.socket, chunk: bytes) -> int:
    try:
        return opened.send(chunk) if chunk else 0
    except (BlockingIOError, ConnectionError):
        return 0
