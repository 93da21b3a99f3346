"""A table of numpy columns, by itself."""

from __future__ import annotations

import numpy as np
import pytest

from airlink import Table
from airlink.result import columns


def test_a_table_shows_itself_in_few_lines() -> None:
    table = Table({"user": np.arange(100), "share": np.full(100, 1 / 3)})
    text = repr(table)
    assert text.splitlines()[0] == "Table: 100 rows x 2 columns"
    assert "0.333333" in text
    assert len(text.splitlines()) < 20


def test_a_table_refuses_columns_of_unequal_length() -> None:
    with pytest.raises(ValueError, match="equal lengths"):
        Table({"a": [1], "b": [1, 2]})


@pytest.mark.parametrize(
    ("rates_bps", "expected"),
    [
        ([], (1e3, "kb/s")),
        ([0.0, 999_999.0], (1e3, "kb/s")),
        ([5.0, 1e6], (1e6, "Mb/s")),
        ([999_999_999.0], (1e6, "Mb/s")),
        ([1e9, 1.0], (1e9, "Gb/s")),
        ([2e6, np.nan, np.inf], (1e6, "Mb/s")),
    ],
)
def test_one_unit_suits_the_largest_of_some_rates(rates_bps: list[float], expected: tuple[float, str]) -> None:
    assert columns.rate_unit(rates_bps) == expected


def test_units_are_read_from_names() -> None:
    assert [columns.unit_of(name) for name in ("goodput_bps", "gap_square_mean_slots2", "rto_s", "timeouts")] == [
        "b/s",
        "slots^2",
        "s",
        "",
    ]
