"""What comes back as another packet leaves: ns-2's rounding decides, and docs/validation-ns2.md works it out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from validation.ns2 import airlink_side, oracle
from validation.ns2.case import Agent, Case

PAGE = Path(__file__).parents[3] / "docs/validation-ns2.md"

TIE = Case(
    "tie",
    "a packet is back at the queue 21 transmissions after its own",
    rate_bps=0.8e6,
    delay_ms=100.0,
    limit_packets=20,
    access_bps=8e6,
    access_ms=(5.0,),
    return_bps=8e6,
    return_ms=(101.92,),
    window_packets=50,
    duration_s=60.0,
    keep=6000,
)


def test_a_double_comes_before_and_after_itself() -> None:
    """The queue adds one time again and again, the packet's way the sum of each wire."""
    sending_s, access_s, return_s = 8320 / 0.8e6, 8320 / 8e6, 320 / 8e6
    begun = [0.00604]
    for _ in range(1000):
        begun.append(begun[-1] + sending_s)
    back = [((time + (sending_s + 0.1)) + (return_s + 0.10192)) + (access_s + 0.005) for time in begun[:900]]
    leaves = begun[21:921]
    signs = [(came > left) - (came < left) for came, left in zip(back, leaves, strict=True)]
    assert [signs.count(-1), signs.count(1), signs.count(0)] == [367, 524, 9]
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"| {back[row]!r} | {leaves[row]!r} |" in page for row in (0, 8, 9))


@pytest.mark.validate
@pytest.mark.parametrize("agent", ["Tahoe", "Reno", "Newreno"])
def test_neither_order_is_that_of_ns_2(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    if not oracle.is_installed():
        pytest.skip("ns-2 is not installed (Debian: ns2)")
    case = replace(TIE, agent=agent)
    theirs = oracle.run(case)
    told = [f"{theirs.flows[0].in_order}, {theirs.flows[0].retransmissions}"]
    for first in (False, True):
        monkeypatch.setattr(airlink_side, "arrivals_come_first", lambda _case, first=first: first)
        ours = airlink_side.run(case, theirs.clock_ahead_s)
        pairs = zip(ours.transmissions, theirs.transmissions, strict=False)
        other = next(index for index, (a, b) in enumerate(pairs) if a[1] != b[1] or abs(a[0] - b[0]) > 2e-5)
        told += [
            f"{ours.flows[0].in_order}, {ours.flows[0].retransmissions}",
            f"{other + 1}th, at {theirs.transmissions[other][0]:.2f} s",
        ]
    assert f"| {agent} | {' | '.join(told)} |" in PAGE.read_text(encoding="utf-8")
