"""How far users differ between two sets of trials with nothing changed: what draws of users alone can do.

The paper does not say whether its buffers of 500 and of 1500 packets saw the same users. Here every two sets of k
trials that share none, all with 500 packets, are set against one another as if they were two buffers. Left out: draws
of starts and fading apart from those of places.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from airlink.report import Sheet
from airlink_studies.imt_advanced.measures import Floats, Outcome

MOVED = 0.05
"""What counts as higher or lower, relative (chosen)."""
UP, DOWN = 3, 4
"""How many users [002-5] names on either side: 1, 7, 10 and 3 to 5, 8."""
SIZES = (1, 3, 5)


def by_chance(outcome: Outcome) -> Sheet:
    """Sets of one, three and five trials of a setting."""
    trials = outcome.throughput_mbps.shape[0]
    rows = [_row(outcome, size) for size in SIZES if 2 * size <= trials]
    note = (
        "MC-PF, 500 packets: two sets of other trials each. Median change of a user's throughput and selection ratio, "
        f"%; like [002-5]: of all pairs, % in which {UP} users or more have over {100 * MOVED:g} % more selections and "
        f"{DOWN} or more over {100 * MOVED:g} % less throughput."
    )
    return Sheet("Other users, the same buffer", ("trials", "throughput", "selection", "like [002-5]"), rows, note)


def changes(values: Floats, size: int) -> Floats:
    """Ratios of the means of two disjoint sets of trials, both ways round: array [pair, user]."""
    trials = range(values.shape[0])
    sets = list(combinations(trials, size))
    means = np.array([values[list(each)].mean(axis=0) for each in sets])
    apart = [(a, b) for a, one in enumerate(sets) for b, other in enumerate(sets) if not set(one) & set(other)]
    first, second = np.array(apart).T
    return np.asarray(means[first] / np.maximum(means[second], 1e-12))


def _row(outcome: Outcome, size: int) -> tuple[str, ...]:
    throughput, selection = changes(outcome.throughput_mbps, size), changes(outcome.selection, size)
    like = ((selection > 1 + MOVED).sum(axis=1) >= UP) & ((throughput < 1 - MOVED).sum(axis=1) >= DOWN)
    return (
        f"{size} against {size}",
        f"{100 * np.median(abs(throughput - 1)):.0f}",
        f"{100 * np.median(abs(selection - 1)):.0f}",
        f"{100 * like.mean():.0f}",
    )
