"""Sections I to III: who got which subchannel in which TTI of the first trial (Fig. 1), and Tables I and II.

Left out: any claim.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

from airlink.campaign import CampaignResult, Plan
from airlink.plots import style
from airlink.report import Illustration
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.imt_advanced import parameters, setting
from airlink_studies.imt_advanced.setting import SCHEDULERS, USERS

RUN_S, QUICK_RUN_S = 5.0, 1.5
SHOWN_TTIS = 60
"""Of the end of the run."""
HEIGHT_IN = 6.4
"""A subchannel has a pixel of its own."""
START_SPREAD_S = 0.1
NOBODY = "#FFFFFF"
COLOURS = (*style.COLOURS, "#8C8C8C", "#A6761D", "#F0E442")


def plans(request: Request) -> Mapping[str, Plan]:
    """A short run under either scheduler, every grant kept."""
    changes: dict[str, Any] = {
        "duration_s": QUICK_RUN_S if request.quick else RUN_S,
        "flows.*.start_spread_s": START_SPREAD_S,
    }
    cells = {name: setting.cell(name, **changes) for name in SCHEDULERS}
    return {"grants": Plan(cells, setting.seeds(request)[:1], ("grants",))}


def show(results: Mapping[str, CampaignResult], _: Runner) -> PartResult:
    """Draws, and lists what is run."""
    sheets = [parameters.schemes(), parameters.parameters()]
    return PartResult(items=[_picture(results["grants"]), *sheets], printed=sheets)


PART = Part("who-got-it", "Sections I to III: subchannels and parameters", ("1",), plans, show)


def owners(result: CampaignResult, name: str) -> np.ndarray:
    """Who got a subchannel at the end of a run: array [subchannel, TTI], 0 is user 1, NaN nobody."""
    runs = result.result(name)
    series, carrier = runs.series("grants", 0), runs.scenario.carrier
    assert carrier is not None, "a cell has a carrier"
    slots = round(runs.scenario.duration_s * 1e3)
    late = series["slot"] >= slots - SHOWN_TTIS
    drawn = np.full((carrier.subchannels, SHOWN_TTIS), np.nan)
    at = series["slot"][late].astype(int) - (slots - SHOWN_TTIS)
    drawn[series["subchannel"][late].astype(int), at] = series["user"][late]
    return drawn


def _picture(result: CampaignResult) -> Illustration:
    figure, panels = style.blank(len(SCHEDULERS), HEIGHT_IN)
    colours = ListedColormap(COLOURS[:USERS]).with_extremes(bad=NOBODY)
    for axes, name in zip(panels, SCHEDULERS, strict=True):
        drawn = np.ma.masked_invalid(owners(result, name))
        axes.imshow(
            drawn, aspect="auto", interpolation="nearest", cmap=colours, vmin=-0.5, vmax=USERS - 0.5, origin="lower"
        )
        axes.grid(visible=False)
        style.label(axes, y=f"{name}: subchannel")
    style.label(panels[-1], "TTI of 1 ms")
    marks = [Patch(color=COLOURS[user], label=f"user {user + 1}") for user in range(USERS)]
    panels[0].legend(
        handles=marks, ncols=5, fontsize=style.FONT_PT - 1, frameon=False, loc="lower left",
        bbox_to_anchor=(-0.12, 1.0), handlelength=0.9, handletextpad=0.4, columnspacing=0.9,
    )  # fmt: skip
    caption = (
        f"Fig. 1. Who got which of 400 subchannels in the last {SHOWN_TTIS} TTIs of a run; white: nobody. Under MC-PF "
        "bands of one to a few subchannels, the width of fades of TU-6, stay with a user for the tens of ms that a "
        "fade at 3 km/h lasts. The pattern repeats every 50 subchannels: the six delays are multiples of 0.1 us, so "
        "the response has a period of 10 MHz, and 80 MHz hold eight copies of it."
    )
    return Illustration("fig1-subchannels", caption, figure, "A colour for each user over subchannels and time.")
