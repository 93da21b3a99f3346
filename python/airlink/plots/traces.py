"""What happened when, in one replica: slots, gaps between slots, a flow's window and packets."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from airlink.plots import style
from airlink.plots.losses import lost_words, recovery_of
from airlink.result import Result, Table
from airlink.result.selection import group_of, of_direction
from airlink.tables import DOWN, SERIES, UP

_CODES = {label: code for code, label in SERIES["cwnd"].codes("event").items()}
TIMEOUT, FAST_RETRANSMIT = _CODES["timeout"], _CODES["fast retransmit"]


def slots(result: Result, replica: int = 0, start_s: float = 0.0, stop_s: float = float("inf")) -> Figure:
    """Which user got which slot, and which frames were lost.

    Parameters
    ----------
    result : recorded with "slots".
    replica : which, default 0.
    start_s, stop_s : the part to draw, s; default all.

    Returns
    -------
    Figure: a mark per slot at (time in s, user); slots with a loss are crosses, named by what becomes of it.

    Raises
    ------
    KeyError : "slots" was not recorded.
    """
    series = result.series("slots", replica)
    time = series["time_s"]
    series = series.where((time >= start_s) & (time < stop_s) & (series["user"] >= 0))
    figure, (axes,) = style.blank()
    axes.plot(series["time_s"], series["user"], "|", color=style.COLOURS[0], markersize=3, markeredgewidth=0.4)
    lost, name = series.where(series["error"] != 0), lost_words(recovery_of(result.scenario))
    axes.plot(lost["time_s"], lost["user"], "x", color=style.COLOURS[1], markersize=3.5, label=name)
    users = len(result.replicas[replica].users["user"])
    axes.set_ylim(-0.6, users - 0.4)
    if users <= 24:
        axes.set_yticks(np.arange(0, users, 1 if users <= 12 else 2))
    style.label(axes, "time (s)", "user")
    if lost.rows:
        _legend_above(axes)
    return figure


def gaps(result: Result, user: int, replica: int = 0) -> Figure:
    """The time between successive slots of a user, over time.

    Parameters
    ----------
    result : recorded with "gaps".
    user : which.
    replica : which, default 0.

    Returns
    -------
    Figure: gap in ms at the time it ended in s, with the mean and ten times the mean.

    Raises
    ------
    KeyError : "gaps" was not recorded.
    """
    series = result.series("gaps", replica)
    slot = result.scenario.slot
    assert slot is not None, "gaps are recorded in a cell only"
    slot_s = float(slot.exact_ms()) / 1e3
    series = series.where(series["user"] == user)
    figure, (axes,) = style.blank()
    gap_ms = series["gap_slots"] * (slot_s * 1e3)
    axes.vlines(series["slot"] * slot_s, 0, gap_ms, color=style.COLOURS[0], linewidth=0.6)
    if series.rows:
        mean = float(np.mean(gap_ms))
        axes.axhline(mean, color=style.COLOURS[1], linewidth=0.8, label=f"mean, {mean:.3g} ms")
        if 10 * mean < 2 * float(np.max(gap_ms)):
            axes.axhline(10 * mean, color=style.COLOURS[1], linewidth=0.8, linestyle="--", label="10 x mean")
    axes.set_ylim(bottom=0)
    style.label(axes, "time (s)", f"gap between slots of user {user} (ms)")
    _legend_above(axes)
    return figure


def congestion_window(
    result: Result, flow: int, replica: int = 0, start_s: float = 0.0, stop_s: float = float("inf")
) -> Figure:
    """A flow's congestion window above its packets, ACKs, slots and lost frames.

    Parameters
    ----------
    result : recorded with "cwnd", and for the lower half "packets", "acks" and "slots"; what is missing is left out.
    flow : which.
    replica : which, default 0.
    start_s, stop_s : the part to draw, s; default all.

    Returns
    -------
    Figure. Above: congestion window, kB, with timeouts and fast retransmits. Below: index of packets sent (sequence
    over segment size) and of ACKs, with the user's slots along the bottom and its lost frames as crosses.

    Raises
    ------
    KeyError : "cwnd" was not recorded.

    References
    ----------
    [Klein04] Figs. 2 and 3 draw the same.
    """
    window = _cut(_of_flow(result.series("cwnd", replica), flow), start_s, stop_s)
    figure, (above, below) = style.blank(rows=2, height_in=4.0, ratios=[1.0, 1.35])
    _draw_window(above, window)
    stored = result.replicas[replica].series
    way = UP if group_of(result.scenario, result.replicas[replica], flow).direction == "up" else DOWN
    if "packets" in stored:
        packets = of_direction(_of_flow(result.series("packets", replica), flow), way)
        unit = max(_segment_bytes(packets), 1)
        _draw_packets(below, _cut(packets, start_s, stop_s, "sent_s"), unit)
        if "acks" in stored:
            of_flow = of_direction(_of_flow(result.series("acks", replica), flow), UP if way == DOWN else DOWN)
            acks = _cut(of_flow, start_s, stop_s)
            below.plot(acks["time_s"], acks["number"] / unit, ".", color=style.COLOURS[2], markersize=1.5, label="ACK")
    if "slots" in stored:
        user = int(result.replicas[replica].flows["user"][flow])
        all_slots = _cut(result.series("slots", replica), start_s, stop_s)
        _draw_slots(below, all_slots.where(all_slots["user"] == user))
    style.label(below, "time (s)", "packet")
    _legend_above(below)
    return figure


def _draw_window(axes: Axes, window: Table) -> None:
    time, size = window["time_s"], window["cwnd_bytes"] / 1e3
    axes.step(time, size, where="post", color=style.COLOURS[0], linewidth=0.9)
    # The record holds the window after the event; the mark stands where it fell from.
    before = np.concatenate([size[:1], size[:-1]])
    marks = ((TIMEOUT, "v", 1, "timeout"), (FAST_RETRANSMIT, "s", 4, "fast retransmit"))
    for event, marker, colour, name in marks:
        at = window["event"] == event
        if at.any():
            axes.plot(time[at], before[at], marker, color=style.COLOURS[colour], markersize=4, label=name)
    axes.set_ylim(bottom=0)
    style.label(axes, y="cwnd (kB)")
    _legend_above(axes)


def _draw_packets(axes: Axes, packets: Table, unit: int) -> None:
    again = packets["retransmission"] != 0
    index = packets["sequence"] / unit
    first = ~again
    axes.plot(packets["sent_s"][first], index[first], ".", color=style.COLOURS[0], markersize=1.5, label="packet")
    if again.any():
        axes.plot(
            packets["sent_s"][again], index[again], "o", color=style.COLOURS[1], markersize=2, label="retransmitted"
        )


def _draw_slots(axes: Axes, own: Table) -> None:
    # Slots as a rug at the bottom edge: their density is the scheduler's view of the user.
    rug = axes.get_xaxis_transform()
    height = np.full(own.rows, 0.02)
    axes.plot(
        own["time_s"], height, "|", color=style.GREY, markersize=4, markeredgewidth=0.4, transform=rug, label="slot"
    )
    lost = own["error"] != 0
    if lost.any():
        at = own["time_s"][lost]
        axes.plot(at, np.full(at.size, 0.07), "x", color="black", markersize=4, transform=rug, label="frame lost")


def _legend_above(axes: Axes) -> None:
    # Outside the axes: traces fill them, a legend inside would hide data.
    style.legend(axes, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=5, columnspacing=1.0, handletextpad=0.4)


def _of_flow(series: Table, flow: int) -> Table:
    return series.where(series["flow"] == flow)


def _cut(series: Table, start_s: float, stop_s: float, column: str = "time_s") -> Table:
    return series.where((series[column] >= start_s) & (series[column] < stop_s))


def _segment_bytes(packets: Table) -> int:
    """The largest step between sequence numbers: the payload of a full segment."""
    starts = np.unique(packets["sequence"]).astype(float)
    return int(np.max(np.diff(starts))) if starts.size > 1 else 1
