"""When a cause was active: the intervals in which it held clearly more than on average."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Seconds = NDArray[np.float64]


@dataclass(frozen=True)
class Moment:
    """A stretch of time in which one cause prevailed.

    Attributes
    ----------
    from_s, to_s : its ends; the cause holds at both.
    held_s : how long of it the cause held.
    """

    from_s: float
    to_s: float
    held_s: float


def moments(begins: Seconds, ends: Seconds, share: float, most: int) -> tuple[Moment, ...]:
    """Stretches in which a cause prevailed, those in which it held longest first.

    A stretch is scored: 1 - d for each second that the cause holds in it, -d for each other one, where d lies midway
    between the cause's `share` of the whole time and 1. The stretches are the disjoint ones of maximal score of
    [Ruzzo99]: in each of them, and from any moment of it to its end, the cause holds for more than a share d of the
    time. A cause that always holds has one, all the time; causes that take turns slot by slot have one for each turn.

    Parameters
    ----------
    begins, ends : array [interval], s; of the times at which the cause held, in order, without overlaps.
    share : of the cause in the flow's time, 0..1.
    most : how many to return at most.
    """
    density = (1 + share) / 2
    found = [
        Moment(
            float(begins[first]), float(ends[last]), float((ends[first : last + 1] - begins[first : last + 1]).sum())
        )
        for first, last in _highest_scores(begins, ends, density)
    ]
    return tuple(sorted(found, key=lambda moment: (-moment.held_s, moment.from_s))[:most])


def joined(begins: Seconds, ends: Seconds) -> tuple[Seconds, Seconds]:
    """Intervals in order, those that touch as one."""
    is_new = np.ones(begins.size, dtype=bool)
    is_new[1:] = begins[1:] > ends[:-1]
    return begins[is_new], ends[np.append(is_new[1:], True)[: ends.size]]


@dataclass
class _Interval:
    """A candidate: its first and last interval, the running score before and after it.

    `lower` is the last candidate before it that began at a lower score; -1: none.
    """

    first: int
    last: int
    before: float
    after: float
    lower: int = -1


def _highest_scores(begins: Seconds, ends: Seconds, density: float) -> Iterator[tuple[int, int]]:
    """All maximal scoring stretches, in time that is linear in the number of intervals [Ruzzo99]."""
    candidates: list[_Interval] = []
    gains = ((ends - begins) * (1 - density)).tolist()
    losses = ((begins - np.concatenate([begins[:1], ends[:-1]])) * density).tolist()
    score = 0.0
    for index, (loss, gain) in enumerate(zip(losses, gains, strict=True)):
        stretch = _Interval(index, index, score - loss, score - loss + gain)
        score = stretch.after
        _join(candidates, stretch)
    return ((stretch.first, stretch.last) for stretch in candidates)


def _join(candidates: list[_Interval], stretch: _Interval) -> None:
    """Adds a stretch, joined with those before it for as long as that makes it score higher."""
    while True:
        lower = len(candidates) - 1
        while lower >= 0 and candidates[lower].before >= stretch.before:
            lower = candidates[lower].lower
        if lower < 0 or candidates[lower].after >= stretch.after:
            stretch.lower = lower
            candidates.append(stretch)
            return
        stretch.first, stretch.before = candidates[lower].first, candidates[lower].before
        del candidates[lower:]
