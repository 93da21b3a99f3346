"""What is measured of a run: sessions with an initial timeout, Jain's index, throughput; and how a timeout is held.

An initial timeout occurs in a session's first slow start. Left out: why it occurred (initial_timeout.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airlink.campaign import CampaignResult
from airlink.scenario import Scenario
from airlink.statistics import Estimate, jain_index, mean_interval, paired_difference, paired_ratio

Floats = NDArray[np.float64]

RECORD = ("timeouts",)
"""The series that initial timeouts are identified by."""

HOLD: Mapping[str, str] = {"experimental.hold_timeouts": "initial"}
"""The control of Fig. 3(b) (chosen): in the initial slow start the timer is armed again while the oldest segment, or
its ACK, is still to come; nothing else of TCP changes."""


def held(scenario: Scenario) -> Scenario:
    """The same with spurious initial timeouts held."""
    return scenario.with_(**HOLD)


@dataclass(frozen=True)
class Outcome:
    """One setting; arrays are [seed, session], seeds in order.

    Attributes
    ----------
    goodput_bps : over the whole run.
    initial : initial timeouts of each session.
    repeated : timeouts for the same segment right after an initial one.
    timeouts, spurious : all of the session's timeouts; of these, those whose segment was not lost.
    """

    goodput_bps: Floats
    initial: Floats
    repeated: Floats
    timeouts: Floats
    spurious: Floats

    @classmethod
    def of(cls, result: CampaignResult, label: str) -> Outcome:
        """Of a setting of a campaign that recorded `RECORD`."""
        return cls(
            *(
                result.flows(label, column)
                for column in (
                    "goodput_bps",
                    "initial_timeouts",
                    "initial_timeouts_repeated",
                    "timeouts",
                    "spurious_timeouts",
                )
            )
        )

    @property
    def sessions(self) -> int:
        """How many there are in a run."""
        return int(self.goodput_bps.shape[1])

    @property
    def timed_out(self) -> Floats:
        """Array [seed]: sessions with an initial timeout."""
        return np.asarray(np.sum(self.initial > 0, axis=1), dtype=float)

    @property
    def jain(self) -> Floats:
        """Array [seed]: Jain's index of the sessions' goodputs, 1/sessions..1."""
        return jain_index(self.goodput_bps)

    @property
    def kbps(self) -> Floats:
        """Array [seed]: sum of the sessions' goodputs, kb/s."""
        return np.asarray(np.sum(self.goodput_bps, axis=1) / 1e3)


@dataclass(frozen=True)
class Pair:
    """A setting as it is and with initial timeouts held, on the same seeds."""

    normal: Outcome
    held: Outcome

    @classmethod
    def of(cls, result: CampaignResult, label: str) -> Pair:
        """Of a campaign that ran `pair_of(label, ...)`."""
        return cls(Outcome.of(result, label), Outcome.of(result, held_label(label)))

    @property
    def timed_out(self) -> Estimate:
        """Sessions with an initial timeout, nothing held."""
        return mean_interval(self.normal.timed_out)

    @property
    def fairer(self) -> Estimate:
        """How much larger Jain's index is when timeouts are held, paired by seed."""
        return paired_difference(self.held.jain, self.normal.jain)

    @property
    def faster(self) -> Estimate:
        """Throughput held / as it is, paired by seed."""
        return paired_ratio(self.held.kbps, self.normal.kbps)


def pair_of(label: str, scenario: Scenario) -> dict[str, Scenario]:
    """Label -> scenario: as it is and held."""
    return {label: scenario, held_label(label): held(scenario)}


def held_label(label: str) -> str:
    """The label of a setting with timeouts held."""
    return f"{label}, held"
