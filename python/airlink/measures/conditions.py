"""Whether a scenario has a measure, said before anything runs.

The engine declares in words where a column is ("only where there is shadowing"); here each of these conditions is
asked of a scenario. Some are of what is recorded, and a measure then records that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from airlink.measures.errors import MeasureError
from airlink.measures.populations import FILES_OR_SESSIONS
from airlink.scenario import Scenario
from airlink.scenario.sections import Tcp, Trace
from airlink.tables.kinds import SEVERAL_SUBCHANNELS

if TYPE_CHECKING:
    from airlink.measures.measure import Measure


def _has_shadowing(scenario: Scenario) -> bool:
    channel = scenario.channel
    if channel is None or channel.shadowing.sd_db == 0:
        return False
    return not (isinstance(channel.placement, Trace) and channel.placement.replays_rates())


def _chooses_drops(scenario: Scenario) -> bool:
    queue = scenario.queue or scenario.bottleneck
    return queue is not None and queue.kind in ("codel", "pie")


def _repeats_frames(scenario: Scenario) -> bool:
    return scenario.link is not None and (scenario.link.has_code_blocks() or scenario.link.arq.unit == "slot")


def _has_newer_rules(scenario: Scenario) -> bool:
    def beyond(tcp: Tcp) -> bool:
        detects = tcp.rules.frto or tcp.rules.eifel_detection or tcp.rules.dsack_detection
        return tcp.sack or tcp.rules.limited_transmit or detects or tcp.reader.kind != "immediate"

    return any(beyond(flow.tcp) for flow in scenario.flows)


def _has_data_up(scenario: Scenario) -> bool:
    return any(flow.direction == "up" or flow.traffic.kind in ("requests", "pages") for flow in scenario.flows)


def _has_impairments(scenario: Scenario) -> bool:
    paths = (flow.path for flow in scenario.flows)
    wires = [each for path in paths for each in (path.downlink_impairments, path.uplink_impairments)]
    return any(each is not None for each in (*wires, *(hop.impairments for hop in scenario.hops)))


def _has_downloads(scenario: Scenario) -> bool:
    return any(flow.traffic.kind in ("file", "poisson", "sessions", "requests", "pages") for flow in scenario.flows)


CONDITIONS: Mapping[str, Callable[[Scenario], bool]] = {
    "users share a cell": lambda scenario: scenario.bottleneck is None,
    "a wired bottleneck stands in the cell's place": lambda scenario: scenario.bottleneck is not None,
    "there is shadowing": _has_shadowing,
    "queues choose what they drop": _chooses_drops,
    SEVERAL_SUBCHANNELS: lambda scenario: scenario.carrier is not None and scenario.carrier.subchannels > 1,
    "`link.harq` has a kind or PDUs as its unit, or ARQ repeats slots": _repeats_frames,
    "there is a `link.outer_loop`": lambda scenario: (
        scenario.link is not None and scenario.link.outer_loop.kind != "none"
    ),
    FILES_OR_SESSIONS: _has_downloads,
    "some flow has SACK, limited transmit, a detection of spurious timeouts or a reader that stalls": _has_newer_rules,
    "`experimental.hold_timeouts` is set": Scenario.holds_timeouts,
    "some flow has data from its user, too": _has_data_up,
    "some path has impairments": _has_impairments,
    "some flow has `tcp.ecn`": lambda scenario: any(
        flow.tcp.ecn != "off" and flow.traffic.kind != "backlogged" for flow in scenario.flows
    ),
    "`slot.tdd` has slots without downlink": lambda scenario: scenario.slot is not None and scenario.slot.tdd != "",
    "`slot.tdd` has slots without downlink, and the carrier several subchannels": lambda scenario: (
        (scenario.slot is not None and scenario.slot.tdd != "")
        and (scenario.carrier is not None and scenario.carrier.subchannels > 1)
    ),
    "some flow goes over UDP: `constant_rate`, `voice` or `frames`": lambda scenario: any(
        flow.is_over_udp() for flow in scenario.flows
    ),
    "some flow passes `[upstream]` or a hop": lambda scenario: any(
        flow.path.upstream or flow.path.hops for flow in scenario.flows
    ),
    "some flow has `uplink_hops`": lambda scenario: any(flow.path.uplink_hops for flow in scenario.flows),
    "a hop chooses what it drops": lambda scenario: any(hop.kind in ("codel", "pie") for hop in scenario.hops),
    "`limits` is recorded with an `[uplink]`": lambda scenario: scenario.uplink is not None,
    "there is an `[upstream]`": lambda scenario: scenario.upstream is not None,
    "files arrive at random": lambda scenario: any(flow.traffic.kind == "poisson" for flow in scenario.flows),
}
"""Conditions of columns, in the words that declare them."""

RECORDED: Mapping[str, str] = {
    "`downloads` is recorded, which `airlink run` does by itself": "downloads",
    "`limits` is recorded": "limits",
    "`limits` is recorded with an `[uplink]`": "limits",
    "`timeouts` is recorded": "timeouts",
}
"""Conditions that a recorded series fulfils, and the series."""


def lacking(measure: Measure, scenario: Scenario) -> str:
    """What a scenario lacks for a measure, as the end of a sentence; empty if nothing.

    Examples
    --------
    >>> from airlink.measures import measure
    >>> from airlink.scenario import ready
    >>> lacking(measure("downloads.p95(time_s)"), ready("dumbbell"))
    'only where there are files or sessions'
    """
    only = FILES_OR_SESSIONS if RECORDED.get(measure.only) == "downloads" else measure.only
    condition = CONDITIONS.get(only)
    if condition is not None and not condition(scenario):
        return f"only where {only}"
    if measure.member is not None:
        return _no_such_member(measure.population, measure.member, scenario)
    return ""


def check(measures: Iterable[Measure], scenario: Scenario, label: str = "") -> None:
    """Refuses measures that a scenario does not have.

    Parameters
    ----------
    measures : what is asked for.
    scenario : what is to be run.
    label : what the scenario is called in the message; default its name.

    Raises
    ------
    MeasureError : names the first measure that is missing, the scenario, and where there would be one.
    """
    for each in measures:
        if reason := lacking(each, scenario):
            named = label or scenario.name
            raise MeasureError(f'measure "{each}": scenario{f" {named!r}" if named else ""} has none; {reason}')


def _no_such_member(population: str, member: int, scenario: Scenario) -> str:
    most = scenario.users if population == "users" else _flows(scenario)
    return f"there are {population} 0..{most - 1:.0f}" if member >= most else ""


def _flows(scenario: Scenario) -> float:
    """How many flows every run has; infinite where files arrive at random."""
    if any(flow.traffic.kind == "poisson" for flow in scenario.flows):
        return math.inf
    return sum(flow.count(scenario.users) for flow in scenario.flows)
