"""Pages of studies: the findings with which they begin, and their words without what a run decides.

A quick run has other numbers, and fewer intervals and settings than the whole one that a page shows; its sentences are
the same.
"""

from __future__ import annotations

import re
from pathlib import Path

STUDIES = Path(__file__).parent.parent / "docs/studies"
INTERVAL, BRACKETS = re.compile(r"\s*(?:\[[^\]]*\]|± \S+)"), re.compile(r"\s*\([^()]*(?:\([^()]*\)[^()]*)*\)")
NUMBER = re.compile(r"[-+]?\d[\d.]*(?: \d{3}\b)?")


def findings_of(study: str) -> list[str]:
    """The findings of a study's page, each in one line, without its bold words."""
    page = (STUDIES / f"{study}.md").read_text(encoding="utf-8")
    section = page.partition("## Findings\n")[2].partition("\n## ")[0]
    items = re.split(r"^\d\. ", section, flags=re.MULTILINE)[1:]
    return [" ".join(item.partition("\n\n")[0].replace("**", "").split()) for item in items]


def words_of(finding: str) -> str:
    """A finding without its verdict, intervals, brackets and numbers.

    >>> words_of("It carries 13.6 [8.7, 18.9] % more (paper: 11.8), 10 000 times. Verdict: holds (claim 001-2a).")
    'It carries # % more, # times.'
    """
    sentence = finding.partition(" Verdict: ")[0]
    return NUMBER.sub("#", BRACKETS.sub("", INTERVAL.sub("", sentence)))
