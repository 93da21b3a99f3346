"""`airlink init`: writes a commented scenario to edit."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from airlink.cli.commands import PREPARE, message
from airlink.result.place import write_text
from airlink.scenario import template


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("init", rich_help_panel=PREPARE)(init)


def init(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write; - prints it.")] = Path("scenario.toml"),
    ready: Annotated[str, typer.Option(metavar="NAME", help="Start from a ready scenario.")] = "",
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
) -> None:
    """Write a commented scenario to edit.

    airlink init                      writes scenario.toml

    airlink init cell.toml --ready k3

    airlink init wire.toml --ready dumbbell     TCP alone, without a cell

    airlink init - | less

    `airlink list scenarios` has the ready scenarios. Every field with its meaning, unit, range and default is in
    docs/scenario.md.
    """
    text = template(ready)
    if str(file) == "-":
        sys.stdout.write(text)
        return
    write_text(file, text, overwrite=force)
    message(f"wrote {file}; next: airlink check {file}, airlink run {file}")
