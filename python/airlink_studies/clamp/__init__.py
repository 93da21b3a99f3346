"""[Andrew08]: CLAMP, window clamping from the access point, on a wire and over the air."""

from __future__ import annotations

from airlink_studies.clamp.study import STUDY

__all__ = ["STUDY"]
