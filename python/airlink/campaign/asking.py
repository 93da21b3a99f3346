"""What sweeps and comparisons ask alike: seeds, measures, precision, what is held, each checked before anything runs.

Left out: the scenarios (`sweep`, `compare`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from airlink.campaign.question import LEAST, MOST, SEEDS, Arm
from airlink.engine import RequestError
from airlink.scenario import Scenario

if TYPE_CHECKING:
    from airlink.measures import Measure

PLACEMENT = "placement"
HOLDS = (PLACEMENT,)
"""What can be the same in every seed."""


@dataclass(frozen=True)
class Wishes:
    """What is asked of every scenario alike, as it is written.

    Attributes
    ----------
    seeds : of every scenario; with `until` the first ones.
    measures : texts or measures; none stands for the usual ones.
    until : "MEASURE: 1 %"; empty for exactly the seeds.
    most : replicas of a scenario after which `until` gives up; None: 1000.
    hold : "placement" or nothing.
    controls : whether known means narrow the intervals.
    """

    seeds: Sequence[int] = SEEDS
    measures: Sequence[str | Measure] = ()
    until: str | None = None
    most: int | None = None
    hold: Sequence[str] = ()
    controls: bool = False

    def __post_init__(self) -> None:
        """Checks what Python hands over where a command has texts only."""
        if isinstance(self.hold, str):
            object.__setattr__(self, "hold", (self.hold,))
        if self.until is not None and not isinstance(self.until, str):
            raise RequestError(f"until is {self.until!r}; it must be a text, as 'cell.goodput_bps: 1 %'")

    def first_seeds(self) -> Sequence[int]:
        """The seeds, checked: with `until` they go on one by one."""
        seeds: Any = self.seeds
        if not isinstance(seeds, Sequence | np.ndarray) or isinstance(seeds, str) or not len(seeds):
            raise RequestError(f"seeds is {seeds!r}; it must be at least one seed, as in range(1, 21)")
        if len(set(seeds)) < len(seeds):
            raise RequestError("seeds name a seed twice: it would be the same run, not a new sample")
        if self.until and list(seeds) != list(range(seeds[0], seeds[0] + len(seeds))):
            raise RequestError("with until, seeds go on one by one: give the first ones, as 1-20")
        return tuple(sorted(map(int, seeds)))

    def cap(self) -> int:
        """The most replicas of a scenario, checked."""
        if self.most is None:
            return max(MOST, len(self.seeds))
        if not self.until:
            raise RequestError("most is given without until: it is where until gives up")
        least = max(LEAST, len(self.seeds))
        if isinstance(self.most, bool) or self.most != int(self.most) or self.most < least:
            raise RequestError(f"most is {self.most!r}; it must be a whole number of at least {least}, the first look")
        return self.most

    def held(self, arms: Mapping[str, Arm]) -> dict[str, Arm]:
        """The arms with what is held: places and shadowing of the first seed, unless a scenario names another.

        Raises
        ------
        RequestError : something else is to be held, or users have no places.
        """
        unknown = [name for name in self.hold if name not in HOLDS]
        if unknown:
            raise RequestError(f"hold is {unknown[0]!r}; it must be {', '.join(map(repr, HOLDS))}")
        if not self.hold:
            return dict(arms)
        return {label: replace(arm, scenario=self._placed(label, arm.scenario)) for label, arm in arms.items()}

    def _placed(self, label: str, scenario: Scenario) -> Scenario:
        radio = scenario.radio()
        if radio is None:
            raise RequestError(f"hold placement: {label!r} has a wired bottleneck, whose users have no places")
        if radio.channel.placement_seed != "run":
            return scenario
        return scenario.with_(**{"channel.placement_seed": self.first_seeds()[0]})
