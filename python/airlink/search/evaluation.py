"""Schedulers into scores: runs on all cores, few seeds for all of them and all seeds for the best (successive halving).

Every new scheduler counts as an evaluation, whatever the number of its seeds, and so does one that can't be run: its
score is infinite. One that was scored before is neither run nor counted again. Numbers do not depend on threads, as a
run depends on scenario and seed alone. Left out: where schedulers come from (`constants`, `formulas`).
"""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from airlink.campaign import Plan, stream
from airlink.engine import Progress, RequestError
from airlink.measures import Found
from airlink.scenario import Scenario, ScenarioError, ScenarioWarning
from airlink.scenario.formula import formula_refusal
from airlink.search.goal import Goal
from airlink.search.log import Log

Settings = Mapping[str, Any]
"""Path of a field below `scheduler` -> its value."""

METRIC = "scheduler.metric"


@dataclass(frozen=True)
class Effort:
    """How much is searched, and how.

    Attributes
    ----------
    evaluations : schedulers that are scored, at least 1.
    seed : names every draw of the search; the same gives the same schedulers on any number of threads.
    first_seeds : so many of the goal's seeds are run for every scheduler, and all for the best quarter of those scored
        together; 0 (default): a quarter of the seeds, at least 1.
    log : file that keeps every evaluation, and from which an interrupted search goes on; None: none is kept.
    threads : default: all cores this process may use.
    progress : called with (evaluations, all of them); None (default): a bar if the terminal can show one.

    Raises
    ------
    RequestError : a number outside its range.
    """

    evaluations: int = 1000
    seed: int = 1
    first_seeds: int = 0
    log: Path | str | None = None
    threads: int | None = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        for name, least in (("evaluations", 1), ("seed", 0), ("first_seeds", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or value != int(value) or value < least:
                raise RequestError(f"{name} is {value!r}; it must be a whole number of at least {least}")


@dataclass(frozen=True)
class Scored:
    """A scheduler and its numbers.

    Attributes
    ----------
    settings : of `scheduler`.
    score : less is better; infinite if it can't be run or has no numbers.
    points : the aim and the value of each limit.
    seeds : of how many of the goal's seeds.
    """

    settings: Settings
    score: float
    points: tuple[float, ...] = ()
    seeds: int = 0

    @property
    def rank(self) -> tuple[int, float]:
        """What sorts schedulers: those that came to more seeds were better on the first ones."""
        return -self.seeds, self.score

    @property
    def text(self) -> str:
        """The formula, or of another scheduler its settings."""
        return str(self.settings[METRIC]) if METRIC in self.settings else json.dumps(dict(self.settings))


@dataclass
class Evaluator:
    """Scores schedulers for a goal.

    Attributes
    ----------
    goal : what for.
    effort : how.
    shown : called with (evaluations, all of them).
    scored : every scheduler that was scored, in the order in which they came, each as well as it is known.
    """

    goal: Goal
    effort: Effort
    shown: Progress = lambda _, __: None
    scored: dict[str, Scored] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._log = Log(self.goal, None if self.effort.log is None else Path(self.effort.log))
        self._bounds: dict[tuple[int, ...], tuple[float, ...]] = {}

    @property
    def count(self) -> int:
        """Evaluations so far."""
        return len(self.scored)

    @property
    def left(self) -> int:
        """Evaluations that may still be made."""
        return max(0, self.effort.evaluations - self.count)

    def is_new(self, settings: Settings) -> bool:
        """Whether a scheduler was not scored before."""
        return key_of(settings) not in self.scored

    def scores(self, settings: Sequence[Settings], halving: bool = True) -> list[Scored]:
        """The scores of schedulers, in their order.

        Parameters
        ----------
        settings : of each.
        halving : whether only the best quarter is run on all seeds.

        Raises
        ------
        KeyboardInterrupt : Ctrl-C; what had ended is in `scored` and in the log.
        """
        new = {key: each for each in settings if (key := key_of(each)) not in self.scored}
        all_seeds = tuple(self.goal.seeds)
        first = all_seeds[: self.effort.first_seeds or max(1, len(all_seeds) // 4)]
        batch = _Batch(new, {key: self._scenario(each) for key, each in new.items()})
        if halving and len(first) < len(all_seeds):
            self._score(batch, list(new), first, self.scored)
            ranked = sorted(new, key=lambda key: self.scored[key].score)
            best = set(ranked[: math.ceil(len(ranked) / 4)])
            new = {key: each for key, each in new.items() if key in best and math.isfinite(self.scored[key].score)}
        self._score(batch, list(new), all_seeds, self.scored)
        return [self.scored[key_of(each)] for each in settings]

    def on_other_seeds(self, settings: Sequence[Settings], seeds: Sequence[int]) -> list[Scored]:
        """The scores on seeds that the search did not see; they are no evaluations."""
        new = {key_of(each): each for each in settings}
        found: dict[str, Scored] = {}
        batch = _Batch(new, {key: self._scenario(each) for key, each in new.items()})
        self._score(batch, list(new), tuple(seeds), found)
        return [found[key_of(each)] for each in settings]

    def bounds(self, seeds: tuple[int, ...]) -> tuple[float, ...]:
        """The bounds of the goal's limits on these seeds."""
        if seeds not in self._bounds:
            named = {name: each.settings for name, each in self.goal.references().items()}
            batch = _Batch(named, {name: self._scenario(each) for name, each in named.items()})
            self._bounds[seeds] = self.goal.bounds(dict(self._points(batch, list(named), seeds)))
        return self._bounds[seeds]

    def _score(self, batch: _Batch, keys: Sequence[str], seeds: tuple[int, ...], into: dict[str, Scored]) -> None:
        """Scores some of the schedulers; after Ctrl-C those that had ended."""
        bounds = self.bounds(seeds)
        found = {key: Scored(batch.settings[key], math.inf) for key in keys if batch.scenarios[key] is None}
        try:
            for key, points in self._points(batch, [key for key in keys if key not in found], seeds):
                found[key] = Scored(batch.settings[key], self.goal.score(points, bounds), points, len(seeds))
                made = self.count + sum(each not in self.scored for each in found)
                self.shown(min(made, self.effort.evaluations), self.effort.evaluations)
        finally:
            # In the order in which they were asked for, as they end in any.
            into.update({key: found[key] for key in keys if key in found})

    def _points(
        self, batch: _Batch, keys: Sequence[str], seeds: tuple[int, ...]
    ) -> Iterator[tuple[str, tuple[float, ...]]]:
        """The numbers of schedulers by key, as they end: from the log, or from runs on those seeds that lack."""
        to_run: dict[tuple[int, ...], list[str]] = {}
        for key in keys:
            known = self._log.get(batch.settings[key], seeds)
            if known is not None:
                yield key, known
            else:
                lacking = tuple(seed for seed in seeds if seed not in batch.kept.setdefault(key, {}))
                to_run.setdefault(lacking, []).append(key)
        for lacking, group in to_run.items():
            plan = Plan({key: batch.runnable(key) for key in group}, lacking, self.goal.recorded)
            with warnings.catch_warnings():
                # A formula may leave a field without effect: no reader needs to know of each.
                warnings.simplefilter("ignore", ScenarioWarning)
                started = stream(plan, self.effort.threads)
            with started as runs:
                for key, seed, replica in runs:
                    kept = batch.kept[key]
                    kept[seed] = self.goal.found(replica)
                    if all(each in kept for each in seeds):
                        points = self.goal.points([kept[each] for each in seeds])
                        self._log.add(batch.settings[key], seeds, points)
                        yield key, points

    def _scenario(self, settings: Settings) -> Scenario | None:
        """The goal's scenario with a scheduler; None where there can't be such a one."""
        if METRIC in settings and formula_refusal(str(settings[METRIC])) is not None:
            return None
        try:
            return self.goal.scenario.with_(**settings)
        except ScenarioError:
            return None


@dataclass
class _Batch:
    """Schedulers that are scored together, by key: their scenarios, and what was kept of their runs by seed."""

    settings: Mapping[str, Settings]
    scenarios: Mapping[str, Scenario | None]
    kept: dict[str, dict[int, list[Found]]] = field(default_factory=dict)

    def runnable(self, key: str) -> Scenario:
        """The scenario of a scheduler that can be run."""
        scenario = self.scenarios[key]
        assert scenario is not None, "only those with a scenario are run"
        return scenario


def key_of(settings: Settings) -> str:
    """Settings as one text, whatever their order."""
    return json.dumps(dict(settings), sort_keys=True)
