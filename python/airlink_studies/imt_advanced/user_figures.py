"""Bars for every user and the average under several settings: the form of most figures of [Kakuda]."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from airlink.plots import style
from airlink.statistics import mean_interval
from airlink_studies.imt_advanced.measures import Floats
from airlink_studies.imt_advanced.setting import USERS
from airlink_studies.imt_advanced.table_cells import FEWEST

HEIGHT_IN = 2.4
ROOM = 0.82
"""Of the distance between two users, what their bars fill."""
MOST_ABOVE = 1.6
"""How far above the highest bar the axis ends, at most."""


def bars(by_setting: Mapping[str, Floats], y: str, *, average: bool = True) -> Figure:
    """A group of bars for each user, and one for the average over users.

    Parameters
    ----------
    by_setting : name of a setting -> array [seed, user], drawn as means over seeds, from three seeds on with their
        95 % intervals.
    y : label of the axis, with its unit.
    average : whether the average over users has bars as well; false where shares add up to 1.
    """
    figure, (axes,) = style.blank(height_in=HEIGHT_IN)
    width, highest = ROOM / len(by_setting), 0.0
    for index, (name, values) in enumerate(by_setting.items()):
        columns = [*values.T, *([np.nanmean(values, axis=1)] if average else [])]
        means = [mean_interval(column[~np.isnan(column)]) for column in columns if not np.all(np.isnan(column))]
        known = np.array([place for place, column in enumerate(columns) if not np.all(np.isnan(column))])
        at = known + (index - (len(by_setting) - 1) / 2) * width
        height = np.array([each.mean for each in means])
        highest = max(highest, float(height.max()))
        axes.bar(at, height, width, color=style.COLOURS[index], label=name, zorder=2)
        if values.shape[0] >= FEWEST:
            half = np.array([each.half_width for each in means])
            reach = np.array([np.minimum(half, height), half])
            axes.errorbar(at, height, reach, fmt="none", ecolor="black", elinewidth=0.5, zorder=3)
    names = [str(user) for user in range(1, USERS + 1)] + (["avg."] if average else [])
    axes.set_xticks(range(len(names)), names)
    axes.set_ylim(0.0, min(axes.get_ylim()[1], MOST_ABOVE * highest) if highest > 0 else None)
    style.label(axes, "user, 1 is nearest", y)
    style.legend(axes, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=len(by_setting))
    return figure
