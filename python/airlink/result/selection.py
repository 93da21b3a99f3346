"""What of a result is asked for: a flow, a replica, a stretch of time. What isn't there is refused in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from airlink.execute import Replica, RequestError
from airlink.result.result import Result
from airlink.scenario import Scenario
from airlink.scenario.sections import Flow

MOST_LISTED = 12
"""Flows that a message names."""

FEWEST_BINS = 40
"""Bins that a stretch of time is cut into, or somewhat more."""


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
    """The number of the flow that is asked for: of a user with several the first, unless `flow` names one.

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
    """Numbers of flows in words: of thousands of files the first few."""
    shown = ", ".join(map(str, flows[:MOST_LISTED]))
    return shown if len(flows) <= MOST_LISTED else f"{shown} and {len(flows) - MOST_LISTED} more"


def place_of(scenario: Scenario, replica: Replica, flow: int) -> int:
    """Which entry of `scenario.flows` a flow is one of: numbered in their order, then in that of their users.

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


def group_of(scenario: Scenario, replica: Replica, flow: int) -> Flow:
    """The entry of `scenario.flows` that a flow is one of."""
    return scenario.flows[place_of(scenario, replica, flow)]


def checked_stretch(scenario: Scenario, start_s: float, stop_s: float) -> tuple[float, float]:
    """The stretch of time from `start_s` to before `stop_s`, ended with the run at the latest.

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
    """Which times lie in a checked stretch: up to before its end, and what happens as the run ends in its last one."""
    return (time_s >= start_s) & ((time_s < stop_s) | (stop_s >= scenario.duration_s))


def _range(count: int) -> str:
    if count == 0:
        return "there is none"
    return "there is one, 0" if count == 1 else f"there are {count}, from 0 to {count - 1}"
