"""`airlink report RESULT...`: one HTML file."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from airlink.cli.commands import message
from airlink.cli.sources import Folders, loaded
from airlink.engine import RequestError
from airlink.result.atomic_write import check_file, claimed
from airlink.result.folder import writing

PAGE = ".html"


def page_command(
    context: typer.Context,
    results: Folders,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Ends in .html (default: RESULT-report.html).")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
) -> None:
    """Write one self-contained page: what was asked, the answer, tables, charts, provenance, all scenarios.

    airlink report airlink-results/lte-sweep                lte-sweep-report.html

    airlink report airlink-results/a airlink-results/b --out report.html

    The word `page` may be left out. Nothing is simulated. Charts show values at the pointer and print as pictures.
    """
    path = out or Path(f"{results[0].resolve().name}-report{PAGE}")
    if path.suffix.lower() != PAGE:
        raise RequestError(f"--out {path}: must end in {PAGE}")
    place = context.with_resource(claimed(path, parents=False))
    check_file(path, force)
    answers, runs = loaded(results)
    from airlink.report import results_page, write_page

    again = shlex.join(["airlink", "report", *map(str, results), *(["--out", str(out)] if out else [])])
    with writing(place.asked):
        write_page(results_page(answers, runs, again), place.new)
    place.put()
    message(f"wrote {place.asked}")
