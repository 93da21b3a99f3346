"""One warm-up for all arms of a comparison: their own, the largest of theirs, a given one, or one from pilot runs.

With different warm-ups, arms would be measured over different times. Measures of downloads and of the start of a run
have no chosen warm-up: it would cut off what they measure. Left out: the pilot runs (`warm_up`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from airlink.campaign.question import Arm
from airlink.engine import RequestError
from airlink.scenario import Problem, Scenario, ScenarioError

if TYPE_CHECKING:
    from airlink.campaign.warm_up import WarmUp
    from airlink.measures import Measure

AUTO: Literal["auto"] = "auto"


@dataclass(frozen=True)
class CommonWarmUp:
    """Arms with one warm-up.

    Attributes
    ----------
    arms : label -> scenario.
    measures : those that it may be chosen for.
    warmup_s : that all arms were given; None if each had it already.
    notes : what was done, for the reader of the answer.
    """

    arms: Mapping[str, Arm]
    measures: tuple[Measure, ...]
    warmup_s: float | None = None
    notes: tuple[str, ...] = ()


Propose: TypeAlias = Callable[[Mapping[str, Scenario], "Measure"], "WarmUp"]
"""Makes a proposal for scenarios and the primary measure."""


def common_warm_up(
    arms: Mapping[str, Arm],
    measures: Sequence[Measure],
    warmup: float | str | None,
    usual_others: bool,
    propose: Propose,
) -> CommonWarmUp:
    """The arms with one warm-up.

    Parameters
    ----------
    arms : label -> scenario.
    measures : the primary one first.
    warmup : in seconds, "auto", or None: their own, or the largest where these differ.
    usual_others : whether nobody asked for the other measures: those that no warm-up may be chosen for are left out
        then, instead of refused.
    propose : asked for "auto".

    Raises
    ------
    RequestError : a measure that no warm-up may be chosen for; a warm-up that is none.
    ScenarioError : a warm-up that leaves nothing to measure.
    """
    own = {label: arm.scenario.warmup_s for label, arm in arms.items()}
    if warmup is None and len(set(own.values())) == 1:
        return CommonWarmUp(arms, tuple(measures))
    measures = [measures[0], *(one for one in measures[1:] if one.allows_warm_up or not usual_others)]
    _check(measures, warmup, own)
    notes = []
    if warmup is None:
        chosen_s = max(own.values())
        had = ", ".join(f"{label} {each:g}" for label, each in own.items())
        notes.append(f"The scenarios differ in warmup_s ({had}): all are given the largest.")
    elif warmup == AUTO:
        proposed = propose({label: arm.scenario for label, arm in arms.items()}, measures[0])
        chosen_s = proposed.seconds
        notes += proposed.notes
    elif isinstance(warmup, int | float) and not isinstance(warmup, bool):
        chosen_s = float(warmup)
    else:
        raise RequestError(f"warmup is {warmup!r}; it must be a number of seconds or 'auto'")
    return CommonWarmUp(_with(arms, chosen_s), tuple(measures), chosen_s, tuple(notes))


def _check(measures: Sequence[Measure], warmup: float | str | None, own: Mapping[str, float]) -> None:
    for one in measures:
        if one.allows_warm_up:
            continue
        kind = "downloads" if one.is_of_downloads else "the start"
        why = f'measure "{one}" is of {kind}, which a warm-up would cut off'
        if warmup is None:
            had = ", ".join(f"{label!r} {each:g}" for label, each in own.items())
            raise RequestError(f"{why}: give all scenarios the same warmup_s (now {had})")
        raise RequestError(f"warmup: {why}; leave --warmup out")


def _with(arms: Mapping[str, Arm], warmup_s: float) -> dict[str, Arm]:
    """The arms with that warm-up; mistakes of all of them at once."""
    made: dict[str, Arm] = {}
    problems: dict[str, Problem] = {}
    for label, arm in arms.items():
        try:
            made[label] = replace(arm, scenario=arm.scenario.with_(warmup_s=warmup_s))
        except ScenarioError as error:
            problems |= {str(problem): problem for problem in error.problems}
    if problems:
        raise ScenarioError(problems.values())
    return made
