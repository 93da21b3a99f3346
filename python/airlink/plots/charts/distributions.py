"""Distributions over replicas, or over all users or downloads of all replicas: curves and boxes."""

from __future__ import annotations

import numpy as np

from airlink.campaign.answer import Answer
from airlink.measures import Measure, readable_unit
from airlink.plots.charts import words
from airlink.plots.charts.arms import colours_of
from airlink.plots.charts.chart import Axis, Chart, Floats, Series, Span
from airlink.statistics import Sample
from airlink.statistics.product_limit import ProductLimit

FAR = 1.5
"""Whiskers end at the last value within so many lengths of the box from it [Tukey77]."""

MOST_OUTLIERS = 60
"""Of one scenario; of more, so many are drawn, evenly among them."""

SKEWED = 30.0
"""An axis is logarithmic where the largest value is so many times the smallest or more, and that is above 0."""


def cdf(answer: Answer, measure: Measure) -> Chart:
    """The distribution of a measure over replicas; of a quantile, of what it is a quantile of, over all members.

    Parameters
    ----------
    answer : what was found; of results that of `airlink.plots.charts.answer_of`.
    measure : one of the answer's.

    Returns
    -------
    Chart: a line a scenario, the share at or below each value. Of downloads that have not ended an age is known: the
    curve is then that of the product limit, and stays below 1.

    References
    ----------
    [Kaplan58].
    """
    samples = {label: _samples(answer, label, measure) for label in answer.labels}
    scale, unit = _scale(measure, samples)
    key, names = words.of_scenarios(answer)
    series = []
    for index, (label, own) in zip(colours_of(answer), samples.items(), strict=True):
        known = ProductLimit.of(own)
        values, share = known.values[known.ended], 1 - known.survival[known.ended]
        series.append(steps(values / scale, share, names[label] if len(samples) > 1 else "", index))
    members = _members(measure)
    note = f"Share of the {members} at or below each value."
    if not all(each.ended.all() for own in samples.values() for each in own):
        note += " What had not ended is allowed for by the product limit; a curve that ends below 1 says no more."
    of = _of(measure)
    x_axis = Axis(words.with_unit(of, unit), log=_is_skewed(samples))
    y_axis = Axis(f"share of {members}", zero=True)
    key = key if len(samples) > 1 else ""
    return Chart(f"cdf-{_name(measure)}", f"Distribution of {of}", x_axis, y_axis, series, note=note, key=key)


def steps(values: Floats, shares: Floats, name: str, colour: int) -> Series:
    """The curve of a distribution: sorted values and the share at or below each, from 0 up."""
    x, y = np.concatenate([values[:1], values]), np.concatenate([np.zeros(values[:1].size), shares])
    return Series(name, "step", x, y, colour=colour)


def box(answer: Answer, measure: Measure) -> Chart:
    """The median, quartiles and reach of a measure's values, a box a scenario.

    Parameters
    ----------
    answer, measure : as of `cdf`.

    Returns
    -------
    Chart: a row a scenario. Whiskers end at the last value within 1.5 lengths of the box; values beyond are rings.

    References
    ----------
    [Tukey77].
    """
    samples = {label: _samples(answer, label, measure) for label in answer.labels}
    scale, unit = _scale(measure, samples)
    five = np.array([_five(own) for own in samples.values()]) / scale
    rows = np.arange(len(samples), dtype=float)
    middle, quartiles = five[:, 2], Span.of(five[:, 1], five[:, 3])
    numbers = colours_of(answer)
    series = [Series("", "boxes", middle, rows, x_span=Span.of(five[:, 0], five[:, 4]), box=quartiles, colours=numbers)]
    ends = zip(samples.values(), five * scale, strict=True)
    beyond = [_beyond(own, low, high) for own, (low, *_, high) in ends]
    outliers = np.concatenate(beyond) / scale
    if outliers.size:
        at = np.repeat(rows, [each.size for each in beyond])
        of_points = [numbers[int(row)] for row in at]
        series.append(Series("", "points", outliers, at, hollow=[True] * outliers.size, colours=of_points))
    axis, names = words.of_scenarios(answer)
    note = (
        f"Median and quartiles of the {_members(measure)}; whiskers end at the last value within {FAR:g} lengths of "
        "the box, values beyond them are rings."
    )
    of = _of(measure)
    x_axis, y_axis = Axis(words.with_unit(of, unit), log=_is_skewed(samples)), Axis(axis, rows=list(names.values()))
    return Chart(f"box-{_name(measure)}", f"Spread of {of}", x_axis, y_axis, series, note=note)


def plain(measure: Measure) -> str:
    """A measure as part of an element's id."""
    return "".join(letter if letter.isalnum() else "-" for letter in measure.text).strip("-")


def _name(measure: Measure) -> str:
    """Of quantiles of one column the same: they have one distribution."""
    return plain(measure) if measure.share is None else f"{measure.population}-{measure.column}"


def _of(measure: Measure) -> str:
    return words.of_measure(measure) if measure.share is None else words.of_members(measure)


def _members(measure: Measure) -> str:
    """What a distribution is over."""
    return "replicas" if measure.share is None else measure.population


def _samples(answer: Answer, label: str, measure: Measure) -> tuple[Sample, ...]:
    """The values of a scenario: a sample for each replica, or one with the number of each."""
    held = answer.samples[label, measure.text]
    return held if isinstance(held, tuple) else (Sample(held),)


def _scale(measure: Measure, samples: dict[str, tuple[Sample, ...]]) -> tuple[float, str]:
    return readable_unit(measure.unit, _values(samples))


def _values(samples: dict[str, tuple[Sample, ...]]) -> Floats:
    return np.concatenate([np.empty(0), *(each.values for own in samples.values() for each in own)])


def _is_skewed(samples: dict[str, tuple[Sample, ...]]) -> bool:
    values = _values(samples)
    values = values[np.isfinite(values)]
    return values.size > 0 and 0 < SKEWED * float(values.min()) <= float(values.max())


def _five(samples: tuple[Sample, ...]) -> list[float]:
    """End of the lower whisker, quartiles, end of the upper one; NaN without values."""
    low, middle, high = map(ProductLimit.of(samples).quantile, (0.25, 0.5, 0.75))
    values = np.concatenate([each.values for each in samples])
    near = values[(values >= low - FAR * (high - low)) & (values <= high + FAR * (high - low))]
    if near.size == 0 or not np.isfinite(high):
        return [np.nan, low, middle, high, np.nan]
    return [min(float(near.min()), low), low, middle, high, max(float(near.max()), high)]


def _beyond(samples: tuple[Sample, ...], low: float, high: float) -> Floats:
    """The values beyond the whiskers; of many some."""
    values = np.sort(np.concatenate([each.values for each in samples]))
    values = values[(values < low) | (values > high)]
    if values.size <= MOST_OUTLIERS:
        return values
    kept: Floats = values[np.unique(np.linspace(0, values.size - 1, MOST_OUTLIERS).round().astype(int))]
    return kept
