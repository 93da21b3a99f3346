"""Names that commands and options had before: each answers with the new one, the user's arguments in their places."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

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

RENAMED: Mapping[tuple[str, str], str] = {("init", "--ready"): "--from"}
"""The option of a command as it was, and as it is."""


def answer(words: Sequence[str]) -> str | None:
    """Says what the command of these words is now; None for one whose words have not moved."""
    for old, new in MOVED.items():
        if words and words[0] == old[0] and set(old[1:]) <= set(words[1:]):
            kept = [word for word in words[1:] if word not in old[1:]]
            return _said(" ".join(old), [*new, *kept])
    for (command, option), new_option in RENAMED.items():
        if words and words[0] == command and any(_is(option, word) for word in words[1:]):
            now = [new_option + word.removeprefix(option) if _is(option, word) else word for word in words]
            return _said(f"{command} {option}", now)
    return None


def _is(option: str, word: str) -> bool:
    """Whether a word is that option, alone or with its value."""
    return word.partition("=")[0] == option


def _said(old: str, now: Sequence[str]) -> str:
    from airlink.scenario.errors import printable

    return printable(f"{old} is now: {shlex.join(['airlink', *now])}")
