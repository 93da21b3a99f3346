"""Checks between fields: what each field allows by itself but the whole does not.

Leaves out checks of single fields (their types hold them) and of trace files (`traces`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..errors import Problem
from ..fields import number_text
from ..sections import Flow, ScenarioFields
from . import cell, tcp, traffic, wired

MOST_FLOWS_PER_USER = 64


def check(scenario: ScenarioFields) -> Iterator[Problem]:
    """Every mistake between fields."""
    yield from wired.check(scenario)
    if scenario.warmup_s >= scenario.duration_s:
        message = f"must be below duration_s ({number_text(scenario.duration_s)})"
        yield Problem("warmup_s", scenario.warmup_s, message, ("duration_s",))
    radio = scenario.radio()
    if radio is not None:
        yield from cell.check(scenario, radio)
    yield from cell.experimental(scenario)
    yield from _flows(scenario)


def _flows(scenario: ScenarioFields) -> Iterator[Problem]:
    for index, flow in enumerate(scenario.flows):
        yield from _users(scenario, f"flows.{index}", flow)
        yield from _start_and_stop(scenario, f"flows.{index}", flow)
        yield from traffic.check(f"flows.{index}.traffic", flow.traffic)
        if flow.has_tcp():
            yield from tcp.check(f"flows.{index}.tcp", flow.tcp)
        yield from traffic.check_direction(f"flows.{index}", flow)
    yield from traffic.check_files(scenario)
    yield from traffic.check_in_flight(scenario)
    yield from traffic.check_endpoints(scenario)
    yield from _flows_per_user(scenario)


def _users(scenario: ScenarioFields, path: str, flow: Flow) -> Iterator[Problem]:
    if isinstance(flow.users, str):
        return
    seen: set[int] = set()
    for place, user in enumerate(flow.users):
        if user >= scenario.users:
            message = f"must be a user from 0 to {scenario.users - 1} (users = {scenario.users})"
            yield Problem(f"{path}.users.{place}", user, message, ("users",))
        if user in seen:
            message = "is in the list twice; write another [[flows]] for a second flow of a user"
            yield Problem(f"{path}.users.{place}", user, message)
        seen.add(user)


def _start_and_stop(scenario: ScenarioFields, path: str, flow: Flow) -> Iterator[Problem]:
    if flow.start_s >= scenario.duration_s:
        message = f"must be below duration_s ({number_text(scenario.duration_s)})"
        yield Problem(f"{path}.start_s", flow.start_s, message, ("duration_s",))
    latest = flow.start_s + flow.start_spread_s
    if flow.stop_s <= latest:
        message = f"must be above start_s + start_spread_s ({number_text(latest)})"
        yield Problem(f"{path}.stop_s", flow.stop_s, message, (f"{path}.start_s", f"{path}.start_spread_s"))


def _flows_per_user(scenario: ScenarioFields) -> Iterator[Problem]:
    for_all = sum(flow.users == "all" for flow in scenario.flows)
    listed = Counter(user for flow in scenario.flows if not isinstance(flow.users, str) for user in flow.users)
    most = for_all + max(listed.values(), default=0)
    if most > MOST_FLOWS_PER_USER:
        message = f"gives a user {most} flows; must be at most {MOST_FLOWS_PER_USER} per user"
        yield Problem("flows", "[[flows]] x " + str(len(scenario.flows)), message)
