"""A cell over time: who got which slot, how much of the band, how fast each user's packets arrived and how late."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter
from numpy.typing import NDArray

from airlink.engine import Progress
from airlink.plots import style
from airlink.plots.excerpt import Excerpt, excerpt
from airlink.plots.flow.thinning import distinct
from airlink.result import Result, Table
from airlink.result.columns import rate_unit
from airlink.result.rerun import recorded
from airlink.result.selection import round_width, within
from airlink.tables import DELIVERED

KINDS = ("slots", "packets")
"""Series that a view is made of."""

NAMED_USERS = 7
"""Up to so many users have a line each; more are rows of a map, by colour."""

QUANTILE = 0.95


@dataclass(frozen=True)
class CellView(Excerpt):
    """All users of one replica, in a stretch of time.

    Attributes
    ----------
    users : how many.
    bin_s : width of a bin of `rates` and `delays`.
    slots : a row per slot that somebody won, and of several subchannels per user who won any: time_s, user, rate_bps,
        sent_bytes, error (0/1). Empty with a bottleneck.
    band : as rates: percent, of the subchannels of the bin's slots those that the user won. Empty with one subchannel.
    rates : a row per user and bin: time_s (the bin's beginning), user, delivered_bps: bits of packets that reached the
        user in the bin, headers and retransmissions included.
    delays : as rates: mean_s and p95_s of the time from a delivered packet's entry into the queue to its delivery, by
        the bin of its delivery; NaN where nothing was delivered.
    """

    users: int
    bin_s: float
    slots: Table
    band: Table
    rates: Table
    delays: Table


def cell_view(
    result: Result,
    *,
    replica: int = 0,
    start_s: float = 0.0,
    stop_s: float = float("inf"),
    bin_s: float | None = None,
    progress: Progress | None = None,
) -> CellView:
    """What is to be seen of a cell, or of a wired bottleneck and its users.

    Parameters
    ----------
    result : any run. If it lacks "slots" or "packets", the replica is simulated again.
    replica : which, default 0.
    start_s, stop_s : the stretch, s, default the whole run; it ends with the run at the latest.
    bin_s : width of a bin, s, above 0; default 1, 2 or 5 times a power of 10, for 40 to 80 bins or somewhat more. The
        last bin is cut off where the stretch ends, and its rate is that of its own width.
    progress : of simulating again, called with (finished, total).

    Returns
    -------
    CellView.

    Raises
    ------
    RequestError : no such replica; an empty stretch or one outside the run.
    ResultError : simulating again does not give the same numbers.

    Examples
    --------
    >>> import airlink
    >>> view = cell_view(airlink.run(airlink.scenario.ready("dumbbell", ["duration_s=2"])))
    >>> view.bin_s, view.rates.rows, view.slots.rows
    (0.05, 40, 0)
    """
    part = excerpt(result, replica, start_s, stop_s)
    start_s, stop_s, stored = part["start_s"], part["stop_s"], result.replicas[replica]
    series = recorded(result, KINDS, replica, progress)
    width_s = bin_s or round_width(stop_s - start_s)
    edges = np.append(np.arange(start_s, stop_s - 1e-9 * width_s, width_s), stop_s)
    users = len(stored.users["user"])
    packets = series["packets"]
    ended = packets["ended_s"]
    arrived = packets.where((packets["fate"] == DELIVERED) & within(ended, result.scenario, start_s, stop_s))
    return CellView(
        **part,
        users=users,
        bin_s=width_s,
        slots=_slots(series, start_s, stop_s),
        band=_band(series, edges, users, stored.cell),
        rates=_rates(arrived, edges, users),
        delays=_delays(arrived, edges, users),
    )


def _slots(series: dict[str, Table], start_s: float, stop_s: float) -> Table:
    names = ("time_s", "user", "rate_bps", "sent_bytes", "error")
    if "slots" not in series:
        return Table({name: np.zeros(0) for name in names})
    rows = series["slots"]
    rows = rows.where((rows["user"] >= 0) & (rows["time_s"] >= start_s) & (rows["time_s"] < stop_s))
    return Table({name: rows[name] for name in names})


def _band(series: dict[str, Table], edges: NDArray[Any], users: int, cell: Mapping[str, float]) -> Table:
    if "subchannel_slots" not in cell:
        return Table({"time_s": np.zeros(0), "user": np.zeros(0), "percent": np.zeros(0)})
    rows = series["slots"]
    rows = rows.where((rows["time_s"] >= edges[0]) & (rows["time_s"] < edges[-1]))
    bins, began = edges.size - 1, np.unique(rows["time_s"])
    slots, _ = np.histogram(began, edges)
    won = rows.where(rows["user"] >= 0)
    place = won["user"].astype(np.int64) * bins + np.searchsorted(edges[:-1], won["time_s"], side="right") - 1
    had = np.bincount(place, weights=won["subchannels"], minlength=users * bins)
    of = np.tile(slots, users) * (int(cell["subchannel_slots"]) / max(int(cell["slots"]), 1))
    return Table({**_keys(edges, users), "percent": 100 * np.divide(had, of, out=np.zeros(had.size), where=of > 0)})


def _rates(arrived: Table, edges: NDArray[Any], users: int) -> Table:
    where = _cell_of(arrived, edges)
    bits = np.bincount(where, weights=8.0 * arrived["bytes"], minlength=users * (edges.size - 1))
    return Table({**_keys(edges, users), "delivered_bps": bits / np.tile(np.diff(edges), users)})


def _delays(arrived: Table, edges: NDArray[Any], users: int) -> Table:
    where = _cell_of(arrived, edges)
    delay = arrived["ended_s"] - arrived["queued_s"]
    count = np.bincount(where, minlength=users * (edges.size - 1))
    total = np.bincount(where, weights=delay, minlength=count.size)
    ordered = delay[np.lexsort((delay, where))]
    place = np.cumsum(count) - count + np.ceil(QUANTILE * count).astype(np.int64) - 1
    some = count > 0
    mean, high = np.full(count.size, np.nan), np.full(count.size, np.nan)
    mean[some] = total[some] / count[some]
    high[some] = ordered[place[some]]
    return Table({**_keys(edges, users), "mean_s": mean, "p95_s": high})


def _cell_of(arrived: Table, edges: NDArray[Any]) -> NDArray[np.int64]:
    """The number of user and bin of each packet."""
    bins = np.searchsorted(edges[:-1], arrived["ended_s"], side="right") - 1
    return np.asarray(arrived["user"] * (edges.size - 1) + bins, dtype=np.int64)


def _keys(edges: NDArray[Any], users: int) -> dict[str, NDArray[Any]]:
    bins = edges.size - 1
    return {"time_s": np.tile(edges[:-1], users), "user": np.repeat(np.arange(users), bins)}


def cell_figure(view: CellView, column: bool = False, origin: bool = False) -> Figure:
    """Slots by user, then each user's share of the band, rate and delay over time.

    Parameters
    ----------
    view : what to draw, of `cell_view`.
    column : as wide as a journal's column (85 mm); default as both (178 mm).
    origin : whether the foot says where it comes from: scenario, replica, seed and version.

    Returns
    -------
    Figure. Above, unless the network is a wire: a mark per slot at (time in s, user), grey where nothing was sent, a
    cross where the frame was lost; of several subchannels, each user's share of them. Then the delivered rate of each
    user in bins, and the delay of its delivered packets, mean and 95th percentile: lines, or maps of share, rate and
    mean delay with a row per user when there are many.
    """
    heights = [0.5 + 0.16 * min(max(view.users, 4), 24)] if view.slots.rows else []
    heights += [1.4] * (3 if view.band.rows else 2)
    width_in = style.WIDTH_IN if column else style.DOUBLE_WIDTH_IN
    figure, axes = style.blank(len(heights), sum(heights) + 0.5, heights, width_in)
    if view.slots.rows:
        _draw_slots(axes[0], view)
        style.legend(axes[0], loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3)
    if view.band.rows:
        _draw_sums(axes[-3], view, view.band["percent"].reshape(view.users, -1), "band", "%")
    rates = view.rates["delivered_bps"].reshape(view.users, -1)
    scale, unit = rate_unit(rates)
    _draw_sums(axes[-2], view, rates / scale, "rate", unit)
    _draw_delays(axes[-1], view)
    axes[-1].set_xlim(view.start_s, view.stop_s)
    style.time_axis(axes[-1])
    figure.align_ylabels(axes)
    for each in axes[-3 if view.band.rows else -2 :]:
        beside = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "ncols": 4}
        style.legend(each, **(beside if column else {"loc": "upper left", "bbox_to_anchor": (1.0, 1.02)}))
    if origin:
        style.caption(figure, view.origin)
    return figure


def _draw_slots(axes: Axes, view: CellView) -> None:
    own = view.slots
    idle, lost = own["sent_bytes"] == 0, own["error"] != 0
    height = min(6.0, 72 * 0.11)
    for kept, colour, name in ((idle, style.LIGHT_GREY, "nothing sent"), (~idle, style.COLOURS[0], "slot")):
        part = own.where(kept)
        if part.rows:
            rows = distinct(part["time_s"], part["user"], rows=max(view.users, 1) * 2)
            axes.plot(part["time_s"][rows], part["user"][rows], "|", color=colour, markersize=height,
                      markeredgewidth=0.4, label=name)  # fmt: skip
    if lost.any():
        axes.plot(own["time_s"][lost], own["user"][lost], "x", color=style.COLOURS[1], markersize=3, label="frame lost")
    axes.set_ylim(view.users - 0.4, -0.6)
    axes.yaxis.set_major_locator(MaxNLocator(8, integer=True))
    axes.grid(visible=False, axis="y")
    style.label(axes, y="user")


def _draw_sums(axes: Axes, view: CellView, values: NDArray[Any], name: str, unit: str) -> None:
    """What each user got in each bin, [user, bin]: lines of few users, a map of many."""
    name = f"{name} in {view.bin_s:g} s\n({unit})"
    if view.users > NAMED_USERS:
        _draw_map(axes, view, values, name)
        return
    _draw_lines(axes, view, values)
    axes.set_ylim(bottom=0)
    style.label(axes, y=name)


def _draw_delays(axes: Axes, view: CellView) -> None:
    mean, high = (view.delays[name].reshape(view.users, -1) for name in ("mean_s", "p95_s"))
    if view.users > NAMED_USERS:
        _draw_map(axes, view, mean, "mean delay\n(s)", logarithmic=True)
        return
    _draw_lines(axes, view, mean)
    for user in range(view.users):
        axes.plot(_middles(view), high[user], ".", color=style.COLOURS[user], markersize=3, markeredgewidth=0)
    axes.plot([], [], ".", color=style.GREY, markersize=3, label="95th percentile")
    style.log_axis(axes, np.stack([mean, high]))
    style.label(axes, y="delay\n(s)")


def _draw_lines(axes: Axes, view: CellView, values: NDArray[Any]) -> None:
    for user in range(view.users):
        axes.plot(_middles(view), values[user], label=f"user {user}", **style.line_style(user))


def _draw_map(axes: Axes, view: CellView, values: NDArray[Any], name: str, logarithmic: bool = False) -> None:
    """A row per user, a column per bin; white where nothing arrived."""
    edges = np.append(_bins(view), view.stop_s)
    known = values[np.isfinite(values) & (values > 0)]
    values = np.ma.masked_less_equal(np.nan_to_num(values), 0.0)
    scaled = LogNorm(known.min(), known.max()) if logarithmic and known.size else Normalize(0, known.max(initial=1e-9))
    drawn = axes.pcolormesh(
        edges, np.arange(view.users + 1) - 0.5, values, norm=scaled, cmap="viridis", rasterized=True
    )
    axes.set_ylim(view.users - 0.5, -0.5)
    axes.yaxis.set_major_locator(MaxNLocator(8, integer=True))
    axes.grid(visible=False)
    style.label(axes, y="user")
    figure = axes.get_figure(root=True)
    assert figure is not None, "axes are drawn in a figure"
    bar = figure.colorbar(drawn, ax=axes, pad=0.01, aspect=12, format=FuncFormatter(lambda value, _: f"{value:g}"))
    bar.ax.tick_params(labelsize=style.FONT_PT - 1, width=0.5, length=2)
    bar.ax.yaxis.set_minor_formatter(NullFormatter())
    bar.outline.set_linewidth(0.3)
    bar.set_label(name, fontsize=style.FONT_PT)


def _bins(view: CellView) -> NDArray[Any]:
    return np.asarray(view.rates["time_s"][: view.rates.rows // view.users])


def _middles(view: CellView) -> NDArray[Any]:
    starts = _bins(view)
    return np.asarray((starts + np.append(starts[1:], view.stop_s)) / 2)
