"""What can be wrong with a figure without looking at it: text that is cut, too small, or lies on other text or on data.

Every text is asked for the place that it is drawn at. Left out: whether the words are the right ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from airlink.report import Illustration
from airlink.study import Findings, Request, Study

SMALLEST_PT = 6.0
"""Of a figure that is printed at its own width, 85 or 178 mm."""

DOTS_PER_INCH = 300

SLACK_PT = 1.0
"""Boxes of text hold room for letters with tails: they may share so much without touching."""


def keeping_figures(study: Study) -> tuple[Study, list[Illustration]]:
    """The same study, and a list that holds its figures once it has run."""
    kept: list[Illustration] = []

    def measure(request: Request) -> Findings:
        findings = study.measure(request)
        kept.extend(findings.illustrations)
        return findings

    return replace(study, measure=measure), kept


def faults(illustrations: Sequence[Illustration]) -> list[str]:
    """What is wrong with the figures, a line each."""
    return [f"{each.name}: {fault}" for each in illustrations for fault in faults_of(each.figure)]


def faults_of(figure: Figure) -> list[str]:
    """What is wrong with a figure, a line each."""
    # As it is saved: letters have other widths at other resolutions.
    figure.set_dpi(DOTS_PER_INCH)
    figure.draw_without_rendering()
    ticks = [_tick_labels(axis) for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]
    texts = _texts(figure, [each for own in ticks for each in own])
    boxes = {id(text): text.get_window_extent() for text in texts}
    return [
        *_outside(figure, texts, boxes),
        *_small(texts),
        *_on_ticks(ticks, boxes, figure),
        *_on_text([each for own in ticks for each in own], texts, boxes, figure),
        *_on_data(figure),
    ]


Boxes = Mapping[int, Bbox]
"""Of each text, by its id: where it is drawn."""


def _outside(figure: Figure, texts: Sequence[Text], boxes: Boxes) -> Iterator[str]:
    canvas = figure.bbox.padded(0.5)
    for text in texts:
        box = boxes[id(text)]
        if not (canvas.contains(box.x0, box.y0) and canvas.contains(box.x1, box.y1)):
            yield f"{text.get_text()!r} is cut at the edge"


def _small(texts: Sequence[Text]) -> Iterator[str]:
    small = [float(text.get_fontsize()) for text in texts if float(text.get_fontsize()) < SMALLEST_PT]
    if small:
        yield f"text of {min(small):g} points is too small"


def _on_ticks(ticks: Sequence[Sequence[Text]], boxes: Boxes, figure: Figure) -> Iterator[str]:
    for labels in ticks:
        # Neighbours: only they can touch without others touching as well.
        for a, b in pairwise(labels):
            if _shared(boxes[id(a)], boxes[id(b)], figure):
                yield f"numbers {a.get_text()!r} and {b.get_text()!r} of an axis overlap"
                break


def _on_text(ticks: Sequence[Text], texts: Sequence[Text], boxes: Boxes, figure: Figure) -> Iterator[str]:
    """Titles, labels and legends on one another, or on the numbers of an axis."""
    of_ticks = set(map(id, ticks))
    others = [text for text in texts if id(text) not in of_ticks and not _is_beside_a_mark(text)]
    for a, b in [*combinations(others, 2), *((a, b) for a in others for b in ticks)]:
        if _shared(boxes[id(a)], boxes[id(b)], figure):
            yield f"{a.get_text()!r} lies on {b.get_text()!r}"


def _on_data(figure: Figure) -> Iterator[str]:
    for axes in figure.axes:
        legend = axes.get_legend()
        if legend is None or not legend.get_visible():
            continue
        bars = [patch.get_window_extent() for patch in axes.patches if patch.get_visible()]
        for box in _entries(legend, figure):
            under = next((line for line in _drawn(axes) if _crosses(line, axes, box)), None)
            if under is not None or any(_shared(bar, box, figure) for bar in bars):
                on = "bars" if under is None else f"data: {under.get_label()}"
                yield f"the legend with {legend.get_texts()[0].get_text()!r} lies on {on}"
                break
    for legend in figure.legends:
        if any(_shared(legend.get_window_extent(), axes.get_window_extent(), figure) for axes in figure.axes):
            yield f"the legend with {legend.get_texts()[0].get_text()!r} lies on a panel"


def _texts(figure: Figure, ticks: Sequence[Text]) -> list[Text]:
    """Everything that is written and seen.

    Matplotlib keeps labels of ticks that it does not draw, beyond the axis or of inner panels: `ticks` are drawn.
    """
    hidden = {id(each) for axes in figure.axes if not axes.get_visible() for each in axes.findobj(Text)}
    hidden |= {
        id(label)
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks())
        for label in (tick.label1, tick.label2)
    }
    hidden -= set(map(id, ticks))
    return [
        each
        for each in figure.findobj(Text)
        if each.get_text().strip() and each.get_visible() and id(each) not in hidden
    ]


def _tick_labels(axis: Axis) -> list[Text]:
    ticks = axis._update_ticks()  # type: ignore[attr-defined]  # the ticks that are drawn: nothing public tells them
    labels = (each for tick in ticks for each in (tick.label1, tick.label2))
    visible = axis.axes.axison and axis.get_visible() and axis.axes.get_visible()
    return [each for each in labels if visible and each.get_visible() and each.get_text()]


def _is_beside_a_mark(text: Text) -> bool:
    """Whether a text stands within a panel, where it may lie on others of its kind: "R" at each retransmission."""
    return isinstance(text.axes, Axes) and any(text is each for each in text.axes.texts)


def _entries(legend: Legend, figure: Figure) -> Iterator[Bbox]:
    """The boxes of a legend's names and signs."""
    for text in legend.get_texts():
        yield text.get_window_extent().padded(-SLACK_PT * figure.dpi / 72)
    for handle in legend.legend_handles:
        if handle is not None:
            yield handle.get_window_extent()


def _drawn(axes: Axes) -> list[Line2D]:
    """Lines and marks of data; not lines across, which a legend may lie on."""
    return [line for line in axes.lines if line.get_visible() and np.size(line.get_xdata()) and not _is_across(line)]


def _is_across(line: Line2D) -> bool:
    ends = [np.asarray(each, dtype=float) for each in line.get_data()]
    return all(each.size == 2 for each in ends) and any(each[0] == each[1] for each in ends)


def _crosses(line: Line2D, axes: Axes, box: Bbox) -> bool:
    path = line.get_transform().transform_path(line.get_path())
    frame = axes.get_window_extent()
    inside = Bbox.intersection(box, frame)
    if inside is None:
        return False
    if line.get_linestyle() in ("None", "", " "):
        return bool(inside.count_contains(path.vertices))
    return bool(path.intersects_bbox(inside, filled=False))


def _shared(a: Bbox, b: Bbox, figure: Figure) -> bool:
    """Whether boxes share more than the slack in both directions."""
    slack = SLACK_PT * figure.dpi / 72
    both = Bbox.intersection(a, b)
    return both is not None and both.width > slack and both.height > slack
