"""The table of docs/trust.md: every figure stands in the section that it links to, every test and command exists."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from airlink.study import study_names
from airlink_site.markdown import parts, slug

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
VERDICTS = ("agrees", "agrees in part", "differs", "not checked")
LINK = re.compile(r"\[([^\]]*)\]\(([^)#]+)(?:#([^)]+))?\)")
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)*(?: \d{3}(?!\d))*")


class Row(NamedTuple):
    """A row of the table, its cells as they are written."""

    what: str
    verdict: str
    compared: str
    close: str
    repeat: str


def rows(text: str) -> list[Row]:
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [Row(*(cell.strip() for cell in line.strip("|").split("|"))) for line in lines[2:]]


TABLE = rows((DOCS / "trust.md").read_text())


@cache
def section(page: str, anchor: str) -> str:
    """The text below a heading up to the next one of its rank, on one line.

    Raises
    ------
    KeyError : there is no such heading.
    """
    found = {slug(words): text for words, text in parts((DOCS / page).read_text()).items()}
    if anchor not in found:
        raise KeyError(f"{page} has no heading #{anchor}")
    return " ".join(found[anchor].split())


def missing(row: Row) -> list[str]:
    """The numbers of a row's figure that its section does not have."""
    link = LINK.search(row.close)
    assert link is not None, row
    said = LINK.sub(r"\1", row.close)
    there = section(link[2], link[3]) if link[3] else (DOCS / link[2]).read_text()
    return [number for number in NUMBER.findall(said) if not stands_in(number, there)]


def stands_in(number: str, text: str) -> bool:
    return re.search(rf"(?<![\d.]){re.escape(number)}(?!\d|\.\d)", text) is not None


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.what[:40])
def test_every_figure_stands_in_the_section_that_it_links_to(row: Row) -> None:
    assert missing(row) == []


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.what[:40])
def test_every_row_has_a_verdict_and_says_why_it_does_not_agree(row: Row) -> None:
    found = re.match(r"\*\*([a-z ]+)\*\*(?:: (.+))?$", row.verdict)
    assert found is not None
    assert found[1] in VERDICTS
    if found[1] == "differs":
        assert found[2]
    if found[1] != "not checked":
        assert row.compared
        assert row.repeat


def test_the_tests_and_commands_that_repeat_a_row_exist() -> None:
    proofs = re.findall(r"^(\w+)\(\) \{", (ROOT / "tests/validate").read_text(), re.MULTILINE)
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    checked = 0
    for row in TABLE:
        for words in re.findall(r"`([^`]+)`", row.repeat):
            if words.startswith(("tests/", "crates/")):
                assert (ROOT / words).exists(), words
            elif part := re.fullmatch(r"make validate PART=(\w+)", words):
                assert part[1] in proofs, words
            elif study := re.fullmatch(r"airlink reproduce (\S+)", words):
                assert study[1] in study_names(), words
            elif target := re.fullmatch(r"make (\S+)", words):
                assert target[1] in targets, words
            elif module := re.search(r"python -m (\S+)", words):
                place = ROOT / "tests" / module[1].replace(".", "/")
                assert place.with_suffix(".py").is_file() or place.is_dir(), words
            else:
                assert words.startswith("cargo test -p airlink-"), words
            checked += 1
    assert checked >= 30


def test_the_table_says_what_does_not_hold_too() -> None:
    verdicts = [row.verdict for row in TABLE]
    assert sum(verdict.startswith("**differs") for verdict in verdicts) >= 8
    assert sum(verdict.startswith("**not checked") for verdict in verdicts) >= 3


def test_a_figure_that_its_section_lacks_is_seen() -> None:
    right = next(row for row in TABLE if "13.6 %" in row.close)
    assert missing(right) == []
    assert missing(right._replace(close=right.close.replace("13.6", "3.6"))) == ["3.6"]
    assert missing(right._replace(close=right.close.replace("13.6", "13"))) == ["13"]
    elsewhere = right._replace(close=right.close.replace("#findings", "#question"))
    assert "13.6" in missing(elsewhere)
    with pytest.raises(KeyError, match="no heading #nowhere"):
        missing(right._replace(close=right.close.replace("#findings", "#nowhere")))
