"""The cell of sections 5.2 to 5.10: slow and fast fading, CLAMP or New Reno alone, at the paper's rate or its low one.

The scenario itself, each value with where it comes from, is `airlink.scenario.ready("clamp")`. Leaves out how often
anything is run, and the wire of section 5.1 (setting.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airlink.scenario import Scenario, ready
from airlink.study import Request
from airlink_studies.clamp.setting import seeds

CLAMP, NEW_RENO = "CLAMP", "New Reno"
SLOW, FAST = "0.1 m/s", "10 m/s"
FADING: Mapping[str, Mapping[str, Any]] = {
    SLOW: {},
    FAST: {"channel.fading.doppler_hz": 60.0, "link.arq.max_retransmissions": 14},
}
"""Doppler shift and attempts of a slot, 5 and 15, as changes of the ready scenario (given)."""
LOW_RATE: Mapping[str, Any] = {"link.rate.bandwidth_hz": 620e3, "link.rate.max_rate_bps": 1.44e6}
"""Section 5.10 (given)."""
DELAYS_MS = (30, 130, 10, 180)
"""Of the flows, in the order of the scenario; the last two share a queue (given)."""
FLOWS = tuple(f"{delay} ms" for delay in DELAYS_MS)
QUEUES: Mapping[str, tuple[int, ...]] = {"30 ms": (0,), "130 ms": (1,), "10 and 180 ms": (2, 3)}
"""Name of a queue -> its flows; a queue's place is its user's number."""
RUN_S, DROPPED_S = 1800.0, 600.0
QUICK_RUN_S, QUICK_DROPPED_S = 45.0, 15.0
PROFILE = "C1"


def cell(protocol: str, speed: str, knob_bytes: float, **changes: Any) -> Scenario:
    """The cell.

    Parameters
    ----------
    protocol : CLAMP or NEW_RENO, which is alone then.
    speed : SLOW or FAST.
    knob_bytes : what the queueing delay is set by: a under CLAMP, the buffer of each queue under New Reno.
    changes : further fields by path, as `Scenario.with_` takes them.

    Examples
    --------
    >>> cell(NEW_RENO, FAST, 30_000).queue.limit_bytes == 30_000
    True
    """
    return ready("clamp").with_(**{**FADING[speed], **knob(protocol, knob_bytes), **changes})


def knob(protocol: str, knob_bytes: float) -> dict[str, Any]:
    """The changes that set it, and that leave New Reno alone."""
    if protocol == CLAMP:
        return {"queue.price.free_a_bytes": float(knob_bytes)}
    return {
        "queue.limit_bytes": round(knob_bytes),
        "queue.price": {"kind": "none"},
        "flows.*.tcp.clamp": None,
    }


def halves(request: Request) -> tuple[tuple[float, float], tuple[float, float]]:
    """From when to when is measured, s: both halves of what is left when the start is dropped."""
    whole_s, dropped_s = (QUICK_RUN_S, QUICK_DROPPED_S) if request.quick else (RUN_S, DROPPED_S)
    middle_s = (whole_s + dropped_s) / 2
    return (dropped_s, middle_s), (middle_s, whole_s)


def some_seeds(request: Request, count: int, quick: int = 2) -> tuple[int, ...]:
    """The first seeds of the base seed; few in a quick run."""
    return seeds(request.seed, quick if request.quick else count)
