"""Names beside points, where they cover neither a point nor one another.

Each name takes the first free place around its point, near ones first; where none is free, the one that covers least.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox
from numpy.typing import NDArray

from airlink.plots import style
from airlink.plots.charts.chart import Series

NEAR_PT = 4.0
DISTANCES_PT = (NEAR_PT, 10.0, 18.0, 28.0, 40.0)
DIRECTIONS = ((1, 1), (1, -1), (-1, 1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1))
POINT_PT, LINE_PT = 2.5, 0.8

Boxes = NDArray[np.float64]


def place_labels(figure: Figure, axes: Axes, series: Sequence[Series]) -> None:
    """Writes the labels of all series into the axes."""
    named = [
        (name, float(x), float(y))
        for each in series
        for name, x, y in zip(each.labels, each.x, each.y, strict=False)
        if name and np.isfinite(x) and np.isfinite(y)
    ]
    if not named:
        return
    figure.draw_without_rendering()
    pixels = figure.dpi / 72
    points = axes.transData.transform([(x, y) for _, x, y in named])
    taken = [Bbox.from_extents(x, y, x, y).padded(POINT_PT * pixels).extents for x, y in points]
    taken += [box.padded(LINE_PT * pixels).extents for each in series if each.labels for box in _intervals(axes, each)]
    frame = np.array(axes.get_window_extent().extents)
    for (name, x, y), (at_x, at_y) in zip(named, points, strict=True):
        text = axes.annotate(
            name, (x, y), xytext=(0, 0), textcoords="offset points", fontsize=style.FONT_PT - 1, va="center", zorder=5
        )
        size = text.get_window_extent()
        choices = [
            (distance, _box(at_x, at_y, size, distance * pixels, direction))
            for distance, direction in product(DISTANCES_PT, DIRECTIONS)
        ]
        covered = _covered(np.array([box.extents for _, box in choices]), np.array(taken), frame)
        # Near places come first, and the first of equal ones is taken.
        distance, box = choices[int(np.argmin(covered))]
        taken.append(box.extents)
        text.set_position(((box.x0 - at_x) / pixels, ((box.y0 + box.y1) / 2 - at_y) / pixels))
        if distance > NEAR_PT:
            near = float(np.clip(at_x, box.x0, box.x1)), float(np.clip(at_y, box.y0, box.y1))
            ends = axes.transData.inverted().transform([near, (at_x, at_y)])
            axes.plot(*ends.T, color=style.GREY, linewidth=0.4, zorder=2, scalex=False, scaley=False)


def _intervals(axes: Axes, series: Series) -> Iterator[Bbox]:
    """Where the intervals of a series' marks are."""
    for span, along_x in ((series.x_span, True), (series.y_span, False)):
        for x, y, low, high in zip(series.x, series.y, span.low, span.high, strict=True) if span is not None else ():
            if np.isfinite([x, y, low, high]).all():
                ends = ((low, y), (high, y)) if along_x else ((x, low), (x, high))
                yield Bbox(axes.transData.transform(ends))


def _box(x: float, y: float, size: Bbox, distance: float, direction: tuple[int, int]) -> Bbox:
    """Where a text of that size is when it stands at that distance from a point, in that direction."""
    right, up = direction
    left = x + right * distance - size.width * (1 - right) / 2
    below = y + up * distance - size.height * (1 - up) / 2
    return Bbox.from_bounds(left, below, size.width, size.height)


def _covered(boxes: Boxes, taken: Boxes, frame: Boxes) -> Boxes:
    """How much of what is there each box covers, square pixels; what lies outside the frame counts ten times.

    Parameters
    ----------
    boxes, taken : arrays [box, side], sides in the order left, bottom, right, top; `frame` is one of them.
    """
    shared = _areas(np.maximum(boxes[:, None, :2], taken[:, :2]), np.minimum(boxes[:, None, 2:], taken[:, 2:]))
    inside = _areas(np.maximum(boxes[:, :2], frame[:2]), np.minimum(boxes[:, 2:], frame[2:]))
    outside = _areas(boxes[:, :2], boxes[:, 2:]) - inside
    return cast("Boxes", 10 * np.maximum(outside, 0.0) + shared.sum(axis=1))


def _areas(low: Boxes, high: Boxes) -> Boxes:
    """Areas of boxes between two corners, arrays [..., axis]; 0 where they end before they begin."""
    return cast("Boxes", np.maximum(high - low, 0.0).prod(axis=-1))
