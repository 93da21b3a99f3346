"""`airlink sweep`: a scenario with every combination of values of some fields."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from airlink.campaign import seeds_of
from airlink.campaign.asking import Wishes
from airlink.campaign.axes import parse_axes
from airlink.campaign.folder import holds_answer, question_of
from airlink.campaign.plan_file import is_plan, read_plan
from airlink.campaign.question import SEEDS, Question
from airlink.campaign.sweep import sweep_question
from airlink.cli import completion
from airlink.cli.answers import THREADS, How, answer, command_text
from airlink.cli.commands import RUN
from airlink.cli.options import (
    STORE,
    AsJson,
    Engine,
    OwnControl,
    OwnQueue,
    OwnScheduler,
    Seeds,
    Settings,
    Shard,
    StoreFolder,
    Threads,
    own_parts,
    own_words,
)
from airlink.cli.source import read_scenario
from airlink.engine import RequestError

Axes = Annotated[
    list[str] | None,
    typer.Option(
        "--axis",
        "-x",
        metavar="FIELD=VALUES",
        help="A field and its values: a,b,c, or 1..5 (whole steps), 0..1:lin5, 10..10000:log7; may be repeated.",
    ),
]
Measures = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        "-m",
        metavar="MEASURE",
        help="What to estimate (airlink list measures); may be repeated.",
        autocompletion=completion.measures,
    ),
]
Until = Annotated[
    str | None,
    typer.Option(metavar="WIDTH", help="Go on until half of an interval is this narrow: 'cell.goodput_bps: 1 %'."),
]
Most = Annotated[
    int | None, typer.Option(metavar="N", help="With --until: replicas of a scenario after which it gives up (1000).")
]
Hold = Annotated[
    list[str] | None,
    typer.Option(metavar="WHAT", help="'placement': users stand at the same places in every seed."),
]
Out = Annotated[Path | None, typer.Option(metavar="DIR", help="Folder for the answer (default: airlink-results/NAME).")]
Force = Annotated[bool, typer.Option("--force", help="Replace a folder that holds the answer to another question.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors (and --json).")]


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("sweep", rich_help_panel=RUN)(sweep)


def sweep(  # noqa: PLR0913 - one argument per option of the command
    scenario: Annotated[
        str,
        typer.Argument(
            metavar="SCENARIO",
            help="Scenario file, ready name, PLAN.toml, or the folder of a sweep.",
            autocompletion=completion.scenarios,
        ),
    ],
    axes: Axes = None,
    set_: Settings = None,
    seeds: Seeds = None,
    measure: Measures = None,
    until: Until = None,
    most: Most = None,
    hold: Hold = None,
    controls: Annotated[
        bool, typer.Option("--controls", help="Narrow intervals by quantities with a known mean.")
    ] = False,
    store: StoreFolder = STORE,
    engine: Engine = THREADS,
    threads: Threads = None,
    shard: Shard = "",
    scheduler: OwnScheduler = None,
    congestion_control: OwnControl = None,
    queue: OwnQueue = None,
    out: Out = None,
    force: Force = False,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Run a scenario with every combination of values, and print measures with their intervals.

    airlink sweep lte -x scheduler.kind=proportional_fair,max_rate,round_robin

    airlink sweep lte -x scheduler.time_constant_slots=10..10000:log7

    airlink sweep cell.toml -x users=2..6 --until 'cell.goodput_bps: 1 %'

    airlink sweep PLAN.toml            scenario, axes and the rest in a file

    Every scenario runs with the same seeds (1-20), so differences are not those of their channels. The intervals are of
    95 %, over replicas.

    Replicas are kept in airlink-results: what is there is not run again, and after Ctrl-C the same command goes on.

    Then: airlink plot sweep RESULT, airlink report RESULT.
    """
    options = {
        "-x": axes, "-s": set_, "--seeds": seeds, "-m": measure, "--until": until, "--most": most, "--hold": hold,
        "--controls": controls, **own_words(scheduler, congestion_control, queue),
    }  # fmt: skip
    path = Path(scenario)
    if is_plan(path) or (path.is_dir() and holds_answer(path)):
        if given := [option for option, value in options.items() if value]:
            raise RequestError(f"{scenario} says what is asked: {given[0]} can't be given beside it")
        question = _written(path, scenario)
        out = out or (path if path.is_dir() else None)
    else:
        wishes = Wishes(seeds_of(seeds) if seeds else SEEDS, measure or (), until, most, hold or (), controls)
        read = read_scenario(scenario, set_ or [])
        asked = sweep_question(read, parse_axes(axes or []), wishes)
        if parts := own_parts(read, scheduler, congestion_control, queue):
            asked = asked.with_parts(dict.fromkeys(asked.arms, parts))
        question = replace(asked, command=command_text("sweep", [scenario], options))
    answer(question, How(store, engine, threads, shard, out, force, json, quiet))


def _written(path: Path, named: str) -> Question:
    """The question in a file, or in a folder with the command that asked it first."""
    if path.is_file():
        plan = read_plan(path)
        return replace(
            sweep_question(plan.scenario, plan.axes, plan.wishes), command=command_text("sweep", [named], {})
        )
    question = question_of(path)
    if question.kind != "sweep":
        raise RequestError(f"{path} is a comparison: airlink compare {path} asks it again")
    return question
