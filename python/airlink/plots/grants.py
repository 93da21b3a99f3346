"""Who got which subchannel when: time across, frequency up, a colour for each user."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure
from numpy.typing import NDArray

from airlink.plots import style
from airlink.result import Result

IDLE = "#FFFFFF"
MOST_SLOTS = 20_000
"""Slots of one picture: more would be finer than any print."""


def grants(result: Result, replica: int = 0, start_s: float = 0.0, stop_s: float = float("inf")) -> Figure:
    """Which user got which subchannel of which slot.

    Parameters
    ----------
    result : recorded with "grants".
    replica : which, default 0.
    start_s, stop_s : the part to draw, s; default all. At most 20 000 slots.

    Returns
    -------
    Figure: subchannel over time in ms or s; the colour of a cell is the user that got it, white where nobody did.

    Raises
    ------
    KeyError : "grants" was not recorded.
    ValueError : no whole slot starts in the part, or more than 20 000 do.

    References
    ----------
    [Kakuda] shows such a picture of its allocation.
    """
    series = result.series("grants", replica)
    first, slots, slot_s = _part(result, start_s, stop_s)
    inside = series.where((series["slot"] >= first) & (series["slot"] < first + slots))
    carrier = result.scenario.carrier
    subchannels = carrier.subchannels if carrier is not None else 1
    owners: NDArray[np.int32] = np.full((subchannels, slots), -1, dtype=np.int32)
    owners[inside["subchannel"], inside["slot"] - first] = inside["user"]
    figure, (axes,) = style.blank()
    users = len(result.replicas[replica].users["user"])
    scale, unit = (1e3, "ms") if slots * slot_s < 1 else (1.0, "s")
    # Through the borders of slots and subchannels, so that a cell covers what it lasts.
    borders = (first * slot_s * scale, (first + slots) * slot_s * scale, -0.5, subchannels - 0.5)
    image = axes.imshow(
        np.ma.masked_less(owners, 0),
        cmap=ListedColormap(style.colours(users)),
        norm=BoundaryNorm(np.arange(users + 1) - 0.5, users),
        extent=borders,
        aspect="auto",
        origin="lower",
        interpolation="nearest",
    )
    axes.set_facecolor(IDLE)
    axes.grid(visible=False)
    bar = figure.colorbar(image, ax=axes, pad=0.02, ticks=np.arange(0, users, max(1, math.ceil(users / 12))))
    bar.set_label("user", fontsize=style.FONT_PT)
    bar.ax.tick_params(labelsize=style.FONT_PT - 1, length=2)
    bar.ax.minorticks_off()
    _ticks(axes, subchannels)
    style.label(axes, f"time ({unit})", "subchannel")
    return figure


def _part(result: Result, start_s: float, stop_s: float) -> tuple[int, int, float]:
    """The first slot that starts at `start_s` or later, how many start before `stop_s`, and their length in s."""
    slot, scenario = result.scenario.slot, result.scenario
    if slot is None:
        raise ValueError("a wired bottleneck has no slots")
    length_s = slot.exact_ms() / 1000
    # As decimals, so that a border that is written is a border.
    start, stop, end = (
        Fraction(str(moment)) for moment in (start_s, min(stop_s, scenario.duration_s), scenario.duration_s)
    )
    first, whole = max(0, math.ceil(start / length_s)), math.floor(end / length_s)
    slots = min(math.ceil(stop / length_s), whole) - first
    if not 0 < slots <= MOST_SLOTS:
        raise ValueError(
            f"start_s = {start_s:g} and stop_s = {stop_s:g} hold {slots} slots; 1 to {MOST_SLOTS} are drawn"
        )
    return first, slots, float(length_s)


def _ticks(axes: Axes, subchannels: int) -> None:
    """Whole subchannels only."""
    step = max(1, math.ceil(subchannels / 8))
    nice = next((each for each in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000) if each >= step), step)
    axes.set_yticks(np.arange(0, subchannels, nice))
