"""How a study is asked for, and what it raises when it is stopped. Left out: what a study is."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airlink.engine import Progress

if TYPE_CHECKING:
    from airlink.store import Store


class StudyInterrupted(Exception):
    """Ctrl-C ended the runs before there was enough to judge; nothing was written but what the store keeps."""


@dataclass(frozen=True)
class Request:
    """How a study is to be run.

    Attributes
    ----------
    quick : fewer realizations and controls, figures as PNG only; a few seconds.
    threads : default all cores; the numbers do not depend on it.
    seed : base seed, >= 1; each base seed has realizations of its own.
    progress : called with (replicas finished, replicas in all).
    figure : only what this figure needs, one of the study's `figures`; None: everything.
    store : of replicas: those in it are not run again, those that are run are kept in it; None: nothing is kept.
    executor : what runs the replicas, see `airlink.campaign.engine_of`; default threads of this process.
    """

    quick: bool = False
    threads: int | None = None
    seed: int = 1
    progress: Progress | None = None
    figure: str | None = None
    store: Store | None = None
    executor: Executor | None = None
