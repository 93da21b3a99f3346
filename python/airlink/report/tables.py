"""Tables that people read: cells are text, made once, shown in a terminal of 80 columns and in a page.

Numbers for machines go to Parquet instead; a `Sheet` is only their rounded picture.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.table import Table as RichTable

from airlink.report.claims import Claim
from airlink.statistics import Estimate

LARGE = 1000
"""An end of an interval from which on a sentence has no decimals."""
AFTER_RUN = "*"
"""Marks a claim whose bound was set or changed after a run."""


@dataclass(frozen=True)
class Sheet:
    """A table of text.

    Attributes
    ----------
    title : one line.
    columns : headings; the first column is left-aligned, the others right-aligned.
    rows : cells, as many in each row as there are columns.
    note : a sentence below the table, may be empty.
    narrow : indices of the columns for a terminal, in its order; empty means all.
    left : indices of further columns that are left-aligned (sentences).
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    narrow: Sequence[int] = ()
    left: Sequence[int] = ()

    def __post_init__(self) -> None:
        wrong = [row for row in self.rows if len(row) != len(self.columns)]
        if wrong:
            raise ValueError(f"{self.title}: {len(self.columns)} columns, but a row is {list(wrong[0])}")

    def alignment(self, column: int) -> str:
        """`left` for words, `right` for numbers."""
        return "left" if column == 0 or column in self.left else "right"

    def to_rich(self) -> RichTable:
        """The table for a terminal, no wider than 80 columns."""
        shown = list(self.narrow) or list(range(len(self.columns)))
        table = RichTable(
            title=self.title, title_justify="left", title_style="bold", caption=self.note or None,
            caption_justify="left", box=None, pad_edge=False, padding=(0, 1), width=None,
        )  # fmt: skip
        for index in shown:
            alignment = self.alignment(index)
            table.add_column(
                self.columns[index],
                justify="left" if alignment == "left" else "right",
                overflow="fold",
                no_wrap=alignment == "right" or index == 0,
            )
        for row in self.rows:
            table.add_row(*(row[index] for index in shown))
        return table


def to_markdown(sheet: Sheet) -> str:
    """The terminal's columns of a table as Markdown, for a page of documentation.

    >>> print(to_markdown(Sheet("Rates", ("who", "kB/s"), [("RR", "111.4")])))
    | who | kB/s |
    | :--- | ---: |
    | RR | 111.4 |
    """
    shown = list(sheet.narrow) or list(range(len(sheet.columns)))
    marks = [":---" if sheet.alignment(index) == "left" else "---:" for index in shown]
    lines = [[sheet.columns[index] for index in shown], marks, *([row[index] for index in shown] for row in sheet.rows)]
    escaped = ([cell.replace("|", "\\|") for cell in cells] for cells in lines)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in escaped)


def claims_sheet(claims: Sequence[Claim], title: str) -> Sheet:
    """The one table of claims: id, the paper's words, bound, ours, verdict."""
    rows = []
    for claim in claims:
        ends = "" if claim.ci95 is None else f" [{', '.join(map(_end, claim.ci95))}]"
        verdict = claim.verdict + (AFTER_RUN if claim.after_run else "")
        rows.append((claim.id, _words(claim), claim.bound, number(claim.measured) + ends, verdict))
    note = (
        "The direction holds when our whole 95 % interval lies inside the bound, and does not when all of it lies "
        "outside. The size holds when the paper's number lies where the mean of as many realizations as the "
        "paper had falls "
        "with 95 %, given our realizations; without a number in the paper, by the bound's two ends. Else undecided."
    )
    if any(claim.after_run for claim in claims):
        note += f" {AFTER_RUN}: bound set or changed after a run."
    if any("?" in row[3] for row in rows):
        note += " ?: so few realizations tell no end."
    return Sheet(title, ("id", "the paper", "bound", "ours", "verdict"), rows, note, left=(1, 2, 3, 4))


def _words(claim: Claim) -> str:
    """The claim, with what the paper prints."""
    if claim.paper is None:
        return claim.claim
    return f"{claim.claim} ({number(claim.paper) if isinstance(claim.paper, (int, float)) else claim.paper})"


def _end(value: float) -> str:
    """An end of an interval of a claim: a question mark where too few realizations tell none."""
    return "?" if math.isinf(value) else number(value)


def number(value: float | None, digits: int = 4) -> str:
    """A number of so many significant digits, without an exponent where people would not write one.

    >>> number(111.412), number(0.66912), number(float("-inf")), number(None), number(12.0), number(199999.0)
    ('111.4', '0.6691', '-inf', '', '12', '199999')
    """
    if value is None or math.isnan(value):
        return ""
    if math.isinf(value):
        return "-inf" if value < 0 else "inf"
    if value == 0 or (value == int(value) and abs(value) < 1e6):
        return str(int(value))
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{decimals}f}"


def plus_minus(estimate: Estimate, decimals: int) -> str:
    """Mean and half width with so many decimals.

    >>> plus_minus(Estimate(111.41, 109.0, 113.82, 50), 1)
    '111.4 ± 2.4'
    >>> plus_minus(Estimate(float("-inf"), float("-inf"), float("-inf"), 50), 1)
    '-inf'
    """
    if not math.isfinite(estimate.mean):
        return number(estimate.mean)
    if not math.isfinite(estimate.half_width):
        return f"{estimate.mean:.{decimals}f} ± ?"
    return f"{estimate.mean:.{decimals}f} ± {estimate.half_width:.{decimals}f}"


def bracketed(estimate: Estimate, decimals: int) -> str:
    """Mean and the ends of its interval with so many decimals, as a sentence has them.

    >>> bracketed(Estimate(1.79, 1.52, 2.06, 10), 2), bracketed(Estimate(2.0, float("nan"), float("nan"), 1), 1)
    ('1.79 [1.52, 2.06]', '2.0')
    """
    if not (math.isfinite(estimate.low) and math.isfinite(estimate.high)):
        return number(estimate.mean) if not math.isfinite(estimate.mean) else f"{estimate.mean:.{decimals}f}"
    low, high = (f"{end:.{decimals if abs(end) < LARGE else 0}f}" for end in (estimate.low, estimate.high))
    return f"{estimate.mean:.{decimals}f} [{low}, {high}]"


def percent(share: float) -> str:
    """A share as signed percent.

    >>> percent(0.1181), percent(-0.02)
    ('+11.8 %', '-2.0 %')
    """
    return f"{100 * share:+.1f} %"


def listed(names: Iterable[str]) -> str:
    """Names as a sentence has them.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *first, last = [*names] or [""]
    return f"{', '.join(first)} and {last}" if first else last
