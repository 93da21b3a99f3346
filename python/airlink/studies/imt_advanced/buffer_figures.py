"""Figs 3 to 11: every user's throughput, selection, activity and losses with three buffers, and windows of user 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airlink.plots import style
from airlink.report import Illustration
from airlink.studies.imt_advanced.measures import Floats
from airlink.studies.imt_advanced.setting import BUFFERS, MAX_RATE, MC_PF, PAPER_SHARE
from airlink.studies.imt_advanced.user_figures import bars

if TYPE_CHECKING:
    from airlink.studies.imt_advanced.buffers import Buffers

NUMBERS = {MAX_RATE: (3, 4, 5, 6), MC_PF: (7, 8, 9, 10)}


def of_scheduler(found: Buffers, scheduler: str) -> list[Illustration]:
    """Throughput, selection ratio, active time ratio, window of user 1."""
    throughput, selection, active, window = NUMBERS[scheduler]
    return [
        _bars(found, scheduler, throughput, "throughput", "throughput_mbps", "user throughput (Mb/s)"),
        _bars(found, scheduler, selection, "selection", "selection", "selection ratio"),
        _bars(found, scheduler, active, "active", "active", "active time ratio"),
        _windows(found, scheduler, window),
    ]


def losses(found: Buffers) -> Illustration:
    """Fig. 11."""
    return _bars(found, MC_PF, 11, "losses", "loss", "packets lost at the buffer, share")


def _by_buffer(found: Buffers, scheduler: str, measure: str) -> dict[str, Floats]:
    return {f"{buffer} packets": getattr(found.at(scheduler, buffer), measure) for buffer in BUFFERS}


def _bars(found: Buffers, scheduler: str, number: int, name: str, measure: str, y: str) -> Illustration:
    figure = bars(_by_buffer(found, scheduler, measure), y, average=measure != "selection")
    if number == NUMBERS[MC_PF][1]:
        axes = figure.axes[0]
        axes.axhline(PAPER_SHARE, color=style.GREY, linewidth=0.8, linestyle="--")
    what = y.partition(" (")[0]
    caption = f"Fig. {number}. {what.capitalize()} under {scheduler}; means of {found.trials} trials, lines 95 %."
    return Illustration(f"fig{number}-{name}", caption, figure, f"{what.capitalize()} of each user with three buffers.")


def _windows(found: Buffers, scheduler: str, number: int) -> Illustration:
    figure, (axes,) = style.blank(height_in=2.2)
    for index, buffer in enumerate(BUFFERS):
        windows = found.windows[scheduler, buffer]
        axes.plot(windows.time_s, windows.course, color=style.COLOURS[index], linewidth=0.8, label=f"{buffer} packets")
    axes.set_ylim(bottom=0)
    style.time_axis(axes)
    style.label(axes, y="congestion window (packets)")
    style.legend(axes, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3)
    caption = (
        f"Fig. {number}. Congestion window of user 1 under {scheduler} in the first trial, a sample as in the paper."
    )
    return Illustration(f"fig{number}-window", caption, figure, "Congestion window of user 1 with three buffers.")
