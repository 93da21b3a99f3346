"""From the numbers of runs to an estimate or to differences: replicas are the unit (`airlink.statistics`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from airlink.engine import Replica
from airlink.measures.errors import MeasureError
from airlink.measures.measure import Measure
from airlink.statistics import Difference, Estimate, Sample, quantile_interval, replica_mean, simultaneous

Found = float | Sample
"""What is kept of one run."""


def found(measure: Measure, replica: Replica) -> Found:
    """What estimates need of one run: its number, or of a quantile over all runs the numbers of its members."""
    return measure.value(replica) if measure.share is None else measure.sample(replica)


def estimate(measure: Measure, of_runs: Sequence[Found], level: float = 0.95) -> Estimate:
    """The estimate from independent runs.

    Parameters
    ----------
    measure : what they are numbers of.
    of_runs : `found` of each run.
    level : of the interval, 0 < level < 1, default 0.95.

    Raises
    ------
    MeasureError : no run.

    Examples
    --------
    >>> from airlink.measures import measure
    >>> print(estimate(measure("cell.goodput_bps"), [1.0, 2.0, 3.0]))
    2 +- 2.5
    """
    if len(of_runs) == 0:
        raise MeasureError(f'measure "{measure}": an estimate needs at least one run')
    if measure.share is None:
        return replica_mean(np.asarray(of_runs, dtype=float), level)
    return quantile_interval(cast("Sequence[Sample]", of_runs), measure.share, level)


def differences(
    measure: Measure, arms: Mapping[str, Sequence[Found]], baseline: str, level: float = 0.95
) -> Mapping[str, Difference]:
    """How much each arm of a comparison exceeds its baseline, run by run, with intervals that hold all at once.

    Parameters
    ----------
    measure : what is compared.
    arms : label -> `found` of each run, of the same seeds in the same order.
    baseline : label of one arm.
    level : of all intervals together, 0 < level < 1, default 0.95.

    Raises
    ------
    ValueError : as `airlink.statistics.simultaneous`.
    """
    if measure.share is None:
        return simultaneous(cast("Mapping[str, Sequence[float]]", arms), baseline, level)
    return simultaneous(cast("Mapping[str, Sequence[Sample]]", arms), baseline, level, measure.share)


def remark(measure: Measure, of_runs: Sequence[Found]) -> str:
    """What a reader must know of an estimate: downloads that have not ended, runs without a number; empty if nothing.

    Examples
    --------
    >>> from airlink.measures import measure
    >>> remark(measure("users.3.download_mean_s"), [0.2, float("nan")])
    '1 of 2 runs has no such number'
    """
    if measure.share is not None:
        samples = cast("Sequence[Sample]", of_runs)
        count, ended = sum(each.values.size for each in samples), sum(int(each.ended.sum()) for each in samples)
        return f"{count - ended} of {count} have not ended: longer than their age" if ended < count else ""
    missing = int(np.isnan(np.asarray(of_runs, dtype=float)).sum())
    have = "has" if missing == 1 else "have"
    return f"{missing} of {len(of_runs)} runs {have} no such number" if missing else ""
