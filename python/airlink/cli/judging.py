"""`airlink compare --suite`: a scheduler of one's own, judged by public and hidden scenarios."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from airlink.campaign import engine_of, seeds_of
from airlink.campaign.answering import Means
from airlink.campaign.sweep import safe
from airlink.cli.answers import RESULTS, THREADS
from airlink.cli.commands import INTERRUPTED, message
from airlink.cli.progress import Bar, bar
from airlink.engine import RequestError
from airlink.result import ResultExists
from airlink.result.atomic_write import claimed
from airlink.result.folder import writing
from airlink.scenario.errors import printable

if TYPE_CHECKING:
    from airlink.suites import Judging, Terms

Suite = Annotated[
    str | None,
    typer.Option(
        "--suite",
        metavar="NAME",
        help="Judge a scheduler of your own by a suite instead of comparing arms: schedulers.",
    ),
]
Candidate = Annotated[
    str | None,
    typer.Option(
        "--candidate",
        metavar="SCHEDULER",
        help="Who is judged: FILE.py:NAME (this runs the code in that file), settings ('scheduler.kind=lambda, "
        "scheduler.exponent=0.6'), a file with a table [scheduler], a kind; NAME=SCHEDULER names it.",
    ),
]
Budget = Annotated[
    int | None,
    typer.Option(
        metavar="N", help="Evaluations that the candidate took; each built-in scheduler is tuned with as many."
    ),
]
Members = Annotated[
    int | None, typer.Option("--members", metavar="N", help="Of a suite: scenarios of each family (1).")
]
HiddenSeed = Annotated[
    int | None,
    typer.Option("--hidden-seed", metavar="SEED", help="Of a suite: that of an earlier judging, to do it again."),
]
WorstPoints = Annotated[
    int | None,
    typer.Option("--worst", metavar="N", help="Of a suite: points of the search for the worst scenario (16); 0: none."),
]
Html = Annotated[bool, typer.Option("--html", help="Of a suite: also write report.html, with pictures.")]

JUDGING, WORST, TEXT, PAGE = "judging.json", "worst.toml", "judging.txt", "report.html"
"""Files of a judging's folder."""


@dataclass(frozen=True)
class Asked:
    """What a judging was asked for on the command line; None: not given."""

    suite: str
    candidate: str | None
    budget: int | None
    members: int | None
    hidden_seed: int | None
    worst: int | None
    html: bool
    measures: Sequence[str]
    margin: float | None
    seeds: str | None
    store: Path
    engine: str
    threads: int | None
    out: Path | None
    force: bool
    json: bool
    quiet: bool


def judge_candidate(asked: Asked) -> None:
    """Judges a candidate, prints the outcome and puts it into its folder; ends the command."""
    from airlink import suites
    from airlink.suites.ledger import FILE

    if asked.candidate is None:
        raise RequestError(
            "--suite needs a --candidate, such as --candidate 'scheduler.kind=lambda, scheduler.exponent=0.6'"
        )
    suite, terms = suites.suite_of(asked.suite), _terms(asked)
    candidate = suites.read_candidate(asked.candidate)
    ledger = suites.Ledger(asked.store / FILE)
    out = asked.out or RESULTS / f"judging-{safe(candidate.name)}-{ledger.judgings() + 1}"
    with claimed(out) as place:
        if out.exists() and not asked.force:
            raise ResultExists(f"{out} exists (--out DIR, --force)")
        with _running(f"judging {candidate.name}", asked) as (means, told):
            found = suites.judge(candidate, suite, ledger, terms, means, told)
        with writing(out):
            text = _write(found, place.new, out, asked.html)
        place.put()
    if asked.json:
        sys.stdout.write(dumps(_finite(suites.summary(found)), indent=1, allow_nan=False) + "\n")
    elif not asked.quiet:
        sys.stdout.write("\n".join(map(printable, f"{text}\n\nWritten to {out}".split("\n"))) + "\n")


def _terms(asked: Asked) -> Terms:
    from airlink import suites

    if len(asked.measures) > 1:
        raise RequestError("--suite: one measure at most; it takes the place of what each family is judged by")
    given = {
        "seeds": seeds_of(asked.seeds) if asked.seeds else None,
        "members": asked.members,
        "budget": asked.budget,
        "worst": asked.worst,
        "margin": asked.margin,
        "hidden_seed": asked.hidden_seed,
        "aim": suites.Aim.of(asked.measures[0]) if asked.measures else None,
    }
    return suites.Terms(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]


def _write(found: Judging, folder: Path, out: Path, html: bool) -> str:
    """Writes the files of a judging; returns its text."""
    from airlink import suites

    folder.mkdir()
    if found.worst is not None:
        (folder / WORST).write_text(found.worst.verdict.case.scenario.to_toml(), encoding="utf-8")
    text = suites.text_of(found, out / WORST)
    (folder / TEXT).write_text(f"{text}\n", encoding="utf-8")
    (folder / JUDGING).write_text(dumps(_finite(suites.summary(found)), indent=1) + "\n", encoding="utf-8")
    if html:
        from airlink.suites.page import write_judging

        write_judging(found, folder / PAGE)
    return text


def _finite(value: Any) -> Any:
    """JSON without infinities: "inf" and "-inf" stand for them, null for NaN."""
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_finite(each) for each in value]
    if isinstance(value, float) and value != value:
        return None
    return ("inf" if value > 0 else "-inf") if value in (float("inf"), float("-inf")) else value


@contextmanager
def _running(title: str, asked: Asked) -> Iterator[tuple[Means, Any]]:
    """What a judging runs with, and what to tell its parts; Ctrl-C ends the command."""
    with bar(title, asked.quiet) as shown:
        told = partial(_note, shown)
        try:
            if asked.engine == THREADS:
                yield Means(asked.store, None, asked.threads, shown), told
                return
            with engine_of(asked.engine, asked.threads) as executor:
                yield Means(asked.store, executor, asked.threads, shown), told
        except KeyboardInterrupt:
            message("interrupted; the judging counts, as its hidden seed was made; its runs so far are in the store")
            raise typer.Exit(INTERRUPTED) from None


def _note(shown: Bar, part: str) -> None:
    shown.note = part
