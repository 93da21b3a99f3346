"""[Choi05]: TCP's initial timeout under proportional fair scheduling, what it costs, and what helps."""

from __future__ import annotations

from airlink_studies.startup_timeout.study import STUDY

__all__ = ["STUDY"]
