"""CLAMP receivers beside plain ones: who pays when not everybody follows the price.

A plain receiver advertises its whole buffer, so its sender is New Reno alone in a queue that tells a price. Left out:
receivers that follow a price of their own making.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from airlink.campaign import CampaignResult, Plan
from airlink.plots import style
from airlink.report import Illustration, Sheet, plus_minus
from airlink.result import Table
from airlink.scenario import Scenario
from airlink.statistics import mean_interval
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.clamp import fading_cell
from airlink_studies.clamp.delay_claims import FIRST, FOURTH, SECOND, THIRD
from airlink_studies.clamp.fading_cell import CLAMP, FAST, FLOWS, SLOW
from airlink_studies.clamp.trajectories import Floats

PLAIN: Mapping[str, Sequence[int]] = {
    "all CLAMP": (),
    "30 ms plain": (FIRST,),
    "130 ms plain": (SECOND,),
    "10 ms plain": (THIRD,),
    "180 ms plain": (FOURTH,),
    "all plain": (FIRST, SECOND, THIRD, FOURTH),
}
"""Whose receivers do not follow the price."""
BUFFERS: Mapping[str, int] = {"6 Mbytes": 6_000_000, "60 kB": 60_000}
"""Of each queue: CLAMP's (given), and one that New Reno alone could be given (chosen)."""
FREE_BYTES: Mapping[str, float] = {SLOW: 15_500.0, FAST: 6900.0}
"""a: some 50 ms of queueing when all receivers follow the price (fitted, as in windows.py)."""
SEEDS = 3
RUN_S, DROPPED_S = 1200.0, 600.0
Key = tuple[str, str, str]
"""Speed, buffer, who is plain."""


def keys(request: Request) -> list[Key]:
    """All cases; a quick run has fast fading with the large buffer alone."""
    speeds, buffers = ((FAST,), tuple(BUFFERS)[:1]) if request.quick else ((SLOW, FAST), tuple(BUFFERS))
    return [(speed, buffer, who) for speed in speeds for buffer in buffers for who in PLAIN]


def _cell(key: Key, request: Request) -> Scenario:
    speed, buffer, who = key
    length = {"duration_s": 90.0, "warmup_s": 30.0} if request.quick else {"duration_s": RUN_S, "warmup_s": DROPPED_S}
    plain = {f"flows.{flow}.tcp.clamp": None for flow in PLAIN[who]}
    return fading_cell.cell(
        CLAMP, speed, FREE_BYTES[speed], **{**length, "queue.limit_bytes": BUFFERS[buffer], **plain}
    )


def _plans(request: Request) -> Mapping[str, Plan]:
    cells = {", ".join(key): _cell(key, request) for key in keys(request)}
    return {"plain": Plan(cells, fading_cell.some_seeds(request, SEEDS))}


def rates_mbps(result: CampaignResult, key: Key) -> Floats:
    """Array [seed, flow]: payload that arrived."""
    scenario = result.plan.scenarios[", ".join(key)]
    measured_s = scenario.duration_s - scenario.warmup_s
    return np.asarray(8e-6 * result.flows(", ".join(key), "goodput_bytes") / measured_s)


def delays_ms(result: CampaignResult, key: Key) -> Floats:
    """Array [seed, queue]: mean queueing delay."""
    return np.asarray(1e3 * result.users(", ".join(key), "queueing_delay_mean_s"))


def _show(results: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    result, cases = results["plain"], keys(runner.request)
    sheet = _sheet(result, cases)
    return PartResult(
        items=[_figure(result, cases), sheet],
        printed=[sheet],
        sentences=[_sentence(result, cases)],
        depends=[_sentence(result, cases)],
        tables={"plain-receivers": _table(result, cases)},
    )


def _sentence(result: CampaignResult, cases: Sequence[Key]) -> str:
    speed, buffer = cases[-1][0], cases[0][1]
    fair, mixed = (rates_mbps(result, (speed, buffer, who)).mean(axis=0) for who in ("all CLAMP", "180 ms plain"))
    waits = [delays_ms(result, (speed, buffer, who)).mean(axis=0)[2] for who in ("all CLAMP", "180 ms plain")]
    return (
        f"Whether all take part: at {speed} with {buffer} a plain 180 ms flow takes {mixed[FOURTH]:.2f} instead of "
        f"{fair[FOURTH]:.2f} Mb/s, "
        f"leaves the CLAMP flow of its queue {mixed[THIRD]:.2f} instead of {fair[THIRD]:.2f}, and makes the queue "
        f"{waits[1]:.0f} instead of {waits[0]:.0f} ms long; others keep {mixed[FIRST]:.2f} and {mixed[SECOND]:.2f}."
    )


def _figure(result: CampaignResult, cases: Sequence[Key]) -> Illustration:
    groups = list(dict.fromkeys((speed, buffer) for speed, buffer, _ in cases))
    figure, panels = style.blank(len(groups), 1.6 * len(groups) + 1.0)
    places = np.arange(len(PLAIN))
    for axes, (speed, buffer) in zip(panels, groups, strict=True):
        for flow, name in enumerate(FLOWS):
            means = [rates_mbps(result, (speed, buffer, who)).mean(axis=0)[flow] for who in PLAIN]
            axes.bar(places + 0.2 * (flow - 1.5), means, 0.18, label=name, color=style.COLOURS[flow])
        style.label(axes, "", f"Mb/s, {speed}\n{buffer}")
        axes.set_xticks(places, [who.replace(" ", "\n", who.count(" ")).replace("\nms", " ms") for who in PLAIN])
    style.legend_above(figure, panels[0], columns=4)
    caption = (
        "Rates of the four flows when the receivers that are named do not follow the price; 10 and 180 ms share a "
        f"queue. Means of {len(result.plan.seeds)} seeds."
    )
    return Illustration("plain-rates", caption, figure, "Bars: rate of each flow, by whose receiver is plain.")


def _sheet(result: CampaignResult, cases: Sequence[Key]) -> Sheet:
    rows = [
        (
            ", ".join(key),
            *(plus_minus(mean_interval(rates_mbps(result, key)[:, flow]), 2) for flow in range(len(FLOWS))),
            " / ".join(f"{wait:.0f}" for wait in delays_ms(result, key).mean(axis=0)),
        )
        for key in cases
    ]
    columns = ("speed, buffer, plain", *FLOWS, "delays")
    note = "Mb/s; delays: mean queueing delay of the three queues, ms"
    return Sheet("CLAMP receivers beside plain ones", columns, rows, note, narrow=(0, 3, 4, 5))


def _table(result: CampaignResult, cases: Sequence[Key]) -> Table:
    seeds = result.plan.seeds
    rates = np.concatenate([rates_mbps(result, key) for key in cases])
    waits = np.concatenate([delays_ms(result, key) for key in cases])
    return Table(
        {
            "case": np.repeat([", ".join(key) for key in cases], len(seeds)),
            "seed": np.tile(seeds, len(cases)),
            **{f"{name.replace(' ', '_')}_mbps": rates[:, flow] for flow, name in enumerate(FLOWS)},
            **{f"queue_{queue}_delay_ms": waits[:, queue] for queue in range(waits.shape[1])},
        }
    )


PART = Part("plain-receivers", "CLAMP receivers beside plain ones", ("plain",), _plans, _show, in_quick=False)
