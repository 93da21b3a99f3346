"""The uplink with grants once more, from docs/models/uplink.md alone: a walk over the uplink slots, in whole nanoseconds."""

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


def leaves(cycle: Cycle, arrivals: Sequence[tuple[int, int, int]]) -> list[int]:
    """When each arrival (time in ns, user, bytes) is at the base station, ns; arrivals in order of time."""
    users = [_User(cycle.period_ns * user // cycle.users) for user in range(cycle.users)]
    left_at = [0] * len(arrivals)
    came = gone = turn = 0
    before = -1
    for start in (slot * cycle.slot_ns for slot in count() if not cycle.tdd or cycle.tdd[slot % len(cycle.tdd)] == "U"):
        if gone == len(arrivals):
            return left_at
        while came < len(arrivals) and arrivals[came][0] <= start:
            _, user, size = arrivals[came]
            users[user].waiting.append([size, came])
            came += 1
        for one in users:
            may_ask = one.opportunities(start, cycle.period_ns) > one.opportunities(before, cycle.period_ns)
            if one.waiting and one.good_from is None and may_ask:
                one.good_from = start + cycle.delays_ns
        before, first, room = start, turn, cycle.slot_bytes
        for number in ((first + rank) % cycle.users for rank in range(cycle.users)):
            one = users[number]
            if one.good_from is None or one.good_from > start or room == 0:
                continue
            grant = cycle.grant_bytes if room is None else min(cycle.grant_bytes, room)
            spent = 0
            while one.waiting and one.waiting[0][0] <= grant - spent:
                size, place = one.waiting.pop(0)
                spent += size
                left_at[place] = start + cycle.slot_ns
                gone += 1
            if one.waiting:
                one.waiting[0][0] -= grant - spent
                spent = grant
            one.good_from = max(start + cycle.again_ns, start + 1) if one.waiting else None
            if room is not None:
                room -= spent
                turn = (number + 1) % cycle.users
    raise AssertionError("slots do not end")
