"""What a candidate is compared with: every built-in scheduler that needs no number, and how it is tuned.

Tuned are the numbers of a kind that are declared with a range and a default above 0: each is drawn between a thirtieth
of its default and thirty times that, within its range. Left out: a formula, which is a candidate and no scheduler by
itself, and kinds with required fields.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from airlink.scenario import Scenario
from airlink.scenario.fields import Number, Section
from airlink.scenario.introspection import extra, kinds_of
from airlink.scenario.sections import AnyScheduler, ScenarioFields
from airlink.suites.candidate import SECTION, Candidate
from airlink.suites.family import Axis

SPAN = 30.0
"""How far from its default a number is tuned, as a factor either way."""

NO_RIVALS = ("formula",)
REFERENCE = "proportional_fair"
"""What pictures relate all schedulers to."""


def kinds() -> Mapping[str, type[Section]]:
    """The schedulers that are built in, by kind."""
    found = kinds_of(ScenarioFields.model_fields[SECTION])
    return {
        kind: table
        for kind, table in found.items()
        if kind not in NO_RIVALS
        and not any(info.is_required() for name, info in table.model_fields.items() if name != "kind")
    }


ANOTHER_UNTUNED = ("lambda", "weighted_pf", "guaranteed_rate")
"""Kinds that are proportional fair with their defaults: exponent 1, equal weights, nothing guaranteed."""


WITHOUT_DEADLINES = ("m_lwdf", "exp_pf", "log_rule", "earliest_deadline")
"""Kinds that are proportional fair where no user has a delay budget [docs/models/scheduler.md], unless they leave the
average out of their metric."""


def as_run(scenario: Scenario) -> Scenario:
    """The scenario, or the one with proportional fair that gives the same numbers, so that both are run once.

    >>> from airlink.scenario import ready
    >>> as_run(ready("k3", ["scheduler.kind=exp_pf"])).scheduler.kind
    'proportional_fair'
    """
    scheduler = scenario.scheduler
    if scheduler is None or scheduler.kind not in WITHOUT_DEADLINES or getattr(scheduler, "divisor", "") == "none":
        return scenario
    budgets = scheduler.delay_budget_ms
    if min(budgets if isinstance(budgets, Sequence) else [budgets]) < math.inf:
        return scenario
    fields = kinds()[REFERENCE].model_fields
    same = {name: getattr(scheduler, name) for name in fields if name != "kind"}
    return scenario.with_(**{SECTION: {"kind": REFERENCE, **same}})


def built_ins(tuned: bool = True) -> dict[str, Candidate]:
    """Each of them as a candidate, by kind, with its defaults; without tuning none that is then another one.

    >>> "lambda" in built_ins(), "lambda" in built_ins(tuned=False)
    (True, False)
    """
    left_out = () if tuned else ANOTHER_UNTUNED
    return {kind: Candidate.of(kind, {f"{SECTION}.kind": kind}) for kind in kinds() if kind not in left_out}


def tunable(kind: str) -> Sequence[Axis]:
    """The numbers of a kind that can be tuned, with the ranges that they are drawn from; none of other kinds.

    >>> [(axis.name, axis.low, axis.high) for axis in tunable("lambda")][-1]
    ('exponent', 0.03333333333333333, 30.0)
    """
    axes: list[Axis] = []
    table = kinds().get(kind)
    if table is None:
        return axes
    for name, info in table.model_fields.items():
        if name in AnyScheduler.model_fields or isinstance(info.default, bool):
            continue
        default = info.default
        bounds = next((each for each in info.metadata if isinstance(each, Number)), None)
        if bounds is None or not isinstance(default, int | float) or not 0 < default < math.inf:
            continue
        least, most = _inside(bounds, float(default))
        axes.append(Axis(name, least, most, extra(info, "unit"), log=True, whole=bounds.whole))
    return axes


def _inside(bounds: Number, default: float) -> tuple[float, float]:
    """The ends of a search around a default; of an end that is not allowed itself a thousandth of the way to it."""
    above, below = bounds.above, bounds.below
    least = [default / SPAN, bounds.at_least, None if above is None else above + (default - above) / 1000]
    most = [default * SPAN, bounds.at_most, None if below is None else below - (below - default) / 1000]
    return max(each for each in least if each is not None), min(each for each in most if each is not None)
