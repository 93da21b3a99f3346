"""What can be wrong with a measure that was asked for."""

from __future__ import annotations

from airlink.engine import RequestError


class MeasureError(RequestError):
    """A measure that does not exist, or that a scenario does not have; the message says what there is."""
