"""A cell on paper: who got which slot, each user's share of them, the losses, the rates and the delays, over one time.

Few users have a line each; more are rows of maps (`airlink.plots.maps`), the best channel on top.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from airlink.plots import maps, style
from airlink.plots.cell import NAMED_USERS, CellView
from airlink.plots.flow.thinning import distinct
from airlink.plots.losses import LOST
from airlink.result import Table
from airlink.tables.units import rate_unit

SLOTS_A_ROW = 400
"""With more slots a user, marks would run into one another: shares in bins are drawn instead."""

MARKED_USERS = 40
MOST_CROSSES = 300
LINES_IN = 1.3
FRAME_IN = 0.5
TITLE_IN = 0.16


@dataclass(frozen=True)
class Panel:
    """How high a panel is, and what draws it; `is_binned` if users are lines or rows of a map in it."""

    height_in: float
    draw: Callable[[Axes, CellView], None]
    is_binned: bool = True


def cell_figure(view: CellView, column: bool = False, origin: bool = False) -> Figure:
    """Slots by user, then each user's share of the band, rate and delay over time.

    Parameters
    ----------
    view : what to draw, of `cell_view`.
    column : as wide as a journal's column (85 mm); default as both (178 mm).
    origin : whether the foot says where it comes from: scenario, replica, seed and version.

    Returns
    -------
    Figure. From top to bottom: a mark per slot won, short where nothing was sent, in another colour where a block was
    lost that HARQ or ARQ sends again, a cross where data was lost for good (not with a wire, nor where marks would
    run into one another); each user's share of the slots, or of the subchannels (where marks were left out, or with
    several subchannels), and where marks were left out the share of the slots with a loss; the rate delivered in bins;
    the delay of delivered packets, mean and 95th percentile. Up to 7 users have a line each. More have a row each in
    maps of share, loss, rate and mean delay, from the best mean SNR to the worst; hatched where there was no data.
    """
    panels = panels_of(view)
    heights = [panel.height_in for panel in panels]
    width_in = style.WIDTH_IN if column else style.DOUBLE_WIDTH_IN
    figure, axes = style.blank(len(panels), sum(heights) + FRAME_IN + TITLE_IN * len(panels), heights, width_in)
    for each, panel in zip(axes, panels, strict=True):
        panel.draw(each, view)
    axes[-1].set_xlim(view.start_s, view.stop_s)
    style.time_axis(axes[-1])
    figure.align_ylabels(axes)
    if view.users <= NAMED_USERS:
        first = next(place for place, panel in enumerate(panels) if panel.is_binned)
        style.legend_above(figure, axes[first], columns=3 if column else min(view.users, 5))
    if origin:
        style.caption(figure, view.origin)
    return figure


def panels_of(view: CellView) -> list[Panel]:
    """From top to bottom, those that have something to show."""
    binned = LINES_IN if view.users <= NAMED_USERS else maps.height_in(view.users)
    marks = Panel(FRAME_IN + 0.15 * max(view.users, 4), _draw_marks, is_binned=False)
    panels = []
    if view.slots.rows and is_marked(view):
        panels.append(marks)
    if view.slots.rows and (view.band.rows or not is_marked(view)):
        panels.append(Panel(binned, _draw_share))
    if not is_marked(view) and has_losses(view):
        panels.append(Panel(binned, _draw_losses))
    return [*panels, Panel(binned, _draw_rates), Panel(binned, _draw_delays)]


def is_marked(view: CellView) -> bool:
    """Whether each slot has a mark: there are few enough to be told apart."""
    return view.users <= MARKED_USERS and view.slots.rows <= SLOTS_A_ROW * view.users


def has_losses(view: CellView) -> bool:
    """Whether losses have a panel: more than can be crosses over the shares."""
    return int(view.outcomes["failed"].sum()) > MOST_CROSSES


def _draw_marks(axes: Axes, view: CellView) -> None:
    """A row a user with a mark for each slot that it won."""
    own, row = view.slots, _row_of(view)
    idle, failed = own["sent_bytes"] == 0, own["error"] != 0
    again = failed if view.recovery else np.zeros(own.rows, dtype=bool)
    # Along x in s, along y in rows.
    marks = (
        (idle, style.GREY, 0.24, "slot won, nothing sent"),
        (~idle & ~again, style.BLUE, 0.7, "slot won"),
        (again, style.ORANGE, 0.7, view.lost_words),
    )
    for kept, colour, high, name in marks:
        part = own.where(kept)
        if part.rows:
            kept_rows = distinct(part["time_s"], part["user"], rows=max(view.users, 1) * 2)
            at, middle = part["time_s"][kept_rows], row[part["user"][kept_rows].astype(int)]
            axes.vlines(at, middle - high / 2, middle + high / 2, color=colour, linewidth=0.5, label=name)
    lost, name, colour = _losses(view)[-1]
    if lost.rows:
        axes.plot(lost["time_s"], row[lost["user"].astype(int)], "x", color=colour, markersize=3.5, markeredgewidth=0.9,
                  label=name)  # fmt: skip
    maps.name_rows(axes, _names(axes, view), view.who.axis)
    axes.grid(visible=True, axis="x")
    style.legend(axes, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=4 if style.is_wide(axes) else 2)


def _losses(view: CellView) -> list[tuple[Table, str, str]]:
    """What was lost, its name and its colour: what is sent again apart from what was lost for good."""
    errors = view.slots.where(view.slots["error"] != 0)
    if not view.recovery:
        return [(errors, view.lost_words, style.VERMILION)]
    return [(errors, view.lost_words, style.ORANGE), (view.lost, LOST, style.VERMILION)]


def _names(axes: Axes, view: CellView) -> list[str]:
    """The users' names, from the top."""
    return [view.who.row(user, style.is_wide(axes)) for user in view.who.order]


def _row_of(view: CellView) -> NDArray[np.int64]:
    """The row of each user, from the top."""
    return np.argsort(np.array(view.who.order))


def _draw_share(axes: Axes, view: CellView) -> None:
    of = "the subchannels" if view.band.rows else "the slots"
    _draw_binned(axes, view, _by_user(view, "percent"), f"share of {of}", "%")
    if not is_marked(view) and not has_losses(view):
        _cross(axes, view, _losses(view))


def _draw_losses(axes: Axes, view: CellView) -> None:
    """Of each user's slots with data those with a loss; crosses where data was lost for good."""
    carried, failed = _by_user(view, "carried"), _by_user(view, "failed")
    percent = 100 * np.divide(failed, carried, out=np.full(carried.shape, np.nan), where=carried > 0)
    what = f"slots with a {view.unit_lost} lost" + (f", {view.recovery} retransmits it" if view.recovery else "")
    _draw_binned(axes, view, percent, what, "%")
    _cross(axes, view, _losses(view)[1:])


def _cross(axes: Axes, view: CellView, losses: Sequence[tuple[Table, str, str]]) -> None:
    """Crosses where something was lost, in the user's row; of few users along the bottom, in the user's colour."""
    for lost, name, colour in losses:
        if lost.rows == 0:
            continue
        at, user = lost["time_s"], lost["user"].astype(int)
        look: dict[str, Any] = {"markersize": 3.5, "markeredgewidth": 0.9, "clip_on": False}
        if view.users > NAMED_USERS:
            axes.plot(at, _row_of(view)[user], "x", color=colour, label=name, **look)
            held = axes.get_legend()
            maps.key(axes, [*(held.legend_handles if held else ()), axes.lines[-1]])
            continue
        mark = "x" if colour == style.VERMILION else "+"
        for each in np.unique(user):
            own = at[user == each]
            axes.plot(own, np.zeros(own.size), mark, color=style.COLOURS[each], **look)
        style.title(axes, f"{axes.get_title(loc='left')}; {mark}: {name}")


def _draw_rates(axes: Axes, view: CellView) -> None:
    rates = view.rates["delivered_bps"].reshape(view.users, -1)
    scale, unit = rate_unit(rates)
    _draw_binned(axes, view, rates / scale, "rate delivered", unit, starved=(rates == 0) & _waited(view))


def _draw_delays(axes: Axes, view: CellView) -> None:
    mean, high = (view.delays[name].reshape(view.users, -1) for name in ("mean_s", "p95_s"))
    starved = np.isnan(mean) & _waited(view)
    _draw_binned(axes, view, mean, "mean delay in queue and on air", "s", starved=starved, logarithmic=True)
    if view.users > NAMED_USERS:
        return
    for user in range(view.users):
        axes.plot(_middles(view), high[user], ".", color=style.COLOURS[user], markersize=3, markeredgewidth=0)
    style.log_axis(axes, np.stack([mean, high]))
    style.title(axes, f"delay in queue and on air in {view.bin_s:g} s: line mean, dots 95th percentile")


def _draw_binned(  # noqa: PLR0913 - what is shown, and how
    axes: Axes,
    view: CellView,
    values: NDArray[np.float64],
    name: str,
    unit: str,
    *,
    starved: NDArray[np.bool_] | None = None,
    logarithmic: bool = False,
) -> None:
    """Values [user, bin]: lines of few users, a map of many, without those who had no data and got nothing."""
    title = f"{name}, bins of {view.bin_s:g}\u00a0s"
    if view.users <= NAMED_USERS:
        for user in view.who.order:
            axes.plot(_middles(view), values[user], label=view.who.name(user), **style.line_style(user))
        if not logarithmic:
            axes.set_ylim(bottom=0)
        style.title(axes, title)
        style.label(axes, y=unit)
        return
    order = np.array(view.who.order)
    if not logarithmic:
        values = np.where((values == 0) & ~_waited(view), np.nan, values)
    heat = maps.Heat(
        values[order], _names(axes, view), view.who.axis, title, unit,
        starved=None if starved is None else starved[order], logarithmic=logarithmic,
    )  # fmt: skip
    maps.draw(axes, np.append(_bins(view), view.stop_s), heat)


def _by_user(view: CellView, column: str) -> NDArray[np.float64]:
    return np.asarray(view.outcomes[column].reshape(view.users, -1), dtype=float)


def _waited(view: CellView) -> NDArray[np.bool_]:
    return _by_user(view, "waiting") > 0


def _bins(view: CellView) -> NDArray[np.float64]:
    return np.asarray(view.rates["time_s"][: view.rates.rows // view.users])


def _middles(view: CellView) -> NDArray[np.float64]:
    starts = _bins(view)
    return np.asarray((starts + np.append(starts[1:], view.stop_s)) / 2)
