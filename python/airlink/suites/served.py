"""How many users a run serves: what no aim may be bought with.

An aim over pages knows those that are asked for, so whoever stops serving some users has fewer slow pages: their next
ones are never asked for. A user is served if

    bytes came in the measured time, or a page or file of his ended, and none is open at the end of the run.

The users that have nothing to ask for are the same under every scheduler of a seed, so differences tell. Left out: how
well they are served, which is the aim's matter, and what follows from it (`verdicts`).
"""

from __future__ import annotations

import numpy as np

from airlink.engine import Replica


def users_served(replica: Replica) -> float:
    """The number of users that a run serves.

    Parameters
    ----------
    replica : recorded with the series `downloads` where its scenario has any.
    """
    served = np.asarray(replica.users["goodput_bytes"]) > 0
    if "downloads" in replica.series:
        rows = replica.series["downloads"]
        is_open = np.isnan(rows["completed_s"])
        served[rows["user"][~is_open]] = True
        served[rows["user"][is_open]] = False
    return float(served.sum())
