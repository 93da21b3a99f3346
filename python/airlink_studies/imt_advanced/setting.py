"""What is run: the cell of [Kakuda] with its schedulers, buffers and speeds, and the numbers that it prints.

The scenario itself, each value with where it comes from, is `airlink.scenario.ready("imt-advanced")`. Leaves out how
often anything is run: each part says that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airlink.scenario import Scenario, ready
from airlink.study import Request, block_of_seeds

MAX_RATE, MC_PF = "MaxCIR", "MC-PF"
SCHEDULERS: Mapping[str, Mapping[str, object]] = {
    MAX_RATE: {"scheduler.kind": "max_rate"},
    MC_PF: {},
}
"""The paper's two, eqs (1) and (2), as changes of the ready scenario."""
BUFFERS = (40, 500, 1500)
"""Packets of buffer for each user (given)."""
SPEEDS_KMH = (3, 30, 120)
"""Of all users (given)."""
SPEED_BUFFER = 500
"""Packets, in the speed study (given)."""
USERS = 10
TRIALS, QUICK_TRIALS = 10, 2
QUICK_S, QUICK_SPREAD_S = 1.5, 0.2
"""A quick run, and within what time its flows start."""
SEEDS_A_BASE = 100
"""Seeds that a base seed may use; a part takes the first of them."""
PROFILE = "imt-advanced"

PAPER_RTT_MS: dict[int, float] = {40: 28.0, 500: 37.0, 1500: 65.0}
"""Table III: mean round trip of user 1 under MaxCIR."""
PAPER_TCP_MBPS: dict[int, float] = {40: 86.0, 500: 175.0, 1500: 183.0}
"""Table III: mean congestion window / mean round trip of user 1 under MaxCIR."""
PAPER_CWND: dict[int, float] = {40: 201.0, 500: 540.0, 1500: 991.0}
"""Its mean congestion window in packets, inferred: the product of the two."""
PAPER_ACTIVE: Mapping[int, float] = {40: 0.4, 500: 0.9, 1500: 0.9}
"""Fig. 5, as the text reads it: active time ratio of user 1 under MaxCIR."""
PAPER_GAIN = 2.0
"""Throughput of all users under MaxCIR over that under MC-PF."""
PAPER_SHARE = 0.1
"""Selection ratio of each user under MC-PF (about)."""

OFF_GRID: Mapping[str, Any] = {
    "channel.fading.profile": "custom",
    "channel.fading.delays_ns": (0.0, 213.0, 487.0, 1619.0, 2287.0, 5021.0),
    "channel.fading.powers_db": (-3.0, 0.0, -2.0, -6.0, -8.0, -10.0),
}
"""TU-6 with delays moved by up to 21 ns (chosen): not multiples of 0.1 us, so fades do not repeat every 10 MHz."""


def cell(scheduler: str = MC_PF, buffer: int = SPEED_BUFFER, speed_kmh: float = 3.0, **changes: Any) -> Scenario:
    """The cell of [Kakuda].

    Parameters
    ----------
    scheduler : MAX_RATE or MC_PF.
    buffer : packets that each user's buffer holds, default 500.
    speed_kmh : of all users, default 3 km/h; it sets the Doppler shift and nothing else.
    changes : further fields by path, as `Scenario.with_` takes them.

    Examples
    --------
    >>> cell(buffer=40).queue.limit_packets == 40
    True
    """
    own = {"queue.limit_packets": buffer, "channel.motion.speed_kmh": speed_kmh}
    return ready("imt-advanced").with_(**{**own, **SCHEDULERS[scheduler], **changes})


def shortened(request: Request) -> dict[str, Any]:
    """The changes of a quick run."""
    return {"duration_s": QUICK_S, "flows.*.start_spread_s": QUICK_SPREAD_S} if request.quick else {}


def seeds(request: Request, trials: int = TRIALS) -> tuple[int, ...]:
    """The first seeds of a base seed: one a trial, with places, fading and starts of its own."""
    return block_of_seeds(request.seed, QUICK_TRIALS if request.quick else trials, SEEDS_A_BASE)
