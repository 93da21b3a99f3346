"""What a campaign runs: scenarios by label, seeds, series to record.

Each scenario gets the same seeds: channel, placement and start times are then the same for all of them, and differences
are paired.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from airlink.engine import Request, RequestError
from airlink.own import NONE, Parts
from airlink.scenario import Scenario


@dataclass(frozen=True)
class Plan:
    """What to run: every scenario with every seed.

    Attributes
    ----------
    scenarios : label -> scenario, see `grid`.
    seeds : of every scenario, each once.
    record : kinds of series to keep of every replica, default none (they take memory).
    parts : label -> code of one's own (`airlink.own`) for that scenario; default none.

    Raises
    ------
    ValueError : no scenario, no seed, or a seed twice.
    ScenarioError : a trace file can't be used.
    RequestError : more than 1 000 000 replicas, a seed outside 0..2^64-1, a series that a scenario can't record.
    """

    scenarios: Mapping[str, Scenario]
    seeds: Sequence[int]
    record: Sequence[str] = ()
    parts: Mapping[str, Parts] = field(default_factory=dict)
    request: Request = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.scenarios:
            raise ValueError("a plan needs at least one scenario")
        if not self.seeds:
            raise ValueError("a plan needs at least one seed")
        parts = [self.parts.get(label, NONE) for label in self.scenarios]
        request = Request(tuple(self.scenarios.values()), self.seeds, self.record, parts=parts)
        if request.captures:
            raise RequestError("a campaign captures no packets: airlink.run and airlink run --record pcap do")
        if not isinstance(request.seeds, range) and len(set(request.seeds)) != len(request.seeds):
            raise ValueError("a plan needs each seed once: a repeated seed is the same run, not a new sample")
        object.__setattr__(self, "request", request)

    @property
    def resolved(self) -> Plan:
        """The same plan with resolved scenarios: named tables in numbers, trace files with their hashes."""
        plan, request = copy.copy(self), self.request
        scenarios = dict(zip(self.scenarios, request.scenarios, strict=True))
        for name, value in (("scenarios", scenarios), ("seeds", request.seeds), ("record", request.record)):
            object.__setattr__(plan, name, value)
        return plan


def grid(scenario: Scenario, axes: Mapping[str, Sequence[Any]]) -> dict[str, Scenario]:
    """Every combination of values, as scenarios by label.

    Parameters
    ----------
    scenario : where all other fields come from.
    axes : path of a field -> its values, e.g. {"scheduler.kind": ["round_robin", "max_rate"], "users": [4, 8]}.

    Returns
    -------
    label -> scenario; the label names each field by the last part of its path (by all of it when two paths end
    alike): "kind=round_robin, users=4". The last axis turns fastest.

    Raises
    ------
    ScenarioError : a value that its field does not allow.
    """
    names = axis_names(axes)
    made: dict[str, Scenario] = {}
    for values in itertools.product(*axes.values()):
        at = dict(zip(axes, values, strict=True))
        made[label_of({names[path]: value for path, value in at.items()})] = scenario.with_(**at)
    return made


def axis_names(paths: Iterable[str]) -> dict[str, str]:
    """Path of a field -> its name in a label: the last part of its path, or all of it when two paths end alike."""
    ends = {path: path.rsplit(".", 1)[-1] for path in paths}
    return ends if len(set(ends.values())) == len(ends) else {path: path for path in ends}


def label_of(values: Mapping[str, Any]) -> str:
    """The label of a scenario: "kind=round_robin, users=4"; tables as TOML has them, without quotes."""
    return ", ".join(f"{name}={_word(value)}" for name, value in values.items())


def label_of_changes(values: Mapping[str, Any]) -> str:
    """The label of a scenario that has these values, by the paths of their fields: "kind=max_rate, users=4"."""
    names = axis_names(values)
    return label_of({names[path]: value for path, value in values.items()})


def split(text: str, at: str = ",") -> list[str]:
    """The parts of a text between commas that stand neither in brackets nor in quotes.

    >>> split('1, {kind="file", bytes=5}, [2, 3], "a,b"')
    ['1', '{kind="file", bytes=5}', '[2, 3]', '"a,b"']
    """
    parts, depth, quote = [""], 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        else:
            depth += (letter in "[{(") - (letter in ")}]")
            if letter == at and depth <= 0:
                parts.append("")
                continue
        parts[-1] += letter
    return [part.strip() for part in parts]


def _word(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}={_word(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_word, value)) + "]"
    return str(value)
