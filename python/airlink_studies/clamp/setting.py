"""What all parts share: the paper's parameters of CLAMP, seeds, and the wire of its deterministic link.

Left out: the cell that fades, and how often anything is run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from airlink.scenario import Scenario
from airlink.study import block_of_seeds

TAU_BYTES, FREE_BYTES, REACTIVITY = 500.0, 5500.0, 1.0
"""tau, a and b of CLAMP (given)."""
PACKET_BYTES = 1500
"""Of every packet, nothing of it a header (chosen: profile C1)."""
CLAMP_BUFFER_BYTES = 6_000_000
"""Of every queue under CLAMP (given)."""
RATE_BPS, DELAY_MS = 10e6, 50.0
"""Of the deterministic link (given); the delay is the round trip, half each way (inferred)."""
STARTS_WITHIN_S = 0.1
"""Of the time that is said, each flow of each seed (chosen): intervals need runs that differ."""
WINDOW_BYTES = 8_000_000
"""What the receiver's own buffer would allow (chosen): never the limit."""
SEEDS_A_BASE = 200
"""Seeds that a base seed may use; a part takes the first of them."""
EVER = (0.0, math.inf)


def wire(
    delays_ms: Sequence[float],
    duration_s: float,
    *,
    rate_bps: float = RATE_BPS,
    stays_s: Sequence[tuple[float, float]] | None = None,
    free_bytes: float = FREE_BYTES,
    **changes: Any,
) -> Scenario:
    """A link of constant rate whose one queue tells a price, and a New Reno download for each delay that follows it.

    Parameters
    ----------
    delays_ms : round trip of each flow without the queue.
    duration_s : of the run.
    rate_bps : of the link.
    stays_s : from when to when each flow sends; default from the start on.
    free_bytes : a.
    changes : further fields by path, as `Scenario.with_` takes them.

    Examples
    --------
    >>> wire((50.0, 90.0), 10.0).flows[1].path.uplink_delay_ms
    45.0
    """
    stays = [EVER] * len(delays_ms) if stays_s is None else stays_s
    price = {"kind": "clamp", "free_a_bytes": free_bytes, "gain_b": REACTIVITY}
    made = Scenario.model_validate(
        {
            "duration_s": duration_s,
            "users": len(delays_ms),
            "bottleneck": {"rate_bps": rate_bps, "delay_ms": 0.0, "limit_bytes": CLAMP_BUFFER_BYTES, "price": price},
            "flows": [
                _flow(user, delay, stay) for user, (delay, stay) in enumerate(zip(delays_ms, stays, strict=True))
            ],
        }
    )
    return made.with_(**changes) if changes else made


def without_clamp(buffer_bytes: int) -> dict[str, Any]:
    """The changes that leave TCP alone with a queue of that size."""
    return {"bottleneck.limit_bytes": buffer_bytes, "bottleneck.price.kind": "none", "flows.*.tcp.clamp": None}


def seeds(base: int, count: int) -> tuple[int, ...]:
    """The first seeds of a base seed; base seeds don't overlap.

    >>> seeds(2, 3)
    (201, 202, 203)
    """
    return block_of_seeds(base, count, SEEDS_A_BASE)


def _flow(user: int, delay_ms: float, stay_s: tuple[float, float]) -> dict[str, Any]:
    tcp = {
        "profile": "ns2",
        "congestion_control": "new_reno",
        "sack": False,
        "handshake": True,
        "mss_bytes": PACKET_BYTES,
        "header_bytes": 0,
        "receiver_window_bytes": WINDOW_BYTES,
        "initial_ssthresh_segments": math.inf,
        "clamp": {"side": "receiver", "tau_bytes": TAU_BYTES},
    }
    start_s, stop_s = stay_s
    stop = {} if math.isinf(stop_s) else {"stop_s": stop_s}
    path = {"downlink_delay_ms": delay_ms / 2, "uplink_delay_ms": delay_ms / 2}
    return {"users": [user], "start_s": start_s, "start_spread_s": STARTS_WITHIN_S, **stop, "path": path, "tcp": tcp}
