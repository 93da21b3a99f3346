"""What can go wrong with stored results, as the user's problem."""

from __future__ import annotations

from airlink.engine.extras import MissingExtra
from airlink.scenario.errors import printable

__all__ = ["MissingExtra", "NotRecorded", "ResultError", "ResultExists"]


class ResultError(Exception):
    """A result can't be written or read; the message says what and why, in letters that a terminal shows."""

    def __init__(self, message: str = "") -> None:
        super().__init__(printable(message))


class ResultExists(ResultError):
    """The folder to write to holds something already."""


class NotRecorded(ResultError, KeyError):
    """A series is asked for that the run did not record."""

    def __str__(self) -> str:
        # That of KeyError shows the message in quotes.
        return str(self.args[0])


class StoreWarning(UserWarning):
    """The store can't be used any more; the runs go on without it."""
