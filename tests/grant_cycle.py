"""The uplink with grants once more, from docs/models/uplink.md alone: a walk over uplink slots, in nanoseconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count


@dataclass(frozen=True)
class Cycle:
    """A slot's length, the pattern, and the fields of `[uplink]`, in ns and bytes."""

    slot_ns: int
    tdd: str
    users: int
    period_ns: int
    delays_ns: int
    again_ns: int
    grant_bytes: int
    slot_bytes: int | None


@dataclass
class _User:
    offset_ns: int
    waiting: list[list[int]] = field(default_factory=list)
    """Of each item: bytes left, and its place among the arrivals."""
    good_from: int | None = None
    """From when on it has a grant; None without a request."""

    def opportunities(self, until: int, period_ns: int) -> int:
        """How many it has had by a moment."""
        return (until - self.offset_ns) // period_ns + 1 if until >= self.offset_ns else 0

    def ask(self, cycle: Cycle, before: int, now: int) -> None:
        """Asks, if it has data, no request, and an opportunity since the uplink slot before."""
        is_free = bool(self.waiting) and self.good_from is None
        if is_free and self.opportunities(now, cycle.period_ns) > self.opportunities(before, cycle.period_ns):
            self.good_from = now + cycle.delays_ns

    def may_send(self, now: int) -> bool:
        """Whether it has a grant of the slot that starts."""
        return self.good_from is not None and self.good_from <= now

    def send(self, cycle: Cycle, start: int, grant: int) -> tuple[int, list[int]]:
        """Fills a grant; the bytes that it took of it, and what it sent whole."""
        spent, sent = 0, []
        while self.waiting and self.waiting[0][0] <= grant - spent:
            size, place = self.waiting.pop(0)
            spent += size
            sent.append(place)
        if self.waiting:
            self.waiting[0][0] -= grant - spent
            spent = grant
        self.good_from = max(start + cycle.again_ns, start + 1) if self.waiting else None
        return spent, sent


def leaves(cycle: Cycle, arrivals: Sequence[tuple[int, int, int]]) -> list[int]:
    """When each arrival (time in ns, user, bytes) is at the base station, ns; arrivals in order of time."""
    users = [_User(cycle.period_ns * user // cycle.users) for user in range(cycle.users)]
    left_at: dict[int, int] = {}
    came = turn = 0
    before = -1
    for start in (slot * cycle.slot_ns for slot in count() if not cycle.tdd or cycle.tdd[slot % len(cycle.tdd)] == "U"):
        while came < len(arrivals) and arrivals[came][0] <= start:
            _, user, size = arrivals[came]
            users[user].waiting.append([size, came])
            came += 1
        for one in users:
            one.ask(cycle, before, start)
        before, first, room = start, turn, cycle.slot_bytes
        for number in ((first + rank) % cycle.users for rank in range(cycle.users)):
            if not users[number].may_send(start) or room == 0:
                continue
            grant = cycle.grant_bytes if room is None else min(cycle.grant_bytes, room)
            spent, sent = users[number].send(cycle, start, grant)
            left_at.update(dict.fromkeys(sent, start + cycle.slot_ns))
            if room is not None:
                room -= spent
                turn = (number + 1) % cycle.users
        if len(left_at) == len(arrivals):
            break
    return [left_at[place] for place in range(len(arrivals))]
