"""What is sent to a worker: one scenario, some of the seeds; and how many seeds that are.

A batch lasts so long that the trip to a worker and back costs little beside it, by the times that workers measure, and
towards the end less, so that all end together. Left out: who works (`crew`).
"""

from __future__ import annotations

import pickle
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from airlink import engine
from airlink.engine import Replica, Request, RequestError
from airlink.own import OwnError, with_traceback
from airlink.scenario import ScenarioError

TRIP_SHARE = 0.04
"""Of a worker's time, that trips may take."""

LEAST_BATCH_S, MOST_BATCH_S = 0.25, 5.0
"""How long a batch lasts at least and at most; one run may last longer."""

TAIL = 2
"""A batch is at most what is left, shared among so many batches of each worker."""

CHUNK_S = 2.0
"""Work that is claimed at a time for each worker."""

REMEMBERED = 15
"""Trips whose median counts."""

CANCELLED: set[str] = set()
"""Campaigns of this process that were cancelled: their batches end, if they run in this process."""


@dataclass
class Batch:
    """Some seeds of a scenario, by their places in the request, and how often it was sent in vain."""

    place: int
    positions: Sequence[int]
    lost: int = 0


class Answer(NamedTuple):
    """What a worker sends back: replicas with their place in the batch, or why there are none.

    Attributes
    ----------
    version, host : of the worker.
    replicas : those that finished.
    run_s : that it worked.
    trip_s : since it had sent its last answer; None if that was long ago.
    error : why it can't run the batch, in a sentence.
    out_of_memory : whether memory was about to run out.
    own_error : what code of one's own failed with, and its traceback.
    """

    version: str
    host: str
    replicas: Sequence[tuple[int, Replica]] = ()
    run_s: float = 0.0
    trip_s: float | None = None
    error: str = ""
    out_of_memory: bool = False
    own_error: str = ""


class Pace:
    """How long runs and trips take, as measured; how many runs make a batch.

    Parameters
    ----------
    workers : that work at the same time.

    Attributes
    ----------
    run_s, trip_s : seconds that all workers spent on runs, and on trips.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.run_s = self.trip_s = 0.0
        self._runs = 0
        self._of: dict[int, float] = {}
        self._trips: deque[float] = deque(maxlen=REMEMBERED)

    def heard(self, place: int, runs: int, run_s: float, trip_s: float | None) -> None:
        """Takes note of a batch of that scenario which has ended."""
        self.run_s += run_s
        if trip_s is not None:
            self.trip_s += trip_s
            self._trips.append(trip_s)
        if runs:
            self._runs += runs
            self._of[place] = run_s / runs

    def batch(self, place: int, left: int) -> int:
        """How many runs of that scenario the next batch has, of those that are left in all; one while nothing is known.

        >>> pace = Pace(workers=2)
        >>> pace.batch(0, 1000)
        1
        >>> pace.heard(0, 1, 0.01, 0.002)
        >>> pace.batch(0, 1000), pace.batch(0, 40), pace.batch(0, 1)
        (25, 10, 1)
        >>> pace.heard(0, 25, 0.25, 0.1)
        >>> pace.batch(0, 1000)
        127
        """
        from statistics import median  # late: one run does not need it

        trip_s = median(self._trips) if self._trips else 0.0
        lasting_s = min(MOST_BATCH_S, max(LEAST_BATCH_S, trip_s / TRIP_SHARE))
        return max(1, min(self._count(place, lasting_s), left // (TAIL * self.workers)))

    def chunk(self, place: int) -> int:
        """How many runs of that scenario are claimed at a time."""
        return max(2 * self.workers, self._count(place, CHUNK_S * self.workers))

    def _count(self, place: int, lasting_s: float) -> int:
        if not self._runs:
            return 1
        run_s = self._of.get(place) or self.run_s / self._runs
        return int(min(lasting_s / run_s, engine.MOST_JOBS)) if run_s > 0 else engine.MOST_JOBS


class _Here(threading.local):
    """When this thread sent its last answer, and for which campaign."""

    campaign = ""
    sent_s = 0.0


_HERE = _Here()


def run_batch(version: str, text: bytes, seeds: Sequence[int], campaign: str, _number: int) -> Answer:
    """Runs a batch in a worker.

    Parameters
    ----------
    version : of the engine that is asked for.
    text : the pickled `Request` of one scenario.
    seeds : to run it with.
    campaign, _number : name the batch, so that no executor takes two of them for the same.
    """
    began_s = time.perf_counter()
    here = Answer(engine.engine_build(), socket.gethostname())
    if here.version != version:
        return here
    trip_s = began_s - _HERE.sent_s if _HERE.campaign == campaign else None
    try:
        request = _request_of(text).part(0, seeds)
        replicas, out_of_memory = _replicas(request, campaign)
    except OwnError as error:
        return here._replace(own_error=with_traceback(error))
    except (ScenarioError, RequestError, OSError) as error:
        return here._replace(error=" ".join(str(error).split()))
    _HERE.campaign, _HERE.sent_s = campaign, time.perf_counter()
    return here._replace(replicas=replicas, run_s=_HERE.sent_s - began_s, trip_s=trip_s, out_of_memory=out_of_memory)


@lru_cache(maxsize=64)
def _request_of(text: bytes) -> Request:
    request: Request = pickle.loads(text)
    return request


def _replicas(request: Request, campaign: str) -> tuple[list[tuple[int, Replica]], bool]:
    """Those that finish, and whether memory ended the others."""
    found = []
    with engine.stream(request, 1, lambda *_: runs.cancel() if _is_cancelled(campaign) else None) as runs:
        try:
            for index, replica in runs:
                # Computed here: it goes along.
                _ = replica.digest
                found.append((index, replica))
        except MemoryError:
            return found, True
        except KeyboardInterrupt:
            return found, False
    return found, False


def _is_cancelled(campaign: str) -> bool:
    """Whether nobody waits for this batch any more, as far as a worker can know."""
    if campaign in CANCELLED:
        return True
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return False
    try:
        worker = distributed.get_worker()
        return bool(worker.state.tasks[worker.get_current_task()].state == "cancelled")
    except (ValueError, KeyError, AttributeError):
        return False
