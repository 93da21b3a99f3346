"""The second accounting: known answers, and that it leaves no time out."""

from __future__ import annotations

from itertools import pairwise

import pytest

import airlink
from airlink.result import Result
from explain_cases import Case, cases
from limit_oracle import SERIES, accounted, seconds

CASES = list(cases())


def recorded(case: Case, *more: str) -> Result:
    """The case, with the series that the second accounting reads."""
    kinds = [kind for kind in SERIES if case.scenario.bottleneck is None or kind != "slots"]
    return airlink.run(case.scenario, record=[*kinds, *more])


@pytest.mark.thorough
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_known_to_hold_a_flow_back_has_its_share(case: Case) -> None:
    held = seconds(accounted(recorded(case), case.flow))
    whole = sum(held.values())
    for cause, (least, most) in case.shares.items():
        assert least <= held.get(cause, 0) / whole <= most, held


@pytest.mark.parametrize("case", CASES[::4], ids=lambda case: case.name)
def test_the_pieces_are_the_whole_time_without_gaps(case: Case) -> None:
    pieces = accounted(recorded(case), case.flow)
    assert pieces[0][0] == 0
    assert pieces[-1][1] == round(case.scenario.duration_s * 1e9)
    assert all(before[1] == after[0] and before[2] != after[2] for before, after in pairwise(pieces))
