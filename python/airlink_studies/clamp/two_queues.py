r"""Beyond the paper: two queues in series, both with a price, and packets that carry the sum.

Some flows pass a slower link first, all pass the second: `[upstream]` and `[bottleneck]`. A flow settles where tau is
the sum of its prices times its rate, so with rates x and y of those that pass both queues and of the one that passes
the second alone, the links full:

.. math:: p_2 = \tau / y, \quad p_1 = \tau / x - \tau / y, \quad q_j = (a + c_j p_j) / b

Prices have the paper's b of 1, or half of that and of a; a control has a queue upstream without a price. Left out: more
than two queues, and queues in cells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from airlink.campaign import CampaignResult, Plan
from airlink.plots import style
from airlink.report import Bounds, Claim, Illustration, Sheet, above, at_most, plus_minus
from airlink.scenario import Scenario
from airlink.statistics import Estimate, mean_interval, paired_ratio
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.clamp import setting, wired_runs
from airlink_studies.clamp.trajectories import Floats
from airlink_studies.clamp.wired_runs import Answer, SteadyState

PRICED, CALM, FREE = "b = 1", "b = 0.5", "unpriced"
REACTIVITIES = {PRICED: setting.REACTIVITY, CALM: setting.REACTIVITY / 2, FREE: setting.REACTIVITY}
FREE_BUFFER_BYTES = 60_000
"""Of the queue without a price: New Reno has to find its end (chosen: about a bandwidth times delay)."""
FROM_S, END_S, QUICK_FROM_S, QUICK_END_S = 150.0, 300.0, 60.0, 90.0
SEEDS, QUICK_SEEDS = 5, 2


@dataclass(frozen=True)
class Case:
    """The rate upstream, Mb/s, how many flows pass it, and the price of its queue."""

    upstream_mbps: float
    flows: int
    price: str

    @property
    def label(self) -> str:
        """Its name in a plan."""
        return f"{self.upstream_mbps:g} Mb/s, {self.flows} + 1, {self.price}"

    @property
    def rates_mbps(self) -> tuple[float, float]:
        """Where it settles: of each flow through both queues, and of the one through the second alone."""
        return self.upstream_mbps / self.flows, setting.RATE_BPS / 1e6 - self.upstream_mbps

    @property
    def queues_bytes(self) -> tuple[float, float]:
        """Upstream and behind it."""
        both, alone = self.rates_mbps
        each_bytes = setting.TAU_BYTES / REACTIVITIES[self.price]
        first = setting.FREE_BYTES + each_bytes * self.upstream_mbps * (1 / both - 1 / alone)
        return first, setting.FREE_BYTES + each_bytes * setting.RATE_BPS / 1e6 / alone

    def scenario(self, from_s: float, end_s: float) -> Scenario:
        """The run."""
        b = REACTIVITIES[self.price]
        price = {"kind": "clamp", "gain_b": b, "free_a_bytes": b * setting.FREE_BYTES}
        upstream = {
            "rate_bps": self.upstream_mbps * 1e6,
            "limit_bytes": FREE_BUFFER_BYTES if self.price == FREE else setting.CLAMP_BUFFER_BYTES,
            "price": {"kind": "none"} if self.price == FREE else price,
        }
        changes: dict[str, Any] = {"upstream": upstream, "bottleneck.price": price, "warmup_s": from_s}
        changes |= {f"flows.{flow}.path.upstream": True for flow in range(self.flows)}
        return setting.wire([setting.DELAY_MS] * (self.flows + 1), end_s, **changes)


CASES = tuple(
    Case(rate, flows, price) for rate, flows in ((2.0, 1), (4.0, 1), (4.0, 2), (6.0, 2)) for price in REACTIVITIES
)
QUICK_CASES = tuple(case for case in CASES if case.upstream_mbps == 4 and case.flows == 1)


KINDS = ((PRICED, "second"), (PRICED, "upstream"), (CALM, "second"), (CALM, "upstream"), (FREE, "upstream"))
"""What is drawn: whose price, which queue."""


@dataclass(frozen=True)
class CaseOutcome:
    """Of a case: what the second queue and the flows settled to, and the mean queue upstream, bytes: array [seed]."""

    held: SteadyState
    upstream_bytes: Floats


def plans(request: Request) -> Mapping[str, Plan]:
    """Every case."""
    from_s, end_s = (QUICK_FROM_S, QUICK_END_S) if request.quick else (FROM_S, END_S)
    seeds = setting.seeds(request.seed, QUICK_SEEDS if request.quick else SEEDS)
    cases = QUICK_CASES if request.quick else CASES
    return {"two-queues": Plan({case.label: case.scenario(from_s, end_s) for case in cases}, seeds, ("queue",))}


def show(results: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    """Judges and draws."""
    result = results["two-queues"]
    found = {
        case: CaseOutcome(
            wired_runs.steady_state(result, case.label), result.cell(case.label, "upstream_queue_mean_bytes")
        )
        for case in (QUICK_CASES if runner.request.quick else CASES)
    }
    held = {case.label: each.held for case, each in found.items()}
    claims = _claims(found, f"10 Mb/s behind, 50 ms, {len(result.plan.seeds)} seeds")
    answer = Answer("two-queues", "Two queues", claims, _picture(found), _sheet(found), _headline(found))
    return wired_runs.part_result(held, answer, (_why(),))


PART = Part("two-queues", "Beyond the paper: two queues in series", ("series",), plans, show, in_quick=False)


def off_rates(case: Case, found: CaseOutcome) -> Floats:
    """Array [seed]: largest distance of a rate from where it settles, relative."""
    both, alone = case.rates_mbps
    expected = 1e6 * np.array([both] * case.flows + [alone])
    return np.asarray(np.max(np.abs(found.held.rates_bps / expected - 1), axis=1))


def off_queues(case: Case, found: CaseOutcome) -> Floats:
    """Array [seed]: largest distance of a queue from where it settles, relative."""
    first, second = case.queues_bytes
    apart = np.abs(found.upstream_bytes / first - 1), np.abs(found.held.sampled_bytes / second - 1)
    return np.asarray(np.max(apart, axis=0))


def _of(found: Mapping[Case, CaseOutcome], price: str, measure: Callable[[Case, CaseOutcome], Floats]) -> list[Floats]:
    return [measure(case, each) for case, each in found.items() if case.price == price]


def _largest(values: list[Floats]) -> Estimate:
    return max((mean_interval(each) for each in values), key=lambda each: each.mean)


def _free_over_priced(found: Mapping[Case, CaseOutcome]) -> Estimate:
    """Least ratio of the queues upstream."""
    ratios = [
        paired_ratio(found[Case(case.upstream_mbps, case.flows, FREE)].upstream_bytes, each.upstream_bytes)
        for case, each in found.items()
        if case.price == PRICED
    ]
    return min(ratios, key=lambda each: each.mean)


def _claims(found: Mapping[Case, CaseOutcome], profile: str) -> list[Claim]:
    rates, queues = (_largest(_of(found, PRICED, of)) for of in (off_rates, off_queues))
    calm = _largest(_of(found, CALM, off_queues))
    rows: list[tuple[str, str, Estimate, Bounds]] = [
        ("a", "Two priced queues, b = 1: rates, largest distance from the fluid's", rates, at_most("share", 0.02)),
        ("b", "The same: queues as sampled, largest distance", queues, at_most("share", 0.03)),
        ("c", "The same with b = 0.5", calm, at_most("share", 0.03)),
        ("d", "Queue upstream, without a price over with one, least", _free_over_priced(found), above("ratio", 3.0)),
    ]  # fmt: skip
    return wired_runs.claims_of(17, rows, profile)


def _sheet(found: Mapping[Case, CaseOutcome]) -> Sheet:
    rows = []
    for case, each in found.items():
        first, second = case.queues_bytes
        rates = each.held.rates_bps.mean(axis=0) / 1e6
        rows.append(
            (
                case.label,
                " ".join(f"{rate:.2f}" for rate in rates),
                "" if case.price == FREE else f"{first:.0f}",
                plus_minus(mean_interval(each.upstream_bytes), 0),
                f"{second:.0f}",
                plus_minus(mean_interval(each.held.sampled_bytes), 0),
            )
        )
    note = (
        "Flows through both queues + through the second alone; their rates, Mb/s; queues as sampled, bytes, upstream "
        "and in front of the 10 Mb/s behind it, each after its q*."
    )
    return Sheet("Two queues", ("upstream, flows", "rates", "q1*", "first", "q2*", "second"), rows, note)


def _picture(found: Mapping[Case, CaseOutcome]) -> Illustration:
    figure, (axes,) = style.blank()
    links = list(dict.fromkeys((case.upstream_mbps, case.flows) for case in found))
    for index, (price, queue) in enumerate(KINDS):
        values = []
        for link in links:
            each = found[Case(*link, price)]
            values.append(
                mean_interval((each.upstream_bytes if queue == "upstream" else each.held.sampled_bytes) / 1e3)
            )
        at = [place + 0.16 * (index - 2) for place in range(len(links))]
        name = f"{queue}, {price}"
        axes.errorbar(
            at, [value.mean for value in values], [value.half_width for value in values], fmt="o", markersize=3,
            color=style.COLOURS[index], elinewidth=0.8, label=name,
        )  # fmt: skip
        if price != FREE:
            fluid = [Case(*link, price).queues_bytes[0 if queue == "upstream" else 1] / 1e3 for link in links]
            axes.hlines(fluid, [x - 0.07 for x in at], [x + 0.07 for x in at], color="black", linewidth=0.8)
    style.log_axis(axes, [3.0, 100.0])
    axes.set_ylim(3, 200)
    axes.set_xticks(range(len(links)), [f"{rate:g} Mb/s, {flows} + 1" for rate, flows in links])
    axes.tick_params(axis="x", labelsize=style.FONT_PT - 1.5)
    style.label(axes, "link upstream, flows through both + through the second", "queue as sampled (kB)")
    style.legend(axes, loc="upper left", ncols=2)
    caption = (
        "Two queues in series, 10 Mb/s behind a slower link, both with a price of b = 1 or b = 0.5 (black lines: the "
        "fluid), and upstream without one, a queue of 60 kB."
    )
    return Illustration("series-queues", caption, figure, "Points near black lines, and some far above them.")


def _why() -> str:
    return (
        "Prices add up, so a flow through both queues pays for both, and the slower link's flows share it, as a fluid "
        "says. With b = 1 queues swing about a; a price is never below zero, so the mean price is more than that of "
        "the mean queue, which settles below the fluid's. Half the b ends the swings. Without a price upstream "
        "receivers see prices of the second queue only, and the first is New Reno's."
    )


def _headline(found: Mapping[Case, CaseOutcome]) -> str:
    queues, calm = (100 * _largest(_of(found, price, off_queues)).mean for price in (PRICED, CALM))
    rates = 100 * _largest(_of(found, PRICED, off_rates)).mean
    return (
        f"Two queues in series whose prices add up settle at the fluid's rates within {rates:.1f} %; at its queues "
        f"within {queues:.0f} % with b = 1, where they swing, and within {calm:.1f} % with b = 0.5. Without a price "
        f"the queue upstream is at least {_free_over_priced(found).mean:.0f} times as long (claims 004-17)."
    )
