"""What tests of the store share: small results, and a campaign that is killed or runs beside others."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from airlink import engine
from airlink.engine import Replica, Request, Table
from airlink.scenario import Scenario, ready
from airlink.store import Store

BLOCK = 10
"""Seeds that a campaign claims at once."""


def wire(duration_s: float = 1.0) -> Scenario:
    """A scenario whose run takes about a millisecond."""
    return ready("dumbbell", [f"duration_s={duration_s}"])


def made(seed: int, record: Sequence[str] = (), change: float = 0.0) -> Replica:
    """A result that no engine has computed, with few columns; every third has no flow."""
    flows = seed % 3
    series = {}
    if "acks" in record:
        series["acks"] = Table({"flow": np.arange(seed % 4), "time_s": np.arange(seed % 4) / 7})
    if "cwnd" in record:
        series["cwnd"] = Table({"time_s": np.array([seed / 3]), "flow": np.array([1])})
    return Replica(
        seed,
        Table({"user": np.arange(2), "goodput_bps": np.array([seed + change, np.nan])}),
        Table({"flow": np.arange(flows), "completion_s": np.full(flows, np.inf)}),
        {"goodput_bps": seed / 3 + change, "timeouts": seed % 5},
        series,
    )


def ran(scenario: Scenario, seeds: Sequence[int], record: Sequence[str] = ()) -> list[Replica]:
    """Results of the engine."""
    return [replica for replica in engine.run(Request([scenario], tuple(seeds), record), threads=1).replicas if replica]


def campaign(folder: Path, seeds: Sequence[int], log: Path, pause_s: float = 0.0) -> None:
    """Runs what the store has not, and logs each seed and when it was put."""
    scenario = wire()
    with Store(folder) as store, log.open("a", buffering=1) as told:
        key = store.key(scenario)
        for start in range(0, len(seeds), BLOCK):
            todo = store.claim(key, seeds[start : start + BLOCK])
            for replica in ran(scenario, todo) if todo else ():
                store.put(key, scenario, (), replica)
                told.write(f"{replica.seed} {time.monotonic()}\n")
                time.sleep(pause_s)


def logged(log: Path) -> list[tuple[int, float]]:
    """What a campaign has logged: seeds, and when each was put."""
    lines = log.read_text().split("\n")[:-1] if log.exists() else []
    return [(int(seed), float(when_s)) for seed, when_s in map(str.split, lines)]


def digests(folder: Path, scenario: Scenario, seeds: Sequence[int]) -> dict[int, str]:
    """The digests of what is stored, computed from the numbers."""
    with Store(folder, read_only=True) as store:
        return {each.seed: engine.digest(each) for each in store.replicas(store.key(scenario), seeds)}
