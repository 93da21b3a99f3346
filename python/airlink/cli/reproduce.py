"""`airlink reproduce`: the studies of published papers, claim by claim."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from airlink.campaign import engine_of
from airlink.cli import completion, tables
from airlink.cli.commands import INTERRUPTED, TRUST, fail, message
from airlink.cli.listing import print_entries, studies
from airlink.cli.options import STORE, Engine, StoreFolder, Threads
from airlink.cli.progress import bar


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("reproduce", rich_help_panel=TRUST)(reproduce)


def reproduce(  # noqa: PLR0913 - one argument per option of the command
    study: Annotated[
        str | None,
        typer.Argument(metavar="STUDY", help="Name of a study; none: list them.", autocompletion=completion.studies),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer realizations, no PDF: a look, not a verdict.")] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for the report (default: airlink-results/STUDY).")
    ] = None,
    seed: Annotated[int, typer.Option(min=1, help="Base seed; each has realizations of its own.")] = 1,
    figure: Annotated[
        str | None, typer.Option(metavar="FIGURE", help="Only this figure, e.g. 13, and the runs that it needs.")
    ] = None,
    threads: Threads = None,
    engine: Engine = "threads",
    store: StoreFolder = STORE,
    force: Annotated[bool, typer.Option("--force", help="Replace a folder that holds results of a study.")] = False,
) -> None:
    """Reproduce a published study: its tables beside ours, a verdict per claim, a report.

    airlink reproduce                          list the studies

    airlink reproduce tcp-pf                   run one

    airlink reproduce tcp-pf --quick --out look

    airlink reproduce tcp-pf --figure 5        one figure, in its own folder

    Prints tables and verdicts; report.html, claims.json, figures and tables are written to the folder.

    A claim that does not hold is shown as such; it does not fail the command.

    Ctrl-C ends the study and writes no report: a verdict needs all of its realizations. Those that had finished are in
    the store: the same command goes on from there.
    """
    if study is None:
        print_entries(studies())
        return
    # Imported when asked for: no other command should wait for what a study draws with.
    from airlink.study import StudyInterrupted, StudyUnavailable, UnknownFigure, load_study

    try:
        asked = load_study(study)
        with engine_of(engine, threads) as executor, bar(study) as progress:
            found = asked.run(
                out,
                quick=quick,
                threads=threads,
                seed=seed,
                progress=progress,
                force=force,
                figure=figure,
                store=store,
                executor=executor,
            )
    except (StudyUnavailable, UnknownFigure) as error:
        fail(str(error))
    except StudyInterrupted as error:
        message(str(error) or "interrupted; nothing was written")
        raise typer.Exit(INTERRUPTED) from None
    found.show(tables.console())
