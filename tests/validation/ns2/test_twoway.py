"""Connections with data both ways beside ns-2's FullTcp: the plain reference, and the tables made again.

The engine's endpoints are held against the same tables in crates/model/tests/ns2_both_ways.
"""

from __future__ import annotations

import os

import pytest

from . import oracle, twoway
from .plain_side import Plain
from .twoway import CASES, ENDS, Case, End, Sent

SAME_TIME_S = 1.5e-6
"""ns-2 writes microseconds, rounded."""
PLAIN = ("requests", "requests-delayed", "both-ways", "both-ways-delayed", "marks", "marks-both-ways")


def by_name(name: str) -> Case:
    return next(case for case in CASES if case.name == name)


def of(sent: list[Sent], end: End) -> list[Sent]:
    return [one for one in sent if one.end == end]


def without_second_ack(client: list[Sent]) -> list[Sent]:
    """FullTcp acknowledges the SYN of the server twice at once: its flag "ACK now" is still set after the first."""
    assert client[1] == client[2]
    return client[:2] + client[3:]


@pytest.mark.parametrize("name", PLAIN)
def test_the_plain_reference_sends_each_segment_that_ns_2_sends_when_it_does(name: str) -> None:
    case = by_name(name)
    kept, ours = twoway.kept(case), Plain(case).run()
    for end in ENDS:
        theirs = of(kept, end) if end == "server" else without_second_ack(of(kept, end))
        own = of(ours, end)
        assert [one[1:] for one in own] == [one[1:] for one in theirs]
        assert [one.time_s for one in own] == pytest.approx([one.time_s for one in theirs], rel=0, abs=SAME_TIME_S)


@pytest.mark.parametrize("name", ["both-ways", "both-ways-delayed"])
def test_acks_ride_on_data_both_ways(name: str) -> None:
    """Each segment of data acknowledges; delayed ACKs leave half of the pure ones and less."""
    for end in ENDS:
        own = of(twoway.kept(by_name(name)), end)
        assert all("A" in one.flags for one in own if one.length)
    pure = [sum(not one.length for one in twoway.kept(by_name(case))) for case in ("both-ways", "both-ways-delayed")]
    assert pure[1] < pure[0] / 2


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
def test_ns_2_makes_the_table_again(case: Case) -> None:
    """`NS2=renew` writes the tables anew."""
    if not oracle.is_installed():
        pytest.skip("ns-2 is not installed (Debian: ns2)")
    sent = twoway.run(case)
    if os.environ.get("NS2") == "renew":
        twoway.keep(case, sent)
    assert sent == twoway.kept(case)
