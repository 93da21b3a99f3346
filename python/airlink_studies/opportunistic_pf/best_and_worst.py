"""The best and the worst user of every alpha: Section V's numbers, which the paper has for one alpha only.

B and W are the users with the most and the least goodput of a run, so they have other SNRs in every run. Leaves out
what the paper prints (two_users.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from airlink.campaign import CampaignResult
from airlink.report import Sheet
from airlink.result import Table
from airlink.statistics import mean_interval
from airlink_studies.opportunistic_pf.user_numbers import NUMBERS, Floats, best_and_worst, measured, spread_text

Chosen = Mapping[str, Mapping[float, Mapping[str, Floats]]]
"""User -> alpha -> number -> array [seed]."""


def chosen(result: CampaignResult, labels: Mapping[float, str]) -> Chosen:
    """B and W of every realization at every alpha, and their numbers."""
    found: dict[str, dict[float, dict[str, Floats]]] = {"B": {}, "W": {}}
    for alpha, label in labels.items():
        for who, users in best_and_worst(result, label).items():
            found[who][alpha] = measured(result, label, users)
    return found


def sheets(found: Chosen) -> list[Sheet]:
    """A table for B and one for W: a row a number, a column an alpha."""
    told = {"B": "most", "W": "least"}
    return [
        Sheet(
            f"User {who}, of the {told[who]} goodput, at every alpha",
            ["alpha", *(f"{alpha:g}" for alpha in by_alpha)],
            [
                [each.words, *(spread_text(mean_interval(numbers[each.key])) for numbers in by_alpha.values())]
                for each in NUMBERS
            ],
            "Means over realizations with 95 % intervals; the paper prints such numbers for alpha = 0.01 only.",
        )
        for who, by_alpha in found.items()
    ]


def machine_table(found: Chosen, drops: Sequence[int]) -> Table:
    """One row a user, alpha and realization."""
    rows = [(who, alpha, numbers) for who, by_alpha in found.items() for alpha, numbers in by_alpha.items()]
    columns: dict[str, np.ndarray] = {
        "user": np.repeat([who for who, _, _ in rows], len(drops)),
        "alpha": np.repeat([alpha for _, alpha, _ in rows], len(drops)),
        "seed": np.tile(drops, len(rows)),
    }
    for each in NUMBERS:
        columns[each.key] = np.concatenate([numbers[each.key] for _, _, numbers in rows])
    return Table(columns)
