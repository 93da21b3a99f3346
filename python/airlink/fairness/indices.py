"""Jain's index over windows: of all, within queues and across them."""

from __future__ import annotations

import numpy as np

from airlink.engine import RequestError
from airlink.result import Estimate, Table
from airlink.statistics import jain_parts, mean_interval

INDICES = ("jain", "within", "across")


def jain(rates: Table, presence: float = 1.0) -> Table:
    r"""Jain's index of each window, and its parts within and across queues.

    .. math:: J = J_\text{within} \, J_\text{across}

    as `airlink.statistics.jain_parts` says. Those count who were there for the whole window: who comes or goes in it,
    or fetches a page in a part of it, would look slow or fast by chance.

    Parameters
    ----------
    rates : table of `rates`, of flows, users or queues.
    presence : 0..1, the part of a window that one must have been there for to count; default 1, all of it. 0 counts all
        that were there at any time.

    Returns
    -------
    Table: a row per replica and window: replica, seed, time_s, width_s, members (how many count), queues (how many of
    them have one that counts), jain, within and across, dimensionless; NaN where nobody counts or got anything. Of
    queues, within is 1.

    Raises
    ------
    RequestError : presence outside 0..1.

    References
    ----------
    [Jain84] eq. (1); [Shorrocks80] for the parts.

    Examples
    --------
    >>> import airlink
    >>> result = airlink.run(airlink.scenario.ready("dumbbell", ["duration_s=4", "users=2"]))
    >>> index = jain(airlink.fairness.rates(result, 1.0))
    >>> index["members"].tolist(), [round(each, 2) for each in index["jain"].tolist()]
    ([2, 2, 2, 2], [0.81, 1.0, 0.9, 0.96])
    """
    check_presence(presence)
    keys = np.rec.fromarrays([rates["replica"], rates["time_s"]])
    _, first, window = np.unique(keys, return_index=True, return_inverse=True)
    counts = rates["present_s"] >= presence * rates["width_s"] * (1 - 1e-9)
    parts = jain_parts(np.where(counts, rates["goodput_bps"], np.nan), rates["queue"], window)
    return Table(
        {
            **{name: rates[name][first] for name in ("replica", "seed", "time_s", "width_s")},
            "members": parts.members,
            "queues": parts.groups,
            "jain": parts.whole,
            "within": parts.within,
            "across": parts.across,
        }
    )


def check_presence(presence: float) -> None:
    """Raises RequestError when it lies outside 0..1."""
    if not 0 <= presence <= 1:
        raise RequestError(f"presence is {presence:g}; it must lie in 0..1")


def over_replicas(index: Table, fewest: int = 2) -> dict[str, Estimate]:
    """Jain's index in the mean of its windows: mean over replicas with its 95 % Student-t interval.

    Parameters
    ----------
    index : table of `jain`.
    fewest : windows count in which so many members do, default 2: one alone is always fair.

    Returns
    -------
    "jain", "within" and "across" -> Estimate; without a window that counts, NaN. Windows weigh the same however many
    there are in them. The mean of products is not the product of the means, so the parts' need not multiply to that of
    the whole.

    Examples
    --------
    >>> import airlink
    >>> scenario = airlink.scenario.ready("dumbbell", ["duration_s=4", "users=2"])
    >>> over_replicas(jain(airlink.fairness.rates(airlink.run(scenario, replicas=3), 1.0)))["across"].mean
    1.0
    """
    usable = index.where((index["members"] >= fewest) & np.isfinite(index["jain"]))
    if usable.rows == 0:
        return dict.fromkeys(INDICES, mean_interval([float("nan")]))
    _, replica = np.unique(usable["replica"], return_inverse=True)
    windows = np.bincount(replica)
    return {name: mean_interval(np.bincount(replica, weights=usable[name]) / windows) for name in INDICES}
