"""The cloud of a search: what was scored, behind the schedulers of a comparison. Left out: their settings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from airlink.campaign.answer import Answer
from airlink.engine import RequestError
from airlink.measures import measure, readable_unit
from airlink.plots import charts, style
from airlink.search.found import Found

WIDEST = 1.5
"""Of the cloud what lies within this part of the comparison's spread beyond its ends is shown."""


def cloud(found: Found, answer: Answer) -> charts.Chart:
    """The trade of a search: its first limit across, its aim up, the schedulers of a comparison before all others.

    Parameters
    ----------
    found : of a search whose goal has a limit.
    answer : that has the measures of aim and limit, as of `compared`.

    Returns
    -------
    Chart. Points of the cloud have the seeds of the search, the others those of the comparison.

    Raises
    ------
    RequestError : a goal without a limit, or whose aim is a function.
    """
    goal = found.goal
    if not isinstance(goal.aim, str) or not goal.limits:
        raise RequestError("a picture of a trade needs a goal whose aim is a measure, and a limit")
    across, up = goal.limits[0].measure, goal.measures[0]
    chart = charts.pareto(answer, across, up)
    scales = [_scale(answer, each.text) for each in (across, up)]
    points = found.cloud()[:, [1, 0]] / np.array(scales)
    shown = points[np.isfinite(points).all(axis=1)]
    for axis, values in enumerate((chart.series[0].x, chart.series[0].y)):
        room = WIDEST * max(float(np.ptp(values)), 0.05 * float(np.abs(values).max()))
        shown = shown[(shown[:, axis] >= values.min() - room) & (shown[:, axis] <= values.max() + room)]
    behind = charts.Series(
        "scored in the search", "points", shown[:, 0], shown[:, 1],
        colour=style.BASELINE, hollow=[True] * len(shown),
    )  # fmt: skip
    return replace(chart, name=f"cloud-{chart.name}", series=[behind, *chart.series])


def _scale(answer: Answer, text: str) -> float:
    """What the numbers of a measure are divided by in a chart of the answer."""
    means = np.array([answer.estimates[label, text].mean for label in answer.labels])
    return readable_unit(measure(text).unit, means)[0]
