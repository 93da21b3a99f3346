"""Runs on all cores: replicas as they end, or all of them at the end.

An interruption (Ctrl-C) stops the runs under way within a fraction of a second and keeps those that had finished; so
does memory that runs out.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Generic, Protocol, TypeVar

from typing_extensions import Self

from airlink import _rust
from airlink.engine.own_runs import OwnRuns
from airlink.engine.replica import Replica, replica_of
from airlink.engine.request import Request, RequestError, thread_count

T = TypeVar("T")

Progress = Callable[[int, int], object]
"""Called with (replicas finished, replicas in all)."""

TOLD_EVERY_S = 0.1
"""So seldom `Progress` is called, but for the last replica."""

SIMD = "AIRLINK_SIMD"
"""The environment variable that chooses how wide the engine's loops run."""


@dataclass(frozen=True)
class CutShort:
    """A capture that could not be written to its end; the run went on without it.

    Attributes
    ----------
    seed : of the replica, whose captures all end there.
    file : that could not be written.
    reason : as the operating system says it.
    """

    seed: int
    file: Path
    reason: str


class Stream(Iterator[T], Generic[T]):
    """Replicas as they end, in whatever order; made with `stream`.

    Ctrl-C while it is waited for ends the runs under way: what had finished comes first, then KeyboardInterrupt. Where
    memory is about to run out it is MemoryError.

    Attributes
    ----------
    jobs, finished : replicas in all, and those that have ended and been fetched.
    out_of_memory : whether memory ended it.
    cut_short : captures of fetched replicas that are incomplete.
    """

    stored = 0
    """Replicas that were not run, as they were stored: none."""

    def __init__(
        self,
        request: Request,
        of: Callable[[int, Replica], T],
        threads: int | None = None,
        progress: Progress | None = None,
        captures: Path | None = None,
    ) -> None:
        self.jobs, self.finished = request.jobs, 0
        self.out_of_memory = False
        self.cut_short: list[CutShort] = []
        self._of, self._progress, self._next_told_s = of, progress, 0.0
        self._fetched: tuple[int, Replica] | None = None
        self._interrupted = False
        workers = thread_count(threads)
        choose_vector_path()
        folder = str(captures) if request.captures else None
        self._runs = _runs(request, workers, folder)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> T:
        while self._fetched is None:
            try:
                self._fetch()
            except KeyboardInterrupt:
                self.cancel()
                self._interrupted = True
            except StopIteration:
                if self._runs.is_out_of_memory() and not self.out_of_memory:
                    self.out_of_memory = True
                    raise MemoryError("memory was about to run out") from None
                if self._interrupted:
                    self._interrupted = False
                    raise KeyboardInterrupt from None
                raise
        fetched = self._of(*self._fetched)
        # Not before: an interruption loses nothing that had finished.
        self._fetched = None
        return fetched

    def cancel(self) -> None:
        """Ends the runs under way. Those that have finished still come."""
        self._runs.cancel()

    def close(self) -> None:
        """Ends the runs under way and their threads; nothing comes any more."""
        self._runs.close()
        self._fetched = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _fetch(self) -> None:
        """Waits for the next replica, a tenth of a second at most; reports progress."""
        ended = self._runs.take()
        if ended is not None:
            index, seed, cell, recording, failure = ended
            self._fetched = index, replica_of(seed, cell, recording)
            self.finished += 1
            if failure is not None:
                number, words, file = failure
                self.cut_short.append(CutShort(seed, Path(file), os.strerror(number) if number else words))
        now_s = time.monotonic()
        if self._progress is not None and (now_s >= self._next_told_s or self.finished == self.jobs):
            self._next_told_s = now_s + TOLD_EVERY_S
            self._progress(self.finished, self.jobs)


def _runs(request: Request, workers: int, folder: str | None) -> _rust.Stream | OwnRuns:
    """The engine's runs; those with Python code of one's own in the thread that waits for them."""
    if request.has_python:
        return OwnRuns(request, folder)
    compiled = [parts.addresses for parts in request.parts] if any(request.parts) else None
    return _rust.Stream(request.in_engine, request.seeds, request.record, workers, folder, request.snap_bytes, compiled)


def stream(
    request: Request,
    threads: int | None = None,
    progress: Progress | None = None,
    captures: Path | None = None,
) -> Stream[tuple[int, Replica]]:
    """Starts all jobs of a request: an iterator of the index of a job and its replica, as they end.

    Replicas that have ended wait to be read, up to 4 MB of them or one a thread; then the runs wait for room, so
    memory does not grow with the number of jobs. Close it, best by `with`, when it is not read to its end.

    Parameters
    ----------
    request : what to run.
    threads : default: all cores this process may use. The replicas do not depend on it, their order does.
    progress : called from the thread that reads with (finished, total), some ten times a second at most.
    captures : the folder that packets are written to, which exists. Files are named by their seed: of one scenario.

    Raises
    ------
    ScenarioError : the engine refuses a scenario; all problems of it at once.
    RequestError : threads outside 1..MOST_THREADS, or an AIRLINK_SIMD that this machine has not.

    Examples
    --------
    >>> from airlink.engine import Request
    >>> from airlink.scenario import ready
    >>> request = Request([ready("dumbbell", ["duration_s=1"])], seeds=[7, 8])
    >>> with stream(request) as runs:
    ...     print(sorted((index, replica.seed) for index, replica in runs))
    [(0, 7), (1, 8)]
    """
    return Stream(request, lambda index, replica: (index, replica), threads, progress, captures)


class Collectable(Protocol):
    """A stream of the index of a job and its replica: what `Stream` is, and streams made of others."""

    out_of_memory: bool
    cut_short: list[CutShort]
    stored: int

    def __iter__(self) -> Iterator[tuple[int, Replica]]:
        """The replicas as they come."""

    def cancel(self) -> None:
        """Ends the runs under way."""


@dataclass(frozen=True)
class Outcome:
    """One replica per job, None for an interrupted job; and the captures that are incomplete.

    A run that memory would not have sufficed for is interrupted, and `out_of_memory` says why. `stored` counts those
    that were not run, as they were stored.
    """

    replicas: list[Replica | None]
    interrupted: bool
    out_of_memory: bool = False
    cut_short: tuple[CutShort, ...] = ()
    stored: int = 0


def run(
    request: Request,
    threads: int | None = None,
    progress: Progress | None = None,
    captures: Path | None = None,
) -> Outcome:
    """Runs all jobs of a request and keeps the replicas, in the order of the jobs.

    Parameters, Raises : as `stream` has them. After Ctrl-C, or for want of memory, what had finished is kept.
    """
    with stream(request, threads, progress, captures) as runs:
        return collected(runs, request.jobs)


def collected(runs: Collectable, jobs: int) -> Outcome:
    """All replicas of a stream, in the order of the jobs."""
    replicas: list[Replica | None] = [None] * jobs
    interrupted = False
    while True:
        try:
            for index, replica in runs:
                replicas[index] = replica
            break
        except KeyboardInterrupt:
            runs.cancel()
            interrupted = True
        except MemoryError:
            if not runs.out_of_memory:
                raise
            interrupted = True
    return Outcome(replicas, interrupted, runs.out_of_memory, tuple(runs.cut_short), runs.stored)


def choose_vector_path() -> str:
    """Selects the engine's vector path by the environment variable AIRLINK_SIMD; results are the same to the bit.

    Returns
    -------
    What runs from now on: "portable", for any machine, or "avx2". Without the variable it is the best this machine has.

    Raises
    ------
    RequestError : AIRLINK_SIMD is neither, or not possible on this machine.
    """
    try:
        _rust.choose_vector_path(os.environ.get(SIMD, ""))
    except ValueError as error:
        raise RequestError(f"{SIMD} is {error}") from None
    return _rust.vector_path()


def engine_version() -> str:
    """The version of the compiled engine."""
    return _rust.version()


def engine_build() -> str:
    """The version of the compiled engine and, behind a "+", the hash of its sources.

    Builds of the same sources give the same numbers on any machine. Between two releases the version stays, and the
    hash tells one state of the sources from another.

    >>> engine_build().startswith(engine_version() + "+")
    True
    """
    return _rust.build()


def memory_left() -> int | None:
    """Bytes of memory that this process may still take; None where the system does not say."""
    return _rust.memory_left()
