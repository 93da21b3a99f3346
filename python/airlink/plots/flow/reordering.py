"""What a capture's reader derives from packets and ACKs: which segments came out of order, which duplicates count.

Leaves out whether a late segment was overtaken or retransmitted: `retransmission` says that.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def out_of_order(start: Ints, end: Ints, ended_s: NDArray[np.float64], arrived: NDArray[np.bool_]) -> Ints:
    """Which segments brought bytes that lie before bytes which had arrived already, as tcptrace counts them.

    Parameters
    ----------
    start, end : array [segment], bytes of the stream, end exclusive.
    ended_s : array [segment], when it arrived, s.
    arrived : array [segment], whether it did.

    Returns
    -------
    Array [segment] of 0 and 1. A segment that fills a hole, sent again or overtaken, is 1; a second copy of what had
    arrived is 0.

    Examples
    --------
    >>> times, all_of_them = np.array([1.0, 2.0, 3.0, 4.0]), np.full(4, True)
    >>> starts = np.array([0, 200, 100, 200])
    >>> out_of_order(starts, starts + 100, times, all_of_them).tolist()
    [0, 0, 1, 0]
    """
    late = np.zeros(start.size, dtype=np.int64)
    rows = np.flatnonzero(arrived)
    rows = rows[np.argsort(ended_s[rows], kind="stable")]
    holes: list[tuple[int, int]] = []
    top = 0
    for row, first, last in zip(rows.tolist(), start[rows].tolist(), end[rows].tolist(), strict=True):
        if holes and first < top:
            left = _without(holes, first, last)
            late[row] = left != holes
            holes = left
        if first > top:
            holes.append((top, first))
        top = max(top, last)
    return late


def _without(holes: list[tuple[int, int]], first: int, last: int) -> list[tuple[int, int]]:
    """The holes that are left when the bytes from `first` to before `last` have arrived."""
    left = []
    for low, high in holes:
        if last <= low or high <= first:
            left.append((low, high))
            continue
        if low < first:
            left.append((low, first))
        if last < high:
            left.append((last, high))
    return left


def nth_duplicates(number: Ints, duplicate: NDArray[Any], threshold: int) -> Ints:
    """Which ACK is the threshold-th duplicate of its number: the one that asks for a fast retransmit (RFC 5681).

    Parameters
    ----------
    number : array [ACK], next byte expected.
    duplicate : array [ACK], whether it counts as a duplicate.
    threshold : as `flows.tcp.duplicate_ack_threshold`, 3 in most.

    Returns
    -------
    Array [ACK] of 0 and 1. An ACK of a later number starts the count anew; one that is no duplicate, such as an
    update of the window, leaves it.

    Examples
    --------
    >>> nth_duplicates(np.array([9, 9, 9, 9, 9, 12]), np.array([0, 1, 1, 1, 1, 0]), 3).tolist()
    [0, 0, 0, 1, 0, 0]
    """
    if number.size == 0:
        return np.zeros(0, dtype=np.int64)
    counted = np.cumsum(duplicate)
    highest = np.maximum.accumulate(number)
    starts = np.flatnonzero(np.diff(highest, prepend=highest[0] - 1))
    before = (counted - duplicate)[starts]
    row = np.repeat(before, np.diff(starts, append=number.size))
    return np.asarray(((counted - row == threshold) & (duplicate != 0)).astype(np.int64))
