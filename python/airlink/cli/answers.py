"""What `airlink sweep` and `airlink compare` do alike: answer a question, print the answer, put it into its folder."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from json import dumps
from pathlib import Path
from typing import Any

import typer

from airlink.campaign import engine_of, folder
from airlink.campaign.answer import Answer
from airlink.campaign.answering import Means, answered, run_share
from airlink.campaign.question import Question
from airlink.campaign.shards import WHOLE, shard_of
from airlink.cli import tables
from airlink.cli.commands import INTERRUPTED, message
from airlink.cli.progress import Bar, bar
from airlink.engine import Replica, RequestError
from airlink.own.code import SCHEDULER
from airlink.result import ResultExists
from airlink.result.atomic_write import Destination, claimed
from airlink.scenario import warnings_of
from airlink.scenario.errors import printable

RESULTS = Path("airlink-results")
THREADS = "threads"
MOST_WARNINGS = 8
"""Warnings of all scenarios together that are told."""


@dataclass(frozen=True)
class How:
    """How a question is answered and where its answer goes: the options that are no part of the question."""

    store: Path
    engine: str = THREADS
    threads: int | None = None
    shard: str = ""
    out: Path | None = None
    force: bool = False
    json: bool = False
    quiet: bool = False


def command_text(verb: str, words: Sequence[str], options: Mapping[str, Any]) -> str:
    """The command that asks the same again.

    >>> command_text("sweep", ["lte"], {"-x": ["users=1..3"], "--seeds": "1-5", "--hold": [], "--controls": True})
    'airlink sweep lte -x users=1..3 --seeds 1-5 --controls'
    """
    said = ["airlink", verb, *words]
    for option, value in options.items():
        if value is True:
            said.append(option)
        elif value not in (None, False, ""):
            for each in value if isinstance(value, list | tuple) else [value]:
                said += [option, str(each)]
    return printable(shlex.join(said))


def answer(question: Question, how: How, stored: Mapping[str, Sequence[Replica]] | None = None) -> None:
    """Answers a question, prints the answer and puts it into its folder; ends the command."""
    shard = shard_of(how.shard) if how.shard else WHOLE
    if shard != WHOLE:
        if stored:
            raise RequestError(f"--shard: {next(iter(stored))!r} is a stored result, of which nothing is to be run")
        _share(question, how, shard)
        return
    asked = how.out or RESULTS / question.name
    with _claimed(asked, question, how.force) as place:
        _warn(question, how.quiet)
        with _running(question, how) as means:
            found = answered(question, means, stored)
        written = folder.put(found, place, how.force, partial(_draw, found) if found.baseline else None)
    if how.json:
        sys.stdout.write(dumps(as_json(found, written), indent=1, allow_nan=False) + "\n")
    elif not how.quiet:
        picture = f"\nPicture: {written / folder.PICTURE}" * (written / folder.PICTURE).is_file()
        text = f"{found!r}\nAgain: {found.command}\nWritten to {written}{picture}"
        plain = text if (sys.stdout.encoding or "utf-8").lower().startswith("utf") else text.replace("±", "+-")
        sys.stdout.write("\n".join(map(printable, plain.split("\n"))) + "\n")


def _draw(found: Answer, path: Path) -> None:
    """Draws a comparison; of too many arms for a figure nothing but a word of it."""
    from airlink.plots import comparison_figure, style

    try:
        style.save(comparison_figure(found), path)
    except RequestError as error:
        message(f"no picture: {error}")


def as_json(found: Answer, written: Path) -> dict[str, Any]:
    """An answer as JSON: what was asked, and a row per scenario and measure. Infinity is "inf", NaN is null."""
    frame = found.frame()
    rows = [{name: tables.number(values[row].item()) for name, values in frame.items()} for row in range(frame.rows)]
    return {
        "name": found.name,
        "version": found.version,
        "command": found.command,
        "directory": str(written),
        "baseline": found.baseline or None,
        "axes": {path: [tables.number(value) for value in values] for path, values in found.axes.items()},
        "measures": [measure.text for measure in found.measures],
        "seeds": {label: list(seeds) for label, seeds in found.seeds.items()},
        "notes": list(found.notes),
        "rows": rows,
    }


def _share(question: Question, how: How, shard: tuple[int, int]) -> None:
    """Runs one part of the replicas into the store; the answer is made when all parts are there."""
    part, parts = shard
    if question.until is not None:
        raise RequestError("--shard: what --until runs depends on what came before; give --seeds instead")
    _warn(question, how.quiet)
    with _running(question, how) as means:
        done = run_share(question, means, shard)
    if not how.quiet:
        told = f"Part {part} of {parts}: {done} replicas are in {how.store}"
        sys.stdout.write(f"{told}. When all are, the command without --shard prints the answer.\n")


@contextmanager
def _claimed(asked: Path, question: Question, force: bool) -> Iterator[Destination]:
    """The place of the answer, before anything is run."""
    with claimed(asked) as place:
        try:
            folder.check_free(asked, question, force)
        except ResultExists as error:
            raise ResultExists(f"{error} (--out DIR, --force)") from None
        yield place


@contextmanager
def _running(question: Question, how: How) -> Iterator[Means]:
    """What the question is answered with; Ctrl-C ends the command and says how to go on."""
    with bar(question.name, how.quiet) as shown:
        counted = _Counted(shown)
        try:
            if how.engine == THREADS:
                yield Means(how.store, None, how.threads, counted)
                return
            with engine_of(how.engine, how.threads) as executor:
                yield Means(how.store, executor, how.threads, counted)
        except KeyboardInterrupt:
            kept = f"{counted.finished} of {counted.total} replicas are kept in {how.store}"
            message(f"interrupted; {kept}; the same command goes on from there")
            raise typer.Exit(INTERRUPTED) from None


class _Counted:
    """Remembers how far the runs were."""

    def __init__(self, shown: Bar) -> None:
        self._shown = shown
        self.finished = self.total = 0

    def __call__(self, finished: int, total: int) -> None:
        self.finished, self.total = finished, total
        self._shown(finished, total)

    @property
    def note(self) -> str:
        """What stands behind the numbers."""
        return self._shown.note

    @note.setter
    def note(self, text: str) -> None:
        self._shown.note = text


def _warn(question: Question, quiet: bool) -> None:
    """Tells warnings of all scenarios, each once."""
    if quiet:
        return
    has_own_scheduler = any(code.role == SCHEDULER for code in question.code)
    found = (warnings_of(each, question.record, None, has_own_scheduler) for each in question.scenarios.values())
    told = dict.fromkeys(str(each) for of_one in found for each in of_one)
    for text in list(told)[:MOST_WARNINGS]:
        message(f"warning: {text}")
    if len(told) > MOST_WARNINGS:
        message(f"warning: and {len(told) - MOST_WARNINGS} more warnings (airlink check)")
