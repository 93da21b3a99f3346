"""Rates over time, coloured by queue, and how fair each window was: to all, within queues and across them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from airlink import fairness
from airlink.engine import Progress
from airlink.plots import maps, style
from airlink.plots.excerpt import Excerpt, excerpt
from airlink.plots.users import NAMED_USERS
from airlink.result import Result, Table
from airlink.result.selection import round_width
from airlink.tables.units import rate_unit

WHOLE = 1 - 1e-9


@dataclass(frozen=True)
class FairnessView(Excerpt):
    """Who got how much in which window of one replica, in a stretch of time.

    Attributes
    ----------
    of : "flow", "user" or "queue": what has a rate.
    window_s, step_s : length of a window, and from the beginning of one to that of the next.
    presence : the part of a window that one must have been there for to count in it.
    rates : of `airlink.fairness.rates`.
    index : of `airlink.fairness.jain`.
    """

    of: fairness.Member
    window_s: float
    step_s: float
    presence: float
    rates: Table
    index: Table

    @cached_property
    def owners(self) -> dict[int, int]:
        """Who was there, by queue, then by number -> its queue."""
        members, first = np.unique(self.rates[self.of], return_index=True)
        queues = self.rates["queue"][first]
        order = np.lexsort((members, queues))
        return dict(zip(members[order].tolist(), queues[order].tolist(), strict=True))

    @cached_property
    def counted(self) -> Table:
        """The rates of those that count in their window, with `middle_s` of the window."""
        own = self.rates.where(self.rates["present_s"] >= self.presence * WHOLE * self.rates["width_s"])
        return Table({**own, "middle_s": own["time_s"] + own["width_s"] / 2})

    @cached_property
    def courses(self) -> NDArray[Any]:
        """Array [member, window], members as in `owners`, windows as in `index`: rates in b/s.

        NaN where a member does not count.
        """
        members = np.array(list(self.owners), dtype=np.int64)
        order = np.argsort(members)
        found = np.full((members.size, self.index.rows), np.nan)
        row = order[np.searchsorted(members[order], self.counted[self.of])]
        found[row, np.searchsorted(self.index["time_s"], self.counted["time_s"])] = self.counted["goodput_bps"]
        return found


def fairness_view(  # noqa: PLR0913 - one argument per choice
    result: Result,
    *,
    of: fairness.Member = "flow",
    window_s: float | None = None,
    step_s: float | None = None,
    presence: float = 1.0,
    replica: int = 0,
    start_s: float = 0.0,
    stop_s: float = float("inf"),
    progress: Progress | None = None,
) -> FairnessView:
    """The rates of one replica in windows, and Jain's index of each.

    Parameters
    ----------
    result : any run. What it lacks of "packets" (of sessions also "downloads") is simulated again.
    of : "flow" (default), "user" or "queue".
    window_s : length of a window, s, above 0; default 1, 2 or 5 times a power of 10, for 40 to 80 or somewhat more.
    step_s : from a window's beginning to the next one's, s; default `window_s`.
    presence : 0..1, the part of a window that one must have been there for to count in it; default 1, all of it.
    replica : which, default 0.
    start_s, stop_s : the stretch, s, default the whole run, warm-up included; it ends with the run at the latest.
    progress : of simulating again, called with (finished, total).

    Returns
    -------
    FairnessView.

    Raises
    ------
    RequestError, ResultError : as `airlink.fairness.rates`.

    Examples
    --------
    >>> import airlink
    >>> result = airlink.run(airlink.scenario.ready("dumbbell", ["duration_s=4", "users=2"]))
    >>> view = fairness_view(result, window_s=0.5, step_s=0.25)
    >>> view.owners, view.index.rows
    ({0: 0, 1: 0}, 15)
    """
    part = excerpt(result, replica, start_s, stop_s)
    start_s, stop_s = part["start_s"], part["stop_s"]
    width_s = round_width(stop_s - start_s) if window_s is None else window_s
    rates = fairness.rates(
        result, width_s, step_s=step_s, of=of, replica=replica, start_s=start_s, stop_s=stop_s, progress=progress
    )
    return FairnessView(
        **part,
        of=of,
        window_s=width_s,
        step_s=width_s if step_s is None else step_s,
        presence=presence,
        rates=rates,
        index=fairness.jain(rates, presence),
    )


def fairness_figure(view: FairnessView, column: bool = False, origin: bool = False) -> Figure:
    """Rates over time, and under them Jain's index.

    Parameters
    ----------
    view : what to draw, of `fairness_view`.
    column : as wide as a journal's column (85 mm); default as both (178 mm).
    origin : whether the foot says where it comes from: scenario, replica, seed and version.

    Returns
    -------
    Figure. Above, the rate of each flow (user, queue) in each window, drawn at the window's middle, a colour a queue,
    dashes telling the flows of a queue apart; nothing where it does not count. More than 7 are rows of a map, by queue.
    Below, Jain's index
    of those who were, and its factors within and across queues where there are several queues and one of them is
    shared.
    """
    width_in = style.WIDTH_IN if column else style.DOUBLE_WIDTH_IN
    members = len(view.owners)
    high = 2.2 if members <= NAMED_USERS else maps.height_in(members, least=2.2)
    figure, (above, below) = style.blank(2, high + 2.0, (high, 1.4), width_in)
    _draw_rates(above, view)
    _draw_indices(below, view)
    below.set_xlim(view.start_s, view.stop_s)
    style.time_axis(below)
    figure.align_ylabels([above, below])
    beside = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "ncols": 3}
    for each in (above, below) if members <= NAMED_USERS else (below,):
        style.legend(each, **(beside if column else {"loc": "upper left", "bbox_to_anchor": (1.0, 1.02)}))
    if origin:
        style.caption(figure, view.origin)
    return figure


def colours_of(view: FairnessView) -> dict[int, str]:
    """A colour for each queue."""
    queues = np.unique(view.rates["queue"]).tolist()
    return dict(zip(queues, style.colours(len(queues)), strict=True))


def _draw_rates(axes: Axes, view: FairnessView) -> None:
    scale, unit = rate_unit(view.rates["goodput_bps"] if view.rates.rows else np.ones(1))
    title = f"goodput in windows of {view.window_s:g}\u00a0s"
    if len(view.owners) > NAMED_USERS:
        names = [name_of(view, member, in_rows=True) for member in view.owners]
        heat = maps.Heat(view.courses / scale, names, view.of, title, unit, blank="not active for all of a window")
        maps.draw(axes, _edges(view), heat)
        return
    colours, queues = colours_of(view), list(view.owners.values())
    for place, (member, queue) in enumerate(view.owners.items()):
        own = view.counted.where(view.counted[view.of] == member)
        nth = queues[:place].count(queue)
        look: dict[str, Any] = {"color": colours[queue], "linestyle": style.DASHES[nth % len(style.DASHES)]}
        mark = "." if own.rows == 1 else None
        axes.plot(*_line(own, view, scale), label=name_of(view, member), marker=mark, linewidth=1.1, **look)
    axes.set_ylim(bottom=0)
    style.title(axes, title)
    style.label(axes, y=unit)


def name_of(view: FairnessView, member: int, in_rows: bool = False) -> str:
    """A flow, user or queue in words; `in_rows` without what it is, which the axis says."""
    what = f"{member}" if in_rows else f"{view.of} {member}"
    return what if view.of == "queue" else f"{what}, queue {view.owners[member]}"


def _edges(view: FairnessView) -> NDArray[Any]:
    """Where the columns of a map begin and the last one ends: each a step wide, around the middle of its window."""
    middle = view.index["time_s"] + view.index["width_s"] / 2
    begins = middle - np.minimum(view.step_s, view.index["width_s"]) / 2
    return np.append(begins, 2 * middle[-1] - begins[-1])


def _line(rows: Table, view: FairnessView, scale: float) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rates over time, interrupted from one member to the next, and where one was away."""
    order = np.lexsort((rows["time_s"], rows[view.of]))
    time_s, rate = rows["middle_s"][order], rows["goodput_bps"][order] / scale
    apart = (np.diff(rows[view.of][order]) != 0) | (np.diff(rows["time_s"][order]) > 1.5 * view.step_s)
    gaps = np.flatnonzero(apart) + 1
    return np.insert(time_s, gaps, np.nan), np.insert(rate, gaps, np.nan)


def _draw_indices(axes: Axes, view: FairnessView) -> None:
    index, middle = view.index, view.index["time_s"] + view.index["width_s"] / 2
    shown = {"jain": f"all {view.of}s"}
    if parts_differ(index):
        shown |= {"within": "within queues", "across": "across queues"}
    for name, colour, dashes in zip(shown, (style.BLACK, *style.COLOURS[3:5]), ("-", "--", "-."), strict=False):
        axes.plot(middle, index[name], color=colour, linestyle=dashes, linewidth=1.1, label=shown[name])
    least = min((float(np.nanmin(index[name])) for name in shown if np.isfinite(index[name]).any()), default=0.0)
    axes.set_ylim(max(0.0, least - 0.05), 1.02)
    if parts_differ(index):
        style.title(axes, "Jain's index; all = within queues times across queues")
    style.label(axes, y="Jain's index")


def parts_differ(index: Table) -> bool:
    """Whether some window has several queues, and a queue with several members."""
    return bool(((index["queues"] > 1) & (index["members"] > index["queues"])).any())
