"""A chart as data: axes, and series of marks with their intervals. Drawn by matplotlib, and by a page's script.

Left out: how it looks (`figure`, `live`), and what is shown (`pictures`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Shape = Literal["line", "step", "points", "bars", "boxes"]


@dataclass(frozen=True)
class Axis:
    """An axis.

    Attributes
    ----------
    label : what it measures, with its unit.
    log : whether it is logarithmic; along x only.
    zero : whether it begins at 0.
    rows : names of the rows of an axis without numbers, the first on top; the marks' numbers are then 0, 1, ...
    """

    label: str
    log: bool = False
    zero: bool = False
    rows: Sequence[str] = ()


@dataclass(frozen=True)
class Span:
    """An interval at each mark: from `low` to `high` along one axis, array [mark]; not finite: none is drawn."""

    low: Floats
    high: Floats

    @classmethod
    def of(cls, low: ArrayLike, high: ArrayLike) -> Span:
        """The intervals between these ends."""
        return cls(np.asarray(low, dtype=float), np.asarray(high, dtype=float))


@dataclass(frozen=True)
class Series:
    """Marks of one colour.

    Attributes
    ----------
    name : in the legend; empty: it has no entry there.
    shape : line (means with a band), step (a distribution), points, bars from 0 along x, boxes along x (`x` is the
        median, `box` the quartiles, `x_span` the whiskers).
    x, y : arrays [mark], in the units of the axes.
    x_span, y_span, box : intervals; None: none.
    colour : its number in `airlink.plots.style.COLOURS`, or `style.BASELINE`; dashes and marks follow it.
    colours : [mark] of points, bars and boxes that have a colour each; empty: all have `colour`.
    labels : [mark], written beside the marks; empty: nothing is.
    told : [mark], what a reader finds at the pointer beside the numbers; empty: nothing.
    hollow : [mark] whether a point is drawn as a ring.
    """

    name: str
    shape: Shape
    x: Floats
    y: Floats
    x_span: Span | None = None
    y_span: Span | None = None
    box: Span | None = None
    colour: int = 0
    colours: Sequence[int] = ()
    labels: Sequence[str] = ()
    told: Sequence[str] = ()
    hollow: Sequence[bool] = ()

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The number of each mark's colour."""
        return np.asarray(self.colours or np.full(self.x.size, self.colour), dtype=np.int64)


@dataclass(frozen=True)
class Band:
    """A range of x that means something by itself, behind the marks; one that begins where it ends is a line."""

    name: str
    low: float
    high: float


@dataclass(frozen=True)
class Chart:
    """A picture.

    Attributes
    ----------
    name : short, unique on a page, for the element's id.
    title : one line.
    x, y : axes.
    series : drawn in this order.
    bands : behind them.
    frontier : (x, y) of the corners of a line that bounds what can be had; empty: none.
    note : one or two sentences on how to read it.
    key : what the names in the legend and beside the marks are values of; empty: they say so themselves.
    """

    name: str
    title: str
    x: Axis
    y: Axis
    series: Sequence[Series]
    bands: Sequence[Band] = ()
    frontier: Sequence[tuple[float, float]] = field(default=())
    note: str = ""
    key: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not any((np.isfinite(each.x) & np.isfinite(each.y)).any() for each in self.series)
