"""A figure of rows: a line a setting or remedy, a panel a quantity, a mark a series, 95 % intervals as bars.

Left out: what the rows are; captions are the caller's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from numpy.typing import NDArray

from airlink.plots import style
from airlink.plots.labels import wrapped
from airlink.plots.sweep import MARKS
from airlink.statistics import Estimate
from airlink_studies.startup_timeout.setting import in_slots

FRAME_IN = 1.0
LINE_IN = 0.06
"""Height of one mark of a row."""
ROW_LETTERS = 32
"""Of a row's name on one line."""


@dataclass(frozen=True)
class Panel:
    """One quantity.

    Attributes
    ----------
    name : with its unit; may be two lines.
    series : name -> an estimate of each row; NaN leaves a hole.
    dashed : draw the first row of each series as a dashed line.
    starts_at_0 : the axis does.
    is_log : the axis is logarithmic.
    """

    name: str
    series: Mapping[str, Sequence[Estimate]]
    dashed: bool = False
    starts_at_0: bool = False
    is_log: bool = False


def dot_rows(rows: Sequence[str], panels: Sequence[Panel]) -> Figure:
    """The panels side by side; the first row is on top."""
    names = list(dict.fromkeys(name for panel in panels for name in panel.series))
    height_in = FRAME_IN + LINE_IN * len(rows) * max(len(names), 2)
    figure, axes = style.grid(1, len(panels), style.DOUBLE_WIDTH_IN, height_in)
    at = np.arange(len(rows), dtype=float)[::-1]
    step = 0.8 / len(names)
    handles = {}
    for each, panel in zip(axes, panels, strict=True):
        for name, found in panel.series.items():
            index = names.index(name)
            handles[name] = _dots(each, at + step * ((len(names) - 1) / 2 - index), found, index)
            if panel.dashed:
                each.axvline(found[0].mean, color=style.COLOURS[index], linewidth=0.6, linestyle="--")
        for edge in at[:-1] - 0.5:
            each.axhline(edge, color=style.GREY, linewidth=0.2)
        _dress(each, panel)
    for each in axes:
        each.set_yticks(at, [wrapped(in_slots(row), ROW_LETTERS) for row in rows] if each is axes[0] else [])
        each.set_ylim(-0.5, len(rows) - 0.5)
    shown = {in_slots(name): handles[name] for name in names}
    if any(panel.dashed for panel in panels):
        shown[f"{rows[0]} (same colours)"] = Line2D([], [], color=style.GREY, linewidth=0.6, linestyle="--")
    figure.legend(
        list(shown.values()), list(shown), loc="outside upper center", ncols=len(shown),
        fontsize=style.FONT_PT - 1, frameon=False,
    )  # fmt: skip
    return figure


def _dots(axes: Axes, at: NDArray[np.float64], found: Sequence[Estimate], index: int) -> Line2D:
    colour = style.COLOURS[index]
    axes.hlines(at, [each.low for each in found], [each.high for each in found], color=colour, linewidth=0.9)
    means = [each.mean for each in found]
    return axes.plot(means, at, MARKS[index], color=colour, markersize=2.8, linestyle="")[0]


def _dress(axes: Axes, panel: Panel) -> None:
    axes.grid(visible=False, axis="y")
    if panel.is_log:
        style.log_x(axes)
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.xaxis.set_minor_locator(NullLocator())
    if panel.starts_at_0:
        axes.set_xlim(left=0)
    style.label(axes, panel.name)
