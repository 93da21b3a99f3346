"""Who got how much when, and how fair that was: rates in windows of time, and Jain's index of each window.

    rates = airlink.fairness.rates(result, window_s=1.0)
    shares, index = airlink.fairness.shares(rates), airlink.fairness.jain(rates)

A flow counts while it is there. Jain's index of all flows is the product of that within queues, which the flows of a
queue settle among themselves, and that across queues, which the scheduler has to answer for. Left out: weights.
"""

from airlink.fairness.indices import check_presence, jain, over_replicas
from airlink.fairness.shares import shares
from airlink.fairness.windows import History, Member, histories, rates, rates_of, series_needed, whole, windows

__all__ = [
    "History",
    "Member",
    "check_presence",
    "histories",
    "jain",
    "over_replicas",
    "rates",
    "rates_of",
    "series_needed",
    "shares",
    "whole",
    "windows",
]
