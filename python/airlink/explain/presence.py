"""The presence of each user: how long it had data at the base station, and what an even share was meanwhile.

A share of the whole run says little of a user who had data for a moment of it: who thinks, or waits for a window or a
timer, takes no slot from others. Leaves out what each of them could have used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airlink.explain.causes import BY_NAME, OF_THE_CELL
from airlink.result import Table


@dataclass(frozen=True)
class UserPresence:
    """When users had data at the base station.

    Attributes
    ----------
    user, from_s, to_s : (stay,) disjoint stays of each user, sorted by user, then by time.
    change_s : (change,) sorted times at which somebody begins or ends to have data.
    even_s : (change,) seconds until then, each divided by the users with data.
    """

    user: NDArray[np.int64]
    from_s: NDArray[np.float64]
    to_s: NDArray[np.float64]
    change_s: NDArray[np.float64]
    even_s: NDArray[np.float64]

    def of(self, user: int) -> tuple[float, float]:
        """How long a user had data there, s, and the mean of 1 / users with data meanwhile; NaN of who never had."""
        own = slice(*np.searchsorted(self.user, [user, user + 1]))
        seconds = float(np.sum(self.to_s[own] - self.from_s[own]))
        if seconds <= 0:
            return 0.0, float("nan")
        until, since = (np.interp(times[own], self.change_s, self.even_s) for times in (self.to_s, self.from_s))
        return seconds, float(np.sum(until - since)) / seconds


def user_presence(limits: Table, users: NDArray[Any], begin_s: float) -> UserPresence:
    """Returns the presence of each user of a replica from `begin_s` on.

    Parameters
    ----------
    limits : the series of that name, of all flows.
    users : (flow,) the user of each flow.
    begin_s : when measuring began, s.
    """
    user, first, last = _merged(*_with_data(limits, np.asarray(users, dtype=np.int64), begin_s))
    times = np.concatenate([first, last])
    steps = np.repeat([1, -1], first.size)
    order = np.argsort(times, kind="stable")
    change_s, present = times[order], np.cumsum(steps[order])
    even_s = np.cumsum(np.diff(change_s, prepend=change_s[:1]) / np.maximum(np.roll(present, 1), 1))
    return UserPresence(user, first, last, change_s, even_s)


def behind_own(
    limits: Table, users: NDArray[Any], goodput_bytes: NDArray[Any], flow: int, begin_s: float
) -> tuple[float, float]:
    """How much a flow shared the base station with other flows of its own user.

    Parameters
    ----------
    limits : the series of that name, of all flows.
    users, goodput_bytes : (flow,) of each flow.
    flow : its number.
    begin_s : when measuring began, s.

    Returns
    -------
    Of its time there, the share in which another one had data there, 0..1; and about what payload these carried
    meanwhile: of each second that they had data there the same. Both 0 without others, or where it never had data.
    """
    own = np.flatnonzero(np.asarray(users) == users[flow])
    if own.size < 2:
        return 0.0, 0.0
    # Two that compete: the flow is 0, all others are 1.
    present = user_presence(
        limits.where(np.isin(limits["flow"], own)), np.where(np.arange(len(users)) == flow, 0, 1), begin_s
    )
    (seconds, even), (others_s, _) = present.of(0), present.of(1)
    if seconds <= 0 or others_s <= 0:
        return 0.0, 0.0
    share = 2 * (1 - even)
    others_bytes = float(np.sum(np.asarray(goodput_bytes)[own])) - float(goodput_bytes[flow])
    return share, others_bytes * share * seconds / others_s


def _with_data(
    limits: Table, users: NDArray[np.int64], begin_s: float
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """When data of each flow was at the base station: its user, from and to; what touches is one."""
    held = np.isin(limits["cause"], [BY_NAME[name].code for name in OF_THE_CELL]) & (limits["to_s"] > begin_s)
    flow = np.asarray(limits["flow"], dtype=np.int64)[held]
    from_s, to_s = np.maximum(limits["from_s"][held], begin_s), np.asarray(limits["to_s"][held], dtype=float)
    order = np.lexsort((from_s, flow))
    flow, from_s, to_s = flow[order], from_s[order], to_s[order]
    is_new = np.ones(flow.size, dtype=bool)
    is_new[1:] = (flow[1:] != flow[:-1]) | (from_s[1:] > to_s[:-1])
    return users[flow[is_new]], from_s[is_new], to_s[np.append(is_new[1:], True)[: flow.size]]


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
