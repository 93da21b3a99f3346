"""Packets under the fluid's assumptions: many of them, and nothing that remembers.

The fluid has no averages and no packets. A wire of five times the rate, with tau and a five times as large, has the
same fluid in five times as many packets; an access point that averages over 1 ms and receivers that take their rates
over 100 packets remember next to nothing. The protocol's own averages are the other choice. Left out: what is compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from airlink.scenario import Scenario
from airlink_studies.clamp import setting
from airlink_studies.clamp.theory import ClampFlows
from airlink_studies.clamp.trajectories import Floats, Trajectory

SCALE = 5.0
"""Of rate, tau and a."""
QUEUE_BYTES = 6500.0
"""q* at the paper's rate (given: Fig. 2 with two flows)."""
PROTOCOL, NONE = "the protocol's averages", "no averages"
AVERAGES: dict[str, dict[str, Any]] = {
    PROTOCOL: {},
    NONE: {"bottleneck.price.averaging_ms": 1.0, "flows.*.tcp.clamp.rate_packets": 100},
}


def fluid(delays_ms: Sequence[float], b: float = setting.REACTIVITY) -> ClampFlows:
    """Flows at the scaled rate whose q* does not depend on b, with the protocol's gain 1/(d + q*/mu_c)."""
    delays_s = tuple(delay / 1e3 for delay in delays_ms)
    wait_s = QUEUE_BYTES / (setting.RATE_BPS / 8)
    return ClampFlows(
        delays_s,
        SCALE * setting.RATE_BPS,
        SCALE * setting.TAU_BYTES,
        SCALE * (b * QUEUE_BYTES - len(delays_s) * setting.TAU_BYTES),
        b,
        tuple(1 / (delay + wait_s) for delay in delays_s),
    )


def packets(flows: ClampFlows, averages: str, duration_s: float, **changes: Any) -> Scenario:
    """The same as packets, with or without the protocol's averages."""
    own: dict[str, Any] = {
        "bottleneck.price.gain_b": flows.b,
        "flows.*.tcp.clamp.tau_bytes": round(flows.tau_bytes),
        **AVERAGES[averages],
        **changes,
    }
    delays_ms = [1e3 * delay for delay in flows.delays_s]
    return setting.wire(delays_ms, duration_s, rate_bps=flows.rate_bps, free_bytes=round(flows.a_bytes), **own)


def means(course: Trajectory, edges_s: Floats) -> Floats:
    """Means over time between those times: array [time - 1]."""
    held = np.concatenate(([0.0], np.cumsum(course.values[:-1] * np.diff(course.time_s))))
    return np.asarray(np.diff(np.interp(edges_s, course.time_s, held)) / np.diff(edges_s))
