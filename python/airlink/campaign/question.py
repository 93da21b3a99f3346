"""What a sweep or a comparison asks: scenarios by label, seeds, measures, and how precise the answer has to be.

A question is complete and checked: nothing below it checks again, and its folder is enough to ask it again. Left out:
how it is asked (`sweep`, `compare`, `plan_file`) and answered (`answering`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from airlink.campaign.plan import label_of_changes, split
from airlink.own import NONE, Parts, Text
from airlink.scenario import Scenario, ScenarioError, parse_settings
from airlink.scenario.fields import json_form
from airlink.scenario.short_names import labels

if TYPE_CHECKING:
    from airlink.campaign.precision import Until
    from airlink.measures import Measure

MARGIN = 0.01
"""A difference within 1 % of the baseline is equivalent, unless another margin is asked for."""

LEAST, MOST = 20, 1000
"""Replicas of a scenario at which `until` looks first, and after which it gives up unless told otherwise."""

SEEDS = range(1, 21)
"""Of every scenario, unless others are asked for."""


@dataclass(frozen=True)
class Arm:
    """A scenario of a question.

    Attributes
    ----------
    scenario : what is run.
    at : path of a swept field -> its value here; without the fields that this scenario does not have.
    parts : code of one's own that takes part; default none.
    source : what names it: a file, a ready name, an override, the folder of a stored result; may be empty.
    kept : of a stored result or answer, the texts of the code of one's own that made it.
    """

    scenario: Scenario
    at: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""
    parts: Parts = NONE
    kept: tuple[Text, ...] = ()

    @property
    def code(self) -> tuple[Text, ...]:
        """The code of one's own that takes part, or took part."""
        return self.parts.texts or self.kept


@dataclass(frozen=True)
class Question:
    """What is asked.

    Attributes
    ----------
    kind : "sweep" or "compare".
    name : of its folder.
    arms : label -> scenario.
    measures : the first one of a comparison is the primary one, the others are exploratory.
    seeds : of every scenario; with `until` the first ones.
    axes : path of a swept field -> its values; empty for a comparison.
    baseline : label of the arm that the others are compared with; empty for a sweep.
    margin : of a comparison, relative to the baseline's mean: differences within it are equivalent.
    until : how precise the answer has to be; None for exactly the seeds.
    most : replicas of a scenario after which `until` gives up.
    hold : what is the same in every seed, as "placement".
    controls : whether known means narrow the intervals.
    warmup_s : that was given to all arms; None if each has its own.
    notes : sentences that a reader of the answer must know.
    command : that asks it again.
    """

    kind: Literal["sweep", "compare"]
    name: str
    arms: Mapping[str, Arm]
    measures: tuple[Measure, ...]
    seeds: Sequence[int] = SEEDS
    axes: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    baseline: str = ""
    margin: float = MARGIN
    until: Until | None = None
    most: int = MOST
    hold: tuple[str, ...] = ()
    controls: bool = False
    warmup_s: float | None = None
    notes: tuple[str, ...] = ()
    command: str = ""

    @property
    def record(self) -> tuple[str, ...]:
        """Kinds of series that the measures need."""
        return tuple(dict.fromkeys(kind for measure in self.measures for kind in measure.record))

    @property
    def scenarios(self) -> dict[str, Scenario]:
        """Label -> scenario."""
        return {label: arm.scenario for label, arm in self.arms.items()}

    def with_parts(self, parts: Mapping[str, Parts]) -> Question:
        """The same with code of one's own in some arms."""
        arms = {label: replace(arm, parts=parts.get(label, arm.parts)) for label, arm in self.arms.items()}
        return replace(self, arms=arms)

    @property
    def parts(self) -> dict[str, Parts]:
        """Label -> code of one's own."""
        return {label: arm.parts for label, arm in self.arms.items() if arm.parts}

    @property
    def code(self) -> dict[Text, list[str]]:
        """Code of one's own that takes part, or took part -> labels of the arms in which it does."""
        used: dict[Text, list[str]] = {}
        for label, arm in self.arms.items():
            for code in arm.code:
                used.setdefault(code, []).append(label)
        return used

    @cached_property
    def names(self) -> dict[str, str]:
        """Label -> what is shown for it: settings as the field writes them, names as they were given."""
        return labels({label: arm.at or _changes(label, arm.source) for label, arm in self.arms.items()})

    def described(self) -> dict[str, Any]:
        """The question as JSON: equal for equal questions, whatever their names and commands."""
        return {
            "kind": self.kind,
            "arms": [
                {"label": label, "at": dict(json_form(arm.at)), "scenario": json.loads(arm.scenario.to_json())}
                | ({"own_code": [code.key for code in arm.code]} if arm.code else {})
                for label, arm in self.arms.items()
            ],
            "measures": [measure.text for measure in self.measures],
            "seeds": list(map(int, self.seeds)),
            "axes": {path: json_form(values) for path, values in self.axes.items()},
            "baseline": self.baseline,
            "margin": self.margin,
            "until": self.until.text if self.until else "",
            "most": self.most,
            "hold": list(self.hold),
            "controls": self.controls,
            "warmup_s": self.warmup_s,
        }


def _changes(label: str, source: str) -> Mapping[str, Any]:
    """The settings that a label was made of; empty where somebody gave the name, and for files and results."""
    if "=" not in source:
        return {}
    try:
        values = parse_settings(split(source))
    except ScenarioError:
        return {}
    return values if label_of_changes(values) == label else {}
