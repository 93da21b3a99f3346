"""Replicas as they end: their order, leaving half-way, Ctrl-C, memory, and what crosses to other processes."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import airlink
from airlink import Scenario, campaign, engine
from airlink.campaign import Plan, Run
from airlink.engine import Replica, Request, Table
from airlink.scenario import ready
from small_cells import ENDLESS, TINY


def threads_of_the_engine() -> int:
    """Threads of this process that belong to the engine, by name; 0 where the system does not list them."""
    names = [path.read_text() for path in Path("/proc/self/task").glob("*/comm")]
    return sum(name.strip() == "airlink" for name in names)


def test_replicas_do_not_depend_on_threads_and_have_the_index_of_their_job() -> None:
    request = Request([TINY, TINY.with_(users=2)], range(5, 15), ["acks"])
    found = []
    for threads in (1, 2):
        with engine.stream(request, threads) as runs:
            found.append({index: replica.digest for index, replica in runs})
    assert found[0] == found[1]
    assert sorted(found[0]) == list(range(20))
    for index in (0, 9, 10, 19):
        place, seed = request.job(index)
        assert (place, seed) == (index // 10, 5 + index % 10)
        alone = airlink.run(request.scenarios[place], seed, record=["acks"])
        assert alone.replicas[0].digest == found[0][index]


@pytest.mark.parametrize("seeds", [range(9, 0, -3), [9, 6, 3], np.array([9, 6, 3])])
def test_seeds_may_be_a_range_or_a_list(seeds: Any) -> None:
    with engine.stream(Request([TINY], seeds)) as runs:
        assert sorted((index, replica.seed) for index, replica in runs) == [(0, 9), (1, 6), (2, 3)]


def test_a_campaign_streams_labels_seeds_and_replicas() -> None:
    plan = Plan({"three": TINY, "two": TINY.with_(users=2)}, seeds=[4, 7])
    whole = campaign.run(plan)
    with campaign.stream(plan) as runs:
        found = {(run.label, run.seed): run for run in runs}
    assert sorted(found) == [("three", 4), ("three", 7), ("two", 4), ("two", 7)]
    for (label, seed), run in found.items():
        assert isinstance(run, Run)
        held = whole.replicas[label][plan.seeds.index(seed)]
        assert held is not None
        assert run.replica.digest == held.digest


def test_a_stream_warns_as_a_campaign_does() -> None:
    plan = Plan({"": TINY.with_(**{"queue.codel.target_ms": 20})}, [1])
    with pytest.warns(airlink.ScenarioWarning, match=r"queue\.codel") as warned, campaign.stream(plan) as runs:
        assert len(list(runs)) == 1
    assert warned[0].filename == __file__


def test_a_stream_that_is_left_ends_its_runs_and_threads() -> None:
    plan = Plan({"short": TINY, "endless": ENDLESS}, [1, 2, 3])
    began = time.monotonic()
    with campaign.stream(plan, threads=2) as runs:
        assert next(runs).label == "short"
        assert threads_of_the_engine() > 0 or not Path("/proc/self/task").exists()
    assert time.monotonic() - began < 5
    assert threads_of_the_engine() == 0
    assert list(runs) == []


def test_a_stream_that_nobody_holds_ends_as_well() -> None:
    for run in campaign.stream(Plan({"short": TINY, "endless": ENDLESS}, [1, 2, 3]), threads=2):
        assert run.label == "short"
        break
    assert threads_of_the_engine() == 0


def test_an_error_in_the_loop_ends_the_runs() -> None:
    def fail() -> None:
        with campaign.stream(Plan({"short": TINY, "endless": ENDLESS}, [1, 2, 3]), threads=2) as runs:
            for _ in runs:
                raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert threads_of_the_engine() == 0


def test_a_progress_that_fails_is_heard_and_the_replica_is_still_there() -> None:
    def fail(_finished: int, _total: int) -> None:
        raise ZeroDivisionError

    with engine.stream(Request([TINY], [3]), progress=fail) as runs:
        with pytest.raises(ZeroDivisionError):
            next(runs)
        assert next(runs)[1].seed == 3


def test_an_interruption_while_progress_is_shown_loses_no_replica() -> None:
    def interrupt(_finished: int, _total: int) -> None:
        raise KeyboardInterrupt

    with engine.stream(Request([TINY], [3, 4]), 1, interrupt) as runs:
        assert next(runs)[1].seed == 3
        with pytest.raises(KeyboardInterrupt):
            list(runs)
        assert list(runs) == []


def test_progress_counts_what_was_read() -> None:
    told: list[tuple[int, int]] = []
    with engine.stream(Request([TINY], range(30)), progress=lambda *counts: told.append(counts)) as runs:
        for read, _ in enumerate(runs, 1):
            assert told[-1][0] <= read
    assert told[-1] == (30, 30)
    assert told == sorted(told)


def test_a_cancelled_stream_gives_what_had_ended() -> None:
    with engine.stream(Request([TINY, ENDLESS], [1, 2]), threads=2) as runs:
        found = [next(runs)]
        runs.cancel()
        found += runs
    assert {index for index, _ in found} <= {0, 1}


def test_two_threads_may_read_one_stream() -> None:
    found: list[int] = []
    with engine.stream(Request([TINY], range(40)), threads=2) as runs:
        lock = threading.Lock()

        def read() -> None:
            while True:
                with lock:
                    item = next(runs, None)
                if item is None:
                    return
                found.append(item[0])

        readers = [threading.Thread(target=read) for _ in range(2)]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
    assert sorted(found) == list(range(40))


PRELUDE = f"""
import gc, os, sys, time
from airlink import Scenario, campaign, engine
from airlink.campaign import Plan
from airlink.engine import Request
tiny = Scenario.from_json('''{TINY.to_json()}''')
endless = Scenario.from_json('''{ENDLESS.to_json()}''')
"""


def child(program: str, *arguments: float) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PRELUDE + program, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def until(process: subprocess.Popen[str], word: str) -> None:
    assert process.stdout is not None
    while word not in process.stdout.readline():
        assert process.poll() is None


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_after_ctrl_c_what_had_ended_comes_before_the_interruption() -> None:
    program = """
found = []
with campaign.stream(Plan({"short": tiny, "endless": endless}, [1, 2]), threads=2) as runs:
    try:
        for label, seed, _ in runs:
            found.append((label, seed))
            # Both short ones have ended, the second is not read yet.
            time.sleep(1) if len(found) == 1 else None
            print("read", len(found), flush=True)
    except KeyboardInterrupt:
        print("interrupted", sorted(found), list(runs), flush=True)
"""
    with child(program) as process:
        until(process, "read 2")
        time.sleep(0.3)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (out.strip(), err) == ("interrupted [('short', 1), ('short', 2)] []", "")
    assert time.monotonic() - sent < 2


def test_a_stream_that_is_open_at_the_end_of_the_program_does_no_harm() -> None:
    program = """
runs = campaign.stream(Plan({"short": tiny, "endless": endless}, [1, 2, 3]), threads=2)
next(runs)
gc.collect()
kept = [runs]
kept.append(kept)
print("left", flush=True)
"""
    began = time.monotonic()
    with child(program) as process:
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out.strip(), err) == (0, "left", "")
    assert time.monotonic() - began < 20


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes of POSIX")
def test_a_forked_process_lets_go_of_a_stream_that_is_not_its_own() -> None:
    program = """
runs = engine.stream(Request([tiny, endless], [1, 2]), threads=2)
next(runs)
sys.stdout.flush()
if (forked := os.fork()) == 0:
    del runs
    gc.collect()
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(forked, 0)[1]), flush=True)
print(next(runs)[0] in (0, 1), flush=True)
"""
    with child(program) as process:
        out, err = process.communicate(timeout=30)
    assert (out.split(), err) == (["7", "True"], "")


WORKLOAD_B = Path(__file__).parent.parent / "crates/bench/workloads/b.json"
PEAKS = f"""
import re
from pathlib import Path
def peak_kb():
    return int(re.search(r"VmHWM:\\s+([0-9]+)", Path("/proc/self/status").read_text())[1])
duration_s, few, many, pause_s = map(float, sys.argv[1:])
changes = {{"link.report.error_sd_db": 0.0, "duration_s": duration_s}}
scenario = Scenario.from_json(Path({str(WORKLOAD_B)!r}).read_text()).with_(**changes)
with engine.stream(Request([scenario], range(int(many))), threads=2) as runs:
    for done, (_, replica) in enumerate(runs, 1):
        found = replica.cell["goodput_bps"], replica.users["goodput_bps"], replica.flows["timeouts"]
        time.sleep(pause_s)
        if done in (few, many):
            print(peak_kb())
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory as Linux tells it")
@pytest.mark.parametrize(
    ("duration_s", "few", "many", "pause_s"),
    [
        (0.2, 200, 2000, 0),
        (0.2, 400, 1500, 0.002),
        pytest.param(25, 2000, 100_000, 0, marks=pytest.mark.validate),
        pytest.param(25, 1000, 5000, 0.02, marks=pytest.mark.validate),
    ],
)
def test_memory_does_not_grow_with_the_number_of_replicas(
    duration_s: float, few: int, many: int, pause_s: float
) -> None:
    """Workload B of the bench, also for a reader that is slower than the runs. A replica that is kept takes 30 kB."""
    with child(PEAKS, duration_s, few, many, pause_s) as process:
        out, err = process.communicate()
    assert err == ""
    before_kb, after_kb = map(int, out.split())
    # What waits to be read holds 4 MB of numbers; 1100 replicas that were kept would take 35 MB.
    assert after_kb - before_kb < 12_000


def kinds_of_scenarios() -> dict[str, Scenario]:
    """A scenario for each way in which a replica can be made."""
    files = {"traffic": {"kind": "poisson", "size": {"kind": "constant", "bytes": 20_000}, "arrivals_per_s": 3}}
    return {
        "cell": TINY,
        "subchannels": ready("imt-advanced", ["duration_s=0.1"]),
        "blocks": ready("nr-like", ["duration_s=0.05", "warmup_s=0"]),
        "bottleneck": ready("dumbbell", ["duration_s=1"]),
        "downloads": TINY.with_(drain_s=2, flows=[files]),
        "prices": ready("clamp", ["duration_s=1", "warmup_s=0"]),
    }


SCENARIOS = kinds_of_scenarios()


def recorded(name: str) -> Replica:
    scenario = SCENARIOS[name]
    (replica,) = airlink.run(scenario, 3, record=engine.recordable(scenario)).replicas
    return replica


def check_equal(made: Replica, held: Replica) -> None:
    assert made.stored_digest == ""
    assert engine.digest(made) == held.digest
    assert (made, hash(made), made.users) == (held, hash(held), held.users)
    assert made.users != held.flows
    assert list(made.series) == list(held.series)
    for kind, table in held.series.items():
        assert list(made.series[kind]) == list(table)
    assert {type(value) for value in made.cell.values()} == {type(value) for value in held.cell.values()}
    with pytest.raises(ValueError, match="read-only"):
        made.users["user"][0] = 7


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_replica_is_the_same_after_a_pickle_and_as_a_copy(name: str) -> None:
    held = recorded(name)
    assert len(held.series) > 5
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        check_equal(pickle.loads(pickle.dumps(held, protocol)), held)
    check_equal(copy.deepcopy(held), held)
    check_equal(copy.copy(held), held)
    check_equal(pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(held)))), held)


def test_a_pickle_takes_its_columns_and_little_more() -> None:
    (held,) = airlink.run(ready("dumbbell", ["duration_s=20"]), record=["packets", "acks"]).replicas
    columns = sum(values.nbytes for table in held.series.values() for values in table.values())
    assert columns > 1_000_000
    assert columns < len(pickle.dumps(held)) < columns + 20_000


def replica_of(request: Request) -> Replica:
    (replica,) = engine.run(request, threads=1).replicas
    assert replica is not None
    return replica


def test_other_processes_run_jobs_and_send_their_replicas() -> None:
    scenarios = [SCENARIOS[name] for name in ("cell", "bottleneck", "downloads")]
    request = Request(scenarios, range(5, 7), ["packets", "downloads"])
    here = engine.run(request).replicas
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        there = list(pool.map(replica_of, map(request.only, range(request.jobs))))
    assert [replica.digest for replica in there] == [replica.digest for replica in here if replica is not None]


def test_a_request_is_the_same_after_a_pickle() -> None:
    for seeds in (range(5), [3, 1, 2]):
        request = Request(list(SCENARIOS.values()), seeds, ["packets"])
        assert request.in_engine is request.in_engine
        assert pickle.loads(pickle.dumps(request)) == request


def test_a_request_holds_what_was_read() -> None:
    request = Request([ready("lte")], np.array([3, 2], np.uint64), ("rtt", "pcap", "acks", "rtt"))  # type: ignore[arg-type]
    assert request.scenarios == (ready("lte").resolved(),)
    assert (request.seeds, request.record, request.captures) == ((3, 2), ("acks", "rtt"), True)
    assert [type(seed) for seed in request.seeds] == [int, int]
    with pytest.raises(AttributeError):
        request.seeds = [7]  # type: ignore[misc]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"seeds": range(-1, 3)}, r"seed is -1; it must lie in 0\.\.2\^64-1"),
        ({"seeds": range(2**64 - 1, 2**64 + 1)}, r"seed is 18446744073709551616; it must lie in"),
        ({"seeds": [1, 2.5]}, "seed is 2.5; it must be a whole number"),
        ({"seeds": []}, "scenarios x seeds is 0; it must be at least 1"),
        ({"seeds": range(10**6 + 1)}, "scenarios x seeds is 1000001; it must be at most 1000000"),
        ({"record": ["slot"]}, "record: 'slot' unknown"),
        ({"record": ["prices"]}, "record: prices needs a queue with a price"),
        ({"snap_bytes": 7}, "snap is 7; it must lie in 80"),
        ({"scenarios": ["cell.toml"]}, "a Scenario is needed, not 'cell.toml'"),
    ],
)
def test_a_request_that_is_impossible_is_refused(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(airlink.RequestError, match=message):
        Request(**{"scenarios": [TINY], "seeds": [1], **asked})


def test_many_jobs_take_no_memory_before_they_run() -> None:
    request = Request([ENDLESS], range(1_000_000))
    assert len(pickle.dumps(request)) < 20_000
    with engine.stream(request, threads=1) as runs:
        assert runs.jobs == 1_000_000


def test_tables_are_read_by_arrow_without_a_copy() -> None:
    pa = pytest.importorskip("pyarrow")
    replica = recorded("bottleneck")
    for table in (replica.users, replica.flows, *replica.series.values()):
        seen = pa.table(table)
        assert seen.column_names == list(table)
        for name, values in table.items():
            (chunk,) = seen[name].chunks if len(values) else (pa.array(values),)
            np.testing.assert_array_equal(chunk.to_numpy(), values)
            assert not len(values) or chunk.buffers()[1].address == values.__array_interface__["data"][0]


def test_tables_are_read_by_polars_and_pandas() -> None:
    pl = pytest.importorskip("polars")
    pd = pytest.importorskip("pandas")
    acks = recorded("bottleneck").series["acks"]
    assert pl.DataFrame(acks).to_dict(as_series=False) == {name: values.tolist() for name, values in acks.items()}
    frame = pd.DataFrame.from_arrow(acks) if hasattr(pd.DataFrame, "from_arrow") else pd.DataFrame(dict(acks))
    assert frame["time_s"].tolist() == acks["time_s"].tolist()


def test_tables_are_read_by_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    acks = recorded("bottleneck").series["acks"]
    assert duckdb.sql("select count(*), max(time_s) from acks").fetchall() == [(acks.rows, acks["time_s"].max())]


def test_a_table_of_words_and_truths_is_read_as_well() -> None:
    pa = pytest.importorskip("pyarrow")
    table = Table({"name": ["slow", "", "fast"], "is_it": [True, False, True], "seed": np.arange(3, dtype=np.uint64)})
    assert pa.table(table).to_pylist()[2] == {"name": "fast", "is_it": True, "seed": 2}
    assert pa.table(Table({})).num_rows == 0
    made = pickle.loads(pickle.dumps(table))
    assert {name: values.tolist() for name, values in made.items()} == {k: v.tolist() for k, v in table.items()}


def test_a_run_loads_no_arrow() -> None:
    program = "airlink = __import__('airlink'); airlink.run(tiny); print('pyarrow' in sys.modules)"
    with child(program) as process:
        out, err = process.communicate(timeout=30)
    assert (out.strip(), err) == ("False", "")
