"""A quantity against a parameter that was swept: our means with their bands, the paper's numbers as marks.

Left out: what the numbers mean; axes and legends are the caller's (`airlink.plots.style`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from airlink.plots import style
from airlink.statistics import Estimate

__all__ = ["MARKS", "banded", "level", "paper_level", "paper_point"]

BAND_ALPHA = 0.18
PAPER_MARK = "^"
MARKS: Sequence[str] = ("o", "s", "D", "v", "P", "X")


def banded(axes: Axes, x: ArrayLike, estimates: Sequence[Estimate], index: int, label: str, of: int = 0) -> None:
    """A line through the means with a band from end to end of their intervals.

    Parameters
    ----------
    axes : where.
    x : array [point], the parameter.
    estimates : one a point; NaN means and ends leave a hole.
    index : which line of the picture it is, from 0: colour, dashes and mark follow.
    label : in the legend; empty for none.
    of : how many lines there are; default: not known, few.

    Raises
    ------
    ValueError : not as many estimates as points.
    """
    at = np.asarray(x, dtype=float)
    if at.shape != (len(estimates),):
        raise ValueError(f"{at.size} points, but {len(estimates)} estimates")
    look = style.line_style(index, of)
    mark = MARKS[index % len(MARKS)]
    axes.plot(at, [each.mean for each in estimates], marker=mark, markersize=2.6, label=label or None, **look)
    low, high = ([getattr(each, end) for each in estimates] for end in ("low", "high"))
    axes.fill_between(at, low, high, color=look["color"], alpha=BAND_ALPHA, linewidth=0)


def level(axes: Axes, estimate: Estimate, index: int, label: str) -> None:
    """A horizontal line with its band, for what does not depend on the parameter."""
    look = style.line_style(index)
    axes.axhline(estimate.mean, label=label or None, **look)
    axes.axhspan(estimate.low, estimate.high, color=look["color"], alpha=BAND_ALPHA, linewidth=0)


def paper_point(axes: Axes, x: ArrayLike, y: ArrayLike, label: str = "paper", colour: str | None = None) -> None:
    """Numbers that the paper prints, as triangles above everything else; never joined by a line."""
    axes.plot(
        np.atleast_1d(x), np.atleast_1d(y), PAPER_MARK, color=colour or style.COLOURS[6], markersize=5,
        markerfacecolor="none", label=label or None, clip_on=False, zorder=6,
    )  # fmt: skip


def paper_level(axes: Axes, y: float, label: str = "paper") -> None:
    """A number that the paper prints for the whole range."""
    axes.axhline(y, color=style.GREY, linewidth=0.9, linestyle=(0, (1, 1.5)), label=label or None)
