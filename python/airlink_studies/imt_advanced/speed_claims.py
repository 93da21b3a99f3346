"""Claim [002-7], written down before anything was run; its parts n and o after a first look.

The bound of parts h and o is SHIFT_STEPS. It was 0 at first, and a shift by 0.006 of a step then held in letter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from airlink.report import Bounds, Claim, Statement, above, at_least
from airlink.statistics import Estimate, mean_interval, paired_difference, paired_ratio
from airlink_studies.imt_advanced.contrasts import ALL, FIRST, below, difference, ratio, users_with_more
from airlink_studies.imt_advanced.measures import Floats, Outcome
from airlink_studies.imt_advanced.setting import MAX_RATE, MC_PF, PROFILE, SPEEDS_KMH, USERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airlink_studies.imt_advanced.speeds import Speeds

SLOW, MIDDLE, FAST = SPEEDS_KMH
SHIFT_STEPS = 0.1
"""The MCS shifts when its mean moves by more than this share of a step (chosen after a run)."""
AFTER_A_LOOK = "hno"
"""Parts n and o were added after a first look, the bound of h was changed after a run."""


def judged(found: Speeds) -> list[Claim]:
    """All of them."""
    slower = ((MIDDLE, SLOW, "30", "3"), (FAST, MIDDLE, "120", "30"))
    best, fair = ({speed: found.at(scheduler, speed) for speed in SPEEDS_KMH} for scheduler in (MAX_RATE, MC_PF))
    rows: list[tuple[str, str, str | None, Estimate, Bounds]] = []
    for scheduler, of, letters in ((MAX_RATE, best, "ab"), (MC_PF, fair, "cd")):
        for (fast, slow, name, base), letter in zip(slower, letters, strict=True):
            rows.append((letter, f"{scheduler}: average throughput, {name} over {base} km/h", "lower",
                         ratio(of[fast], of[slow]), below("ratio", 1.0)))  # fmt: skip
    others = range(2, USERS + 1)
    loss_of_1 = _change(best, FIRST) - _change(best, others)
    rows += [
        ("e", "MaxCIR: throughput of user 1, 120 over 3 km/h", "strongly reduced", ratio(best[FAST], best[SLOW], FIRST),
         below("ratio", 1.0)),
        ("f", "MaxCIR: relative change of user 1 less that of the others, 120 against 3 km/h", "mostly user 1",
         mean_interval(loss_of_1), below("difference", 0.0)),
        ("g", "MC-PF: users of 10 with less throughput at 120 than at 3 km/h", "each",
         users_with_more(fair[SLOW], fair[FAST], "throughput_mbps"), at_least("users", USERS - 1.0)),
        ("h", "MC-PF: mean MCS of user 1, 120 less 3 km/h", "lower",
         paired_difference(found.mean_scheme(MC_PF, FAST), found.mean_scheme(MC_PF, SLOW)),
         below("difference", -SHIFT_STEPS)),
        ("i", "MC-PF: |real - advertised| SINR, dB, 30 less 3 km/h", "higher",
         difference(fair[MIDDLE], fair[SLOW], "report_error_db"), above("difference", 0.0)),
        ("j", "MC-PF: |real - advertised| SINR, dB, 120 less 30 km/h", "higher",
         difference(fair[FAST], fair[MIDDLE], "report_error_db"), above("difference", 0.0)),
        ("k", "MC-PF: retransmission ratio, 30 less 3 km/h", "higher",
         difference(fair[MIDDLE], fair[SLOW], "retransmission"), above("difference", 0.0)),
        ("l", "MC-PF: retransmission ratio, 120 less 30 km/h", "higher",
         difference(fair[FAST], fair[MIDDLE], "retransmission"), above("difference", 0.0)),
        ("m", "Mean SINR of user 1, dB, 120 less 3 km/h", "lower",
         paired_difference(found.sinr_db[FAST], found.sinr_db[SLOW]), below("difference", -1.0)),
        ("n", "Change of the SINR of user 1 from TTI to TTI, dB, 120 over 3 km/h", "more rapidly variable",
         paired_ratio(found.steps_db[FAST], found.steps_db[SLOW]), above("ratio", 1.0)),
        ("o", "MC-PF: mean MCS, mean over users, 120 less 3 km/h", None,
         paired_difference(found.mean_scheme(MC_PF, FAST, ALL), found.mean_scheme(MC_PF, SLOW, ALL)),
         below("difference", -SHIFT_STEPS)),
    ]  # fmt: skip
    profile = f"{PROFILE}, {found.trials} trials"
    return [
        Statement(f"002-7{letter}", words, paper, after_run=letter in AFTER_A_LOOK).against(estimate, bounds, profile)
        for letter, words, paper, estimate, bounds in rows
    ]


def _change(of: Mapping[int, Outcome], users: range | tuple[int, ...]) -> Floats:
    """Throughput of those users at 120 over that at 3 km/h, in each trial."""
    at = [user - 1 for user in users]
    fast, slow = (of[speed].throughput_mbps[:, at].sum(axis=1) for speed in (FAST, SLOW))
    return np.asarray(fast / np.maximum(slow, 1e-9))
