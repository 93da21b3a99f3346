"""Coverage is what the tables say; the page has the tables; a wrong interval is seen."""

from __future__ import annotations

import math

import numpy as np
import pytest

from airlink.statistics import Estimate

from ..coverage_simulated import TABLES
from . import least, page, results_of
from .campaigns import PARTS, means
from .tally import Case, Coverage, read, spread, tally


@pytest.mark.validate
@pytest.mark.parametrize("part", PARTS)
def test_intervals_cover_as_often_as_the_table_says(part: str) -> None:
    stored = read(results_of(part))
    anew = list(PARTS[part].rows(PARTS[part].campaigns))
    assert [(row.case, row.method) for row in anew] == [(row.case, row.method) for row in stored]
    # The same draws; should a library draw others, both counts are off by one standard error each.
    assert [(now, was) for now, was in zip(anew, stored, strict=True) if not close(now, was)] == []


def close(now: Coverage, was: Coverage) -> bool:
    return abs(now.covered - was.covered) <= 4 * math.sqrt(2) * spread(min(was.covered, 0.999), was.campaigns)


@pytest.mark.parametrize("part", PARTS)
def test_every_part_of_the_table_has_all_its_campaigns(part: str) -> None:
    rows = read(results_of(part))
    assert rows
    assert {row.part for row in rows} == {part}
    assert min(row.campaigns for row in rows if "not called" not in row.method) == PARTS[part].campaigns >= 1000


def test_three_equal_arms_are_called_different_in_at_most_one_campaign_of_twenty() -> None:
    rows = [row for part in ("equal-means", "equal-quantiles") for row in read(results_of(part)) if row.replicas >= 20]
    assert len(rows) > 20
    # Above 95 %, but for three standard errors of the count.
    assert [row for row in rows if row.covered < 0.95 - 3 * spread(0.95, row.campaigns)] == []


def test_intervals_of_normal_means_and_their_differences_cover_93_to_97_percent() -> None:
    parts = ("means", "until", "until-others")
    rows = [row for part in parts for row in read(results_of(part)) if row.case.startswith("normal")]
    assert len(rows) > 10
    assert [row for row in rows if not 0.93 <= row.covered <= 0.97] == []


def test_the_page_has_every_table_as_it_is() -> None:
    text = page.PAGE.read_text()
    assert sorted(page.tables(text)) == sorted([page.LEAST, *PARTS, *TABLES])
    assert page.filled(text) == text, "PYTHONPATH=tests python -m validation.coverage.page writes the tables anew"


def test_an_old_table_is_seen() -> None:
    text = "<!-- table means -->\n\n| once |\n\n<!-- end -->\n"
    assert page.filled(text) != text
    assert page.filled(page.filled(text)) == page.filled(text)


def test_a_small_campaign_counts_what_its_intervals_hold() -> None:
    rows = [row for row in means(200) if row.case == "normal"]
    assert [row.replicas for row in rows] == [10, 20, 50, 100, 200, 400]
    # 200 campaigns: four standard errors of 0.015 either way.
    assert all(0.888 <= row.covered <= 1.0 for row in rows)
    assert all(row.covered + row.below + row.above == pytest.approx(1) for row in rows)


def test_as_many_replicas_are_called_enough_as_all_larger_numbers_confirm() -> None:
    def rows(*covered: float) -> list[Coverage]:
        return [Coverage("", "", "", 10.0 * 2**place, 1000, each, 0, 0, 0, 0) for place, each in enumerate(covered)]

    assert least.from_replicas(rows(0.94, 0.92, 0.93, 0.95)) == "40"
    assert least.from_replicas(rows(0.93)) == "10"
    assert least.from_replicas(rows(0.96, 0.929)) == "> 20"
    assert least.from_replicas([]) == ""


def test_intervals_that_miss_are_counted_on_their_side() -> None:
    estimates = [Estimate(0.0, low, low + 1, 5) for low in (-3.0, -0.5, 2.0, 3.0, -math.inf)]
    row = tally(Case("a", "b", "c"), 0.0, estimates)
    assert (row.covered, row.below, row.above, row.infinite) == (0.2, 0.4, 0.4, 0.2)
    assert (row.replicas, row.half_width) == (5, 0.5)
    assert spread(0.5, 100) == pytest.approx(0.05)
    assert np.isinf(tally(Case("a", "b", "c"), 0.0, [Estimate(0.0, -math.inf, math.inf, 5)]).half_width)
