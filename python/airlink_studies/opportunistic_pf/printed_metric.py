"""Equation (5) as printed, log SNR / T, and the amplitudes of fading as given, where the study reads otherwise.

The study takes R / T and equal amplitudes. Section VI's cell (32 users, queues never empty, alpha = 0.01) under R / T,
under log SNR / T to the letter, and under log(1 + SNR) / T, as the paper says that a rate is proportional to log(1 +
SNR); R / T once more with complex Gaussian amplitudes, drawn once for a run. Then Section V's cell with TCP and either
amplitudes. Left out: other alphas.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from airlink.campaign import CampaignResult, Plan
from airlink.plots import style
from airlink.report import Claim, Illustration, Sheet, Statement, above, at_least, at_most, between, plus_minus
from airlink.result import Table
from airlink.statistics import Estimate, mean_interval, paired_ratio
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.opportunistic_pf.quarters import EDGE, Floats, by_snr, quarters
from airlink_studies.opportunistic_pf.setting import MANY_USERS, PAPER, PF, backlogged, fairness, section_v, seeds
from airlink_studies.opportunistic_pf.tcp_events import goodput_kbps

RATE, LITERAL, SHIFTED, GAUSSIAN = "R/T", "log SNR/T", "log(1+SNR)/T", "R/T, Gaussian"
AMPLITUDES: Mapping[str, object] = {"channel.fading.amplitudes": "gaussian"}
READINGS: Mapping[str, Mapping[str, object]] = {
    RATE: {"scheduler.kind": PF},
    LITERAL: {"scheduler.kind": "log_snr"},
    SHIFTED: {"scheduler.kind": "log_snr", "scheduler.argument": "one_plus_snr"},
    GAUSSIAN: {"scheduler.kind": PF, **AMPLITUDES},
}
DROPS, QUICK_DROPS = 10, 3
QUICK_S, TCP_S = 10.0, 120.0
FLAT = 0.10
"""Coefficient of variation that "about the same share" allows, as in fairness_exponent.py."""
STARVED = 0.1
"""A user with less than a tenth of an even share is starved (chosen before anything was run)."""


def _plans(request: Request) -> Mapping[str, Plan]:
    drops = seeds(request.seed, QUICK_DROPS if request.quick else DROPS)
    length = {"duration_s": QUICK_S} if request.quick else {}
    cell = backlogged(fairness(1.0))
    tcp = section_v(duration_s=QUICK_S if request.quick else TCP_S)
    return {
        "readings": Plan({name: cell.with_(**changes, **length) for name, changes in READINGS.items()}, drops),
        "tcp": Plan({RATE: tcp, GAUSSIAN: tcp.with_(**AMPLITUDES)}, drops),
    }


def _show(results: Mapping[str, CampaignResult], _: Runner) -> PartResult:
    readings, tcp = results["readings"], results["tcp"]
    sheet = _sheet(readings, tcp)
    return PartResult(
        claims=_claims(readings, tcp),
        items=[_figure(readings), sheet],
        printed=[sheet],
        sentences=[_sentence(readings, tcp)],
        tables={"printed-metric": _table(readings)},
    )


def _shares(result: CampaignResult, reading: str) -> Floats:
    """Shares of the slots by rising SNR: array [seed, user]."""
    won = result.users(reading, "slots_won")
    return by_snr(result, reading, won / won.sum(axis=1, keepdims=True))


def _variation(result: CampaignResult, reading: str) -> Floats:
    shares = _shares(result, reading)
    return np.asarray(shares.std(axis=1, ddof=1) / shares.mean(axis=1))


def _starved(result: CampaignResult, reading: str) -> Floats:
    """Users with less than a tenth of an even share: array [seed]."""
    return np.asarray((_shares(result, reading) < STARVED / MANY_USERS).sum(axis=1).astype(float))


def _rate(result: CampaignResult, a: str, b: str) -> Estimate:
    return paired_ratio(result.cell(a, "granted_bps"), result.cell(b, "granted_bps"))


def _claims(readings: CampaignResult, tcp: CampaignResult) -> list[Claim]:
    """Whether the paper's words on eq. (5) fit its letters: "every user gets an ... equal number of ... slots"."""
    profile = f"Section VI, {len(readings.plan.seeds)} realizations"
    paper = f"{PAPER.fair_share_percent:g} % for all"
    variation = {name: mean_interval(_variation(readings, name)) for name in READINGS}
    return [
        Statement("000-16a", "log SNR / T as printed gives every user about the same share", paper).against(
            variation[LITERAL], at_most("CoV of shares", FLAT), profile
        ),
        Statement("000-16b", "log(1 + SNR) / T gives every user about the same share", paper).against(
            variation[SHIFTED], at_most("CoV of shares", FLAT), profile
        ),
        Statement(
            "000-16c", "log SNR / T as printed starves a quarter of the users (less than a tenth of their share)"
        ).against(mean_interval(_starved(readings, LITERAL)), at_least("users of 32", MANY_USERS / 4), profile),
        Statement("000-16d", "it carries more than R / T by that").against(
            _rate(readings, LITERAL, RATE), above("granted rate", 1.0), profile
        ),
        Statement("000-16e", "log(1 + SNR) / T carries as much as R / T (within 5 %)").against(
            _rate(readings, SHIFTED, RATE), between("granted rate", 0.95, 1.05), profile
        ),
        Statement("000-16f", "Gaussian amplitudes leave what the cell carries as it is (within 3 %)").against(
            _rate(readings, GAUSSIAN, RATE), between("granted rate", 0.97, 1.03), profile
        ),
        Statement("000-16g", "with Gaussian amplitudes users still have about the same share", paper).against(
            variation[GAUSSIAN], at_most("CoV of shares", FLAT), profile
        ),
        Statement(
            "000-16h", "Section V, TCP: Gaussian amplitudes leave the cell's goodput as it is (within 3 %)"
        ).against(
            paired_ratio(goodput_kbps(tcp, GAUSSIAN), goodput_kbps(tcp, RATE)), between("goodput", 0.97, 1.03), profile
        ),
    ]


def _sentence(readings: CampaignResult, tcp: CampaignResult) -> str:
    starved, gain = (float(_starved(readings, LITERAL).mean()), 100 * (_rate(readings, LITERAL, RATE).mean - 1))
    amplitudes = 100 * (paired_ratio(goodput_kbps(tcp, GAUSSIAN), goodput_kbps(tcp, RATE)).mean - 1)
    return (
        f"Eq. (5) as printed [000-16a]: log SNR / T gives {starved:.0f} of {MANY_USERS} users less than a tenth of an "
        f"even share and changes the granted rate by {gain:+.0f} %, so it is not what the paper describes; Gaussian "
        f"amplitudes change Section V's goodput by {amplitudes:+.1f} %."
    )


def _figure(readings: CampaignResult) -> Illustration:
    figure, (axes,) = style.blank(rows=1, height_in=2.6)
    for index, name in enumerate(READINGS):
        snr_db = np.sort(readings.users(name, "mean_snr_db"), axis=1)
        axes.plot(
            snr_db.ravel(), 100 * _shares(readings, name).ravel(), linestyle="none", marker=".", markersize=3,
            color=style.COLOURS[index], label=name,
        )  # fmt: skip
    axes.axhline(100 / MANY_USERS, color=style.GREY, linewidth=0.8, label="equal shares")
    axes.set_ylim(bottom=0)
    style.label(axes, "mean SNR (dB)", "share of the slots (%)")
    style.legend(axes, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3)
    caption = (
        "Who gets the slots by the metric as it is read: R / T (this study), eq. (5) as printed, and with 1 + SNR; and "
        "R / T with Gaussian amplitudes. 32 users, queues never empty, alpha = 0.01; a point is a user of one of "
        f"{len(readings.plan.seeds)} realizations; the line: 1/32."
    )
    return Illustration("printed-metric", caption, figure, "Share of slots against mean SNR for four readings.")


def _sheet(readings: CampaignResult, tcp: CampaignResult) -> Sheet:
    rows = []
    for name in READINGS:
        shares = quarters(readings, name, 100 * readings.users(name, "slots_won"))
        won = readings.users(name, "slots_won").sum(axis=1)
        goodput = plus_minus(mean_interval(goodput_kbps(tcp, name)), 0) if name in tcp.plan.scenarios else ""
        rows.append(
            (
                name,
                plus_minus(mean_interval(readings.cell(name, "granted_bps") / 1e3), 0),
                plus_minus(_rate(readings, name, RATE), 2),
                f"{(shares[:, EDGE] / won).mean():.2f}",
                plus_minus(mean_interval(_variation(readings, name)), 2),
                f"{_starved(readings, name).mean():.1f}",
                goodput,
            )
        )
    columns = ("metric", "kb/s", "of R/T's", "edge %", "CoV", "starved", "TCP kb/s")
    note = (
        "32 users, queues never empty; kb/s: granted; edge %: mean share of the slots of a user among the lowest 8 in "
        "SNR (even: 3.125 %); CoV: of the users' shares; starved: users with less than a tenth of an even share; TCP: "
        "goodput of Section V's cell"
    )
    return Sheet("The metric as it is read", columns, rows, note)


def _table(readings: CampaignResult) -> Table:
    drops = readings.plan.seeds
    return Table(
        {
            "metric": [name for name in READINGS for _ in drops],
            "seed": [seed for _ in READINGS for seed in drops],
            "granted_bps": np.concatenate([readings.cell(name, "granted_bps") for name in READINGS]),
            "share_cov": np.concatenate([_variation(readings, name) for name in READINGS]),
            "starved_users": np.concatenate([_starved(readings, name) for name in READINGS]),
        }
    )


PART = Part(
    name="printed-metric",
    heading="Readings: the metric as printed, amplitudes as given",
    figures=("printed",),
    plans=_plans,
    show=_show,
)
