"""Arguments and options that several commands share: one name, one meaning, one sentence of help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from airlink import engine
from airlink.cli import completion
from airlink.own import Parts, parts_of
from airlink.result import Result, ResultError
from airlink.result.rerun import give_code
from airlink.scenario import Scenario

Folder = Annotated[Path, typer.Argument(metavar="RESULT", help="Folder written by airlink run.")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", "-s", metavar="KEY=VALUE", help="Override a field; may be repeated.")
]
Replicas = Annotated[int, typer.Option(min=1, help="How many replicas, on all cores.")]
Threads = Annotated[int | None, typer.Option(min=1, help="Cores to use (default: all).")]
Seeds = Annotated[
    str | None, typer.Option("--seeds", metavar="SEEDS", help="Seeds, one replica each: 1-20, or 1-20,30.")
]
Engine = Annotated[
    str,
    typer.Option(
        "--engine",
        metavar="ENGINE",
        help="What runs the replicas: threads, processes (both also with a number, as processes:4), or dask:ADDRESS "
        "of a scheduler.",
    ),
]
"""Read by `airlink.campaign.engine_of`; its default is "threads"."""

OwnScheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="FILE.py:NAME",
        help="A scheduler of one's own in the place of [scheduler]; this runs the code in that file.",
    ),
]
OwnControl = Annotated[
    str | None,
    typer.Option(
        "--congestion-control",
        metavar="FILE.py:NAME",
        help="A congestion control of one's own for all flows with TCP; this runs the code in that file.",
    ),
]
OwnQueue = Annotated[
    str | None,
    typer.Option(
        "--queue",
        metavar="FILE.py:NAME",
        help="Management of one's own for the users' queues; this runs the code in that file.",
    ),
]
"""Read by `own_parts`."""

Shard = Annotated[
    str,
    typer.Option("--shard", metavar="K/N", help="Only part K of N of the replicas, for job arrays; see store merge."),
]
"""Read by `airlink.campaign.shard_of`; its default is "1/1"."""

STORE = Path("airlink-results")
"""Where commands keep replicas, unless they are told another folder."""

StoreFolder = Annotated[
    Path,
    typer.Option(
        "--store",
        metavar="DIR",
        envvar="AIRLINK_STORE",
        show_envvar=False,
        show_default=False,
        help="Store of replicas: what is in it is not run again (default: AIRLINK_STORE, or airlink-results).",
    ),
]
Record = Annotated[
    str,
    typer.Option(
        metavar="KINDS",
        help="Series to record, separated by commas, or 'all': "
        + ", ".join(engine.RECORD_KINDS)
        + ". With 'pcap', packets are captured.",
        autocompletion=completion.series,
    ),
]
Replica = Annotated[int, typer.Option(metavar="R", help="Which replica, from 0.")]
Presence = Annotated[
    float,
    typer.Option(metavar="P", help="Part of a window that a flow must be active for to count in it, 0 to 1."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]


def own_parts(scenario: Scenario, scheduler: str | None, control: str | None, queue: str | None) -> Parts:
    """The code of one's own that a command names, for a scenario; raises OwnError where it can't be used."""
    groups = [group for group, flow in enumerate(scenario.flows) if flow.has_tcp()]
    return parts_of(scheduler, None if control is None else dict.fromkeys(groups, control), queue)


def result_of(folder: Path, scheduler: str | None, control: str | None, queue: str | None) -> Result:
    """The result in a folder, with the code of one's own that a command names so that it can be simulated again."""
    result = Result.load(folder)
    give_named_code(result, str(folder), scheduler, control, queue)
    return result


def give_named_code(result: Result, name: str, scheduler: str | None, control: str | None, queue: str | None) -> None:
    """Gives a result of that name the code of one's own that a command names; raises ResultError if it was another."""
    if scheduler or control or queue:
        try:
            give_code(result, own_parts(result.scenario, scheduler, control, queue))
        except ResultError as error:
            raise ResultError(f"{name}: {error}") from None


def own_words(scheduler: str | None, control: str | None, queue: str | None) -> dict[str, str | None]:
    """The options that name it, as the command that asks again has them."""
    return {"--scheduler": scheduler, "--congestion-control": control, "--queue": queue}
