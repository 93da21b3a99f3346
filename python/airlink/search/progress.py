"""Progress of a search: a bar on a terminal, or what the caller gave."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from airlink import engine
from airlink.search.evaluation import Effort


@contextmanager
def shown(effort: Effort, title: str) -> Iterator[engine.Progress]:
    """What is called with (evaluations, all of them)."""
    if effort.progress is not None or not sys.stderr.isatty():
        yield effort.progress or (lambda _, __: None)
        return
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=20), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=effort.evaluations)
        yield lambda done, total: progress.update(task, completed=done, total=total)
