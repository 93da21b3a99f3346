"""A cell over time: who got which slot, how much of the band, how fast each user's packets arrived and how late.

Left out: how it is drawn (`airlink.plots.cell_figure`, `cell_page`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airlink.engine import Progress
from airlink.plots.excerpt import Excerpt, excerpt
from airlink.plots.losses import lost_words, recovery_of, unit_lost
from airlink.plots.users import NAMED_USERS, Users, users_of
from airlink.result import Result, Table
from airlink.result.rerun import recorded
from airlink.result.selection import FEWEST_BINS, of_direction, round_width, within
from airlink.scenario import Scenario
from airlink.tables import DELIVERED, DOWN, DROP_REASONS

__all__ = ["KINDS", "NAMED_USERS", "CellView", "cell_view"]

KINDS = ("slots", "packets")
"""Series that a view is made of."""

QUANTILE = 0.95
FEWEST_SLOTS = 3
"""So many slots a user wins in a bin in the mean, if the stretch is long enough."""

ON_AIR = tuple(reason.fate for reason in DROP_REASONS if reason.name in ("air_error", "retry_limit"))
"""Fates of packets that the radio lost for good."""


@dataclass(frozen=True)
class CellView(Excerpt):
    """All users of one replica, in a stretch of time.

    Attributes
    ----------
    users : how many.
    bin_s : width of a bin of `rates` and `delays`.
    slots : a row per slot that somebody won, and of several subchannels per user who won any: time_s, user, rate_bps,
        sent_bytes, error (0/1). Empty with a bottleneck.
    band : as rates: percent, of the subchannels of the bin's slots those that the user won. Empty with one subchannel.
    rates : a row per user and bin: time_s (the bin's beginning), user, delivered_bps: bits of packets that reached the
        user in the bin, headers and retransmissions included.
    delays : as rates: mean_s and p95_s of the time from a delivered packet's entry into the queue to its delivery, by
        the bin of its delivery; NaN where nothing was delivered.
    outcomes : as rates: won, carried, failed: slots that the user won, those that carried data, and those of them of
        which the frame or a block was lost; percent, of the bin's slots (of several subchannels, of these) those won;
        waiting (0/1), whether a packet was in the user's queue or on air.
    lost : a row per packet that the radio lost for good: time_s, user.
    recovery : what sends a lost frame or block again: "HARQ", "ARQ" or, if nothing does, "".
    who : the users in words, and their order.
    """

    users: int
    bin_s: float
    slots: Table
    band: Table
    rates: Table
    delays: Table
    outcomes: Table
    lost: Table
    recovery: str
    who: Users

    @property
    def lost_words(self) -> str:
        """What is lost where a slot has an error."""
        return lost_words(self.recovery)

    @property
    def unit_lost(self) -> str:
        """What is lost as one."""
        return unit_lost(self.recovery)


def cell_view(
    result: Result,
    *,
    replica: int = 0,
    start_s: float = 0.0,
    stop_s: float = float("inf"),
    bin_s: float | None = None,
    progress: Progress | None = None,
) -> CellView:
    """What is to be seen of a cell, or of a wired bottleneck and its users.

    Parameters
    ----------
    result : any run. If it lacks "slots" or "packets", the replica is simulated again.
    replica : which, default 0.
    start_s, stop_s : the stretch, s, default the whole run; it ends with the run at the latest.
    bin_s : width of a bin, s, above 0; default 1, 2 or 5 times a power of 10, for 40 to 80 bins or somewhat more, or
        for 10 or more in which a user wins 3 slots in the mean. The last bin is cut off where the stretch ends, and
        its rate is that of its own width.
    progress : of simulating again, called with (finished, total).

    Returns
    -------
    CellView.

    Raises
    ------
    RequestError : no such replica; an empty stretch or one outside the run.
    ResultError : simulating again does not give the same numbers.

    Examples
    --------
    >>> import airlink
    >>> view = cell_view(airlink.run(airlink.scenario.ready("dumbbell", ["duration_s=2"])))
    >>> view.bin_s, view.rates.rows, view.slots.rows
    (0.05, 40, 0)
    """
    part = excerpt(result, replica, start_s, stop_s)
    start_s, stop_s, stored = part["start_s"], part["stop_s"], result.replicas[replica]
    series = recorded(result, KINDS, replica, progress)
    width_s = bin_s or _width(series, start_s, stop_s, len(stored.users["user"]))
    edges = np.append(np.arange(start_s, stop_s - 1e-9 * width_s, width_s), stop_s)
    users = len(stored.users["user"])
    packets = of_direction(series["packets"], DOWN)
    series = {**series, "packets": packets}
    ended = packets["ended_s"]
    several = "subchannel_slots" in stored.cell
    each = int(stored.cell["subchannel_slots"]) / max(int(stored.cell["slots"]), 1) if several else 1.0
    outcomes = _outcomes(series, edges, users, each)
    arrived = packets.where((packets["fate"] == DELIVERED) & within(ended, result.scenario, start_s, stop_s))
    return CellView(
        **part,
        users=users,
        bin_s=width_s,
        slots=_slots(series, start_s, stop_s),
        band=Table({name: outcomes[name][: None if several else 0] for name in ("time_s", "user", "percent")}),
        rates=_rates(arrived, edges, users),
        delays=_delays(arrived, edges, users),
        outcomes=outcomes,
        lost=_lost(packets, result.scenario, start_s, stop_s),
        recovery=recovery_of(result.scenario),
        who=users_of(result.scenario, stored),
    )


def _width(series: dict[str, Table], start_s: float, stop_s: float, users: int) -> float:
    """Of a bin: as short as there are slots in it to tell users apart by, but for the shortest stretches."""
    length_s = stop_s - start_s
    won = _slots(series, start_s, stop_s).rows
    if won == 0:
        return round_width(length_s)
    wanted_s = FEWEST_SLOTS * users * length_s / won
    widths = [round_width(length_s * FEWEST_BINS / bins) for bins in (FEWEST_BINS, 20, 10)]
    return next((width_s for width_s in widths if width_s >= wanted_s), widths[-1])


def _slots(series: dict[str, Table], start_s: float, stop_s: float) -> Table:
    names = ("time_s", "user", "rate_bps", "sent_bytes", "error")
    if "slots" not in series:
        return Table({name: np.zeros(0) for name in names})
    rows = series["slots"]
    rows = rows.where((rows["user"] >= 0) & (rows["time_s"] >= start_s) & (rows["time_s"] < stop_s))
    return Table({name: rows[name] for name in names})


def _outcomes(series: dict[str, Table], edges: NDArray[Any], users: int, each: float) -> Table:
    """What became of each user's slots in each bin; `each` is how many subchannels a slot has."""
    bins = edges.size - 1
    count = users * bins
    waiting = _waiting(series["packets"], edges, users)
    none = np.zeros(count, dtype=np.int64)
    if "slots" not in series:
        return Table(
            {**_keys(edges, users), "won": none, "carried": none, "failed": none, "percent": 0.0 * none}
            | {"waiting": waiting}
        )
    rows = series["slots"]
    rows = rows.where((rows["time_s"] >= edges[0]) & (rows["time_s"] < edges[-1]))
    of = np.tile(np.histogram(np.unique(rows["time_s"]), edges)[0], users) * each
    won = rows.where(rows["user"] >= 0)
    place = won["user"].astype(np.int64) * bins + np.searchsorted(edges[:-1], won["time_s"], side="right") - 1
    had = np.bincount(place, weights=won.get("subchannels"), minlength=count)
    return Table(
        {
            **_keys(edges, users),
            "won": np.bincount(place, minlength=count),
            "carried": np.bincount(place[won["sent_bytes"] > 0], minlength=count),
            "failed": np.bincount(place[won["error"] != 0], minlength=count),
            "percent": 100 * np.divide(had, of, out=np.zeros(count), where=of > 0),
            "waiting": waiting,
        }
    )


def _waiting(packets: Table, edges: NDArray[Any], users: int) -> NDArray[np.bool_]:
    """Whether a user had a packet at the base station, by user and bin."""
    bins = edges.size - 1
    inside = packets.where(~np.isnan(packets["queued_s"]) & (packets["queued_s"] < edges[-1]))
    ended = np.where(np.isnan(inside["ended_s"]), np.inf, inside["ended_s"])
    inside, ended = inside.where(ended > edges[0]), ended[ended > edges[0]]
    first = np.maximum(np.searchsorted(edges[:-1], inside["queued_s"], side="right") - 1, 0)
    last = np.searchsorted(edges[:-1], ended, side="left") - 1
    user = inside["user"].astype(np.int64) * (bins + 1)
    steps = np.bincount(user + first, minlength=users * (bins + 1)) - np.bincount(
        user + np.maximum(last, first) + 1, minlength=users * (bins + 1)
    )
    return np.asarray(np.cumsum(steps.reshape(users, bins + 1), axis=1)[:, :-1].ravel() > 0)


def _lost(packets: Table, scenario: Scenario, start_s: float, stop_s: float) -> Table:
    own = np.isin(packets["fate"], ON_AIR) & within(packets["ended_s"], scenario, start_s, stop_s)
    return Table({"time_s": packets["ended_s"][own], "user": packets["user"][own]})


def _rates(arrived: Table, edges: NDArray[Any], users: int) -> Table:
    where = _cell_of(arrived, edges)
    bits = np.bincount(where, weights=8.0 * arrived["bytes"], minlength=users * (edges.size - 1))
    return Table({**_keys(edges, users), "delivered_bps": bits / np.tile(np.diff(edges), users)})


def _delays(arrived: Table, edges: NDArray[Any], users: int) -> Table:
    where = _cell_of(arrived, edges)
    delay = arrived["ended_s"] - arrived["queued_s"]
    count = np.bincount(where, minlength=users * (edges.size - 1))
    total = np.bincount(where, weights=delay, minlength=count.size)
    ordered = delay[np.lexsort((delay, where))]
    place = np.cumsum(count) - count + np.ceil(QUANTILE * count).astype(np.int64) - 1
    some = count > 0
    mean, high = np.full(count.size, np.nan), np.full(count.size, np.nan)
    mean[some] = total[some] / count[some]
    high[some] = ordered[place[some]]
    return Table({**_keys(edges, users), "mean_s": mean, "p95_s": high})


def _cell_of(arrived: Table, edges: NDArray[Any]) -> NDArray[np.int64]:
    """The number of user and bin of each packet."""
    bins = np.searchsorted(edges[:-1], arrived["ended_s"], side="right") - 1
    return np.asarray(arrived["user"] * (edges.size - 1) + bins, dtype=np.int64)


def _keys(edges: NDArray[Any], users: int) -> dict[str, NDArray[Any]]:
    bins = edges.size - 1
    return {"time_s": np.tile(edges[:-1], users), "user": np.repeat(np.arange(users), bins)}
