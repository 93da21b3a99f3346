"""Figures and tables of short downloads: completion times by class of users. Left out: what they mean (web.py)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from airlink.campaign import CampaignResult
from airlink.plots import style
from airlink.plots.sweep import banded
from airlink.report import Illustration, Sheet, plus_minus
from airlink.result import Table
from airlink.statistics import Estimate, mean_interval
from airlink_studies.opportunistic_pf.downloads import long_kbps, percentile_95, summary
from airlink_studies.opportunistic_pf.quarters import CENTRE, EDGE, QUARTERS, Floats

Labels = Mapping[str, Mapping[float, str]]
"""Kind of traffic -> value of the parameter -> label."""
WORDS = {"files": "10 kB files, mean time (s)", "pages": "web pages, mean time (s)"}


def figure(parameter: str, result: CampaignResult, labels: Labels) -> Illustration:
    """Mean completion time of each class of users, files above and pages below, and what long downloads carry."""
    drawn, rows = style.blank(rows=3, height_in=5.6, ratios=(1.0, 1.0, 0.7))
    values = list(next(iter(labels.values())))
    places = values if parameter == "alpha" else list(range(len(values)))
    for axes, (kind, of_value) in zip(rows, labels.items(), strict=False):
        for index, name in enumerate(QUARTERS):
            banded(axes, places, [_mean(summary(result, one, index)) for one in of_value.values()], index, name)
        banded(axes, places, [_mean(summary(result, one)) for one in of_value.values()], 6, "all")
        style.log_axis(axes, [0.1, 100.0])
        axes.set_ylim(0.15, 400.0)
        style.label(axes, "", WORDS[kind])
    for index, (kind, of_value) in enumerate(labels.items()):
        carried = [mean_interval(long_kbps(result, one)) for one in of_value.values()]
        banded(rows[2], places, carried, index, f"beside {kind}")
    style.legend(
        rows[0], loc="lower left", ncols=3, bbox_to_anchor=(0.0, 1.0), columnspacing=0.9, title="users, by mean SNR",
        title_fontsize=style.FONT_PT - 1, alignment="left",
    )  # fmt: skip
    style.legend(rows[2], loc="best")
    rows[2].set_ylim(bottom=0)
    style.label(rows[2], "alpha (weight of the newest slot)", "long downloads\n(kb/s)")
    if parameter == "alpha":
        style.log_x(rows[2])
        rows[2].invert_xaxis()
    else:
        rows[2].set_xticks(places, [f"{one:g}" for one in values])
        style.label(rows[2], "lambda (steps not to scale)")
    held = "lambda = 1" if parameter == "alpha" else "alpha = 0.01"
    caption = (
        f"Short downloads beside long ones against {parameter} ({held}). Mean time from the request to the last byte, "
        "by class of users (quarters by SNR): files of 10 kB that arrive at random, web pages of sessions; goodput "
        f"of the 8 long downloads. {len(result.plan.seeds)} seeds, bands: 95 %."
    )
    return Illustration(f"web-{parameter}", caption, drawn, f"Completion times of short downloads against {parameter}.")


def sheet(title: str, parameter: str, result: CampaignResult, labels: Labels, others: Mapping[str, str]) -> Sheet:
    """Mean, median and 95 % of the times, means of edge and centre, and the long downloads; `others` have no value."""
    asked = [(f"{kind}, {value:g}", one) for kind, of_value in labels.items() for value, one in of_value.items()]
    rows = []
    for name, label in [*asked, *((f"{kind}, round robin", one) for kind, one in others.items())]:
        numbers = (
            summary(result, label, of=np.median),
            summary(result, label, of=percentile_95),
            summary(result, label, EDGE),
            summary(result, label, CENTRE),
        )
        rows.append(
            (
                name,
                plus_minus(_mean(summary(result, label)), 2),
                *(f"{np.nanmean(each):.2f}" for each in numbers),
                f"{long_kbps(result, label).mean():.0f}",
            )
        )
    columns = (f"kind, {parameter}", "mean s", "median", "95 %", "edge", "centre", "long kb/s")
    note = (
        "times of short downloads from request to last byte, s: mean, median, 95 % of all users; means of edge and "
        "central users; long kb/s: goodput of the 8 long downloads together"
    )
    return Sheet(title, columns, rows, note)


def table(result: CampaignResult) -> Table:
    """Every seed of every scenario as a row."""
    labels, drops = list(result.plan.scenarios), result.plan.seeds
    columns: dict[str, ArrayLike] = {
        "scenario": [label for label in labels for _ in drops],
        "seed": [seed for _ in labels for seed in drops],
        "mean_s": np.concatenate([summary(result, label) for label in labels]),
        "median_s": np.concatenate([summary(result, label, of=np.median) for label in labels]),
        "percentile_95_s": np.concatenate([summary(result, label, of=percentile_95) for label in labels]),
        "long_kbps": np.concatenate([long_kbps(result, label) for label in labels]),
    }
    for index in range(len(QUARTERS)):
        columns[f"mean_quarter_{index + 1}_s"] = np.concatenate([summary(result, label, index) for label in labels])
    return Table(columns)


def _mean(values: Floats) -> Estimate:
    """Over the seeds that had any."""
    return mean_interval(values[~np.isnan(values)])
