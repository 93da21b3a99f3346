"""Beyond the paper: CLAMP at the sender, the price echoed in ACKs, over the links of Fig. 2.

Left out: receivers that delay ACKs, and ACKs that are lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airlink.campaign import CampaignResult, Plan
from airlink.plots import style
from airlink.report import Bounds, Claim, Illustration, Sheet, at_most, between, plus_minus
from airlink.scenario import Scenario
from airlink.statistics import Estimate, mean_interval, paired_ratio
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.clamp import setting, wired_runs
from airlink_studies.clamp.trajectories import Floats
from airlink_studies.clamp.wired_runs import Answer, SteadyState

DELAYS_MS: Mapping[str, tuple[float, ...]] = {
    "50": (50.0,),
    "50 50": (50.0, 50.0),
    "50 50 50": (50.0, 50.0, 50.0),
    "20 60 120": (20.0, 60.0, 120.0),
}
ENDS = ("receiver", "sender")
FROM_S, END_S, QUICK_FROM_S, QUICK_END_S = 80.0, 140.0, 40.0, 60.0
SEEDS, QUICK_SEEDS = 5, 2


def plans(request: Request) -> Mapping[str, Plan]:
    """Every set of delays with the window at either end."""
    seeds = setting.seeds(request.seed, QUICK_SEEDS if request.quick else SEEDS)
    from_s, end_s = (QUICK_FROM_S, QUICK_END_S) if request.quick else (FROM_S, END_S)
    links = {
        f"{delays} ms, {end}": _link(of, end_s, **{"warmup_s": from_s, "flows.*.tcp.clamp.side": end})
        for delays, of in DELAYS_MS.items()
        for end in ENDS
        if not (request.quick and len(of) == 2)
    }
    return {"sender": Plan(links, seeds, ("queue",))}


def _link(delays_ms: tuple[float, ...], end_s: float, **changes: Any) -> Scenario:
    return setting.wire(delays_ms, end_s, **changes)


def show(results: Mapping[str, CampaignResult], _: Runner) -> PartResult:
    """Judges and draws."""
    result = results["sender"]
    found = wired_runs.steady_states(result)
    claims = _claims(found, f"10 Mb/s, {len(result.plan.seeds)} seeds")
    answer = Answer("at-sender", "At the sender", claims, _picture(found), _sheet(found), _headline(found))
    return wired_runs.part_result(found, answer)


PART = Part("at-sender", "Beyond the paper: CLAMP at the sender", ("sender",), plans, show, in_quick=False)


def q_star(name: str) -> float:
    """q* of a setting, bytes."""
    return len(DELAYS_MS[name.partition(" ms")[0]]) * setting.TAU_BYTES + setting.FREE_BYTES


def _off(name: str, each: SteadyState) -> Floats:
    return abs(each.sampled_bytes / q_star(name) - 1)


def _at(found: Mapping[str, SteadyState], end: str) -> dict[str, SteadyState]:
    return {name: each for name, each in found.items() if name.endswith(end)}


def _claims(found: Mapping[str, SteadyState], profile: str) -> list[Claim]:
    own = _at(found, "sender")
    far = "20 60 120 ms, "
    ratio = paired_ratio(found[far + "sender"].queue_bytes, found[far + "receiver"].queue_bytes)
    rows: list[tuple[str, str, Estimate, Bounds]] = [
        ("a", "CLAMP at the sender: sampled queue, largest distance from q*", wired_runs.largest(own, _off),
         at_most("share", 0.03)),
        ("b", "The same: rates, largest distance from equal", wired_runs.largest_inequality(own),
         at_most("share", 0.02)),
        ("c", "Queue over time, 20, 60 and 120 ms, sender over receiver", ratio, between("ratio", 0.95, 1.05)),
    ]  # fmt: skip
    return wired_runs.claims_of(16, rows, profile)


def _sheet(found: Mapping[str, SteadyState]) -> Sheet:
    rows = [
        (
            name,
            f"{q_star(name):.0f}",
            plus_minus(mean_interval(each.sampled_bytes), 0),
            plus_minus(mean_interval(each.queue_bytes), 0),
            plus_minus(mean_interval(100 * each.unequal), 1),
        )
        for name, each in found.items()
    ]
    note = "Queue in bytes, as sampled and over time; unequal: largest distance of a rate from their mean, %."
    return Sheet("CLAMP at either end", ("delays, window at the", "q*", "sampled", "over time", "unequal"), rows, note)


def _picture(found: Mapping[str, SteadyState]) -> Illustration:
    figure, (axes,) = style.blank()
    names = list(dict.fromkeys(name.partition(",")[0] for name in found))
    for index, end in enumerate(ENDS):
        at = [place + 0.12 * (2 * index - 1) for place in range(len(names))]
        estimates = [mean_interval(found[f"{name}, {end}"].sampled_bytes / 1e3) for name in names]
        axes.errorbar(
            at, [each.mean for each in estimates], [each.half_width for each in estimates], fmt="o", markersize=3,
            color=style.COLOURS[index], elinewidth=0.8, label=f"window at the {end}",
        )  # fmt: skip
    for place, name in enumerate(names):
        line = q_star(name) / 1e3
        axes.hlines(line, place - 0.3, place + 0.3, color="black", linewidth=0.8, linestyle="--")
    axes.set_xticks(range(len(names)), names)
    axes.set_ylim(0, 9)
    style.label(axes, "round trips of the flows", "queue as sampled (kB)")
    style.legend(axes, loc="lower left")
    caption = "CLAMP at the receiver (the paper's) and at the sender, whose ACKs echo the price. 10 Mb/s; dashed: q*."
    return Illustration("sender-queues", caption, figure, "Pairs of points on dashed lines, both ends alike.")


def _headline(found: Mapping[str, SteadyState]) -> str:
    off, even = (
        100 * wired_runs.largest(_at(found, "sender"), of).mean for of in (_off, lambda _, each: each.unequal)
    )  # fmt: skip
    return (
        f"CLAMP works as well at the sender, with the price echoed in ACKs: the queue stays within {off:.1f} % of q*, "
        f"rates within {even:.1f} %, since a price takes the same time to the sender at either end (claims 004-16)."
    )
