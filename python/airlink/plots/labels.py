"""Words in figures at any length: lines that fit their room, and entries of a legend for what is drawn without a name.

Left out: names beside points (`charts.labels`), sizes and colours (`style`).
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from matplotlib.axes import Axes

__all__ = ["as_given", "explain", "letters_of", "wrapped"]


PIECES = re.compile(r"[ \t]+|\$[^$ ]+\$|(?:[^ \t,_=./$-]|[,_=./-](?=\d))+[,_=./-]*|[,_=./-]+|\$")
"""Of a text: spaces, symbols as matplotlib writes them ($t_c$), words with what ends them; no-break spaces end none."""


def wrapped(text: str, letters: int) -> str:
    r"""A text on lines of at most so many letters.

    Parameters
    ----------
    text : in any script; letters of double width count twice.
    letters : room of a line, at least 4.

    Returns
    -------
    Lines that end at spaces, else behind a comma, hyphen, underscore, equals sign, dot or slash that no digit follows,
    else anywhere. Nothing is left out but the spaces at the ends of lines.

    Examples
    --------
    >>> wrapped("initial timeouts held (control)", 16)
    'initial timeouts\nheld (control)'
    >>> wrapped("time_constant_slots=10000", 14)
    'time_constant_\nslots=10000'
    """
    lines: list[str] = []
    for given in text.split("\n"):
        line = ""
        for piece in PIECES.findall(given):
            if letters_of(line + piece.rstrip()) <= letters:
                line += piece
                continue
            if line.strip():
                lines.append(line.rstrip())
            line = "" if piece.isspace() else piece
            while letters_of(line) > letters:
                fits = next(end for end in range(len(line), 0, -1) if letters_of(line[:end]) <= letters or end == 1)
                lines.append(line[:fits])
                line = line[fits:]
        lines.append(line.rstrip())
    return "\n".join(lines)


def letters_of(text: str) -> int:
    r"""The room of a text in letters: those of East Asian scripts take two, marks above others none.

    >>> letters_of("queue"), letters_of("\u961f\u5217"), letters_of("e\u0301")
    (5, 4, 1)
    """
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )


def as_given(text: str) -> str:
    """A name that somebody gave, as matplotlib shows it letter for letter: dollar signs begin no formula."""
    return text.replace("$", "\\$")


def explain(axes: Axes, name: str, marker: str = "", **look: Any) -> None:
    """An entry of the legend for what is drawn without a name: marks of the paper, lines across, bands.

    Parameters
    ----------
    axes : whose legend has it.
    name : what it says.
    marker, look : as `Axes.plot` takes them; without a marker it is a line.
    """
    axes.plot([], [], *([marker] if marker else []), label=name, **look)
