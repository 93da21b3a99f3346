"""Who got how much, and how long packets waited: bars per user and distributions over users and packets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from airlink.plots import style
from airlink.plots.charts.distributions import steps
from airlink.plots.charts.figure import draw_series
from airlink.result import Result
from airlink.result.selection import of_direction
from airlink.statistics import cdf
from airlink.tables import DELIVERED, DOWN
from airlink.tables.units import rate_unit

Results = Result | Mapping[str, Result]


def user_throughput(result: Result) -> Figure:
    """Goodput of each user, mean over replicas, in front of what the radio granted, if there is one.

    Parameters
    ----------
    result : any run; no series needed.

    Returns
    -------
    Figure: kb/s or Mb/s by user. The bar is goodput, the outline the granted rate; the distance between them is what
    headers, padding, losses and idle TCP took. With a wired bottleneck the outline is what was delivered, headers
    and retransmissions included. Of uploads alone there is the goodput at the server, without an outline.
    """
    if (column := _goodput_of([result])) != "goodput_bps":
        return _sent_up(result, column)
    figure, (axes,) = style.blank()
    users, goodput = _by_user(result, "goodput_bps")
    _, granted = _by_user(result, "granted_bps" if "granted_bps" in result.users else "delivered_bps")
    name = "granted" if "granted_bps" in result.users else "delivered"
    scale, unit = rate_unit([*goodput, *granted])
    axes.bar(users, goodput / scale, width=0.75, color=style.COLOURS[0], label="goodput")
    axes.bar(users, granted / scale, width=0.75, fill=False, edgecolor=style.GREY, linewidth=0.6, label=name)
    axes.set_ylim(0, 1.2 * max(float(np.max(granted)), float(np.max(goodput)), 1.0) / scale)
    if users.size <= 24:
        axes.set_xticks(users)
    axes.grid(visible=False, axis="x")
    style.label(axes, "user", f"rate ({unit})")
    style.legend(axes, ncols=2, loc="upper right")
    return figure


def _sent_up(result: Result, column: str) -> Figure:
    """The goodput of uploads by user."""
    figure, (axes,) = style.blank()
    users, goodput = _by_user(result, column)
    scale, unit = rate_unit(goodput)
    axes.bar(users, goodput / scale, width=0.75, color=style.COLOURS[0])
    axes.set_ylim(0, 1.2 * max(float(np.max(goodput)), 1.0) / scale)
    if users.size <= 24:
        axes.set_xticks(users)
    axes.grid(visible=False, axis="x")
    style.label(axes, "user", f"goodput up ({unit})")
    return figure


def _goodput_of(results: Iterable[Result]) -> str:
    """The column of goodput: where all data of all results goes up, that of what users send."""
    of_uploads = all(each.scenario.has_uploads_only() and "goodput_up_bps" in each.cell for each in results)
    return "goodput_up_bps" if of_uploads else "goodput_bps"


def throughput_cdf(results: Results, cell: bool = False) -> Figure:
    """Distribution of goodput over users, or over replicas of the whole cell.

    Parameters
    ----------
    results : one result, or label -> result: one line each.
    cell : false (default) counts every user of every replica, true the cell's sum in every replica.

    Returns
    -------
    Figure: share of users (or replicas) at or below a goodput in kb/s or Mb/s; of uploads alone what they sent up.
    """
    each = [results] if isinstance(results, Result) else list(results.values())
    column = _goodput_of(each)

    def goodput_bps(result: Result) -> NDArray[np.float64]:
        return np.asarray((result.cell if cell else result.users)[column])

    scale, unit = rate_unit(np.concatenate([np.empty(0), *map(goodput_bps, each)]))
    of = "cell" if cell else "user"
    y = f"share of {'replicas' if cell else 'users'}"
    up = "" if column == "goodput_bps" else " up"
    return _cdf_figure(results, lambda result: goodput_bps(result) / scale, f"{of} goodput{up} ({unit})", y)


def delay_cdf(results: Results) -> Figure:
    """Distribution of the time that delivered packets spent at the base station.

    Parameters
    ----------
    results : one result, or label -> result; recorded with "packets".

    Returns
    -------
    Figure: share of packets that waited at most so many ms; logarithmic axis. Users of whom no packet was delivered
    have no sample; the legend counts them.

    Raises
    ------
    KeyError : "packets" was not recorded.
    """

    def delays(result: Result) -> NDArray[np.float64]:
        packets = of_direction(result.table("packets"), DOWN)
        delivered = packets.where(packets["fate"] == DELIVERED)
        return np.asarray(delivered["ended_s"] - delivered["queued_s"]) * 1e3

    def without(result: Result) -> str:
        packets, users = of_direction(result.table("packets"), DOWN), result.users.rows
        delivered = packets["fate"] == DELIVERED
        seen = np.unique([packets["replica"][delivered], packets["user"][delivered]], axis=1).shape[1]
        return _missed(users - seen, users)

    figure = _cdf_figure(results, delays, "time at the base station (ms)", "share of packets", without)
    figure.axes[0].set_xscale("log")
    return figure


def download_cdf(results: Results, column: str = "download_p50_s") -> Figure:
    """Distribution over users of how long their files and pages took: per user first, then over users.

    Parameters
    ----------
    results : one result, or label -> result: one line each.
    column : of the users table: "download_p50_s" (default), "download_p95_s", "download_slowdown_p50", ...

    Returns
    -------
    Figure: share of the users with downloads, requested or pending in the measured time, whose number is at most so
    much; logarithmic axis. Users whose number is not known, because too few of theirs have ended, keep a line below 1;
    the legend counts them.

    Raises
    ------
    KeyError : the scenario has no files and no sessions.
    """

    def numbers(result: Result) -> NDArray[np.float64]:
        users = result.users
        pending = users.get("downloads_pending_at_start", 0)
        return np.asarray(users[column][users["downloads"] + pending > 0], dtype=float)

    unit = " (s)" if column.endswith("_s") else ""
    figure = _cdf_figure(results, numbers, f"{column.removesuffix('_s').replace('_', ' ')}{unit}", "share of users")
    figure.axes[0].set_xscale("log")
    return figure


def _cdf_figure(
    results: Results,
    samples: Callable[[Result], NDArray[np.float64]],
    x: str,
    y: str,
    missed: Callable[[Result], str] | None = None,
) -> Figure:
    """A line for each result; what has no finite sample is counted in the legend, in the words of `missed`."""
    figure, (axes,) = style.blank()
    named = {"": results} if isinstance(results, Result) else results
    for index, (name, result) in enumerate(named.items()):
        values, share = cdf(samples(result))
        known = np.isfinite(values)
        missing = missed(result) if missed is not None else _missed(values.size - int(known.sum()), values.size)
        label = ", ".join(part for part in (name, missing) if part)
        values, share = values[known], share[known]
        if values.size or label:
            draw_series(axes, steps(values, share, label, index), of=len(named))
    axes.set_ylim(0, 1.02)
    style.label(axes, x, y)
    style.legend(axes, loc="lower right")
    return figure


def _missed(users: int, of: int) -> str:
    """How many users have no sample to show; empty if all have."""
    return f"{users} of {of} users without" if users else ""


def _by_user(result: Result, column: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    count = len(result.replicas)
    values = np.asarray(result.users[column], dtype=float).reshape(count, -1).mean(axis=0)
    return np.arange(values.size), values
