"""What is wrong with a scenario: a list of problems, each with its path, value and what is allowed.

Leaves out how problems are found (`mistakes.py`, `checks.py`, `traces.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

LONGEST_VALUE = 60


class _Nothing:
    """Stands for 'no value was given'."""

    def __repr__(self) -> str:
        return "NOTHING"

    def __bool__(self) -> bool:
        return False


NOTHING = _Nothing()


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
    path : where it is, in TOML terms: ``flows[0].tcp.mss_bytes``; empty for the file as a whole.
    value : what was given there; ``NOTHING`` when a field is missing.
    message : what is wrong and what is allowed, as a sentence without its subject.
    reads : the other paths whose values the message depends on.
    """

    path: str
    value: object
    message: str
    reads: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def __str__(self) -> str:
        place = self.path if self.value is NOTHING else f"{self.path} = {as_written(self.value)}"
        text = f"{place}: {self.message}" if self.path else self.message
        return " ".join(text.split())


class ScenarioError(ValueError):
    """A scenario that can't be run; ``problems`` lists every mistake, ``str()`` has one line each."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: list[Problem] = list(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[type[ScenarioError], tuple[list[Problem]]]:
        return type(self), (self.problems,)
