"""The time-sequence graph, as tcptrace draws it: what was sent, what was acknowledged, up to where more was allowed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.transforms import ScaledTranslation

from airlink.plots import style
from airlink.plots.flow import words
from airlink.plots.flow.panels import held, line
from airlink.plots.flow.thinning import Reals, apart, distinct
from airlink.plots.flow.view import FlowView
from airlink.result import Table

POINTS_AN_INCH = 72
LETTER_PT = 4.0
RETRANSMITTED, LATE, WINDOW, MARK = style.VERMILION, style.BLACK, style.ORANGE, style.ORANGE


@dataclass(frozen=True)
class Look:
    """How data of one direction is drawn, and what its legend adds to names where both directions are told apart."""

    sent: str
    ack: str
    sack: str
    of_data: str = ""
    of_acks: str = ""
    has_window: bool = True


DOWN = Look(style.BLUE, style.GREEN, style.PURPLE)
DOWN_BESIDE_UP = replace(DOWN, of_data=" down", of_acks=" up")
UP = Look(style.PURPLE, style.SKY, style.GREEN, " up", " down")
ASKED = replace(UP, has_window=False)

EVENT_MARKS = {
    words.STARTED: (">", style.GREY),
    words.FAST_RETRANSMIT: ("^", style.ORANGE),
    words.TIMEOUT: ("v", style.VERMILION),
    words.RECOVERED: ("|", style.GREEN),
    words.UNDONE: ("D", style.BLUE),
    words.TAIL_LOSS_PROBE: ("s", style.SKY),
    words.WINDOW_PROBE: ("s", style.LIGHT_GREY),
    words.STOPPED: ("X", style.GREY),
    words.COMPLETED: ("*", style.GREEN),
    words.TIMEOUT_HELD: ("1", style.VERMILION),
    words.ECN_REDUCTION: ("p", style.ORANGE),
}


def sequence(axes: Axes, view: FlowView) -> None:
    """Segments and ACKs over time, in packets of a full segment; R retransmitted, 3 third duplicate, O out of order.

    A segment stands where it was sent, an O where it arrived. Retransmissions that fill a hole are late as well;
    they have their R and no O. C is a segment that came with a congestion mark, E an ACK that echoes one.
    """
    _draw(axes, view, UP if view.up else DOWN_BESIDE_UP if view.has_both_ways else DOWN)
    style.label(axes, y=f"sequence (packets of {view.mss_bytes} B)")


def requests(axes: Axes, view: FlowView) -> None:
    """What the user asks with, beside the answers: its segments, and the ACKs that it hears."""
    none = view.sacks.where(np.zeros(view.sacks.rows, dtype=bool))
    asked = replace(view, segments=view.requests, acks=view.request_acks, sacks=none)
    _draw(axes, asked, ASKED)
    style.label(axes, y="requests\n(packets)")


def _draw(axes: Axes, view: FlowView, look: Look) -> None:
    unit = view.mss_bytes
    again = view.segments["retransmission"] != 0
    first = view.segments.where(~again)
    repeated = view.segments.where(again)
    _ticks(axes, first["sent_s"], first, unit, color=look.sent, linewidth=0.9, label=f"segment{look.of_data}", zorder=3)
    _acks(axes, view, look)
    for kept, colour, name in (
        (view.sacks["duplicate"] == 0, look.sack, "SACK"),
        (view.sacks["duplicate"] != 0, LATE, "DSACK"),
    ):
        own = view.sacks.where(kept)
        _ticks(axes, own["time_s"], own, unit, color=colour, linewidth=0.4, label=name)
    _ticks(axes, repeated["sent_s"], repeated, unit, color=RETRANSMITTED, linewidth=1.1, zorder=4)
    low, high = _extent(view)
    axes.set_xlim(view.start_s, view.stop_s)
    axes.set_ylim(low, high)
    late = first.where(first["out_of_order"] != 0)
    third = view.acks.where(view.acks["third"] != 0)
    _letters(axes, "R", repeated["sent_s"], repeated["end"] / unit, RETRANSMITTED, up=True)
    _letters(axes, "3", third["time_s"], third["number"] / unit, look.ack, up=False)
    _letters(axes, "O", late["ended_s"], late["end"] / unit, LATE, up=False)
    marked = view.segments.where((view.segments["ce"] != 0) & ~np.isnan(view.segments["ended_s"]))
    echoing = view.acks.where(view.acks["ece"] != 0)
    _letters(axes, "C", marked["ended_s"], marked["end"] / unit, MARK, up=True)
    _letters(axes, "E", echoing["time_s"], echoing["number"] / unit, MARK, up=False)


def events(axes: Axes, view: FlowView) -> None:
    """A strip with a mark for each event; a timeout that was spurious is hollow."""
    for event, (marker, colour) in EVENT_MARKS.items():
        own = view.events.where(view.events["event"] == event)
        spurious = own["spurious"] == 1
        for times, hollow in ((own["time_s"][~spurious], False), (own["time_s"][spurious], True)):
            if times.size:
                name = f"spurious {words.EVENTS[event]}" if hollow else words.EVENTS[event]
                axes.plot(times, np.zeros(times.size), marker, color=colour, markersize=3.8, label=name, clip_on=False,
                          markerfacecolor="white" if hollow else colour, markeredgewidth=0.7)  # fmt: skip
    axes.set_ylim(-1, 1)
    axes.axis("off")


def _acks(axes: Axes, view: FlowView, look: Look) -> None:
    acks, unit = held(view.acks, view.stop_s), view.mss_bytes
    steps: dict[str, Any] = {"drawstyle": "steps-post", "scale": unit, "zorder": 2}
    line(axes, acks, "number", color=look.ack, linewidth=0.7, label=f"ACK{look.of_acks}", **steps)
    if look.has_window:
        _, high = _extent(view)
        seen = view.acks.rows and float(view.acks["window_end"].min()) <= high * unit
        name = "window" if seen else "window (above)"
        line(axes, acks, "window_end", color=WINDOW, linewidth=0.7, label=name, **steps)
    duplicate = view.acks.where(view.acks["duplicate"] != 0)
    if duplicate.rows:
        rows = distinct(duplicate["time_s"], duplicate["number"])
        axes.plot(duplicate["time_s"][rows], duplicate["number"][rows] / unit, "|", color=look.ack, markersize=2.5,
                  markeredgewidth=0.4, label="duplicate ACK")  # fmt: skip


def _ticks(axes: Axes, time: Reals, rows: Table, unit: int, **style_of: Any) -> None:
    if rows.rows:
        kept = distinct(time, rows["end"])
        axes.vlines(time[kept], rows["start"][kept] / unit, rows["end"][kept] / unit, **style_of)


def _extent(view: FlowView) -> tuple[float, float]:
    """The lowest and highest packet to show: what was sent and acknowledged, and the window's edge if it is near."""
    unit = view.mss_bytes
    lows = np.concatenate([view.segments["start"], view.acks["number"]])
    highs = np.concatenate([view.segments["end"], view.acks["number"]])
    low, high = (float(lows.min()), float(highs.max())) if lows.size else (0.0, 0.0)
    span = max(high - low, unit)
    edge = float(np.max(view.acks["window_end"], initial=0))
    top = max(edge, high) if edge <= high + 0.5 * span else high
    return (low - 0.03 * span) / unit, (top + 0.05 * span) / unit


def _letters(axes: Axes, letter: str, x: Reals, y: Reals, colour: str, up: bool) -> None:
    """A letter beside each mark, as long as it does not print over another."""
    if not x.size:
        return
    figure = axes.figure
    left, right = axes.get_xlim()
    low, high = axes.get_ylim()
    # Sizes of the axes are not known before the layout; those of the figure are near enough.
    width_pt, height_pt = (float(inches) * POINTS_AN_INCH for inches in figure.get_size_inches())  # type: ignore[union-attr]
    rows = apart(
        x, y, 1.1 * LETTER_PT * (right - left) / (0.75 * width_pt), 1.1 * LETTER_PT * (high - low) / (0.3 * height_pt)
    )
    shift = ScaledTranslation(0, (1 if up else -1) * 0.8 * LETTER_PT / POINTS_AN_INCH, figure.dpi_scale_trans)
    axes.plot(x[rows], y[rows], linestyle="none", marker=f"${letter}$", color=colour, markersize=LETTER_PT,
              markeredgewidth=0, transform=axes.transData + shift, label=LETTERS[letter], clip_on=True)  # fmt: skip


LETTERS = {"R": "retransmitted", "3": "third duplicate", "O": "out of order", "C": "marked (CE)", "E": "echoed (ECE)"}
