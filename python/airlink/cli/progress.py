"""A progress bar on stderr, for terminals only: files and pipes stay clean."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from airlink import execute


@contextmanager
def bar(title: str, quiet: bool = False) -> Iterator[execute.Progress | None]:
    """A function to call with (finished, total), or None when nobody looks."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=None)

        def advance(finished: int, total: int) -> None:
            progress.update(task, completed=finished, total=total)

        yield advance
