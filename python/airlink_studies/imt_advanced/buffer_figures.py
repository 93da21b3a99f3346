"""Figs 3 to 11: every user's throughput, selection, activity and losses with three buffers, and windows of user 1.

Beside them, two that the paper has in words: MCS under MC-PF, and what of the band carried nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from airlink.plots import style
from airlink.report import Illustration
from airlink_studies.imt_advanced.measures import Floats
from airlink_studies.imt_advanced.schemes import histograms
from airlink_studies.imt_advanced.setting import BUFFERS, MAX_RATE, MC_PF, PAPER_SHARE, SCHEDULERS
from airlink_studies.imt_advanced.table_cells import intervals
from airlink_studies.imt_advanced.user_figures import bars

if TYPE_CHECKING:
    from airlink_studies.imt_advanced.buffers import Buffers

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


def schemes(found: Buffers) -> Illustration:
    """At which MCS users are sent under MC-PF: what a longer backlog lets the scheduler choose."""
    figure = histograms({f"{buffer} packets": found.schemes[MC_PF, buffer] for buffer in BUFFERS})
    caption = (
        "Bits granted to each user by MCS number under MC-PF with 40, 500 and 1500 packets of buffer, means over "
        f"{found.trials} trials. With 40 packets users are sent at worse rates ([002-6])."
    )
    return Illustration("rates-by-buffer", caption, figure, "Shares of MCS for each user with three buffers.")


def band(found: Buffers) -> Illustration:
    """What of the band carried nothing, and why."""
    figure, (axes,) = style.blank(height_in=2.3)
    pairs = [(scheduler, buffer) for scheduler in SCHEDULERS for buffer in BUFFERS]
    bottom = [0.0] * len(pairs)
    parts = (("empty_without_data", "no data anywhere"), ("empty_otherwise", "users ran dry"), ("padded", "padded"))
    for index, (measure, words) in enumerate(parts):
        heights = [100 * float(getattr(found.at(*pair), measure).mean()) for pair in pairs]
        axes.bar(range(len(pairs)), heights, 0.7, bottom=bottom, color=style.COLOURS[index], label=words, zorder=2)
        bottom = [low + height for low, height in zip(bottom, heights, strict=True)]
    axes.set_xticks(range(len(pairs)), [f"{scheduler}\n{buffer}" for scheduler, buffer in pairs])
    style.label(axes, "scheduler, buffer (packets)", "part of the band not used (%)")
    style.legend(axes, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3)
    caption = f"Subchannels and TTIs that carried nothing ([002-8]); means over {found.trials} trials."
    return Illustration("band-unused", caption, figure, "Unused share of the band for six settings, by cause.")


def _by_buffer(found: Buffers, scheduler: str, measure: str) -> dict[str, Floats]:
    return {f"{buffer} packets": getattr(found.at(scheduler, buffer), measure) for buffer in BUFFERS}


def _bars(found: Buffers, scheduler: str, number: int, name: str, measure: str, y: str) -> Illustration:
    figure = bars(_by_buffer(found, scheduler, measure), y, average=measure != "selection")
    if number == NUMBERS[MC_PF][1]:
        axes = figure.axes[0]
        axes.axhline(PAPER_SHARE, color=style.GREY, linewidth=0.8, linestyle="--", label="paper")
    what = y.partition(" (")[0]
    caption = f"Fig. {number}. {what.capitalize()} under {scheduler}; {intervals(found.trials)}."
    return Illustration(f"fig{number}-{name}", caption, figure, f"{what.capitalize()} of each user with three buffers.")


def _windows(found: Buffers, scheduler: str, number: int) -> Illustration:
    figure, (axes,) = style.blank(height_in=2.2)
    for index, buffer in enumerate(BUFFERS):
        windows = found.windows[scheduler, buffer]
        axes.step(
            windows.time_s, windows.course, where="post", color=style.COLOURS[index], linewidth=0.8,
            label=f"{buffer} packets",
        )  # fmt: skip
    axes.set_ylim(bottom=0)
    style.time_axis(axes)
    style.label(axes, y="congestion window (packets)")
    style.legend(axes, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3)
    caption = (
        f"Fig. {number}. Congestion window of user 1 under {scheduler} in the first trial, a sample as in the paper."
    )
    return Illustration(f"fig{number}-window", caption, figure, "Congestion window of user 1 with three buffers.")
