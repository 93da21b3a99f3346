"""Commands that explain rather than simulate: init, schedulers, rates, schema, digest."""

from __future__ import annotations

import inspect
import json
import sys
from pathlib import Path
from typing import Annotated, get_args

import typer

from airlink.cli import tables
from airlink.cli.commands import fail, message
from airlink.cli.source import read_scenario
from airlink.execute import rate_table
from airlink.result import Result, columns
from airlink.result.files import is_as_written
from airlink.result.folder import MANIFEST
from airlink.result.place import write_text
from airlink.scenario import json_schema, page, scheduler, template


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command("init")(init)
    app.command("schedulers")(schedulers)
    app.command("rates")(rates)
    app.command("schema")(schema)
    app.command("digest")(digest)


def init(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write; - prints it.")] = Path("scenario.toml"),
    ready: Annotated[str, typer.Option(metavar="NAME", help="Start from a ready scenario.")] = "",
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
) -> None:
    """Write a commented scenario to edit.

    airlink init                      writes scenario.toml

    airlink init cell.toml --ready k3

    airlink init wire.toml --ready dumbbell     TCP alone, through a [bottleneck] instead of a cell

    airlink init - | less

    Every field with its meaning, unit, range and default is in docs/scenario.md.
    """
    text = template(ready)
    if str(file) == "-":
        sys.stdout.write(text)
        return
    write_text(file, text, overwrite=force)
    message(f"wrote {file}; next: airlink run {file}")


def schedulers() -> None:
    """List the schedulers and their metrics.

    R is the rate that the base station believes a user can get in the slot, A its smoothed rate so far.

    airlink schedulers

    airlink run cell.toml -s scheduler.kind=tcp_pf -s scheduler.time_constant_slots=500
    """
    table = tables.plain_table()
    table.add_column("scheduler.kind", no_wrap=True)
    table.add_column("who gets the slot")
    for choice in get_args(scheduler.SchedulerKind):
        table.add_row(choice.model_fields["kind"].default, inspect.getdoc(choice) or "")
    tables.console().print(table, markup=False)


RATE_COLUMNS = {
    "mcs": ("mcs", "{:d}"),
    "scheme": ("in the set", "{:d}"),
    "bits_per_symbol": ("bits\na symbol", "{:d}"),
    "code_rate": ("code rate\nx 1024", "{:.5g}"),
    "threshold_db": ("from SNR\ndB", "{:.2f}"),
    "rate_bps": ("rate\nMb/s", "{:.6g}"),
    "beta": ("beta", "{:.2f}"),
}
"""Heading and format of each column of a table of rates."""


def rates(
    source: Annotated[str, typer.Argument(metavar="SCENARIO", help="A TOML file, or the name of a ready scenario.")],
    overrides: Annotated[
        list[str] | None, typer.Option("--set", "-s", metavar="KEY=VALUE", help="Override a field; may be repeated.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """List the rates of a scenario, and the SNR from which each may be used.

    airlink rates k3

    airlink rates cell.toml -s link.rate.set=cqi-256qam

    Rates are those of the whole carrier; rows are numbered as in the series `mcs`. Of link.rate.kind = "mcs" they are
    the schemes worth choosing: those that no other beats.
    """
    table = rate_table(read_scenario(source, overrides or ()))
    if table is None:
        fail(f"{source}: its rates come from no table; link.rate.kind must be table or mcs")
    if as_json:
        sys.stdout.write(json.dumps({name: column.tolist() for name, column in table.items()}) + "\n")
        return
    printed = tables.plain_table()
    scale = {"code_rate": 1024, "rate_bps": 1e-6}
    for name in table:
        printed.add_column(RATE_COLUMNS[name][0], justify="right", no_wrap=True)
    columns = [(column * scale.get(name, 1), RATE_COLUMNS[name][1]) for name, column in table.items()]
    for row in range(len(table["mcs"])):
        printed.add_row(*(form.format(column[row].item()) for column, form in columns))
    tables.console().print(printed, markup=False)


def schema(
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write to a file instead of stdout.")] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="docs/scenario.md: every field as a table.")] = False,
    results: Annotated[bool, typer.Option("--results", help="docs/results.md: every column of a result.")] = False,
) -> None:
    """Print the JSON Schema of a scenario, for editors and checkers.

    airlink schema --out scenario.schema.json

    airlink schema --markdown > scenario.md
    """
    if markdown:
        text = page()
    elif results:
        text = columns.page()
    else:
        text = json.dumps(json_schema(), indent=2) + "\n"
    if out is None:
        sys.stdout.write(text)
        return
    write_text(out, text)


def digest(
    directory: Annotated[Path, typer.Argument(metavar="RESULT", help="Folder written by airlink run.")],
) -> None:
    """Print the digest of a stored result: a hash of every number the engine recorded.

    Equal digests mean equal results, on any machine, any number of threads. It is computed again from the stored
    numbers; a result whose numbers or description (result.json) were changed since it was written ends with exit
    code 2.

    airlink digest airlink-results/k3-1
    """
    result = Result.load(directory)
    changed = [
        replica.seed
        for replica, computed in zip(result.replicas, result.digests(), strict=True)
        if replica.digest != computed
    ]
    if not is_as_written(directory):
        fail(f"{directory}: {MANIFEST} was changed since it was written")
    if changed:
        fail(f"{directory}: changed since it was written; seeds {', '.join(map(str, changed))}")
    sys.stdout.write(result.digest() + "\n")
