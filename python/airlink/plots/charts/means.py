"""Measures of scenarios with their intervals: beside one another, against each other, against a baseline."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from airlink.campaign.answer import Answer
from airlink.campaign.wording import has_ends
from airlink.measures import Measure, readable_unit
from airlink.plots.charts import words
from airlink.plots.charts.arms import colours_of
from airlink.plots.charts.chart import Axis, Band, Chart, Floats, Series, Span
from airlink.plots.charts.distributions import plain
from airlink.result import Estimate

PERCENT = 100.0
MOST_LETTERS = 26
"""Of a name beside a point; where one is longer, numbers stand there, and the legend says what they are."""


def bars(answer: Answer, measure: Measure) -> Chart:
    """A measure of each scenario, with its interval: a bar each.

    Parameters
    ----------
    answer : what was found; of results that of `airlink.plots.charts.answer_of`.
    measure : one of the answer's.

    Returns
    -------
    Chart: a row a scenario.
    """
    means, span, unit = scaled(measure, [answer.estimates[label, measure.text] for label in answer.labels])
    axis, names = words.of_scenarios(answer)
    of = words.of_measure(measure)
    series = Series("", "bars", means, np.arange(means.size, dtype=float), x_span=span, colours=colours_of(answer))
    x_axis, y_axis = Axis(words.with_unit(of, unit), zero=True), Axis(axis, rows=list(names.values()))
    return Chart(
        f"bars-{plain(measure)}", words.beginning(of), x_axis, y_axis, [series], note=_intervals(answer, measure)
    )


def pareto(answer: Answer, across: Measure, up: Measure) -> Chart:
    """Two measures against each other, a point a scenario with both intervals; what no other scenario beats is filled.

    Parameters
    ----------
    answer : as of `bars`.
    across, up : measures of the answer, along x and y.

    Returns
    -------
    Chart. A scenario is beaten where another one is at least as good in both means and better in one. The dotted line
    joins those that are not beaten. A measure of which nobody knows the better end has no frontier.
    """
    x, x_span, x_unit = scaled(across, [answer.estimates[label, across.text] for label in answer.labels])
    y, y_span, y_unit = scaled(up, [answer.estimates[label, up.text] for label in answer.labels])
    labels, key = _beside_points(answer)
    first = frontier(x, y, across.better, up.better)
    known = bool(across.better and up.better)
    hollow = [known and at not in first for at in range(x.size)]
    series = Series(
        "", "points", x, y, x_span, y_span, labels=labels, hollow=hollow,
        colours=colours_of(answer),
    )  # fmt: skip
    x_words, y_words = words.of_measure(across), words.of_measure(up)
    note = "Each scenario with both intervals."
    if known:
        note += " Filled: no other scenario is better in one mean and as good in the other; rings: one is."
    return Chart(
        f"pareto-{plain(across)}-{plain(up)}",
        f"{words.beginning(y_words)} against {x_words}",
        Axis(words.with_unit(x_words, x_unit)),
        Axis(words.with_unit(y_words, y_unit)),
        [series],
        frontier=[(float(x[at]), float(y[at])) for at in first] if known else (),
        note=note,
        key=key,
    )


def _beside_points(answer: Answer) -> tuple[list[str], str]:
    """What stands beside the points, and what that means: names, or numbers where names would cover the picture."""
    key, names = words.of_scenarios(answer)
    shown = [names[label] for label in answer.labels]
    if max(map(len, shown)) <= MOST_LETTERS:
        return shown, key
    numbers = [str(number) for number in range(1, len(shown) + 1)]
    told = "; ".join(f"{number} {name}" for number, name in zip(numbers, shown, strict=True))
    return numbers, f"{key}: {told}" if key else told


def frontier(x: Floats, y: Floats, better_x: str, better_y: str) -> list[int]:
    """The places of the points that no other point beats, by x; those without a number never are.

    >>> frontier(np.array([1.0, 2.0, 3.0, 2.0]), np.array([3.0, 2.0, 1.0, 1.0]), "higher", "higher")
    [0, 1, 2]
    """
    signs = np.array([-1.0 if better == "lower" else 1.0 for better in (better_x, better_y)])
    points = np.column_stack([x, y]) * signs
    known = np.isfinite(points).all(axis=1)
    at_least = (points[:, None, :] >= points[None, :, :]).all(axis=2)
    above = (points[:, None, :] > points[None, :, :]).any(axis=2)
    beaten = (at_least & above & known[:, None]).any(axis=0)
    return sorted(np.flatnonzero(known & ~beaten).tolist(), key=lambda at: (x[at], y[at]))


def comparison(answer: Answer, measure: Measure | None = None) -> Chart:
    """How far each arm is from the baseline, with intervals that hold for all arms at once.

    Parameters
    ----------
    answer : of a comparison.
    measure : one of the answer's; default its primary one, which has verdicts.

    Returns
    -------
    Chart: a row an arm, the difference in percent of the baseline; the band is the margin of equivalence. In the
    measure's unit, without the band, where the baseline is not clearly different from 0.

    Raises
    ------
    ValueError : the answer is of a sweep, and has no baseline.
    """
    if not answer.baseline:
        raise ValueError(f"{answer.name} is a sweep: it has no baseline to compare with")
    shown = measure or answer.measures[0]
    arms = [label for label in answer.labels if label != answer.baseline]
    judged = [answer.differences[label, shown.text] for label in arms]
    relative = all(has_ends(each.difference.relative) for each in judged)
    if relative:
        mean, low, high = (PERCENT * ends for ends in _ends([each.difference.relative for each in judged]))
        span, unit, margin = Span.of(low, high), "%", PERCENT * answer.question.margin
        bands = [Band(f"within {margin:g} %: equivalent", -margin, margin)]
    else:
        mean, span, unit = scaled(shown, [each.difference.absolute for each in judged])
        bands = []
    names = answer.question.names
    of, baseline = words.of_measure(shown), names[answer.baseline]
    named = [(names[label], each.verdict) for label, each in zip(arms, judged, strict=True)]
    rows = [f"{name}: {verdict}" if verdict else name for name, verdict in named]
    return Chart(
        f"against-{plain(shown)}",
        f"{words.beginning(of)} against {baseline}",
        Axis(words.with_unit(f"difference in {of}", unit)),
        Axis("", rows=rows),
        [Series("", "points", mean, np.arange(mean.size, dtype=float), x_span=span, colours=colours_of(answer, arms))],
        bands=[*bands, Band(baseline, 0.0, 0.0)],
        note=_against(answer, shown, relative),
    )


def _against(answer: Answer, measure: Measure, relative: bool) -> str:
    """How to read the differences in a measure."""
    levels = {each.difference.absolute.level for (_, text), each in answer.differences.items() if text == measure.text}
    baseline = answer.question.names[answer.baseline]
    told = f"Against {baseline}, paired by seed. All intervals at once hold with {_percent(levels)}."
    if measure.better:
        told += f" {measure.better.capitalize()} is better."
    if not relative:
        told += f" Not in percent: {baseline} is not clearly different from 0."
    return told if measure == answer.measures[0] else f"{told} Exploratory: no verdict."


def scaled(measure: Measure, estimates: Sequence[Estimate]) -> tuple[Floats, Span, str]:
    """Means and intervals in the unit that they are read best in, and that unit."""
    means, low, high = _ends(estimates)
    scale, unit = readable_unit(measure.unit, means)
    return np.where(np.isfinite(means), means, np.nan) / scale, Span.of(low / scale, high / scale), unit


def _ends(estimates: Sequence[Estimate]) -> tuple[Floats, Floats, Floats]:
    """Means and both ends: arrays [estimate]."""
    means, low, high = (
        np.array([getattr(each, end) for each in estimates], dtype=float) for end in ("mean", "low", "high")
    )
    return means, low, high


def _percent(levels: Iterable[float]) -> str:
    return " or ".join(f"{PERCENT * level:g} %" for level in sorted(levels))


def _intervals(answer: Answer, measure: Measure) -> str:
    """What the intervals of a measure are."""
    levels = {answer.estimates[label, measure.text].level for label in answer.labels}
    methods = {answer.methods[label, measure.text] for label in answer.labels}
    told = f"Intervals of {_percent(levels)}: {'; '.join(sorted(methods))}."
    names = answer.question.names
    unknown = [names[label] for label in answer.labels if not np.isfinite(answer.estimates[label, measure.text].mean)]
    return f"{told} Beyond what is known: {', '.join(unknown)}." if unknown else told
