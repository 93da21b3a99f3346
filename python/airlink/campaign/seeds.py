"""Seeds as a user writes them: `1-20`, `1-20,30`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from airlink.engine import MOST_JOBS, RequestError

PART = re.compile(r"\s*(\d+)\s*(?:-\s*(\d+)\s*)?")


def seeds_of(text: str) -> Sequence[int]:
    """The seeds that a text names, in its order.

    Parameters
    ----------
    text : numbers and intervals of numbers, both ends included, separated by commas.

    Returns
    -------
    A range where the text is one interval, else a tuple.

    Raises
    ------
    RequestError : another text, an interval that ends before it begins, a seed twice, more than 1 000 000 seeds.

    >>> seeds_of("1-20"), seeds_of("1-3,30")
    (range(1, 21), (1, 2, 3, 30))
    """
    parts = [_part(text, each) for each in text.split(",")]
    count = sum(map(len, parts))
    if count > MOST_JOBS:
        raise RequestError(f"seeds {text!r} are {count}; they must be at most {MOST_JOBS}")
    if len(parts) == 1:
        return parts[0]
    seeds = tuple(seed for part in parts for seed in part)
    if len(set(seeds)) < count:
        raise RequestError(f"seeds {text!r} name a seed twice: it would be the same run, not a new sample")
    return seeds


def _part(text: str, part: str) -> range:
    found = PART.fullmatch(part)
    if found is None:
        raise RequestError(f"seeds {text!r} are not understood; write 1-20 or 1-20,30")
    first = int(found[1])
    last = int(found[2] or first)
    if last < first:
        raise RequestError(f"seeds {text!r}: {part.strip()} ends before it begins")
    if last >= 2**64:
        raise RequestError(f"seeds {text!r}: {last} is too large; a seed must lie in 0..2^64-1")
    return range(first, last + 1)
