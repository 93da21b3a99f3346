"""[Klein04]: TCP-PF, a scheduler that keeps gaps between slots short, against PF, round robin, MAX and TCP-MAX."""

from __future__ import annotations

from airlink.study import Study
from airlink_studies.tcp_pf.page import PAPER
from airlink_studies.tcp_pf.study import FIGURES, TITLE, measure

STUDY = Study("tcp-pf", TITLE, measure, FIGURES, PAPER)

__all__ = ["STUDY"]
