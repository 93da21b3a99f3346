"""What changes from event to event: queues, windows and what was acknowledged, and their means between two times.

Left out: means over seeds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airlink.result import Table

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Trajectory:
    """Values that hold from their time until the next: arrays [event], s and what it is of."""

    time_s: Floats
    values: Floats

    def mean(self, from_s: float, to_s: float) -> float:
        """Over time.

        >>> Trajectory(np.array([0.0, 1.0]), np.array([2.0, 5.0])).mean(0.0, 3.0)
        4.0
        """
        values, weights = self._between(from_s, to_s)
        return float(np.average(values, weights=weights))

    def deviation(self, from_s: float, to_s: float) -> float:
        """Standard deviation over time."""
        values, weights = self._between(from_s, to_s)
        return float(np.sqrt(np.average((values - np.average(values, weights=weights)) ** 2, weights=weights)))

    def at(self, times_s: Floats) -> Floats:
        """The value at each of these times; before the first event the first."""
        place = np.searchsorted(self.time_s, times_s, side="right") - 1
        return np.asarray(self.values[np.maximum(place, 0)])

    def _between(self, from_s: float, to_s: float) -> tuple[Floats, Floats]:
        first, end = np.searchsorted(self.time_s, (from_s, to_s), side="right")
        held_from = max(int(first) - 1, 0)
        edges = np.concatenate(([from_s], self.time_s[held_from + 1 : end], [to_s]))
        return self.values[held_from : held_from + edges.size - 1], np.diff(edges)


@dataclass(frozen=True)
class Samples:
    """The queue as the access point samples it: arrays [arrival], s and bytes, the packet that comes included."""

    time_s: Floats
    queue_bytes: Floats

    def mean(self, from_s: float, to_s: float) -> float:
        """Each by the time since the one before.

        Eq. (13) forgets by time, so a sample after a long gap counts for more than one within a burst.

        >>> Samples(np.array([1.0, 2.0, 5.0]), np.array([9.0, 1500.0, 3000.0])).mean(1.0, 6.0)
        2625.0
        """
        inside = (self.time_s > from_s) & (self.time_s <= to_s)
        gaps = np.diff(self.time_s, prepend=0.0)
        return float(np.average(self.queue_bytes[inside], weights=gaps[inside]))


def since(queue: Table, from_s: float) -> Table:
    """What of a wire's series `queue` means from a time on are taken of.

    No more packets leave in a row than were there, so that an arrival before that time is among it.
    """
    first = int(np.searchsorted(queue["time_s"], from_s, side="right"))
    begin = max(first - int(queue["packets"].max()) - 2, 0)
    return Table({name: values[begin:] for name, values in queue.items()})


def queue_samples(queue: Table) -> Samples:
    """Arrivals of the series `queue` of a wire."""
    came = np.diff(queue["packets"].astype(float), prepend=0.0) > 0
    return Samples(queue["time_s"][came], queue["bytes"][came].astype(float))


def queue_trajectory(queue: Table) -> Trajectory:
    """The series `queue` of a wire."""
    return Trajectory(queue["time_s"], queue["bytes"].astype(float))


def of_flow(series: Table, flow: int, column: str) -> Trajectory:
    """A column of a flow's own rows: `window_bytes` or `number` of `acks`, `cwnd_bytes` of `cwnd`."""
    own = series.where(series["flow"] == flow)
    return Trajectory(own["time_s"], own[column].astype(float))


def growth_per_s(count: Trajectory, from_s: float, to_s: float) -> float:
    """By how much a count grew between two times, a second: `number` of `acks` gives bytes/s.

    >>> growth_per_s(Trajectory(np.array([0.0, 2.0]), np.array([0.0, 3000.0])), 1.0, 3.0)
    1500.0
    """
    before, after = count.at(np.array([from_s, to_s]))
    return float((after - before) / (to_s - from_s))
