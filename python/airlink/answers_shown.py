"""How a notebook shows an answer, as `airlink` says: charts and pages stand above campaigns, which do not know them.

Outside of `airlink.campaign`, so that `airlink` can say so before any campaign is loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

Shows: TypeAlias = Callable[[Any], str]
"""An `airlink.Answer` -> HTML."""


def _as_text(answer: Any) -> str:
    # Loaded when first needed: a run does without.
    from html import escape

    return f"<pre>{escape(repr(answer))}</pre>"


_shows: list[Shows] = [_as_text]


def show_by(shows: Shows) -> None:
    """Names what makes HTML of an answer; before that it is shown as text."""
    _shows[-1] = shows


def shown(answer: Any) -> str:
    """An answer as HTML."""
    return _shows[-1](answer)
