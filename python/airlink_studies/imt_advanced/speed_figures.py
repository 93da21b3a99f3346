"""Figs 12 to 17: throughput by speed, the SINR over time, MCS, reports' errors, repeats; MCS of all users, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from airlink.plots import style
from airlink.report import Illustration
from airlink_studies.imt_advanced.schemes import histograms
from airlink_studies.imt_advanced.setting import MAX_RATE, MC_PF, SPEEDS_KMH
from airlink_studies.imt_advanced.table_cells import intervals
from airlink_studies.imt_advanced.user_figures import bars

if TYPE_CHECKING:
    from airlink_studies.imt_advanced.speeds import Speeds

SHOWN_S = 2.0
ERRORS_TO_DB, ERROR_BIN_DB = 30.0, 1.0


def all_of(found: Speeds) -> list[Illustration]:
    """In the order of the paper."""
    return [
        _bars(found, MAX_RATE, "fig12-throughput", "throughput_mbps", "user throughput (Mb/s)"),
        _bars(found, MC_PF, "fig13-throughput", "throughput_mbps", "user throughput (Mb/s)"),
        _courses(found),
        _schemes(found),
        _bars(found, MC_PF, "fig16-report-error", "report_error_db", "|real less reported SINR| (dB)"),
        _bars(found, MC_PF, "fig17-retransmissions", "retransmission", "PDU retransmission ratio"),
        _schemes_of_all(found),
        _errors(found),
    ]


def _bars(found: Speeds, scheduler: str, name: str, measure: str, y: str) -> Illustration:
    figure = bars({f"{speed} km/h": getattr(found.at(scheduler, speed), measure) for speed in SPEEDS_KMH}, y)
    what = y.partition(" (")[0]
    number = name.removeprefix("fig").partition("-")[0]
    what = what[0].upper() + what[1:]
    caption = f"Fig. {number}. {what} under {scheduler}; {intervals(found.trials)}."
    return Illustration(name, caption, figure, f"{what} of each user at three speeds.")


def _courses(found: Speeds) -> Illustration:
    figure, panels = style.blank(len(SPEEDS_KMH), 3.2)
    for index, (axes, speed) in enumerate(zip(panels, SPEEDS_KMH, strict=True)):
        time_s, sinr_db = found.courses[speed]
        shown, mean_db = time_s < SHOWN_S, float(found.sinr_db[speed].mean())
        axes.plot(time_s[shown], sinr_db[shown], color=style.COLOURS[index], linewidth=0.6, label=f"{speed} km/h")
        axes.axhline(mean_db, color=style.GREY, linewidth=0.8, linestyle="--", label="mean over trials")
        axes.set_ylim(*_range(found))
        style.legend(axes, loc="lower right", bbox_to_anchor=(1.0, 0.95), ncols=2)
    style.label(panels[1], y="SINR of user 1 (dB),\nmean over subchannels")
    style.time_axis(panels[-1])
    caption = (
        f"Fig. 14. SINR of user 1 in the first trial at three speeds; dashed: its mean over {found.trials} trials, "
        "which does not depend on speed."
    )
    return Illustration("fig14-sinr", caption, figure, "The SINR of user 1 over time at three speeds.")


def _range(found: Speeds) -> tuple[float, float]:
    values = np.concatenate([course[1] for course in found.courses.values()])
    return float(values.min()) - 1, float(values.max()) + 1


def _schemes(found: Speeds) -> Illustration:
    figure, panels = style.blank(2, 3.6)
    for axes, scheduler in zip(panels, (MAX_RATE, MC_PF), strict=True):
        for index, speed in enumerate(SPEEDS_KMH):
            shares = 100 * found.schemes[scheduler, speed][:, 0].mean(axis=0)
            at = np.arange(1, shares.size + 1) + (index - 1) * 0.27
            axes.bar(at, shares, 0.27, color=style.COLOURS[index], label=f"{speed} km/h")
        style.label(axes, y=f"{scheduler}: bits by MCS (%)")
        axes.set_xticks(range(1, 10))
    style.legend(panels[0], loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3)
    style.label(panels[1], "MCS")
    caption = f"Fig. 15. Bits granted to user 1 by MCS number, over {found.trials} trials."
    return Illustration("fig15-mcs", caption, figure, "How often user 1 is sent at each MCS, at three speeds.")


def _schemes_of_all(found: Speeds) -> Illustration:
    figure = histograms({f"{speed} km/h": found.schemes[MC_PF, speed] for speed in SPEEDS_KMH})
    caption = (
        "Bits granted to each user by MCS number under MC-PF at three speeds, means over "
        f"{found.trials} trials: Fig. 15 for all users."
    )
    return Illustration("mcs-by-speed", caption, figure, "Shares of MCS for each user at three speeds.")


def _errors(found: Speeds) -> Illustration:
    figure, (axes,) = style.blank(height_in=2.2)
    edges = np.arange(-ERRORS_TO_DB, ERRORS_TO_DB + ERROR_BIN_DB, ERROR_BIN_DB)
    for index, speed in enumerate(SPEEDS_KMH):
        counts, _ = np.histogram(np.clip(found.errors_db[speed], edges[0], edges[-1]), edges)
        shares = 100 * counts / max(counts.sum(), 1)
        axes.stairs(shares, edges, label=f"{speed} km/h", **style.line_style(index))
    axes.set_yscale("log")
    style.label(axes, "real less reported SINR (dB)", f"subchannels won (% per {ERROR_BIN_DB:g} dB)")
    style.legend(axes, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3)
    caption = (
        "Beside Fig. 16: real less advertised SINR of the subchannels won by all users under MC-PF in a short run of "
        "the first trial; ends of the axis hold what lies beyond."
    )
    return Illustration("signed-error", caption, figure, "How far the SINR was from what was advertised.")
