"""The paragraph of methods that a reader pastes: what was simulated, how often, with what, and how it was judged.

Composed of the scenarios that were run, their seeds and the engine's version. Left out: what a study is about.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from airlink.campaign.wording import seeds_text
from airlink.report.tables import listed
from airlink.scenario import Scenario

JUDGED = (
    "A claim's direction holds when the whole interval lies inside its bound, a printed number when it lies where the "
    "mean of as many realizations as the paper had falls with 95 %; what straddles a bound is undecided."
)
MOST_NAMED = 3
"""Senders; of more the rest is counted."""


@dataclass
class RunCount:
    """How many runs there were, and the range of what was run.

    Attributes
    ----------
    runs, settings : replicas, and scenarios that they belong to.
    durations_s, users, slots_ms : each value that a scenario had; no slot: a wired bottleneck.
    senders : names of TCP's profile and congestion control; none: no flow has a TCP.
    """

    runs: int = 0
    settings: int = 0
    durations_s: set[float] = field(default_factory=set)
    users: set[int] = field(default_factory=set)
    slots_ms: set[float] = field(default_factory=set)
    senders: set[str] = field(default_factory=set)

    def add(self, scenarios: Iterable[Scenario], replicas: int) -> None:
        """Counts scenarios that were run so often each."""
        for scenario in scenarios:
            self.settings += 1
            self.runs += replicas
            self.durations_s.add(float(scenario.duration_s))
            self.users.add(scenario.users)
            if scenario.slot is not None:
                self.slots_ms.add(float(Fraction(str(scenario.slot.duration_ms))))
            self.senders |= {
                f"{flow.tcp.congestion_control} by profile {flow.tcp.profile}"
                for flow in scenario.flows
                if flow.has_tcp()
            }

    @property
    def sentence(self) -> str:
        """What was simulated."""
        runs, settings = _counted(self.runs, "run"), _counted(self.settings, "setting")
        users = f"{_range(self.users)} user{'s' * (self.users != {1})}"
        slots = f"slots of {_range(self.slots_ms)} ms" if self.slots_ms else "a wired bottleneck"
        senders = sorted(self.senders)
        if len(senders) > MOST_NAMED:
            senders[MOST_NAMED:] = [f"{len(senders) - MOST_NAMED} more"]
        where = f"{users}, {slots} and " + (f"TCP {listed(senders)}" if senders else "no TCP")
        return f"We simulated {runs} of {settings}, {_range(self.durations_s)} s each, with {where}."

    @property
    def simulator(self) -> str:
        """What airlink is, for these runs."""
        return "simulator of TCP over a wireless downlink" if self.senders else "simulator of a wireless downlink"


def methods(version: str, seeds: Sequence[int], count: RunCount, intervals: str, *, judged: bool, again: str) -> str:
    """The paragraph.

    Parameters
    ----------
    version : of the engine; empty: nothing was simulated.
    seeds : of all runs.
    count : what was run.
    intervals : how they were made, "95 %: Student-t over seeds".
    judged : claims were held against bounds.
    again : the command that makes the numbers again; empty: not known.
    """
    repeat = f" To repeat: {again}." if again else ""
    if not version:
        return f"No packet was simulated: the numbers are closed forms evaluated by airlink.{repeat}"
    seeded = f"Each run has a seed (here {seeds_text(seeds)}) that draws places, fading, losses and starts"
    if count.settings > 1:
        seeded += "; settings that are compared share their seeds, so that differences are paired"
    told = [
        f"All numbers come from airlink {version}, a deterministic {count.simulator}, packet by packet and slot by "
        "slot.",
        count.sentence,
        f"{seeded}.",
        f"Intervals: {intervals}.",
    ]
    if judged:
        told.append(JUDGED)
    return " ".join(told) + repeat


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}".replace(",", "\N{NO-BREAK SPACE}")


def _range(values: Collection[float]) -> str:
    """One value, or the ends of several.

    >>> _range({25.0}), _range({10, 60.5})
    ('25', '10 to 60.5')
    """
    low, high = min(values), max(values)
    return f"{low:.4g}" if math.isclose(low, high) else f"{low:.4g} to {high:.4g}"
