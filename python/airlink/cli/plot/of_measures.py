"""`airlink plot cdf`, `box`, `bars`, `pareto` and `sweep`: measures of results, sweeps and comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airlink.cli.plot.writing import Column, Force, Look, Origin, Out, Theme, place_of, write
from airlink.cli.sources import Folders, asked
from airlink.engine import RequestError
from airlink.result.atomic_write import Destination

if TYPE_CHECKING:
    from airlink.campaign.answer import Answer
    from airlink.plots.charts import Chart

ONE = "Which measure (default: the first); airlink list measures has all."
MEMBERS = "Which measure, or a column of all users, flows or downloads, as users.goodput_bps (default: the first)."
Measure = Annotated[list[str] | None, typer.Option("--measure", "-m", metavar="M", help=ONE)]
MeasureOrColumn = Annotated[list[str] | None, typer.Option("--measure", "-m", metavar="M", help=MEMBERS)]
Measures = Annotated[
    list[str] | None,
    typer.Option("--measure", "-m", metavar="M", help="Measure, a panel each; may be repeated (default: all)."),
]
TwoMeasures = Annotated[
    list[str] | None,
    typer.Option("--measure", "-m", metavar="M", help="Twice: along x, then along y (default: the first two)."),
]


def cdf(  # noqa: PLR0913 - one argument per option of the command
    context: typer.Context,
    results: Folders,
    measure: MeasureOrColumn = None,
    out: Out = None,
    column: Column = False,
    theme: Theme = "light",
    origin: Origin = True,
    force: Force = False,
) -> None:
    """Draw the distribution of a measure over replicas, or of a column over all users of all replicas.

    airlink plot cdf airlink-results/k3-1 --measure users.goodput_bps

    airlink plot cdf airlink-results/web -m downloads.time_s --out cdf.pdf

    airlink plot cdf airlink-results/lte-sweep -m cell.goodput_bps

    A line a scenario. Downloads that have not ended are allowed for by the product limit.
    """
    place = _place(context, "cdf", results, out, force)
    answer, (chosen,) = asked(results, measure, 1, of_members=True)
    from airlink.plots import charts

    _write(place, answer, [charts.cdf(answer, chosen)], Look(column, theme, origin))


def box(  # noqa: PLR0913 - one argument per option of the command
    context: typer.Context,
    results: Folders,
    measure: MeasureOrColumn = None,
    out: Out = None,
    column: Column = False,
    theme: Theme = "light",
    origin: Origin = True,
    force: Force = False,
) -> None:
    """Draw median, quartiles and reach of a measure over replicas, or of a column over all users: a box a scenario.

    airlink plot box airlink-results/lte-sweep

    airlink plot box airlink-results/a airlink-results/b -m users.goodput_bps
    """
    place = _place(context, "box", results, out, force)
    answer, (chosen,) = asked(results, measure, 1, of_members=True)
    from airlink.plots import charts

    _write(place, answer, [charts.box(answer, chosen)], Look(column, theme, origin))


def bars(  # noqa: PLR0913 - one argument per option of the command
    context: typer.Context,
    results: Folders,
    measure: Measures = None,
    out: Out = None,
    column: Column = False,
    theme: Theme = "light",
    origin: Origin = True,
    force: Force = False,
) -> None:
    """Draw measures of each scenario with their intervals: a panel a measure.

    airlink plot bars airlink-results/lte-sweep

    airlink plot bars airlink-results/lte-sweep -m cell.goodput_bps --out bars.pdf
    """
    place = _place(context, "bars", results, out, force)
    answer, chosen = asked(results, measure)
    from airlink.plots import charts

    _write(place, answer, [charts.bars(answer, each) for each in chosen], Look(column, theme, origin))


def pareto(  # noqa: PLR0913 - one argument per option of the command
    context: typer.Context,
    results: Folders,
    measure: TwoMeasures = None,
    out: Out = None,
    column: Column = False,
    theme: Theme = "light",
    origin: Origin = True,
    force: Force = False,
) -> None:
    """Draw two measures against each other, with both intervals, and mark what no other scenario beats.

    airlink plot pareto airlink-results/lte-sweep

    airlink plot pareto airlink-results/web -m cell.goodput_bps -m cell.jain_index
    """
    place = _place(context, "pareto", results, out, force)
    answer, (across, up) = asked(results, measure, 2)
    from airlink.plots import charts

    _write(place, answer, [charts.pareto(answer, across, up)], Look(column, theme, origin))


def sweep(  # noqa: PLR0913 - one argument per option of the command
    context: typer.Context,
    results: Folders,
    measure: Measures = None,
    out: Out = None,
    column: Column = False,
    theme: Theme = "light",
    origin: Origin = True,
    force: Force = False,
) -> None:
    """Draw measures against the field that was swept: a line for each value of the others, bands are intervals.

    airlink plot sweep airlink-results/lte-sweep

    airlink plot sweep airlink-results/lte-sweep -m cell.slots --out slots.pdf
    """
    place = _place(context, "sweep", results, out, force)
    answer, chosen = asked(results, measure)
    if not answer.axes:
        raise RequestError(f"{', '.join(map(str, results))}: nothing was swept; airlink plot bars draws any results")
    from airlink.plots import charts

    _write(place, answer, [charts.sweep(answer, each) for each in chosen], Look(column, theme, origin))


def _place(context: typer.Context, kind: str, results: Sequence[Path], out: Path | None, force: bool) -> Destination:
    return place_of(context, f"{results[0].resolve().name}-{kind}", out, force)


def _write(place: Destination, answer: Answer, drawn: Sequence[Chart], look: Look) -> None:
    """Writes charts as a page of their own, with what they rest on, or as panels of a figure."""
    from airlink.plots.charts import figure, origin_of
    from airlink.report import Page, Section, of_answer, write_page

    title = drawn[0].title if len(drawn) == 1 else f"{len(drawn)} measures"
    page = Page(title, "", [Section("", (), drawn)], facts=list(of_answer.facts(answer)))
    told = origin_of(answer) if look.origin else ""
    write(place, lambda path: write_page(page, path), lambda: figure(drawn, look.column, told), look)


COMMANDS = (cdf, box, bars, pareto, sweep)
