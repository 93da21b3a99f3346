"""Selects a flow, a replica or an interval of time from a result; refuses what does not exist in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from airlink.engine import Replica, RequestError, Table
from airlink.result.result import Result
from airlink.scenario import Scenario
from airlink.scenario.sections import Flow
from airlink.tables import DOWN

MOST_LISTED = 12
"""The most flows that a message names."""

FEWEST_BINS = 40
"""The least number of bins of an interval of time."""


def chosen_replica(result: Result, replica: int) -> Replica:
    """The replica of that number.

    Raises
    ------
    RequestError : there is none, with those there are.
    """
    if not 0 <= replica < len(result.replicas):
        raise RequestError(f"replica {replica} does not exist; {_range(len(result.replicas))}")
    return result.replicas[replica]


def chosen_flow(replica: Replica, user: int | None, flow: int | None) -> int:
    """The number of the selected flow: the first flow of the user, unless `flow` names one.

    Raises
    ------
    RequestError : there is none, with those there are.
    """
    users, owners = len(replica.users["user"]), np.asarray(replica.flows["user"])
    if user is not None and not 0 <= user < users:
        raise RequestError(f"user {user} does not exist; {_range(users)}")
    if flow is not None and not 0 <= flow < owners.size:
        raise RequestError(f"flow {flow} does not exist; {_range(owners.size)}")
    if user is None:
        if flow is None:
            raise RequestError("name a user or a flow")
        return flow
    own = flows_of(replica, user)
    if not own:
        raise RequestError(f"user {user} has no flow")
    if flow is not None and flow not in own:
        raise RequestError(f"flow {flow} goes to user {owners[flow]}; user {user} has {listed(own)}")
    return own[0] if flow is None else flow


def flows_of(replica: Replica, user: int) -> list[int]:
    """The numbers of a user's flows."""
    return [int(flow) for flow in np.flatnonzero(np.asarray(replica.flows["user"]) == user)]


def listed(flows: Sequence[int]) -> str:
    """Numbers of flows as text; of many only the first few."""
    shown = ", ".join(map(str, flows[:MOST_LISTED]))
    return shown if len(flows) <= MOST_LISTED else f"{shown} and {len(flows) - MOST_LISTED} more"


def place_of(scenario: Scenario, replica: Replica, flow: int) -> int:
    """The index in `scenario.flows` of a flow's group; flows are numbered by group, then by user.

    Where files arrive at random, results name it: such flows come after all others, as many as there are.
    """
    if "group" in replica.flows:
        return int(replica.flows["group"][flow])
    after = 0
    for place, group in enumerate(scenario.flows):
        after += group.count(scenario.users)
        if flow < after:
            return place
    raise AssertionError("the engine numbers flows as the scenario lists them")


def first_connection(scenario: Scenario, replica: Replica, flow: int) -> int:
    """The flow that stands for the page of a flow: of parallel connections the first, else the flow itself."""
    place = place_of(scenario, replica, flow)
    before = sum(group.count(scenario.users) for group in scenario.flows[:place] if group.traffic.kind != "poisson")
    return flow - (flow - before) % scenario.flows[place].connections


def group_of(scenario: Scenario, replica: Replica, flow: int) -> Flow:
    """The group of `scenario.flows` to which a flow belongs."""
    return scenario.flows[place_of(scenario, replica, flow)]


def of_direction(rows: Table, direction: int) -> Table:
    """The rows of one direction, DOWN or UP, of a series; a result of an earlier version has those to users alone."""
    if "direction" not in rows:
        return rows if direction == DOWN else rows.where(np.zeros(rows.rows, dtype=bool))
    return rows.where(rows["direction"] == direction)


def checked_interval(scenario: Scenario, start_s: float, stop_s: float) -> tuple[float, float]:
    """The interval from `start_s` to before `stop_s`, at most to the end of the run.

    Raises
    ------
    RequestError : nothing of the run lies in it.
    """
    if not 0 <= start_s < scenario.duration_s:
        raise RequestError(f"nothing begins at {start_s:g} s: the run is from 0 to {scenario.duration_s:g} s")
    if not start_s < stop_s:
        raise RequestError(f"nothing lies from {start_s:g} to {stop_s:g} s: the end must be after the beginning")
    return float(start_s), float(min(stop_s, scenario.duration_s))


def round_width(length_s: float) -> float:
    """A bin of 1, 2 or 5 times a power of 10 seconds, so that at least FEWEST_BINS fit into the length.

    >>> round_width(25), round_width(60), round_width(2)
    (0.5, 1.0, 0.05)
    """
    most = length_s / FEWEST_BINS
    power = 10.0 ** np.floor(np.log10(most))
    factor = next(each for each in (5, 2, 1) if each * power <= most * (1 + 1e-9))
    return float(f"{factor * power:.3g}")


def within(time_s: NDArray[np.float64], scenario: Scenario, start_s: float, stop_s: float) -> NDArray[np.bool_]:
    """Which times lie in a checked interval: before its end; the last interval includes the end of the run."""
    return (time_s >= start_s) & ((time_s < stop_s) | (stop_s >= scenario.duration_s))


def _range(count: int) -> str:
    if count == 0:
        return "there is none"
    return "there is one, 0" if count == 1 else f"there are {count}, from 0 to {count - 1}"
