"""Claims: direction and size get a verdict each, which can be yes, no and neither."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airlink.report import (
    Bounds,
    Claim,
    Printed,
    Statement,
    Verdict,
    about,
    above,
    at_least,
    at_most,
    between,
    certain,
    claims_sheet,
    exactly,
    judge,
    judge_size,
    tally,
    write_claims,
)
from airlink.statistics import Estimate, mean_interval, paired_difference, paired_ratio

INF = math.inf
HOLDS, FAILS, UNDECIDED = Verdict.HOLDS, Verdict.FAILS, Verdict.UNDECIDED


def estimate(low: float, high: float) -> Estimate:
    return Estimate((low + high) / 2, low, high, 50)


@pytest.mark.parametrize(
    ("low", "high", "holds"),
    [
        (1.07, 1.15, HOLDS),
        (1.05, 1.20, HOLDS),
        (1.21, 1.30, FAILS),
        (0.90, 1.04, FAILS),
        (1.00, 1.10, UNDECIDED),
        (1.15, 1.25, UNDECIDED),
        (1.00, 1.30, UNDECIDED),
    ],
)
def test_an_interval_inside_outside_or_across_gives_yes_no_and_neither(low: float, high: float, holds: Verdict) -> None:
    assert judge(estimate(low, high), between("ratio", 1.05, 1.20)) is holds


@pytest.mark.parametrize(
    ("bounds", "low", "high", "holds"),
    [
        (above("x", 0), 0.0, 1.0, UNDECIDED),
        (at_least("x", 0), 0.0, 1.0, HOLDS),
        (above("x", 0), -1.0, 0.0, FAILS),
        (at_least("x", 0), -1.0, 0.0, UNDECIDED),
        (at_most("x", 0), -1.0, 0.0, HOLDS),
        (at_most("x", 0), 0.1, 0.2, FAILS),
    ],
)
def test_a_strict_bound_leaves_its_end_out(bounds: Bounds, low: float, high: float, holds: Verdict) -> None:
    assert judge(estimate(low, high), bounds) is holds


def test_infinities_are_values_like_others() -> None:
    assert judge(certain(-INF), exactly("F", -INF)) is HOLDS
    assert judge(certain(0.7), exactly("F", -INF)) is FAILS
    assert judge(certain(INF), above("difference", 0)) is HOLDS
    assert judge(Estimate(1.0, -INF, INF, 1), above("ratio", 0)) is UNDECIDED, "one realization decides nothing"


def test_nothing_measured_is_undecided() -> None:
    assert judge(certain(math.nan), above("x", 0)) is UNDECIDED


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
    if verdict is HOLDS:
        assert all(inside)
    elif verdict is FAILS:
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
    claim = Statement("001-2a", "TCP-PF carries more", Printed(1.104, 50)).against(ratio, above("ratio", 1), "K3")
    assert (claim.id, claim.direction, claim.size) == ("001-2a", HOLDS, HOLDS)
    assert (claim.holds, claim.verdict) == (True, "direction holds; size holds")
    assert claim.bound.startswith("ratio > 1; 1.104 in 1.0")
    assert claim.ci95 is not None
    assert claim.ci95[0] < claim.measured < claim.ci95[1]


def claims() -> list[Claim]:
    order = paired_difference([2.0, 3.0, 4.1], [1.0, 2.0, 3.0])
    return [
        Statement("1a", "a > b", "more").against(order, above("a - b", 0), "P"),
        Statement("1b", "F is minus infinity", -INF).against(mean_interval([1.0, -INF]), exactly("F", -INF), "P"),
        Statement("1c", "no gain").against(certain(math.nan), above("x", 0), "P"),
        Statement("1d", "b > a", Printed(9.0, 3)).against(order, at_most("a - b", 0), "P"),
    ]


def test_claims_json_is_valid_json_with_all_three_verdicts(tmp_path: Path) -> None:
    path = write_claims(claims(), tmp_path / "claims.json")

    def refused(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    records = json.loads(path.read_text(), parse_constant=refused)
    assert [set(record) for record in records] == [
        {"id", "claim", "paper", "paper_drops", "measured", "ci95", "predicted95", "bound", "direction", "size"}
        | {"holds", "after_run", "profile"}
    ] * 4
    assert [record["holds"] for record in records] == [True, True, None, False]
    assert [record["direction"] for record in records] == ["holds", None, "undecided", "does not hold"]
    assert [record["size"] for record in records] == [None, "holds", None, "does not hold"]
    assert (records[3]["paper"], records[3]["paper_drops"]) == (9.0, 3)
    assert records[1]["measured"] == records[1]["paper"] == "-inf"
    assert records[1]["ci95"] is None
    assert records[2]["measured"] == "nan"
    assert records[2]["paper"] is None


def test_two_claims_with_one_id_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="different ids"):
        write_claims([*claims(), claims()[0]], tmp_path / "claims.json")


def test_the_tally_counts_direction_and_size_apart() -> None:
    direction = "1 of 3 directions holds, 1 does not, 1 is undecided"
    size = "1 of 2 sizes holds, 1 does not"
    assert tally(claims()) == f"{direction}; {size}"
    assert tally([]) == "No claims"


def test_the_tally_sets_bounds_that_were_changed_after_a_run_apart() -> None:
    late = Statement("1e", "a > b, as seen", after_run=True).against(certain(1.0), above("a - b", 0), "P")
    text = tally([*claims(), late])
    assert text.startswith(tally(claims()))
    assert text.endswith(". Apart, bounds set or changed after a run: 1 of 1 direction holds")
    assert tally([late]).startswith("Bounds set or changed after a run: 1 of 1 direction holds")


RATIO = estimate(1.08, 1.16)
"""50 realizations: 1.12 with a confidence interval of +- 0.04, so a prediction of +- 0.057 for 50 "
"realizations, +- 0.286 for one."""


@pytest.mark.parametrize(
    ("printed", "verdict"),
    [
        (Printed(1.176, 50), HOLDS),
        (Printed(1.178, 50), FAILS),
        (Printed(1.064, 50), HOLDS),
        (Printed(1.062, 50), FAILS),
        (Printed(1.178, 25), HOLDS),
        (Printed(1.18, 50, resolution=0.005), HOLDS),
        (Printed(1.40, 1), HOLDS),
        (Printed(1.41, 1), FAILS),
        (Printed(1.41, None), FAILS),
        (Printed(1.20, None), UNDECIDED),
        (Printed(1.15, None), HOLDS),
    ],
)
def test_a_printed_number_is_held_against_the_prediction_interval(printed: Printed, verdict: Verdict) -> None:
    assert judge_size(RATIO, printed) is verdict


def test_a_size_that_cannot_be_told_from_none_is_undecided() -> None:
    assert judge_size(RATIO, Printed(1.118, 1)) is HOLDS
    assert judge_size(RATIO, Printed(1.118, 1), above("ratio", 1)) is UNDECIDED
    assert judge_size(RATIO, Printed(1.118, 50), above("ratio", 1)) is HOLDS
    assert judge_size(Estimate(1.1, -INF, INF, 1), Printed(1.1, 50)) is UNDECIDED, "one realization decides nothing"


def test_direction_and_size_are_judged_apart() -> None:
    claim = Statement("1", "more", Printed(1.5, 50)).against(RATIO, above("ratio", 1), "P")
    assert (claim.direction, claim.size, claim.holds) == (HOLDS, FAILS, False)
    assert claim.verdict == "direction holds; size does not hold"
    assert claim.predicted95 == pytest.approx((1.12 - 0.04 * 2**0.5, 1.12 + 0.04 * 2**0.5))


def test_a_printed_number_has_no_other_two_sided_bound() -> None:
    with pytest.raises(ValueError, match="held against its prediction interval"):
        Statement("1", "about", Printed(1.1, 50)).against(RATIO, about("ratio", 1.1), "P")
    with pytest.raises(ValueError, match="neither a bound nor a printed number"):
        Statement("1", "about", 1.1).against(RATIO, None, "P")


def test_the_table_of_claims_has_words_bound_ours_and_verdict() -> None:
    late = Statement("1", "more", Printed(1.118, 50), after_run=True).against(RATIO, above("ratio", 1), "P")
    sheet = claims_sheet([late], "Claims")
    assert "tell no end" not in sheet.note
    few = claims_sheet([replace(late, ci95=(-math.inf, math.inf))], "Claims")
    assert few.rows[0][3].endswith(" [?, ?]")
    assert "tell no end" in few.note
    assert sheet.columns == ("id", "the paper", "bound", "ours", "verdict")
    assert sheet.rows == [
        (
            "1",
            "more (1.118, 50 realizations)",
            "ratio > 1; 1.118 in 1.0634 .. 1.1766",
            "1.120 [1.080, 1.160]",
            "direction holds; size holds*",
        )
    ]
    assert sheet.note.endswith("*: bound set or changed after a run.")
