"""Two settings of the same trials compared: some users' throughput, shares and losses, paired by seed.

Users are numbered as in the paper, from 1. Left out: which differences a claim asks for.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from airlink.report import Bounds
from airlink.statistics import Estimate, mean_interval, paired_difference, paired_ratio
from airlink_studies.imt_advanced.measures import Floats, Outcome
from airlink_studies.imt_advanced.setting import USERS

ALL = tuple(range(1, USERS + 1))
FIRST = (1,)


def of_users(outcome: Outcome, measure: str, users: Sequence[int] = ALL) -> Floats:
    """A measure, mean over some users: array [seed]."""
    return np.asarray(getattr(outcome, measure)[:, [user - 1 for user in users]].mean(axis=1))


def ratio(a: Outcome, b: Outcome, users: Sequence[int] = ALL, measure: str = "throughput_mbps") -> Estimate:
    """How many times as much those users have in `a` as in `b`."""
    return paired_ratio(of_users(a, measure, users), of_users(b, measure, users))


def difference(a: Outcome, b: Outcome, measure: str, users: Sequence[int] = ALL) -> Estimate:
    """How much more those users have in `a` than in `b`."""
    return paired_difference(of_users(a, measure, users), of_users(b, measure, users))


def users_with_more(a: Outcome, b: Outcome, measure: str) -> Estimate:
    """For how many users the measure is higher in `a`: counted in each trial."""
    return mean_interval((getattr(a, measure) > getattr(b, measure)).sum(axis=1).astype(float))


def lead_of_user_1(outcome: Outcome, measure: str) -> Estimate:
    """How much user 1 has more than the best of the others."""
    values = getattr(outcome, measure)
    return mean_interval(values[:, 0] - values[:, 1:].max(axis=1))


def rank_correlation(outcome: Outcome, measure: str) -> Estimate:
    """Spearman's, of a measure with the user's number: -1 when it falls from each user to the next."""
    ranks = np.argsort(np.argsort(getattr(outcome, measure), axis=1), axis=1).astype(float)
    ids = np.arange(USERS, dtype=float) - (USERS - 1) / 2
    return mean_interval((ranks - ranks.mean(axis=1, keepdims=True)) @ ids / float(ids @ ids))


def below(quantity: str, high: float) -> Bounds:
    """True strictly below high."""
    return Bounds(quantity, high=high, high_open=True)
