"""`airlink plot flow`, `cell` and `fairness`: what happened in one replica, over time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import typer

from airlink import engine
from airlink.cli.commands import message
from airlink.cli.options import Folder, OwnControl, OwnQueue, OwnScheduler, Presence, Replica, result_of
from airlink.cli.plot.writing import Column, Force, Look, Origin, Out, Theme, place_of, write
from airlink.cli.progress import simulating
from airlink.result.atomic_write import Destination
from airlink.result.selection import checked_interval, chosen_flow, chosen_replica, flows_of, listed, round_width

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airlink.plots.viewer import Document

From = Annotated[float, typer.Option("--from", metavar="S", help="Start of the figure, seconds of the run.")]
To = Annotated[float, typer.Option("--to", metavar="S", help="End of the figure (default: end of the run).")]
Own = tuple[str | None, str | None, str | None]
"""Scheduler, congestion control and queue of one's own that the run had, by their files."""

Of = Literal["flow", "user", "queue"]
View = TypeVar("View")


class Drawing:
    """A picture of a part of a stored result: what the commands of this group have in common.

    Everything is checked before anything is simulated: the replica and the stretch of time first, then the file, which
    is this command's alone until it ends.
    """

    def __init__(
        self, context: typer.Context, folder: Path, replica: int, times_s: tuple[float, float], own: Own
    ) -> None:
        self._context, self._folder = context, folder
        self.result = result_of(folder, *own)
        self.replica = replica
        self.stored = chosen_replica(self.result, replica)
        self.start_s, self.stop_s = checked_interval(self.result.scenario, *times_s)

    def place(self, what: str, out: Path | None, force: bool) -> Destination:
        """The file to write; without `out` a page named after the result and after what it shows."""
        return place_of(self._context, f"{self._folder.resolve().name}-{what}", out, force)

    def view(self, kinds: Sequence[str], view: Callable[..., View], **choices: Any) -> View:
        """What is to be seen; series of these kinds that the run did not record are simulated again."""
        with simulating(self._folder, self.result, self.replica, kinds) as progress:
            return view(
                self.result,
                replica=self.replica,
                start_s=self.start_s,
                stop_s=self.stop_s,
                progress=progress,
                **choices,
            )


def _write(place: Destination, page: Callable[[], Document], figure: Callable[[], Figure], look: Look) -> None:
    from airlink.plots.viewer import write_document

    write(place, lambda path: write_document(page(), path), figure, look)


def flow(  # noqa: PLR0913 - one argument per option of the command
    context: typer.Context,
    result: Folder,
    user: Annotated[int | None, typer.Option(metavar="K", help="Number of the user, from 0.")] = None,
    flow: Annotated[
        int | None, typer.Option(metavar="N", help="Number of the flow, from 0 (default: the user's first).")
    ] = None,
    replica: Replica = 0,
    from_: From = 0.0,
    to: To = float("inf"),
    out: Out = None,
    column: Column = False,
    theme: Theme = "light",
    origin: Origin = True,
    scheduler: OwnScheduler = None,
    congestion_control: OwnControl = None,
    queue: OwnQueue = None,
    force: Force = False,
) -> None:
    """Draw a TCP flow: its time-sequence graph, and under it all that explains it.

    airlink plot flow airlink-results/k3-1 --user 3         k3-1-flow-3.html

    airlink plot flow airlink-results/k3-1 --user 3 --from 5 --to 12 --out f.pdf

    The graph is tcptrace's: segments sent, the ACK line, the window line; R retransmission, 3 third duplicate ACK, O
    out of order. Under it: slots won and their rate, SNR, queue and drops, cwnd, ssthresh and flight, RTT and RTO, and
    what held the flow back.

    What the run did not record is simulated again, which gives the same packets.
    """
    drawing = Drawing(context, result, replica, (from_, to), (scheduler, congestion_control, queue))
    chosen = chosen_flow(drawing.stored, user, flow)
    place = drawing.place(f"flow-{chosen}", out, force)
    _say_which(drawing.stored, user, flow)
    from airlink.plots.flow import flow_figure, flow_view
    from airlink.plots.flow.page import document
    from airlink.plots.flow.view import KINDS, check_tcp

    check_tcp(drawing.result, replica, chosen)
    view = drawing.view(KINDS, flow_view, flow=chosen)
    look = Look(column, theme, origin)
    _write(place, lambda: document(view), lambda: flow_figure(view, column=column, origin=origin), look)


def cell(  # noqa: PLR0913 - one argument per option of the command
    context: typer.Context,
    result: Folder,
    replica: Replica = 0,
    from_: From = 0.0,
    to: To = float("inf"),
    out: Out = None,
    column: Column = False,
    theme: Theme = "light",
    origin: Origin = True,
    scheduler: OwnScheduler = None,
    congestion_control: OwnControl = None,
    queue: OwnQueue = None,
    force: Force = False,
) -> None:
    """Draw a cell: who got which slot, and each user's share of the band, rate and delay over time.

    airlink plot cell airlink-results/k3-1                  k3-1-cell.html

    airlink plot cell airlink-results/k3-1 --to 12 --out slots.pdf --column

    Of a wired bottleneck: the rates and delays.

    What the run did not record is simulated again, which gives the same packets.
    """
    drawing = Drawing(context, result, replica, (from_, to), (scheduler, congestion_control, queue))
    place = drawing.place("cell", out, force)
    from airlink.plots.cell import KINDS, cell_view
    from airlink.plots.cell_figure import cell_figure
    from airlink.plots.cell_page import document

    view = drawing.view(KINDS, cell_view)
    look = Look(column, theme, origin)
    _write(place, lambda: document(view), lambda: cell_figure(view, column=column, origin=origin), look)


def fairness(  # noqa: PLR0913 - one argument per option of the command
    context: typer.Context,
    result: Folder,
    window: Annotated[float | None, typer.Option(metavar="S", help="Length of a window (default: 40 or more).")] = None,
    step: Annotated[
        float | None,
        typer.Option(metavar="S", help="From start to start (default: the length; shorter: they overlap)."),
    ] = None,
    of: Annotated[Of, typer.Option(help="What the rates are of.")] = "flow",
    presence: Presence = 1.0,
    replica: Replica = 0,
    from_: From = 0.0,
    to: To = float("inf"),
    out: Out = None,
    column: Column = False,
    theme: Theme = "light",
    origin: Origin = True,
    scheduler: OwnScheduler = None,
    congestion_control: OwnControl = None,
    queue: OwnQueue = None,
    force: Force = False,
) -> None:
    """Draw rates over time, coloured by queue, and Jain's index under them.

    airlink plot fairness airlink-results/clamp-1           clamp-1-fairness.html

    airlink plot fairness airlink-results/clamp-1 --window 5 --step 1 --out f.pdf

    Jain's index of all flows is the product of that within queues and that across them. `airlink report fairness`
    prints it, with what each user and flow got.

    What the run did not record is simulated again, which gives the same packets.
    """
    drawing = Drawing(context, result, replica, (from_, to), (scheduler, congestion_control, queue))
    place = drawing.place("fairness", out, force)
    from airlink.fairness import check_presence, series_needed, windows
    from airlink.plots.fairness import fairness_figure, fairness_view
    from airlink.plots.fairness_page import document

    width_s = round_width(drawing.stop_s - drawing.start_s) if window is None else window
    windows(drawing.start_s, drawing.stop_s, width_s, step)
    check_presence(presence)
    kinds = series_needed(drawing.result.scenario)
    view = drawing.view(kinds, fairness_view, of=of, window_s=width_s, step_s=step, presence=presence)
    if view.counted.rows == 0:
        message(f"no {of} was active for so much of a window: nothing to draw; try a smaller --presence or --window")
    look = Look(column, theme, origin)
    _write(place, lambda: document(view), lambda: fairness_figure(view, column=column, origin=origin), look)


def _say_which(replica: engine.Replica, user: int | None, flow: int | None) -> None:
    if user is None or flow is not None:
        return
    own = flows_of(replica, user)
    if len(own) > 1:
        message(f"user {user} has the flows {listed(own)}: this is {own[0]}, --flow chooses another")


COMMANDS = (flow, cell, fairness)
