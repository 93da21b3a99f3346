"""What pilot runs deliver over time, as a series that shows when their start is over.

Two quantities are followed, in equal bins of the whole run: the bytes delivered, or what delivered packets waited.
Where a measure is of users or flows one by one, each user counts relative to its own total, so that weak users show
their start as well as strong ones. Left out: that goodput does not count bytes delivered twice; both settle alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airlink.engine import Columns, Replica
from airlink.measures import Measure
from airlink.tables import DELIVERED, DOWN, UP

Floats = NDArray[np.float64]

BINS = 500
"""Of a run; MSER-5 cuts at a multiple of five of them, 1 % of the run."""

FEWEST = 50
"""Bins that MSER-5 needs."""

COARSER = (1, 2, 5, 10)
"""Bins taken together until each has a packet."""

DELAYS = ("queueing_delay", "hol_delay", "rtt")
BY_USER = ("jain_index", "jain_index_up", "cell_edge_goodput_bps", "mean_log10_goodput_kBps", "min_max_resource_share")
"""Numbers of the cell that each user has an equal part in."""


@dataclass(frozen=True)
class Quantity:
    """What is followed over time.

    Attributes
    ----------
    text : in words.
    is_delay : what packets waited; else what was delivered.
    by_user : each user relative to its own total.
    member : only packets of this one.
    of_flow : the member is a flow, not a user.
    up : what users send; else what goes to them.
    """

    text: str
    is_delay: bool
    by_user: bool = False
    member: int | None = None
    of_flow: bool = False
    up: bool = False


def quantity_of(measure: Measure) -> Quantity:
    """What shows the start of what a measure is of.

    Examples
    --------
    >>> from airlink.measures import measure
    >>> quantity_of(measure("cell.queueing_delay_p95_s")).text
    'the delay of the packets of the cell'
    """
    is_delay, up = measure.column.startswith(DELAYS), measure.column.endswith(("_up_bps", "_up_bytes", "_up"))
    if measure.member is not None:
        whose = f"{measure.population[:-1]} {measure.member}"
        text = (
            f"the delay of the packets of {whose}" if is_delay else f"the rate that {whose} {'sends' if up else 'gets'}"
        )
        return Quantity(text, is_delay, member=measure.member, of_flow=measure.population == "flows", up=up)
    if is_delay:
        return Quantity("the delay of the packets of the cell", True)
    if measure.population != "cell" or measure.column in BY_USER:
        text = f"the rate that each user {'sends' if up else 'gets'}, relative to its mean"
        return Quantity(text, False, by_user=True, up=up)
    return Quantity("the rate at which users send" if up else "the rate at which the cell delivers", False, up=up)


@dataclass(frozen=True)
class Binned:
    """A quantity of pilot runs over time, as ratios of two sums.

    Attributes
    ----------
    sums, weights : arrays [pilot, bin]; their ratio is the quantity, where the weight is above 0.
    first : bins before these, in which nothing was delivered.
    bin_s : length of a bin, s.
    """

    sums: Floats
    weights: Floats
    first: int
    bin_s: float

    @property
    def mean(self) -> Floats:
        """The quantity of all pilots together: array [bin]."""
        return np.asarray(self.sums.sum(axis=0) / self.weights.sum(axis=0))

    def over(self, part: slice) -> Floats:
        """The quantity of each pilot over some bins: array [pilot], NaN where nothing was delivered."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.sums[:, part].sum(axis=1) / self.weights[:, part].sum(axis=1))


def binned(replica: Replica, quantity: Quantity, duration_s: float, bins: int) -> tuple[Floats, Floats]:
    """Sums and weights of one run in equal bins; `packets` must be recorded."""
    packets = _delivered(replica, quantity)
    places = np.minimum((packets["ended_s"] / duration_s * bins).astype(np.int64), bins - 1)
    if quantity.is_delay:
        waited_s = packets["ended_s"] - packets["queued_s"]
        return _sums(places, waited_s, bins), _sums(places, np.ones(places.size), bins)
    size = packets["bytes"].astype(float)
    if quantity.by_user:
        size = size / np.bincount(packets["user"], size)[packets["user"]]
    return _sums(places, size, bins), np.ones(bins)


def _sums(places: NDArray[np.int64], values: Floats, bins: int) -> Floats:
    return np.asarray(np.bincount(places, values, bins), dtype=float)


def _delivered(replica: Replica, quantity: Quantity) -> Columns:
    rows = replica.series["packets"]
    chosen = np.asarray(rows["fate"]) == DELIVERED
    if "direction" in rows:
        chosen &= np.asarray(rows["direction"]) == (UP if quantity.up else DOWN)
    if quantity.member is not None:
        chosen &= np.asarray(rows["flow" if quantity.of_flow else "user"]) == quantity.member
    return {name: np.asarray(rows[name])[chosen] for name in ("user", "bytes", "queued_s", "ended_s")}


def together(pilots: Sequence[tuple[Floats, Floats]], duration_s: float) -> Binned | None:
    """The series of all pilots, in bins as fine as their packets allow; None with too few packets.

    Bins before the first packet and after the last one are left out where there is nothing to measure in them.
    """
    sums, weights = (np.stack(parts) for parts in zip(*pilots, strict=True))
    bins = sums.shape[1]
    for factor in COARSER:
        if bins % factor:
            continue
        coarse_sums, coarse_weights = (each.reshape(len(pilots), -1, factor).sum(axis=2) for each in (sums, weights))
        (there,) = np.nonzero(coarse_weights.sum(axis=0))
        if there.size < FEWEST:
            return None
        if there.size == there[-1] - there[0] + 1:
            kept = slice(there[0], there[-1] + 1)
            bin_s = duration_s * factor / bins
            return Binned(coarse_sums[:, kept], coarse_weights[:, kept], int(there[0]), bin_s)
    return None
