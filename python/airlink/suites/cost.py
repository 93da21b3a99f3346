"""What a scheduler costs: CPU time for each slot of a run, schedulers in turn, in one process, on one thread.

Of several rounds the least is taken: others on the machine only add. All of a run is in it, channel, queues and TCP, so
schedulers are to be compared with one another. Left out: a promise. Times differ from machine to machine.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from airlink.campaign import Plan, run
from airlink.scenario import Scenario
from airlink.suites.candidate import Candidate

ROUNDS = 3
SEEDS = (1, 2)


def slot_times_us(scenario: Scenario, schedulers: Mapping[str, Candidate], rounds: int = ROUNDS) -> dict[str, float]:
    """CPU time of a slot, us, by label.

    Parameters
    ----------
    scenario : what is run, a cell.
    schedulers : label -> scheduler.
    rounds : of which the least counts.
    """
    plans = {
        label: Plan({label: each.in_place(scenario)}, SEEDS, (), {label: each.own})
        for label, each in schedulers.items()
    }
    assert scenario.slot is not None, "a suite of schedulers has cells"
    slots = len(SEEDS) * float(1000 * scenario.duration_s / scenario.slot.exact_ms())
    least = dict.fromkeys(plans, float("inf"))
    for _ in range(rounds):
        for label, plan in plans.items():
            began = time.process_time()
            run(plan, threads=1)
            least[label] = min(least[label], 1e6 * (time.process_time() - began) / slots)
    return least
