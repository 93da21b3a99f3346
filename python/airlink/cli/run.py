"""`airlink run`: simulate a scenario, print its tables, store the result."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from json import dumps as json_text
from pathlib import Path
from typing import Annotated

import typer

from airlink import engine
from airlink.campaign import Plan, engine_of, opened, outcome_of, seeds_of, shard_of, stream
from airlink.campaign.shards import WHOLE
from airlink.cli import completion, tables
from airlink.cli.commands import BAD_INPUT, INTERRUPTED, NOT_WHOLE, RUN, fail, message
from airlink.cli.forecast import print_resources, resources_content
from airlink.cli.options import (
    STORE,
    Engine,
    OwnControl,
    OwnQueue,
    OwnScheduler,
    Record,
    Replicas,
    Seeds,
    Settings,
    Shard,
    StoreFolder,
    Threads,
    own_parts,
    own_words,
)
from airlink.cli.progress import bar
from airlink.cli.recording import named_kinds, recorded_kinds
from airlink.cli.source import read_scenario, ready_base
from airlink.cli.user_tables import print_result
from airlink.engine import CutShort, Progress, Request, RequestError
from airlink.resources import needed_by, warning_of
from airlink.result import Result, ResultError, ResultExists, captures, files
from airlink.result.atomic_write import Destination, claimed
from airlink.result.folder import check_free
from airlink.result.run import result_of, run_request, warnings_after
from airlink.scenario import Problem, Scenario, warnings_of
from airlink.scenario.errors import printable
from airlink.tables import SERIES

RESULTS = Path("airlink-results")

MOST_SETTINGS = 80
"""Letters of a folder's name that settings take before they are cut off."""

MOST_NAME, MOST_LETTERS = 200, 220
"""Letters of its name, and of both: a hash and a seed follow, and file systems allow 255."""

MOST_NAMED = 4
"""Files that a message names; all are in result.json."""

SNAP_HELP = "With pcap: bytes kept of each packet, 80 to 65535 (default: its headers)."


@dataclass(frozen=True)
class Output:
    """What the user wants to get back."""

    directory: Path | None
    force: bool
    json: bool
    quiet: bool
    warnings: Sequence[Problem] = ()


@dataclass(frozen=True)
class Means:
    """What runs the replicas, and the folder of the store that keeps them, if one does."""

    engine: str
    threads: int | None
    store: Path | None


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("run", rich_help_panel=RUN)(run)


def run(  # noqa: PLR0913 - one argument per option of the command
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Scenario file (TOML), or the name of a ready one.",
            autocompletion=completion.scenarios,
        ),
    ],
    set_: Settings = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first replica; the others take the next seeds.")] = 1,
    replicas: Replicas = 1,
    seeds: Seeds = None,
    record: Record = "",
    snap: Annotated[int | None, typer.Option(metavar="BYTES", help=SNAP_HELP)] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for the results (default: airlink-results/NAME-SETTINGS-SEED)."),
    ] = None,
    no_save: Annotated[bool, typer.Option("--no-save", help="Write no files.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a folder that holds results.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the memory and time that the run needs; do not run.")
    ] = False,
    threads: Threads = None,
    engine_: Engine = "threads",
    store: StoreFolder = STORE,
    shard: Shard = "1/1",
    scheduler: OwnScheduler = None,
    congestion_control: OwnControl = None,
    queue: OwnQueue = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON instead of tables.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors (and --json).")] = False,
) -> None:
    """Simulate a scenario: prints users and cell, writes result files.

    airlink run cell.toml

    airlink run k3 -s scheduler.kind=proportional_fair --seeds 1-20

    airlink run cell.toml --record cwnd,packets,acks,slots --out here

    airlink run cell.toml --record pcap --out here    here/captures/*.pcapng

    airlink run cell.toml --scheduler mine.py:Mine    runs the code in mine.py

    airlink run cell.toml --no-save --json | jq .summary.goodput_bps

    The same seed gives the same numbers on any machine, with any number of threads.

    Each replica is also kept in a store (airlink-results) when it has finished, and what is there is not run again: a
    run that was killed goes on, and one with more seeds runs the others only. Series of many rows (all but downloads,
    timeouts and mcs) and captures are in the result alone; a run that records them runs every replica.

    Ctrl-C keeps the replicas that had finished, and the captures of the others so far.
    """
    scenario = read_scenario(file, set_ or [])
    chosen = _chosen(seeds, seed, replicas)
    parts = own_parts(scenario, scheduler, congestion_control, queue)
    request = Request([scenario], chosen, recorded_kinds(record, scenario), snap, [parts])
    _check_captures(request, no_save, engine_)
    if dry_run:
        needed = needed_by(request, threads)
        if json:
            sys.stdout.write(json_text(resources_content(needed), indent=2) + "\n")
        else:
            print_resources(needed, tables.console())
        return
    own = [f"{name[2:]}={word}" for name, word in own_words(scheduler, congestion_control, queue).items() if word]
    directory = None if no_save else out or default_directory(scenario, file, chosen[0], [*(set_ or []), *own])
    warnings = [
        *warnings_of(scenario, named_kinds(record), ready_base(file), scheduler is not None),
        *(() if parts else warning_of(request, threads)),
    ]
    output = Output(directory, force, json, quiet, warnings)
    means = Means(engine_, threads, store if _is_kept(request) and not no_save else None)
    if shard_of(shard) != WHOLE:
        _run_part(request, scenario.name or Path(file).stem, shard, means, output)
        return
    with _claimed(output) as place:
        if not quiet:
            print_warnings(output.warnings)
        with bar(scenario.name or Path(file).stem, quiet) as progress:
            if request.captures and place:
                made = _captured(partial(run_request, request, threads, progress), place, force)
            else:
                made = _made(request, means, progress, quiet)
        after = warnings_after(made)
        if not quiet:
            print_warnings(after)
        finish(made, replace(output, warnings=[*output.warnings, *after]), request.jobs, place)


def _check_captures(request: Request, no_save: bool, named_engine: str) -> None:
    """Raises RequestError for captures that can't be had."""
    if request.snap_bytes is not None and not request.captures:
        raise RequestError("--snap requires --record pcap")
    if request.captures and no_save:
        raise RequestError("--record pcap writes files while the run goes on: it can't be had with --no-save")
    if request.captures and named_engine != "threads":
        raise RequestError("--record pcap writes files on this machine: it can't be had with --engine")


def _chosen(seeds: str | None, seed: int, replicas: int) -> Sequence[int]:
    """The seeds that are asked for, one way or the other."""
    if seeds is None:
        return engine.seeds_from(seed, replicas)
    if (seed, replicas) != (1, 1):
        raise RequestError("--seeds names every seed: it does not go with --seed or --replicas")
    return seeds_of(seeds)


def _is_kept(request: Request) -> bool:
    """Whether the store keeps such replicas: series of many rows would be there twice."""
    return not request.captures and all(SERIES[kind].has_few_rows for kind in request.record)


def _made(request: Request, means: Means, progress: Progress, quiet: bool) -> Result:
    """The result of what was stored and what is run."""
    with opened(means.store) as store, engine_of(means.engine, means.threads) as executor:
        outcome = outcome_of(request, progress=progress, store=store, executor=executor)
    if outcome.stored and not quiet:
        message(f"{outcome.stored} of {request.jobs} replicas were in the store")
    return result_of(request, outcome)


def _run_part(request: Request, name: str, shard: str, means: Means, output: Output) -> None:
    """Runs a part of the replicas into the store; there is no result before all parts are joined."""
    if means.store is None or output.json:
        raise RequestError(
            "--shard leaves its replicas in the store: it can't be had with --no-save, --json, --record pcap or series "
            "of many rows"
        )
    if not output.quiet:
        print_warnings(output.warnings)
    plan = Plan({name: request.scenarios[0]}, request.seeds, request.record, {name: request.parts[0]})
    with opened(means.store) as store, engine_of(means.engine, means.threads) as executor, bar(name) as progress:
        if store is None:
            raise typer.Exit(BAD_INPUT)
        with stream(plan, progress=progress, store=store, executor=executor, shard=shard_of(shard)) as runs:
            seeds = [run.seed for run in runs]
        kept = store.find(store.key(request.scenarios[0], request.record, request.parts[0].hashes), seeds)
    if len(kept) < len(seeds):
        fail(
            f"{means.store}: {len(seeds) - len(kept)} of the {len(seeds)} replicas of part {shard} could not be stored"
        )
    if not output.quiet:
        told = f"part {shard}: {len(seeds)} of {request.jobs} replicas are in the store {means.store}"
        tables.console().print(printable(told), soft_wrap=True, markup=False)


@contextmanager
def _claimed(output: Output) -> Iterator[Destination | None]:
    """The place of the result, before anything is computed: one that can't be stored should not cost an hour first."""
    if output.directory is None:
        yield None
        return
    with claimed(output.directory) as place:
        try:
            check_free(output.directory, output.force)
        except ResultExists as error:
            raise ResultExists(f"{error} (--out DIR, --force, --no-save)") from None
        yield place


def _captured(run: Callable[[Path], Result], place: Destination, force: bool) -> Result:
    folder: Path | None = None
    try:
        with captures.begun(place, force) as folder:
            return run(folder)
    except KeyboardInterrupt:
        if folder is None:
            raise
        message(f"interrupted; no replica had finished; the captures until then are in {captures.kept(place, folder)}")
        raise typer.Exit(INTERRUPTED) from None


def print_warnings(warnings: Sequence[Problem]) -> None:
    """Prints warnings to stderr, before the run: it may take long."""
    for warning in warnings:
        message(f"warning: {warning}")


def finish(made: Result, output: Output, asked: int, place: Destination | None) -> None:
    """Stores and prints a result; ends with the exit code of what went wrong, if anything did."""
    folder, unsaved = _save(made, output, place)
    cut_short = made.captures.cut_short if made.captures is not None else []
    try:
        _print(made, output, folder)
    except BrokenPipeError:
        # Ctrl-C ends the reader of a pipe as well; the interruption is reported all the same.
        if not (made.interrupted or cut_short or unsaved):
            raise
    for reason in dict.fromkeys(cut.reason for cut in cut_short):
        message(_truncation_text(reason, [cut for cut in cut_short if cut.reason == reason]))
    if made.interrupted:
        kept = "" if unsaved else " and are kept" if folder == output.directory else f" and are kept in {folder}"
        why = "out of memory" if made.out_of_memory else "interrupted"
        message(f"{why}; {len(made.replicas)} of {asked} replicas had finished{kept}")
    if unsaved is not None:
        raise unsaved
    if made.interrupted:
        raise typer.Exit(NOT_WHOLE if made.out_of_memory else INTERRUPTED)
    if cut_short:
        raise typer.Exit(NOT_WHOLE)


def _truncation_text(reason: str, cuts: Sequence[CutShort]) -> str:
    """Which captures are not whole for the same reason, in a sentence."""
    names = ", ".join(cut.file.name for cut in cuts[:MOST_NAMED]) + ", ..." * (len(cuts) > MOST_NAMED)
    seeds = len({cut.seed for cut in cuts})
    whose = f"seed {cuts[0].seed}" if seeds == 1 else f"{seeds} seeds"
    return f"{cuts[0].file.parent}: {reason}: {names}; the captures of {whose} end before the run, which went on"


def _save(made: Result, output: Output, place: Destination | None) -> tuple[Path | None, ResultError | None]:
    """Where the result is stored, or what kept it from that; it can be printed all the same."""
    try:
        return (None if place is None else files.put(made, place, output.force)), None
    except ResultExists as error:
        assert place is not None
        folder = files.put_beside(made, place)
        return folder, ResultExists(f"{error}; this result is in {folder}")
    except ResultError as error:
        return None, error


def _print(made: Result, output: Output, folder: Path | None) -> None:
    if output.json:
        sys.stdout.write(tables.as_json(made, str(folder) if folder else None, output.warnings) + "\n")
    elif not output.quiet:
        console = tables.console()
        print_result(made, console)
        if folder is not None:
            console.print(printable(f"Written to {folder}"), soft_wrap=True, markup=False)


def default_directory(scenario: Scenario, file: str, seed: int, settings: Sequence[str] = ()) -> Path:
    """airlink-results/NAME-SETTINGS-SEED, made safe for a file system.

    Settings that are too long for a name, or have letters that are not safe, end in a hash of all of them, so that
    other settings have another folder.
    """
    name = (_safe(scenario.name or Path(file).stem) or "scenario")[:MOST_NAME]
    told = [re.sub(r"\s*=\s*", "=", setting.strip(), count=1) for setting in settings]
    words = "".join(f"-{_safe(setting, '=')}" for setting in told)
    room = min(MOST_SETTINGS, MOST_LETTERS - len(name))
    if len(words) > room or words != "".join(f"-{setting}" for setting in told):
        hashed = hashlib.sha256("\n".join(told).encode("utf-8", "surrogateescape")).hexdigest()
        words = f"{words[:room]}-{hashed[:8]}"
    return RESULTS / f"{name}{words}-{seed}"


def _safe(text: str, more: str = "") -> str:
    return re.sub(rf"[^A-Za-z0-9._{more}-]+", "-", text).strip("-.")
