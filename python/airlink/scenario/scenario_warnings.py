"""Warnings of a scenario that can be run: what is set and has no effect, and what can never be served.

`warnings_of` has them as data, for the command line and for --json; `warn` tells them through Python's `warnings`.
Leaves out mistakes, which stop a run (`validation`).
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from .errors import NOTHING, Problem
from .idle_cell import BOTTLENECK, CELL, SCENARIO, UPSTREAM
from .idle_fields import Idle, idle
from .idle_tcp import FLOW, IMPAIRMENTS, TCP, usual
from .introspection import child
from .never_served import empty_series, never_served
from .scenario import Scenario
from .sections import Backlogged, Flow, Impairments

MOST_PLACES = 4
"""Groups of flows that one warning names."""

MOST_TOLD = 100
"""Warnings of one scenario, as many as mistakes."""


class ScenarioWarning(UserWarning):
    """A scenario runs, but a field of it has no effect, or what it asks for can't happen."""


OF_OWN_SCHEDULERS = ("scheduler.weight", "scheduler.delay_budget_ms")
"""Fields that only a scheduler of the user's own may look at."""


def warnings_of(
    scenario: Scenario, record: Sequence[str] = (), base: Scenario | None = None, has_own_scheduler: bool = False
) -> list[Problem]:
    """What is set and has no effect, and what can never be served; one entry for each, the same of several flows once.

    With `record`, also which of these kinds of series stay empty. With `base`, a ready scenario that this one was made
    of, fields that hold what they hold there are not told: nobody set them. A scheduler of the user's own may look at
    fields that no built-in one does.

    Examples
    --------
    >>> from airlink.scenario import ready
    >>> print(*warnings_of(ready("k3", ["queue.codel.target_ms=20"])))
    queue.codel.target_ms = 20.0: has no effect unless queue.kind = "codel"; set that, or leave this out
    """
    idle_ones = [_warning(each) for each in map(partial(_without, base), idle_fields(scenario)) if each.values]
    told = _merged([*idle_ones, *never_served(scenario), *empty_series(scenario, record)])
    told = [each for each in told if not (has_own_scheduler and each.path in OF_OWN_SCHEDULERS)]
    more = len(told) - MOST_TOLD
    return told if more <= 0 else [*told[:MOST_TOLD], Problem("", NOTHING, f"and {more} more warnings")]


def warn(
    scenarios: Iterable[Scenario], record: Sequence[str], stacklevel: int, has_own_scheduler: bool = False
) -> None:
    """Tells each warning of the scenarios once, as a `ScenarioWarning` of the caller that is `stacklevel` calls up."""
    told = (warnings_of(scenario, record, None, has_own_scheduler) for scenario in scenarios)
    for text in dict.fromkeys(str(each) for of_one in told for each in of_one):
        warnings.warn(text, ScenarioWarning, stacklevel=stacklevel + 1)


def idle_fields(scenario: Scenario) -> Iterator[Idle]:
    """The fields that are set and have no effect."""
    yield from idle(SCENARIO, scenario, scenario, "", None)
    radio = scenario.radio()
    if radio is not None:
        yield from idle(CELL, radio, scenario, "", None)
    bottleneck, upstream = scenario.bottleneck, scenario.upstream
    if bottleneck is not None:
        yield from idle(BOTTLENECK, bottleneck, bottleneck, "bottleneck", None)
        yield from _of_a_wire(bottleneck.impairments, "bottleneck.impairments")
    for index, hop in enumerate(scenario.hops):
        yield from idle(BOTTLENECK, hop, hop, f"hops.{index}", None)
        yield from _of_a_wire(hop.impairments, f"hops.{index}.impairments")
    if upstream is not None:
        yield from idle(UPSTREAM, upstream, upstream, "upstream", None)
    for index, flow in enumerate(scenario.flows):
        yield from _of_a_flow(flow, f"flows.{index}")


def _of_a_flow(flow: Flow, path: str) -> Iterator[Idle]:
    held = usual(flow.tcp)
    yield from idle(FLOW, flow, flow, path, held)
    if not isinstance(flow.traffic, Backlogged):
        if flow.has_tcp():
            yield from idle(TCP, flow.tcp, flow.tcp, f"{path}.tcp", held.tcp)
        yield from _of_a_wire(flow.path.downlink_impairments, f"{path}.path.downlink_impairments")
        yield from _of_a_wire(flow.path.uplink_impairments, f"{path}.path.uplink_impairments")


def _of_a_wire(impairments: Impairments | None, path: str) -> Iterator[Idle]:
    if impairments is not None:
        yield from idle(IMPAIRMENTS, impairments, impairments, path, None)


def _without(base: Scenario | None, each: Idle) -> Idle:
    """The same without fields that hold what they hold in `base`."""
    if base is None:
        return each
    own = {name: value for name, value in each.values.items() if _held(base, f"{each.path}.{name}") != value}
    return replace(each, values=own)


def _held(scenario: Scenario, path: str) -> object:
    held: object = scenario
    for step in path.strip(".").split("."):
        held = child(held, int(step) if step.isdigit() else step)
    return held


def _warning(each: Idle) -> Problem:
    """The warning of one rule: of one field by its path, of several by the table that they have in common."""
    paths = [[*each.path.split(".")] * bool(each.path) + name.split(".") for name in each.values]
    alike = sum(1 for _ in itertools.takewhile(lambda steps: len(set(steps)) == 1, zip(*paths, strict=False)))
    shared = len(paths[0]) if len(paths) == 1 else alike
    values = {".".join(path[shared:]): value for path, value in zip(paths, each.values.values(), strict=True)}
    path, value = ".".join(paths[0][:shared]), values if len(paths) > 1 else next(iter(values.values()))
    return Problem(path, value, f"has no effect {each.why}")


def _merged(problems: Iterable[Problem]) -> list[Problem]:
    """What several groups of flows have in common is reported once, with the numbers of the others."""
    groups: dict[tuple[str, str, str], list[Problem]] = {}
    for problem in problems:
        steps = problem.path.split(".")
        below = ".".join(["*", *steps[2:]]) if steps[0] == "flows" and len(steps) > 1 else problem.path
        groups.setdefault((below, repr(problem.value), problem.message), []).append(problem)
    return [_one_of(alike) for alike in groups.values()]


def _one_of(alike: list[Problem]) -> Problem:
    first = alike[0]
    if len(alike) == 1:
        return first
    others = [f"flows.{problem.path.split('.')[1]}" for problem in alike[1:]]
    named = ", ".join(others[:MOST_PLACES]) + ", ..." * (len(others) > MOST_PLACES)
    return Problem(first.path, first.value, f"{first.message} (also {named})")
