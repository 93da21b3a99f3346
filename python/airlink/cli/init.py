"""`airlink init`: writes a scenario to edit, short or with every field."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from airlink.cli import completion
from airlink.cli.commands import PREPARE, message
from airlink.result.atomic_write import write_text
from airlink.scenario import FIRST, template


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("init", rich_help_panel=PREPARE)(init)


def init(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write; - prints it.")] = Path("scenario.toml"),
    name: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="NAME",
            help="The ready scenario to start from.",
            autocompletion=completion.ready_scenarios,
        ),
    ] = FIRST,
    full: Annotated[bool, typer.Option("--full", help="Write every field, each with its comment.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
) -> None:
    """Write a scenario to edit: a cell in 25 lines, or a ready scenario.

    airlink init                             writes scenario.toml

    airlink init cell.toml --from evdo       a ready one: airlink list scenarios

    airlink init wire.toml --from dumbbell   TCP alone, without a cell

    airlink init cell.toml --full            every field, each with its comment

    airlink init - | less

    Every field with its meaning, unit, range and default is in docs/scenario.md, on the
    site under Reference.
    """
    text = template(name, full)
    if str(file) == "-":
        sys.stdout.write(text)
        return
    write_text(file, text, overwrite=force)
    message(f"wrote {file}; next: airlink check {file}, airlink run {file}")
