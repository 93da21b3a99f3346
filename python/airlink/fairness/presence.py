"""When a flow is there: from its start to its last byte, of sessions only while a page is on its way.

A flow that was stopped is there until the last of its packets arrived or was lost. One whose application sets the pace
is there between its messages, too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from airlink.result import Result, Table
from airlink.result.selection import first_connection, group_of
from airlink.scenario.sections import File, Pages, Poisson, Requests, Sessions

Spans = NDArray[np.float64]
"""Array [span, 2] of from and to, s, ordered and apart."""


def presence_of_flows(result: Result, replica: int, packets: Table, downloads: Table | None) -> list[Spans]:
    """Of each flow of a replica, when it was there.

    Parameters
    ----------
    result : any run.
    replica : which.
    packets, downloads : its series; `downloads` only where pages are requested.
    """
    stored, end_s = result.replicas[replica], result.scenario.duration_s
    last_packet_s = np.zeros(len(stored.flows["flow"]))
    np.fmax.at(last_packet_s, packets["flow"], packets["ended_s"])
    found = []
    for flow in range(len(stored.flows["flow"])):
        group = group_of(result.scenario, stored, flow)
        # Of files that arrive, the stop is that of their arrivals.
        stop_s = np.inf if isinstance(group.traffic, Poisson) else group.stop_s
        until_s = min(max(stop_s, last_packet_s[flow]), end_s)
        if isinstance(group.traffic, Sessions | Requests | Pages):
            assert downloads is not None, "pages of sessions are known by their series"
            own = downloads.where(downloads["flow"] == first_connection(result.scenario, stored, flow))
            found.append(united(np.column_stack((own["requested_s"], np.fmin(own["completed_s"], until_s)))))
            continue
        start_s = float(stored.flows["start_s"][flow])
        if isinstance(group.traffic, File | Poisson):
            until_s = float(np.fmin(start_s + stored.flows["completion_s"][flow], until_s))
        found.append(united([(start_s, until_s)]))
    return found


def united(spans: object) -> Spans:
    """Spans of time, ordered, those that meet or overlap as one, without empty ones.

    >>> united([(3.0, 4.0), (0.0, 2.0), (1.0, 2.5), (5.0, 5.0)]).tolist()
    [[0.0, 2.5], [3.0, 4.0]]
    """
    rows = np.asarray(spans, dtype=float).reshape(-1, 2)
    rows = rows[rows[:, 1] > rows[:, 0]]
    rows = rows[np.argsort(rows[:, 0], kind="stable")]
    if rows.shape[0] == 0:
        return rows
    until = np.maximum.accumulate(rows[:, 1])
    apart = np.flatnonzero(rows[1:, 0] > until[:-1])
    first, last = np.concatenate(([0], apart + 1)), np.concatenate((apart, [rows.shape[0] - 1]))
    return np.column_stack((rows[first, 0], until[last]))


def time_within(spans: Spans, start_s: NDArray[np.float64], stop_s: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much of each window from start to stop the spans cover, s.

    >>> time_within(united([(0.0, 1.0), (2.0, 4.0)]), np.array([0.5, 1.0]), np.array([3.0, 2.0])).tolist()
    [1.5, 0.0]
    """
    if spans.shape[0] == 0:
        return np.zeros(start_s.size)
    knots, before = spans.ravel(), np.cumsum(spans[:, 1] - spans[:, 0])
    covered = np.column_stack((np.concatenate(([0.0], before[:-1])), before)).ravel()
    return np.asarray(np.interp(stop_s, knots, covered) - np.interp(start_s, knots, covered))
