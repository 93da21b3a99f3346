"""What a scheduler is judged by in a scenario: a measure, or a number made of one, with its good end and margin.

Two aims are made of a measure. Users' geometric mean goodput is 10^x with x = `cell.mean_log10_goodput_kBps`: what
proportional fairness maximises [Kelly97], so that to win it means more for many users and not all for one. The share
in time is 1 - the share of packets and frames that missed their deadlines: a share of misses of 0 leaves nothing to
relate a difference to.

Left out: how scenarios are put together (`family`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, cast

import numpy as np

from airlink import measures
from airlink.measures import Found, Measure
from airlink.result import Estimate
from airlink.statistics import Difference, simultaneous

Made = Literal["as it is", "power of ten", "one less it"]


@dataclass(frozen=True)
class Aim:
    """What is judged.

    Attributes
    ----------
    name : in tables and sentences.
    text : of the measure, as `airlink list measures` writes it.
    better : "higher" or "lower".
    made : what is made of the measure's number of a run.
    """

    name: str
    text: str
    better: Literal["higher", "lower"]
    made: Made = "as it is"

    @cached_property
    def measure(self) -> Measure:
        """The measure."""
        return measures.measure(self.text)

    @staticmethod
    def of(text: str) -> Aim:
        """The measure itself as the aim.

        Raises
        ------
        MeasureError : no such measure, or nobody knows which of its ends is better.
        """
        made = measures.measure(text)
        if made.better == "":
            raise measures.MeasureError(f'measure "{made}": nobody knows whether more or less of it is better')
        return Aim(made.text, made.text, made.better)

    def values(self, found: Sequence[Found]) -> Sequence[Found]:
        """What is compared, of what was found in each run."""
        if self.made == "as it is":
            return found
        numbers = np.asarray(found, dtype=float)
        return list(10.0**numbers if self.made == "power of ten" else 1 - numbers)

    def estimate(self, found: Sequence[Found]) -> Estimate:
        """Mean or quantile of all runs with its interval."""
        return measures.estimate(self.measure, self.values(found))

    def point(self, found: Sequence[Found]) -> float:
        """The estimate without its interval."""
        return self.estimate(found).mean

    def against(self, of: str, arms: Mapping[str, Sequence[Found]]) -> dict[str, Difference]:
        """How far one arm is from each other one, pair by pair, with intervals that hold for all of them at once.

        Parameters
        ----------
        of : label of the arm.
        arms : label -> `found` of each run, of the same seeds in the same order.

        Returns
        -------
        label of each other arm -> the arm less that one, relative to that one.
        """
        values = {label: self.values(found) for label, found in arms.items()}
        share = self.measure.share if self.made == "as it is" else None
        found = simultaneous(cast("Mapping[str, Sequence[float]]", values), of, share=share)
        return {label: turned(each) for label, each in found.items()}


def turned(difference: Difference) -> Difference:
    """The difference the other way round: of the baseline from the arm, relative to the arm.

    With r = (arm - baseline) / baseline that is -r / (1 + r), which falls as r grows: an interval's ends change places.

    >>> one = Estimate(0.25, 0.0, 1.0, 8)
    >>> turned(Difference(one, one)).relative
    Estimate(mean=-0.2, low=-0.5, high=0.0, n=8, level=0.95)
    """
    absolute, relative = difference.absolute, difference.relative
    return Difference(
        replace(absolute, mean=-absolute.mean or 0.0, low=-absolute.high or 0.0, high=-absolute.low or 0.0),
        replace(relative, mean=_inverse(relative.mean), low=_inverse(relative.high), high=_inverse(relative.low)),
        difference.note,
    )


def _inverse(share: float) -> float:
    """-r / (1 + r) of a baseline that is r more than the arm; of an arm beside nothing it has no bound."""
    if share == np.inf:
        return -np.inf
    if share <= -1:
        return np.inf
    return -share / (1 + share) or 0.0


GEOMETRIC = Aim("geometric mean goodput", "cell.mean_log10_goodput_kBps", "higher", "power of ten")
PAGE_TIME = Aim("p95 page time", "downloads.p95(time_s)", "lower")
IN_TIME = Aim("share in time", "cell.deadline_miss_rate", "higher", "one less it")
