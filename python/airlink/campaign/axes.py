"""Axes of a sweep: fields with the values that they take, as text or as Python has them, and the scenarios they span.

    scheduler.kind=proportional_fair,max_rate     a list
    scheduler.time_constant_slots=10..10000:log7  seven values, evenly spaced in the logarithm
    link.margin_db=0..6:lin4                      four values, evenly spaced
    users=1..5                                    whole steps

Values of ranges are rounded to six digits, those of whole-number fields to whole numbers, each once. A field that the
kind of its table does not have is left out where that kind is swept as well: time constants beside `max_rate`, which
has none, give one scenario instead of an error. Left out: how a value is read (`scenario.overrides`).
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from airlink.campaign.plan import axis_names, label_of, split
from airlink.campaign.question import Arm
from airlink.engine import RequestError
from airlink.scenario import NOTHING, Problem, Scenario, ScenarioError
from airlink.scenario.errors import LONGEST_VALUE
from airlink.scenario.fields import Number
from airlink.scenario.introspection import declared, section_at
from airlink.scenario.overrides import change, value_of
from airlink.scenario.sections import ScenarioFields

DIGITS = 6
"""Of a value between the ends of a range."""

MOST_VALUES = 10_000
"""Of one axis."""

MOST_SCENARIOS = 10_000
"""Of a sweep: so many are read and checked in half a minute."""

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})(?::(log|lin)(\d+))?")
_LIKE_RANGE = re.compile(r"[-+]?\.?\d[^,]*\.\.")
_RANGES = "a range is A..B in whole steps, A..B:lin7 or A..B:log7"


def parse_axes(settings: Sequence[str]) -> dict[str, tuple[Any, ...]]:
    """The axes in texts FIELD=VALUES.

    Parameters
    ----------
    settings : one text an axis.

    Raises
    ------
    ScenarioError : a text that is no axis, each with what is wrong.

    Examples
    --------
    >>> parse_axes(["scheduler.time_constant_slots=10..1000:log3", "users=1..3,8"])
    {'scheduler.time_constant_slots': (10, 100, 1000), 'users': (1, 2, 3, 8)}
    """
    axes: dict[str, tuple[Any, ...]] = {}
    problems: list[Problem] = []
    for setting in settings:
        path, equals, text = (part.strip() for part in setting.partition("="))
        if not equals or not path or not text:
            problems.append(Problem(setting, NOTHING, "must be written FIELD=VALUES, as in users=4,8,16"))
        elif path in axes:
            problems.append(Problem(path, NOTHING, "is given as an axis twice"))
        else:
            axes[path] = tuple(_values(path, text, problems))
    if problems:
        raise ScenarioError(problems)
    return axes


def plain_axes(axes: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Axes as Python has them: lists, ranges or arrays of numpy, with plain values.

    Raises
    ------
    RequestError : no such mapping, or one value instead of several.

    >>> plain_axes({"users": np.arange(1, 3), "scheduler.kind": ["max_rate"]})
    {'users': (1, 2), 'scheduler.kind': ('max_rate',)}
    """
    if not isinstance(axes, Mapping):
        raise RequestError(f"axes is {axes!r}; it must be fields with their values, as {{'users': [4, 8]}}")
    for path, values in axes.items():
        if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
            raise RequestError(f"axes: {path} is {values!r}; it must be a list of values, as [{values!r}]")
    return {
        path: tuple(value.item() if isinstance(value, np.generic) else value for value in values)
        for path, values in axes.items()
    }


def span(scenario: Scenario, axes: Mapping[str, Sequence[Any]]) -> dict[str, Arm]:
    """Every combination of values, as scenarios by label; the last axis turns fastest.

    Parameters
    ----------
    scenario : where all other fields come from.
    axes : path of a field -> its values.

    Returns
    -------
    label -> `Arm`; labels as `campaign.grid` makes them, without the fields that are left out.

    Raises
    ------
    ScenarioError : all values and combinations that are not allowed, each once.
    RequestError : more than MOST_SCENARIOS combinations.
    """
    problems: dict[str, Problem] = {}
    for path, values in axes.items():
        if not values:
            problems[path] = Problem(path, NOTHING, "an axis needs at least one value")
    if problems:
        raise ScenarioError(problems.values())
    count = math.prod(map(len, axes.values()))
    if count > MOST_SCENARIOS:
        lengths = " x ".join(str(len(values)) for values in axes.values())
        raise RequestError(f"axes span {lengths} = {count} scenarios; a sweep has at most {MOST_SCENARIOS}")
    names = axis_names(axes)
    arms: dict[str, Arm] = {}
    for at in _points(scenario, axes):
        label = label_of({names[path]: value for path, value in at.items()})
        if label in arms:
            continue
        try:
            arms[label] = Arm(scenario.with_(**at), at)
        except ScenarioError as error:
            problems |= {str(problem): problem for problem in error.problems}
    if problems:
        raise ScenarioError(problems.values())
    return arms


def _points(scenario: Scenario, axes: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """The value of each axis at each combination, without fields that the kind of their table does not have there."""
    deciding = [path for path in axes if path.rsplit(".", 1)[-1] == "kind"]
    lacked: dict[tuple[str, ...], set[str]] = {}
    for kinds in itertools.product(*(axes[path] for path in deciding)):
        data = scenario.model_dump()
        change(data, dict(zip(deciding, kinds, strict=True)))
        lacked[tuple(map(repr, kinds))] = {path for path in axes if path not in deciding and not _has(data, path)}
    # A field that no combination has is a mistake, and told as such by the scenario.
    unknown = set.intersection(*lacked.values())
    for values in itertools.product(*axes.values()):
        at = dict(zip(axes, values, strict=True))
        lacking = lacked[tuple(repr(at[path]) for path in deciding)] - unknown
        yield {path: value for path, value in at.items() if path not in lacking}


def _has(data: Mapping[str, Any], path: str) -> bool:
    """Whether the tables of a scenario have a field of that path; true as well where this can't be told."""
    steps = [0 if step == "*" else int(step) if step.isdigit() else step for step in path.split(".") if step]
    section = section_at(ScenarioFields, data, steps[:-1])
    return section is None or not isinstance(steps[-1], str) or steps[-1] in section.model_fields


def is_whole(path: str) -> bool:
    """Whether a field holds whole numbers only, in every kind of its table.

    >>> is_whole("users"), is_whole("flows.0.start_s"), is_whole("scheduler.kind")
    (True, False, False)
    """
    kinds = [kind for info in declared(ScenarioFields, path) for kind in info.metadata if isinstance(kind, Number)]
    return bool(kinds) and all(kind.whole for kind in kinds)


def _values(path: str, text: str, problems: list[Problem]) -> Iterator[Any]:
    seen = set()
    for part in split(text):
        if not part:
            problems.append(Problem(path, text[:LONGEST_VALUE], "has an empty value between commas"))
            return
        try:
            values = _range(part, is_whole(path)) if _LIKE_RANGE.match(part) else [value_of(part)]
        except ValueError as error:
            problems.append(Problem(path, part[:LONGEST_VALUE], str(error)))
            return
        for value in values:
            if repr(value) not in seen:
                seen.add(repr(value))
                yield value


def _range(text: str, whole: bool) -> list[float]:
    """The values of A..B, A..B:linN or A..B:logN."""
    found = _RANGE.fullmatch(text)
    if found is None:
        raise ValueError(_RANGES)
    low, high, spacing, count = _number(found[1]), _number(found[2]), found[3], int(found[4] or 0)
    if not low < high or not math.isfinite(high):
        raise ValueError("a range must begin below its end")
    if spacing is None:
        if not isinstance(low, int) or not isinstance(high, int):
            raise ValueError(f"{_RANGES}; these ends are not whole")
        count = high - low + 1
    if not 2 <= count <= MOST_VALUES:
        raise ValueError(f"a range must have 2 to {MOST_VALUES} values, not {count}")
    if spacing == "log" and low <= 0:
        raise ValueError("a range of logarithms must begin above 0")
    if spacing is None:
        return list(range(int(low), int(high) + 1))
    between = np.geomspace(low, high, count) if spacing == "log" else np.linspace(low, high, count)
    rounded = [low, *(float(f"{value:.{DIGITS}g}") for value in between[1:-1].tolist()), high]
    return [round(value) if whole or value == round(value) else value for value in rounded]


def _number(text: str) -> float:
    return int(text) if re.fullmatch(r"[-+]?\d+", text) else float(text)
