"""What a search is for: a number of runs that is to be high or low, and limits that it must keep.

The score of a scheduler, of which less is better, over the runs of its seeds:

    score = s ln(aim) + w sum_k max(0, shortfall_k),   s = 1 where lower is better, -1 where higher is
    shortfall_k = (bound_k - value_k) / |bound_k|  of a limit "at least", turned round for "at most"

with w = `penalty`. The aim is a measure (`airlink list measures`), or a function of a replica, of which the mean over
the runs takes the place of ln(aim). No number, as of a page time where nobody asked for a page, is the worst score.
Left out: how schedulers are run (`evaluation`) and where they come from (`constants`, `formulas`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from numbers import Real
from typing import Any, cast

import numpy as np

from airlink import measures
from airlink.engine import Replica, RequestError
from airlink.engine.request import distinct_seeds
from airlink.measures import Found, Measure
from airlink.scenario import Scenario
from airlink.statistics import Sample, pooled_quantile
from airlink.suites import Candidate, read_candidate

PENALTY = 30.0
"""1 % below a limit costs as much as an aim that is 35 % worse."""

LEAST = 1e-12
"""Of an aim whose logarithm is taken."""

Function = Callable[[Replica], float]
Read = Callable[[Replica], Found]
Together = Callable[[Sequence[Found]], float]


@dataclass(frozen=True)
class Limit:
    """A bound that a scheduler must keep.

    Attributes
    ----------
    text : of the measure, as "cell.goodput_bps".
    at_least, at_most : the bound, one of both. With `than` a share of what those schedulers have: of the largest for
        `at_least`, of the smallest for `at_most`.
    than : schedulers on the same seeds, as `airlink.suites.read_candidate` takes them: "tcp_pf".

    Raises
    ------
    RequestError : none or both of the bounds, or one that is no finite number; `than` is one text.
    """

    text: str
    at_least: float | None = None
    at_most: float | None = None
    than: Sequence[str | Candidate] = ()

    def __post_init__(self) -> None:
        if (self.at_least is None) == (self.at_most is None):
            raise RequestError(f"limit of {self.text!r} needs at_least or at_most, and not both")
        bound: Any = self.at_most if self.at_least is None else self.at_least
        than: Any = self.than
        if not isinstance(bound, Real) or not math.isfinite(bound):
            raise RequestError(f"limit of {self.text!r} is {bound!r}; it must be a finite number")
        if isinstance(than, str):
            raise RequestError(f"than is {than!r}; it must be a list of schedulers, as [{than!r}]")

    @cached_property
    def measure(self) -> Measure:
        """The measure."""
        return measures.measure(self.text)

    def bound(self, of_references: Sequence[float]) -> float:
        """The bound in the unit of the measure; `of_references` has the values of `than`."""
        if self.at_least is not None:
            return self.at_least * (max(of_references) if self.than else 1.0)
        assert self.at_most is not None, "one of both is given"
        return self.at_most * (min(of_references) if self.than else 1.0)

    def shortfall(self, value: float, bound: float) -> float:
        """How far a value is on the wrong side of the bound, as a share of it; 0 on the right side."""
        short = bound - value if self.at_least is not None else value - bound
        return max(0.0, short / max(abs(bound), LEAST))


@dataclass(frozen=True)
class Goal:
    """What is looked for, on which scenario and seeds.

    Attributes
    ----------
    scenario : whose scheduler is looked for.
    aim : a measure, or a function of a replica.
    seeds : of the runs that a search sees, each once.
    limits : that must be kept.
    better : "lower" or "higher"; of a measure it is known, of a function "lower" unless it is given.
    record : series that a function needs, as "slots".
    penalty : w above.

    Raises
    ------
    RequestError : no scenario, or one without a cell; no seed, or one twice; a penalty below 0; `better` of something
        else.
    MeasureError : a measure that the scenario does not have, or of which nobody knows the better end.

    Examples
    --------
    >>> from airlink.scenario import ready
    >>> limit = Limit("cell.goodput_bps", at_least=0.99, than=["tcp_pf"])
    >>> goal = Goal(ready("first-cell"), "downloads.p95(time_s)", range(1, 5), [limit])
    >>> goal.names, goal.better_end, round(goal.score([2.0, 98.0], [100.0]) - goal.score([1.0, 100.0], [100.0]), 3)
    (('downloads.p95(time_s)', 'cell.goodput_bps'), 'lower', 1.293)
    """

    scenario: Scenario
    aim: str | Function
    seeds: Sequence[int]
    limits: Sequence[Limit] = ()
    better: str = ""
    record: Sequence[str] = ()
    penalty: float = PENALTY

    def __post_init__(self) -> None:
        given: Any = self.scenario
        if not isinstance(given, Scenario):
            raise RequestError(f"a Scenario is needed, not {given!r}: airlink.Scenario.from_toml(...) reads one")
        if given.bottleneck is not None:
            raise RequestError("a wired bottleneck has no scheduler to look for")
        distinct_seeds(self.seeds)
        object.__setattr__(self, "seeds", tuple(map(int, self.seeds)))
        if len(self.seeds) == 0:
            raise RequestError("seeds is empty; a search needs one at least")
        if self.better not in ("", "lower", "higher"):
            raise RequestError(f"better is {self.better!r}; it must be 'lower' or 'higher'")
        if not 0 <= self.penalty < math.inf:
            raise RequestError(f"penalty is {self.penalty!r}; it must be a number of at least 0")
        measures.check(self.measures, self.scenario)
        if isinstance(self.aim, str) and not self.better_end:
            raise measures.MeasureError(f'measure "{self.aim}": nobody knows which end of it is better; better="lower"')

    @cached_property
    def measures(self) -> tuple[Measure, ...]:
        """The measures of aim and limits."""
        texts = [self.aim] if isinstance(self.aim, str) else []
        return (*map(measures.measure, texts), *(each.measure for each in self.limits))

    @property
    def better_end(self) -> str:
        """Which end of the aim is better."""
        if isinstance(self.aim, str):
            return self.better or self.measures[0].better
        return self.better or "lower"

    @property
    def names(self) -> tuple[str, ...]:
        """What the numbers of a scheduler are of: the aim, then the limits."""
        aim = self.aim if isinstance(self.aim, str) else getattr(self.aim, "__qualname__", "aim")
        return (aim, *(each.text for each in self.limits))

    @property
    def recorded(self) -> tuple[str, ...]:
        """The series that the runs record."""
        return tuple(dict.fromkeys([*self.record, *(kind for each in self.measures for kind in each.record)]))

    def unseen(self, finals: Sequence[int]) -> None:
        """Refuses seeds of a final that the search saw.

        Raises
        ------
        RequestError : such a seed, or one twice.
        """
        distinct_seeds(finals)
        seen = sorted(set(map(int, finals)) & set(map(int, self.seeds)))
        if seen:
            raise RequestError(f"finals has seed {seen[0]}, which the search sees; name others")

    def broken(self, points: Sequence[float], bounds: Sequence[float]) -> list[str]:
        """What limits these numbers break, in words."""
        found = []
        for limit, value, bound in zip(self.limits, points[1:], bounds, strict=False):
            if not limit.shortfall(value, bound) <= 0:
                side = "at least" if limit.at_least is not None else "at most"
                found.append(f"{limit.text} is {value:.4g}, not {side} {bound:.4g}")
        return found

    def found(self, replica: Replica) -> list[Found]:
        """What is kept of a run: an entry for each of `names`."""
        return [read(replica) for read, _ in self._columns]

    def points(self, runs: Sequence[Sequence[Found]]) -> tuple[float, ...]:
        """The numbers of a scheduler from what was kept of its runs, in the order of `names`."""
        return tuple(together([run[place] for run in runs]) for place, (_, together) in enumerate(self._columns))

    def score(self, points: Sequence[float], bounds: Sequence[float]) -> float:
        """The score of these numbers; less is better, infinite is the worst.

        Parameters
        ----------
        points : of `names`.
        bounds : of the limits.
        """
        if any(map(math.isnan, points)) or math.isinf(points[0]):
            return math.inf
        sign = 1.0 if self.better_end == "lower" else -1.0
        aim = math.log(max(points[0], LEAST)) if isinstance(self.aim, str) else points[0]
        short = (
            limit.shortfall(value, bound) for limit, value, bound in zip(self.limits, points[1:], bounds, strict=True)
        )
        return sign * aim + self.penalty * sum(short)

    def references(self) -> dict[str, Candidate]:
        """Name -> scheduler that some limit names."""
        named = [each for limit in self.limits for each in limit.than]
        found = [read_candidate(each) if isinstance(each, str) else each for each in named]
        return {each.hash: each for each in found}

    def bounds(self, points: dict[str, Sequence[float]]) -> tuple[float, ...]:
        """The bound of each limit, from the numbers of the schedulers that limits name, by hash."""
        made = []
        for place, limit in enumerate(self.limits, 1):
            named = [read_candidate(each) if isinstance(each, str) else each for each in limit.than]
            made.append(limit.bound([points[each.hash][place] for each in named]))
        return tuple(made)

    @cached_property
    def _columns(self) -> list[tuple[Read, Together]]:
        made: list[tuple[Read, Together]] = []
        if not isinstance(self.aim, str):
            made.append((self.aim, _mean))
        for each in self.measures:
            together: Together = _mean if each.share is None else partial(_quantile, each.share)
            made.append((partial(measures.found, each), together))
        return made


def _mean(found: Sequence[Found]) -> float:
    return float(np.mean(cast("Sequence[float]", found)))


def _quantile(share: float, found: Sequence[Found]) -> float:
    return pooled_quantile(cast("Sequence[Sample]", found), share)
