"""Draws of a search: each from a stream that is named (seed, what for), so that no number of threads moves one."""

from __future__ import annotations

from hashlib import sha256

import numpy as np

Draws = np.random.Generator


def draws(seed: int, *name: object) -> Draws:
    """The stream of that name.

    >>> draws(1, "trees").random() == draws(1, "trees").random(), draws(1, "a").random() == draws(1, "b").random()
    (True, False)
    """
    text = "/".join(map(str, ("search", seed, *name)))
    return np.random.Generator(np.random.PCG64(int.from_bytes(sha256(text.encode()).digest(), "big")))
