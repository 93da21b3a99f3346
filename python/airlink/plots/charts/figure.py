"""Charts as matplotlib figures, for papers and for where no script runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from airlink.campaign.answer import Answer
from airlink.campaign.wording import seeds_text
from airlink.engine import RequestError
from airlink.plots import style, sweep
from airlink.plots.charts.chart import Chart, Floats, Series, Span
from airlink.plots.charts.labels import place_labels
from airlink.plots.charts.means import comparison
from airlink.plots.labels import as_given, explain, letters_of, wrapped
from airlink.statistics import Estimate

MOST_ROWS = 150
MOST_NAMES = 24
"""Of more lines a figure has no legend: no eye tells so many apart."""

ROW_IN = 0.26
FRAME_IN = 0.62
LEGEND_IN = 0.16
PANELS_ABREAST = 3
LABEL_LETTERS = 26
"""Of a row's name, and of one beside a point, on a line."""

NAME_LETTERS = 90
"""Of a name in the legend of a figure as wide as both columns, on a line."""

LETTERS_UP = 34
"""Of a label along a panel's height, on a line."""
FEWEST_LETTERS = 9
"""A number on an axis has room for so many."""

LETTERS_ACROSS = 110
"""So many letters fit beside one another in a figure as wide as both columns, half as many in one."""

ARROW = 0.12
"""An interval without an end goes on for so much of what is drawn."""

THICK = 0.72
"""The part of a row that its bars or boxes fill."""


def figure(charts: Chart | Sequence[Chart], column: bool = False, origin: str = "") -> style.Picture:
    """Draws charts, a panel each.

    Parameters
    ----------
    charts : one, or several that share their rows.
    column : as wide as a journal's column (85 mm), panels below one another; default as both (178 mm), side by side.
    origin : where it comes from, for its foot, such as `origin_of` an answer; empty: nothing.

    Returns
    -------
    Figure.

    Raises
    ------
    RequestError : more rows than a figure has room for.
    """
    panels = [_fitting(chart, column) for chart in ([charts] if isinstance(charts, Chart) else charts)]
    rows = max(len(chart.y.rows) for chart in panels)
    if rows > MOST_ROWS:
        raise RequestError(f"{rows} scenarios have no room in a figure with a row each; at most {MOST_ROWS}")
    across = 1 if column else min(PANELS_ABREAST, len(panels))
    down = math.ceil(len(panels) / across)
    height = max(_height_in(chart, column) for chart in panels)
    drawn, axes = style.grid(down, across, style.WIDTH_IN if column else style.DOUBLE_WIDTH_IN, height * down)
    for place, (each, chart) in enumerate(zip(axes, panels, strict=False)):
        _draw(each, chart)
        _scales(each, chart, place % across == 0, LETTERS_ACROSS // (2 if column else across))
    for unused in axes[len(panels) :]:
        unused.set_axis_off()
    _legend(drawn, axes[0], column)
    if origin:
        style.caption(drawn, origin)
    for each, chart in zip(axes, panels, strict=False):
        place_labels(drawn, each, chart.series)
    return drawn


def comparison_figure(answer: Answer, column: bool = False) -> Figure:
    """The picture of a comparison: how far each arm is from the baseline, with its verdict.

    Parameters
    ----------
    answer : of a comparison.
    column : as of `figure`.

    Returns
    -------
    Figure: differences in percent with intervals that hold all at once, and the margin of equivalence as a band.

    Raises
    ------
    ValueError : the answer is of a sweep.
    """
    return figure(comparison(answer), column, origin_of(answer))


def origin_of(answer: Answer) -> str:
    """Where an answer comes from, in a sentence.

    Parameters
    ----------
    answer : of any question.

    Returns
    -------
    The scenarios' names, the seeds, or how many where they differ from one to the other, and the engine's version.
    """
    names = list(dict.fromkeys(each.name or "unnamed" for each in answer.scenarios.values()))
    whose = f"Scenario {names[0]}" if len(names) == 1 else f"{len(answer.labels)} scenarios of {answer.name}"
    runs = set(answer.seeds.values())
    counts = [len(seeds) for seeds in runs]
    seeds = f"{min(counts)} to {max(counts)} seeds"
    if len(runs) == 1:
        seeds = f"seed{'s' * (counts != [1])} {seeds_text(next(iter(runs)))}"
    return f"{whose}, {seeds}, airlink {answer.version}."


def _fitting(chart: Chart, column: bool) -> Chart:
    """The chart with names on lines that fit: of bands, beside points, and of so many lines as a legend tells apart."""
    letters = NAME_LETTERS // 2 if column else NAME_LETTERS
    told = sum(bool(each.name) for each in chart.series) <= MOST_NAMES
    series = [
        replace(
            each,
            name=_as_given(each.name, letters) if told else "",
            labels=[_as_given(name, LABEL_LETTERS) for name in each.labels],
        )
        for each in chart.series
    ]
    bands = [replace(band, name=_as_given(band.name, letters)) for band in chart.bands]
    return replace(chart, series=series, bands=bands, key=_as_given(chart.key, letters) if told else "")


def _height_in(chart: Chart, column: bool) -> float:
    entries = _entries(chart)
    lines = max((name.count("\n") + 1 for name in entries), default=0)
    legend_in = LEGEND_IN * lines * -(-len(entries) // _columns(entries, column)) if entries else 0.0
    if chart.y.rows:
        heights = (0.13 * (_as_given(name).count("\n") + 1) + 0.08 for name in chart.y.rows)
        return FRAME_IN + sum(max(ROW_IN, height) for height in heights) + legend_in
    return (style.ROW_HEIGHT_IN if column else 1.4 * style.ROW_HEIGHT_IN) + max(0.0, legend_in - LEGEND_IN)


def _entries(chart: Chart) -> list[str]:
    """What the legend says."""
    names = [_heading(chart), *(band.name for band in chart.bands), *(each.name for each in chart.series)]
    return [name for name in names if name]


def _heading(chart: Chart) -> str:
    """What the legend begins with: what the names are, in it or, where it has none, beside the points."""
    named = any(band.name for band in chart.bands) or any(each.name for each in chart.series)
    if not chart.key:
        return ""
    return f"{chart.key}:" if named else f"beside points: {chart.key}"


def _draw(axes: Axes, chart: Chart) -> None:
    if chart.key:
        explain(axes, _heading(chart), " ")
    for band in chart.bands:
        if band.low == band.high:
            axes.axvline(band.low, color=style.GREY, linewidth=0.8, label=band.name or None, zorder=1)
        else:
            axes.axvspan(band.low, band.high, color=style.GREY, alpha=0.22, linewidth=0, label=band.name or None)
    if chart.frontier:
        axes.plot(*zip(*chart.frontier, strict=True), color=style.GREY, linewidth=0.8, linestyle=":", zorder=1)
    stacked = sum(each.shape in {"bars", "boxes"} for each in chart.series)
    of = 1 + max((int(each.numbers.max(initial=0)) for each in chart.series), default=0)
    for series in chart.series:
        draw_series(axes, series, THICK / max(stacked, 1), of)


def draw_series(axes: Axes, series: Series, thick: float = THICK, of: int = 0) -> None:
    """Draws the marks of a series; bars and boxes fill that part of their row; `of` is how many colours there are."""
    _SHAPES[series.shape](axes, series, thick, of)


def _scales(axes: Axes, chart: Chart, named: bool, letters: int) -> None:
    """Numbers along x, numbers or names along y, and what they are of."""
    if chart.is_empty:
        axes.set_xticks([])
    elif chart.x.log:
        style.log_axis(axes, np.concatenate([each.x for each in chart.series]), along_x=True)
    else:
        axes.set_xlim(left=min(0.0, axes.get_xlim()[0]) if chart.x.zero else None)
        axes.xaxis.set_major_locator(MaxNLocator(max(letters // FEWEST_LETTERS, 3), steps=[1, 2, 2.5, 5, 10]))
    if chart.y.rows:
        axes.set_ylim(len(chart.y.rows) - 0.5, -0.5)
        names = [_as_given(name) if named else "" for name in chart.y.rows]
        axes.set_yticks(range(len(chart.y.rows)), names)
        axes.grid(visible=False, axis="y")
    elif chart.y.zero:
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    y_label = _as_given(chart.y.label, LETTERS_UP) if named or not chart.y.rows else ""
    style.label(axes, _as_given(chart.x.label, letters), y_label)


def _as_given(name: str, letters: int = LABEL_LETTERS) -> str:
    """A name on lines that leave room for what it names."""
    return as_given(wrapped(name, letters))


def _line(axes: Axes, series: Series, _: float, of: int) -> None:
    low, high = _ends(series.y_span, series.y)
    estimates = [Estimate(*each, n=0) for each in zip(series.y, low, high, strict=True)]
    sweep.banded(axes, series.x, estimates, series.colour, series.name, of)


def _step(axes: Axes, series: Series, _: float, of: int) -> None:
    axes.step(series.x, series.y, where="post", label=series.name or None, **style.line_style(series.colour, of))


def _points(axes: Axes, series: Series, _: float, of: int) -> None:
    for span, along_x in ((series.x_span, True), (series.y_span, False)):
        if span is not None:
            _whiskers(axes, series, span, along_x, of)
    hollow = np.asarray(series.hollow or np.zeros(series.x.size), dtype=bool)
    name: str | None = series.name
    for number, own in _by_colour(series):
        look = style.line_style(number, of)["color"]
        # Where some are rings, all are round.
        mark = "o" if series.hollow else sweep.MARKS[max(number, 0) % len(sweep.MARKS)]
        for which, fill in ((own & ~hollow, look), (own & hollow, style.WHITE)):
            if which.any():
                axes.plot(series.x[which], series.y[which], mark, color=look, markersize=4, markerfacecolor=fill,
                          markeredgewidth=0.9, label=name or None, zorder=4)  # fmt: skip
                name = None


def _by_colour(series: Series) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """Each number of a colour, with the marks that have it."""
    for number in np.unique(series.numbers):
        yield int(number), series.numbers == number


def _whiskers(axes: Axes, series: Series, span: Span, along_x: bool, of: int) -> None:
    """Intervals as lines with ends; arrows where an end is not known; of one sample there is none."""
    middle = series.x if along_x else series.y
    ends = np.concatenate([middle, span.low, span.high])
    away = ARROW * float(np.ptp(ends[np.isfinite(ends)])) if np.isfinite(ends).any() else 0.0
    for number, own in _by_colour(series):
        colour = style.BLACK if series.shape == "bars" else style.line_style(number, of)["color"]
        for has_low, has_high in ((True, True), (True, False), (False, True)):
            known = (np.isfinite(span.low) == has_low) & (np.isfinite(span.high) == has_high)
            which = own & np.isfinite(middle) & known
            if not which.any():
                continue
            below = middle[which] - span.low[which] if has_low else np.full(which.sum(), away)
            above = span.high[which] - middle[which] if has_high else np.full(which.sum(), away)
            reach = np.abs(np.vstack([below, above]))
            _error_bars(axes, series.x[which], series.y[which], reach, along_x, colour)
            if not (has_low and has_high):
                tips = middle[which] + (above if has_low else -below)
                mark = {(True, True): ">", (True, False): "<", (False, True): "^", (False, False): "v"}[
                    along_x, has_low
                ]
                at = (tips, series.y[which]) if along_x else (series.x[which], tips)
                axes.plot(*at, mark, color=colour, markersize=3, zorder=3)


def _error_bars(axes: Axes, x: Floats, y: Floats, reach: Floats, along_x: bool, colour: str) -> None:
    axes.errorbar(
        x, y, fmt="none", elinewidth=0.9, capsize=2, capthick=0.9, zorder=3, ecolor=colour,
        xerr=reach if along_x else None, yerr=None if along_x else reach,
    )  # fmt: skip


def _bars(axes: Axes, series: Series, thick: float, of: int) -> None:
    for number, own in _by_colour(series):
        axes.barh(
            series.y[own], series.x[own], height=0.9 * thick, color=style.line_style(number, of)["color"], alpha=0.75,
            edgecolor=style.BLACK, linewidth=0.4, hatch=_hatch(series), label=series.name or None,
        )  # fmt: skip
    if series.x_span is not None:
        _whiskers(axes, series, series.x_span, along_x=True, of=of)


def _boxes(axes: Axes, series: Series, thick: float, of: int) -> None:
    axes.use_sticky_edges = False
    (low, high), ends = _ends(series.box, series.x), _ends(series.x_span, series.x)
    for number, own in _by_colour(series):
        look, y = style.line_style(number, of)["color"], series.y[own]
        axes.barh(
            y, (high - low)[own], left=low[own], height=0.8 * thick, color=look, alpha=0.3, edgecolor=look,
            linewidth=0.8, hatch=_hatch(series), label=series.name or None,
        )  # fmt: skip
        for start, stop in ((ends[0], low), (high, ends[1])):
            axes.hlines(y, start[own], stop[own], color=look, linewidth=0.9)
        for at in ends:
            axes.vlines(at[own], y - 0.2 * thick, y + 0.2 * thick, color=look, linewidth=0.9)
    axes.vlines(series.x, series.y - 0.4 * thick, series.y + 0.4 * thick, color=style.BLACK, linewidth=1.3)


def _hatch(series: Series) -> str:
    """The pattern of a series' areas; where each row has a colour, its name tells it apart in grey print too."""
    return "" if series.colours else style.HATCHES[series.colour % len(style.HATCHES)]


def _ends(span: Span | None, middle: Floats) -> tuple[Floats, Floats]:
    """The ends of the intervals, or the marks themselves where there are none."""
    return (middle, middle) if span is None else (span.low, span.high)


_SHAPES = {"line": _line, "step": _step, "points": _points, "bars": _bars, "boxes": _boxes}


def _legend(drawn: Figure, axes: Axes, column: bool) -> None:
    """Names above all panels, in as many columns as fit."""
    names = axes.get_legend_handles_labels()[1]
    if names:
        style.legend_above(drawn, axes, columns=_columns(names, column))


def _columns(names: Sequence[str], column: bool) -> int:
    """In how many columns the names of a legend fit beside one another."""
    letters = int(LETTERS_ACROSS * 0.58) if column else LETTERS_ACROSS
    widest = max(letters_of(line) for name in names for line in name.split("\n"))
    return max(1, min(len(names), letters // (widest + 6)))
