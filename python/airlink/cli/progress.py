"""A progress bar on stderr, for terminals only, so that files and pipes stay clean."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from airlink import engine
from airlink.cli.commands import message
from airlink.result import Result, ResultError
from airlink.result.rerun import check_version, missing


@contextmanager
def bar(title: str, quiet: bool = False) -> Iterator[engine.Progress | None]:
    """A function to call with (finished, total), or None when nobody looks."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    columns = (
        TextColumn("{task.description}", markup=False),
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


@contextmanager
def simulating(folder: Path, result: Result, replica: int, kinds: Sequence[str]) -> Iterator[engine.Progress | None]:
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
