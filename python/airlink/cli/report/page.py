"""`airlink report RESULT...`: one HTML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airlink.cli.answers import command_text
from airlink.cli.commands import message
from airlink.cli.options import OwnControl, OwnQueue, OwnScheduler, give_named_code, own_words
from airlink.cli.progress import simulating
from airlink.cli.sources import Folders, loaded
from airlink.engine import RequestError
from airlink.fairness import series_needed
from airlink.result import Result, ResultError
from airlink.result.atomic_write import check_file, claimed
from airlink.result.folder import writing

if TYPE_CHECKING:
    from airlink.statistics import BatchMeans

PAGE = ".html"


def page_command(  # noqa: PLR0913 - one argument per option of the command
    context: typer.Context,
    results: Folders,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Ends in .html (default: RESULT-report.html).")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
    scheduler: OwnScheduler = None,
    congestion_control: OwnControl = None,
    queue: OwnQueue = None,
) -> None:
    """Write one self-contained page: what was asked, the answer, tables, charts, provenance, all scenarios.

    airlink report airlink-results/lte-sweep                lte-sweep-report.html

    airlink report airlink-results/a airlink-results/b --out report.html

    The word `page` may be left out. Of a result with one replica its packets tell how well that run knows its
    goodput: what was not recorded is simulated again, in a result of code of one's own with that code:
    --scheduler mine.py:Mine. Charts show values at the pointer and print as pictures.
    """
    path = out or Path(f"{results[0].resolve().name}-report{PAGE}")
    if path.suffix.lower() != PAGE:
        raise RequestError(f"--out {path}: must end in {PAGE}")
    place = context.with_resource(claimed(path, parents=False))
    check_file(path, force)
    answers, runs = loaded(results)
    code = own_words(scheduler, congestion_control, queue)
    refused = _give_code(runs, code)
    from airlink.report import results_page, write_page

    again = command_text("report", list(map(str, results)), {"--out": out, **code})
    page = results_page(answers, runs, again, _realizations(results, runs, refused))
    with writing(place.asked):
        write_page(page, place.new)
    place.put()
    message(f"wrote {place.asked}")


def _give_code(runs: Mapping[str, Result], named: Mapping[str, str | None]) -> dict[str, ResultError]:
    """Gives results of code of one's own the code that is named; returns why it is not that of some.

    Raises
    ------
    RequestError, ResultError : it is that of none.
    """
    used = [option for option, place in named.items() if place]
    made_with_some = {name: result for name, result in runs.items() if result.own_code}
    if used and not made_with_some:
        raise RequestError(f"{used[0]}: of these, no result of airlink run was made with code of one's own")
    refused = {}
    for name, result in made_with_some.items():
        try:
            give_named_code(result, name, *named.values())
        except ResultError as error:
            refused[name] = error
    if refused and len(refused) == len(made_with_some):
        raise next(iter(refused.values()))
    return refused


def _realizations(
    folders: Sequence[Path], runs: Mapping[str, Result], refused: Mapping[str, ResultError]
) -> dict[str, BatchMeans]:
    """Of each result with one replica, how well that run knows its goodput; left out where it can't be told."""
    from airlink.campaign.realization import goodput_of_realization

    by_name = {name: folder for folder in folders for name in (folder.resolve().name, str(folder))}
    found = {}
    for name, result in runs.items():
        if len(result.replicas) != 1:
            continue
        try:
            if name in refused:
                raise refused[name]
            with simulating(by_name[name], result, 0, series_needed(result.scenario)) as progress:
                found[name] = goodput_of_realization(result, progress=progress)
        except ResultError as error:
            message(f"{error}; the interval of this one run is left out")
    return found
