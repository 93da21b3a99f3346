"""The command `airlink` itself: its version, its help, and its commands, each loaded when it is asked for."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from airlink import _rust
from airlink.cli.commands import BAD_INPUT, Commands, fail, group, leave_stdout, message

LOOK: Mapping[str, Any] = {"pretty_exceptions_enable": False, "rich_markup_mode": "markdown"}


OBJECTS_BEFORE_A_COLLECTION = 100_000
"""New objects before Python looks for garbage: with its own few it looks through modules for a tenth of a short run."""


COMMANDS: Mapping[str, str] = {
    "init": "init",
    "list": "listing",
    "check": "check",
    "run": "run",
    "sweep": "sweep",
    "compare": "compare",
    "explain": "explain",
    "plot": "plot",
    "report": "report",
    "store": "store",
    "reproduce": "reproduce",
    "suite": "suite",
}
"""The commands, in the order in which `airlink --help` shows them, and the module of each beside this one."""


@cache
def command_of(name: str) -> Any:
    """A command, or a group of them, from its module."""
    alone = group(**LOOK)
    import_module(f"airlink.cli.{COMMANDS[name]}").register(alone)
    return typer.main.get_group(alone).commands[name]


class OnDemand(Mapping[str, Any]):
    """The commands by name; one that nobody looks at is not loaded."""

    def __getitem__(self, name: str) -> Any:
        if name not in COMMANDS:
            raise KeyError(name)
        return command_of(name)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)

    def __contains__(self, name: object) -> bool:
        return name in COMMANDS


class AllCommands(Commands):
    """The commands themselves; a name that a command had before answers with the one that it has now."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{**options, "commands": OnDemand()})

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the words name."""
        from airlink.cli import moved

        told = moved.answer(args)
        return super().resolve_command(ctx, args) if told is None else fail(told)


app = group(AllCommands, add_completion=True, **LOOK)


def _print_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"airlink {_rust.version()}\n")
        raise typer.Exit


@app.callback()
def airlink(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """What a wireless downlink's scheduler, buffers and TCP do to its users, packet by packet.

    Start here:

    airlink init cell.toml            a commented scenario to edit

    airlink check cell.toml           mistakes, warnings, rates, memory and time

    airlink run cell.toml             simulate it

    airlink run cell.toml -s scheduler.kind=tcp_pf --replicas 10

    airlink sweep lte -x scheduler.kind=max_rate,proportional_fair

    airlink compare lte scheduler.kind=max_rate

    airlink explain RESULT            why each flow was slow

    airlink reproduce                 studies of published papers
    """


def main() -> None:
    """The entry point of the command."""
    gc.set_threshold(OBJECTS_BEFORE_A_COLLECTION)
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - until the program ends
    if sys.stdout is None:
        message("the output is closed; redirect it, for instance to /dev/null")
        sys.exit(BAD_INPUT)
    try:
        try:
            app(prog_name="airlink")
        finally:
            # Help and the version are printed before any command is invoked.
            sys.stdout.flush()
    except BrokenPipeError:
        leave_stdout()
    except SystemExit as end:
        reasons = _reasons(end)
        if not any(isinstance(reason, BrokenPipeError) for reason in reasons):
            raise
        # Rich and typer end a program as failed when the reader of help or of a usage error has left.
        leave_stdout()
        sys.exit(max(getattr(reason, "exit_code", 0) for reason in reasons))
    except OSError as error:
        leave_stdout()
        message(error.strerror or str(error))
        sys.exit(BAD_INPUT)


def _reasons(error: BaseException) -> list[BaseException]:
    """The errors while which this one was raised, the latest first."""
    before = error.__context__
    return [before, *_reasons(before)] if before is not None else []
