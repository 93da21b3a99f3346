"""Figures 9-13 of [EvdoTcp] and the tables beside them: shares against nominal SNR, the cell against lambda.

The paper's own curves are pictures that we can't read, so only what it prints in numbers is marked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from airlink.plots import style
from airlink.plots.sweep import banded, paper_level, paper_point
from airlink.report import Illustration, Sheet, plus_minus
from airlink.result import Table
from airlink.statistics import mean_interval, paired_ratio
from airlink_studies.opportunistic_pf.setting import PAPER

if TYPE_CHECKING:
    from airlink_studies.opportunistic_pf.fairness_exponent import Sweep

GROUPS = 8
"""Users next to one another in SNR are drawn as one point: 4 of 32."""
LARGEST_DRAWN = 10.0
TITLES: Mapping[str, tuple[str, str]] = {
    "9": ("maximum SNR scheduler", "max-snr"),
    "10": ("rate-fair scheduler", "rate-fair"),
    "11": ("trade-off between resource and rate fairness", "trade-off"),
    "12": ("proportional fair scheduler, resource-fair", "resource-fair"),
}


def shares(number: str, sweep: Sweep, exponent: float) -> Illustration:
    """Figs 9 to 12: every user's share of the slots against its nominal SNR."""
    figure, (axes,) = style.blank()
    percent = 100 * sweep.shares[exponent]
    axes.plot(
        sweep.snr_db.ravel(),
        percent.ravel(),
        ".",
        color=style.GREY,
        markersize=2,
        alpha=0.6,
        label="a user of a realization",
    )
    places = [float(group.mean()) for group in np.array_split(sweep.snr_db, GROUPS, axis=1)]
    groups = [mean_interval(group.mean(axis=1)) for group in np.array_split(percent, GROUPS, axis=1)]
    banded(axes, places, groups, 0, "mean of 4 neighbours")
    paper = PAPER.fair_share_percent
    paper_level(axes, paper, f"paper: {paper:g} %" if number == "12" else "1/32")
    axes.set_ylim(0, max(1.08 * float(percent.max()), 1.6 * paper))
    style.label(axes, "nominal SNR (dB)", "share of slots (%)")
    style.legend(axes, loc="best")
    title, name = TITLES[number]
    lost = " (the paper's value, above 1, is lost; 2 is chosen)" if number == "11" else ""
    caption = (
        f"Fig. {number}. {title[0].upper()}{title[1:]}, lambda = {exponent:g}{lost}: share of the slots that each of "
        f"32 users is given, {percent.shape[0]} realizations. Band: 95 % interval over realizations."
    )
    told = f"Share of slots against nominal SNR, {percent.min():.2f} to {percent.max():.1f} %, lambda = {exponent:g}."
    return Illustration(f"fig{number}-{name}", caption, figure, told)


def trade_off(sweep: Sweep, still: Sweep | None) -> Illustration:
    """Fig. 13: mean link throughput and min/max share against lambda."""
    figure, (rate, ratio) = style.blank(rows=2, height_in=3.6)
    drawn = [one for one in sweep.exponents if one <= LARGEST_DRAWN]
    means = [mean_interval(sweep.throughput_bps[one] / 1e6) for one in drawn]
    banded(rate, drawn, means, 0, "ours")
    paper_point(rate, 1.0, PAPER.throughput_at_pf_percent / 100 * means[0].mean, "paper: 40 % of lambda = 0")
    banded(ratio, drawn, [mean_interval(sweep.min_max[one]) for one in drawn], 0, "ours")
    if still is not None:
        known = [one for one in still.exponents if one <= LARGEST_DRAWN]
        banded(ratio, known, [mean_interval(still.min_max[one]) for one in known], 1, "ours, without fading")
    ratio.axvline(1.0, color=style.GREY, linewidth=0.9, linestyle=(0, (1, 1.5)), label="paper: peak, lambda = 1")
    largest = sweep.exponents[-1]
    for axes, values, unit in ((rate, sweep.throughput_bps, 1e6), (ratio, sweep.min_max, 1.0)):
        text = f"lambda = {largest:g}: {values[largest].mean() / unit:.2f}"
        axes.annotate(text, (0.985, 0.3), xycoords="axes fraction", ha="right", fontsize=style.FONT_PT - 1)
        axes.set_ylim(bottom=0)
        style.legend(axes, loc="upper right")
    ratio.set_ylim(0, 1.05)
    ratio.set_xlim(0, LARGEST_DRAWN * 1.02)
    style.label(rate, "", "link throughput (Mb/s)")
    style.label(ratio, "lambda", "min/max share of slots")
    caption = (
        "Fig. 13. Mean link throughput (rates granted to all users) and the ratio of the least to the largest share "
        f"of slots, against lambda; {sweep.snr_db.shape[0]} realizations, bands: 95 %."
    )
    return Illustration(
        "fig13-trade-off", caption, figure, "Throughput falls with lambda; min/max peaks near lambda = 1."
    )


def sweep_sheet(sweep: Sweep) -> Sheet:
    """Throughput and shares at each lambda."""
    rows = []
    for one in sweep.exponents:
        edge, centre = (100 * float(sweep.quarter[one][:, which].mean()) for which in (0, -1))
        rows.append(
            (
                f"{one:g}",
                plus_minus(mean_interval(sweep.throughput_bps[one] / 1e3), 0),
                f"{paired_ratio(sweep.throughput_bps[one], sweep.throughput_bps[sweep.exponents[0]]).mean:.3f}",
                plus_minus(mean_interval(sweep.min_max[one]), 3),
                f"{edge:.2f}",
                f"{centre:.2f}",
            )
        )
    columns = ("lambda", "link kb/s", "of lambda 0", "min/max share", "edge user %", "central user %")
    note = (
        "edge, central: mean share of the slots of a user of the lowest and the highest quarter in SNR; 1/32 is 3.13 %"
    )
    return Sheet("Section VI: the fairness exponent", columns, rows, note)


def control_sheet(main: Sweep, others: Mapping[str, Sweep]) -> Sheet:
    """What the headlines of Section VI lean on."""
    rows = []
    for name, sweep in {"Section VI": main, **others}.items():
        ratio = paired_ratio(sweep.throughput_bps[1.0], sweep.throughput_bps[0.0])
        means = [f"{sweep.min_max[one].mean():.3f}" for one in (0.0, 0.9, 1.0, 1.1, 10.0, 100.0)]
        rows.append((name, plus_minus(ratio, 3), *means))
    columns = ("setting", "rate 1/0", "m/M 0", "0.9", "1", "1.1", "10", "100")
    note = "rate 1/0: throughput at lambda = 1 / at 0 (paper: about 0.40); m/M: min/max share at that lambda"
    return Sheet("What Fig. 13 depends on", columns, rows, note)


def table(sweeps: Mapping[str, Sweep]) -> Table:
    """Every realization as a row: setting, lambda, throughput, min/max, mean share of the four classes."""
    rows = [
        (name, one, drop, sweep.throughput_bps[one][drop], sweep.min_max[one][drop], *sweep.quarter[one][drop])
        for name, sweep in sweeps.items()
        for one in sweep.exponents
        for drop in range(sweep.snr_db.shape[0])
    ]
    names = ("setting", "exponent", "drop", "throughput_bps", "min_max_share")
    classes = tuple(f"share_quarter_{number}" for number in (1, 2, 3, 4))
    columns = zip(*rows, strict=True)
    return Table({name: np.asarray(column) for name, column in zip((*names, *classes), columns, strict=True)})
