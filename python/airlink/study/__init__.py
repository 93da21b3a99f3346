"""What a study of a paper is built from, and where installed studies are found.

A study runs through `airlink.campaign` only and judges its claims by `airlink.report` only. Left out: the papers.
`airlink_studies` has five; any installed package adds its own by an entry point (`airlink.study.discovery`).
"""

from __future__ import annotations

from airlink.study.discovery import ENTRY_POINTS, StudyUnavailable, installed_studies, load_study, study_names
from airlink.study.parts import Part, PartResult, Texts, study_of
from airlink.study.request import Request, StudyInterrupted
from airlink.study.runner import Runner, plan_size
from airlink.study.seeds import block_of_seeds
from airlink.study.study import Findings, Study, StudyResult, UnknownFigure, figure_of

__all__ = [
    "ENTRY_POINTS",
    "Findings",
    "Part",
    "PartResult",
    "Request",
    "Runner",
    "Study",
    "StudyInterrupted",
    "StudyResult",
    "StudyUnavailable",
    "Texts",
    "UnknownFigure",
    "block_of_seeds",
    "figure_of",
    "installed_studies",
    "load_study",
    "plan_size",
    "study_names",
    "study_of",
]
