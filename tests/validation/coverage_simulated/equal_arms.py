"""Whether `airlink.compare` calls one of three equal arms better or worse, run and judged as a user does.

Arms have the same mean SNRs, given to users in another order: fading, losses and traffic of a seed meet another user.
So arms differ in every run and are equal in law.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import airlink
from airlink.scenario import Scenario
from airlink.statistics import Difference

from ..coverage.campaigns import called
from ..coverage.tally import Case, Coverage
from .scenarios import DOWNLOADS, EDGE, GOODPUT, MAX_RATE, PAGE_P50, PAGE_P95, PAGES, TIMEOUTS

PART = "simulated-equal"
SEEDS = 20
FAIRNESS = "cell.jain_index"
SIZE = "flows.0.traffic.size.median_bytes"


@dataclass(frozen=True)
class Equal:
    """What three equal arms are made of, and the measures in which they are compared."""

    text: str
    changes: Mapping[str, Any]
    measures: tuple[str, ...]
    campaigns: int


SCENARIOS = {
    "4 users, proportional fair": Equal(
        MAX_RATE, {"scheduler.kind": "proportional_fair"}, (GOODPUT, FAIRNESS, EDGE), 1000
    ),
    "web pages": Equal(PAGES, {"duration_s": 4, "warmup_s": 1, SIZE: 15_000}, (PAGE_P50, PAGE_P95), 200),
    "TCP downloads": Equal(DOWNLOADS, {"users": 4, "duration_s": 4}, (GOODPUT, TIMEOUTS), 1000),
}


def equal_arms(name: str) -> dict[str, Scenario]:
    """Three scenarios that differ in which user has which mean SNR."""
    chosen = SCENARIOS[name]
    one, levels = Scenario.from_toml(chosen.text), (2.0, 5.0, 8.0, 11.0)
    turned = {f"from {place}": levels[place:] + levels[:place] for place in range(3)}
    return {
        label: one.with_(**{"channel.placement": {"kind": "mean_snr", "mean_snr_db": list(each)}, **chosen.changes})
        for label, each in turned.items()
    }


def rows(most: int = 1000) -> Iterator[Coverage]:
    """Of each measure: how often no arm is called better or worse than the first one, in so many campaigns at most."""
    for name, chosen in SCENARIOS.items():
        arms = equal_arms(name)
        found = [_compared(arms, chosen.measures, number) for number in range(min(most, chosen.campaigns))]
        for text in chosen.measures:
            yield called(Case(PART, name, text), SEEDS, [each[text] for each in found])


def _compared(arms: dict[str, Scenario], texts: tuple[str, ...], number: int) -> dict[str, dict[str, Difference]]:
    seeds = range(1 + SEEDS * number, 1 + SEEDS * (number + 1))
    answer = airlink.compare(arms, measure=texts[0], others=texts[1:], seeds=seeds, store=None, threads=1)
    return {text: {label: answer.differences[label, text].difference for label in list(arms)[1:]} for text in texts}
