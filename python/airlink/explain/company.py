"""In whose company each user was: how long its flows had time, and what an even share was meanwhile.

A share of the whole run says little of a user whose flow lasted a moment of it. Users whose application pauses count as
present. Leaves out what each of them could have used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airlink.result import Table


@dataclass(frozen=True)
class Company:
    """When users were present.

    Attributes
    ----------
    user, from_s, to_s : (stay,) disjoint stays of each user, sorted by user, then by time.
    change_s : (change,) sorted times at which somebody comes or leaves.
    even_s : (change,) seconds until then, each divided by the users present.
    """

    user: NDArray[np.int64]
    from_s: NDArray[np.float64]
    to_s: NDArray[np.float64]
    change_s: NDArray[np.float64]
    even_s: NDArray[np.float64]

    def of(self, user: int) -> tuple[float, float]:
        """How long a user was present, s, and the mean of 1 / users present meanwhile; NaN of who never was."""
        own = slice(*np.searchsorted(self.user, [user, user + 1]))
        seconds = float(np.sum(self.to_s[own] - self.from_s[own]))
        if seconds <= 0:
            return 0.0, float("nan")
        until, since = (np.interp(times[own], self.change_s, self.even_s) for times in (self.to_s, self.from_s))
        return seconds, float(np.sum(until - since)) / seconds


def company(limits: Table, users: NDArray[Any], begin_s: float) -> Company:
    """The company of a replica from `begin_s` on.

    Parameters
    ----------
    limits : the series of that name, of all flows.
    users : (flow,) the user of each flow.
    begin_s : when measuring began, s.
    """
    first, last = np.full(users.size, np.inf), np.full(users.size, -np.inf)
    flow = np.asarray(limits["flow"], dtype=np.int64)
    np.minimum.at(first, flow, np.maximum(limits["from_s"], begin_s))
    np.maximum.at(last, flow, limits["to_s"])
    had = last > first
    user, first, last = _merged(np.asarray(users, dtype=np.int64)[had], first[had], last[had])
    times = np.concatenate([first, last])
    steps = np.repeat([1, -1], first.size)
    order = np.argsort(times, kind="stable")
    change_s, present = times[order], np.cumsum(steps[order])
    even_s = np.cumsum(np.diff(change_s, prepend=change_s[:1]) / np.maximum(np.roll(present, 1), 1))
    return Company(user, first, last, change_s, even_s)


def _merged(
    user: NDArray[np.int64], first: NDArray[np.float64], last: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Stays that overlap or touch made one."""
    stays: list[tuple[int, float, float]] = []
    for at in np.lexsort((first, user)):
        if stays and stays[-1][0] == user[at] and first[at] <= stays[-1][2]:
            stays[-1] = (*stays[-1][:2], max(stays[-1][2], float(last[at])))
        else:
            stays.append((int(user[at]), float(first[at]), float(last[at])))
    columns = list(zip(*stays, strict=True)) or [(), (), ()]
    return np.array(columns[0], dtype=np.int64), np.array(columns[1], dtype=float), np.array(columns[2], dtype=float)
