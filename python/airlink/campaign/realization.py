"""How well one run knows its own mean: its goodput by batch means.

A single replica has no interval over replicas. The batches of its time say how far its mean would move if the same
realization went on: same places, same fading, same arrivals. They say nothing of other seeds.
"""

from __future__ import annotations

import numpy as np

from airlink.engine import Progress
from airlink.fairness import histories
from airlink.result import Result
from airlink.result.selection import group_of
from airlink.statistics import BatchMeans, batch_means
from airlink.statistics.batch_means import BATCHES


def goodput_of_realization(
    result: Result,
    replica: int = 0,
    *,
    batches: int = BATCHES,
    level: float = 0.95,
    progress: Progress | None = None,
) -> BatchMeans:
    """The goodput of the cell in one replica, with the interval that batches of its measured time give.

    Parameters
    ----------
    result : any run. What it lacks of the series "packets" (of sessions also "downloads") is simulated again.
    replica : which, default 0.
    batches : equal parts of the measured time, >= 2, default 20.
    level : 0 < level < 1, default 0.95.
    progress : of simulating again, called with (finished, total).

    Returns
    -------
    BatchMeans in b/s: the mean is the `goodput_bps` of the cell, where all data goes up its `goodput_up_bps`; `label`
    is "this realization only", and `is_correlated` says that the run is too short for its interval.

    Raises
    ------
    RequestError : no such replica.
    ResultError : simulating again does not give the same numbers.
    ValueError : fewer than two batches.

    Examples
    --------
    >>> import airlink
    >>> result = airlink.run(airlink.scenario.ready("dumbbell"))
    >>> found = goodput_of_realization(result)
    >>> bool(np.isclose(found.estimate.mean, result.cell["goodput_bps"][0])), found.label
    (True, 'this realization only')
    """
    (past,) = histories(result, replica, progress)
    edges = np.linspace(past.begin_s, past.end_s, batches + 1)
    got = np.zeros(batches)
    wanted = "up" if result.scenario.has_uploads_only() else "down"
    for flow, (time_s, size) in enumerate(past.goodput):
        if group_of(result.scenario, result.replicas[replica], flow).direction != wanted:
            continue
        # What comes at the very end of a batch is its own, as in `airlink.fairness.rates`.
        place = np.searchsorted(edges, time_s, side="left") - 1
        inside = (place >= 0) & (place < batches)
        got += np.bincount(place[inside], size[inside], batches)
    return batch_means(8 * got / np.diff(edges), batches, level)
