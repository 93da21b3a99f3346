"""Which seeds a study runs: each base seed has a block of its own, so that studies of two base seeds share no run."""

from __future__ import annotations


def block_of_seeds(base: int, count: int, size: int) -> tuple[int, ...]:
    """The first seeds of a base seed's block.

    Parameters
    ----------
    base : base seed, at least 1: block 1 holds the seeds 1 to size, block 2 the next.
    count : how many are wanted, 1 to size.
    size : seeds in a block.

    Raises
    ------
    ValueError : there is no such base seed, or its block has not so many seeds.

    >>> block_of_seeds(2, 3, size=50)
    (51, 52, 53)
    """
    if base < 1:
        raise ValueError(f"the base seed is {base}; it must be at least 1")
    if not 1 <= count <= size:
        raise ValueError(f"{count} seeds are asked for; a base seed has 1 to {size}")
    first = (base - 1) * size + 1
    return tuple(range(first, first + count))
