"""Several comparisons in one picture: the same question under several assumptions, a row for each arm of each."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from airlink.campaign.answer import Answer
from airlink.measures import Measure
from airlink.plots.charts.chart import Axis, Chart, Series, Span
from airlink.plots.charts.means import comparison


def comparisons(answers: Mapping[str, Answer], measure: Measure | None = None) -> Chart:
    """How far each arm of several comparisons is from the baseline of its own comparison.

    Parameters
    ----------
    answers : name -> comparison; one at least, all with baselines of one name.
    measure : one that all have; default the primary one of the first.

    Returns
    -------
    Chart: a row an arm, named by its comparison (of several arms also by its label) and its verdict; otherwise as
    `comparison` draws one. The intervals hold at once for the arms of one comparison, not of all.

    Raises
    ------
    ValueError : no comparison, baselines of several names, an answer of a sweep, or differences of which some are in
        percent and others are not.

    Examples
    --------
    >>> import airlink
    >>> wire = airlink.scenario.ready("dumbbell", ["duration_s=1"])
    >>> asked = {"one user": wire, "two users": wire.with_(users=2)}
    >>> found = {
    ...     name: airlink.compare({"now": each, "fast": "bottleneck.rate_bps=2e7"}, seeds=[1, 2], store=None)
    ...     for name, each in asked.items()
    ... }
    >>> comparisons(found).y.rows
    ['one user: better', 'two users: better']
    """
    if not answers:
        raise ValueError("no comparison to draw")
    baselines = sorted({answer.baseline for answer in answers.values()})
    if len(baselines) > 1:
        raise ValueError(f"comparisons against {', '.join(map(repr, baselines))}; one picture has one baseline")
    shown = measure or next(iter(answers.values())).measures[0]
    charts = [comparison(answer, shown) for answer in answers.values()]
    if len({chart.x.label for chart in charts}) > 1:
        raise ValueError(f"{shown.text}: some differences are in percent and others are not")
    rows = [
        row for (name, answer), chart in zip(answers.items(), charts, strict=True) for row in _rows(name, answer, chart)
    ]
    marks = [series for chart in charts for series in chart.series]
    spans = [each.x_span for each in marks if each.x_span is not None]
    x = np.concatenate([each.x for each in marks])
    span = Span(np.concatenate([each.low for each in spans]), np.concatenate([each.high for each in spans]))
    series = Series("", "points", x, np.arange(x.size, dtype=float), x_span=span)
    first = charts[0]
    note = f"{first.note} Of each comparison by itself."
    return Chart(first.name, first.title, first.x, Axis("", rows=rows), [series], bands=first.bands, note=note)


def _rows(name: str, answer: Answer, chart: Chart) -> list[str]:
    """The rows of one comparison, each with the comparison's name in front; that of a single arm instead of its own."""
    if len(chart.y.rows) > 1:
        return [f"{name}, {row}" for row in chart.y.rows]
    (row,) = chart.y.rows
    (label,) = [label for label in answer.labels if label != answer.baseline]
    return [name + row.removeprefix(label)]
