"""Charts as a page's script reads them: data as JSON, and the script and style that draw them with uPlot."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import numpy as np

from airlink.plots import uplot
from airlink.plots.charts.chart import Axis, Chart, Floats, Series, Span
from airlink.plots.viewer.html import colours

SCRIPTS = ("extent", "places", "marks", "names", "pointer", "legend", "main")
"""Files of the script, a file per idea, in the order in which they stand in the page."""

DIGITS = 6
MOST_STEPS = 400
"""A distribution with more steps is thinned to so many, evenly in its shares: they stand less than a pixel apart."""


def data(charts: Sequence[Chart]) -> str:
    """The charts as JSON that may stand inside HTML."""
    content = [_chart(chart) for chart in charts]
    return json.dumps(content, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def script() -> str:
    """UPlot with its licence, and what draws charts with it."""
    parts = "\n".join(_asset(f"{name}.js") for name in SCRIPTS)
    return f'/*\n{uplot.licence()}\n*/\n{uplot.script()}\n(() => {{\n"use strict";\n{parts}}})();'


def style() -> str:
    """Colours, uPlot's style and that of the charts."""
    return "\n".join((colours(), uplot.style(), _asset("charts.css")))


def _chart(chart: Chart) -> dict[str, Any]:
    return {
        "id": chart.name,
        "x": _axis(chart.x),
        "y": _axis(chart.y),
        "series": [_series(each) for each in chart.series],
        "bands": [{"name": band.name, "low": band.low, "high": band.high} for band in chart.bands],
        "key": chart.key,
        "frontier": [list(point) for point in chart.frontier],
    }


def _axis(axis: Axis) -> dict[str, Any]:
    return {"label": axis.label, "log": axis.log, "zero": axis.zero, "rows": list(axis.rows)}


def _series(series: Series) -> dict[str, Any]:
    kept = _kept(series)
    told: dict[str, Any] = {
        "name": series.name,
        "shape": series.shape,
        "colour": series.colour,
        "colours": list(series.colours),
    }
    told |= {"x": _numbers(series.x[kept]), "y": _numbers(series.y[kept])}
    for name, span in (("xSpan", series.x_span), ("ySpan", series.y_span), ("box", series.box)):
        told[name] = None if span is None else _span(span)
    return told | {"labels": list(series.labels), "told": list(series.told), "hollow": list(series.hollow)}


def _kept(series: Series) -> Any:
    """Which marks the page holds."""
    if series.shape != "step" or series.x.size <= MOST_STEPS:
        return slice(None)
    return np.unique(np.linspace(0, series.x.size - 1, MOST_STEPS).round().astype(int))


def _span(span: Span) -> list[list[float | None]]:
    return [_numbers(span.low), _numbers(span.high)]


def _numbers(values: Floats) -> list[float | None]:
    """Numbers with the digits that a picture can show; null for what is not finite."""
    return [float(f"{value:.{DIGITS}g}") if np.isfinite(value) else None for value in values.tolist()]


def _asset(name: str) -> str:
    return (files("airlink.plots.charts") / "assets" / name).read_text(encoding="utf-8")
