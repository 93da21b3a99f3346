"""airlink beside ns-2.35: the tables that it left, and, where `ns` is installed, the tables made again."""

from __future__ import annotations

import os

import pytest

from . import airlink_side, oracle
from .cases import CASES, Case
from .oracle import Outcome
from .random_cases import random_cases

COMPARED = [pytest.param(case, id=case.name) for case in CASES if not case.linux]
ASKED = [
    pytest.param(case, id=case.name, marks=() if case.duration_s <= 3.0 else pytest.mark.validate) for case in CASES
]
"""The short ones each time, all of them by `make validate`."""
SAME_TIME_S = 2e-5
"""ns-2 writes microseconds, and its ACKs with SACK are 4 bytes shorter than real ones: 32 ns on these wires."""
RANDOM, SAME_OF_RANDOM = 60, 55
RANDOM_TIME_S = 5e-5
"""Small differences of ACKs with SACK add up over a long run."""


@pytest.mark.parametrize("case", COMPARED)
def test_the_same_packets_leave_at_the_same_times(case: Case) -> None:
    kept = oracle.kept(case)
    ours = airlink_side.run(case, kept.clock_ahead_s)
    assert [packet for _, packet in ours.transmissions] == [packet for _, packet in kept.transmissions]
    assert_same_times(tuple(time for time, _ in ours.transmissions), tuple(time for time, _ in kept.transmissions))
    if case.is_chaotic:
        assert total(ours) == pytest.approx(total(kept), rel=0.01)
    else:
        assert ours.flows == kept.flows
        assert_same_times(ours.timeouts_s, kept.timeouts_s)
        assert_same_times(ours.fast_retransmits_s, kept.fast_retransmits_s)


def test_the_cubic_of_linux_2_6_comes_near_ours() -> None:
    case = next(case for case in CASES if case.linux)
    kept = oracle.kept(case)
    assert total(airlink_side.run(case, kept.clock_ahead_s)) == pytest.approx(total(kept), rel=0.02)


@pytest.mark.parametrize("case", ASKED)
def test_ns_2_makes_the_table_again(case: Case) -> None:
    """`NS2=renew` writes the tables anew."""
    if not oracle.is_installed():
        pytest.skip("ns-2 is not installed (Debian: ns2)")
    outcome = oracle.run(case)
    if os.environ.get("NS2") == "renew":
        oracle.keep(case, outcome)
    assert outcome == oracle.kept(case)


@pytest.mark.validate
def test_random_experiments_agree_packet_by_packet() -> None:
    """All packets of 12 s, their times and the counts; where events meet in a nanosecond ns-2's rounding decides."""
    if not oracle.is_installed():
        pytest.skip("ns-2 is not installed (Debian: ns2)")
    others = []
    for case in random_cases(1, RANDOM):
        theirs = oracle.run(case)
        if not is_the_same(airlink_side.run(case, theirs.clock_ahead_s), theirs):
            others.append(case)
    assert len(others) <= RANDOM - SAME_OF_RANDOM, others


def is_the_same(ours: Outcome, theirs: Outcome) -> bool:
    """Packets, times and counts."""
    pairs = zip(ours.transmissions, theirs.transmissions, strict=False)
    return ours.flows == theirs.flows and all(
        packet == other and abs(time - at) < RANDOM_TIME_S for (time, packet), (at, other) in pairs
    )


def assert_same_times(ours: tuple[float, ...], theirs: tuple[float, ...]) -> None:
    assert len(ours) == len(theirs)
    late = [(our, their) for our, their in zip(ours, theirs, strict=True) if abs(our - their) > SAME_TIME_S]
    assert not late, f"first at {late[0]}"


def total(outcome: Outcome) -> int:
    return sum(flow.in_order for flow in outcome.flows)
