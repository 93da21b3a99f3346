"""`airlink.run` against the engine: seeds, threads, records, interruption, balance of packets."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import airlink
from airlink import Scenario, engine

TINY = """
name = "tiny"
duration_s = 2
users = 3
slot.duration_ms = 5
channel.placement = {kind = "mean_snr_range", low_db = 0, high_db = 20}
channel.fading.kind = "rayleigh"
link.rate = {kind = "capacity", bandwidth_hz = 1e6}
scheduler.kind = "proportional_fair"
queue.limit_packets = 20
flows = [{users = "all"}]
"""

ENDLESS = TINY.replace("duration_s = 2", "duration_s = 1000000").replace("users = 3", "users = 100")


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    return Scenario.from_toml(TINY)


def test_each_replica_has_the_next_seed(scenario: Scenario) -> None:
    result = airlink.run(scenario, seed=7, replicas=3)
    assert result.seeds == (7, 8, 9)
    assert result.users["seed"].tolist() == [7] * 3 + [8] * 3 + [9] * 3
    assert not result.interrupted


def test_a_replica_is_the_same_alone_and_among_others(scenario: Scenario) -> None:
    together = airlink.run(scenario, seed=1, replicas=4, record=engine.recordable(scenario), threads=2)
    alone = airlink.run(scenario, seed=3, record=engine.recordable(scenario), threads=1)
    assert together.replicas[2].digest == alone.replicas[0].digest
    assert together.replicas[1].digest != alone.replicas[0].digest


def test_recording_changes_no_number(scenario: Scenario) -> None:
    with_series = airlink.run(scenario, record=["slots", "cwnd"])
    without = airlink.run(scenario)
    for name in without.users:
        np.testing.assert_array_equal(with_series.users[name], without.users[name])


def test_the_digest_is_that_of_the_engine(scenario: Scenario) -> None:
    result = airlink.run(scenario, replicas=2, record=["gaps", "acks"])
    assert result.digests() == [replica.digest for replica in result.replicas]


def test_a_changed_number_changes_the_digest(scenario: Scenario) -> None:
    (replica,) = airlink.run(scenario).replicas
    users = engine.Table({**replica.users, "goodput_bytes": replica.users["goodput_bytes"] + 1})
    changed = replace(replica, users=users)
    assert engine.digest(changed) != replica.digest


@settings(max_examples=25, deadline=None)
@given(
    users=st.integers(1, 6),
    limit=st.sampled_from([1, 3, 50, "inf"]),
    loss=st.sampled_from([0.0, 0.05, 0.5]),
    retries=st.sampled_from([0, 2]),
    warmup=st.sampled_from([0.0, 0.5]),
    seed=st.integers(0, 2**64 - 1),
)
def test_every_packet_is_accounted_for(
    users: int, limit: float | str, loss: float, retries: int, warmup: float, seed: int
) -> None:
    changes = {
        "users": users,
        "warmup_s": warmup,
        "queue.limit_packets": limit,
        "link.errors.probability": loss,
        "link.arq.max_retransmissions": retries,
    }
    table = airlink.run(Scenario.from_toml(TINY).with_(**changes), seed=seed).users
    for unit, drops in (("packets", "drops_{}"), ("bytes", "drops_{}_bytes")):
        dropped = sum(table[drops.format(reason)] for reason in ("queue_full", "air_error", "retry_limit"))
        arrived = table[f"{unit}_waiting_at_start"] + table[f"{unit}_in"]
        delivered = table["packets_delivered"] if unit == "packets" else table["delivered_bytes"]
        np.testing.assert_array_equal(arrived, delivered + dropped + table[f"{unit}_waiting"])


def test_rates_are_in_their_order(scenario: Scenario) -> None:
    users = airlink.run(scenario).users
    assert (users["goodput_bps"] <= users["delivered_bps"]).all()
    assert (users["delivered_bps"] <= users["sent_bps"]).all()
    assert (users["sent_bps"] <= users["granted_bps"]).all()
    assert (users["goodput_bps"] > 0).all()


def test_progress_counts_up_to_all(scenario: Scenario) -> None:
    seen: list[tuple[int, int]] = []
    airlink.run(scenario, replicas=5, progress=lambda *counts: seen.append(counts))
    assert seen[-1] == (5, 5)
    assert seen == sorted(seen)


def test_a_callback_that_fails_is_heard(scenario: Scenario) -> None:
    def fail(_finished: int, _total: int) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        airlink.run(scenario, progress=fail)


@pytest.mark.parametrize("kinds", [["slot"], ["slots", "cwmd"]])
def test_an_unknown_kind_of_series_is_refused_with_those_that_exist(scenario: Scenario, kinds: list[str]) -> None:
    with pytest.raises(airlink.RequestError, match="choose from slots, packets"):
        airlink.run(scenario, record=kinds)


def test_a_single_kind_may_be_written_without_a_list(scenario: Scenario) -> None:
    assert airlink.run(scenario, record="gaps").record == ("gaps",)


@pytest.mark.parametrize(("seed", "replicas", "threads"), [(-1, 1, 1), (2**64, 1, 1), (1, 0, 1), (1, 1, 0)])
def test_numbers_out_of_range_are_refused(scenario: Scenario, seed: int, replicas: int, threads: int) -> None:
    with pytest.raises(ValueError, match="must"):
        airlink.run(scenario, seed, replicas, threads=threads)


@pytest.mark.parametrize(
    "asked",
    [{"replicas": 10**9}, {"seed": 1.5}, {"replicas": 2.5}, {"replicas": True}, {"threads": 1.5}, {"seed": "1"}],
)
def test_what_is_no_number_of_a_run_is_refused_by_name(scenario: Scenario, asked: dict[str, Any]) -> None:
    (name,) = asked
    with pytest.raises(airlink.RequestError, match=f"^{name} is .*; it must be (a whole number|at most 1000000)$"):
        airlink.run(scenario, **asked)


def test_numbers_may_be_those_of_numpy(scenario: Scenario) -> None:
    assert airlink.run(scenario, np.int64(3), np.uint8(2)).seeds == (3, 4)  # type: ignore[arg-type]


def test_a_file_is_no_scenario() -> None:
    with pytest.raises(airlink.RequestError, match=r"a Scenario is needed, not 'cell\.toml'.*from_toml"):
        airlink.run("cell.toml")  # type: ignore[arg-type]
    with pytest.raises(airlink.RequestError, match="a Scenario is needed"):
        airlink.campaign.Plan({"a": "cell.toml"}, [1])  # type: ignore[dict-item]


def test_a_plan_that_would_not_fit_in_memory_is_refused(scenario: Scenario) -> None:
    with pytest.raises(airlink.RequestError, match="scenarios x seeds is 2000000; it must be at most 1000000"):
        airlink.campaign.Plan({"a": scenario, "b": scenario}, range(1_000_000))


def test_the_largest_seed_is_a_seed(scenario: Scenario) -> None:
    assert airlink.run(scenario, seed=2**64 - 1).seeds == (2**64 - 1,)


def test_other_threads_run_while_the_engine_does() -> None:
    # A thread of Python counts during the run; it could not if the engine held the interpreter.
    counted = 0
    stop = threading.Event()

    def count() -> None:
        nonlocal counted
        while not stop.is_set():
            counted += 1
            time.sleep(0.001)

    scenario = Scenario.from_toml(TINY).with_(duration_s=3000, users=20)
    thread = threading.Thread(target=count)
    thread.start()
    before = counted
    start = time.monotonic()
    airlink.run(scenario, threads=1)
    elapsed = time.monotonic() - start
    after = counted
    stop.set()
    thread.join()
    assert after - before > 50 * elapsed


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interruption_ends_the_run_within_a_second_and_keeps_what_had_finished() -> None:
    program = f"""
import airlink, sys, time
from airlink import campaign
short = airlink.Scenario.from_toml('''{TINY}''')
endless = airlink.Scenario.from_toml('''{ENDLESS}''')
def tell(finished, total):
    print("finished", finished, flush=True)
result = campaign.run(campaign.Plan({{"short": short, "endless": endless}}, [1, 2]), threads=2, progress=tell)
print(time.time(), result.interrupted, result.finished.tolist(), flush=True)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while "finished 2" not in process.stdout.readline():
            assert process.poll() is None
        sent = time.time()
        process.send_signal(signal.SIGINT)
        *_, last = process.communicate(timeout=30)[0].strip().splitlines()
    ended, outcome = last.split(" ", 1)
    assert float(ended) - sent < 1
    assert outcome == "True [[True, True], [False, False]]"


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interruption_before_anything_finished_is_a_keyboard_interrupt() -> None:
    program = f"""
import airlink
print("started", flush=True)
try:
    airlink.run(airlink.Scenario.from_toml('''{ENDLESS}'''), progress=lambda *_: print("under way", flush=True))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while "under way" not in process.stdout.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=30)[0].strip().endswith("interrupted")


def test_what_the_engine_refuses_is_a_scenario_error(scenario: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    def without_users(_: Scenario) -> str:
        return whole.replace('"users": 3,', '"users": 0,')

    whole = scenario.to_json()
    assert '"users": 3,' in whole
    monkeypatch.setattr(Scenario, "to_json", without_users)
    with pytest.raises(airlink.ScenarioError, match="users") as refused:
        airlink.run(scenario)
    assert [problem.path for problem in refused.value.problems] == ["users"]
