"""Validation of a scenario as a whole: a file for each part, and what joins them in `scenario.py`."""

from .scenario import check

__all__ = ["check"]
