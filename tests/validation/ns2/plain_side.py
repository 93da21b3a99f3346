"""The cases of data both ways by the plain reference (tests/reference): no code of the engine's is in it.

It has no FIN and no restart after idle times, and Reno and NewReno of the RFCs, not of ns-2.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable
from itertools import count
from typing import Any

from airlink import Scenario
from reference.clock import SECOND, ns
from reference.end import End, Segment, milliseconds
from reference.wire import Wire

from .twoway import SEGMENT_BYTES, Case, Sent
from .twoway import End as EndName

WIRE_BPS = 1e9
AT_CLIENT, AT_QUEUE, AT_SERVER, TIMER, APPLICATION = range(5)


def tcp(case: Case) -> Any:
    """FullTcp's settings."""
    values = {
        "congestion_control": "new_reno" if "Newreno" in case.agent else "reno",
        "mss_bytes": SEGMENT_BYTES,
        "handshake": True,
        "initial_window_segments": 2,
        "receiver_window_bytes": case.window_packets * SEGMENT_BYTES,
        "rto": {"tick_ms": 10, "min_ms": 200, "initial_ms": 3000},
        "rules": {"timeout_raises_threshold": True, "reduction_of": "window"},
    }
    values["delayed_ack"] = {"every": case.every, **({"timer_ms": 100} if case.every > 1 else {})}
    network = {"duration_s": 1, "users": 1, "bottleneck": {"rate_bps": case.rate_bps}}
    return Scenario.model_validate({**network, "flows": [{"tcp": values}]}).flows[0].tcp


class Plain:
    """A run of a case."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.sent: list[Sent] = []
        self.events: list[tuple[int, int, int, Callable[[int], None]]] = []
        self.order = count()
        self.client = End(tcp(case), False, self.transmit, lambda _now, _there: None)
        self.server = End(tcp(case), True, self.transmit, self.at_server)
        self.access = Wire(WIRE_BPS, milliseconds(case.access_ms))
        self.bottleneck = Wire(case.rate_bps, milliseconds(case.delay_ms))
        self.back = Wire(case.return_bps, milliseconds(case.return_ms))
        self.leaving: deque[int] = deque()
        for end in (self.client, self.server):
            end.ecn = bool(case.marks)
        self.packets_of_server = 0
        self.asked = 0
        self.requested: deque[int] = deque()
        self.push(0, APPLICATION, self.client.open)
        for end, commands in ((self.client, case.client), (self.server, case.server)):
            for command in commands:
                if command.bytes:
                    self.push(ns(command.at_s, SECOND), APPLICATION, self.sending(end, command.bytes))

    def sending(self, end: End, size: int) -> Callable[[int], None]:
        def send(now: int) -> None:
            if end is self.client:
                self.asked += size
                self.requested.append(self.asked)
            end.supply(now, size)

        return send

    def at_server(self, now: int, there: int) -> None:
        """A whole request is answered at once."""
        while self.case.answer_bytes and self.requested and there >= self.requested[0]:
            self.requested.popleft()
            self.server.supply(now, self.case.answer_bytes)

    def push(self, time: int, kind: int, action: Callable[[int], None]) -> None:
        heapq.heappush(self.events, (time, kind, next(self.order), action))

    def transmit(self, now: int, one: Segment) -> None:
        flags = "".join(
            letter
            for letter, is_set in zip("SAEC", (one.syn, one.number is not None, one.ece, one.cwr), strict=True)
            if is_set
        )
        acknowledged = -1 if one.number is None else one.number + 1
        name: EndName = "server" if one.down else "client"
        self.sent.append(Sent(now / SECOND, name, one.sequence + (not one.syn), one.payload, acknowledged, flags))
        if one.down:
            one.ce = one.ect and self.packets_of_server in self.case.marks
            self.packets_of_server += 1
            self.push(self.access.arrival(now, one.size), AT_QUEUE, lambda at: self.enter(at, one))
        else:
            self.push(self.back.arrival(now, one.size), AT_SERVER, lambda at: self.server.receive(at, one))

    def enter(self, now: int, one: Segment) -> None:
        """What leaves at this very moment is still there, as in ns-2 with these wires."""
        while self.leaving and self.leaving[0] < now:
            self.leaving.popleft()
        if len(self.leaving) < self.case.limit_packets:
            arrival = self.bottleneck.arrival(now, one.size)
            self.leaving.append(self.bottleneck.free)
            self.push(arrival, AT_CLIENT, lambda at: self.client.receive(at, one))

    def run(self) -> list[Sent]:
        """All segments of both ends."""
        while self.events and self.events[0][0] <= ns(self.case.duration_s, SECOND):
            now, _, _, action = heapq.heappop(self.events)
            action(now)
            for end in (self.client, self.server):
                for at, due in end.timers():
                    self.push(at, TIMER, due)
        return self.sent
