"""A map over time: a row a user (or flow), a column a bin, a colour a value, with a scale that says what it shows.

Colours go from the 2nd to the 98th percentile where a few values would otherwise make all others look alike; the
colour bar then has arrows and says so. Hatched is what had nothing to show, which is not the same as zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colorbar import Colorbar
from matplotlib.colors import ListedColormap, LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from numpy.typing import NDArray

from airlink.plots import style
from airlink.plots.users import named_rows

PERCENT_BEYOND = 2
FAR = 0.25
"""An end of the scale is cut off where the values beyond it would lengthen it by this part or more."""

ROW_IN = 0.1
"""Height of a row with a name."""

NAMED_ROWS = 24
MOST_NAMES = 13
"""Of more than `NAMED_ROWS` rows, so many have a name."""

WIDE = 100
"""A logarithmic scale over so much has numbers at powers of ten alone."""

STARVED, HATCH = style.LIGHT_GREY, "/////"
MAP = style.SCALE


@dataclass(frozen=True)
class Heat:
    """What a map shows.

    Attributes
    ----------
    values : array [row, bin]; NaN: nothing to show.
    starved : array [row, bin] of bool: data waited and nothing was delivered; None: not known.
    names : [row] who it is, from the top.
    axis : what the rows are.
    title : what the colours are of.
    unit : of the values.
    logarithmic : whether colours follow the logarithm.
    blank : what the hatched ones are.
    """

    values: NDArray[np.float64]
    names: Sequence[str]
    axis: str
    title: str
    unit: str
    starved: NDArray[np.bool_] | None = None
    logarithmic: bool = False
    blank: str = "no data"


@dataclass(frozen=True)
class Scale:
    """The values of the first and the last colour, and whether there are values below or above."""

    low: float
    high: float
    below: bool = False
    above: bool = False

    @property
    def extend(self) -> str:
        """As a colour bar calls it."""
        return {(False, False): "neither", (True, False): "min", (False, True): "max", (True, True): "both"}[
            self.below, self.above
        ]

    @property
    def words(self) -> str:
        """What the arrows mean; empty without arrows."""
        ends = [name for name, there in (("lowest", self.below), ("highest", self.above)) if there]
        return f"arrow{'s' * (len(ends) > 1)}: {' and '.join(ends)} {PERCENT_BEYOND} %" if ends else ""


def robust(values: NDArray[np.float64], logarithmic: bool = False) -> Scale:
    """The scale of colours for these values.

    Parameters
    ----------
    values : any shape; NaN is left out, of a logarithmic scale all that is not above 0.
    logarithmic : whether distances are those of logarithms.

    Returns
    -------
    From the least to the greatest value, or to the percentile where what lies beyond would take much of the scale. A
    linear scale of what is not negative begins at 0.

    Examples
    --------
    >>> robust(np.arange(101.0))
    Scale(low=0.0, high=100.0, below=False, above=False)
    >>> robust(np.append(np.arange(100.0), 9000.0)).above
    True
    """
    known = values[np.isfinite(values) & ((values > 0) if logarithmic else True)]
    if known.size == 0:
        return Scale(0.1, 1.0) if logarithmic else Scale(0.0, 1.0)
    least, most = float(known.min()), float(known.max())
    low, high = (float(each) for each in np.percentile(known, [PERCENT_BEYOND, 100 - PERCENT_BEYOND]))
    places = np.array([least, low, high, most])
    if logarithmic:
        places = np.log10(places)
    elif least >= 0:
        places[:2] = least = low = 0.0
    span = places[2] - places[1]
    if span <= 0:
        return Scale(least, most) if most > least else _around(most, logarithmic)
    below, above = bool(places[1] - places[0] > FAR * span), bool(places[3] - places[2] > FAR * span)
    ends = (low if below else least), (high if above else most)
    return Scale(*ends, below, above)


def _around(value: float, logarithmic: bool) -> Scale:
    """A scale for values that are all the same."""
    return Scale(value / 2, value * 2) if logarithmic else Scale(0.0, value or 1.0)


def height_in(rows: int, least: float = 1.3) -> float:
    """How high a map is: its names have room."""
    return max(least, ROW_IN * rows) if rows <= NAMED_ROWS else 2.2


def draw(axes: Axes, edges: NDArray[np.float64], heat: Heat) -> None:
    """Draws a map with its scale, its rows' names and what its hatching means.

    Parameters
    ----------
    axes : where.
    edges : array [bin + 1], s.
    heat : what.
    """
    scale = robust(heat.values, heat.logarithmic)
    norm = (LogNorm if heat.logarithmic else Normalize)(scale.low, scale.high)
    shown = np.ma.masked_invalid(heat.values)
    if heat.logarithmic:
        shown = np.ma.masked_less_equal(shown, 0)
    rows = np.arange(len(heat.names) + 1) - 0.5
    drawn = axes.pcolormesh(edges, rows, shown, norm=norm, cmap=MAP, rasterized=True)
    keys = []
    blank = np.ma.getmaskarray(shown).copy()
    if heat.starved is not None and heat.starved.any():
        mask = np.ma.masked_equal(heat.starved.astype(float), 0.0)
        axes.pcolormesh(edges, rows, mask, cmap=ListedColormap([STARVED]), rasterized=True)
        keys.append(Patch(color=STARVED, label="data waits, none delivered"))
        blank &= ~heat.starved
    if blank.any():
        axes.patch.set(hatch=HATCH, edgecolor=style.LIGHT_GREY, linewidth=0)
        keys.append(Patch(facecolor="none", edgecolor=style.LIGHT_GREY, hatch=HATCH, label=heat.blank))
    style.title(axes, heat.title)
    if keys:
        key(axes, keys)
    name_rows(axes, heat.names, heat.axis)
    _bar(axes, drawn, heat, scale)


def key(axes: Axes, handles: Sequence[Artist]) -> None:
    """What marks beside the scale's colours mean: above the map, beside its title or under it."""
    narrow = not style.is_wide(axes)
    where: dict[str, Any] = {"loc": "lower left" if narrow else "lower right"}
    where["bbox_to_anchor"] = (0.0 if narrow else 1.0, 1.0)
    axes.legend(
        handles=handles, ncols=len(handles), frameon=False, fontsize=style.FONT_PT - 1, borderaxespad=0.2,
        handlelength=1.4, columnspacing=1.0, handletextpad=0.5, **where,
    )  # fmt: skip
    if narrow:
        style.title(axes, axes.get_title(loc="left"), pad=style.FONT_PT + 6)


def name_rows(axes: Axes, names: Sequence[str], axis: str) -> None:
    """A row for each name, the first on top; of many rows some are named."""
    axes.set_ylim(len(names) - 0.5, -0.5)
    rows = named_rows(names, len(names) if len(names) <= NAMED_ROWS else MOST_NAMES)
    axes.set_yticks(rows, [names[row] for row in rows])
    axes.tick_params(axis="y", labelsize=style.FONT_PT - (1.5 if len(names) > 12 else 1))
    axes.grid(visible=False)
    style.label(axes, y=axis)


def _bar(axes: Axes, drawn: QuadMesh, heat: Heat, scale: Scale) -> Colorbar:
    figure = axes.get_figure(root=True)
    assert isinstance(figure, Figure), "axes are drawn in a figure"
    bar = figure.colorbar(
        drawn, ax=axes, pad=0.01, fraction=0.05, aspect=14, extend=scale.extend, extendfrac=0.06,
        format=FuncFormatter(lambda value, _: f"{value:g}"),
    )  # fmt: skip
    bar.ax.tick_params(labelsize=style.FONT_PT - 1, width=0.5, length=2)
    if heat.logarithmic:
        bar.locator = LogLocator(subs=(1.0, 2.0, 5.0) if scale.high < WIDE * scale.low else (1.0,))
        bar.update_ticks()
        bar.ax.yaxis.set_minor_locator(NullLocator())
    bar.outline.set_linewidth(0.3)
    bar.set_label(f"{heat.unit} ({scale.words})" if scale.words else heat.unit, fontsize=style.FONT_PT - 1)
    return bar
