"""From the numbers of runs to an estimate: Student-t of a mean, resampled runs of a quantile."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from airlink.engine import Replica
from airlink.measures.errors import MeasureError
from airlink.measures.measure import Measure
from airlink.statistics import Estimate, Sample, replica_mean, resampled_quantile

Found = float | Sample
"""What is kept of one run."""


def found(measure: Measure, replica: Replica) -> Found:
    """What an estimate needs of one run: its number, or of a quantile over all runs the numbers of its members."""
    return measure.value(replica) if measure.share is None else measure.sample(replica)


def estimate(measure: Measure, of_runs: Sequence[Found] | ArrayLike, level: float = 0.95) -> Estimate:
    """The estimate from independent runs.

    Parameters
    ----------
    measure : what they are numbers of.
    of_runs : `found` of each run.
    level : of the interval, default 0.95.

    Raises
    ------
    MeasureError : no run.
    """
    kept = list(of_runs)  # type: ignore[arg-type]
    if not kept:
        raise MeasureError(f'measure "{measure}": an estimate needs at least one run')
    if measure.share is None:
        return replica_mean(np.asarray(kept, dtype=float), level)
    return resampled_quantile(kept, measure.share, level)
