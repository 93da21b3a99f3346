"""What TCP did in each realization of Section V: goodput of a class, timeouts per flow and minute, completion.

One flow a user, so users and flows have the same order. Left out: single flows over time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from airlink.campaign import CampaignResult
from airlink.result import Table
from airlink.statistics import Estimate, paired_difference, paired_ratio
from airlink_studies.opportunistic_pf.quarters import Floats, quarters

SECONDS_IN_A_MINUTE = 60.0
Setting = TypeVar("Setting")


def ratio(measure: Callable[[Setting], Floats], a: Setting, b: Setting) -> Estimate:
    """What `measure` gives in setting `a`, array [seed], over what it gives in `b`, paired by seed."""
    return paired_ratio(measure(a), measure(b))


def difference(measure: Callable[[Setting], Floats], a: Setting, b: Setting) -> Estimate:
    """What `measure` gives in setting `a`, array [seed], less what it gives in `b`, paired by seed."""
    return paired_difference(measure(a), measure(b))


def per_flow_minute(result: CampaignResult, label: str, column: str, which: int | None = None) -> Floats:
    """Events of a column of the flows table (`timeouts`, `spurious_timeouts`, ...), per flow and minute: array [seed].

    `which` is a class of `QUARTERS`, None for all users.
    """
    events = result.flows(label, column)
    means = events.mean(axis=1) if which is None else quarters(result, label, events)[:, which]
    return np.asarray(means * SECONDS_IN_A_MINUTE / result.cell(label, "measured_s"))


def goodput_kbps(result: CampaignResult, label: str, which: int | None = None) -> Floats:
    """Goodput of a class of users, or of all, together: array [seed], kb/s."""
    goodput = result.users(label, "goodput_bps") / 1e3
    return np.asarray(goodput.sum(axis=1) if which is None else quarters(result, label, goodput, np.sum)[:, which])


def completion_s(result: CampaignResult, label: str, which: int | None = None) -> Floats:
    """Mean time in which the files of a class, or of all, were done: array [seed], s; NaN when one was not."""
    took = result.flows(label, "completion_s")
    return np.asarray(took.mean(axis=1) if which is None else quarters(result, label, took)[:, which])


def user_mean(result: CampaignResult, label: str, column: str, which: int) -> Floats:
    """Mean over the users of a class of a column of the users table: array [seed]."""
    return np.asarray(quarters(result, label, result.users(label, column), np.nanmean)[:, which])


def recovery_table(result: CampaignResult, first: str, settings: Sequence[tuple[float, str, str]], edge: int) -> Table:
    """For machines: a row a setting and seed, of all users and of the class `edge`.

    Parameters
    ----------
    result : with these settings.
    first : what the first number of a setting is called.
    settings : number, sender and label of each.
    edge : a class of `QUARTERS`.
    """
    seeds = result.plan.seeds
    return Table(
        {
            first: [number for number, *_ in settings for _ in seeds],
            "sender": [sender for _, sender, _ in settings for _ in seeds],
            "seed": [seed for _ in settings for seed in seeds],
            "goodput_kbps": [value for *_, label in settings for value in goodput_kbps(result, label)],
            "edge_goodput_kbps": [value for *_, label in settings for value in goodput_kbps(result, label, edge)],
            "timeouts_per_flow_minute": [
                value for *_, label in settings for value in per_flow_minute(result, label, "timeouts")
            ],
        }
    )
