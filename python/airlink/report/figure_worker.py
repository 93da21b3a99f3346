"""The figures of a quick report, drawn while other runs go on: drawing takes as long as the runs of a quick study.

A process of its own for each batch, which sends back the pixels. Left out: figures for print, and systems where a
process can't fork; there, and when anything goes wrong, each figure is drawn when it is asked for.
"""

from __future__ import annotations

import gc
import multiprocessing
import signal
import sys
import warnings
from collections.abc import Sequence
from multiprocessing.connection import Connection

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from airlink.report.page import Illustration

FORKS = sys.platform.startswith("linux")
BATCH = 3
"""Figures that are worth a process of their own (chosen)."""


class FigureWorker:
    """Draws figures in batches, each in a process of its own."""

    def __init__(self) -> None:
        if FORKS:
            _know_fonts()
        self._waiting: list[Illustration] = []
        self._under_way: list[tuple[Sequence[Illustration], Connection]] = []

    def begin(self, illustrations: Sequence[Illustration]) -> None:
        """Has them drawn beside what comes next, once there are enough."""
        self._waiting += illustrations
        while len(self._waiting) >= BATCH:
            self._start()

    def _start(self) -> None:
        illustrations, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
        if not illustrations or not FORKS:
            return
        forking = multiprocessing.get_context("fork")
        receiver, sender = forking.Pipe(duplex=False)
        process = forking.Process(target=_draw, args=(illustrations, sender), daemon=True)
        with warnings.catch_warnings():
            # The engine's idle threads are not there in the child, which never calls the engine.
            warnings.simplefilter("ignore", DeprecationWarning)
            process.start()
        sender.close()
        self._under_way.append((illustrations, receiver))

    def finish(self) -> None:
        """Waits for all of them; each illustration then has its pixels."""
        self._start()
        for illustrations, receiver in self._under_way:
            try:
                pictures: list[bytes] = receiver.recv()
            except EOFError:
                continue
            for illustration, picture in zip(illustrations, pictures, strict=True):
                illustration.take(picture)
        self._under_way.clear()


def _know_fonts() -> None:
    """Finds and opens the fonts once, before each process does so for itself."""
    figure = Figure()
    figure.text(0, 0, "0.1 $10^{-1}$")
    FigureCanvasAgg(figure)
    figure.draw_without_rendering()


def _draw(illustrations: Sequence[Illustration], sender: Connection) -> None:
    """Ctrl-C is for the parent to hear; so is a mistake in a figure, which comes up again when the parent draws it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Looking for garbage would write to, and so copy, every page that is shared with the parent.
    gc.disable()
    try:
        sender.send([illustration.png for illustration in illustrations])
    except Exception:
        sys.exit(1)
