"""Figs 6 and 7: the first seed's last 300 s, windows of the 30 ms flow and the queue of the 130 ms flow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airlink.plots import style
from airlink.report import Illustration
from airlink_studies.clamp.fading_cell import CLAMP, FAST, NEW_RENO

if TYPE_CHECKING:
    from airlink_studies.clamp.windows import Outcomes

HEIGHT_IN = 2.2
DELAYS_MS = (50, 180)
THIN = 0.7
MOST_KB = 400.0
"""A congestion window that nothing is lost under leaves the picture."""


def figure_6(found: Outcomes) -> list[Illustration]:
    """Windows at both delays."""
    return [_windows(found, delay) for delay in DELAYS_MS]


def figure_7(found: Outcomes) -> list[Illustration]:
    """Queues at both delays."""
    return [_queues(found, delay) for delay in DELAYS_MS]


def _windows(found: Outcomes, delay: int) -> Illustration:
    figure, (axes,) = style.blank(height_in=HEIGHT_IN)
    clamp, alone = (found.drawn[each, FAST, delay] for each in (CLAMP, NEW_RENO))
    lines = (
        (clamp.time_s, clamp.cwnd_bytes, "CLAMP: congestion window", style.GREY),
        (alone.time_s, alone.cwnd_bytes, "New Reno: congestion window", style.COLOURS[1]),
        (clamp.time_s, clamp.window_bytes, "CLAMP: advertised window", style.COLOURS[0]),
    )
    for time_s, values, name, colour in lines:
        axes.plot(time_s, values / 1e3, color=colour, linewidth=THIN, label=name)
    axes.set_ylim(0, min(axes.get_ylim()[1], MOST_KB))
    style.time_axis(axes)
    style.label(axes, y="window (kB)")
    style.legend_above(figure, axes, columns=2)
    caption = (
        f"10 m/s, {delay} ms of queueing: windows of the 30 ms flow under CLAMP and, in a run of its own, under New "
        "Reno alone, ten times a second."
    )
    return Illustration(f"fig6-{delay}-ms", caption, figure, f"Three windows over time at {delay} ms of queueing.")


def _queues(found: Outcomes, delay: int) -> Illustration:
    figure, axes = style.blank(rows=2, height_in=HEIGHT_IN)
    for each, own, colour in zip(axes, (CLAMP, NEW_RENO), style.COLOURS, strict=False):
        course = found.drawn[own, FAST, delay]
        each.plot(course.time_s, course.queue_bytes / 1e3, color=colour, linewidth=THIN, label=own)
        style.label(each, y="queue (kB)")
        style.legend(each, loc="lower left", bbox_to_anchor=(0.0, 0.92))
    highest = max(each.get_ylim()[1] for each in axes)
    for each in axes:
        each.set_ylim(0, highest)
    style.time_axis(axes[-1])
    caption = f"10 m/s, {delay} ms of queueing: the queue of the 130 ms flow, ten times a second."
    return Illustration(f"fig7-{delay}-ms", caption, figure, f"Two queues over time at {delay} ms of queueing.")
