"""A wired bottleneck with data both ways: requests and answers, uploads, ECN by a threshold, UDP at a constant rate.

At one nanosecond: what reaches users, what reaches the queue, what reaches servers, timers; each by flow number.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Callable
from fractions import Fraction
from itertools import count
from typing import Any

from reference.clock import SECOND, ns
from reference.end import End, Segment, milliseconds
from reference.wire import Wire

AT_USER, AT_QUEUE, AT_SERVER, TIMER = range(4)


class Queue:
    """Drop-tail, with the packet in service; ECN-capable packets that find more than the threshold are marked."""

    def __init__(self, bottleneck: Any) -> None:
        self.wire = Wire(bottleneck.rate_bps, milliseconds(bottleneck.delay_ms))
        self.limit = bottleneck.limit_packets
        self.mark_above = getattr(bottleneck, "mark_above_packets", math.inf)
        self.departures: deque[int] = deque()

    def push(self, now: int, segment: Segment) -> int | None:
        """When it is at the user; None if it is lost."""
        while self.departures and self.departures[0] <= now:
            self.departures.popleft()
        if len(self.departures) >= self.limit:
            return None
        if segment.ect and len(self.departures) > self.mark_above:
            segment.ce = True
        arrival = self.wire.arrival(now, segment.size)
        self.departures.append(self.wire.free)
        return arrival


class Flow:
    """Both ends, or a source of datagrams; `segments` are all that left, in their order."""

    def __init__(self, run: WiredRun, number: int, group: Any, start: int) -> None:
        self.run, self.number, self.group, self.start = run, number, group, start
        path = group.path
        self.down = Wire(path.downlink_rate_bps, milliseconds(path.downlink_delay_ms))
        self.up = Wire(path.uplink_rate_bps, milliseconds(path.uplink_delay_ms))
        self.segments: list[Segment] = []
        self.asked: list[int] = []
        self.answered: list[int] = []
        self.waits = False
        self.push(start, TIMER, self.begin)
        if group.traffic.kind != "constant_rate":
            self.server = End(group.tcp, True, self.transmit, self.at_server)
            self.user = End(group.tcp, False, self.transmit, self.at_user)

    def push(self, time: int, kind: int, action: Callable[[int], None]) -> None:
        self.run.push(time, kind, self.number, action)

    def begin(self, now: int) -> None:
        traffic = self.group.traffic
        if traffic.kind == "constant_rate":
            self.send_datagram(now)
        elif traffic.kind == "requests":
            if self.group.tcp.handshake:
                self.user.open(now)
            self.ask(now)
        else:
            sender = self.server if getattr(self.group, "direction", "down") == "down" else self.user
            sender.supply(now, traffic.bytes if traffic.kind == "file" else math.inf)

    def ask(self, now: int) -> None:
        self.asked.append(now)
        self.waits = True
        self.user.supply(now, self.group.traffic.request_bytes)

    def at_server(self, now: int, there: int) -> None:
        """A whole request is answered."""
        traffic = self.group.traffic
        if traffic.kind == "requests" and there == len(self.asked) * traffic.request_bytes and self.waits:
            self.waits = False
            self.server.supply(now, traffic.size.bytes)

    def at_user(self, now: int, there: int) -> None:
        """A whole answer is read, then the next is asked for."""
        traffic = self.group.traffic
        asked = len(self.asked)
        if traffic.kind == "requests" and there == asked * traffic.size.bytes and len(self.answered) < asked:
            self.answered.append(now)
            self.push(now + ns(traffic.think_s, SECOND), TIMER, self.ask)

    def send_datagram(self, now: int) -> None:
        """Packet n leaves n packets' time at the rate after the first, rounded down; both are with headers."""
        traffic = self.group.traffic
        size = traffic.packet_bytes
        self.transmit(
            now, Segment(self.group.direction == "down", size * len(self.segments), size, size=size, sent=now)
        )
        after = int(Fraction(8 * size * len(self.segments) * SECOND) / Fraction(traffic.rate_bps))
        self.push(self.start + after, TIMER, self.send_datagram)

    def transmit(self, now: int, segment: Segment) -> None:
        self.segments.append(segment)
        wire = self.down if segment.down else self.up
        arrival = wire.arrival(now, segment.size)
        if segment.down:
            self.push(arrival, AT_QUEUE, lambda at: self.enter(at, segment))
        else:
            self.push(arrival, AT_SERVER, lambda at: self.arrive(at, segment))

    def enter(self, now: int, segment: Segment) -> None:
        arrival = self.run.queue.push(now, segment)
        if arrival is None:
            segment.ended, segment.lost = now, True
        else:
            self.push(arrival, AT_USER, lambda at: self.arrive(at, segment))

    def arrive(self, now: int, segment: Segment) -> None:
        segment.ended = now
        if self.group.traffic.kind != "constant_rate":
            (self.user if segment.down else self.server).receive(now, segment)

    def arm(self) -> None:
        """Timers are looked at after each event of the flow; one that was set anew is not the one that was pushed."""
        for end in () if self.group.traffic.kind == "constant_rate" else (self.server, self.user):
            for at, action in end.timers():
                self.push(at, TIMER, action)


class WiredRun:
    """One run; `starts` are the flows' starts in nanoseconds, which may be drawn."""

    def __init__(self, scenario: Any, starts: list[int]) -> None:
        self.scenario = scenario
        self.events: list[tuple[int, int, int, int, Callable[[int], None]]] = []
        self.order = count()
        self.queue = Queue(scenario.bottleneck)
        users = range(scenario.users)
        groups = [group for group in scenario.flows for _ in (users if group.users == "all" else group.users)]
        self.flows = [Flow(self, number, *pair) for number, pair in enumerate(zip(groups, starts, strict=True))]

    def push(self, time: int, kind: int, flow: int, action: Callable[[int], None]) -> None:
        heapq.heappush(self.events, (time, kind, flow, next(self.order), action))

    def run(self) -> WiredRun:
        end = ns(self.scenario.duration_s, SECOND)
        while self.events and self.events[0][0] <= end:
            now, _, number, _, action = heapq.heappop(self.events)
            action(now)
            self.flows[number].arm()
        return self
