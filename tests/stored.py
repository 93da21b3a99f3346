"""What tests of the store share: small results, and a campaign that is killed or runs beside others."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

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
    """Runs what the store has not, and logs each seed, when it was put, and what these threads had waited by then."""
    scenario = wire()
    with Store(folder) as store, log.open("a", buffering=1) as told:
        key = store.key(scenario)
        for start in range(0, len(seeds), BLOCK):
            todo = store.claim(key, seeds[start : start + BLOCK])
            for replica in ran(scenario, todo) if todo else ():
                store.put(key, scenario, (), replica)
                threads = storing_threads()
                waited_s = starved_s(os.getpid(), threads)
                told.write(f"{replica.seed} {time.monotonic()} {waited_s} {','.join(map(str, threads))}\n")
                time.sleep(pause_s)


class Put(NamedTuple):
    """A line of the log of a campaign.

    Attributes
    ----------
    seed, put_s : which result, and when it was put.
    waited_s : what the threads that store had waited for a core by then.
    threads : their numbers.
    """

    seed: int
    put_s: float
    waited_s: float
    threads: tuple[int, ...]


def logged(log: Path) -> list[Put]:
    """What a campaign has logged."""
    lines = log.read_text().split("\n")[:-1] if log.exists() else []
    return [
        Put(int(seed), float(put_s), float(waited_s), tuple(map(int, threads.split(","))))
        for seed, put_s, waited_s, threads in map(str.split, lines)
    ]


def storing_threads() -> tuple[int, ...]:
    """The threads of this process that take turns at storing results: this one, and the store's."""
    found = [each.native_id for each in threading.enumerate() if each.name == "airlink-store"]
    return threading.get_native_id(), *(number for number in found if number)


def stop(process: int) -> None:
    """Stops a process and returns when all of its threads stand still: their waiting is known then."""
    os.kill(process, signal.SIGSTOP)
    tasks = Path(f"/proc/{process}/task")
    while tasks.exists() and any(_state(task) not in "TZX" for task in tasks.iterdir()):
        time.sleep(0.002)


def _state(task: Path) -> str:
    try:
        return (task / "stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "X"


def starved_s(process: int, threads: Sequence[int]) -> float:
    """How long threads of a process were ready and had no core, in all; 0 where the system does not say."""
    told = [Path(f"/proc/{process}/task/{thread}/schedstat") for thread in threads]
    return sum(int(path.read_text().split()[1]) for path in told if path.exists()) / 1e9


def digests(folder: Path, scenario: Scenario, seeds: Sequence[int]) -> dict[int, str]:
    """The digests of what is stored, computed from the numbers."""
    with Store(folder, read_only=True) as store:
        return {each.seed: engine.digest(each) for each in store.replicas(store.key(scenario), seeds)}
