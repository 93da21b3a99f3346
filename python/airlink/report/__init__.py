"""Reports: claims judged, tables for terminal and page, one self-contained HTML file.

Left out: what the numbers mean. A study brings its sentences, figures and claims; nothing here knows a scheduler.
"""

from __future__ import annotations

from airlink.report.claims import (
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
    exactly,
    judge,
    judge_size,
    tally,
    write_claims,
)
from airlink.report.figure_worker import FigureWorker
from airlink.report.finding import Finding
from airlink.report.folder import REPORT_FILES, ReportFolder
from airlink.report.methods import RunCount, methods
from airlink.report.page import Folded, Illustration, Page, Section, write_page
from airlink.report.paper import Paper, airlink_bibtex
from airlink.report.results_page import results_page
from airlink.report.tables import Sheet, bracketed, claims_sheet, number, percent, plus_minus, to_markdown

__all__ = [
    "REPORT_FILES",
    "Bounds",
    "Claim",
    "FigureWorker",
    "Finding",
    "Folded",
    "Illustration",
    "Page",
    "Paper",
    "Printed",
    "ReportFolder",
    "RunCount",
    "Section",
    "Sheet",
    "Statement",
    "Verdict",
    "about",
    "above",
    "airlink_bibtex",
    "at_least",
    "at_most",
    "between",
    "bracketed",
    "certain",
    "claims_sheet",
    "exactly",
    "judge",
    "judge_size",
    "methods",
    "number",
    "percent",
    "plus_minus",
    "results_page",
    "tally",
    "to_markdown",
    "write_claims",
    "write_page",
]
