"""What is wrong with a scenario: a list of problems, each with its path, value and what is allowed.

Leaves out how problems are found (`error_messages.py`, `validation`, `traces`).
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field

LONGEST_VALUE = 60
LONGEST_PATH = 200
MOST_LINES = 20


class _Nothing:
    """Stands for 'no value was given'."""

    def __repr__(self) -> str:
        return "NOTHING"

    def __bool__(self) -> bool:
        return False


NOTHING = _Nothing()


def printable(text: str) -> str:
    r"""The text without what a terminal would obey: escapes, control characters, bytes that are no UTF-8.

    >>> print(printable("a" + chr(27) + "[31m"))
    a\x1b[31m
    """
    return "".join(letter if is_shown(letter) else ascii(letter)[1:-1] for letter in text)


def is_shown(letter: str) -> bool:
    """Whether a letter is shown rather than obeyed: letters, marks, spaces, and the joiners that scripts need."""
    return letter.isprintable() or unicodedata.category(letter) == "Zs" or letter in "\u200c\u200d"


def as_written(value: object) -> str:
    """The value as it would stand in a TOML file, cut when long."""
    if value is NOTHING:
        return "(nothing)"
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, str):
        text = f'"{value}"'
    elif isinstance(value, float) and math.isnan(value):
        text = "nan"
    elif isinstance(value, (list, tuple)):
        text = "[" + ", ".join(as_written(item) for item in value[:8]) + (", ..." if len(value) > 8 else "") + "]"
    elif isinstance(value, dict):
        text = "{" + ", ".join(f"{key} = {as_written(item)}" for key, item in list(value.items())[:4]) + "}"
    elif isinstance(value, int) and abs(value) >= 10**30:
        text = f"a whole number of about 2^{value.bit_length()}"
    else:
        text = str(value)
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 3] + "..."


@dataclass(frozen=True)
class Problem:
    """One mistake.

    Parameters
    ----------
    path : where it is, as an override names it: ``flows.0.tcp.mss_bytes``; empty for the file as a whole.
    value : what was given there; ``NOTHING`` when a field is missing.
    message : what is wrong and what is allowed, as a sentence without its subject.
    reads : the other paths whose values the message depends on.
    """

    path: str
    value: object
    message: str
    reads: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def __str__(self) -> str:
        path = self.path if len(self.path) <= LONGEST_PATH else self.path[: LONGEST_PATH - 3] + "..."
        place = path if self.value is NOTHING else f"{path} = {as_written(self.value)}"
        text = f"{place}: {self.message}" if self.path else self.message
        return printable(" ".join(text.split()))


class ScenarioError(ValueError):
    """A scenario that can't be run; ``problems`` lists the mistakes, ``str()`` has a line for each of the first 20.

    ``more`` mistakes were found beside those that are listed.
    """

    def __init__(self, problems: Iterable[Problem], more: int = 0) -> None:
        self.problems: list[Problem] = list(problems)
        self.more = more
        lines = [str(problem) for problem in self.problems[:MOST_LINES]]
        if untold := len(self.problems) - len(lines) + more:
            lines.append(f"and {untold} more mistakes")
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[type[ScenarioError], tuple[list[Problem], int]]:
        return type(self), (self.problems, self.more)
