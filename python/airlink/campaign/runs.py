"""The runs of a campaign with a store, an executor or a part of its jobs: each replica as it comes.

Stored replicas come first. The others are claimed, run, put into the store and handed out. At the end those are waited
for that another process runs; if it dies, they are run here.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Generic, TypeVar

from typing_extensions import Self

from airlink.campaign.batches import Pace
from airlink.campaign.crew import Crew, News
from airlink.campaign.executors import EngineError
from airlink.campaign.shelf import Shelf
from airlink.campaign.todo import Todo
from airlink.engine import CutShort, Progress, Replica, Request

T = TypeVar("T")

AHEAD = 2
"""Batches under way for each worker, so that none waits for the next."""

POLL_S = 0.1
"""So long is waited at a time, and so seldom progress is told."""

COUNT_S = 5
"""So seldom the workers are counted: a cluster grows and shrinks."""

LOOK_S = 0.25
"""So seldom is looked what other processes have stored."""


class Runs(Iterator[T], Generic[T]):
    """Replicas as they come, in whatever order; made by `airlink.campaign.stream`.

    Ctrl-C while it is waited for ends the runs under way: what had finished comes first, then KeyboardInterrupt. Where
    memory is about to run out it is MemoryError, where workers fail EngineError.

    Attributes
    ----------
    jobs, finished : replicas in all, and those that have been handed out.
    stored : those of them that were in the store.
    out_of_memory : whether memory ended it.
    cut_short : none; a campaign captures no packets.
    pace : what runs and trips took.
    """

    def __init__(
        self,
        request: Request,
        of: Callable[[int, Replica], T],
        crew: Crew,
        todo: Todo,
        shelf: Shelf,
        progress: Progress | None = None,
    ) -> None:
        self.jobs, self.finished, self.stored = todo.jobs, 0, 0
        self.out_of_memory = False
        self.cut_short: list[CutShort] = []
        self.pace = Pace(crew.workers)
        self._request, self._of, self._progress = request, of, progress
        self._crew, self._todo, self._shelf = crew, todo, shelf
        self._to_read = deque(todo.stored.items())
        self._reading: _Reading | None = None
        self._came: deque[tuple[int, Replica, bool]] = deque()
        self._under_way = 0
        self._next_told_s = 0.0
        self._next_counted_s = time.monotonic() + COUNT_S
        self._failure: BaseException | None = None
        self._is_cancelled = self._is_closed = False

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> T:
        while not self._came:
            try:
                self._fetch()
                self._tell()
            except KeyboardInterrupt as error:
                self._stop(error)
            except StopIteration:
                self._end()
                raise
        index, replica, is_stored = self._came[0]
        self.finished += 1
        self.stored += is_stored
        found = self._of(index, replica)
        # Not before: an interruption loses nothing that had finished.
        self._came.popleft()
        return found

    def cancel(self) -> None:
        """Ends the runs under way. Those that have finished still come."""
        self._is_cancelled = True
        self._crew.cancel()

    def close(self) -> None:
        """Ends the runs under way; nothing comes any more."""
        if self._is_closed:
            return
        self._is_closed = self._is_cancelled = True
        self._crew.close()
        self._shelf.settle()
        self._came.clear()
        self._to_read.clear()
        self._reading, self._under_way = None, 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        # In whatever thread: the store is not touched. One that could not be made has no crew.
        if hasattr(self, "_is_closed"):
            self._crew.close(wait=False)

    def _fetch(self) -> None:
        """The next replica, or nothing for a while; StopIteration after the last."""
        self._send()
        if self._reads():
            return
        if self._under_way:
            news = self._crew.wait(POLL_S)
            if news is not None:
                self._hear(news)
        elif self._is_cancelled or not self._todo.waits:
            raise StopIteration
        else:
            self._to_read.extend(self._todo.look().items())
            if not self._to_read:
                time.sleep(LOOK_S)

    def _send(self) -> None:
        """Keeps the workers busy, as many as there are by now."""
        now_s = time.monotonic()
        if now_s >= self._next_counted_s and not self._is_cancelled:
            self._next_counted_s = now_s + COUNT_S
            self.pace.workers = self._crew.workers
        while not self._is_cancelled and self._under_way < AHEAD * self.pace.workers:
            batch = self._todo.batch(self.pace)
            if batch is None:
                return
            try:
                self._crew.send(batch)
            except EngineError as error:
                self._stop(error)
            else:
                self._under_way += 1

    def _reads(self) -> bool:
        """Reads the next stored replica; false if there is none for now."""
        while self._reading is None or (read := next(self._reading.replicas, None)) is None:
            if self._reading is not None and self._reading.waiting:
                # They are lost by now, or the store has failed.
                self._todo.run_again(self._reading.place, list(self._reading.waiting))
            self._reading = None
            if not self._to_read:
                return False
            place, positions = self._to_read.popleft()
            self._reading = _Reading(place, dict.fromkeys(positions), self._shelf.read(place, positions))
        position, replica = read
        del self._reading.waiting[position]
        self._came.append((self._index(self._reading.place, position), replica, True))
        return True

    def _hear(self, news: News) -> None:
        place = news.batch.place
        for position, replica in news.came:
            self._shelf.put(place, replica)
            self._came.append((self._index(place, position), replica, False))
        if news.ended:
            self._under_way -= 1
            self.pace.heard(place, len(news.batch.positions), news.run_s, news.trip_s)
        if news.out_of_memory:
            self.out_of_memory = True
            self._stop(MemoryError("memory was about to run out"))
        if news.error is not None:
            self._stop(news.error)

    def _index(self, place: int, position: int) -> int:
        return place * len(self._request.seeds) + position

    def _tell(self) -> None:
        now_s, finished = time.monotonic(), self.finished + len(self._came)
        if self._progress is not None and (now_s >= self._next_told_s or finished == self.jobs):
            self._next_told_s = now_s + POLL_S
            self._progress(finished, self.jobs)

    def _stop(self, failure: BaseException) -> None:
        """Ends the runs for this reason, which is raised after what had finished."""
        self._failure = self._failure or failure
        self.cancel()

    def _end(self) -> None:
        """After the last replica: raises why it was the last, once."""
        self.close()
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure


class _Reading:
    """Stored replicas of a scenario that are being read, and the positions of those that have not come yet."""

    def __init__(self, place: int, waiting: dict[int, None], replicas: Iterator[tuple[int, Replica]]) -> None:
        self.place, self.waiting, self.replicas = place, waiting, replicas
