"""What a scheduler's formula names.

Leaves out reading it as a whole, which the engine does.
"""

from __future__ import annotations

import re

from .fields import Section
from .sections import Formula

__all__ = ["names_of"]

_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")


def names_of(scheduler: Section) -> frozenset[str]:
    """The names in the formula of a scheduler, functions included; none of a scheduler without one.

    >>> from .sections import Formula
    >>> sorted(names_of(Formula(metric="rate / average * exp(1e3 * now_s)")))
    ['average', 'exp', 'now_s', 'rate']
    """
    return frozenset(_NAME.findall(scheduler.metric)) if isinstance(scheduler, Formula) else frozenset()
