"""What a search found: the best scheduler, and all that were scored on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from airlink.search.evaluation import Evaluator, Scored, Settings
from airlink.search.goal import Goal
from airlink.suites import Candidate

FINALISTS = 12
"""So many of the best are run on the seeds of the final."""


@dataclass(frozen=True)
class Found:
    """The outcome of a search.

    Attributes
    ----------
    goal : what for.
    best : the best scheduler: by the seeds of the final, if there was one, else by the goal's.
    evaluations : schedulers that were scored.
    refused : of these, how many could not be run or had no numbers.
    interrupted : whether Ctrl-C ended it.
    broken : the limits that the best breaks, in words; by a little a limit may be broken for a far better aim.
    scored : every scheduler, in the order in which they came.
    constants : name -> value in the best, of a search for constants.
    """

    goal: Goal
    best: Scored
    evaluations: int
    refused: int
    interrupted: bool
    scored: Sequence[Scored] = field(repr=False)
    constants: dict[str, float] = field(default_factory=dict)
    broken: Sequence[str] = ()

    @property
    def text(self) -> str:
        """The best formula; of another scheduler its settings."""
        return self.best.text

    def candidate(self, name: str = "found") -> Candidate:
        """The best scheduler, as the judge takes it."""
        return Candidate.of(name, self.best.settings)

    def cloud(self) -> NDArray[np.float64]:
        """The numbers of all that came to all seeds: array [scheduler, number], in the order of `goal.names`."""
        rows = [each.points for each in self.scored if each.seeds == len(self.goal.seeds)]
        return np.array(rows, dtype=float).reshape(-1, len(self.goal.names))

    def __str__(self) -> str:
        numbers = ", ".join(
            f"{name} {value:.4g}" for name, value in zip(self.goal.names, self.best.points, strict=False)
        )
        end = "; interrupted" if self.interrupted else ""
        told = [self.text, numbers, *(f"limit broken: {each}" for each in self.broken)]
        if not np.isfinite(self.best.score):
            told.append("nothing that was scored has a number")
        return "\n".join([*told, f"{self.evaluations} evaluations, {self.refused} without a number{end}"])


def outcome(evaluator: Evaluator, finals: Sequence[int], interrupted: bool) -> Found:
    """The outcome of a search whose schedulers have been scored.

    Parameters
    ----------
    evaluator : that scored them.
    finals : seeds that the search did not see, on which the best of it meet; none: no final.
    interrupted : whether it was ended.

    Raises
    ------
    KeyboardInterrupt : it was ended before a scheduler was scored.
    """
    ranked = sorted(evaluator.scored.values(), key=lambda each: each.rank)
    if not ranked:
        raise KeyboardInterrupt
    best, seeds = ranked[0], tuple(evaluator.goal.seeds)[: ranked[0].seeds]
    if len(finals) and not interrupted:
        seeds = tuple(map(int, finals))
        best = min(evaluator.on_other_seeds(finalists(ranked), seeds), key=lambda each: each.score)
    refused = sum(not np.isfinite(each.score) for each in evaluator.scored.values())
    scored = tuple(evaluator.scored.values())
    broken = evaluator.goal.broken(best.points, evaluator.bounds(seeds)) if best.points else []
    return Found(evaluator.goal, best, evaluator.count, refused, interrupted, scored, broken=broken)


def finalists(ranked: Sequence[Scored]) -> list[Settings]:
    """The first schedulers that differ in their numbers: equal ones decide alike."""
    different = {each.points: each.settings for each in reversed(ranked)}
    return [each.settings for each in ranked if different[each.points] is each.settings][:FINALISTS]
