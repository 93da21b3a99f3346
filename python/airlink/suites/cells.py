"""What the families are made of: one cell with one carrier, and the usual flows.

Numbers without a range are chosen: 1 ms slots, the rates of LTE's CQI over 9 MHz, reports that are two slots old, 100
packets a user, TCP as in Linux. Left out: what varies (`public`, `hidden`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from airlink.scenario import Scenario
from airlink.scenario.overrides import change

DURATION_S = 10.0
WARMUP_S = 2.0
DRAIN_S = 4.0
"""So long files and pages may take to end, so that their times are known."""

ENDING = ("sessions", "poisson", "file")

Tables = Mapping[str, Any]


def cell(
    users: float, low_db: float, high_db: float, speed_kmh: float, flows: Sequence[Tables], **others: Any
) -> Scenario:
    """A cell of one carrier.

    Parameters
    ----------
    users : how many, a whole number.
    low_db, high_db : mean SNR of the first and of the last user; the others lie evenly between.
    speed_kmh : sets the fading; 0: none.
    flows : tables of `[[flows]]`.
    others : further fields of a scenario by path, with "__" for dots; they take the place of the ones here.
    """
    moving: Tables = {"fading": {"kind": "rayleigh", "terms": 16}, "motion": {"speed_kmh": speed_kmh}}
    channel = {
        "placement": {"kind": "mean_snr_range", "low_db": low_db, "high_db": max(low_db, high_db)},
        **(moving if speed_kmh else {"fading": {"kind": "none"}}),
    }
    link = {
        "report": {"delay_slots": 2},
        "rate": {"kind": "mcs", "set": "cqi-64qam", "bandwidth_hz": 9e6, "overhead": 0.3},
    }
    drain_s = DRAIN_S if any(each["traffic"]["kind"] in ENDING for each in flows) else 0.0
    data: dict[str, Any] = {
        "duration_s": DURATION_S, "warmup_s": WARMUP_S, "drain_s": drain_s, "users": int(users),
        "slot": {"duration_ms": 1}, "channel": channel, "link": link, "queue": {"limit_packets": 100},
        "scheduler": {"kind": "proportional_fair"}, "flows": list(flows),
    }  # fmt: skip
    problems = change(data, {path.replace("__", "."): value for path, value in others.items()})
    assert not problems, "a family names fields that scenarios have"
    return Scenario(**data)


def downloads(users: Sequence[int] | str = "all", delay_ms: float = 20, **more: Any) -> dict[str, Any]:
    """Endless downloads."""
    return flow({"kind": "greedy"}, users, delay_ms, start_spread_s=0.5, **more)


def pages(think_s: float, users: Sequence[int] | str = "all", delay_ms: float = 20, **more: Any) -> dict[str, Any]:
    """Web pages, one after the other."""
    return flow({"kind": "sessions", "think_s": think_s}, users, delay_ms, start_spread_s=0.5, **more)


def files(arrivals_per_s: float, size: Tables, users: Sequence[int] | str = "all", **more: Any) -> dict[str, Any]:
    """Files that arrive at random."""
    return flow({"kind": "poisson", "arrivals_per_s": arrivals_per_s, "size": size}, users, 20, **more)


def datagrams(traffic: Tables, users: Sequence[int]) -> dict[str, Any]:
    """Traffic over UDP, 5 ms from its server."""
    return {"traffic": traffic, "users": users, "path": {"downlink_delay_ms": 5}}


def flow(traffic: Tables, users: Sequence[int] | str, delay_ms: float, **more: Any) -> dict[str, Any]:
    """A group of flows over wires of this delay each way, TCP as in Linux."""
    path = {"downlink_delay_ms": delay_ms, "uplink_delay_ms": delay_ms, **more.pop("path", {})}
    tcp = {"profile": "linux", **more.pop("tcp", {})}
    return {"traffic": traffic, "users": users, "path": path, "tcp": tcp, **more}


def split(users: float, share: float) -> tuple[list[int], list[int]]:
    """Every user in one of two groups, of which the first has about this share of them; one each at least.

    Both have users at all places: members of the first are spread evenly.

    >>> split(6, 0.5), split(4, 0.1)
    (([0, 2, 4], [1, 3, 5]), ([0], [1, 2, 3]))
    """
    count = int(users)
    wanted = min(max(round(share * count), 1), count - 1)
    first = sorted({place * count // wanted for place in range(wanted)})
    return first, [user for user in range(count) if user not in first]
