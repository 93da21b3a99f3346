"""Who got which subchannel when: time across, frequency up, a colour for each user.

Of more than 7 users the colour is that of the channel: from the worst mean SNR to the best, each a step of one scale.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap, to_hex
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.ticker import FuncFormatter, NullLocator
from numpy.typing import NDArray

from airlink.plots import maps, style
from airlink.plots.users import NAMED_USERS, Users, named_rows, users_of
from airlink.result import Result

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
    Figure: subchannel over time in ms or s; the colour of a cell is the user that got it, hatched where nobody did.
    Users are named beside the scale, sorted by mean SNR if they have one.

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
    who = users_of(result.scenario, result.replicas[replica])
    # From the worst channel at the bottom of the scale to the best one.
    users = len(who.order)
    place = np.empty(users + 1, dtype=np.int32)
    place[list(who.order)] = np.arange(users)[::-1]
    place[users] = -1
    figure, (axes,) = style.blank()
    scale, unit = (1e3, "ms") if slots * slot_s < 1 else (1.0, "s")
    # Through the borders of slots and subchannels, so that a cell covers what it lasts.
    borders = (first * slot_s * scale, (first + slots) * slot_s * scale, -0.5, subchannels - 0.5)
    image = axes.imshow(
        np.ma.masked_less(place[owners], 0),
        cmap=ListedColormap(_colours(who)),
        norm=BoundaryNorm(np.arange(users + 1) - 0.5, users),
        extent=borders,
        aspect="auto",
        origin="lower",
        interpolation="nearest",
    )
    axes.patch.set(hatch=maps.HATCH, edgecolor=style.LIGHT_GREY, linewidth=0)
    axes.grid(visible=False)
    _name_users(figure, axes, image, who)
    _ticks(axes, subchannels)
    style.label(axes, f"time ({unit})", "subchannel")
    return figure


def _colours(who: Users) -> list[str]:
    """A colour for each user, in the order of the scale: few have their own, many a step of one scale."""
    users = len(who.order)
    if users <= NAMED_USERS:
        return [style.COLOURS[user] for user in reversed(who.order)]
    return [to_hex(colour) for colour in colormaps[maps.MAP](np.linspace(0, 1, users))]


def _name_users(figure: Figure, axes: Axes, image: AxesImage, who: Users) -> None:
    names = [who.row(user, with_traffic=False) for user in reversed(who.order)]
    named = named_rows(names, len(names) if len(names) <= maps.NAMED_ROWS else maps.MOST_NAMES)
    # Names through a formatter: the bar is drawn anew in a dark figure, and would forget labels.
    words = FuncFormatter(lambda place, _: names[round(place)])
    bar = figure.colorbar(image, ax=axes, pad=0.02, ticks=named, format=words)
    bar.minorlocator = NullLocator()
    bar.set_label(who.axis, fontsize=style.FONT_PT)
    bar.ax.tick_params(labelsize=style.FONT_PT - (1 if len(named) <= 12 else 2), length=2, width=0.5)
    bar.outline.set_linewidth(0.3)


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
