"""Figs 4, 5 and 9, and timeouts by flow: everything over the mean queueing delay."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from airlink.plots import style, sweep
from airlink.report import Illustration
from airlink_studies.clamp.curves import Curve, fetch_s, pooled
from airlink_studies.clamp.fading_cell import CLAMP, FAST, FLOWS, NEW_RENO, SLOW
from airlink_studies.clamp.trajectories import Floats

HEIGHT_IN = 2.3
DELAY = "mean queueing delay (ms)"
PANELS = {
    (CLAMP, SLOW): "clamp-slow",
    (NEW_RENO, SLOW): "new-reno-slow",
    (CLAMP, FAST): "clamp-fast",
    (NEW_RENO, FAST): "new-reno-fast",
}
"""Of Fig. 4, a to d."""


def rates(curve: Curve, name: str, words: str, highest: float) -> Illustration:
    """Throughput of each flow over delay."""
    figure, (axes,) = style.blank(height_in=HEIGHT_IN)
    by_flow(axes, curve, curve.rates_mbps)
    axes.set_ylim(0, highest)
    style.label(axes, DELAY, "throughput of a flow (Mb/s)")
    _name_flows(axes, words)
    caption = (
        f"{words}: throughput of each flow, named by its propagation delay; those of 10 and 180 ms share a queue. "
        "Bands are 95 %."
    )
    return Illustration(name, caption, figure, f"Throughput of four flows over mean queueing delay, {words}.")


def by_flow(axes: Axes, curve: Curve, values: Floats) -> None:
    """A line for each flow of array [point, seed, flow]."""
    at = curve.delay_ms.mean(axis=1)
    for flow, name in enumerate(FLOWS):
        sweep.banded(axes, at, pooled(values[..., flow]), flow, name)


def _name_flows(axes: Axes, words: str) -> None:
    """The legend of `by_flow`, above the panel: what it shows, and what tells flows apart."""
    style.legend(
        axes, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=4, title=f"{words}; flows by propagation delay",
        title_fontsize=style.FONT_PT - 1, alignment="left",
    )  # fmt: skip


def together(
    curves: Mapping[tuple[str, str], Curve], values: Callable[[Curve], Floats], y: str, *, log: bool = False
) -> tuple[Figure, Axes]:
    """A line for each protocol and speed: array [point, seed] of each over delay."""
    figure, (axes,) = style.blank(height_in=HEIGHT_IN)
    everything = []
    for index, ((protocol, speed), curve) in enumerate(curves.items()):
        own = values(curve)
        everything.append(own.mean(axis=1))
        sweep.banded(axes, curve.delay_ms.mean(axis=1), pooled(own), index, f"{protocol}, {speed}")
    if log:
        style.log_axis(axes, np.concatenate(everything))
    else:
        axes.set_ylim(bottom=0)
    style.label(axes, DELAY, y)
    style.legend(axes, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2)
    return figure, axes


def figure_4(curves: Mapping[tuple[str, str], Curve]) -> list[Illustration]:
    """Its four panels on one scale."""
    highest = 1.05 * max(float(curve.rates_mbps.mean(axis=1).max()) for curve in curves.values())
    return [rates(curves[key], f"fig4-{name}", f"{key[0]}, {key[1]}", highest) for key, name in PANELS.items()]


def total(curves: Mapping[tuple[str, str], Curve]) -> Illustration:
    """Fig. 5a."""
    figure, _ = together(curves, lambda curve: curve.total_mbps, "throughput of all flows (Mb/s)")
    caption = "Throughput of all flows together, for each protocol and speed. Bands are 95 %."
    return Illustration("fig5-total", caption, figure, "Total throughput over mean queueing delay, four curves.")


def fetch(curves: Mapping[tuple[str, str], Curve]) -> Illustration:
    """Fig. 5b."""
    figure, _ = together(curves, lambda curve: fetch_s(curve.rates_mbps), "time to fetch 1 MB (s)", log=True)
    caption = (
        "Time in which a flow gets 1 Mbyte at its long-term rate, mean over the four flows: what files take that "
        "follow one another without a pause. Bands are 95 %."
    )
    return Illustration("fig5-fetch", caption, figure, "Time to fetch 1 Mbyte over mean queueing delay, four curves.")


def knobs(curves: Mapping[tuple[str, str], Curve]) -> Illustration:
    """Fig. 9."""
    figure, axes = together(
        curves, lambda curve: np.repeat(curve.knob_bytes[:, None] / 1e3, curve.delay_ms.shape[1], axis=1),
        "a of CLAMP, or the buffer\nof New Reno (kB)",
    )  # fmt: skip
    for index, curve in enumerate(curves.values()):
        spread = [each.half_width for each in pooled(curve.delay_ms)]
        axes.errorbar(
            curve.delay_ms.mean(axis=1), curve.knob_bytes / 1e3, xerr=spread, fmt="none",
            ecolor=style.COLOURS[index], elinewidth=0.6,
        )  # fmt: skip
    caption = "What was set, and the mean queueing delay that came of it, for each protocol and speed. Lines are 95 %."
    return Illustration("fig9-knobs", caption, figure, "Buffer size and a over mean queueing delay, four curves.")


def timeouts(curve: Curve) -> Illustration:
    """What [004-10] is about."""
    figure, (axes,) = style.blank(height_in=HEIGHT_IN)
    by_flow(axes, curve, curve.timeouts_per_minute)
    axes.set_ylim(bottom=0)
    style.label(axes, DELAY, "timeouts of a flow a minute")
    _name_flows(axes, f"{CLAMP}, {FAST}")
    caption = f"{CLAMP}, {FAST}: timeouts of each flow. Bands are 95 %."
    return Illustration("timeouts-by-flow", caption, figure, "Timeouts of four flows over mean queueing delay.")
