"""Answering a question: its replicas from the store or from runs, what the measures need of each, and the intervals.

With `until`, scenarios run until they are precise enough or have `most` replicas: looks at 20, 30, 45, ... replicas, the
next seeds in between. Left out: how replicas are run (`running`), what an interval is (`statistics`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from airlink import engine, measures
from airlink.campaign.answer import Answer, Comparison, Judged, Sweep
from airlink.campaign.plan import Plan
from airlink.campaign.question import Question
from airlink.campaign.running import stream
from airlink.engine import Replica, RequestError
from airlink.measures import Control, Found, Measure, controls
from airlink.result import Estimate
from airlink.scenario import Scenario
from airlink.statistics import Controlled, Looks, control_variates, simultaneous, verdict
from airlink.store import Store

STORE = Path("airlink-results")
"""Where replicas are kept unless another store is named."""


class Progress(Protocol):
    """Hears how far the runs are, and at each look how precise they are."""

    def __call__(self, finished: int, total: int) -> None:
        """So many replicas of those of this look have ended."""


@dataclass(frozen=True)
class Means:
    """What a question is answered with.

    Attributes
    ----------
    store : where replicas are kept, and found when they are there already; None keeps none.
    executor : of `concurrent.futures`, which runs them; None: threads of this process.
    threads : of this process; None: one a core.
    progress : hears how far the runs are.
    looked : hears a sentence about the widths at each look of `until`.
    """

    store: Store | Path | str | None = STORE
    executor: Executor | None = None
    threads: int | None = None
    progress: Progress | None = None


def answered(question: Question, means: Means, stored: Mapping[str, Sequence[Replica]] | None = None) -> Answer:
    """The answer to a question.

    Parameters
    ----------
    question : what is asked.
    means : what it is answered with.
    stored : label -> replicas that are there already; their arms are not run.

    Raises
    ------
    KeyboardInterrupt : Ctrl-C; what has ended is in the store.
    """
    kept = _Kept(question)
    for label, replicas in (stored or {}).items():
        for replica in replicas:
            kept.add(label, replica.seed, replica)
    to_run = [label for label in question.arms if label not in (stored or {})]
    with opened(means.store) as store:
        if question.until is None:
            _run(question, kept, to_run, question.seeds, means, store)
        else:
            _run_until(question, kept, means, store)
    return _found(question, kept)


@contextmanager
def opened(store: Store | Path | str | None) -> Iterator[Store | None]:
    """The store of that path, closed afterwards; a store stays open."""
    if store is None or isinstance(store, Store):
        yield store
        return
    with Store(store) as opened_here:
        yield opened_here
