"""A store whose processes are killed, and one that several processes use at the same time."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest

from airlink.store import Store, StoreError, check, collect
from airlink.store.join import LARGE_RESULTS
from stored import campaign, digests, logged, ran, starved_s, stop, wire

PAUSE_S = 0.003
LOST_S = 1.0
"""So much of the last results a kill may cost."""


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    """Processes that have airlink loaded: they begin at once."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["airlink.store", "airlink.engine", "stored", "pyarrow.parquet"])
    return context


def kill_and_go_on(processes: ForkServerContext, folder: Path, kills: int, most_s: float) -> None:
    """Kills a campaign at random moments, lets it end, and holds what is stored against runs never killed."""
    store, log = folder / "store", folder / "log"
    seeds = range(1, int(kills * most_s / 2 / PAUSE_S))
    chance = random.Random(19)
    safe: set[int] = set()
    killed = 0
    for kill in range(kills):
        process = processes.Process(target=campaign, args=(store, seeds, log, PAUSE_S))
        process.start()
        before = len(logged(log))
        while len(logged(log)) == before and process.is_alive():
            time.sleep(0.01)
        time.sleep(chance.uniform(0, most_s))
        if not process.is_alive():
            break
        killed_s = time.monotonic()
        stop(process.pid or 0)
        # Its own only: what an earlier one lost may be lost once more.
        puts = logged(log)[before:]
        waited_s = starved_s(process.pid or 0, puts[-1].threads)
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join()
        killed += 1
        # A second in which it could work: where other programs have the cores, nothing is written.
        safe |= {put.seed for put in puts if killed_s - put.put_s > LOST_S + waited_s - put.waited_s}
        with Store(store, read_only=True) as opened:
            found = opened.find(opened.key(wire()), seeds)
        assert safe <= found, f"kill {kill}"
        safe = found
    assert killed > kills / 2, "it had come to its end before"
    assert len(logged(log)) > len(seeds) // 20
    campaign(store, seeds, log)
    stored = digests(store, wire(), seeds)
    assert stored == {replica.seed: replica.digest for replica in ran(wire(), seeds)}
    collect(store)
    assert check(store).problems == []
    files = list((store / "tables/cell").iterdir())
    assert {path.suffix for path in files} == {".parquet"}
    assert len(files) <= 1 + len(seeds) // LARGE_RESULTS, "small batches are left"
    assert digests(store, wire(), seeds) == stored


def test_a_campaign_killed_three_times_ends_as_if_it_never_was(processes: ForkServerContext, tmp_path: Path) -> None:
    kill_and_go_on(processes, tmp_path, kills=3, most_s=1.2)


@pytest.mark.validate
def test_a_campaign_killed_twenty_times_ends_as_if_it_never_was(processes: ForkServerContext, tmp_path: Path) -> None:
    kill_and_go_on(processes, tmp_path, kills=20, most_s=1.5)


def test_four_processes_on_one_store_run_nothing_twice_and_lose_nothing(
    processes: ForkServerContext, tmp_path: Path
) -> None:
    seeds, store = range(1, 401), tmp_path / "store"
    logs = [tmp_path / f"log-{number}" for number in range(4)]
    started = [processes.Process(target=campaign, args=(store, seeds, log, PAUSE_S)) for log in logs]
    for process in started:
        process.start()
    for process in started:
        process.join(60)
        assert process.exitcode == 0
    run = [put.seed for log in logs for put in logged(log)]
    assert sorted(run) == list(seeds)
    assert sum(bool(logged(log)) for log in logs) > 1, "one process had done all before the others began"
    assert digests(store, wire(), seeds) == {replica.seed: replica.digest for replica in ran(wire(), seeds)}
    assert check(store).results == len(seeds)


def test_claims_of_a_killed_process_are_free(processes: ForkServerContext, tmp_path: Path) -> None:
    began = processes.Event()
    process = processes.Process(target=claim_and_wait, args=(tmp_path, began))
    process.start()
    assert began.wait(30)
    with Store(tmp_path) as store:
        key = store.key(wire())
        assert store.claim(key, range(4)) == [3]
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join()
        assert store.claim(key, range(4)) == [0, 1, 2]


def claim_and_wait(folder: Path, began: object) -> None:
    """Claims three seeds and does nothing about them."""
    with Store(folder) as store:
        store.claim(store.key(wire()), range(3))
        began.set()  # type: ignore[attr-defined]
        time.sleep(60)


def test_a_forked_child_does_not_keep_the_claims_of_its_killed_parent(
    processes: ForkServerContext, tmp_path: Path
) -> None:
    began, ends = processes.Event(), processes.Event()
    process = processes.Process(target=claim_and_fork, args=(tmp_path, began, ends))
    process.start()
    assert began.wait(30)
    os.kill(process.pid or 0, signal.SIGKILL)
    process.join()
    with Store(tmp_path) as store:
        assert store.claim(store.key(wire()), range(3)) == [0, 1, 2]
    ends.set()


def test_a_forked_child_that_closes_the_store_leaves_its_parent_what_it_claimed(
    processes: ForkServerContext, tmp_path: Path
) -> None:
    began = processes.Event()
    process = processes.Process(target=claim_and_close_in_a_child, args=(tmp_path, began))
    process.start()
    assert began.wait(30)
    with Store(tmp_path) as store:
        assert store.claim(store.key(wire()), range(4)) == [3]
    os.kill(process.pid or 0, signal.SIGKILL)
    process.join()


def claim_and_close_in_a_child(folder: Path, began: object) -> None:
    """Claims three seeds; a child of this process is refused more of them, and closes the store."""
    store = Store(folder)
    store.claim(store.key(wire()), range(3))
    child = os.fork()
    if child == 0:
        with pytest.raises(StoreError, match="open it again"), store:
            store.claim(store.key(wire()), range(4))
        os._exit(0)
    if os.waitpid(child, 0)[1] == 0:
        began.set()  # type: ignore[attr-defined]
    time.sleep(60)


def claim_and_fork(folder: Path, began: object, ends: object) -> None:
    """Claims three seeds; a child of this process outlives it."""
    store = Store(folder)
    store.claim(store.key(wire()), range(3))
    if os.fork() == 0:
        began.set()  # type: ignore[attr-defined]
        ends.wait(60)  # type: ignore[attr-defined]
        os._exit(0)
    time.sleep(60)
