"""Random experiments: any sender of ns-2, any queue, losses, an outage or a spike.

Left out are losses together with a spike: ns-2 loses a packet at the end of its wire, where it still holds back those
behind it, airlink at the beginning.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from .case import Agent, Case

AGENTS: tuple[Agent, ...] = ("Tahoe", "Reno", "Newreno", "Sack1")


def random_cases(seed: int, count: int) -> Iterator[Case]:
    """The same ones for the same seed."""
    draws = random.Random(seed)
    for number in range(count):
        yield random_case(draws, f"random-{seed}-{number}")


def random_case(draws: random.Random, name: str) -> Case:
    """One experiment of 12 s."""
    fate = draws.choice(["losses", "losses", "outage", "spike"])
    losses = draws.sample(range(draws.choice([60, 200, 600])), draws.randint(1, 12)) if fate == "losses" else []
    agent = draws.choice(AGENTS)
    outages = ((milliseconds(draws, 0.5, 8), milliseconds(draws, 0.05, 4)),) if fate == "outage" else ()
    return Case(
        name,
        "a random one",
        agent=agent,
        delayed_ack=draws.random() < 0.3,
        duration_s=12.0,
        rate_bps=draws.choice([1e6, 2e6, 5e6, 1e7]),
        delay_ms=round(draws.uniform(5, 120), 6),
        limit_packets=draws.choice([8, 15, 30, 60, 1000]),
        access_ms=(round(draws.uniform(0.9, 20), 6),),
        return_ms=(round(draws.uniform(5, 120), 6),),
        window_packets=draws.choice([6, 20, 40, 200]),
        drops=tuple(sorted(losses)),
        outages=outages,
        spike_at_s=milliseconds(draws, 1, 5) if fate == "spike" else -1.0,
        spike_for_s=milliseconds(draws, 0.05, 0.6),
        spike_extra_ms=round(draws.uniform(50, 2000), 1),
        settings={
            "tcpTick_": draws.choice([0.01, 0.1]),
            "minrto_": draws.choice([0.0, 0.2, 1.0]),
            "bugFix_": draws.choice([0.0, 1.0, 1.0]),
        },
        keep=100_000,
    )


def milliseconds(draws: random.Random, low: float, high: float) -> float:
    """Seconds in between, to the millisecond."""
    return round(draws.uniform(low, high), 3)
