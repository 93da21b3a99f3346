"""How every figure looks: one size for a journal column, colours that colour-blind readers tell apart.

Figures are made through matplotlib's objects, never through pyplot: no global state, safe in threads and on
machines without a screen. `figure.savefig("x.pdf")` writes one; a notebook shows it.

    with style.themed("dark"):
        figure = plots.cell_figure(view)

Colours here are those of the light theme; in a dark figure each becomes its counterpart (`airlink.plots.theme`).
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from numpy.typing import ArrayLike, NDArray

from airlink.plots.labels import as_given
from airlink.plots.picture import DOTS_PER_INCH, Picture, write
from airlink.plots.theme import AS_DRAWN, DARK, LIGHT, THEMES, Theme, ThemeName, repaint, theme, themed

__all__ = [
    "AS_DRAWN",
    "BASELINE",
    "BLACK",
    "BLUE",
    "COLOURS",
    "DARK",
    "DASHES",
    "DOTS_PER_INCH",
    "DOUBLE_WIDTH_IN",
    "FONT_PT",
    "GREEN",
    "GREY",
    "HATCHES",
    "LIGHT",
    "LIGHT_GREY",
    "ORANGE",
    "PURPLE",
    "ROW_HEIGHT_IN",
    "SKY",
    "SOFT",
    "THEMES",
    "VERMILION",
    "WHITE",
    "WIDTH_IN",
    "YELLOW",
    "Picture",
    "Theme",
    "ThemeName",
    "blank",
    "caption",
    "colours",
    "grid",
    "is_wide",
    "label",
    "legend",
    "legend_above",
    "line_style",
    "log_axis",
    "log_x",
    "repaint",
    "save",
    "theme",
    "themed",
    "time_axis",
    "title",
]

WIDTH_IN = 3.35
"""Width of a column of a two-column journal, inches (85 mm)."""

DOUBLE_WIDTH_IN = 7.0
"""Width of both columns, inches (178 mm)."""

ROW_HEIGHT_IN = 2.2
FONT_PT = 7.0
LETTERS_OF_A_COLUMN = 38
"""Of a title over a panel as wide as a column, with names on its left and a scale on its right."""

SMALL_PT = 6.0
"""Of where a figure comes from, at its foot."""

BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK = LIGHT.lines
WHITE, GREY, LIGHT_GREY, SOFT, YELLOW = LIGHT.background, LIGHT.grey, LIGHT.light_grey, LIGHT.soft, LIGHT.yellow

COLOURS: Sequence[str] = LIGHT.lines
"""Of lines, in the order in which they are given out."""

DASHES: Sequence[str] = ("-", "--", "-.", ":")
SCALE = "viridis"
SCALE_ENDS = {"light": (0.0, 0.58), "dark": (0.45, 1.0)}
"""Of lines in the colours of a scale, by theme."""

BASELINE = -1
"""The number of what others are compared with, where numbers give colours."""

HATCHES: Sequence[str] = ("", "////", "....", "xxxx", "\\\\\\\\", "++++")
"""Patterns of areas: told apart in grey print too."""


def blank(
    rows: int = 1,
    height_in: float | None = None,
    ratios: Sequence[float] | None = None,
    width_in: float = WIDTH_IN,
) -> tuple[Picture, list[Axes]]:
    """A figure of the house's size with `rows` axes above one another that share their x axis."""
    figure = Picture(width_in, height_in or ROW_HEIGHT_IN * rows)
    panels = figure.subplots(rows, 1, sharex=True, squeeze=False, height_ratios=ratios or [1.0] * rows)
    return figure, _dressed(panels)


def grid(rows: int, columns: int, width_in: float, height_in: float) -> tuple[Picture, list[Axes]]:
    """A figure with panels in rows and columns, each with axes of its own; the list goes row by row."""
    figure = Picture(width_in, height_in)
    return figure, _dressed(figure.subplots(rows, columns, squeeze=False))


def label(axes: Axes, x: str = "", y: str = "") -> None:
    """Axis labels; both must name a unit unless the number has none."""
    if x:
        axes.set_xlabel(x, fontsize=FONT_PT)
    if y:
        axes.set_ylabel(y, fontsize=FONT_PT)


def legend(axes: Axes, **where: Any) -> None:
    """The legend, without a frame, when there is something to name."""
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=FONT_PT - 1, frameon=False, handlelength=1.8, borderaxespad=0.3, **where)


def save(figure: Figure, path: Path) -> None:
    """Writes a figure as its file's ending says: .pdf, .svg or .png. The same figure gives the same bytes."""
    write(figure, path, path.suffix.lower().removeprefix("."))


def caption(figure: Figure, words: str) -> None:
    """Where a figure comes from, in small print at its foot; a figure that is passed on keeps it."""
    figure.supxlabel(as_given(words), x=0.005, ha="left", fontsize=SMALL_PT, color=SOFT)


def time_axis(axes: Axes) -> None:
    """Seconds of the run, each number written out: 3.0002, not 0.0002 and a +3 in the corner."""
    axes.ticklabel_format(axis="x", style="plain", useOffset=False)
    label(axes, "time (s)")


def log_axis(axes: Axes, values: ArrayLike, along_x: bool = False) -> None:
    """A logarithmic y axis (or x axis) with plain numbers on it, as many as its range needs."""
    known = np.asarray(values, dtype=float)
    known = known[np.isfinite(known) & (known > 0)]
    if known.size == 0:
        return
    axis = axes.xaxis if along_x else axes.yaxis
    axes.set(**{"xscale" if along_x else "yscale": "log"})
    decades = float(np.log10(known.max() / known.min()))
    between = (1.0, 2.0, 3.0, 4.0, 5.0, 7.0) if decades < 0.7 else (1.0, 2.0, 5.0) if decades < 1.7 else (1.0,)
    axis.set_major_locator(LogLocator(subs=between))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    _mark_between(axis)


def log_x(*axes: Axes) -> None:
    """Logarithmic x axes with plain numbers at the decades: 0.001 is read and drawn faster than a power of ten."""
    for each in axes:
        each.set_xscale("log")
        each.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        _mark_between(each.xaxis)


def _mark_between(axis: Axis) -> None:
    """Marks without numbers at 2 and 5 of each decade: they show the scale as eight do, and are drawn sooner."""
    axis.set_minor_locator(LogLocator(subs=(2.0, 5.0)))
    axis.set_minor_formatter(NullFormatter())


def colours(count: int) -> list[str]:
    """So many colours: those of `COLOURS` while they last; more are steps of one scale, in order.

    Nobody tells twenty hues apart, but where a step lies on a scale is seen. The scale ends where its contrast with the
    background of the theme would be below 3 to 1.
    """
    if count <= len(COLOURS):
        return list(COLOURS[:count])
    first, last = SCALE_ENDS[theme().name]
    return [to_hex(colour) for colour in colormaps[SCALE](np.linspace(first, last, count))]


def legend_above(figure: Figure, *axes: Axes, columns: int) -> None:
    """One legend above all panels, with the names that these axes have, in their order."""
    pairs = [pair for each in axes for pair in zip(*each.get_legend_handles_labels(), strict=True)]
    figure.legend(
        *zip(*pairs, strict=True), loc="outside upper center", ncols=columns, frameon=False, fontsize=FONT_PT - 1
    )


def is_wide(axes: Axes) -> bool:
    """Whether the figure is as wide as both columns."""
    figure = axes.get_figure(root=True)
    return figure is not None and float(figure.get_size_inches()[0]) >= DOUBLE_WIDTH_IN


def title(axes: Axes, words: str, pad: float = 3) -> None:
    """What a panel shows, above it on the left; `pad` in points."""
    if not is_wide(axes):
        words = textwrap.fill(words, LETTERS_OF_A_COLUMN)
    axes.set_title(words, loc="left", fontsize=FONT_PT, pad=pad)


def line_style(index: int, of: int = 0) -> dict[str, Any]:
    """Colour and dashes of the index-th line: told apart in grey print too.

    Parameters
    ----------
    index : from 0; `BASELINE` is what others are compared with, grey in every picture.
    of : how many lines there are; of more than `COLOURS` each is a step of one scale, undashed. Default: not known.
    """
    if index < 0:
        return {"color": GREY, "linestyle": "-", "linewidth": 1.4}
    if of > len(COLOURS):
        return {"color": colours(of)[index % of], "linestyle": "-", "linewidth": 0.9}
    return {"color": COLOURS[index % len(COLOURS)], "linestyle": DASHES[index % len(DASHES)], "linewidth": 1.1}


def _dressed(panels: NDArray[Any]) -> list[Axes]:
    axes: list[Axes] = list(panels.ravel())
    for each in axes:
        _dress(each)
    return axes


def _dress(axes: Axes) -> None:
    axes.tick_params(labelsize=FONT_PT - 1, width=0.5, length=2.5)
    axes.grid(visible=True, linewidth=0.3, color=LIGHT.grid)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_linewidth(0.5)
