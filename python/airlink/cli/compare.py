"""`airlink compare`: scenarios against a baseline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from airlink.campaign import seeds_of
from airlink.campaign.asking import Wishes
from airlink.campaign.compare import Wanted, compare_question
from airlink.campaign.compare_arms import read_arms, with_own
from airlink.campaign.folder import holds_answer, question_of
from airlink.campaign.question import MARGIN, SEEDS, Question
from airlink.cli import completion
from airlink.cli.answers import THREADS, How, answer, command_text
from airlink.cli.commands import RUN, UsageError
from airlink.cli.judging import Asked, Budget, Candidate, HiddenSeed, Html, Members, Suite, WorstPoints, judge_candidate
from airlink.cli.options import STORE, AsJson, Engine, Seeds, Settings, Shard, StoreFolder, Threads
from airlink.cli.sweep import Force, Hold, Most, Out, Quiet
from airlink.engine import Replica, RequestError

USUAL_MARGIN = f"{100 * MARGIN:g} %"

Arms = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="ARM...",
        help="Scenario files, ready names, overrides of the first one ('scheduler.kind=max_rate, users=4'), results of "
        "airlink run; NAME=ARM names one. Or the folder of a comparison, to ask it again.",
        autocompletion=completion.scenarios,
    ),
]
Measure = Annotated[
    list[str] | None,
    typer.Option(
        "--measure", "-m", metavar="MEASURE", help="The primary measure; further ones are exploratory (list measures)."
    ),
]
Schedulers = Annotated[
    list[str] | None,
    typer.Option(
        "--scheduler",
        metavar="FILE.py:NAME",
        help="One more arm: the first one's scenario with a scheduler of one's own; may be repeated. This runs the "
        "code in that file.",
    ),
]
Controls = Annotated[
    list[str] | None,
    typer.Option(
        "--congestion-control",
        metavar="FILE.py:NAME",
        help="One more arm: the first one's with a congestion control of one's own; may be repeated. This runs the "
        "code in that file.",
    ),
]
Queues = Annotated[
    list[str] | None,
    typer.Option(
        "--queue",
        metavar="FILE.py:NAME",
        help="One more arm: the first one's with a queue of one's own; may be repeated. This runs the code in that "
        "file.",
    ),
]
WarmUp = Annotated[
    str | None,
    typer.Option("--warmup", metavar="S", help="Warm-up of all arms in seconds, or 'auto': proposed from pilot runs."),
]


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("compare", rich_help_panel=RUN)(compare)


def compare(  # noqa: PLR0913 - one argument per option of the command
    context: typer.Context,
    arms: Arms = None,
    set_: Settings = None,
    baseline: Annotated[
        str | None, typer.Option(metavar="NAME", help="What the others are compared with (default: the first).")
    ] = None,
    measure: Measure = None,
    margin: Annotated[
        str, typer.Option(metavar="SHARE", help="Differences within it do not matter: '1 %' of the baseline, or 0.01.")
    ] = USUAL_MARGIN,
    seeds: Seeds = None,
    until: Annotated[
        str | None,
        typer.Option(metavar="WIDTH", help="Go on until half of each difference's interval is this narrow: '1 %'."),
    ] = None,
    most: Most = None,
    hold: Hold = None,
    warmup: WarmUp = None,
    store: StoreFolder = STORE,
    engine: Engine = THREADS,
    threads: Threads = None,
    shard: Shard = "",
    scheduler: Schedulers = None,
    congestion_control: Controls = None,
    queue: Queues = None,
    out: Out = None,
    force: Force = False,
    json: AsJson = False,
    quiet: Quiet = False,
    suite: Suite = None,
    candidate: Candidate = None,
    budget: Budget = None,
    members: Members = None,
    hidden_seed: HiddenSeed = None,
    worst: WorstPoints = None,
    html: Html = False,
) -> None:
    """Compare scenarios with a baseline: difference, interval and verdict of one measure.

    airlink compare lte scheduler.kind=max_rate -m 'users.p05(goodput_bps)'

    airlink compare lte codel=queue.kind=codel -m 'downloads.p95(time_s)'

    airlink compare airlink-results/k3-1 max=airlink-results/k3-max-1

    airlink compare lte scheduler.kind=max_rate --until '1 %'

    airlink compare lte --scheduler mine.py:Mine    runs the code in mine.py

    airlink compare --suite schedulers --candidate mine.py:Mine

    The first --measure is primary: better, worse, equivalent (within --margin of the baseline) or undecided. The others
    are exploratory, and get no verdict.

    Arms run with the same seeds and are compared pair by pair. The intervals hold for all arms at once. The picture of
    the primary differences is comparison.svg in the answer's folder.

    With --suite a scheduler of your own is judged against all built-in ones, by public scenarios and by hidden ones,
    which are drawn after its hash was written down (docs/how-to/judge.md).

    Then: airlink plot bars RESULT, airlink report RESULT.
    """
    own = {"--scheduler": scheduler, "--congestion-control": congestion_control, "--queue": queue}
    options = {
        "-s": set_, "--baseline": baseline, "-m": measure, "--margin": margin if margin != USUAL_MARGIN else None,
        "--seeds": seeds, "--until": until, "--most": most, "--hold": hold, "--warmup": warmup,
        **own,
    }  # fmt: skip
    of_suite = {
        "--candidate": candidate, "--budget": budget, "--members": members, "--hidden-seed": hidden_seed,
        "--worst": worst, "--html": html or None,
    }  # fmt: skip
    if suite is not None:
        _check_suite(arms, {**options, "--shard": shard}, context)
        judge_candidate(
            Asked(
                suite, candidate, budget, members, hidden_seed, worst, html, measure or (), _given(margin), seeds,
                store, engine, threads, out, force, json, quiet,
            )
        )  # fmt: skip
        return
    arms = _checked_arms(arms, of_suite, context)
    stored: dict[str, list[Replica]] = {}
    if len(arms) == 1 and Path(arms[0]).is_dir() and holds_answer(Path(arms[0])):
        if given := [option for option, value in options.items() if value]:
            raise RequestError(f"{arms[0]} says what is asked: {given[0]} can't be given beside it")
        question, out = _written(Path(arms[0])), out or Path(arms[0])
    else:
        primary, others = (measure[0], measure[1:]) if measure else (None, [])
        wishes = Wishes(seeds_of(seeds) if seeds else SEEDS, others, until, most, hold or ())
        wanted = Wanted(primary, not others, baseline, _share(margin), _warmup(warmup), seeds is not None)
        asked, stored = compare_question(with_own(read_arms(arms, set_ or []), own), wishes, wanted, threads)
        question = replace(asked, command=command_text("compare", arms, options))
    answer(question, How(store, engine, threads, shard, out, force, json, quiet), stored)


def _given(margin: str) -> float | None:
    """The margin that was given; None where none was."""
    return None if margin == USUAL_MARGIN else _share(margin)


def _checked_arms(arms: list[str] | None, of_suite: Mapping[str, Any], context: typer.Context) -> list[str]:
    """The arms of a comparison without a suite; refuses what needs one."""
    if given := [option for option, value in of_suite.items() if value is not None]:
        raise UsageError(f"{given[0]} requires --suite", context)
    if not arms:
        raise UsageError("missing argument 'ARM...'", context)
    return arms


def _check_suite(arms: list[str] | None, options: Mapping[str, Any], context: typer.Context) -> None:
    """Refuses what does not go with --suite."""
    used = ("-m", "--margin", "--seeds")
    given = [*(arms or ()), *(option for option, value in options.items() if value and option not in used)]
    if given:
        raise UsageError(f"--suite does not go with {given[0]}", context)


def _written(path: Path) -> Question:
    """The question in a folder, with the command that asked it first."""
    question = question_of(path)
    if question.kind != "compare":
        raise RequestError(f"{path} is a sweep: airlink sweep {path} asks it again")
    return question


def _share(text: str) -> float:
    """A share, written as such or in percent.

    >>> _share("2 %"), _share("0.02")
    (0.02, 0.02)
    """
    number, percent, rest = text.partition("%")
    try:
        return float(number) / (100 if percent else 1) if not rest.strip() else float("nan")
    except ValueError:
        raise RequestError(f"margin is {text!r}; it must be a share such as '1 %' or 0.01") from None


def _warmup(text: str | None) -> float | Literal["auto"] | None:
    if text is None or text == "auto":
        return text  # type: ignore[return-value]
    try:
        return float(text)
    except ValueError:
        raise RequestError(f"warmup is {text!r}; it must be a number of seconds or auto") from None
