"""docs/validation.md says what airlink does today."""

from __future__ import annotations

import re

import pytest

from . import page


@pytest.mark.thorough
def test_the_page_is_what_comes_out_now() -> None:
    text = page.PAGE.read_text()
    assert sorted(re.findall(r"<!-- table (\w+) -->", text)) == sorted(page.TABLES)
    assert page.filled(text) == text, "make docs writes the tables anew"


def test_a_table_that_is_older_than_the_engine_is_seen() -> None:
    text = "<!-- table versions -->\n\n| once |\n\n<!-- end -->\n"
    assert page.filled(text) != text
    assert page.filled(page.filled(text)) == page.filled(text)


def test_what_breaks_a_bound_is_named() -> None:
    counts = {"timeouts": (1, 1)}
    assert page.verdict(0.02, counts, (3, 3), 1.0) == "holds"
    assert page.verdict(0.0201, counts, (3, 3), 1.0) == "does not hold: goodput"
    assert page.verdict(0.0, {"timeouts": (1, 2)}, (3, 3), 1.0) == "does not hold: timeouts"
    assert page.verdict(0.0, counts, (3, 4), 9.0) == "does not hold: number of recoveries"
    assert page.verdict(0.0, counts, (3, 3), 1.01) == "does not hold: begin of recoveries"


def test_every_difference_is_explained() -> None:
    text = page.PAGE.read_text()
    explained = text[text.index("## Where it does not hold") :]
    rows = [row for row in text.splitlines() if "| does not hold" in row]
    names = {row.split("|")[1].strip().strip("`") for row in rows}
    assert names
    assert [name for name in names if f"`{name}`" not in explained] == []
