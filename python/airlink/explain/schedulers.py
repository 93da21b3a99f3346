"""What each scheduler serves by, and what would give more to a user whom it gives less than an even share.

The metrics are those of docs/models/scheduler.md. Leaves out ties, and what several subchannels change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import get_args

from airlink.scenario.fields import Section
from airlink.scenario.formula import names_of
from airlink.scenario.introspection import kind_of
from airlink.scenario.sections import (
    ExperimentalScheduler,
    Formula,
    GapAveraged,
    Lambda,
    LogRule,
    MLwdf,
    NoExperimentalScheduler,
    SchedulerKind,
)


@dataclass(frozen=True)
class Metric:
    """What decides who is served.

    Attributes
    ----------
    serves : whom, as the end of "serves ...".
    channel_aware : whether a better channel gets a user served sooner.
    divides_by_service : whether what a user got lowers its rank, with what exponent; 0: it does not.
    remembers_gaps : whether a user that has waited long rises.
    weighs_queue : whether a user with more packets, or older ones, at the base station rises.
    raised_by : the field of `[scheduler]` that raises a user above others; empty without one.
    fair_in_slots : whether users who always have data and whose fading has one law get as many slots, whatever their
        mean SNR.
    """

    serves: str
    channel_aware: bool = True
    divides_by_service: float = 0.0
    remembers_gaps: bool = False
    weighs_queue: bool = False
    raised_by: str = ""
    fair_in_slots: bool = False


def _declared(scheduler: type[Section]) -> Metric:
    """The metric as the scheduler's declaration tells it."""
    serves, *facts = getattr(scheduler, "FACTS", (f"serves by {kind_of(scheduler)}",))
    return Metric(
        serves.removeprefix("serves "),
        channel_aware="channel_blind" not in facts,
        divides_by_service=float("divides_by_service" in facts),
        remembers_gaps="remembers_gaps" in facts,
        weighs_queue="weighs_queue" in facts,
        raised_by=next((RAISED_BY[fact] for fact in facts if fact in RAISED_BY), ""),
        fair_in_slots="fair_in_slots" in facts,
    )


RAISED_BY: Mapping[str, str] = {
    "weighs_users": "a larger scheduler.weight for its user",
    "weighs_deadlines": "a smaller scheduler.delay_budget_ms for its user",
    "guarantees": "a larger scheduler.guaranteed_rate_bps for its user",
}
"""A fact of a scheduler's declaration -> what raises a user, as the subject of "would help it"."""

METRICS: Mapping[str, Metric] = {
    kind_of(each): _declared(each)
    for each in (*get_args(SchedulerKind), *get_args(ExperimentalScheduler))
    if each is not NoExperimentalScheduler
}
"""Of every kind of scheduler; A is a user's averaged rate, D and T the time that its packets take."""


def metric_of(scheduler: SchedulerKind | ExperimentalScheduler) -> Metric:
    """The metric of a scheduler as it is set."""
    metric = METRICS[scheduler.kind]
    if isinstance(scheduler, Lambda):
        return replace(metric, divides_by_service=scheduler.exponent, fair_in_slots=scheduler.exponent == 1)
    if isinstance(scheduler, GapAveraged):
        counts = scheduler.terms
        return replace(metric, remembers_gaps=counts != "queue", weighs_queue=counts != "vacation")
    if isinstance(scheduler, Formula):
        names = names_of(scheduler)
        return replace(
            metric,
            channel_aware=bool(names & {"rate", "reported_db"}),
            # A formula that names the average divides by it; what else it may do with it is for its reader to know.
            divides_by_service=float("average" in names),
            remembers_gaps="gap_slots" in names,
            weighs_queue=bool(names & {"backlog_bytes", "head_of_line_delay_s"}),
        )
    if isinstance(scheduler, MLwdf | LogRule) and scheduler.divisor == "none":
        return replace(metric, divides_by_service=0.0)
    return metric


def remedy(scheduler: SchedulerKind | ExperimentalScheduler) -> str:
    """A sentence on what would give a user more that the scheduler passes over."""
    metric, serves = metric_of(scheduler), f"{scheduler.kind} serves {METRICS[scheduler.kind].serves}"
    windows = (
        "larger windows would help as far as they lengthen its queue"
        if metric.weighs_queue
        else "larger windows would not"
    )
    if isinstance(scheduler, Formula):
        return f"{serves}: another scheduler.metric would help it at the cost of others; {windows}."
    if metric.raised_by:
        return f"{serves}: {metric.raised_by} would help it at the cost of others; {windows}."
    if not metric.channel_aware and metric.fair_in_slots:
        return f"{serves}: what it lacks are turns in which it had no data or no rate; {windows}."
    if not metric.channel_aware:
        other = "one queue for each user, in turn (round_robin) or by what users got (proportional_fair),"
    elif isinstance(scheduler, Lambda):
        other = f"a larger scheduler.exponent (it is {scheduler.exponent:g})"
    elif metric.divides_by_service:
        other = "more weight on what users got (lambda with an exponent above 1)"
    elif scheduler.kind == "tcp_max":
        other = "the same metric divided by what users got (tcp_pf)"
    else:
        other = "a metric divided by what users got, as that of proportional_fair,"
    return f"{serves}: {other} would help it at the cost of others; {windows}."
