"""Names that commands had before: each answers with the name that it has now, the user's arguments in their places."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from airlink.scenario.problems import printable

MOVED: Mapping[tuple[str, ...], tuple[str, ...]] = {
    ("schedulers",): ("list", "schedulers"),
    ("rates",): ("check",),
    ("schema", "--results"): ("check", "--results"),
    ("schema",): ("check", "--schema"),
    ("digest",): ("store", "digest"),
    ("script",): ("suite", "script"),
    ("fairness",): ("report", "fairness"),
}
"""The words of a command as it was, and as it is; of two that begin alike the longer one stands first."""


def answer(words: Sequence[str]) -> str | None:
    """Says what the command of these words is now; None for a command that has not moved."""
    for old, new in MOVED.items():
        if words and words[0] == old[0] and set(old[1:]) <= set(words[1:]):
            kept = [word for word in words[1:] if word not in old[1:]]
            return printable(f"{' '.join(old)} is now: {shlex.join(['airlink', *new, *kept])}")
    return None
