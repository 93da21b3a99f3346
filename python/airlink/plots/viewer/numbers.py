"""Numbers in the words of a page."""

from __future__ import annotations


def grouped(number: float) -> str:
    """A whole number with narrow spaces between thousands.

    >>> grouped(1234567.0) == "1\u202f234\u202f567"
    True
    """
    return f"{int(number):,}".replace(",", "\u202f")


def counted(number: float, noun: str) -> str:
    """A number of things.

    >>> counted(1, "packet"), counted(2, "packet")
    ('1 packet', '2 packets')
    """
    return f"{grouped(number)} {noun}" + ("" if number == 1 else "s")
