"""Claims: one function judges them all, and it can say yes, no and neither."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airlink.report import (
    Bounds,
    Claim,
    Statement,
    about,
    above,
    at_least,
    at_most,
    between,
    certain,
    exactly,
    judge,
    tally,
    write_claims,
)
from airlink.statistics import Estimate, mean_interval, paired_difference, paired_ratio

INF = math.inf


def estimate(low: float, high: float) -> Estimate:
    return Estimate((low + high) / 2, low, high, 50)


@pytest.mark.parametrize(
    ("low", "high", "holds"),
    [
        (1.07, 1.15, True),
        (1.05, 1.20, True),
        (1.21, 1.30, False),
        (0.90, 1.04, False),
        (1.00, 1.10, None),
        (1.15, 1.25, None),
        (1.00, 1.30, None),
    ],
)
def test_an_interval_inside_outside_or_across_gives_yes_no_and_neither(
    low: float, high: float, holds: bool | None
) -> None:
    assert judge(estimate(low, high), between("ratio", 1.05, 1.20)) is holds


@pytest.mark.parametrize(
    ("bounds", "low", "high", "holds"),
    [
        (above("x", 0), 0.0, 1.0, None),
        (at_least("x", 0), 0.0, 1.0, True),
        (above("x", 0), -1.0, 0.0, False),
        (at_least("x", 0), -1.0, 0.0, None),
        (at_most("x", 0), -1.0, 0.0, True),
        (at_most("x", 0), 0.1, 0.2, False),
    ],
)
def test_a_strict_bound_leaves_its_end_out(bounds: Bounds, low: float, high: float, holds: bool | None) -> None:
    assert judge(estimate(low, high), bounds) is holds


def test_infinities_are_values_like_others() -> None:
    assert judge(certain(-INF), exactly("F", -INF)) is True
    assert judge(certain(0.7), exactly("F", -INF)) is False
    assert judge(certain(INF), above("difference", 0)) is True
    assert judge(Estimate(1.0, -INF, INF, 1), above("ratio", 0)) is None, "one drop decides nothing"


def test_nothing_measured_is_undecided() -> None:
    assert judge(certain(math.nan), above("x", 0)) is None


@given(
    low=st.floats(-10, 10),
    width=st.floats(0, 5),
    start=st.floats(-10, 10),
    length=st.floats(0, 5),
)
def test_the_verdict_is_that_of_every_value_in_the_interval(
    low: float, width: float, start: float, length: float
) -> None:
    bounds = between("x", low, low + width)
    verdict = judge(Estimate(start, start, start + length, 2), bounds)
    inside = [bounds.holds_at(start + share * length) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    if verdict is True:
        assert all(inside)
    elif verdict is False:
        assert not any(inside)


@pytest.mark.parametrize(
    ("bounds", "text"),
    [
        (between("ratio", 1.05, 1.20), "1.05 <= ratio <= 1.2"),
        (about("kB/s", 100.0), "85 <= kB/s <= 115"),
        (above("difference", 0), "difference > 0"),
        (at_least("cases", 1), "cases >= 1"),
        (at_most("change", 0.05), "change <= 0.05"),
        (exactly("F", -INF), "F == -inf"),
        (Bounds("x", 0, 1, low_open=True, high_open=True), "0 < x < 1"),
    ],
)
def test_the_predicate_states_the_bounds_in_numbers(bounds: Bounds, text: str) -> None:
    assert bounds.predicate == text


def test_bounds_the_wrong_way_round_are_refused() -> None:
    with pytest.raises(ValueError, match="the bounds of ratio"):
        between("ratio", 2.0, 1.0)


def test_a_claim_keeps_the_statement_the_numbers_and_the_verdict() -> None:
    ratio = paired_ratio([11.0, 11.2, 10.9, 11.1], [10.0, 10.1, 9.9, 10.0])
    claim = Statement("001-2a", "TCP-PF carries more", 1.118).against(ratio, between("ratio", 1.05, 1.2), "K3")
    assert (claim.id, claim.paper, claim.holds, claim.verdict) == ("001-2a", 1.118, True, "holds")
    assert claim.ci95 is not None
    assert claim.ci95[0] < claim.measured < claim.ci95[1]


def claims() -> list[Claim]:
    order = paired_difference([2.0, 3.0, 4.1], [1.0, 2.0, 3.0])
    return [
        Statement("1a", "a > b", "more").against(order, above("a - b", 0), "P"),
        Statement("1b", "F is minus infinity", -INF).against(mean_interval([1.0, -INF]), exactly("F", -INF), "P"),
        Statement("1c", "no gain").against(certain(math.nan), above("x", 0), "P"),
        Statement("1d", "b > a", 1.0).against(order, at_most("a - b", 0), "P"),
    ]


def test_claims_json_is_valid_json_with_all_three_verdicts(tmp_path: Path) -> None:
    path = write_claims(claims(), tmp_path / "claims.json")

    def refused(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    records = json.loads(path.read_text(), parse_constant=refused)
    assert [set(record) for record in records] == [
        {"id", "claim", "paper", "measured", "ci95", "predicate", "holds", "profile"}
    ] * 4
    assert [record["holds"] for record in records] == [True, True, None, False]
    assert records[1]["measured"] == records[1]["paper"] == "-inf"
    assert records[1]["ci95"] is None
    assert records[2]["measured"] == "nan"
    assert records[2]["paper"] is None


def test_two_claims_with_one_id_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="different ids"):
        write_claims([*claims(), claims()[0]], tmp_path / "claims.json")


def test_the_tally_counts_every_verdict() -> None:
    assert tally(claims()) == "2 of 4 claims hold, 1 does not, 1 is undecided"
    assert tally([*claims(), *claims()]) == "4 of 8 claims hold, 2 do not, 2 are undecided"
    assert tally([]) == "0 of 0 claims hold, 0 do not, 0 are undecided"
