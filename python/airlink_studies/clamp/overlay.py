"""Packets laid over the fluid: a flow joins another, with equal and with unequal delays.

The fluid (`theory.clocked_trajectory`) starts from the windows that packets have 2 s after the second flow
came, when its slow start is over. Left out: slow start itself, and whether they settle at all (stability.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from airlink.campaign import CampaignResult, Plan, Replica
from airlink.report import Claim, Sheet, Statement, at_most, plus_minus
from airlink.result import Table
from airlink.statistics import mean_interval
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.clamp import overlay_figure, setting
from airlink_studies.clamp.no_memory import AVERAGES, NONE, PROTOCOL, QUEUE_BYTES, SCALE, fluid, means, packets
from airlink_studies.clamp.theory import ClampStart, ClampTrajectory, clamp_clocked_trajectory
from airlink_studies.clamp.trajectories import Floats, of_flow, queue_trajectory

EQUAL_MS, UNEQUAL_MS = (50.0, 50.0), (30.0, 130.0)
JOINS_S, LATER_S, SHOWN_S, QUICK_SHOWN_S = 40.0, 2.0, 30.0, 15.0
BIN_S = 0.1
SKIPPED_S = 1.0
"""Of the comparison: the fluid starts with windows that stood still."""
STEPS, QUICK_STEPS = 50, 15
"""Of the fluid, in the smaller delay."""
NEAR = 0.05
"""A distance, root mean square over time and of the settled value, that counts as none (chosen)."""
SEEDS, QUICK_SEEDS = 3, 2


@dataclass(frozen=True)
class Pair:
    """Packets and fluid of one run.

    Attributes
    ----------
    time_s : since the fluid's start: array [bin].
    windows_bytes, queue_bytes : of packets, means over bins: arrays [bin, flow] and [bin].
    fluid : at the bins' middles.
    """

    time_s: Floats
    windows_bytes: Floats
    queue_bytes: Floats
    fluid: ClampTrajectory

    @property
    def distances(self) -> tuple[float, float]:
        """Of windows and of the queue: root mean square over time, of the fluid's last windows and of q*."""
        late = self.time_s > SKIPPED_S
        windows = (self.windows_bytes - self.fluid.windows_bytes)[late] / self.fluid.windows_bytes[-1]
        queue = (self.queue_bytes - self.fluid.queue_bytes)[late] / (SCALE * QUEUE_BYTES)
        return float(np.sqrt(np.mean(windows**2))), float(np.sqrt(np.mean(queue**2)))


Key = tuple[tuple[float, float], str]


def plans(request: Request) -> Mapping[str, Plan]:
    """Both pairs of delays, with and without the protocol's averages."""
    averages = [NONE] if request.quick else list(AVERAGES)
    end_s = JOINS_S + LATER_S + (QUICK_SHOWN_S if request.quick else SHOWN_S)
    joined = {"flows.1.start_s": JOINS_S}
    runs = {
        _label((pair, name)): packets(fluid(pair), name, end_s, **joined)
        for pair in (EQUAL_MS, UNEQUAL_MS)
        for name in averages
    }
    seeds = setting.seeds(request.seed, QUICK_SEEDS if request.quick else SEEDS)
    return {"overlay": Plan(runs, seeds, ("queue", "acks"))}


def _label(key: Key) -> str:
    return f"{key[0][0]:g} and {key[0][1]:g} ms, {key[1]}"


def show(results: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    """Judges and draws."""
    result, quick = results["overlay"], runner.request.quick
    keys: list[Key] = [(pair, name) for name in (NONE, PROTOCOL) for pair in (EQUAL_MS, UNEQUAL_MS)]
    found = {
        key: [laid_over(replica, key[0], quick) for replica in result.result(_label(key)).replicas]
        for key in keys
        if _label(key) in result.plan.scenarios
    }
    distances = {key: np.array([each.distances for each in pairs]).T for key, pairs in found.items()}
    sheet = _sheet(distances)
    return PartResult(
        claims=_claims(distances, f"50 Mb/s, q* of 32.5 kB, {len(result.plan.seeds)} seeds"),
        items=[overlay_figure.drawn({key: pairs[0] for key, pairs in found.items()}), sheet],
        printed=[sheet],
        sentences=(_headline(distances),),
        tables={"overlay": _table(distances)},
    )


PART = Part("fluid", "Packets over the fluid", ("fluid",), plans, show)


def laid_over(replica: Replica, delays_ms: tuple[float, float], quick: bool) -> Pair:
    """A run and the fluid that starts from its windows."""
    acks = Table(replica.series["acks"])
    windows = [of_flow(acks, flow, "window_bytes") for flow in (0, 1)]
    from_s, flows = JOINS_S + LATER_S, fluid(delays_ms)
    start = ClampStart(tuple(each.mean(from_s - BIN_S / 2, from_s + BIN_S / 2) for each in windows))
    edges = np.arange(0.0, (QUICK_SHOWN_S if quick else SHOWN_S) - BIN_S, BIN_S)
    middles = (edges[1:] + edges[:-1]) / 2
    step_s = min(flows.delays_s) / (QUICK_STEPS if quick else STEPS)
    return Pair(
        middles,
        np.array([means(each, from_s + edges) for each in windows]).T,
        means(queue_trajectory(Table(replica.series["queue"])), from_s + edges),
        clamp_clocked_trajectory(flows, start, middles, step_s),
    )


def _claims(distances: Mapping[Key, Floats], profile: str) -> list[Claim]:
    rows = [
        (letter, f"Packets over the fluid, {_delays(pair)}: distance of {what}, root mean square", pair, index)
        for letter, pair, index, what in (
            ("q", EQUAL_MS, 0, "windows"),
            ("r", UNEQUAL_MS, 0, "windows"),
            ("s", EQUAL_MS, 1, "the queue"),
            ("t", UNEQUAL_MS, 1, "the queue"),
        )
    ]
    return [
        Statement(f"004-1{letter}", words, "quite closely" if index else None).against(
            mean_interval(distances[pair, NONE][index]), at_most("share", NEAR), profile
        )
        for letter, words, pair, index in rows
    ]


def _delays(pair: tuple[float, float]) -> str:
    return f"{pair[0]:g} and {pair[1]:g} ms"


def _sheet(distances: Mapping[Key, Floats]) -> Sheet:
    rows = [
        (f"{_delays(pair)}, {name}", *(plus_minus(mean_interval(100 * values), 1) for values in found))
        for (pair, name), found in distances.items()
    ]
    note = (
        f"Root mean square over {SHOWN_S:g} s (a quick run: {QUICK_SHOWN_S:g} s) from 3 s after the second flow came: "
        f"of windows in % of the settled ones, of the queue's means over 0.1 s in % of q*."
    )
    return Sheet("Distance of packets from the fluid, %", ("delays, averages", "windows", "queue"), rows, note)


def _headline(distances: Mapping[Key, Floats]) -> str:
    windows, queues = (
        [100 * float(distances[pair, NONE][place].mean()) for pair in (EQUAL_MS, UNEQUAL_MS)] for place in (0, 1)
    )
    return (
        f"After a flow joins another, packets without averages stay within {max(windows):.1f} % of the fluid's windows "
        f"and {max(queues):.1f} % of its queue (root mean square), with equal delays and with 30 and 130 ms."
    )


def _table(distances: Mapping[Key, Floats]) -> Table:
    rows = [(key, place) for key, found in distances.items() for place in range(found.shape[1])]
    return Table(
        {
            "delay_1_ms": np.array([key[0][0] for key, _ in rows]),
            "delay_2_ms": np.array([key[0][1] for key, _ in rows]),
            "averages": np.array([key[1] for key, _ in rows]),
            "trial": np.array([place for _, place in rows]),
            "windows": np.array([distances[key][0, place] for key, place in rows]),
            "queue": np.array([distances[key][1, place] for key, place in rows]),
        }
    )
