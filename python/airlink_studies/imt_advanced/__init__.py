"""[Kakuda]: TCP over 400 subchannels, under two schedulers, with three buffers, at three speeds."""

from __future__ import annotations

from airlink_studies.imt_advanced.study import STUDY

__all__ = ["STUDY"]
