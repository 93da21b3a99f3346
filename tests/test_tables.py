"""A table of numpy columns, by itself, and what is declared of the tables of a result."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import generate_tables
from airlink import Table
from airlink.explain import CAUSES
from airlink.result import columns
from airlink.tables import DELIVERED, DROP_REASONS, SERIES, TABLES, WAITING
from airlink.tables.units import rate_unit


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
    assert rate_unit(rates_bps) == expected


def test_a_unit_stands_beside_every_column_that_a_result_stores() -> None:
    assert columns.meaning_of("users", "goodput_bps")[0] == "b/s"
    assert columns.meaning_of("prices", "price_s_per_byte")[0] == "s/B"
    assert columns.meaning_of("flows", "seed") == ("", "the seed of that run")
    assert columns.meaning_of("flows", "unknown") == columns.meaning_of("unknown", "flow") == ("", "")


@pytest.mark.parametrize("path", generate_tables.files(), ids=lambda path: path.name)
def test_what_is_generated_is_what_the_engine_declares(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == generate_tables.files()[path], "stale; run: make generate"


def test_every_column_and_code_of_a_table_is_declared_once() -> None:
    for table in TABLES:
        names = [column.name for column in table.columns]
        assert sorted(set(names)) == sorted(names), table.name
    reasons = {reason.fate: reason.label for reason in DROP_REASONS}
    assert SERIES["packets"].codes("fate") == {**reasons, DELIVERED: "delivered", WAITING: "none yet as the run ended"}
    assert SERIES["limits"].codes("cause") == {cause.code: cause.name for cause in CAUSES}
