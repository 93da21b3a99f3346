"""Queueing delay of every user against alpha: mean, deviation, least and most (Section V prints those of two users).

Section V's cell, users 0 (W) to 15 (B) equally spaced in dB, over 200 s at every alpha. Left out: who sent what, and
delays on wires, which are constant.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from airlink.campaign import CampaignResult, Plan
from airlink.plots import style
from airlink.plots.sweep import banded
from airlink.report import Claim, Illustration, Sheet, Statement, about, above, plus_minus
from airlink.result import Table
from airlink.statistics import Estimate, mean_interval, paired_difference, paired_ratio
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.opportunistic_pf.quarters import Floats
from airlink_studies.opportunistic_pf.setting import ALPHA, PAPER_USERS, USERS, section_v, seeds

ALPHAS, QUICK_ALPHAS = (0.1, 0.03, ALPHA, 0.003, 0.001, 0.0003), (0.1, ALPHA, 0.001)
SMALL_ALPHA = 0.001
DROPS, QUICK_DROPS = 10, 2
RUN_S, QUICK_S = 200.0, 30.0
PLACES: Mapping[str, int] = {"W": 0, "B": USERS - 1}
SHOWN = (0, 4, 8, 12, USERS - 1)
NUMBERS: Mapping[str, str] = {"mean": "mean", "sd": "sd", "least": "min", "most": "max"}
"""Name -> the word of the column `queueing_delay_<word>_s`."""


def _label(alpha: float) -> str:
    return f"alpha={alpha:g}"


def _alphas(request: Request) -> tuple[float, ...]:
    return QUICK_ALPHAS if request.quick else ALPHAS


def _plans(request: Request) -> Mapping[str, Plan]:
    length = QUICK_S if request.quick else RUN_S
    scenarios = {
        _label(alpha): section_v(duration_s=length, **{"scheduler.time_constant_slots": 1 / alpha})
        for alpha in _alphas(request)
    }
    return {"delays": Plan(scenarios, seeds(request.seed, QUICK_DROPS if request.quick else DROPS))}


def _show(results: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    result, alphas = results["delays"], _alphas(runner.request)
    sheet = _sheet(result, alphas)
    return PartResult(
        claims=_claims(result),
        items=[_figure(result, alphas), sheet, *_every_user(result, alphas)],
        printed=[sheet],
        sentences=[_sentence(result)],
        tables={"user-delays": _table(result, alphas)},
    )


def delay_ms(result: CampaignResult, alpha: float, number: str, user: int) -> Floats:
    """One number of the queueing delay of a user: array [seed], ms; `number` is a key of NUMBERS."""
    return np.asarray(1e3 * result.users(_label(alpha), f"queueing_delay_{NUMBERS[number]}_s")[:, user])


def _claims(result: CampaignResult) -> list[Claim]:
    """[000-5], the delays of Section V, and how alpha moves them."""
    profile = f"Section V, {len(result.plan.seeds)} seeds"
    claims = [
        Statement(f"000-13{letter}", f"User {name}: {number} queueing delay, ms, alpha 0.01 (15 %)", paper).against(
            _estimate(result, ALPHA, number, PLACES[name]), about("ms", paper), profile
        )
        for letter, (name, number, paper) in zip("abcdef", _printed(), strict=True)
    ]
    of_w = {alpha: delay_ms(result, alpha, "sd", PLACES["W"]) for alpha in (ALPHA, SMALL_ALPHA)}
    longer = paired_ratio(of_w[SMALL_ALPHA], of_w[ALPHA])
    wider = paired_difference(_spread_over_mean(result, SMALL_ALPHA), _spread_over_mean(result, ALPHA))
    return [
        *claims,
        Statement("000-13g", "User W: the deviation of the delay grows from alpha 0.01 to 0.001").against(
            longer, above("ratio", 1), profile
        ),
        Statement("000-13h", "Mean over users of deviation / mean grows from alpha 0.01 to 0.001").against(
            wider, above("difference", 0), profile
        ),
    ]


def _printed() -> list[tuple[str, str, float]]:
    """User, number, and what the paper prints, ms. Least delays are single samples, so they are only shown."""
    return [
        (name, number, getattr(PAPER_USERS[name].queueing, attribute))
        for name in PLACES
        for number, attribute in (("mean", "mean"), ("sd", "sd"), ("most", "largest"))
    ]


def _spread_over_mean(result: CampaignResult, alpha: float) -> Floats:
    ratios = [delay_ms(result, alpha, "sd", user) / delay_ms(result, alpha, "mean", user) for user in range(USERS)]
    return np.asarray(np.nanmean(ratios, axis=0))


def _estimate(result: CampaignResult, alpha: float, number: str, user: int) -> Estimate:
    return mean_interval(delay_ms(result, alpha, number, user))


def _sentence(result: CampaignResult) -> str:
    means = {
        name: [delay_ms(result, alpha, "mean", user).mean() for alpha in (ALPHA, SMALL_ALPHA)]
        for name, user in PLACES.items()
    }
    spread = [_spread_over_mean(result, alpha).mean() for alpha in (ALPHA, SMALL_ALPHA)]
    return (
        f"Queueing delay of every user [000-13a]: from alpha 0.01 to 0.001 the mean of W goes from {means['W'][0]:.0f} "
        f"to {means['W'][1]:.0f} ms and that of B from {means['B'][0]:.0f} to {means['B'][1]:.0f} ms; deviation over "
        f"mean goes from {spread[0]:.2f} to {spread[1]:.2f} on the mean of the users."
    )


def _figure(result: CampaignResult, alphas: tuple[float, ...]) -> Illustration:
    figure, panels = style.blank(rows=2, height_in=4.4)
    for axes, number in zip(panels, ("mean", "sd"), strict=True):
        values = []
        for index, user in enumerate(SHOWN):
            estimates = [_estimate(result, alpha, number, user) for alpha in alphas]
            values += [estimate.mean for estimate in estimates]
            name = {place: f"user {place} ({letter})" for letter, place in PLACES.items()}.get(user, f"user {user}")
            banded(axes, alphas, estimates, index, name)
        style.log_axis(axes, values)
        style.log_x(axes)
        for name in PLACES:
            printed = getattr(PAPER_USERS[name].queueing, number)
            axes.plot([ALPHA], [printed], "x", color=style.GREY, label="paper" if name == "W" else None)
    panels[0].invert_xaxis()  # the panels share it
    style.label(panels[0], "", "mean delay (ms)")
    style.label(panels[1], "alpha (weight of the newest slot)", "standard deviation\n(ms)")
    style.legend_above(figure, panels[0], columns=3)
    caption = (
        "Queueing delay of five of 16 users against alpha: mean above, standard deviation below. The crosses are what "
        f"the paper prints of B and W. {len(result.plan.seeds)} seeds, bands: 95 %."
    )
    return Illustration("delays-users", caption, figure, "Mean and deviation of users' queueing delays against alpha.")


def _sheet(result: CampaignResult, alphas: tuple[float, ...]) -> Sheet:
    printed = ("mean", "sd", "least", "largest")
    rows = [
        (f"{name}, paper", *(f"{getattr(PAPER_USERS[name].queueing, each):.1f}" for each in printed)) for name in PLACES
    ]
    rows += [
        (f"{name}, {alpha:g}", *(plus_minus(_estimate(result, alpha, number, user), 0) for number in NUMBERS))
        for name, user in PLACES.items()
        for alpha in alphas
    ]
    note = "ms, means over seeds with 95 % intervals; the report and the Parquet file have every user"
    return Sheet("Queueing delay of B and W", ("user, alpha", "mean", "deviation", "least", "most"), rows, note)


def _every_user(result: CampaignResult, alphas: tuple[float, ...]) -> list[Sheet]:
    """One table a number: users down, alphas across."""
    return [
        Sheet(
            f"Queueing delay of every user: {name}, ms",
            ("user", *(f"{alpha:g}" for alpha in alphas)),
            [
                (str(user), *(f"{delay_ms(result, alpha, name, user).mean():.1f}" for alpha in alphas))
                for user in range(USERS)
            ],
            "columns: alpha; user 0 has the lowest SNR (W), user 15 the highest (B)",
        )
        for name in NUMBERS
    ]


def _table(result: CampaignResult, alphas: tuple[float, ...]) -> Table:
    drops = result.plan.seeds
    keys = [(alpha, user) for alpha in alphas for user in range(USERS)]
    return Table(
        {
            "alpha": [alpha for alpha, _ in keys for _ in drops],
            "user": [user for _, user in keys for _ in drops],
            "seed": [seed for _ in keys for seed in drops],
            **{
                f"{number}_ms": np.concatenate([delay_ms(result, alpha, number, user) for alpha, user in keys])
                for number in NUMBERS
            },
        }
    )


PART = Part(
    name="user-delays",
    heading="Section V: queueing delay of every user against alpha",
    figures=("delays",),
    plans=_plans,
    show=_show,
    in_quick=False,
)
