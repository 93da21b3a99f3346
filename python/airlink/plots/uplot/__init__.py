"""uPlot 1.6.32 by Leon Sorokin, MIT: the one piece of other people's code that is kept here and put into pages.

The files `uPlot.iife.min.js` and `uPlot.min.css` are those of the package `uplot` in the npm registry, byte for byte,
and `LICENSE` is its licence. A page that has a chart to point at holds all three. A newer version: the three files,
`VERSION` and `SHA256`, all of one package.
"""

from __future__ import annotations

from importlib.resources import files

__all__ = ["SHA256", "VERSION", "licence", "script", "style"]

VERSION = "1.6.32"
SHA256 = {
    "uPlot.iife.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
    "uPlot.min.css": "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
    "LICENSE": "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd",
}
"""What each file hashes to."""


def script() -> str:
    """The library: a script that defines the name uPlot."""
    return _text("uPlot.iife.min.js")


def style() -> str:
    """Its style sheet."""
    return _text("uPlot.min.css")


def licence() -> str:
    """The text that goes wherever the library goes."""
    return _text("LICENSE")


def _text(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")
