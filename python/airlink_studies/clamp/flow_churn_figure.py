"""Fig. 2, drawn: windows and queue over time of the first seed, under CLAMP and under New Reno alone."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from airlink.campaign import CampaignResult
from airlink.plots import style
from airlink.report import Illustration
from airlink.result import Table
from airlink_studies.clamp import setting
from airlink_studies.clamp.theory import ClampFlows, clamp_equilibrium
from airlink_studies.clamp.trajectories import Trajectory, of_flow, queue_trajectory

EDGES_S = (0.0, 50.0, 100.0, 150.0, 200.0, 250.0)
FLOWS = (1, 2, 3, 2, 1)
HEIGHT_IN = 5.2
WINDOW_STEP_S, QUEUE_STEP_S = 0.25, 0.1
"""Of what is drawn: fine enough for New Reno's sawtooth of several seconds."""
FAINT = 0.6


def drawn(result: CampaignResult) -> Illustration:
    """Windows above queues."""
    figure, panels = style.blank(4, HEIGHT_IN, width_in=style.DOUBLE_WIDTH_IN)
    for place, name in enumerate(result.plan.scenarios):
        series = result.result(name).replicas[0].series
        source, column = ("acks", "window_bytes") if place == 0 else ("cwnd", "cwnd_bytes")
        _windows(panels[place], Table(series[source]), column)
        _queue(panels[2 + place], queue_trajectory(Table(series["queue"])))
        panels[place].set_title(f"{name}: windows", fontsize=style.FONT_PT, loc="left", pad=2)
        panels[2 + place].set_title(f"{name}: queue", fontsize=style.FONT_PT, loc="left", pad=2)
    style.legend(panels[0], loc="upper center", ncols=4)
    style.legend(panels[2], loc="upper right", ncols=3)
    style.time_axis(panels[-1])
    panels[-1].set_xlim(EDGES_S[0], EDGES_S[-1])
    caption = (
        "Fig. 2. Flows 1, 2 and 3 send at 0-250, 50-200 and 100-150 s over 10 Mb/s and 50 ms. Windows as advertised "
        "(CLAMP) and congestion windows (New Reno, queue of 19 500 bytes), one seed; queues every 0.1 s. Black: the "
        "fluid's equilibrium, windows of 68.5, 34.5 and 23.2 kB and queues of 6000, 6500 and 7000 bytes."
    )
    return Illustration(
        "fig2-windows-and-queues", caption, figure, "Four panels over 250 s: calm and sawtooth windows."
    )


def _windows(axes: Axes, series: Table, column: str) -> None:
    for flow in range(3):
        times, values = _thinned(of_flow(series, flow, column), WINDOW_STEP_S)
        axes.plot(times, values / 1e3, color=style.COLOURS[flow], linewidth=0.8, label=f"flow {flow + 1}")
    _levels(axes, [_settled(flows)[1] / 1e3 for flows in FLOWS])
    axes.set_ylim(0, 105)
    style.label(axes, y="window (kB)")


def _queue(axes: Axes, course: Trajectory) -> None:
    times, values = _thinned(course, QUEUE_STEP_S)
    axes.plot(times, values / 1e3, color=style.COLOURS[5], linewidth=0.35, alpha=FAINT, label="every 0.1 s")
    means = [course.mean(time, time + 1.0) / 1e3 for time in range(249)]
    axes.plot(np.arange(249) + 0.5, means, color=style.COLOURS[1], linewidth=0.9, label="mean over 1 s")
    _levels(axes, [_settled(flows)[0] / 1e3 for flows in FLOWS])
    axes.set_ylim(0, 20.5)
    style.label(axes, y="queue (kB)")


def _levels(axes: Axes, values: list[float]) -> None:
    axes.stairs(values, EDGES_S, color="black", linewidth=0.8, linestyle="--", baseline=None, zorder=3, label="fluid")


def _thinned(course: Trajectory, step_s: float) -> tuple[np.ndarray, np.ndarray]:
    times = np.arange(course.time_s[0], course.time_s[-1], step_s)
    return times, course.at(times)


def _settled(flows: int) -> tuple[float, float]:
    settled = clamp_equilibrium(ClampFlows((setting.DELAY_MS / 1e3,) * flows, setting.RATE_BPS))
    return settled.queue_bytes, settled.windows_bytes[0]
