"""Where the sweep of links of constant rate looks: a rate, the delays of its flows, and how long each run has to be.

Left out: what is found there (steady_state.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from airlink.scenario import Scenario
from airlink.study import Request
from airlink_studies.clamp import setting
from airlink_studies.clamp.theory import ClampEquilibrium, ClampFlows, clamp_equilibrium

RATES_MBPS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
DELAYS_MS = (10.0, 20.0, 50.0, 100.0, 200.0)
FLOWS = (1, 2, 3)
QUICK_RATES_MBPS, QUICK_DELAYS_MS, QUICK_FLOWS = (5.0, 10.0), (50.0, 100.0), (2,)
RATE_PACKETS = 1000
"""alpha, over so many packets a receiver takes its rate (given)."""
FIRST_S, SHORTEST_S = 20.0, 60.0
MEMORIES_BEFORE, MEMORIES_MEASURED = 10.0, 40.0
"""Of the receivers' rates, that a run waits and measures."""
MEASURED_ROUND_TRIPS = 1200.0
"""At least: a window that is no whole number of packets beats slowly, in some 700 of them."""
SWINGING_BEFORE, SWINGING_MEASURED = 100.0, 80.0
"""The same where shares swing, with a period of two memories: it takes long until they swing evenly."""
SLOWEST_ALONE, SLOWEST_TOGETHER = 1.3, 4.5
"""Times of the slowest mode that a run waits: one flow has to climb, several to part as well."""
SHARED_PACKETS = 4.0
"""Rates are judged where every window is larger (given)."""
MARGIN = 1.1
"""Windows up to so much above `swinging_packets` get the longer runs."""


def swinging_packets(rate_packets: float = RATE_PACKETS) -> float:
    r"""Windows below which shares swing because receivers take their rates over too many packets.

    What a flow has too much of the link, x, changes by what it pays for its rate, which (15) takes over the last
    alpha packets, M = alpha s / mu seconds; with the slowest mode's time T = RTT / p (`FixedLink.slowest_s`):

    .. math:: x' = -\frac{1}{T M} \int_{t-M}^{t} x, \quad M \le \frac{\pi^2}{2} T \iff
              w \ge \sqrt{2 \alpha \tau / (\pi^2 s)} \text{ packets}

    At the threshold a swing has a period of 2 M.

    Examples
    --------
    >>> round(swinging_packets(), 1)
    8.2
    """
    return math.sqrt(2 * rate_packets * setting.TAU_BYTES / setting.PACKET_BYTES) / math.pi


@dataclass(frozen=True)
class FixedLink:
    """A link and its flows: Mb/s, and the round trip of each without the queue, ms."""

    rate_mbps: float
    delays_ms: tuple[float, ...]

    @property
    def label(self) -> str:
        """Its name in a plan."""
        return f"{self.rate_mbps:g} Mb/s, {' '.join(f'{delay:g}' for delay in self.delays_ms)} ms"

    @property
    def flows(self) -> int:
        """How many."""
        return len(self.delays_ms)

    @property
    def settled(self) -> ClampEquilibrium:
        """Where the fluid settles."""
        delays_s = tuple(delay / 1e3 for delay in self.delays_ms)
        return clamp_equilibrium(ClampFlows(delays_s, self.rate_mbps * 1e6))

    @property
    def queue_bytes(self) -> float:
        """q*."""
        return self.settled.queue_bytes

    @property
    def window_packets(self) -> float:
        """The smallest window."""
        return min(self.settled.windows_bytes) / setting.PACKET_BYTES

    @property
    def judged(self) -> bool:
        """Whether windows are so large that rates are to be equal."""
        return self.window_packets > SHARED_PACKETS

    @property
    def swings(self) -> bool:
        """Whether shares may."""
        return self.flows > 1 and self.window_packets < MARGIN * swinging_packets()

    @property
    def memory_s(self) -> float:
        """What a receiver's rate remembers."""
        return RATE_PACKETS * self.flows * setting.PACKET_BYTES / self._rate_bytes

    @property
    def slowest_s(self) -> float:
        """Time constant of the windows: p / RTT each, with p = k tau / mu_c; a window climbs mu_c RTT / k in it."""
        round_trip_s = max(self.delays_ms) / 1e3 + self.queue_bytes / self._rate_bytes
        return self._rate_bytes * round_trip_s**2 / (self.flows * setting.TAU_BYTES)

    @property
    def measured_from_s(self) -> float:
        """When what is measured begins."""
        slowest = SLOWEST_ALONE if self.flows == 1 else SLOWEST_TOGETHER
        memories = SWINGING_BEFORE if self.swings else MEMORIES_BEFORE
        return FIRST_S + memories * self.memory_s + slowest * self.slowest_s

    @property
    def end_s(self) -> float:
        """When the run does."""
        memories = SWINGING_MEASURED if self.swings else MEMORIES_MEASURED
        slowly_s = MEASURED_ROUND_TRIPS * max(self.delays_ms) / 1e3
        return self.measured_from_s + max(SHORTEST_S, slowly_s, memories * self.memory_s)

    @property
    def middle_s(self) -> float:
        """Where the halves meet."""
        return (self.measured_from_s + self.end_s) / 2

    @property
    def packets(self) -> float:
        """That a run sends."""
        return self._rate_bytes * self.end_s / setting.PACKET_BYTES

    @property
    def scenario(self) -> Scenario:
        """The run."""
        own: dict[str, Any] = {"rate_bps": self.rate_mbps * 1e6, "warmup_s": self.measured_from_s}
        return setting.wire(self.delays_ms, self.end_s, **own)

    @property
    def _rate_bytes(self) -> float:
        return self.rate_mbps * 1e6 / 8


def fixed_links(request: Request) -> list[FixedLink]:
    """All of them: rate by rate, delay by delay, one to three flows."""
    rates, delays, flows = (
        (QUICK_RATES_MBPS, QUICK_DELAYS_MS, QUICK_FLOWS) if request.quick else (RATES_MBPS, DELAYS_MS, FLOWS)
    )
    return [FixedLink(rate, (delay,) * count) for rate in rates for delay in delays for count in flows]


def batches(every: Sequence[FixedLink], most_packets: float) -> list[list[FixedLink]]:
    """Links whose runs are kept in memory together: each keeps its queue, packet by packet.

    The longest come first, each to the first batch that has room, so that short ones fill up what waits for a long one.

    >>> [len(batch) for batch in batches([FixedLink(1.0, (10.0,))] * 3, most_packets=1.0)]
    [1, 1, 1]
    """
    found: list[list[FixedLink]] = []
    for link in sorted(every, key=lambda each: -each.packets):
        room = (batch for batch in found if sum(each.packets for each in batch) + link.packets <= most_packets)
        batch = next(room, None)
        if batch is None:
            found.append([link])
        else:
            batch.append(link)
    return found
