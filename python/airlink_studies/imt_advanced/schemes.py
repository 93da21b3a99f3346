"""At which MCS each user was sent: shares of its granted bits, and how they are drawn (Fig. 15 and beside it).

Left out: what was sent of the grant; with data waiting it is all but the bits below one PDU.
"""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from airlink.campaign import CampaignResult
from airlink.plots import style
from airlink_studies.imt_advanced.measures import Floats
from airlink_studies.imt_advanced.setting import USERS

SCHEMES = 9
NUMBERS = np.arange(1, SCHEMES + 1)
SHADES = [mpl.colormaps["viridis"](value) for value in np.linspace(0.02, 0.98, SCHEMES)]
HEIGHT_IN, BAR = 1.35, 0.8


def scheme_shares(result: CampaignResult, label: str) -> Floats:
    """Share of each user's granted bits by MCS: array [seed, user, MCS 1 to 9]; 0 for a user that got nothing."""
    shares = []
    for replica in result.result(label).replicas:
        series = replica.series["mcs"]
        bits = np.zeros((USERS, SCHEMES))
        np.add.at(bits, (series["user"].astype(int), series["mcs"].astype(int)), series["granted_bytes"].astype(float))
        shares.append(bits / np.maximum(bits.sum(axis=1, keepdims=True), 1.0))
    return np.array(shares)


def mean_scheme(shares: Floats) -> Floats:
    """Mean MCS number by bits: array [seed, user]."""
    return np.asarray(shares @ NUMBERS)


def histograms(by_setting: Mapping[str, Floats]) -> Figure:
    """A panel for each setting: a bar for each user, stacked from MCS 1 below to MCS 9 above, mean over seeds."""
    figure, panels = style.blank(len(by_setting), HEIGHT_IN * len(by_setting) + 0.4)
    for axes, (name, shares) in zip(panels, by_setting.items(), strict=True):
        below = np.zeros(USERS)
        for number, heights in zip(NUMBERS, 100 * shares.mean(axis=0).T, strict=True):
            axes.bar(range(USERS), heights, BAR, bottom=below, color=SHADES[number - 1], label=f"{number}", zorder=2)
            below += heights
        axes.set_xticks(range(USERS), [str(user + 1) for user in range(USERS)])
        axes.set_ylim(0, 100)
        style.label(axes, y=f"{name}:\nbits by MCS (%)")
    style.label(panels[-1], "user, 1 is nearest")
    style.legend(
        panels[0], loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncols=SCHEMES, columnspacing=0.7, handletextpad=0.3,
        title="MCS", title_fontsize=style.FONT_PT - 1, alignment="left",
    )  # fmt: skip
    return figure
