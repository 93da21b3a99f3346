"""Suites by name: public families, and hidden ones that have no part in the public."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from airlink.engine import RequestError
from airlink.suites.family import Family
from airlink.suites.hidden import HIDDEN
from airlink.suites.public import PUBLIC


@dataclass(frozen=True)
class Suite:
    """What candidates are judged by.

    Attributes
    ----------
    name : on the command line.
    public : families whose members everybody knows.
    hidden : families whose members are drawn after a candidate's hash was written down.
    """

    name: str
    public: Sequence[Family]
    hidden: Sequence[Family]


SUITES: Mapping[str, Suite] = {"schedulers": Suite("schedulers", PUBLIC, HIDDEN)}
"""The suites that come with airlink."""


def suite_of(name: str) -> Suite:
    """The suite of that name.

    Raises
    ------
    RequestError : there is none.

    >>> len(suite_of("schedulers").public)
    10
    """
    if name not in SUITES:
        raise RequestError(f"suite is {name!r}; it must be {' or '.join(map(repr, SUITES))}")
    return SUITES[name]
