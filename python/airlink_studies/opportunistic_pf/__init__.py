"""[EvdoTcp]: opportunistic (proportional fair) scheduling on a 1xEV-DO downlink, and what its jitter does to TCP."""

from __future__ import annotations

from airlink_studies.opportunistic_pf.study import STUDY

__all__ = ["STUDY"]
