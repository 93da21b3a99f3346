"""A figure of rows: a line a setting or remedy, a panel a quantity, a mark a series, 95 % intervals as bars.

Left out: what the rows are; captions are the caller's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from numpy.typing import NDArray

from airlink.plots import style
from airlink.plots.sweep import MARKS
from airlink.statistics import Estimate

FRAME_IN = 1.0
LINE_IN = 0.06
"""Height of one mark of a row."""


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
    figure = Figure(figsize=(style.DOUBLE_WIDTH_IN, height_in), dpi=style.DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    axes = list(figure.subplots(1, len(panels), sharey=True, squeeze=False)[0])
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
    axes[0].set_yticks(at, rows)
    axes[0].set_ylim(-0.5, len(rows) - 0.5)
    figure.legend(
        [handles[name] for name in names], names, loc="outside upper center", ncols=len(names),
        fontsize=style.FONT_PT - 1, frameon=False,
    )  # fmt: skip
    return figure


def _dots(axes: Axes, at: NDArray[np.float64], found: Sequence[Estimate], index: int) -> Line2D:
    colour = style.COLOURS[index]
    axes.hlines(at, [each.low for each in found], [each.high for each in found], color=colour, linewidth=0.9)
    means = [each.mean for each in found]
    return axes.plot(means, at, MARKS[index], color=colour, markersize=2.8, linestyle="")[0]


def _dress(axes: Axes, panel: Panel) -> None:
    axes.tick_params(labelsize=style.FONT_PT - 1, width=0.5, length=2.5)
    axes.grid(visible=True, axis="x", linewidth=0.3, color="#D9D9D9")
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_linewidth(0.5)
    if panel.is_log:
        style.log_x(axes)
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.xaxis.set_minor_locator(NullLocator())
    if panel.starts_at_0:
        axes.set_xlim(left=0)
    style.label(axes, panel.name)
