"""Names beside points, where they cover neither a point nor one another.

Each name takes the first free place around its point, near ones first; where none is free, the one that covers least.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from airlink.plots import style
from airlink.plots.charts.chart import Series

NEAR_PT = 4.0
DISTANCES_PT = (NEAR_PT, 10.0, 18.0, 28.0, 40.0)
DIRECTIONS = ((1, 1), (1, -1), (-1, 1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1))
POINT_PT, LINE_PT = 2.5, 0.8


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
    taken = [Bbox.from_extents(x, y, x, y).padded(POINT_PT * pixels) for x, y in points]
    taken += [box.padded(LINE_PT * pixels) for each in series if each.labels for box in _intervals(axes, each)]
    frame = axes.get_window_extent()
    for (name, x, y), (at_x, at_y) in zip(named, points, strict=True):
        text = axes.annotate(
            name, (x, y), xytext=(0, 0), textcoords="offset points", fontsize=style.FONT_PT - 1, va="center", zorder=5
        )
        size = text.get_window_extent()
        choices = [
            (distance, _box(at_x, at_y, size, distance * pixels, direction))
            for distance, direction in product(DISTANCES_PT, DIRECTIONS)
        ]
        distance, box = min(choices, key=lambda choice: (_covered(choice[1], taken, frame), choice[0]))
        taken.append(box)
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


def _covered(box: Bbox, taken: Sequence[Bbox], frame: Bbox) -> float:
    """How much of what is there a box covers, square pixels; what lies outside the frame counts ten times."""
    inside = Bbox.intersection(box, frame)
    outside = box.width * box.height - (inside.width * inside.height if inside is not None else 0.0)
    shared = (Bbox.intersection(box, other) for other in taken)
    return 10 * max(outside, 0.0) + sum(each.width * each.height for each in shared if each is not None)
