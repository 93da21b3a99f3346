"""Completion times of the short downloads of a realization, and what the long ones beside them carry.

Users with odd numbers have long downloads, those with even numbers short ones. Times are those of downloads that were
requested in the first two thirds of the run; one that is not done at its end counts until then, so that times are
never overstated. Left out: where the time went (`airlink explain`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from airlink.campaign import CampaignResult, Replica
from airlink_studies.opportunistic_pf.quarters import QUARTERS, Floats
from airlink_studies.opportunistic_pf.setting import USERS

SHORT_USERS, LONG_USERS = tuple(range(0, USERS, 2)), tuple(range(1, USERS, 2))
COUNTED = 2 / 3
"""Of the run: downloads requested later may not have the time to end."""


def times_s(result: CampaignResult, label: str, which: int | None = None) -> list[Floats]:
    """Completion times of the short downloads of a class of users (None: of all): one array a seed."""
    return [_times(replica, which) for replica in result.result(label).replicas]


def _times(replica: Replica, which: int | None) -> Floats:
    series = replica.series["downloads"]
    end = float(replica.cell["measured_s"])
    asked = np.isin(series["user"], SHORT_USERS) & (series["requested_s"] <= COUNTED * end)
    if which is not None:
        asked &= series["user"] // (USERS // len(QUARTERS)) == which
    done = series["completed_s"][asked]
    return np.asarray(np.where(np.isnan(done), end, done) - series["requested_s"][asked])


def summary(
    result: CampaignResult, label: str, which: int | None = None, of: Callable[[Floats], Any] = np.mean
) -> Floats:
    """Mean (or another number) of the completion times of each seed: array [seed], s; NaN for a class without any."""
    return np.array([float(of(times)) if times.size else np.nan for times in times_s(result, label, which)])


def long_kbps(result: CampaignResult, label: str) -> Floats:
    """Goodput of the long downloads together: array [seed], kb/s."""
    return np.asarray(result.users(label, "goodput_bps")[:, LONG_USERS].sum(axis=1) / 1e3)


def percentile_95(times: Floats) -> float:
    """The time within which 95 % of the downloads were done, s."""
    return float(np.quantile(times, 0.95))
