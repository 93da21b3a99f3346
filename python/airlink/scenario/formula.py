"""Formulas of a scheduler: what they may be made of, what they name, and what is wrong with a text that is none.

The compiled half reads them, here as in a run. Leaves out their values.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from airlink import _rust

from .fields import Section
from .sections import Formula

__all__ = ["FormulaName", "formula_names", "formula_refusal", "names_of"]

_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")


@dataclass(frozen=True)
class FormulaName:
    """What a formula of `scheduler.metric` may be made of.

    Attributes
    ----------
    kind : "column", "operator", "function" or "constant".
    name : as it is written.
    unit : of a column; empty for none.
    per : what a column has a value each for: "slot", "user", "user and subchannel"; empty of all others.
    meaning : in a few words.
    """

    kind: str
    name: str
    unit: str
    per: str
    meaning: str


def formula_names() -> list[FormulaName]:
    """All columns, operators, functions and constants of formulas.

    >>> [each.name for each in formula_names() if each.kind == "constant"]
    ['pi', 'e', 'inf']
    """
    return [FormulaName(*each) for each in _rust.formula_names()]


def formula_refusal(text: str) -> str | None:
    """What is wrong with a formula, each mistake with the number of its character; None if it is one.

    >>> formula_refusal("rate / average")
    >>> print(formula_refusal("rate / averag"))
    at character 8: no column "averag"; nearest: average (airlink list formula)
    """
    return _rust.formula_refusal(text)


def names_of(scheduler: Section) -> frozenset[str]:
    """The names in the formula of a scheduler, functions included; none of a scheduler without one.

    >>> from airlink.scenario.sections import Formula
    >>> sorted(names_of(Formula(metric="rate / average * exp(1e3 * now_s)")))
    ['average', 'exp', 'now_s', 'rate']
    """
    return frozenset(_NAME.findall(scheduler.metric)) if isinstance(scheduler, Formula) else frozenset()
