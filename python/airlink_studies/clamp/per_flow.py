"""Beyond the paper: a price whose q* does not grow with the number of flows, `price.per_flow_bytes` = tau.

The access point counts the flows that sent something lately and takes tau off a for each: q* = a / b. Left out: flows
that come and go faster than it forgets them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airlink.campaign import CampaignResult, Plan
from airlink.plots import style
from airlink.report import Bounds, Claim, Illustration, Sheet, above, at_most, plus_minus
from airlink.scenario import Scenario
from airlink.statistics import Estimate, mean_interval, paired_ratio
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.clamp import setting, wired_runs
from airlink_studies.clamp.trajectories import Floats
from airlink_studies.clamp.wired_runs import Answer, SteadyState

FLOWS, QUICK_FLOWS = (1, 2, 4, 8, 12), (1, 8)
RATE_BPS = 50e6
"""So that windows of twelve flows exceed eight packets, below which shares swing (chosen)."""
OFF, ON = "the paper's", "per flow"
FROM_S, END_S, QUICK_FROM_S, QUICK_END_S = 60.0, 180.0, 20.0, 30.0
SEEDS, QUICK_SEEDS = 3, 2


def plans(request: Request) -> Mapping[str, Plan]:
    """Every number of flows with and without it."""
    seeds = setting.seeds(request.seed, QUICK_SEEDS if request.quick else SEEDS)
    from_s, end_s = (QUICK_FROM_S, QUICK_END_S) if request.quick else (FROM_S, END_S)
    links = {
        f"{count}, {name}": _link(count, end_s, **{"warmup_s": from_s, "bottleneck.price.per_flow_bytes": taken})
        for count in (QUICK_FLOWS if request.quick else FLOWS)
        for name, taken in ((OFF, 0.0), (ON, setting.TAU_BYTES))
    }
    return {"per-flow": Plan(links, seeds, ("queue",))}


def _link(count: int, end_s: float, **changes: Any) -> Scenario:
    return setting.wire([setting.DELAY_MS] * count, end_s, rate_bps=RATE_BPS, **changes)


def show(results: Mapping[str, CampaignResult], _: Runner) -> PartResult:
    """Judges and draws."""
    result = results["per-flow"]
    found = wired_runs.steady_states(result)
    claims = _claims(found, f"50 Mb/s, 50 ms, {len(result.plan.seeds)} seeds")
    answer = Answer("per-flow", "A price for each flow", claims, _picture(found), _sheet(found), _headline(found))
    return wired_runs.part_result(found, answer)


PART = Part(
    "per-flow", "Beyond the paper: a queue that does not grow with its flows", ("flows",), plans, show, in_quick=False
)


def _counts(found: Mapping[str, SteadyState]) -> list[int]:
    return sorted({int(name.partition(",")[0]) for name in found})


def q_star(name: str) -> float:
    """q* of a setting, bytes: (k (tau - per flow) + a) / b."""
    count, _, kind = name.partition(", ")
    return setting.FREE_BYTES + (int(count) * setting.TAU_BYTES if kind == OFF else 0.0)


def _off(name: str, each: SteadyState) -> Floats:
    return abs(each.sampled_bytes / q_star(name) - 1)


def _growth(found: Mapping[str, SteadyState], kind: str) -> Estimate:
    few, many = (found[f"{count}, {kind}"].sampled_bytes for count in (_counts(found)[0], _counts(found)[-1]))
    return paired_ratio(many, few)


def _claims(found: Mapping[str, SteadyState], profile: str) -> list[Claim]:
    own = {name: each for name, each in found.items() if name.endswith(ON)}
    most = _counts(found)[-1]
    rows: list[tuple[str, str, Estimate, Bounds]] = [
        ("a", "tau off a for each flow: sampled queue, largest distance from a / b", wired_runs.largest(own, _off),
         at_most("share", 0.03)),
        ("b", f"The same: queue of {most} flows over that of 1", _growth(found, ON), at_most("ratio", 1.05)),
        ("c", f"The paper's price: queue of {most} flows over that of 1", _growth(found, OFF), above("ratio", 1.05)),
        ("d", "tau off a for each flow: rates, largest distance from equal",
         wired_runs.largest_inequality(own), at_most("share", 0.02)),
    ]  # fmt: skip
    return wired_runs.claims_of(15, rows, profile)


def _sheet(found: Mapping[str, SteadyState]) -> Sheet:
    rows = [
        (
            name,
            f"{q_star(name):.0f}",
            plus_minus(mean_interval(each.sampled_bytes), 0),
            plus_minus(mean_interval(100 * each.unequal), 1),
            f"{each.rates_bps.sum(axis=1).mean() / 1e6:.1f}",
        )
        for name, each in found.items()
    ]
    note = "Queue in bytes; unequal: largest distance of a rate from their mean, %; all flows together, Mb/s of 50."
    return Sheet("A price for each flow", ("flows, price", "q*", "sampled", "unequal", "all"), rows, note)


def _picture(found: Mapping[str, SteadyState]) -> Illustration:
    figure, (axes,) = style.blank()
    counts = _counts(found)
    for index, kind in enumerate((OFF, ON)):
        estimates = [mean_interval(found[f"{count}, {kind}"].sampled_bytes / 1e3) for count in counts]
        axes.errorbar(
            counts, [each.mean for each in estimates], [each.half_width for each in estimates], marker="o",
            markersize=2.5, label=f"{kind} price", **style.line_style(index),
        )  # fmt: skip
        theory = [q_star(f"{count}, {kind}") / 1e3 for count in counts]
        axes.plot(counts, theory, color="black", linewidth=0.6, linestyle=":")
    axes.set_ylim(bottom=0)
    style.label(axes, "flows in one queue", "queue as sampled (kB)")
    style.legend(axes, loc="upper left")
    caption = "The paper's price, and one that takes tau off a for each flow that is there. 50 Mb/s, 50 ms; dotted: q*."
    return Illustration("flows-queue", caption, figure, "Two lines over the number of flows: one rises, one is flat.")


def _headline(found: Mapping[str, SteadyState]) -> str:
    most = _counts(found)[-1]
    return (
        f"With tau off a for each flow that is there the queue of {most} flows is {_growth(found, ON).mean:.2f} times "
        f"that of one flow instead of {_growth(found, OFF).mean:.2f} times; rates stay equal (claims 004-15)."
    )
