"""`airlink plot`: a flow, a cell or its fairness, as an interactive page or as a figure for a paper."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import typer

from airlink import execute
from airlink.cli.commands import Commands, message
from airlink.cli.progress import simulating
from airlink.result import Result, folder
from airlink.result.place import Place, check_file, claimed
from airlink.result.selection import checked_stretch, chosen_flow, chosen_replica, flows_of, listed, round_width

PAGE = ".html"
FIGURES = (".pdf", ".png", ".svg")

Folder = Annotated[Path, typer.Argument(metavar="RESULT", help="Folder written by airlink run.")]
Replica = Annotated[int, typer.Option(metavar="R", help="Which replica, from 0.")]
From = Annotated[float, typer.Option("--from", metavar="S", help="Where the picture begins, seconds of the run.")]
To = Annotated[float, typer.Option("--to", metavar="S", help="Where it ends (default: with the run).")]
Out = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Ends in .html (page to zoom in), .pdf, .svg or .png (figure for a paper)."),
]
Column = Annotated[bool, typer.Option("--column", help="A figure as wide as one column of a journal, not both.")]
Of = Literal["flow", "user", "queue"]
Presence = Annotated[
    float, typer.Option(metavar="P", help="Part of a window that one must be there for to count in it, 0 to 1.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that exists.")]

HELP = """Draw a flow, a cell or its fairness, of a stored result: a page to zoom in, or a figure for a paper.

airlink plot flow airlink-results/k3-1 --user 3                      k3-1-flow-3.html

airlink plot flow airlink-results/k3-1 --user 3 --from 5 --to 12 --out fig2.pdf

airlink plot cell airlink-results/k3-1

airlink plot fairness airlink-results/k3-1
"""

plot = typer.Typer(cls=Commands, no_args_is_help=True, context_settings={"help_option_names": ["-h", "--help"]})


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    plot.command("flow")(flow)
    plot.command("cell")(cell)
    plot.command("fairness")(fairness)
    app.add_typer(plot, name="plot", help=HELP)


def flow(  # noqa: PLR0913 - one argument per option of the command
    context: typer.Context,
    result: Folder,
    user: Annotated[int | None, typer.Option(metavar="K", help="Whose flow, from 0.")] = None,
    flow: Annotated[
        int | None, typer.Option(metavar="N", help="Which flow, from 0 (default: the user's first).")
    ] = None,
    replica: Replica = 0,
    from_: From = 0.0,
    to: To = float("inf"),
    out: Out = None,
    column: Column = False,
    force: Force = False,
) -> None:
    """Draw a TCP flow: its time-sequence graph, and under it all that explains it.

    airlink plot flow airlink-results/k3-1 --user 3                      k3-1-flow-3.html, to open in a browser

    airlink plot flow airlink-results/k3-1 --user 3 --from 5 --to 12 --out fig2.pdf

    The graph is tcptrace's: segments sent, the ACK line, the window line; R sent again, 3 third duplicate ACK, O out of
    order. Under it: slots won and their rate, SNR, queue and drops, cwnd, ssthresh and flight, RTT and RTO, and what
    held the flow back.

    What the run did not record is simulated again, which gives the same packets.
    """
    stored = Result.load(result)
    chosen = chosen_flow(chosen_replica(stored, replica), user, flow)
    place = _target(context, out, result, f"flow-{chosen}", force)
    _say_which(stored, replica, user, flow)
    from airlink.plots.flow import flow_figure, flow_view
    from airlink.plots.flow.view import KINDS, check_tcp
    from airlink.plots.style import save

    check_tcp(stored, replica, chosen)
    stretch = checked_stretch(stored.scenario, from_, to)
    with simulating(stored, replica, KINDS) as progress:
        view = flow_view(stored, flow=chosen, replica=replica, start_s=stretch[0], stop_s=stretch[1], progress=progress)

    def page(path: Path) -> None:
        from airlink.plots.flow.page import write_page

        write_page(view, path)

    _write(place, page, lambda path: save(flow_figure(view, column=column), path))


def cell(  # noqa: PLR0913 - one argument per option of the command
    context: typer.Context,
    result: Folder,
    replica: Replica = 0,
    from_: From = 0.0,
    to: To = float("inf"),
    out: Out = None,
    column: Column = False,
    force: Force = False,
) -> None:
    """Draw a cell: who got which slot, and each user's share of the band, rate and delay over time.

    airlink plot cell airlink-results/k3-1                               k3-1-cell.html, to open in a browser

    airlink plot cell airlink-results/k3-1 --from 5 --to 12 --out slots.pdf --column

    Of a wired bottleneck: the rates and delays.

    What the run did not record is simulated again, which gives the same packets.
    """
    stored = Result.load(result)
    place = _target(context, out, result, "cell", force)
    stretch = checked_stretch(stored.scenario, from_, to)
    from airlink.plots.cell import KINDS, cell_figure, cell_view
    from airlink.plots.style import save

    chosen_replica(stored, replica)
    with simulating(stored, replica, KINDS) as progress:
        view = cell_view(stored, replica=replica, start_s=stretch[0], stop_s=stretch[1], progress=progress)

    def page(path: Path) -> None:
        from airlink.plots.cell_page import write_cell_page

        write_cell_page(view, path)

    _write(place, page, lambda path: save(cell_figure(view, column), path))


def fairness(  # noqa: PLR0913 - one argument per option of the command
    context: typer.Context,
    result: Folder,
    window: Annotated[float | None, typer.Option(metavar="S", help="Length of a window (default: 40 or more).")] = None,
    step: Annotated[
        float | None, typer.Option(metavar="S", help="From one to the next (default: its length; shorter: they slide).")
    ] = None,
    of: Annotated[Of, typer.Option(help="Whose rates.")] = "flow",
    presence: Presence = 1.0,
    replica: Replica = 0,
    from_: From = 0.0,
    to: To = float("inf"),
    out: Out = None,
    column: Column = False,
    force: Force = False,
) -> None:
    """Draw rates over time, coloured by queue, and Jain's index under them.

    airlink plot fairness airlink-results/clamp-1                    clamp-1-fairness.html, to open in a browser

    airlink plot fairness airlink-results/clamp-1 --window 5 --step 1 --out fair.pdf --column

    Jain's index of all flows is the product of that within queues and that across them.

    What the run did not record is simulated again, which gives the same packets.
    """
    stored = Result.load(result)
    place = _target(context, out, result, "fairness", force)
    stretch = checked_stretch(stored.scenario, from_, to)
    from airlink.fairness import check_presence, series_needed, windows
    from airlink.plots.fairness import fairness_figure, fairness_view
    from airlink.plots.style import save

    chosen_replica(stored, replica)
    width = round_width(stretch[1] - stretch[0]) if window is None else window
    windows(*stretch, width, step)
    check_presence(presence)
    with simulating(stored, replica, series_needed(stored.scenario)) as progress:
        view = fairness_view(
            stored,
            of=of,
            window_s=width,
            step_s=step,
            presence=presence,
            replica=replica,
            start_s=from_,
            stop_s=to,
            progress=progress,
        )
    if view.counted.rows == 0:
        message(f"no {of} was there for so much of a window: nothing to draw; try a smaller --presence or --window")

    def page(path: Path) -> None:
        from airlink.plots.fairness_page import write_fairness_page

        write_fairness_page(view, path)

    _write(place, page, lambda path: save(fairness_figure(view, column), path))


def _target(context: typer.Context, out: Path | None, result: Path, what: str, force: bool) -> Place:
    """Where to write, for this command alone until it ends; checked before anything is simulated."""
    path = out or Path(f"{result.resolve().name}-{what}{PAGE}")
    if path.suffix.lower() not in (PAGE, *FIGURES):
        raise execute.RequestError(f"--out {path}: must end in {', '.join((PAGE, *FIGURES))}")
    place: Place = context.with_resource(claimed(path, parents=False))
    check_file(path, force)
    return place


def _say_which(result: Result, replica: int, user: int | None, flow: int | None) -> None:
    if user is None or flow is not None:
        return
    own = flows_of(result.replicas[replica], user)
    if len(own) > 1:
        message(f"user {user} has the flows {listed(own)}: this is {own[0]}, --flow chooses another")


def _write(place: Place, page: Callable[[Path], None], figure: Callable[[Path], None]) -> None:
    draw = page if place.new.suffix.lower() == PAGE else figure
    with folder.writing(place.asked):
        draw(place.new)
    place.put()
    message(f"wrote {place.asked}")
