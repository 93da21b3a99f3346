"""What can go wrong with stored results, as the user's problem."""


class ResultError(Exception):
    """A result can't be written or read; the message says what and why."""


class ResultExists(ResultError):
    """The folder to write to holds something already."""


class MissingExtra(ImportError):
    """An optional package is needed and not installed."""
