"""Open question of Section VII: which alpha is safe for a given minimum RTO, and what do timeouts cost below it.

Section V's cell with greedy Reno downloads, over alpha, for minimum RTOs of 0.2 and 1 s. The rule that is tried: no
spurious timeouts where a user's longest service interval (a packet's time at the head of its queue) stays below the
minimum RTO. It is tried in two cells that it was not made on as well. Controls: the timer in ticks of 0.1 s, as the
ns-2 of the time; F-RTO and Eifel, which take spurious timeouts back; spurious timeouts held, which no sender could do.
Left out: initial timeouts (startup-timeout).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airlink.campaign import CampaignResult, Plan
from airlink.report import Bounds, Claim, Statement, above, at_least, certain
from airlink.scenario import Scenario
from airlink.statistics import Estimate, mean_interval
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.opportunistic_pf import rto_figures
from airlink_studies.opportunistic_pf.quarters import CENTRE, EDGE, Floats, quarters
from airlink_studies.opportunistic_pf.setting import ALPHA, ALPHAS, section_v, seeds
from airlink_studies.opportunistic_pf.tcp_events import goodput_kbps, per_flow_minute, ratio

SHORT, LONG = "min RTO 0.2 s", "min RTO 1 s"
TICKED, F_RTO, TAKEN_BACK, HELD = "0.2 s, ticks", "0.2 s, F-RTO", "0.2 s, Eifel", "0.2 s, held"
TIMERS: Mapping[str, Mapping[str, object]] = {
    SHORT: {"flows.0.tcp.rto.min_ms": 200.0, "flows.0.tcp.rto.tick_ms": 0.0},
    LONG: {"flows.0.tcp.rto.min_ms": 1000.0, "flows.0.tcp.rto.tick_ms": 0.0},
    TICKED: {"flows.0.tcp.rto.min_ms": 200.0, "flows.0.tcp.rto.tick_ms": 100.0},
    F_RTO: {
        "flows.0.tcp.rto.min_ms": 200.0,
        "flows.0.tcp.rto.tick_ms": 0.0,
        "flows.0.tcp.rules.frto": True,
        "flows.0.tcp.rules.spurious_response": "eifel",
    },
    TAKEN_BACK: {
        "flows.0.tcp.rto.min_ms": 200.0,
        "flows.0.tcp.rto.tick_ms": 0.0,
        "flows.0.tcp.timestamps": True,
        "flows.0.tcp.rules.eifel_detection": True,
        "flows.0.tcp.rules.spurious_response": "eifel",
    },
    HELD: {
        "flows.0.tcp.rto.min_ms": 200.0,
        "flows.0.tcp.rto.tick_ms": 0.0,
        "experimental.hold_timeouts": "spurious",
    },
}
MIN_RTO_S: Mapping[str, float] = {SHORT: 0.2, LONG: 1.0}
OWN_CELL = "Section V"
OTHER_CELLS: Mapping[str, Mapping[str, object]] = {
    "Doppler 10 Hz": {"channel.fading.doppler_hz": 10.0},
    "8 users": {"users": 8},
}
QUICK_ALPHAS, SMALL_ALPHA, LARGEST_ALPHA = (0.1, ALPHA, 0.001), 0.001, 0.1
RECORDED_ALPHAS = (0.1, ALPHA, 0.001, 0.0001)
DROPS, OTHER_DROPS, RECORDED_DROPS, QUICK_DROPS = 8, 4, 3, 3
RUN_S, QUICK_S = 120.0, 30.0
SAFE = 0.1
"""Spurious timeouts per flow and minute, at most: one in ten minutes."""


@dataclass(frozen=True)
class Point:
    """A class of users in one setting: is it safe, and what would the rule say.

    Attributes
    ----------
    cell, timer, alpha, which : the setting; class of `QUARTERS`.
    spurious : spurious timeouts per flow and minute.
    longest_s : mean over seeds of the longest service interval of the class's users.
    min_rto_s : of the timer.
    """

    cell: str
    timer: str
    alpha: float
    which: int
    spurious: Estimate
    longest_s: float
    min_rto_s: float

    @property
    def predicted_safe(self) -> bool:
        """What the rule says."""
        return self.longest_s < self.min_rto_s

    @property
    def safe(self) -> bool:
        """What was seen."""
        return self.spurious.mean <= SAFE


def alphas_of(request: Request) -> tuple[float, ...]:
    """The sweep."""
    return QUICK_ALPHAS if request.quick else ALPHAS


def label_of(alpha: float, timer: str) -> str:
    """Label of a scenario in its plan."""
    return f"alpha={alpha:g}, {timer}"


def _scenario(alpha: float, timer: str, duration_s: float) -> Scenario:
    return section_v(duration_s=duration_s, **{"scheduler.time_constant_slots": 1 / alpha}, **TIMERS[timer])


def _plans(request: Request) -> Mapping[str, Plan]:
    drops = seeds(request.seed, QUICK_DROPS if request.quick else DROPS)
    length = QUICK_S if request.quick else RUN_S
    timers = (SHORT, LONG, HELD) if request.quick else tuple(TIMERS)
    main = {label_of(alpha, one): _scenario(alpha, one, length) for alpha in alphas_of(request) for one in timers}
    plans = {"main": Plan(main, drops)}
    if request.quick:
        return plans
    for name, changes in OTHER_CELLS.items():
        cell = {
            label_of(alpha, one): _scenario(alpha, one, length).with_(**changes)
            for alpha in ALPHAS
            for one in MIN_RTO_S
        }
        plans[name] = Plan(cell, drops[:OTHER_DROPS])
    recorded = {label_of(alpha, one): _scenario(alpha, one, length) for alpha in RECORDED_ALPHAS for one in MIN_RTO_S}
    return {**plans, "recorded": Plan(recorded, drops[:RECORDED_DROPS], ("limits",))}


def _show(results: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    main, alphas = results["main"], alphas_of(runner.request)
    points = points_of(OWN_CELL, main, alphas)
    for name in OTHER_CELLS:
        points += points_of(name, results[name], alphas) if name in results else []
    silent = silence(results["recorded"]) if "recorded" in results else {}
    timers = [one for one in TIMERS if label_of(alphas[0], one) in main.replicas]
    labels = {one: {alpha: label_of(alpha, one) for alpha in alphas} for one in timers}
    sheet = rto_figures.sheet(main, labels, silent, SHORT)
    own = [point for point in points if point.cell == OWN_CELL]
    short = rto_figures.short_sheet(main, labels, own)
    longest = {which: [longest_s(main, label_of(alpha, LONG), which) for alpha in alphas] for which in (EDGE, CENTRE)}
    picture = rto_figures.figure(own, longest, SAFE, len(main.plan.seeds))
    rule = rto_figures.rule_sheet(points)
    return PartResult(
        claims=_claims(main, points, f"{OWN_CELL}, {len(main.plan.seeds)} seeds"),
        paragraphs=_paragraphs(points, silent),
        items=[picture, short, sheet, rule],
        printed=[short],
        sentences=[_sentence(main, points)],
        depends=[_sentence(main, points)],
        tables={"alpha-and-rto": rto_figures.table(points)},
    )


def points_of(cell: str, result: CampaignResult, alphas: Sequence[float]) -> list[Point]:
    """The edge and the centre of a cell, for both minimum RTOs, at every alpha."""
    return [
        Point(
            cell,
            timer,
            alpha,
            which,
            mean_interval(per_flow_minute(result, label_of(alpha, timer), "spurious_timeouts", which)),
            float(longest_s(result, label_of(alpha, timer), which).mean()),
            least,
        )
        for timer, least in MIN_RTO_S.items()
        for alpha in alphas
        for which in (EDGE, CENTRE)
    ]


def longest_s(result: CampaignResult, label: str, which: int) -> Floats:
    """Longest time of a packet at the head of its queue, of any user of the class: array [seed], s."""
    return np.asarray(quarters(result, label, result.users(label, "hol_delay_max_s"), np.nanmax)[:, which])


def silence(recorded: CampaignResult) -> dict[str, float]:
    """Label -> share of the flows' time that was spent waiting for a retransmission timer to expire."""
    return {
        label: float((recorded.flows(label, "time_rto_s") / recorded.flows(label, "active_s")).mean())
        for label in recorded.replicas
    }


def _claims(main: CampaignResult, points: Sequence[Point], profile: str) -> list[Claim]:
    """[000-12] The paper warns of very small alpha; the predicates are ours."""
    few = Bounds("per flow and minute", high=SAFE)
    less, held = (_ratio(main, SMALL_ALPHA, one, SHORT) for one in (LONG, HELD))
    none = _ratio(main, ALPHA, LONG, SHORT)
    claims = [
        Statement("000-12a", "min RTO 1 s: alpha = 0.01 is safe for central users (spurious timeouts)").against(
            _spurious(main, ALPHA, LONG), few, profile
        ),
        Statement("000-12b", "min RTO 1 s: alpha = 0.001 is not").against(
            _spurious(main, SMALL_ALPHA, LONG), above("per flow and minute", SAFE), profile
        ),
        Statement("000-12c", "min RTO 0.2 s: not even alpha = 0.1 is safe for them").against(
            _spurious(main, LARGEST_ALPHA, SHORT), above("per flow and minute", SAFE), profile
        ),
        Statement("000-12d", "alpha = 0.01: the minimum RTO makes no difference to goodput (within 2 %)").against(
            none, Bounds("goodput 1 s / 0.2 s", 0.98, 1.02), profile
        ),
        Statement("000-12e", "alpha = 0.001: 1 s carries more than 0.2 s").against(
            less, above("goodput 1 s / 0.2 s", 1), profile
        ),
        Statement("000-12f", "alpha = 0.001: so does 0.2 s when spurious timeouts are held").against(
            held, above("goodput held / not", 1), profile
        ),
    ]
    if {point.cell for point in points} == {OWN_CELL}:
        return claims
    central = [point for point in points if point.which == CENTRE]
    agreed = sum(point.predicted_safe == point.safe for point in central) / len(central)
    words = "the rule tells safe from unsafe for central users (share of all alphas, minimum RTOs and cells)"
    return [*claims, Statement("000-12g", words).against(certain(agreed), at_least("right", 0.9), profile)]


def _ratio(main: CampaignResult, alpha: float, a: str, b: str) -> Estimate:
    return ratio(lambda timer: goodput_kbps(main, label_of(alpha, timer)), a, b)


def _spurious(main: CampaignResult, alpha: float, timer: str) -> Estimate:
    return mean_interval(per_flow_minute(main, label_of(alpha, timer), "spurious_timeouts", CENTRE))


def smallest_safe(points: Sequence[Point], cell: str, timer: str, which: int) -> float | None:
    """The smallest alpha down to which all were safe, None when not even the largest was."""
    safe = None
    own = [point for point in points if (point.cell, point.timer, point.which) == (cell, timer, which)]
    for point in sorted(own, key=lambda one: -one.alpha):
        if not point.safe:
            break
        safe = point.alpha
    return safe


def _sentence(main: CampaignResult, points: Sequence[Point]) -> str:
    safe = smallest_safe(points, OWN_CELL, LONG, CENTRE)
    lost = 100 * (1 - 1 / _ratio(main, SMALL_ALPHA, HELD, SHORT).mean)
    rates = [_spurious(main, alpha, SHORT).mean for alpha in (LARGEST_ALPHA, ALPHA, SMALL_ALPHA)]
    central = [point for point in points if point.which == CENTRE]
    right = sum(point.predicted_safe == point.safe for point in central)
    down = "no alpha of the sweep is safe" if safe is None else f"alpha down to {safe:g} is safe for central users"
    return (
        f"Alpha and the RTO [000-12a]: with a minimum RTO of 1 s {down}; with 0.2 s none is ({rates[0]:.1f}, "
        f"{rates[1]:.1f} and {rates[2]:.0f} spurious timeouts per flow and minute at 0.1, 0.01, 0.001), which costs "
        f"{lost:.1f} % of the goodput at 0.001; a longest service interval below the minimum RTO tells which is safe "
        f"in {right} of {len(central)} cases."
    )


def _paragraphs(points: Sequence[Point], silent: Mapping[str, float]) -> list[str]:
    edge = [point.spurious.mean for point in points if point.which == EDGE and point.cell == OWN_CELL]
    text = [
        "The minimum matters to users whose timer stands at it: those near the centre. An edge user's round trip is "
        f"seconds long, and its timer with it: it has {min(edge):.1f} to {max(edge):.1f} spurious timeouts a minute, "
        "with either minimum, a little more often with small alpha."
    ]
    if silent:
        parts = [
            f"{100 * silent[label_of(alpha, SHORT)]:.1f} % ({100 * silent[label_of(alpha, LONG)]:.1f} % with 1 s) at "
            f"{alpha:g}"
            for alpha in RECORDED_ALPHAS
        ]
        text.append(f"Share of the flows' time spent in silence before a timeout, 0.2 s: {', '.join(parts)}.")
    return text


PART = Part(
    name="alpha-and-rto",
    heading="Open question: alpha and the RTO",
    figures=("rto",),
    plans=_plans,
    show=_show,
)
