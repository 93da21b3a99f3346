"""`airlink report`: one page about stored results, sweeps and comparisons; `fairness` prints tables of one result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from airlink.cli.commands import UNDERSTAND, Commands, group
from airlink.cli.report.fairness import fairness_command
from airlink.cli.report.page import page_command
from airlink.engine import RequestError

HELP = """Write one page about stored results, sweeps and comparisons: the answer, tables, charts, what they rest on.

airlink report airlink-results/lte-sweep                lte-sweep-report.html

airlink report airlink-results/a airlink-results/b --out report.html

airlink report fairness airlink-results/clamp-1         tables in the terminal

A folder that is named as a command is written ./fairness.
"""

DEFAULT = "page"
HELP_OPTIONS = ("-h", "--help")


class Reports(Commands):
    """A group whose command `page` need not be named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reads the words up to the command; what begins with no command's name is for the default one."""
        if args and args[0] in self.commands and _is_meant_as_a_folder(args[0], args[1:]):
            raise RequestError(f"{args[0]} is a command of report, and a folder here; write ./{args[0]} for the folder")
        if args and args[0] not in self.commands and args[0] not in HELP_OPTIONS:
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)


def _is_meant_as_a_folder(name: str, others: list[str]) -> bool:
    """Whether the name of a command stands for a folder of that name: it is there, and no other result is named."""
    if any(option in others for option in HELP_OPTIONS):
        return False
    return Path(name).is_dir() and not any(Path(other).is_dir() for other in others)


report = group(Reports)


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    report.command(DEFAULT)(page_command)
    report.command("fairness")(fairness_command)
    app.add_typer(report, name="report", help=HELP, rich_help_panel=UNDERSTAND)
