"""The lossless variant searched for what Figs 2 and 3 show: a timeout under PF that no loss caused, none under TCP-PF.

Same drop, same seed, same user: only the scheduler differs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airlink.execute import Columns
from airlink.result import Result, Table
from airlink.studies.tcp_pf.measures import Outcome

CWND_TIMEOUT = 3
PAPER_GAP_SLOTS = 400.0
"""The paper's example waits about 2 s for a slot: 400 slots of 5 ms."""
PAPER_OUTSTANDING = 95.0
"""Its timeout finds packets 176 to 270 outstanding."""


@dataclass(frozen=True)
class Case:
    """A user of a drop with a spurious timeout under PF and no timeout at all under TCP-PF."""

    seed: int
    user: int
    longest_gap_slots: float
    timeouts: int


@dataclass(frozen=True)
class Search:
    """All such cases.

    Attributes
    ----------
    cases : in the order of drops and users.
    users : users searched, over all drops.
    pf, tcp_pf : the lossless variant's outcomes.
    """

    cases: Sequence[Case]
    users: int
    pf: Outcome
    tcp_pf: Outcome

    @property
    def seeds(self) -> tuple[int, ...]:
        """The drops that have a case."""
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


def example(cases: Sequence[Case], windows: Mapping[int, Columns], mss_bytes: int) -> Case:
    """The case most like the paper's example: nearest to its gap and to what its timeout found outstanding.

    Parameters
    ----------
    cases : at least one.
    windows : seed -> the "cwnd" series of that drop under PF.
    mss_bytes : payload of a packet.
    """

    def distance(case: Case) -> float:
        found = outstanding(windows[case.seed], case.user, mss_bytes)
        gap = case.longest_gap_slots / PAPER_GAP_SLOTS
        return abs(found / PAPER_OUTSTANDING - 1) + abs(gap - 1)

    return min(cases, key=distance)


def outstanding(window: Columns, flow: int, mss_bytes: int) -> float:
    """The most packets that a timeout of the flow found outstanding: Reno sets ssthresh to half of them."""
    timeouts = (window["flow"] == flow) & (window["event"] == CWND_TIMEOUT)
    return 2 * float(np.max(window["ssthresh_bytes"][timeouts], initial=0.0)) / mss_bytes


@dataclass(frozen=True)
class Trace:
    """One user's TCP connection and slots, for a picture: times in s, windows and indices in packets.

    Attributes
    ----------
    cwnd : columns time_s, cwnd_bytes, event, of the flow.
    packets : columns sent_s, sequence, retransmission.
    acks : columns time_s, number.
    slots : columns time_s, error, of the user's slots.
    mss_bytes : payload of a packet.
    receiver_window_bytes : most that may be outstanding.
    """

    cwnd: Table
    packets: Table
    acks: Table
    slots: Table
    mss_bytes: int
    receiver_window_bytes: int


RECORD = ("slots", "packets", "acks", "cwnd")


def trace(result: Result, user: int) -> Trace:
    """The user's series from a result recorded with `RECORD`; flow and user have the same number."""
    cwnd, packets, acks = (result.series(kind) for kind in ("cwnd", "packets", "acks"))
    slots = result.series("slots")
    return Trace(
        cwnd=cwnd.where(cwnd["flow"] == user),
        packets=packets.where(packets["flow"] == user),
        acks=acks.where(acks["flow"] == user),
        slots=slots.where(slots["user"] == user),
        mss_bytes=result.scenario.flows[0].tcp.mss_bytes,
        receiver_window_bytes=result.scenario.flows[0].tcp.receiver_window_bytes,
    )
