"""A measure against a swept field: lines with bands over numbers, points with whiskers over words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from airlink.campaign.answer import Answer
from airlink.measures import Measure
from airlink.plots.charts import words
from airlink.plots.charts.chart import Axis, Chart, Floats, Series, Span
from airlink.plots.charts.distributions import plain
from airlink.plots.charts.means import scaled
from airlink.scenario.short_names import short_value

SPREAD = 0.5
"""The part of a row over which the points of several lines are spread."""

WIDE = 5.0
"""Two values of an axis are logarithmic when they are so many times apart."""


def sweep(answer: Answer, measure: Measure) -> Chart:
    """A measure against the first swept field with numbers, a line for each value of the others.

    Parameters
    ----------
    answer : of a sweep.
    measure : one of the answer's.

    Returns
    -------
    Chart. The axis is logarithmic where the values are spaced so. A scenario that does not have the field is a line
    across. Without a field of numbers the first field's values are rows.

    Raises
    ------
    ValueError : nothing was swept.
    """
    if not answer.axes:
        raise ValueError(f"{answer.name} has no swept field")
    across = next((path for path, values in answer.axes.items() if are_numbers(values)), None)
    return _over_words(answer, measure) if across is None else _over_numbers(answer, measure, across)


def are_numbers(values: Sequence[Any]) -> bool:
    """Whether values can stand on an axis of numbers: finite, and two at least."""
    numbers = [isinstance(value, int | float) and not isinstance(value, bool) for value in values]
    return len(values) > 1 and all(numbers) and bool(np.isfinite(np.asarray(values, dtype=float)).all())


def is_logarithmic(values: Sequence[float]) -> bool:
    """Whether values are spaced more evenly in their logarithms.

    >>> is_logarithmic([10, 100, 1000]), is_logarithmic([1, 2, 3, 4]), is_logarithmic([0, 1, 10])
    (True, False, False)
    """
    points = np.unique(np.asarray(values, dtype=float))
    if points.size < 2 or points[0] <= 0:
        return False
    if points.size == 2:
        return bool(points[1] >= WIDE * points[0])
    plain_steps, ratios = np.diff(points), np.diff(np.log(points))
    return bool(np.std(ratios) / np.mean(ratios) < np.std(plain_steps) / np.mean(plain_steps))


def _over_numbers(answer: Answer, measure: Measure, across: str) -> Chart:
    means, span, unit = scaled(measure, [answer.estimates[label, measure.text] for label in answer.labels])
    values = np.array([answer.at[label].get(across, np.nan) for label in answer.labels], dtype=float)
    ends = np.array([np.nanmin(values), np.nanmax(values)])
    series = []
    for index, (name, places) in enumerate(_lines(answer, across).items()):
        own = np.array(places)
        if np.isnan(values[own]).all():
            own, x = np.repeat(own[:1], 2), ends
        else:
            own = own[np.argsort(values[own])]
            x = values[own]
        series.append(Series(name, "line", x, means[own], y_span=_part(span, own), colour=index))
    of = words.of_measure(measure)
    x_axis = Axis(words.of_field(across), log=is_logarithmic(values[np.isfinite(values)].tolist()))
    title, note = f"{words.beginning(of)} over {words.of_field(across)}", "Bands are the intervals of single means."
    if np.isnan(values).any():
        note += " What does not have the field is a line across."
    return Chart(f"sweep-{plain(measure)}", title, x_axis, Axis(words.with_unit(of, unit)), series, note=note)


def _over_words(answer: Answer, measure: Measure) -> Chart:
    means, span, unit = scaled(measure, [answer.estimates[label, measure.text] for label in answer.labels])
    across, *_ = answer.axes
    places_of = {repr(value): row for row, value in enumerate(answer.axes[across])}
    rows = [short_value(across, value) for value in answer.axes[across]]
    if any(across not in at for at in answer.at.values()):
        rows.append("no such field")
    lines = _lines(answer, across)
    series = []
    for index, (name, places) in enumerate(lines.items()):
        own = np.array(places)
        found = (answer.at[answer.labels[place]] for place in places)
        at = [places_of[repr(each[across])] if across in each else len(rows) - 1 for each in found]
        offset = SPREAD * ((index + 0.5) / len(lines) - 0.5)
        series.append(Series(name, "points", means[own], np.array(at) + offset, x_span=_part(span, own), colour=index))
    of = words.of_measure(measure)
    title, note = f"{words.beginning(of)} by {words.of_field(across)}", "Whiskers are the intervals of single means."
    x_axis, y_axis = Axis(words.with_unit(of, unit)), Axis(words.of_field(across), rows=rows)
    return Chart(f"sweep-{plain(measure)}", title, x_axis, y_axis, series, note=note)


def _lines(answer: Answer, across: str) -> dict[str, list[int]]:
    """Name of a line -> places of its scenarios among the labels."""
    lines: dict[str, list[int]] = {}
    for place, name in enumerate(words.of_others(answer, across).values()):
        lines.setdefault(name, []).append(place)
    return lines


def _part(span: Span, places: Floats | Any) -> Span:
    return Span(span.low[places], span.high[places])
