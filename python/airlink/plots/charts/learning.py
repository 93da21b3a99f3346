"""What a policy gained while it learnt: a point a generation, and the mean of the last ones with its interval.

Left out: whether it is any good, which a comparison on other seeds says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from airlink.plots import style
from airlink.plots.charts.chart import Axis, Chart, Series, Span
from airlink.statistics import replica_mean

FEWEST = 3
"""Generations whose mean has an interval worth drawing."""


class Learnt(Protocol):
    """A generation of `airlink.gym.evolve`, as far as it is drawn."""

    @property
    def number(self) -> int:
        """From 0."""

    @property
    def gain(self) -> float:
        """How much more reward the policy has got than the start, on a seed that it had not learnt from."""


def learning(generations: Sequence[Learnt], last: int = 10) -> Chart:
    """The learning curve of a policy.

    Parameters
    ----------
    generations : of `airlink.gym.evolve`.
    last : so many generations are in each mean, at least 3.

    Returns
    -------
    Chart: the gain of each generation, and the mean of the last ones, whose interval takes them as alike.

    Raises
    ------
    ValueError : fewer than three generations, or means of fewer.
    """
    if min(len(generations), last) < FEWEST:
        raise ValueError(f"there are {len(generations)} generations, means of {last}; both must be at least {FEWEST}")
    number = np.array([each.number for each in generations], dtype=float)
    gain = np.array([each.gain for each in generations], dtype=float)
    ends = range(FEWEST, len(generations) + 1)
    means = [replica_mean(gain[max(end - last, 0) : end]) for end in ends]
    band = Span.of([each.low for each in means], [each.high for each in means])
    return Chart(
        "learning",
        "What the policy gains over its start",
        Axis("generation"),
        Axis("reward of an episode, less the start's"),
        [
            Series("a generation, on its own seed", "points", number, gain, colour=style.BASELINE),
            Series(f"mean of the last {last}", "line", number[FEWEST - 1 :], np.array([each.mean for each in means]),
                   y_span=band),
        ],
        note="Each generation plays a seed that it has not learnt from. Above 0: better than the start.",
    )  # fmt: skip
