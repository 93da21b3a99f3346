"""What users of a run asked for: bytes of files, sizes of pages, times to think, against their laws."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from airlink.engine import Replica, Table
from airlink.measures import downloads
from airlink.measures.known_means import mean_open_s, mean_size
from airlink.scenario import Scenario
from airlink.scenario.sections import Flow, Poisson, Sessions


@dataclass(frozen=True)
class Files:
    """Groups of flows whose files arrive at random, by number."""

    groups: Mapping[int, Flow]

    def mean_bytes(self, scenario: Scenario) -> float | None:
        """The mean of `bytes`; None where it is not known exactly."""
        total = 0.0
        for flow in self.groups.values():
            assert isinstance(flow.traffic, Poisson)
            size, open_s = mean_size(flow.traffic.size), mean_open_s(flow, scenario.warmup_s, scenario.duration_s)
            if size is None:
                return None
            total += flow.count(scenario.users) * flow.traffic.arrivals_per_s * open_s * size
        return total

    def bytes(self, replica: Replica) -> float:
        """Bytes of their files requested in the measured time."""
        flows = replica.flows
        counts = np.isin(flows["group"], list(self.groups)) & (flows["downloads"] > 0)
        return float(flows["file_bytes"][counts].sum())


def files(scenario: Scenario) -> Files | None:
    """The groups whose files arrive at random, if there are any."""
    groups = {number: flow for number, flow in enumerate(scenario.flows) if isinstance(flow.traffic, Poisson)}
    return Files(groups) if groups else None


def page_sizes(scenario: Scenario) -> Mapping[int, float]:
    """The mean size of the pages of each flow with sessions; empty where one is not known exactly."""
    sizes = {number: mean_size(traffic.size) for number, _, traffic in _sessions(scenario)}
    known = {number: size for number, size in sizes.items() if size is not None}
    return known if len(known) == len(sizes) else {}


def excess_bytes(replica: Replica, sizes: Mapping[int, float]) -> float:
    """By how much the pages requested in the measured time are larger than in the mean, all together."""
    rows = downloads.counted(replica)
    return float(
        sum(_of_flow(rows, flow)["bytes"].sum() - mean * _of_flow(rows, flow).rows for flow, mean in sizes.items())
    )


@dataclass(frozen=True)
class Thinking:
    """How a flow's user thinks: the mean time, and what a request takes to the server, s."""

    mean_s: float
    request_s: float


def thinking(scenario: Scenario) -> Mapping[int, Thinking]:
    """Each flow with sessions whose times to think are exponential and never cut off by a stop."""
    return {
        number: Thinking(traffic.think_s, flow.path.uplink_delay_ms / 1000)
        for number, flow, traffic in _sessions(scenario)
        if traffic.think == "exponential" and traffic.think_s > 0 and flow.stop_s >= scenario.duration_s
    }


def thought(replica: Replica, flows: Mapping[int, Thinking], span: tuple[float, float]) -> float:
    """Time thought in a span, in units of its mean, less the number of thoughts that ended in it."""
    begins, ends = span
    rows, excess = replica.series["downloads"], 0.0
    for flow, thinker in flows.items():
        pages = _of_flow(rows, flow)
        from_s = pages["completed_s"] + thinker.request_s
        until_s = np.append(pages["requested_s"][1:], math.inf)
        inside = np.minimum(until_s, ends) - np.maximum(from_s, begins)
        ended = np.count_nonzero((until_s > begins) & (until_s <= ends))
        excess += float(np.nansum(np.maximum(inside, 0.0))) / thinker.mean_s - ended
    return excess


def _of_flow(rows: Table, flow: int) -> Table:
    return rows.where(rows["flow"] == flow)


def _sessions(scenario: Scenario) -> Iterator[tuple[int, Flow, Sessions]]:
    """The number of each flow with sessions; those of files that arrive at random come after all others."""
    number = 0
    for flow in scenario.flows:
        if isinstance(flow.traffic, Poisson):
            continue
        for _ in range(flow.count(scenario.users)):
            if isinstance(flow.traffic, Sessions):
                yield number, flow, flow.traffic
            number += 1
