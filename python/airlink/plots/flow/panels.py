"""What stands under the time-sequence graph: slots, channel, queue, window, round trips, limits. A function a panel."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from airlink.plots import style
from airlink.plots.flow import words
from airlink.plots.flow.thinning import Reals, distinct, outline
from airlink.plots.flow.view import FlowView
from airlink.result import Table
from airlink.tables import DROP_REASONS
from airlink.tables.units import rate_unit

LINE = 0.8
LIMIT_COLUMNS = 600

_MARKS = {
    "queue_full": ("x", style.VERMILION),
    "air_error": ("+", style.PURPLE),
    "retry_limit": ("1", style.BLACK),
    "wire_loss": ("+", style.GREY),
    "outage": ("2", style.GREY),
    "aqm": ("*", style.ORANGE),
}
FATE_MARKS = {reason.fate: _MARKS[reason.name] for reason in DROP_REASONS}
"""Mark and colour of each reason for which packets are dropped, by the column `fate`."""


def slots(axes: Axes, view: FlowView) -> None:
    """A line per slot won, as high as its rate; those that carried nothing are grey.

    A slot of which HARQ or ARQ sends something again is orange; without them a lost frame is a cross.
    """
    own = view.slots
    scale, unit = rate_unit(own["rate_bps"])
    idle, failed = own["sent_bytes"] == 0, own["error"] != 0
    again = failed if view.recovery else np.zeros(own.rows, dtype=bool)
    # First what is sent again: where slots are denser than the print, those that arrived lie over it.
    sent = max(int(np.count_nonzero(~idle)), 1)
    for kept, colour, name in (
        (again, style.ORANGE, f"lost, {view.recovery} sends again: {100 * np.count_nonzero(again) / sent:.2g} %"),
        (~idle & ~again, style.GREEN, "slot"),
        (idle & ~again, style.LIGHT_GREY, "nothing sent"),
    ):
        part = own.where(kept)
        if part.rows:
            rows = distinct(part["time_s"], part["rate_bps"])
            axes.vlines(
                part["time_s"][rows], 0, part["rate_bps"][rows] / scale, color=colour, linewidth=0.5, label=name
            )
    lost = own.where(failed & ~again)
    if lost.rows:
        axes.plot(
            lost["time_s"], lost["rate_bps"] / scale, "x", color=style.VERMILION, markersize=3, label=view.lost_words
        )
    axes.set_ylim(0, 1.15 * max(float(np.max(own["rate_bps"], initial=0)), 1.0) / scale)
    style.label(axes, y=f"slots\n({unit})")


def snr(axes: Axes, view: FlowView) -> None:
    """The channel of the user, slot by slot."""
    line(axes, view.snr, "true_db", color=style.GREY, linewidth=0.5)
    style.label(axes, y="SNR\n(dB)")


def queue(axes: Axes, view: FlowView) -> None:
    """Packets in the queue, and at that height whatever was lost, by its fate; what goes up is not lost there."""
    state = held(view.queue, view.stop_s)
    line(axes, state, "packets", color=style.COLOURS[0], linewidth=LINE, drawstyle="steps-post")
    for fate, name in () if view.up else words.FATES.items():
        times = view.drops["time_s"][view.drops["fate"] == fate]
        if times.size:
            marker, colour = FATE_MARKS[fate]
            height = value_at(times, view.queue["time_s"], view.queue["packets"])
            axes.plot(times, height, marker, color=colour, markersize=3.5, markeredgewidth=0.7, label=name)
    axes.set_ylim(0, 1.1 * max(float(np.max(view.queue["packets"], initial=0)), 1.0))
    style.label(axes, y="queue\n(packets)")


def window(axes: Axes, view: FlowView) -> None:
    """Congestion window, threshold, flight and the receiver's window, in packets of a full segment."""
    state = held(view.window, view.stop_s)
    steps: dict[str, Any] = {"drawstyle": "steps-post", "scale": view.mss_bytes}
    line(axes, state, "flight_bytes", color=style.COLOURS[5], linewidth=0.6, label="flight", **steps)
    line(axes, state, "ssthresh_bytes", color=style.COLOURS[3], linewidth=LINE, linestyle="--", label="ssthresh",
         **steps)  # fmt: skip
    line(axes, state, "cwnd_bytes", color=style.COLOURS[0], linewidth=1.0, label="cwnd", **steps)
    advertised = view.acks["window_end"] - view.acks["number"]
    used = float(np.max(state["flight_bytes"], initial=1))
    highest = max(float(np.max(state["cwnd_bytes"], initial=1)), used)
    # What the receiver offers is shown where it can matter; a window above it, or a threshold still arbitrarily high,
    # must not flatten the rest.
    offered = float(np.max(advertised, initial=0))
    if 0 < offered < 1.3 * highest:
        rows = Table({"time_s": view.acks["time_s"], "offered": advertised})
        line(axes, held(rows, view.stop_s), "offered", color=style.COLOURS[4], linewidth=0.6, label="receiver", **steps)
        highest = min(highest, 1.25 * max(offered, used))
    axes.set_ylim(0, 1.08 * highest / view.mss_bytes)
    style.label(axes, y="window\n(packets)")


def rtt(axes: Axes, view: FlowView) -> None:
    """Samples of the round trip, their smoothed mean and the retransmission timeout; a logarithmic axis."""
    samples = view.rtt
    rows = distinct(samples["time_s"], np.log(np.maximum(samples["rtt_s"], 1e-9)), rows=300)
    axes.plot(samples["time_s"][rows], samples["rtt_s"][rows], ".", color=style.COLOURS[5], markersize=2.4,
              markeredgewidth=0, label="RTT")  # fmt: skip
    line(axes, samples, "srtt_s", color=style.COLOURS[0], linewidth=LINE, label="srtt")
    line(axes, held(view.rto, view.stop_s), "rto_s", color=style.COLOURS[1], linewidth=LINE, label="RTO",
         drawstyle="steps-post")  # fmt: skip
    style.log_axis(axes, np.concatenate([samples["rtt_s"], samples["srtt_s"], view.rto["rto_s"]]))
    style.label(axes, y="RTT\n(s)")


def limits(axes: Axes, view: FlowView) -> None:
    """What held the flow back: of each column of the print the share of every cause, stacked."""
    edges = np.linspace(view.start_s, view.stop_s, LIMIT_COLUMNS + 1)
    spent = time_by_cause(view.limits, edges)
    total = spent.sum()
    below = np.zeros(LIMIT_COLUMNS)
    for cause, (name, colour) in words.causes_of(view.alone).items():
        if not spent[cause].any():
            continue
        above = below + spent[cause] / np.diff(edges)
        share = 100 * spent[cause].sum() / total
        text = f"{name} {share:.0f} %" if share >= 1 else f"{name} <1 %"
        axes.stairs(above, edges, baseline=below, fill=True, color=colour, linewidth=0, label=text)
        below = above
    axes.set_ylim(0, 1)
    axes.set_yticks([])
    axes.grid(visible=False)
    axes.set_ylabel("held by", fontsize=style.FONT_PT, rotation=0, ha="right", va="center")


def time_by_cause(limits_: Table, edges: Reals) -> Reals:
    """Seconds of each cause in each column: array [cause, column].

    Parameters
    ----------
    limits_ : from_s, to_s, cause, without overlaps.
    edges : array [column + 1], s, ascending.
    """
    spent = np.zeros((len(words.CAUSES), edges.size - 1))
    for cause in words.CAUSES:
        own = limits_.where(limits_["cause"] == cause)
        if own.rows:
            ends = np.stack([own["from_s"], own["to_s"]], axis=1).ravel()
            so_far = np.cumsum(np.stack([np.zeros(own.rows), own["to_s"] - own["from_s"]], axis=1).ravel())
            spent[cause] = np.diff(np.interp(edges, ends, so_far))
    return spent


def line(axes: Axes, rows: Table, column: str, scale: float = 1.0, **style_of: Any) -> None:
    """A line through a column over time, thinned; what is infinite or no number is left out."""
    rows = rows.where(np.isfinite(rows[column]))
    if rows.rows:
        kept = outline(rows["time_s"], rows[column])
        axes.plot(rows["time_s"][kept], rows[column][kept] / scale, **style_of)


def held(state: Table, stop_s: float) -> Table:
    """A state with its last row repeated at the end: it holds until then."""
    if state.rows == 0:
        return state
    ends = {name: np.append(values, values[-1]) for name, values in state.items()}
    ends["time_s"][-1] = max(stop_s, float(state["time_s"][-1]))
    return Table(ends)


def value_at(times: Reals, known_at: Reals, values: Reals) -> Reals:
    """The value of a state at some times; 0 before the first is known."""
    if known_at.size == 0:
        return np.zeros(times.size)
    row = np.searchsorted(known_at, times, side="right") - 1
    return np.where(row >= 0, values[np.maximum(row, 0)], 0.0)
