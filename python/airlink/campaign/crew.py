"""Who runs the batches of a campaign: threads of this process, or the workers of an executor.

A crew is sent batches, several under way for each worker, and tells what came of them; the one who reads sends no more
than that, so memory does not grow with their number. Left out: which batches (`todo`), and when (`runs`).
"""

from __future__ import annotations

import pickle
import queue
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import suppress
from typing import NamedTuple, Protocol
from uuid import uuid4

from airlink import engine
from airlink.campaign.batches import CANCELLED, Answer, Batch, run_batch
from airlink.campaign.executors import EngineError, Processes, fetching, workers_of
from airlink.engine import Replica, Request, thread_count
from airlink.own import OwnError

MOST_LOST = 3
"""So often a batch may be lost with its worker."""

BRIEF_S = 0.1
"""A thread that waits looks so often whether it should end."""

LOST = "KilledWorker"
"""The error with which Dask gives up work whose workers were lost several times."""


class News(NamedTuple):
    """What came of a batch.

    Attributes
    ----------
    batch : the one that was sent.
    came : replicas that have finished, with their place among the seeds of the request.
    ended : whether this was the last of the batch.
    run_s, trip_s : of the whole batch, once it has ended.
    out_of_memory : whether memory ended it.
    error : what a worker failed with; the batch has ended then.
    """

    batch: Batch
    came: Sequence[tuple[int, Replica]] = ()
    ended: bool = False
    run_s: float = 0.0
    trip_s: float | None = None
    out_of_memory: bool = False
    error: Exception | None = None


class Crew(Protocol):
    """Workers."""

    @property
    def workers(self) -> int:
        """How many batches are worked on at the same time."""

    def send(self, batch: Batch) -> None:
        """Gives them a batch; raises EngineError if they take no more."""

    def wait(self, patience_s: float) -> News | None:
        """What came of a batch, None if nothing did in that time."""

    def cancel(self) -> None:
        """Ends what is under way; what has finished still comes, and each batch ends."""

    def close(self, wait: bool = True) -> None:
        """Ends everything."""


def crew_of(request: Request, threads: int | None, executor: Executor | None) -> Crew:
    """The workers that are asked for."""
    if executor is not None:
        check_sendable(request)
        return ExecutorCrew(request, executor)
    count = thread_count(threads)
    if not request.has_python:
        return ThreadCrew(request, count)
    if count == 1 or request.jobs == 1:
        return LoneCrew(request)
    check_sendable(request)
    return ProcessCrew(request, count)


def check_sendable(request: Request) -> None:
    """Raises EngineError unless the request's code of one's own can be sent to other processes."""
    for part in (part for parts in request.parts for part in parts.all if not part.file):
        source = part.given if hasattr(part.given, "__qualname__") else type(part.given)
        try:
            pickle.dumps(part)
            here = source.__module__ == "__main__" and not hasattr(sys.modules["__main__"], "__file__")
            why = "it is defined in this session" if here else ""
        except Exception as error:
            why = " ".join(str(error).split()) or type(error).__name__
        if why:
            raise EngineError(
                f"{part.role} {part.name} can't be sent to worker processes ({why}): define it in a file of its own "
                "(FILE.py:NAME), or run with one thread"
            )


class ThreadCrew:
    """Threads of this process, each with a run of its own under way in the engine.

    Parameters
    ----------
    request : whose batches come.
    workers : threads; they start with the first batches.
    """

    def __init__(self, request: Request, workers: int) -> None:
        engine.choose_vector_path()
        self._workers = workers
        self._request = request
        self._inbox: queue.SimpleQueue[Batch | None] = queue.SimpleQueue()
        self._outbox: queue.Queue[News] = queue.Queue(maxsize=workers)
        self._threads: list[threading.Thread] = []
        self._is_over = threading.Event()
        self._is_closed = threading.Event()

    @property
    def workers(self) -> int:
        """How many threads there are."""
        return self._workers

    def send(self, batch: Batch) -> None:
        """Gives them a batch."""
        self._inbox.put(batch)
        if len(self._threads) < self.workers:
            # The engine runs in threads of its own; this one waits for them.
            thread = threading.Thread(target=self._work, name="airlink crew")
            self._threads.append(thread)
            thread.start()

    def wait(self, patience_s: float) -> News | None:
        """What came of a batch."""
        try:
            return self._outbox.get(timeout=patience_s)
        except queue.Empty:
            return None

    def cancel(self) -> None:
        """Ends what is under way within a fraction of a second."""
        self._is_over.set()

    def close(self, wait: bool = True) -> None:
        """Ends everything, and the threads."""
        self._is_closed.set()
        self._is_over.set()
        for _ in self._threads:
            self._inbox.put(None)
        for thread in self._threads if wait else ():
            thread.join()
        self._threads.clear()

    def _work(self) -> None:
        ended_s: float | None = None
        while (batch := self._next()) is not None:
            began_s = time.perf_counter()
            try:
                waited_s, is_short = self._run(batch)
            except Exception as error:
                self._tell(News(batch, (), True, error=error))
                continue
            trip_s = None if ended_s is None else began_s - ended_s
            ended_s = time.perf_counter()
            self._tell(News(batch, (), True, ended_s - began_s - waited_s, trip_s, is_short))

    def _next(self) -> Batch | None:
        while True:
            with suppress(queue.Empty):
                return self._inbox.get(timeout=BRIEF_S)
            if self._should_end():
                return None

    def _run(self, batch: Batch) -> tuple[float, bool]:
        """Runs a batch; how long nobody took what had finished, and whether memory ended it."""
        seeds = [self._request.seeds[position] for position in batch.positions]
        waited_s = 0.0
        part = self._request.part(batch.place, seeds)
        with engine.stream(part, 1, lambda *_: runs.cancel() if self._should_end() else None) as runs:
            if self._should_end():
                runs.cancel()
            with suppress(MemoryError):
                for index, replica in runs:
                    began_s = time.perf_counter()
                    self._tell(News(batch, [(batch.positions[index], replica)]))
                    waited_s += time.perf_counter() - began_s
            return waited_s, runs.out_of_memory

    def _tell(self, news: News) -> None:
        """Waits until it is taken, or nobody will."""
        while not self._is_closed.is_set() and threading.main_thread().is_alive():
            with suppress(queue.Full):
                self._outbox.put(news, timeout=BRIEF_S)
                return

    def _should_end(self) -> bool:
        """Whether the runs were cancelled, or the program has come to its end."""
        return self._is_over.is_set() or not threading.main_thread().is_alive()


class LoneCrew:
    """The thread that waits runs the batches itself: Ctrl-C gets into Python code of one's own.

    Parameters
    ----------
    request : whose batches come.
    """

    workers = 1

    def __init__(self, request: Request) -> None:
        engine.choose_vector_path()
        self._request = request
        self._batches: deque[Batch] = deque()
        self._finished: list[tuple[int, Replica]] = []
        self._is_over = False

    def send(self, batch: Batch) -> None:
        """Takes a batch."""
        self._batches.append(batch)

    def wait(self, patience_s: float) -> News | None:  # noqa: ARG002 - it works meanwhile
        """Runs a batch."""
        if not self._batches:
            return None
        batch = self._batches.popleft()
        if self._is_over:
            found, self._finished = self._finished, []
            return News(batch, found, True)
        began_s = time.perf_counter()
        seeds = [self._request.seeds[position] for position in batch.positions]
        found = []
        try:
            with engine.stream(self._request.part(batch.place, seeds), 1) as runs:
                for index, replica in runs:
                    found.append((batch.positions[index], replica))
        except MemoryError:
            return News(batch, found, True, out_of_memory=True)
        except OwnError as error:
            return News(batch, found, True, error=error)
        except KeyboardInterrupt:
            # What had finished comes with the next call.
            self._batches.appendleft(batch)
            self._finished, self._is_over = found, True
            raise
        return News(batch, found, True, time.perf_counter() - began_s)

    def cancel(self) -> None:
        """Nothing more is run."""
        self._is_over = True

    def close(self, wait: bool = True) -> None:  # noqa: ARG002 - nothing to wait for
        """The same."""
        self._is_over = True


class ExecutorCrew:
    """The workers of an executor. A batch that is lost with its worker is sent again.

    Parameters
    ----------
    request : whose batches come.
    executor : of `concurrent.futures`, or one that does as these do.
    """

    def __init__(self, request: Request, executor: Executor) -> None:
        self._request = request
        self._executor = fetching(executor)
        self._campaign = uuid4().hex
        self._sent, self._workers = 0, 1
        self._text: tuple[int, bytes] = (-1, b"")
        self._done: queue.SimpleQueue[Future[Answer]] = queue.SimpleQueue()
        self._under_way: dict[Future[Answer], Batch] = {}
        self._is_cancelled = False

    @property
    def workers(self) -> int:
        """How many batches are worked on at the same time; as before if nobody says so now."""
        # A scheduler that is gone fails what was sent to it, which says so.
        with suppress(Exception):
            self._workers = workers_of(self._executor)
        return self._workers

    def send(self, batch: Batch) -> None:
        """Gives them a batch; raises EngineError if they take no more."""
        if self._text[0] != batch.place:
            self._text = batch.place, pickle.dumps(self._request.part(batch.place, ()))
        seeds = [self._request.seeds[position] for position in batch.positions]
        self._sent += 1
        try:
            future = self._executor.submit(
                run_batch, engine.engine_build(), self._text[1], seeds, self._campaign, self._sent
            )
        except (BrokenExecutor, RuntimeError) as error:
            raise EngineError(f"the engine takes no more work: {_said(error)}") from error
        self._under_way[future] = batch
        future.add_done_callback(self._done.put)

    def wait(self, patience_s: float) -> News | None:
        """What came of a batch."""
        if self._is_cancelled and self._done.empty():
            # Nobody waits for what a worker is still doing.
            return self._forgotten()
        try:
            future = self._done.get(timeout=patience_s)
        except queue.Empty:
            return None
        batch = self._under_way.pop(future, None)
        return None if batch is None else self._news(batch, future)

    def cancel(self) -> None:
        """Ends what is under way, where the workers can be told."""
        self._is_cancelled = True
        CANCELLED.add(self._campaign)
        if isinstance(self._executor, Processes):
            self._executor.cancel()
            return
        for future in list(self._under_way):
            future.cancel()

    def close(self, wait: bool = True) -> None:  # noqa: ARG002 - nothing to wait for
        """Ends everything; the executor is its owner's."""
        if self._under_way:
            self.cancel()
        self._under_way.clear()
        CANCELLED.discard(self._campaign)

    def _news(self, batch: Batch, future: Future[Answer]) -> News | None:
        try:
            answer = future.result()
            self._check(answer)
        except (Exception, CancelledError) as error:
            if self._is_cancelled:
                return News(batch, ended=True)
            if isinstance(error, OwnError):
                return News(batch, ended=True, error=error)
            try:
                self._send_again(batch, error)
            except EngineError as failed:
                return News(batch, ended=True, error=failed)
            return None
        came = [(batch.positions[index], replica) for index, replica in answer.replicas]
        return News(batch, came, True, answer.run_s, answer.trip_s, answer.out_of_memory)

    def _forgotten(self) -> News | None:
        if not self._under_way:
            return None
        _, batch = self._under_way.popitem()
        return News(batch, ended=True)

    def _send_again(self, batch: Batch, error: BaseException) -> None:
        """Sends a batch again whose worker was lost; raises EngineError if that was once too often."""
        if isinstance(error, EngineError):
            raise error
        if isinstance(error, CancelledError):
            raise EngineError("the engine has dropped its work: is its scheduler gone?") from error
        if isinstance(error, AttributeError) and "__mp_main__" in str(error):
            raise EngineError(
                f"worker processes don't find code of this script ({_said(error)}): define it above "
                'if __name__ == "__main__":, or in a file of its own (FILE.py:NAME), or run with one thread'
            ) from error
        if not isinstance(error, BrokenExecutor) and type(error).__name__ != LOST:
            raise EngineError(f"a worker failed: {_said(error)}") from error
        batch.lost += 1
        if batch.lost >= MOST_LOST:
            seeds = [self._request.seeds[position] for position in batch.positions]
            name = self._request.scenarios[batch.place].name or "the scenario"
            told = f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]} to {seeds[-1]}"
            raise EngineError(
                f"a worker was lost {MOST_LOST} times while it ran {told} of {name}: has it too little memory?"
            ) from error
        self.send(batch)

    def _check(self, answer: Answer) -> None:
        """Raises EngineError unless a worker did what it was asked."""
        here = engine.engine_build()
        if answer.version != here:
            raise EngineError(f"a worker on {answer.host} has airlink {answer.version}, not {here}: install the same")
        if answer.own_error:
            raise OwnError(answer.own_error)
        if answer.error:
            raise EngineError(f"a worker on {answer.host} can't run this: {answer.error}")


class ProcessCrew(ExecutorCrew):
    """Processes of its own, which end with it.

    Parameters
    ----------
    request : whose batches come.
    count : of processes.
    """

    def __init__(self, request: Request, count: int) -> None:
        self._processes = Processes(count)
        super().__init__(request, self._processes)

    def close(self, wait: bool = True) -> None:
        """Ends everything, the processes too."""
        super().close(wait)
        self._processes.shutdown()


def _said(error: BaseException) -> str:
    """An error in a line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
