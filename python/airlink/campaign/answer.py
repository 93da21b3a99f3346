"""What a sweep or a comparison found: an interval for each scenario and measure, and what they were made of.

An answer keeps one number per replica and measure (of a pooled quantile a sample), never a replica, so its memory does
not grow with the length of the runs. Left out: how it was found (`sweep`, `compare`), its folder (`folder`), its text
(`wording`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from airlink import answers_shown
from airlink.campaign import folder as folders
from airlink.campaign.judged import Judged
from airlink.campaign.plan import Plan
from airlink.campaign.question import Question
from airlink.campaign.wording import text_of
from airlink.engine import Table
from airlink.result import Estimate
from airlink.scenario import Scenario

if TYPE_CHECKING:
    from airlink.campaign.stored_samples import Samples
    from airlink.measures import Measure
    from airlink.statistics import Controlled

BASELINE = "baseline"
"""Stands for the verdict of the arm that the others are compared with."""


@dataclass(frozen=True, eq=False)
class Answer:
    """What a sweep or a comparison found.

    Attributes
    ----------
    question : what was asked.
    seeds : label -> seeds of its replicas. With `until` scenarios differ in how many they need.
    samples : (label, measure's text) -> the numbers of its replicas, in the order of the seeds.
    estimates : (label, measure's text) -> mean, or quantile, with its interval.
    methods : (label, measure's text) -> how that interval was made.
    differences : of a comparison, (label, measure's text) -> `Judged`, of every arm but the baseline; else empty.
    controlled : (label, measure's text) -> its mean with and without control variates, where they were of use.
    notes : sentences that a reader of the numbers must know.
    version : of the engine.
    """

    question: Question
    seeds: Mapping[str, tuple[int, ...]]
    samples: Mapping[tuple[str, str], Samples]
    estimates: Mapping[tuple[str, str], Estimate]
    methods: Mapping[tuple[str, str], str]
    differences: Mapping[tuple[str, str], Judged] = field(default_factory=dict)
    controlled: Mapping[tuple[str, str], Controlled] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    version: str = ""

    @property
    def name(self) -> str:
        """Of the question, as its folder is named."""
        return self.question.name

    @property
    def command(self) -> str:
        """That asks the same question again."""
        return self.question.command

    @property
    def axes(self) -> Mapping[str, tuple[Any, ...]]:
        """Path of a swept field -> its values; empty for a comparison."""
        return self.question.axes

    @property
    def at(self) -> dict[str, Mapping[str, Any]]:
        """Label -> path of a swept field -> its value there; without the fields that the scenario does not have."""
        return {label: arm.at for label, arm in self.question.arms.items()}

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The first one of a comparison is the primary one, the others are exploratory."""
        return self.question.measures

    @property
    def baseline(self) -> str:
        """Label of the arm that the others are compared with; empty for a sweep."""
        return self.question.baseline

    @property
    def labels(self) -> tuple[str, ...]:
        """Of the scenarios, in order."""
        return tuple(self.question.arms)

    @property
    def scenarios(self) -> dict[str, Scenario]:
        """Label -> scenario."""
        return self.question.scenarios

    @property
    def plan(self) -> Plan:
        """All scenarios with all seeds that any of them ran; reads trace files, which must be there.

        Raises
        ------
        ScenarioError : a trace file can't be used.
        """
        return Plan(self.scenarios, tuple(sorted(set().union(*self.seeds.values()))))

    @property
    def comparison(self) -> dict[str, Judged] | None:
        """Of every arm but the baseline: difference in the primary measure, and verdict; None for a sweep."""
        if not self.baseline:
            return None
        primary = self.measures[0].text
        return {label: self.differences[label, primary] for label in self.labels if label != self.baseline}

    def frame(self) -> Table:
        """One row per scenario and measure.

        Returns
        -------
        Table with the columns scenario, one per axis (its path), measure, unit, mean, low, high, n, level and method;
        of a comparison also difference (in the unit) and relative (to the baseline), each with _low and _high, NaN
        in the baseline's rows, and verdict.
        """
        keys = [(label, measure) for label in self.labels for measure in self.measures]
        found = [self.estimates[label, measure.text] for label, measure in keys]
        columns: dict[str, Any] = {"scenario": _text(label for label, _ in keys)}
        for path in self.axes:
            columns[path] = _column([self.at[label].get(path) for label, _ in keys])
        columns["measure"] = _text(measure.text for _, measure in keys)
        columns["unit"] = _text(measure.unit for _, measure in keys)
        columns |= {name: np.array([getattr(each, name) for each in found], dtype=float) for name in _ENDS}
        columns["n"] = np.array([each.n for each in found], dtype=np.int64)
        columns["level"] = np.array([each.level for each in found], dtype=float)
        columns["method"] = _text(self.methods[label, measure.text] for label, measure in keys)
        if self.baseline:
            columns |= self._differences([(label, measure.text) for label, measure in keys])
        return Table(columns)

    def __repr__(self) -> str:
        return text_of(self)

    def _repr_html_(self) -> str:
        """What a notebook shows: what was found in words, its picture, its numbers."""
        return answers_shown.shown(self)

    def save(self, folder: str | Path, overwrite: bool = False) -> Path:
        """Writes campaign.json, measures.parquet and samples.parquet to a folder of their own; all or none.

        An answer to the same question is replaced.

        Raises
        ------
        ResultExists : the folder holds something else, and overwrite is false, or files that are no part of an answer.
        ResultError : it can't be written.
        """
        return folders.save(self, Path(folder), overwrite)

    @staticmethod
    def load(folder: str | Path) -> Answer:
        """Reads what `save` wrote.

        Raises
        ------
        ResultError : no answer there, or not one that this version can read.
        """
        stored = folders.load(Path(folder))
        return {"sweep": Sweep, "compare": Comparison}[stored.question.kind](**vars(stored))

    def _differences(self, keys: Sequence[tuple[str, str]]) -> dict[str, Any]:
        judged = [self.differences.get(key) for key in keys]
        columns: dict[str, Any] = {}
        for name, kind in (("difference", "absolute"), ("relative", "relative")):
            for end in _ENDS:
                found = (np.nan if each is None else getattr(getattr(each.difference, kind), end) for each in judged)
                columns[name if end == "mean" else f"{name}_{end}"] = np.array(list(found), dtype=float)
        verdicts = (
            BASELINE if label == self.baseline else "" if each is None else each.verdict
            for (label, _), each in zip(keys, judged, strict=True)
        )
        return {**columns, "verdict": _text(verdicts)}


class Sweep(Answer):
    """What `airlink.sweep` found; its text is the table that `airlink sweep` prints."""


class Comparison(Answer):
    """What `airlink.compare` found; its text is the table that `airlink compare` prints."""


_ENDS = ("mean", "low", "high")


def _text(words: Any) -> NDArray[np.str_]:
    return np.array(list(words), dtype=np.str_)


def _column(values: Sequence[Any]) -> NDArray[Any]:
    """Values of a field as a column: numbers if all are, else text; where there is none NaN or empty."""
    known = [value for value in values if value is not None]
    if known and all(isinstance(value, bool) for value in known) and len(known) == len(values):
        return np.array(values, dtype=bool)
    if known and all(isinstance(value, int | float) and not isinstance(value, bool) for value in known):
        whole = all(isinstance(value, int) for value in values)
        return np.array([np.nan if value is None else value for value in values], dtype=np.int64 if whole else float)
    return _text("" if value is None else str(value) for value in values)
