"""Engines by name: threads of this process, processes of this machine, a Dask cluster. Each is an executor.

Left out: how jobs are sent to them (`crew`); clusters are Dask's and Slurm's own matter (docs/cluster.md).
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from airlink.engine import RequestError, thread_count
from airlink.result import MissingExtra

if TYPE_CHECKING:
    # What starts processes is loaded where they are: most runs do with threads.
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

DASK_WAIT_S = 10
"""So long a Dask scheduler may take to answer."""

FORMS = "threads, threads:4, processes, processes:4 or dask:ADDRESS, such as dask:tcp://127.0.0.1:8786"


class EngineError(RequestError):
    """An engine can't be had, or can't go on: a worker that is lost again and again, or can't do what it is asked."""


class Threads(ThreadPoolExecutor):
    """Threads of this process. A campaign needs no trip to them: it runs its replicas on as many of its own."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.count = count


class Processes(Executor):
    """Processes of this machine, replaced when one is lost; they end with this process, however that ends.

    Parameters
    ----------
    count : of processes. They are started afresh (`spawn`) when there is work.

    Raises
    ------
    EngineError : the script that runs comes from standard input, where no other process finds it.
    """

    def __init__(self, count: int) -> None:
        _check_script()
        self.count = count
        self._pool: ProcessPoolExecutor | None = None
        self._ours: set[BaseProcess] = set()
        self._alive: tuple[Connection, Connection] | None = None

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """As `concurrent.futures.Executor.submit`; in new processes when one was lost."""
        from multiprocessing import active_children

        others = set(active_children()) - self._ours
        with _unheard_interruptions():
            try:
                future = self._opened().submit(fn, *args, **kwargs)
            except BrokenExecutor:
                self.shutdown()
                future = self._opened().submit(fn, *args, **kwargs)
        self._ours = set(active_children()) - others
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:  # noqa: ARG002 - it always does
        """Ends the processes, with what they are doing."""
        for process in self._ours:
            process.terminate()
        if self._pool is not None:
            self._pool.shutdown(wait=wait)
        for end in self._alive or ():
            end.close()
        self._pool = self._alive = None
        self._ours = set()

    def cancel(self) -> None:
        """Ends what is being done, at once; what is submitted later is done."""
        self.shutdown(wait=False)

    def _opened(self) -> ProcessPoolExecutor:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        if self._pool is None:
            context = get_context("spawn")
            self._alive = context.Pipe(duplex=False)
            self._pool = ProcessPoolExecutor(self.count, context, _begin, (self._alive[0],))
        return self._pool


def _check_script() -> None:
    """Raises EngineError where processes can't be started afresh: each reads the script that runs."""
    main = sys.modules["__main__"]
    file = getattr(main, "__file__", None)
    if file and getattr(main, "__spec__", None) is None and not Path(file).exists():
        raise EngineError(
            f"worker processes can't read the script that runs here ({file}): put it into a file, or run with one "
            "thread (threads=1)"
        )


@contextmanager
def _unheard_interruptions() -> Iterator[None]:
    """Processes that are started meanwhile never hear Ctrl-C: it is for this one alone, which hears it afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    # Started by the first process otherwise, and it would let signals through again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(alive: Connection) -> None:
    """In a new process: it ends when nobody holds the other end of the pipe any more."""
    Thread(target=_end_with, args=(alive,), daemon=True).start()


def _end_with(alive: Connection) -> None:
    try:
        alive.recv()
    except (EOFError, OSError):
        os._exit(1)


def engine_of(text: str, workers: int | None = None) -> Executor:
    """The executor that a text names, to be closed after use (`with`).

    Parameters
    ----------
    text : threads, processes, either with ":" and how many; or dask: and the address of a scheduler, or the path of its
        scheduler file.
    workers : how many threads or processes where the text does not say, default one for each core.

    Raises
    ------
    RequestError : another text, or a number outside 1..1024.
    EngineError : no scheduler answers at the address.
    MissingExtra : Dask is not installed.

    >>> with engine_of("threads:2") as engine:
    ...     engine.count
    2
    """
    kind, colon, rest = text.partition(":")
    if kind == "dask" and rest:
        if workers is not None:
            raise RequestError(f"engine {text!r}: the cluster says how many threads it has, not --threads")
        return _dask(rest)
    if kind not in ("threads", "processes") or (colon and not rest.isdecimal()):
        raise RequestError(f"engine is {text!r}; it must be {FORMS}")
    count = thread_count(int(rest) if rest else workers)
    return Threads(count) if kind == "threads" else Processes(count)


def workers_of(executor: Executor) -> int:
    """How many jobs an executor does at a time, as far as it can be known: at least 1."""
    count = getattr(executor, "count", None) or getattr(executor, "_max_workers", None)
    client: Any = getattr(executor, "_client", None)
    if count is None and hasattr(client, "nthreads"):
        count = sum(client.nthreads().values())
    return max(1, count if isinstance(count, int) else thread_count(None))


def _dask(address: str) -> Executor:
    try:
        import distributed
    except ImportError:
        raise MissingExtra("distributed is not installed; pip install 'airlink[dask]'") from None
    try:
        options = {"scheduler_file": address} if Path(address).is_file() else {"address": address}
        client: Any = distributed.Client(**options, timeout=DASK_WAIT_S, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise EngineError(f"engine dask:{address}: no scheduler answers there: {error}") from None
    return Dask(client)


class Dask(Executor):
    """The workers of a Dask cluster.

    Dask's own executor takes what it fetched for an error when the worker is lost meanwhile, and never ends a future
    whose work is given up while it is fetched. This one asks the client, which fetches again.

    Parameters
    ----------
    client : connected to its scheduler, closed with this.
    options : as `Client.submit` takes them, such as `workers` or `resources`.
    """

    def __init__(self, client: Any, **options: Any) -> None:
        self._client = client
        self._options = {"pure": False, **options}
        self._futures: WeakSet[Future[Any]] = WeakSet()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """As `concurrent.futures.Executor.submit`."""
        if self._client.status == "closed":
            raise RuntimeError("the client of the cluster is closed")
        future: Future[Any] = Future()
        sent = self._client.submit(fn, *args, **{**self._options, **kwargs})
        future.add_done_callback(lambda done: sent.cancel() if done.cancelled() else None)
        self._futures.add(future)
        self._client.loop.add_callback(self._fetch, sent, future)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Closes the client; what is still to be done is dropped."""
        if wait and not cancel_futures:
            wait_for(list(self._futures))
        self._client.close()

    async def _fetch(self, sent: Any, future: Future[Any]) -> None:
        """Ends a future with the answer to what was sent, with its error, or with CancelledError if nobody does it."""
        import asyncio  # loaded by Dask; most runs do without

        answer: Any = None
        error: BaseException | None = None
        try:
            answer = await self._client.gather(sent, asynchronous=True)
        except (Exception, asyncio.CancelledError) as failed:
            is_gone = isinstance(failed, OSError | CancelledError | asyncio.CancelledError)
            is_dropped = is_gone and sent.status != "error"
            error = CancelledError(" ".join(str(failed).split())) if is_dropped else failed
        if not future.set_running_or_notify_cancel():
            return
        if error is None:
            future.set_result(answer)
        else:
            future.set_exception(error)


def fetching(executor: Executor) -> Executor:
    """The executor itself, or one that does as `Dask` does for an executor that a Dask client has made."""
    dask = sys.modules.get("distributed.cfexecutor")
    if dask is None or not isinstance(executor, dask.ClientExecutor):
        return executor
    return Dask(executor._client, **executor._kwargs)
