"""Progress on stderr: a bar in a terminal, elsewhere a plain line now and then; nothing for short work."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from airlink.cli.commands import message
from airlink.result import Result, ResultError
from airlink.result.rerun import check_version, missing

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

FIRST_LINE_S = 10
"""After so long the first plain line comes, each next one after twice as long as the one before, ..."""

SELDOM_S = 600
"""... at most so long."""


class Bar:
    """What to call with (finished, total); a `note` stands behind the numbers. This one is seen by nobody."""

    def __init__(self) -> None:
        self.note = ""
        self._began_s = time.monotonic()
        self._first: int | None = None

    def __call__(self, finished: int, total: int) -> None:
        """Takes note of how much is done."""
        if self._first is None:
            # What was stored came at once: the rate is that of the runs.
            self._first, self._began_s = finished, time.monotonic()
        self.show(finished, total)

    def show(self, finished: int, total: int) -> None:
        """Shows it."""

    def rate(self, finished: int) -> float:
        """Replicas a second, of those that were run; 0 while it is not known."""
        took_s = time.monotonic() - self._began_s
        return (finished - (self._first or 0)) / took_s if took_s > 0 else 0.0


class _Shown(Bar):
    """A bar in a terminal."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        super().__init__()
        self._progress, self._task = progress, task

    def show(self, finished: int, total: int) -> None:
        rate = self.rate(finished)
        told = f"{rate:.3g}/s" if rate else ""
        self._progress.update(self._task, completed=finished, total=total, rate=told, note=self.note)


class _Lines(Bar):
    """Plain lines."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title
        self._pause_s = float(FIRST_LINE_S)
        self._next_s = self._began_s + self._pause_s

    def show(self, finished: int, total: int) -> None:
        now_s = time.monotonic()
        if now_s < self._next_s or finished >= total:
            return
        self._pause_s = min(2 * self._pause_s, SELDOM_S)
        self._next_s = now_s + self._pause_s
        rate = self.rate(finished)
        told = f", {rate:.3g} a second, {_duration((total - finished) / rate)} left" if rate else ""
        note = f"; {self.note}" if self.note else ""
        message(f"{self._title}: {finished} of {total}{told}{note}")


@contextmanager
def bar(title: str, quiet: bool = False) -> Iterator[Bar]:
    """Progress of some work: to be called with (finished, total)."""
    if quiet:
        yield Bar()
        return
    if not sys.stderr.isatty():
        yield _Lines(title)
        return
    # Loaded for a terminal alone.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}", markup=False),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[note]}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield _Shown(progress, progress.add_task(title, total=None, rate="", note=""))


def _duration(length_s: float) -> str:
    """Hours and minutes, or minutes and seconds.

    >>> _duration(7.4), _duration(75), _duration(7500)
    ('7 s', '1 min 15 s', '2 h 5 min')
    """
    minutes, seconds = divmod(round(length_s), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


@contextmanager
def simulating(folder: Path, result: Result, replica: int, kinds: Sequence[str]) -> Iterator[Bar | None]:
    """Says so when the replica of a stored result has to be simulated again, and shows a bar then."""
    lacking = missing(result, kinds, replica)
    if not lacking:
        yield None
        return
    try:
        check_version(result, lacking)
    except ResultError as error:
        raise ResultError(f"{folder}: {error}") from None
    seed, duration_s = result.replicas[replica].seed, result.scenario.duration_s
    message(f"{', '.join(lacking)} not recorded: simulating seed {seed} again ({duration_s:g} s)")
    with bar(f"seed {seed}") as progress:
        yield progress
