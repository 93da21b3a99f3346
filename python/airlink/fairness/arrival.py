"""When payload reached the application, in order, each byte once: goodput, moment by moment.

Bytes of the stream that arrived early wait for what is missing before them. A byte that a probe carried to a closed
window counts when it came, though a receiver may throw it away and take it later.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from airlink.result import Result, Table
from airlink.result.selection import of_direction, place_of
from airlink.tables import DELIVERED, DOWN, UP

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def in_order(start: Ints, end: Ints, ended_s: Floats) -> tuple[Floats, Ints]:
    r"""When each part of a stream had arrived together with all before it.

    .. math:: I(b) = \max_{b' \le b} \; \min \{ t_i : \text{segment } i \text{ holds } b' \}

    Parameters
    ----------
    start, end : array [segment], bytes of the stream, end exclusive, of the segments that arrived.
    ended_s : array [segment], when each arrived, s.

    Returns
    -------
    (time_s [part], bytes [part]): times do not decrease; bytes behind a hole that nothing filled are not there.

    Examples
    --------
    >>> times, sizes = in_order(np.array([0, 200, 100, 200]), np.array([100, 300, 200, 300]), np.arange(1.0, 5.0))
    >>> times.tolist(), sizes.tolist()
    ([1.0, 3.0, 3.0], [100, 100, 100])
    """
    edges = np.unique(np.concatenate(([0], start, end)))
    first = np.searchsorted(edges, start)
    count = np.searchsorted(edges, end) - first
    part = np.repeat(first - np.cumsum(count) + count, count) + np.arange(count.sum())
    came: Floats = np.full(edges.size - 1, np.inf)
    np.minimum.at(came, part, np.repeat(ended_s, count))
    complete = np.maximum.accumulate(came)
    there = np.isfinite(complete)
    return complete[there], np.diff(edges)[there]


COLUMNS = ("flow", "sequence", "bytes", "ended_s")
"""Of a packet, what its payload is known by."""


def goodput_of_flows(result: Result, replica: int, packets: Table) -> Iterator[tuple[Floats, Ints]]:
    """Of each flow of a replica in turn, when payload reached its application and how much: (time_s, bytes).

    Of uploads the server's application, of all others the user's. Without TCP, whole packets as they were delivered.

    Parameters
    ----------
    result : any run.
    replica : which.
    packets : its series `packets`.
    """
    stored = result.replicas[replica]
    delivered = packets.where(packets["fate"] == DELIVERED)
    order = np.lexsort((delivered["ended_s"], delivered["flow"]))
    rows = Table(
        {name: delivered[name][order] for name in (*COLUMNS, *(["direction"] if "direction" in delivered else []))}
    )
    flows = len(stored.flows["flow"])
    borders = np.searchsorted(rows["flow"], np.arange(flows + 1))
    for flow in range(flows):
        group = result.scenario.flows[place_of(result.scenario, stored, flow)]
        own = Table({name: values[borders[flow] : borders[flow + 1]] for name, values in rows.items()})
        if "direction" in own:
            own = of_direction(own, UP if group.direction == "up" else DOWN)
        sizes, ended_s = own["bytes"], own["ended_s"]
        if not group.has_tcp():
            yield ended_s, sizes
            continue
        start = own["sequence"]
        yield in_order(start, start + sizes - group.tcp.header_bytes, ended_s)
