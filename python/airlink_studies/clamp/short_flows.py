"""Fig. 8: a long flow beside short ones that come as a Poisson process, all to one receiver that moves at 10 m/s.

Left out: how long the short flows take.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from airlink.campaign import CampaignResult, Plan, Replica
from airlink.plots import style
from airlink.report import Bounds, Claim, Illustration, Sheet, Statement, above, at_most, between, plus_minus
from airlink.result import Table
from airlink.scenario import Scenario
from airlink.statistics import mean_interval, paired_ratio
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.clamp import fading_cell
from airlink_studies.clamp.fading_cell import CLAMP, FAST, NEW_RENO
from airlink_studies.clamp.trajectories import Floats, Trajectory, of_flow

SEEDS, QUICK_SEEDS = 30, 3
END_S, ARRIVALS_END_S = 150.0, 100.0
ARRIVALS_PER_S = 0.26
PACKETS = (1, 4000)
"""Of a short flow, at least and at most; END_S to PACKETS are given."""
BUFFER_BYTES = 65_000
"""New Reno's (given)."""
FREE_BYTES = 40_000
"""a (fitted): the mean queue is New Reno's then, as the paper has it."""
DELAY_MS = 50.0
"""Round trip of every flow without the queue (chosen; the paper gives none)."""
SIZES: Mapping[str, float] = {"symmetric": 0.5, "mostly small": 0.0}
"""Where between the smallest and the largest the triangle has its top (chosen, and a control)."""
SYMMETRIC, SMALL = SIZES
SETTLED_MARGIN = 0.67
"""What m starts from (fitted): where longer runs at 10 m/s settle."""
STEP_S = 1.0
"""A rate is a mean over this time (chosen)."""
NO_SPIKE = 1.05
"""Up to which CLAMP's highest queue is no spike above New Reno's (chosen before it was run)."""
ALIKE = (0.7, 1.4)
"""What "quite similar" allows of a ratio (chosen)."""
RESTRICTED = "CLAMP, 65 kB"
"""CLAMP with New Reno's buffer: "the spike could be avoided if we restricted the buffer size for CLAMP"."""
PROFILE = "Fig. 8: 1 user, 10 m/s"


@dataclass(frozen=True)
class Outcome:
    """A protocol with a law of sizes: arrays [seed], but the courses of the first seed, [time].

    Attributes
    ----------
    rate_mbps, deviation_mbps, step_mbps : the long flow's rate: mean over the time in which flows arrive, standard
        deviation of its means over a second, and root mean square change from one to the next.
    queue_bytes, queue_deviation, highest_bytes : over the same time.
    """

    rate_mbps: Floats
    deviation_mbps: Floats
    step_mbps: Floats
    queue_bytes: Floats
    queue_deviation: Floats
    highest_bytes: Floats
    drawn_mbps: Floats
    drawn_bytes: Floats


PROTOCOLS = (CLAMP, NEW_RENO, RESTRICTED)
Outcomes = Mapping[tuple[str, str], Outcome]


def scenario(protocol: str, sizes: str) -> Scenario:
    """The experiment."""
    cell = fading_cell.cell(
        NEW_RENO if protocol == NEW_RENO else CLAMP, FAST, BUFFER_BYTES if protocol == NEW_RENO else FREE_BYTES
    )
    if protocol == RESTRICTED:
        cell = cell.with_(**{"queue.limit_bytes": BUFFER_BYTES})
    payload = cell.flows[0].tcp.mss_bytes
    least, most = (payload * packets for packets in PACKETS)
    size = {
        "kind": "triangular",
        "min_bytes": least,
        "mode_bytes": least + SIZES[sizes] * (most - least),
        "max_bytes": most,
    }
    path = {"downlink_delay_ms": DELAY_MS / 2, "uplink_delay_ms": DELAY_MS / 2}
    long = cell.flows[0].model_copy(update={"path": cell.flows[0].path.model_copy(update=path)})
    short = long.model_dump() | {
        "start_spread_s": 0.0,
        "stop_s": ARRIVALS_END_S,
        "traffic": {"kind": "poisson", "arrivals_per_s": ARRIVALS_PER_S, "size": size},
    }
    changes: dict[str, Any] = {
        "link.outer_loop.initial": SETTLED_MARGIN,
        "users": 1,
        "duration_s": END_S,
        "warmup_s": 0.0,
        "flows": [long.model_dump(), short],
    }
    return cell.with_(**changes)


def plans(request: Request) -> Mapping[str, Plan]:
    """Both protocols with every law of sizes; a quick run has the first alone."""
    laws = (SYMMETRIC,) if request.quick else tuple(SIZES)
    cells = {f"{protocol}, {law}": scenario(protocol, law) for law in laws for protocol in PROTOCOLS}
    return {"fig8": Plan(cells, fading_cell.some_seeds(request, SEEDS, QUICK_SEEDS), ("acks", "queue"))}


def show(results: Mapping[str, CampaignResult], _: Runner) -> PartResult:
    """Judges and draws."""
    result = results["fig8"]
    found = {
        (protocol, law): outcome(result, f"{protocol}, {law}")
        for law in SIZES
        for protocol in PROTOCOLS
        if f"{protocol}, {law}" in result.plan.scenarios
    }
    sheet = _sheet(found)
    return PartResult(
        claims=judged(found, f"{PROFILE}, {len(result.plan.seeds)} seeds"),
        items=[_rates(found), _queues(found), sheet],
        printed=(sheet,),
        sentences=(_headline(found),),
        tables={"fig8": _table(found)},
    )


PART = Part("short-flows", "Fig. 8: a long flow beside short ones that come and go", ("8",), plans, show)


def outcome(result: CampaignResult, label: str) -> Outcome:
    """What a setting's runs hold."""
    rows: list[tuple[float, ...]] = []
    drawn: list[Floats] = []
    edges_s = np.arange(0.0, END_S + STEP_S / 2, STEP_S)
    for replica in result.result(label).replicas:
        rates, queue = _long_mbps(replica, edges_s), _queue(replica)
        busy = rates[: round(ARRIVALS_END_S / STEP_S)]
        rows.append(
            (
                busy.mean(), busy.std(), np.sqrt(np.mean(np.diff(busy) ** 2)),
                queue.mean(0.0, ARRIVALS_END_S), queue.deviation(0.0, ARRIVALS_END_S),
                queue.values[queue.time_s <= ARRIVALS_END_S].max(),
            )
        )  # fmt: skip
        if not drawn:
            drawn = [rates, queue.at(np.arange(0.0, END_S, 0.1))]
    return Outcome(*np.array(rows, dtype=float).T, *drawn)


def _long_mbps(replica: Replica, edges_s: Floats) -> Floats:
    """Array [second]: what the long flow was acknowledged."""
    acknowledged = of_flow(Table(replica.series["acks"]), 0, "number").at(edges_s)
    acknowledged[0] = 0.0
    return np.asarray(8e-6 * np.diff(acknowledged) / np.diff(edges_s))


def _queue(replica: Replica) -> Trajectory:
    queue = Table(replica.series["queue"])
    return Trajectory(queue["time_s"], queue["bytes"].astype(float))


def judged(found: Outcomes, profile: str) -> list[Claim]:
    """[004-11], written down before anything was run; 11e and 11f before the buffer was restricted."""
    clamp, alone, limited = (found[each, SYMMETRIC] for each in PROTOCOLS)
    less = Bounds("ratio", high=1.0, high_open=True)
    rows = [
        ("11a", "Rate of the long flow, deviation of its seconds, CLAMP over New Reno", "less",
         paired_ratio(clamp.deviation_mbps, alone.deviation_mbps), less),
        ("11b", "Rate of the long flow, change from second to second over its mean, CLAMP over New Reno", "less",
         paired_ratio(clamp.step_mbps / clamp.rate_mbps, alone.step_mbps / alone.rate_mbps), less),
        ("11c", "Deviation of the queue over time, CLAMP over New Reno", "quite similar",
         paired_ratio(clamp.queue_deviation, alone.queue_deviation), between("ratio", *ALIKE)),
        ("11d", "Highest queue, CLAMP over New Reno", "a spike",
         paired_ratio(clamp.highest_bytes, alone.highest_bytes), above("ratio", 1.0)),
        ("11e", "Highest queue, CLAMP with 65 kB over New Reno with 65 kB", "the spike could be avoided",
         paired_ratio(limited.highest_bytes, alone.highest_bytes), at_most("ratio", NO_SPIKE)),
        ("11f", "With 65 kB: change of the rate from second to second over its mean, CLAMP over New Reno", None,
         paired_ratio(limited.step_mbps / limited.rate_mbps, alone.step_mbps / alone.rate_mbps), less),
    ]  # fmt: skip
    return [
        Statement(f"004-{name}", words, paper).against(estimate, bounds, profile)
        for name, words, paper, estimate, bounds in rows
    ]


def _sheet(found: Outcomes) -> Sheet:
    rows = []
    for (protocol, law), each in found.items():
        rates = (each.rate_mbps, each.deviation_mbps, each.step_mbps)
        queues = (each.queue_bytes, each.queue_deviation, each.highest_bytes)
        rows.append(
            (
                f"{protocol}, {law}",
                *(plus_minus(mean_interval(values), 2) for values in rates),
                *(plus_minus(mean_interval(values / 1e3), 1) for values in queues),
            )
        )
    note = (
        f"The first {ARRIVALS_END_S:g} s. Rate of the long flow, Mb/s: mean, deviation of its seconds, change from "
        "second to second (root mean square). Queue, kB: mean over time, deviation, highest. Sizes of 1 to 4000 "
        "packets, most of them in the middle, or small."
    )
    columns = ("case", "rate", "deviation", "change", "queue", "deviation", "highest")
    return Sheet("Fig. 8: a long flow beside short ones", columns, rows, note, narrow=(0, 3, 4, 6))


def _rates(found: Outcomes) -> Illustration:
    figure, (axes,) = style.blank()
    for index, protocol in enumerate((NEW_RENO, CLAMP)):
        rates = found[protocol, SYMMETRIC].drawn_mbps
        axes.step(
            STEP_S * np.arange(rates.size),
            rates,
            where="post",
            color=style.COLOURS[1 - index],
            linewidth=0.8,
            label=protocol,
        )
    axes.set_ylim(bottom=0)
    style.time_axis(axes)
    style.label(axes, y="rate of the long flow (Mb/s)")
    style.legend(axes, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2)
    caption = (
        f"The long flow's rate in each second of the first seed's run; short flows arrive in the first "
        f"{ARRIVALS_END_S:g} s, the same under both."
    )
    return Illustration("fig8-rate", caption, figure, "Rate of the long flow over time, CLAMP and New Reno.")


def _queues(found: Outcomes) -> Illustration:
    figure, (axes,) = style.blank()
    for index, protocol in enumerate((NEW_RENO, CLAMP)):
        queue = found[protocol, SYMMETRIC].drawn_bytes
        axes.plot(
            0.1 * np.arange(queue.size), queue / 1e3, color=style.COLOURS[1 - index], linewidth=0.6, label=protocol
        )
    axes.set_ylim(bottom=0)
    style.time_axis(axes)
    style.label(axes, y="queue (kB)")
    style.legend(axes, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2)
    caption = "The queue of all flows in the same run, ten times a second."
    return Illustration("fig8-queue", caption, figure, "Queue over time, CLAMP and New Reno.")


def _headline(found: Outcomes) -> str:
    clamp, alone = found[CLAMP, SYMMETRIC], found[NEW_RENO, SYMMETRIC]
    calmer = paired_ratio(clamp.step_mbps / clamp.rate_mbps, alone.step_mbps / alone.rate_mbps)
    return (
        f"Beside short flows the long flow's rate changes from second to second {plus_minus(calmer, 2)} times as "
        f"much under CLAMP as under New Reno, relative to its mean, with mean queues of "
        f"{clamp.queue_bytes.mean() / 1e3:.0f} and {alone.queue_bytes.mean() / 1e3:.0f} kB."
    )


def _table(found: Outcomes) -> Table:
    """One row a setting and seed."""
    names = ("rate_mbps", "deviation_mbps", "step_mbps", "queue_bytes", "queue_deviation", "highest_bytes")
    columns: dict[str, list[object]] = {"protocol": [], "sizes": [], **{name: [] for name in names}}
    for (protocol, law), each in found.items():
        for name in names:
            columns[name] += list(getattr(each, name))
        columns["protocol"] += [protocol] * each.rate_mbps.size
        columns["sizes"] += [law] * each.rate_mbps.size
    return Table({name: np.array(values) for name, values in columns.items()})
