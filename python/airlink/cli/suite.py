"""`airlink suite`: scripts of timed packets, played to one end of a TCP."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from airlink import engine
from airlink.cli.commands import BAD_INPUT, TRUST, group, message
from airlink.scenario import ScenarioError, Script, parse_settings
from airlink.scenario.errors import printable

DIFFERED = 1

HELP = """Check TCP against scripts of timed packets.

airlink suite script tests/scripts/fast-retransmit.tcp
"""

suite = group()


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    suite.command("script")(script)
    app.add_typer(suite, name="suite", help=HELP, rich_help_panel=TRUST)


def script(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Scripts, as in docs/scripts.md.")],
    settings: Annotated[
        list[str] | None,
        typer.Option("-s", "--set", metavar="FIELD=VALUE", help="Set a TCP field in all these scripts."),
    ] = None,
) -> None:
    """Run scripts of timed packets against a TCP sender or receiver; report the first mismatch.

    A script holds the fields of one connection and lines such as these: an ACK goes in (<), a segment must come out
    (>) at that millisecond, a quantity must show (=).

    100  < ack 1000 times 3

    100  > 1000..2000 again

    100  = ssthresh 4000

    airlink suite script tests/scripts/fast-retransmit.tcp

    airlink suite script tests/scripts/*.tcp -s duplicate_ack_threshold=4

    Exit code 0: every script holds; 1: a script does not; 2: a file is no script. The language is in docs/scripts.md.
    """
    changes = parse_settings(settings or [])
    worst = 0
    for file in files:
        try:
            difference = engine.play_script(Script.from_file(file).with_tcp(changes))
        except ScenarioError as error:
            for problem in error.problems:
                message(f"{file}: {problem}")
            worst = BAD_INPUT
            continue
        if difference is None:
            typer.echo(printable(f"{file}: holds"))
        else:
            typer.echo(printable(f"{file}:{difference.line}: expected {difference.expected}; came {difference.came}"))
            worst = max(worst, DIFFERED)
    raise typer.Exit(worst)
