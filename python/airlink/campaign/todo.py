"""The jobs of a campaign: those that are stored, those to run, and those that another process runs.

What is to be run is claimed some seconds of work at a time, so that several processes share a plan without running
anything twice. Left out: waiting for the others (`runs`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence, Set
from itertools import islice

from airlink.campaign.batches import Batch, Pace
from airlink.campaign.shards import Shard, positions
from airlink.campaign.shelf import Shelf
from airlink.engine import Request


class Todo:
    """Jobs by scenario and the positions of their seeds in the request.

    Parameters
    ----------
    request : all jobs.
    shard : which part of them.
    shelf : where replicas are kept.

    Attributes
    ----------
    jobs : in all, stored ones included.
    stored : scenario -> positions that were stored at the beginning.
    left : jobs that are in no batch yet and not another process's.
    """

    def __init__(self, request: Request, shard: Shard, shelf: Shelf) -> None:
        self._shelf = shelf
        self._open: deque[tuple[int, Iterator[int]]] = deque()
        self._ours: deque[tuple[int, deque[int]]] = deque()
        self._others: dict[int, list[int]] = {}
        self.stored: dict[int, list[int]] = {}
        self.jobs = self.left = 0
        for place in range(len(request.scenarios)):
            own = positions(place, len(request.seeds), shard)
            stored = shelf.find(place, own) if shelf.is_open else []
            self.jobs += len(own)
            self.left += len(own) - len(stored)
            if stored:
                self.stored[place] = stored
            if len(stored) < len(own):
                self._open.append((place, _without(own, set(stored))))

    def batch(self, pace: Pace) -> Batch | None:
        """The next batch of ours to run; None if there is none for now."""
        while not self._ours:
            if not self._open:
                return None
            self._claim(pace)
        place, held = self._ours[0]
        taken = [held.popleft() for _ in range(min(len(held), pace.batch(place, self.left)))]
        self.left -= len(taken)
        if not held:
            self._ours.popleft()
        return Batch(place, taken)

    def run_again(self, place: int, lost: Sequence[int]) -> None:
        """Stored ones that could not be read are ours to run, whatever the store says."""
        self.left += len(lost)
        self._ours.append((place, deque(lost)))

    @property
    def waits(self) -> bool:
        """Whether another process has claimed jobs that we wait for."""
        return bool(self._others)

    def look(self) -> dict[int, list[int]]:
        """What the others have stored meanwhile; what they have given up is ours to run then."""
        stored = {}
        for place, waiting in list(self._others.items()):
            found = self._shelf.find(place, waiting)
            there = set(found)
            rest = [position for position in waiting if position not in there]
            ours = self._shelf.claim(place, rest) if rest else []
            if ours:
                self.left += len(ours)
                self._ours.append((place, deque(ours)))
                own = set(ours)
                rest = [position for position in rest if position not in own]
            if found:
                stored[place] = found
            if rest:
                self._others[place] = rest
            else:
                del self._others[place]
        return stored

    def _claim(self, pace: Pace) -> None:
        """Claims the next jobs of a scenario."""
        place, waiting = self._open[0]
        wanted = list(islice(waiting, pace.chunk(place)))
        if not wanted:
            self._open.popleft()
            return
        ours = self._shelf.claim(place, wanted)
        if ours:
            self._ours.append((place, deque(ours)))
        if len(ours) < len(wanted):
            own = set(ours)
            self.left -= len(wanted) - len(ours)
            self._others.setdefault(place, []).extend(position for position in wanted if position not in own)


def _without(positions: Sequence[int], those: Set[int]) -> Iterator[int]:
    return (position for position in positions if position not in those)
