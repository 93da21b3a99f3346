"""A cell searched for what Figs 2 and 3 show: a timeout under PF that no loss caused, none under TCP-PF.

Same realization, same seed, same user: only the scheduler differs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airlink.campaign import Columns
from airlink_studies.tcp_pf.measures import Outcome
from airlink_studies.tcp_pf.setting import DURATION_S

CWND_TIMEOUT = 3
PAPER_GAP_S = 2.0
"""The paper's example waits about 2 s for a slot."""
PAPER_OUTSTANDING = 95.0
"""Its timeout finds packets 176 to 270 outstanding."""
MANY, ABOUT_S = 80.0, (1.5, 2.5)
"""Packets outstanding and seconds of silence that count as like the paper's example (chosen after a run)."""
LATEST_TIMEOUT_S = DURATION_S - 10.0
"""What follows the timeout is part of the example: the paper's picture goes on for 10 s."""


@dataclass(frozen=True)
class Case:
    """A user of a realization with a spurious timeout under PF and no timeout at all under TCP-PF."""

    seed: int
    user: int
    longest_gap_slots: float
    timeouts: int


@dataclass(frozen=True)
class Search:
    """All such cases.

    Attributes
    ----------
    cases : in the order of realizations and users.
    users : users searched, over all realizations.
    pf, tcp_pf : the cell's outcomes.
    """

    cases: Sequence[Case]
    users: int
    pf: Outcome
    tcp_pf: Outcome

    @property
    def seeds(self) -> tuple[int, ...]:
        """The realizations that have a case."""
        return tuple(dict.fromkeys(case.seed for case in self.cases))


def search(pf: Outcome, tcp_pf: Outcome, seeds: Sequence[int]) -> Search:
    """Finds every case.

    Every timeout of the user under PF must be spurious: a lost segment must not be what the picture shows.
    """
    found = (pf.spurious_timeouts > 0) & (pf.timeouts == pf.spurious_timeouts) & (tcp_pf.timeouts == 0)
    cases = [
        Case(
            seed=seeds[drop],
            user=int(user),
            longest_gap_slots=float(pf.longest_gap_slots[drop, user]),
            timeouts=int(pf.timeouts[drop, user]),
        )
        for drop, user in np.argwhere(found)
    ]
    return Search(cases, found.size, pf, tcp_pf)


@dataclass(frozen=True)
class Examples:
    """What a cell has of Fig. 2's example.

    Attributes
    ----------
    search : the cell's cases.
    alike : users with a timeout that finds at least `MANY` packets outstanding after a silence within `ABOUT_S`.
    nearest : the case most like the paper's, by what a timeout finds outstanding and by the silence around it, and that
        timeout; None without any case.
    """

    search: Search
    alike: int
    nearest: tuple[Case, Timeout] | None

    @property
    def distance(self) -> float:
        """How far the nearest timeout is from the paper's; infinite without one."""
        return math.inf if self.nearest is None else _distance(self.nearest[1])


def examples(found: Search, windows: Mapping[int, Columns], mss_bytes: int) -> Examples:
    """Reads the timeouts of all cases.

    Parameters
    ----------
    found : the cases of a cell.
    windows : seed -> the "cwnd" series of that realization under PF.
    mss_bytes : payload of a packet.
    """
    struck = [
        (case, each)
        for case in found.cases
        for each in timeouts(windows[case.seed], case.user, mss_bytes)
        if each.time_s <= LATEST_TIMEOUT_S
    ]
    low_s, high_s = ABOUT_S
    alike = {case for case, each in struck if each.outstanding >= MANY and low_s <= each.silence_s <= high_s}
    return Examples(found, len(alike), min(struck, key=lambda one: _distance(one[1]), default=None))


def _distance(timeout: Timeout) -> float:
    return _ratio(timeout.outstanding, PAPER_OUTSTANDING) + _ratio(timeout.silence_s, PAPER_GAP_S)


def _ratio(ours: float, paper: float) -> float:
    """How many times ours is larger or smaller, as a logarithm."""
    return abs(math.log(ours / paper))


@dataclass(frozen=True)
class Timeout:
    """A timeout: when, packets outstanding, and the time between the ACKs before and after it."""

    time_s: float
    outstanding: float
    silence_s: float


def timeouts(window: Columns, flow: int, mss_bytes: int) -> list[Timeout]:
    """The timeouts of a flow that come after an ACK and before another; Reno halves what it finds outstanding."""
    own = window["flow"] == flow
    time_s, event, ssthresh = window["time_s"][own], window["event"][own], window["ssthresh_bytes"][own]
    acks = time_s[event != CWND_TIMEOUT]
    found = []
    for at, half in zip(time_s[event == CWND_TIMEOUT], ssthresh[event == CWND_TIMEOUT], strict=True):
        before, after = acks[acks < at], acks[acks > at]
        if before.size and after.size:
            found.append(Timeout(float(at), 2 * float(half) / mss_bytes, float(after[0] - before[-1])))
    return found
