"""Open question of Section VIII: TCP's recovery against lambda, the trade-off between rate and resource fairness.

Section V's cell with queues of 10 packets under the metric log R - lambda log T: Reno, NewReno, and SACK as ns-2 has
it. The edge: the lowest 4 of 16 users in SNR. Left out: other queues (larger_queues.py) and alphas (sack.py).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from airlink.campaign import CampaignResult, Plan
from airlink.plots import style
from airlink.plots.sweep import banded
from airlink.report import Bounds, Claim, Illustration, Sheet, Statement, above, plus_minus
from airlink.result import Table
from airlink.statistics import Estimate, mean_interval, paired_difference
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.opportunistic_pf.quarters import EDGE, Floats
from airlink_studies.opportunistic_pf.sack import NEW_RENO, RENO, SACK_NS2, SENDERS
from airlink_studies.opportunistic_pf.setting import LAMBDA, section_v, seeds
from airlink_studies.opportunistic_pf.tcp_events import goodput_kbps, per_flow_minute, ratio, recovery_table

EXPONENTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0)
QUICK_EXPONENTS = (0.5, 1.0, 2.0)
HALF, PF, TWICE = 0.5, 1.0, 2.0
ASKED = (RENO, NEW_RENO, SACK_NS2)
DROPS, QUICK_DROPS = 10, 2
RUN_S, QUICK_S = 120.0, 30.0
ABOUT_THE_SAME = (0.98, 1.02)
"""Within 2 % (chosen before anything was run, as in sack.py)."""


def _label(exponent: float, sender: str) -> str:
    return f"lambda={exponent:g}, {sender}"


def _exponents(request: Request) -> tuple[float, ...]:
    return QUICK_EXPONENTS if request.quick else EXPONENTS


def _plans(request: Request) -> Mapping[str, Plan]:
    length = QUICK_S if request.quick else RUN_S
    scenarios = {
        _label(one, sender): section_v(
            duration_s=length, **{"scheduler.kind": LAMBDA, "scheduler.exponent": one}, **SENDERS[sender]
        )
        for one in _exponents(request)
        for sender in ASKED
    }
    return {"greedy": Plan(scenarios, seeds(request.seed, QUICK_DROPS if request.quick else DROPS))}


def _show(results: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    greedy, chosen = results["greedy"], _exponents(runner.request)
    sheet = _sheet(greedy, chosen)
    return PartResult(
        claims=_claims(greedy),
        items=[_figure(greedy, chosen), sheet],
        printed=[sheet],
        sentences=[_sentence(greedy, chosen)],
        tables={"lambda-senders": _table(greedy, chosen)},
    )


def _claims(greedy: CampaignResult) -> list[Claim]:
    """Whether SACK and NewReno matter more, less or as much away from lambda = 1."""
    profile = f"Section V, {len(greedy.plan.seeds)} seeds"
    same = Bounds("goodput ratio", *ABOUT_THE_SAME)
    made: list[Claim] = []
    for letters, exponent in (("abc", HALF), ("def", PF), ("ghi", TWICE)):
        where = f"lambda = {exponent:g}"
        fewer = paired_difference(_timeouts(greedy, exponent, RENO), _timeouts(greedy, exponent, SACK_NS2))
        made += [
            Statement(f"000-14{letters[0]}", f"{where}: SACK has fewer timeouts than Reno").against(
                fewer, above("Reno - SACK", 0), profile
            ),
            Statement(f"000-14{letters[1]}", f"{where}: SACK carries as much as Reno (within 2 %)").against(
                _ratio(greedy, exponent, SACK_NS2), same, profile
            ),
            Statement(f"000-14{letters[2]}", f"{where}: NewReno carries as much as Reno (within 2 %)").against(
                _ratio(greedy, exponent, NEW_RENO), same, profile
            ),
        ]
    return made


def _ratio(greedy: CampaignResult, exponent: float, sender: str, which: int | None = None) -> Estimate:
    """Goodput over that of Reno, of a class of users or of all."""
    return ratio(lambda one: goodput_kbps(greedy, _label(exponent, one), which), sender, RENO)


def _timeouts(greedy: CampaignResult, exponent: float, sender: str) -> Floats:
    return per_flow_minute(greedy, _label(exponent, sender), "timeouts")


def _sentence(greedy: CampaignResult, chosen: tuple[float, ...]) -> str:
    gains = {one: 100 * (_ratio(greedy, one, SACK_NS2).mean - 1) for one in chosen}
    best = max(gains, key=lambda one: abs(gains[one]))
    before, after = (float(_timeouts(greedy, TWICE, sender).mean()) for sender in (RENO, SACK_NS2))
    return (
        f"Recovery against lambda [000-14a]: against Reno SACK changes the cell's goodput by {gains[best]:+.1f} % at "
        f"most (lambda = {best:g}); at lambda = 2 it takes {before:.2f} timeouts per flow and minute to {after:.2f}."
    )


def _figure(greedy: CampaignResult, chosen: tuple[float, ...]) -> Illustration:
    figure, (cell, edge, timeouts) = style.blank(rows=3, height_in=5.4)
    places = np.arange(len(chosen))
    served = np.array(chosen) > 0  # at lambda = 0 edge users get next to nothing from any sender
    for index, sender in enumerate(ASKED):
        counts = [mean_interval(_timeouts(greedy, one, sender)) for one in chosen]
        banded(timeouts, places, counts, index, sender)
        if sender != RENO:
            banded(cell, places, [_ratio(greedy, one, sender) for one in chosen], index, sender)
            banded(edge, places[served], [_ratio(greedy, one, sender, EDGE) for one in chosen if one], index, sender)
    for axes in (cell, edge):
        axes.axhline(1.0, color=style.COLOURS[0], linewidth=0.9, label="Reno")
        style.legend(axes, loc="best")
    timeouts.set_ylim(bottom=0)
    timeouts.set_xticks(places, [f"{one:g}" for one in chosen])
    style.label(cell, "", "cell goodput / Reno's")
    style.label(edge, "", "edge goodput / Reno's")
    style.label(timeouts, "lambda (steps not to scale)", "timeouts per flow\nand minute")
    style.legend(timeouts, loc="best")
    caption = (
        "NewReno and SACK against Reno over lambda, on the same seeds: goodput of the cell and of its edge users, and "
        f"timeouts. 16 greedy downloads, queues of 10 packets, {len(greedy.plan.seeds)} seeds, bands: 95 %."
    )
    return Illustration("senders-lambda", caption, figure, "Goodput over Reno's and timeouts against lambda.")


def _sheet(greedy: CampaignResult, chosen: tuple[float, ...]) -> Sheet:
    rows = []
    for one in chosen:
        for sender in ASKED:
            label = _label(one, sender)
            rows.append(
                (
                    f"{one:g} {sender}",
                    plus_minus(mean_interval(goodput_kbps(greedy, label)), 0),
                    "" if sender == RENO else plus_minus(_ratio(greedy, one, sender), 3),
                    plus_minus(mean_interval(goodput_kbps(greedy, label, EDGE)), 1),
                    f"{_timeouts(greedy, one, sender).mean():.2f}",
                    f"{per_flow_minute(greedy, label, 'timeouts', EDGE).mean():.2f}",
                )
            )
    columns = ("lambda, sender", "cell kb/s", "of Reno's", "edge", "timeouts", "edge timeouts")
    note = "edge: kb/s of the lowest 4 of 16 users in SNR together; timeouts per flow and minute"
    return Sheet("Recovery against lambda", columns, rows, note)


def _table(greedy: CampaignResult, chosen: tuple[float, ...]) -> Table:
    settings = [(one, sender, _label(one, sender)) for one in chosen for sender in ASKED]
    return recovery_table(greedy, "exponent", settings, EDGE)


PART = Part(
    name="lambda-senders",
    heading="Open question: recovery of TCP against lambda",
    figures=("senders",),
    plans=_plans,
    show=_show,
    in_quick=False,
)
