"""`airlink run`: simulate a scenario, print its tables, store the result."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from airlink import execute, result
from airlink.cli import tables
from airlink.cli.commands import INTERRUPTED, message
from airlink.cli.progress import bar
from airlink.cli.source import read_scenario
from airlink.result import Result, ResultExists, files
from airlink.scenario import Scenario

RESULTS = Path("airlink-results")

KINDS_HELP = "Series to record, separated by commas, or 'all': " + ", ".join(execute.RECORD_KINDS) + "."


@dataclass(frozen=True)
class Output:
    """What the user wants to get back."""

    directory: Path | None
    force: bool
    json: bool
    quiet: bool


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("run")(run)


def run(  # noqa: PLR0913 - one argument per option of the command
    file: Annotated[str, typer.Argument(metavar="FILE", help="Scenario file (TOML), or the name of a ready one.")],
    set_: Annotated[
        list[str] | None, typer.Option("--set", "-s", metavar="KEY=VALUE", help="Override a field; may be repeated.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first replica; the others get the next ones.")] = 1,
    replicas: Annotated[int, typer.Option(min=1, help="How many replicas, on all cores.")] = 1,
    record: Annotated[str, typer.Option(metavar="KINDS", help=KINDS_HELP)] = "",
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for the results (default: airlink-results/NAME-SEED).")
    ] = None,
    no_save: Annotated[bool, typer.Option("--no-save", help="Write no files.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a folder that holds results.")] = False,
    threads: Annotated[int | None, typer.Option(min=1, help="Cores to use (default: all).")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON instead of tables.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors (and --json).")] = False,
) -> None:
    """Simulate a scenario: prints users and cell, writes result files.

    airlink run cell.toml

    airlink run k3 -s scheduler.kind=proportional_fair --replicas 20

    airlink run cell.toml --record cwnd,packets,acks,slots --out here

    airlink run cell.toml --no-save --json | jq .summary.goodput_bps

    The same seed gives the same numbers on any machine, with any number of threads.

    Ctrl-C keeps the replicas that had finished.
    """
    scenario = read_scenario(file, set_ or [])
    kinds = execute.checked_record(_kinds(record, scenario))
    execute.check_recordable(scenario, kinds)
    directory = None if no_save else out or default_directory(scenario, file, seed)
    output = Output(directory, force, json, quiet)
    _check_free(output)
    with bar(scenario.name or Path(file).stem, quiet) as progress:
        made = result.run(scenario, seed, replicas, record=kinds, threads=threads, progress=progress)
    finish(made, output, replicas)


def finish(made: Result, output: Output, asked: int) -> None:
    """Stores and prints a result; ends with the exit code of an interruption if it was one."""
    if output.directory is not None:
        made.save(output.directory, overwrite=output.force)
    try:
        _print(made, output)
    except BrokenPipeError:
        # Ctrl-C ends the reader of a pipe as well; that the run was interrupted is told all the same.
        if not made.interrupted:
            raise
    if made.interrupted:
        message(f"interrupted; {len(made.replicas)} of {asked} replicas had finished and are kept")
        raise typer.Exit(INTERRUPTED)


def _print(made: Result, output: Output) -> None:
    if output.json:
        sys.stdout.write(tables.as_json(made, str(output.directory) if output.directory else None) + "\n")
    elif not output.quiet:
        console = tables.console()
        tables.print_result(made, console)
        if output.directory is not None:
            console.print(f"Written to {output.directory}", soft_wrap=True, markup=False)


def default_directory(scenario: Scenario, file: str, seed: int) -> Path:
    """airlink-results/NAME-SEED, the name made safe for a file system."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", scenario.name or Path(file).stem).strip("-.")
    return RESULTS / f"{name or 'scenario'}-{seed}"


def _kinds(record: str, scenario: Scenario) -> list[str]:
    names = [name.strip() for name in record.split(",") if name.strip()]
    return execute.recordable(scenario) if names == ["all"] else names


def _check_free(output: Output) -> None:
    """Before anything is computed: a result that can't be stored should not cost an hour first."""
    if output.directory is None:
        return
    try:
        files.check_free(output.directory, output.force)
    except ResultExists as error:
        raise ResultExists(f"{error} (--out DIR, --force, --no-save)") from None
    files.check_writable(output.directory)
