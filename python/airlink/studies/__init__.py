"""The papers, reproduced: one study each, found by name.

A study runs through `airlink.campaign` only, judges its claims by `airlink.report.judge` only, and never touches
the engine. A new one is a folder here and a line in `STUDIES`.
"""

from __future__ import annotations

from collections.abc import Mapping

from airlink.studies import clamp, imt_advanced, opportunistic_pf, startup_timeout, tcp_pf
from airlink.studies.request import Request, StudyInterrupted
from airlink.studies.study import Study, StudyResult, UnknownFigure

STUDIES: Mapping[str, Study] = {
    study.name: study
    for study in (tcp_pf.STUDY, opportunistic_pf.STUDY, imt_advanced.STUDY, startup_timeout.STUDY, clamp.STUDY)
}

__all__ = ["STUDIES", "Request", "Study", "StudyInterrupted", "StudyResult", "UnknownFigure"]
