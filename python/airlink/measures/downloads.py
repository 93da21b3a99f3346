"""Files and pages of one run that count: their times, or their ages if they have not ended.

Those requested in the measured time count, as in the tables: the series has the whole run, and its last rows are those.
A download that has not ended when the run does is an age, from its request to the run's end.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from airlink.engine import Replica, Table
from airlink.statistics import Sample


def times(replica: Replica) -> Sample:
    """The times of a run's downloads, s, ages where they have not ended.

    Parameters
    ----------
    replica : recorded with the series `downloads`.
    """
    rows = counted(replica)
    taken = rows["completed_s"] - rows["requested_s"]
    has_ended = ~np.isnan(taken)
    if not has_ended.all():
        taken = np.where(has_ended, taken, _run_end(replica, rows, has_ended) - rows["requested_s"])
    return Sample(taken, has_ended)


def counted(replica: Replica) -> Table:
    """The rows of the series `downloads` that were requested in the measured time."""
    rows = replica.series["downloads"]
    count = int(replica.users["downloads"].sum())
    return rows.where(np.arange(rows.rows) >= rows.rows - count)


def _run_end(replica: Replica, rows: Table, has_ended: NDArray[np.bool_]) -> float:
    """When the run ended, s: the oldest open download of a user has the user's longest age."""
    open_rows = rows.where(~has_ended)
    user = int(open_rows["user"][0])
    return float(open_rows["requested_s"][0] + replica.users["download_longest_age_s"][user])
