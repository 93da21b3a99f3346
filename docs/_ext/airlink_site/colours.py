"""Colours of code, each with a contrast of at least 4.5 to the ground it stands on."""

from __future__ import annotations

from typing import Any

from pygments.style import Style
from pygments.token import Comment, Error, Generic, Keyword, Name, Number, Operator, String, Token


def _styles(text: str, quiet: str, word: str, name: str, literal: str) -> dict[Any, str]:
    return {
        Token: text,
        Comment: f"italic {quiet}",
        Error: text,
        Keyword: f"bold {word}",
        Operator: text,
        Operator.Word: f"bold {word}",
        Name.Builtin: name,
        Name.Class: f"bold {name}",
        Name.Decorator: name,
        Name.Function: name,
        Name.Tag: name,
        Name.Attribute: name,
        Number: literal,
        String: literal,
        Generic.Prompt: f"bold {word}",
        Generic.Output: quiet,
        Generic.Heading: f"bold {text}",
        Generic.Subheading: f"bold {text}",
    }


LIGHT_GROUND, DARK_GROUND = "#f4f7f8", "#1b2326"
LIGHT = _styles("#1f2a2e", "#55646a", "#0b6b74", "#6b3fa0", "#8f4a00")
DARK = _styles("#dde6e9", "#9fb0b6", "#5cc8d2", "#c3a9f5", "#f0b26b")

Light: Any = type("Light", (Style,), {"background_color": LIGHT_GROUND, "styles": dict(LIGHT)})
Dark: Any = type("Dark", (Style,), {"background_color": DARK_GROUND, "styles": dict(DARK)})
"""As Pygments takes them."""
