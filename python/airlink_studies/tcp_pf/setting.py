"""What is run: profile K3, five schedulers, blocks of realizations, and the numbers the paper prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from airlink.scenario import Scenario, ready
from airlink.scenario.short_names import short_name
from airlink.study import block_of_seeds

DROPS = 50
PAPER_DROPS = 50
"""Every number of the paper is a mean of these."""
QUICK_DROPS = 10
USERS = 21
DURATION_S = 25.0
BIN_KBPS = 0.64
"""Every Gamma_0.9 of Table I is a multiple of this: 16 kB in 25 s, the bin of the paper's histogram."""

PF, TCP_PF = "proportional_fair", "tcp_pf"
RR, MAX, TCP_MAX = "round_robin", "max_rate", "tcp_max"
IDEAL, UNAPPROXIMATED = "ideal_tcp_pf", "unapproximated_tcp_pf"
"""Controls of [001-9] that no base station could run."""
OF_IDEAL = ("time_constant_slots", "initial_average_bps")
"""Fields of the ideal control."""
OF_EVERY_KIND = {"kind", "serve_empty_queues", "ties", "release_satisfied_users", "weight", "delay_budget_ms"}
"""Fields of `[scheduler]` that hold for a control as well."""

SCHEDULERS: Mapping[str, str] = {kind: short_name("scheduler.kind", kind) for kind in (RR, PF, TCP_PF, MAX, TCP_MAX)}
"""Kind -> the paper's name, in the order of Table I."""


@dataclass(frozen=True)
class PaperRow:
    """A row of the paper's Table I: mean cell goodput in kB/s, F in log10(kB/s), Gamma_0.9 in kB/s."""

    system_kBps: float  # noqa: N815 (the unit is kB/s)
    fairness: float
    coverage_kBps: float  # noqa: N815


TABLE_I: Mapping[str, PaperRow] = {
    RR: PaperRow(111.41, 0.669, 1.92),
    PF: PaperRow(173.97, 0.901, 5.12),
    TCP_PF: PaperRow(194.43, 0.948, 6.40),
    MAX: PaperRow(112.12, float("-inf"), 0.0),
    TCP_MAX: PaperRow(199.27, 0.780, 0.64),
}


def k3(scheduler: str) -> Scenario:
    """Profile K3 with one of the schedulers, its other fields as in the profile."""
    return with_scheduler(ready("k3"), scheduler)


def with_scheduler(scenario: Scenario, kind: str) -> Scenario:
    """The scenario under another scheduler that keeps every field the two have in common.

    A control that no base station could run takes the place of the scenario's scheduler, with that one's fields. The
    scheduler that it replaces is then one without fields of its own.
    """
    if kind in (IDEAL, UNAPPROXIMATED):
        assert scenario.scheduler is not None, "a cell"
        own = scenario.scheduler.model_dump(exclude=OF_EVERY_KIND)
        fields = {name: own[name] for name in (OF_IDEAL if kind == IDEAL else own)}
        return scenario.with_(**{"scheduler.kind": MAX, "experimental.scheduler": {**fields, "kind": kind}})
    wasted = {"scheduler.skip_unservable": False} if kind == RR else {}
    return scenario.with_(**{"scheduler.kind": kind}, **wasted)


def seeds(base: int, drops: int) -> tuple[int, ...]:
    """The realizations of a base seed: blocks of 50 that do not overlap (1: 1..50, 2: 51..100, ...).

    >>> seeds(2, 3)
    (51, 52, 53)
    """
    return block_of_seeds(base, drops, DROPS)


def base_seed(seed: int) -> int:
    """The base seed whose block a realization belongs to.

    >>> base_seed(50), base_seed(51)
    (1, 2)
    """
    return (seed - 1) // DROPS + 1
