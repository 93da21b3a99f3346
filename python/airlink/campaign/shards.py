"""Parts of a campaign for job arrays: part K of N runs every N-th job, so that each part has some of every scenario.

Which jobs are a part's depends on the plan alone, not on what is stored; all parts together are all jobs, each once.
Left out: joining what they stored (`airlink store merge`).
"""

from __future__ import annotations

import re

from airlink.engine import RequestError

Shard = tuple[int, int]
"""Which part, from 1, and of how many."""

WHOLE: Shard = (1, 1)


def shard_of(text: str) -> Shard:
    """The part that a text such as 3/16 names.

    Raises
    ------
    RequestError : another text, or a part that is not one of 1..N.

    >>> shard_of("3/16")
    (3, 16)
    """
    found = re.fullmatch(r"\s*(\d+)\s*/\s*(\d+)\s*", text)
    if found is None:
        raise RequestError(f"shard {text!r} is not understood; write K/N, such as 3/16, from 1/16 to 16/16")
    return checked_shard((int(found[1]), int(found[2])))


def checked_shard(shard: Shard) -> Shard:
    """The same part; raises RequestError unless it is one of 1..N."""
    part, parts = shard
    if not 1 <= part <= parts:
        raise RequestError(f"shard is {part}/{parts}; the part must be one of 1 to {max(parts, 1)}")
    return part, parts


def positions(place: int, seeds: int, shard: Shard = WHOLE) -> range:
    """Which of a scenario's seeds are of a part, by their place in the plan.

    Parameters
    ----------
    place : of the scenario in the plan, from 0.
    seeds : how many the plan has.
    shard : the part.

    >>> [list(positions(place, 3, (part, 2))) for part in (1, 2) for place in (0, 1)]
    [[0, 2], [1], [1], [0, 2]]
    """
    part, parts = shard
    return range((part - 1 - place * seeds) % parts, seeds, parts)
