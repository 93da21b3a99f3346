"""A bottleneck that freezes, against a second one that goes from event to event.

No simulator that the project is compared with has an exact twin: an ns-2 queue is blocked only while a packet is sent,
and an ns-2 link that goes down loses packets or holds those on it.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
import pytest

import airlink

DELAY_MS = 7
STEP_S = 1 / 512
"""Whole nanoseconds, and sums of it are exact: freezes may follow one another at once."""
END, THAW, FREEZE, ARRIVAL = range(4)
"""What happens first of what happens at one nanosecond; with `arrivals_first` an arrival does."""


@dataclass
class Line:
    """A queue and a transmitter; times in nanoseconds."""

    bottleneck: dict[str, Any]
    waiting: deque[tuple[int, int]] = field(default_factory=deque)
    """Number and bytes."""
    sending: tuple[int, int] | None = None
    left_ns: int = 0
    """How long the packet that is being sent still takes."""
    since: int = 0
    """When it (again) began."""
    is_frozen: bool = False
    pauses: bool = False
    sent: dict[int, int] = field(default_factory=dict)

    def end(self) -> float:
        pauses = self.is_frozen and self.pauses
        return math.inf if self.sending is None or pauses else self.since + self.left_ns

    def begin(self, now: int) -> None:
        if self.sending is None and self.waiting and not self.is_frozen:
            self.sending = self.waiting.popleft()
            self.left_ns = round(self.sending[1] * 8e9 / self.bottleneck["rate_bps"])
            self.since = now

    def finish(self, now: int) -> None:
        assert self.sending is not None
        self.sent[self.sending[0]] = now
        self.sending = None
        self.begin(now)

    def freeze(self, now: int, pauses: bool) -> None:
        self.is_frozen, self.pauses = True, pauses
        if pauses and self.sending is not None:
            self.left_ns -= now - self.since

    def thaw(self, now: int) -> None:
        if self.pauses and self.sending is not None:
            self.since = now
        self.is_frozen = self.pauses = False

    def arrive(self, now: int, number: int, size: int) -> None:
        held = list(self.waiting)
        if self.sending is not None and self.bottleneck["in_service_counts"]:
            held.append(self.sending)
        starts_at_once = self.sending is None and not self.waiting and not self.is_frozen
        has_room = len(held) < self.bottleneck["limit_packets"]
        has_room &= sum(size for _, size in held) + size <= self.bottleneck["limit_bytes"]
        if has_room or (starts_at_once and not self.bottleneck["in_service_counts"]):
            self.waiting.append((number, size))
            self.begin(now)


def departures(bottleneck: dict[str, Any], arrivals: list[tuple[int, int]]) -> dict[int, int]:
    """When each packet that is not refused has been sent, of arrivals as moments and bytes."""
    line = Line(bottleneck)
    events: list[tuple[int, float, int, bool]] = []
    for number, (at, _) in enumerate(arrivals):
        events.append((at, -1 if bottleneck["arrivals_first"] else ARRIVAL, number, False))
    for freeze in bottleneck["freezes"]:
        at, until = (round(1e9 * moment) for moment in (freeze["at_s"], freeze["at_s"] + freeze["for_s"]))
        events += [(at, FREEZE, 0, freeze["in_service"] == "pauses"), (until, THAW, 0, False)]
    events.sort()
    for place, (at, kind, number, pauses) in enumerate(events):
        while line.end() < at or (line.end() == at and kind > END):
            line.finish(int(line.end()))
        if kind == THAW:
            line.thaw(at)
            if events[place + 1 : place + 2] == [] or events[place + 1][:2] != (at, FREEZE):
                line.begin(at)
        elif kind == FREEZE:
            line.freeze(at, pauses)
        else:
            line.arrive(at, number, arrivals[number][1])
    while line.end() < math.inf:
        line.finish(int(line.end()))
    return line.sent


def random_bottleneck(draw: Random) -> dict[str, Any]:
    at, freezes = draw.randint(10, 250), []
    for _ in range(draw.randint(1, 8)):
        length = draw.choice([1, 3, 20, 150])
        in_service = draw.choice(["pauses", "ends"])
        freezes.append({"at_s": at * STEP_S, "for_s": length * STEP_S, "in_service": in_service})
        at += length + draw.choice([0, 1, 50, 300])
    draw.shuffle(freezes)
    return {
        "rate_bps": draw.choice([1e6, 3e6, 1e7]),
        "delay_ms": DELAY_MS,
        "limit_packets": draw.choice([1, 2, 5, 30, 10**6]),
        "limit_bytes": draw.choice([3000, 20_000, 10**9]),
        "in_service_counts": draw.random() < 0.5,
        "arrivals_first": draw.random() < 0.5,
        "freezes": freezes,
        "price": {"kind": draw.choice(["none", "clamp"])},
    }


def random_scenario(draw: Random) -> airlink.Scenario:
    bottleneck = random_bottleneck(draw)
    flows = [
        {
            "users": [number],
            "start_s": round(draw.uniform(0, 0.3), 9),
            "path": {"downlink_delay_ms": round(draw.uniform(1, 30), 6), "uplink_delay_ms": draw.uniform(1, 30)},
            "tcp": {
                "profile": draw.choice(["classic", "rfc", "linux"]),
                "mss_bytes": draw.choice([400, 1448]),
                "clamp": {} if bottleneck["price"]["kind"] == "clamp" and draw.random() < 0.7 else None,
            },
        }
        for number in range(draw.randint(1, 3))
    ]
    fields: dict[str, Any] = {"users": len(flows), "bottleneck": bottleneck, "flows": flows}
    return airlink.Scenario(duration_s=4.0, **fields)


def came(scenario: airlink.Scenario, packets: Any) -> list[tuple[int, int, int]]:
    """Moment, bytes and row of what reached the queue, in order."""
    rows = []
    for row, (sent_s, flow, size) in enumerate(
        zip(packets["sent_s"].tolist(), packets["flow"].tolist(), packets["bytes"].tolist(), strict=True)
    ):
        at = round(1e9 * sent_s) + round(1e6 * scenario.flows[flow].path.downlink_delay_ms)
        if at <= round(1e9 * scenario.duration_s):
            rows.append((at, size, row))
    return sorted(rows, key=lambda one: (one[0], packets["flow"].tolist()[one[2]], one[2]))


@pytest.mark.parametrize("seed", range(24))
def test_every_packet_leaves_as_from_a_queue_that_goes_from_event_to_event(seed: int) -> None:
    scenario = random_scenario(Random(seed))
    result = airlink.run(scenario, seed=seed, record=["packets"])
    packets = result.series("packets")
    arrivals = came(scenario, packets)
    assert scenario.bottleneck is not None
    bottleneck = scenario.bottleneck.model_dump()
    sent = departures(bottleneck, [(at, size) for at, size, _ in arrivals])
    ended_s, fates = packets["ended_s"].tolist(), packets["fate"].tolist()
    assert len(arrivals) > 10
    end = round(1e9 * scenario.duration_s)
    for number, (at, _, row) in enumerate(arrivals):
        there = sent[number] + round(1e6 * DELAY_MS) if number in sent else None
        if there is None:
            assert (fates[row], round(1e9 * ended_s[row])) == (1, at)
        elif there <= end:
            assert (fates[row], round(1e9 * ended_s[row])) == (0, there)
        else:
            assert fates[row] == 4
    users = result.users
    balance = users["packets_in"] - users["packets_delivered"] - users["drops_queue_full"]
    assert np.array_equal(balance, users["packets_waiting"])
