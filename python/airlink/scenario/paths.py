"""The wired queues that packets of a group of flows pass, in their order.

Leaves out the cell, and the wires of the flows themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .sections import Bottleneck, Flow, Hop, ScenarioFields, Upstream


def named(scenario: ScenarioFields, names: Sequence[str]) -> list[Hop]:
    """The hops of these names, without names that no hop has."""
    by_name = {hop.name: hop for hop in reversed(scenario.hops)}
    return [by_name[name] for name in names if name in by_name]


def queues(scenario: ScenarioFields, flow: Flow) -> list[Hop | Upstream | Bottleneck]:
    """The queues on the way to the user: hops, [upstream] and the bottleneck."""
    found: list[Hop | Upstream | Bottleneck] = [*named(scenario, flow.path.hops)]
    if flow.path.upstream and scenario.upstream is not None:
        found.append(scenario.upstream)
    if scenario.bottleneck is not None:
        found.append(scenario.bottleneck)
    return found
