"""A flow on paper: the time-sequence graph and, aligned under it, what the network and the sender did."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.transforms import ScaledTranslation

from airlink.engine import RequestError
from airlink.plots import style
from airlink.plots.flow import panels as under
from airlink.plots.flow import words
from airlink.plots.flow.sequence import events, requests, sequence
from airlink.plots.flow.view import FlowView
from airlink.plots.picture import RoundedLayout

LEGEND_PT = style.FONT_PT - 1
UNDER_THE_AXIS_IN = 0.33
"""Room for the numbers and the name of the time axis."""


@dataclass(frozen=True)
class Panel:
    """How a panel is drawn, how high it is, and whether there is anything in it."""

    draw: Callable[[Axes, FlowView], None]
    height_in: float
    table: str


PANELS: Mapping[str, Panel] = {
    "events": Panel(events, 0.1, "events"),
    "sequence": Panel(sequence, 2.6, "segments"),
    "requests": Panel(requests, 1.0, "requests"),
    "slots": Panel(under.slots, 0.6, "slots"),
    "snr": Panel(under.snr, 0.6, "snr"),
    "queue": Panel(under.queue, 0.7, "queue"),
    "window": Panel(under.window, 0.9, "window"),
    "rtt": Panel(under.rtt, 0.8, "rtt"),
    "limits": Panel(under.limits, 0.22, "limits"),
}
"""From top to bottom."""

BESIDE = ("sequence", "requests", "slots", "queue", "window", "rtt")
"""Panels with a legend of their own; those of the strips stand above and below the figure."""


def flow_figure(
    view: FlowView, panels: Sequence[str] = tuple(PANELS), column: bool = False, origin: bool = False
) -> Figure:
    """A flow, for a paper: all panels over the same time.

    Parameters
    ----------
    view : what to draw, of `flow_view`.
    panels : which, of PANELS; default all. Those without data, such as slots of a wired bottleneck, are left out.
    column : as wide as a journal's column (85 mm); default as both (178 mm).
    origin : whether the foot says where it comes from: scenario, replica, seed and version.

    Returns
    -------
    Figure. From top to bottom: events; the time-sequence graph in packets of a full segment, with R, 3 and O as
    tcptrace marks them, and C and E for congestion marks and their echo; where the server answers a user's requests,
    these; slots won by the user, as high as their rate; its SNR; the queue with what was lost; the
    windows; round trips and the timeout, s; the share of time that each cause held the flow back.

    Raises
    ------
    RequestError : a panel that does not exist.

    References
    ----------
    [Klein04] Figs. 2 and 3 draw window, packets, ACKs and slots over one another.
    """
    unknown = [name for name in panels if name not in PANELS]
    if unknown:
        raise RequestError(f"panels: {', '.join(map(repr, unknown))} unknown; choose from {', '.join(PANELS)}")
    shown = [
        name for name in PANELS if name in panels and (getattr(view, PANELS[name].table).rows or name == "sequence")
    ]
    heights = [PANELS[name].height_in for name in shown]
    width_in = style.WIDTH_IN if column else style.DOUBLE_WIDTH_IN
    figure, rows = style.blank(len(shown), sum(heights) + 1.0, heights, width_in)
    figure.set_layout_engine(RoundedLayout(h_pad=0.01, hspace=0.0))
    axes = dict(zip(shown, rows, strict=True))
    for name, each in axes.items():
        PANELS[name].draw(each, view)
        if name in BESIDE:
            _legend(each, column, 3 if view.up or view.has_both_ways else 4)
    for each in rows[:-1]:
        each.tick_params(labelbottom=False)
    rows[-1].set_xlim(view.start_s, view.stop_s)
    style.time_axis(rows[-1])
    _timeouts(axes, view)
    figure.align_ylabels([each for name, each in axes.items() if name not in ("events", "limits")])
    _outside(figure, axes, column)
    if origin:
        style.caption(figure, view.origin)
    return figure


def _legend(axes: Axes, column: bool, beside: int) -> None:
    # Beside the data, never over them: a full graph has no free corner.
    where = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "ncols": beside} if column else {
        "loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}  # fmt: skip
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=LEGEND_PT, frameon=False, handlelength=1.2, borderaxespad=0.2, labelspacing=0.25,
                    columnspacing=0.8, handletextpad=0.4, **where)  # fmt: skip


def _timeouts(axes: Mapping[str, Axes], view: FlowView) -> None:
    """A hairline through all panels at each timeout; dashed when it was spurious."""
    for name, each in axes.items():
        if name in ("events", "limits"):
            continue
        for time_s, event, spurious in zip(
            *(view.events[key].tolist() for key in ("time_s", "event", "spurious")), strict=True
        ):
            if event == words.TIMEOUT:
                dashes = (0, (3, 2)) if spurious == 1 else "-"
                each.axvline(time_s, color=style.COLOURS[1], linewidth=0.4, linestyle=dashes, alpha=0.6, zorder=0.5)


def _outside(figure: Figure, axes: Mapping[str, Axes], column: bool) -> None:
    """The legends of the strips, above and below all panels, each beginning with what it is of."""
    look: dict[str, Any] = {"ncols": 3 if column else 8, "fontsize": LEGEND_PT, "frameon": False, "handlelength": 1.0}
    look |= {"columnspacing": 1.0, "handletextpad": 0.4, "borderaxespad": 0.2}
    if "events" in axes:
        handles, names = axes["events"].get_legend_handles_labels()
        figure.legend([_nothing(), *handles], ["Events:", *names], loc="outside upper left", **look)
    if "limits" in axes:
        strip = axes["limits"]
        handles, names = strip.get_legend_handles_labels()
        below = ScaledTranslation(0, -UNDER_THE_AXIS_IN, figure.dpi_scale_trans)
        strip.legend(
            [_nothing(), *handles], ["Held by:", *names], loc="upper left", bbox_to_anchor=(0.0, 0.0),
            bbox_transform=strip.transAxes + below, **look,
        )  # fmt: skip


def _nothing() -> Line2D:
    """What stands before the words that a legend begins with."""
    return Line2D([], [], linestyle="none")
