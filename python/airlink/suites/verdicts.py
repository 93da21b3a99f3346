"""Whether a candidate wins a case: its aim against every built-in scheduler at once.

Differences are paired by seed, and the intervals of one case hold for all built-in schedulers together (95 %,
`airlink.statistics.simultaneous`). So who is the best of them may be said after the runs:

    win          better than every one of them
    lose         worse than at least one
    equivalent   better than or equivalent to every one, and not a win
    unclear      else: more seeds are needed

Whatever the aim, no users may be given up for it (`served`). Where the candidate serves fewer of them than a built-in
scheduler, it is worse than that one if the interval says so too, or if it serves nobody at all, and else undecided
where its aim would have been better or equivalent.

Left out: that cases are many. Each errs by itself one time in twenty at most.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, cast, get_args

import numpy as np

from airlink.measures import Found
from airlink.result import Estimate
from airlink.statistics import Difference, Verdict, simultaneous, verdict
from airlink.suites.aim import turned
from airlink.suites.cases import SERVED, Case, of_measure

Outcome = Literal["win", "lose", "equivalent", "unclear"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


@dataclass(frozen=True)
class CaseVerdict:
    """What came of a case.

    Attributes
    ----------
    case : which.
    best : label of the built-in scheduler with the best mean, or quantile, of the aim.
    estimates : label, the candidate's among them -> the aim's estimate.
    differences : label of each built-in scheduler -> the candidate less that, relative to that.
    verdicts : the same, as words about the candidate.
    outcome : as above.
    served : label, the candidate's among them -> mean number of users that are served.
    starved : labels of the built-in schedulers against which it is not better only as it serves fewer users.
    """

    case: Case
    best: str
    estimates: Mapping[str, Estimate]
    differences: Mapping[str, Difference]
    verdicts: Mapping[str, Verdict]
    outcome: Outcome
    served: Mapping[str, float] = field(default_factory=dict)
    starved: Sequence[str] = ()

    @property
    def decisive(self) -> str:
        """The built-in scheduler that the outcome is shown against: the best; where lost the best of those that won."""
        if self.outcome != "lose" or self.verdicts[self.best] == "worse":
            return self.best
        ahead = {label: self.estimates[label].mean for label, each in self.verdicts.items() if each == "worse"}
        return best_of(ahead, self.case.aim.better)

    def against(self, rival: str) -> Outcome:
        """The outcome against one built-in scheduler."""
        return outcome([self.verdicts[rival]])


def judged(case: Case, runs: Mapping[str, Sequence[Sequence[Found]]], candidate: str, margin: float) -> CaseVerdict:
    """The verdict of a case.

    Parameters
    ----------
    case : which.
    runs : label -> what was found in each run, of the same seeds in the same order.
    candidate : its label among these.
    margin : differences within it do not matter, relative to the built-in scheduler.
    """
    aim = case.aim
    found = of_measure(runs, case.measures.index(aim.measure))
    estimates = {label: aim.estimate(each) for label, each in found.items()}
    differences = aim.against(candidate, found)
    by_aim = {label: verdict(each, margin, aim.better) for label, each in differences.items()}
    served = {label: cast("Sequence[float]", each) for label, each in of_measure(runs, SERVED).items()}
    verdicts = {label: _unless_starved(each, candidate, label, served) for label, each in by_aim.items()}
    rivals = {label: estimates[label].mean for label in differences}
    return CaseVerdict(
        case, best_of(rivals, aim.better), estimates, differences, verdicts, outcome(list(verdicts.values())),
        {label: float(np.mean(each)) for label, each in served.items()},
        tuple(label for label, each in verdicts.items() if each != by_aim[label]),
    )  # fmt: skip


def _unless_starved(by_aim: Verdict, candidate: str, rival: str, served: Mapping[str, Sequence[float]]) -> Verdict:
    """A verdict by the aim, but none that is bought with users who are not served."""
    own, other = float(np.mean(served[candidate])), float(np.mean(served[rival]))
    if own >= other:
        return by_aim
    difference = turned(simultaneous(served, candidate)[rival])
    if own == 0 or verdict(difference, 0.0, "higher") == "worse":
        return "worse"
    return "undecided" if by_aim in ("better", "equivalent") else by_aim


def outcome(verdicts: Sequence[Verdict]) -> Outcome:
    """What verdicts against several schedulers say together.

    >>> outcome(["better", "better"]), outcome(["better", "worse"]), outcome(["better", "equivalent"])
    ('win', 'lose', 'equivalent')
    >>> outcome(["better", "undecided"])
    'unclear'
    """
    if "worse" in verdicts:
        return "lose"
    if all(each == "better" for each in verdicts):
        return "win"
    return "equivalent" if all(each in ("better", "equivalent") for each in verdicts) else "unclear"


def best_of(means: Mapping[str, float], better: str) -> str:
    """The label of the best mean; the first of several, and of those without a number the last choice."""

    def rank(label: str) -> float:
        mean = means[label]
        if math.isnan(mean):
            return math.inf
        return -mean if better == "higher" else mean

    return min(means, key=rank)


def tally(outcomes: Iterable[Outcome]) -> dict[Outcome, int]:
    """How many there are of each outcome.

    >>> tally(["win", "win", "unclear"])
    {'win': 2, 'lose': 0, 'equivalent': 0, 'unclear': 1}
    """
    counted = Counter(outcomes)
    return {each: counted[each] for each in OUTCOMES}
