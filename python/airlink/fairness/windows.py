"""Rates of flows, users or queues in windows of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from airlink.engine import Progress, RequestError
from airlink.fairness.arrival import goodput_of_flows
from airlink.fairness.presence import Spans, presence_of_flows, time_within, united
from airlink.result import Result, Table
from airlink.result.rerun import recorded
from airlink.result.selection import checked_interval, chosen_replica
from airlink.scenario import Scenario
from airlink.scenario.sections import Pages, Requests, Sessions

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Member = Literal["flow", "user", "queue"]
"""What has a rate."""

WIDER: Sequence[Member] = ("flow", "user", "queue")
"""Each belongs to one of the next."""

MOST_WINDOWS = 1_000_000
NANO = 9
"""Decimals of a second that times of a run have."""


@dataclass(frozen=True)
class History:
    """What one replica's flows got, and when they were there.

    Attributes
    ----------
    replica, seed : which.
    begin_s, end_s : the time that the tables of its result refer to, s.
    owners : of "flow", "user" and "queue", array [flow]: to which each flow belongs.
    goodput : of each flow (time_s [part], bytes [part]).
    presence : of each flow, when it was there.
    """

    replica: int
    seed: int
    begin_s: float
    end_s: float
    owners: dict[Member, Ints]
    goodput: Sequence[tuple[Floats, Ints]]
    presence: Sequence[Spans]


def rates(  # noqa: PLR0913 - one argument per choice
    result: Result,
    window_s: float,
    *,
    step_s: float | None = None,
    of: Member = "flow",
    replica: int | None = None,
    start_s: float | None = None,
    stop_s: float = float("inf"),
    progress: Progress | None = None,
) -> Table:
    r"""How fast each flow, user or queue was in each window of time.

    .. math:: x_i(k) = 8 \, B_i(t_k, t_k + w] \, / \, T_i(t_k, t_k + w)

    with B the payload that reached the application in order, each byte once, and T the time that the flow was there. A
    user or queue is there while one of its flows is.

    Parameters
    ----------
    result : any run. What it lacks of "packets" (of sessions also "downloads") is simulated again.
    window_s : length w of a window, s, above 0.
    step_s : from a window's beginning to the next one's, s, above 0. Default `window_s`: windows follow one another,
        the last ends with the stretch. Otherwise all of them are whole.
    of : "flow" (default), "user" or "queue". In a cell each user has a queue; a bottleneck, or a cell's one queue for
        all, is queue 0.
    replica : which; default all.
    start_s, stop_s : the stretch, s; default what was measured: after the warm-up.
    progress : of simulating again, called with (finished, total).

    Returns
    -------
    Table: a row per replica, window and member that was there in it: replica, seed, time_s (the window's beginning,
    which is no part of it; its end is), width_s, then flow, user and queue (of users: user and queue; of queues:
    queue), present_s (T), goodput_bytes (B) and goodput_bps (x).

    Raises
    ------
    RequestError : a window or step not above 0, more than 1 000 000 windows, no such replica, an empty stretch.
    ResultError : simulating again does not give the same numbers.

    Examples
    --------
    >>> import airlink
    >>> result = airlink.run(airlink.scenario.ready("dumbbell", ["duration_s=4", "users=2"]))
    >>> table = rates(result, 0.5)
    >>> table.rows, int(table["goodput_bytes"].sum()) == int(result.flows["goodput_bytes"].sum())
    (16, True)
    """
    parts = []
    for past in histories(result, replica, progress):
        first = past.begin_s if start_s is None else start_s
        low_s, high_s = checked_interval(result.scenario, first, stop_s)
        parts.append(rates_of(past, of, *windows(low_s, high_s, window_s, step_s)))
    return stacked(parts)


def whole(past: Sequence[History], of: Member = "flow") -> Table:
    """The rates of each replica over all that was measured: one window."""
    parts = [rates_of(each, of, np.array([each.begin_s]), np.array([each.end_s])) for each in past]
    return stacked(parts)


def stacked(parts: Sequence[Table]) -> Table:
    """Tables of the same columns below one another."""
    return Table({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})


def histories(result: Result, replica: int | None = None, progress: Progress | None = None) -> list[History]:
    """What the flows of one replica got, or of all."""
    chosen = range(len(result.replicas)) if replica is None else [replica]
    return [_history(result, each, progress) for each in chosen]


def series_needed(scenario: Scenario) -> list[str]:
    """The series that rates are made of."""
    pages = any(isinstance(group.traffic, Sessions | Requests | Pages) for group in scenario.flows)
    return ["packets", "downloads"] if pages else ["packets"]


def windows(start_s: float, stop_s: float, window_s: float, step_s: float | None = None) -> tuple[Floats, Floats]:
    """Where the windows of a stretch begin and end, s.

    >>> [edges.tolist() for edges in windows(1.0, 2.0, 0.4)]
    [[1.0, 1.4, 1.8], [1.4, 1.8, 2.0]]
    >>> [edges.tolist() for edges in windows(1.0, 2.0, 0.4, 0.2)]
    [[1.0, 1.2, 1.4, 1.6], [1.4, 1.6, 1.8, 2.0]]
    """
    step = window_s if step_s is None else step_s
    for name, value in (("window_s", window_s), ("step_s", step)):
        if not 0 < value < float("inf"):
            raise RequestError(f"{name} is {value:g}; it must be above 0")
    length, slack = stop_s - start_s, 1e-9 * step
    whole = (length - window_s + slack) // step + 1
    count = max(whole, 0) if step_s is not None else -((slack - length) // step)
    if not 1 <= count <= MOST_WINDOWS:
        raise RequestError(
            f"windows of {window_s:g} s every {step:g} s: {count:.7g} of them lie from {start_s:g} to {stop_s:g} s; "
            f"1 to {MOST_WINDOWS} can"
        )
    begin = start_s + step * np.arange(int(count))
    return np.round(begin, NANO), np.round(np.minimum(begin + window_s, stop_s), NANO)


def rates_of(past: History, of: Member, begin_s: Floats, end_s: Floats) -> Table:
    """The rates of one replica's members in these windows; rows by window, then by member."""
    owners = past.owners[of]
    rows = [_member(past, np.flatnonzero(owners == member), begin_s, end_s) for member in np.unique(owners)]
    which = [np.full(window.size, member) for member, (window, _, _) in zip(np.unique(owners), rows, strict=True)]
    if not rows:
        rows, which = [(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0, dtype=np.int64))], [np.zeros(0, int)]
    window, present, got = (np.concatenate(column) for column in zip(*rows, strict=True))
    member = np.concatenate(which)
    order = np.lexsort((member, window))
    window, member, present, got = window[order], member[order], present[order], got[order]
    columns: dict[str, NDArray[Any]] = {
        "replica": np.full(window.size, past.replica),
        "seed": np.full(window.size, past.seed, dtype=np.uint64),
        "time_s": begin_s[window],
        "width_s": end_s[window] - begin_s[window],
        **_names(past, of, member),
        "present_s": present,
        "goodput_bytes": got,
        "goodput_bps": 8 * got / present,
    }
    return Table(columns)


def _names(past: History, of: Member, member: Ints) -> dict[str, Ints]:
    """Whose a row is, and what that belongs to."""
    wider = WIDER[WIDER.index(of) :]
    owners = past.owners[of]
    example = {int(each): int(flow) for each, flow in zip(*np.unique(owners, return_index=True), strict=True)}
    flow = np.array([example[int(each)] for each in member], dtype=np.int64)
    return {name: past.owners[name][flow] for name in wider}


def _member(past: History, flows: Ints, begin_s: Floats, end_s: Floats) -> tuple[Ints, Floats, Ints]:
    """The windows in which one of the flows was there, for how long, and the bytes they got."""
    spans = united(np.concatenate([past.presence[flow] for flow in flows]))
    if spans.shape[0] == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0, dtype=np.int64)
    near = np.arange(np.searchsorted(end_s, spans[0, 0], "right"), np.searchsorted(begin_s, spans[-1, 1]))
    present = np.minimum(time_within(spans, begin_s[near], end_s[near]), end_s[near] - begin_s[near])
    kept = present > 0
    near, present = near[kept], present[kept]
    got = np.zeros(near.size, dtype=np.int64)
    for flow in flows:
        time_s, sizes = past.goodput[flow]
        until = np.concatenate(([0], np.cumsum(sizes)))
        low, high = (np.searchsorted(time_s, edges[near], "right") for edges in (begin_s, end_s))
        got += until[high] - until[low]
    return near, present, got


def _history(result: Result, replica: int, progress: Progress | None) -> History:
    stored = chosen_replica(result, replica)
    series = recorded(result, series_needed(result.scenario), replica, progress)
    packets, end_s = series["packets"], result.scenario.duration_s
    flows = np.arange(len(stored.flows["flow"]))
    users = np.asarray(stored.flows["user"], dtype=np.int64)
    return History(
        replica=replica,
        seed=stored.seed,
        begin_s=round(end_s - float(stored.cell["measured_s"]), NANO),
        end_s=end_s,
        owners={"flow": flows, "user": users, "queue": np.zeros_like(users) if one_queue(result.scenario) else users},
        goodput=list(goodput_of_flows(result, replica, packets)),
        presence=presence_of_flows(result, replica, packets, series.get("downloads")),
    )


def one_queue(scenario: Scenario) -> bool:
    """Whether all users share one queue."""
    return scenario.bottleneck is not None or getattr(scenario.queue, "scope", "user") == "cell"
