"""Engines: the same digests from each, lost workers, workers that can't, Ctrl-C, how much is under way."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from importlib import import_module
from multiprocessing import active_children
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from airlink import RequestError, Scenario, ScenarioError, campaign, engine
from airlink.campaign import EngineError, Plan, engine_of
from airlink.campaign.batches import Answer, run_batch
from airlink.campaign.runs import AHEAD, Runs
from airlink.result import MissingExtra
from airlink.scenario import ready
from small_cells import ENDLESS, TINY

PLAN = Plan({"three": TINY, "two": TINY.with_(users=2)}, seeds=[*range(1, 20), 40], record=["acks"])

Digests = dict[tuple[str, int], str]


def digests(plan: Plan = PLAN, **how: Any) -> Digests:
    with campaign.stream(plan, **how) as runs:
        found = [((label, seed), replica.digest) for label, seed, replica in runs]
    assert len(found) == len(dict(found))
    return dict(found)


@pytest.fixture(scope="module")
def expected() -> Digests:
    return digests()


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with engine_of("processes:2") as executor:
        yield executor


def test_threads_of_any_number_give_the_same(expected: Digests) -> None:
    # With a part the campaign batches the runs itself; without, the engine does it all.
    assert digests(threads=1) == digests(executor=engine_of("threads:2")) == expected
    with campaign.stream(PLAN, executor=engine_of("threads:2")) as runs:
        assert isinstance(runs, engine.Stream)
    with ThreadPoolExecutor(2) as pool:
        assert digests(executor=pool) == expected


def test_processes_give_the_same_also_when_one_is_killed(expected: Digests, processes: Executor) -> None:
    assert digests(executor=processes) == expected
    # From here on they are there: one is lost while it works.
    killed: list[BaseProcess] = []
    with campaign.stream(Plan({"": TINY}, range(1, 401)), executor=processes) as runs:
        found = []
        for run in runs:
            found.append((run.seed, run.replica.digest))
            if not killed:
                killed = active_children()[:1]
                os.kill(killed[0].pid or 0, signal.SIGKILL if os.name != "nt" else signal.SIGTERM)
    assert [seed for seed, _ in sorted(found)] == list(range(1, 401))
    plain = digests(Plan({"": TINY}, range(1, 401)))
    assert {("", seed): digest for seed, digest in found} == plain
    assert digests(executor=processes) == expected


@pytest.mark.thorough
def test_a_cluster_of_two_with_one_killed_gives_the_same(expected: Digests) -> None:
    distributed = pytest.importorskip("distributed")
    long = Plan({"": TINY}, range(1, 1501))
    plain = digests(long)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        with engine_of(f"dask:{cluster.scheduler_address}") as executor:
            assert digests(executor=executor) == expected
            found, killed = {}, False
            with campaign.stream(long, executor=executor) as runs:
                for label, seed, replica in runs:
                    found[label, seed] = replica.digest
                    if len(found) > 100 and not killed:
                        killed = True
                        os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
        assert killed
        assert found == plain
        with distributed.Client(cluster) as client:
            assert digests(executor=client.get_executor()) == expected


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A cluster of one worker, in this process."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as found:
        yield found


@pytest.mark.parametrize("of_client", [False, True], ids=["engine_of", "get_executor"])
def test_an_answer_of_a_cluster_counts_though_its_worker_is_lost_while_it_is_fetched(
    cluster: Any, expected: Digests, monkeypatch: pytest.MonkeyPatch, of_client: bool
) -> None:
    client = import_module("distributed").Client
    gather, fetched = client._gather, []

    async def then_lost(self: Any, futures: Any, *args: Any, **how: Any) -> Any:
        found = await gather(self, futures, *args, **how)
        for future in [futures] if not isinstance(futures, list) else futures:
            future._state.lose()
            fetched.append(future.key)
        return found

    monkeypatch.setattr(client, "_gather", then_lost)
    with client(cluster, set_as_default=False) as own, engine_of(f"dask:{cluster.scheduler_address}") as executor:
        assert digests(executor=own.get_executor() if of_client else executor) == expected
    assert fetched


@pytest.mark.parametrize("of_client", [False, True], ids=["engine_of", "get_executor"])
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (None, "^the engine has dropped its work: is its scheduler gone"),
        (OSError("gone"), "^the engine has dropped its work: is its scheduler gone"),
        (KeyError("x"), "^a worker failed: KeyError: 'x'$"),
    ],
    ids=["dropped", "gone", "failed"],
)
def test_work_of_a_cluster_that_is_given_up_while_it_is_fetched_ends(
    cluster: Any, monkeypatch: pytest.MonkeyPatch, of_client: bool, error: Exception | None, said: str
) -> None:
    client = import_module("distributed").Client

    async def given_up(_: Any, futures: Any, *_args: Any, **_how: Any) -> Any:
        state = (futures[0] if isinstance(futures, list) else futures)._state
        await state.wait()
        if error is not None:
            raise error
        state.cancel()
        raise state.exception

    monkeypatch.setattr(client, "_gather", given_up)
    with (
        client(cluster, set_as_default=False) as own,
        engine_of(f"dask:{cluster.scheduler_address}") as executor,
        pytest.raises(EngineError, match=said),
    ):
        digests(executor=own.get_executor() if of_client else executor)


def test_a_cluster_whose_client_is_closed_is_one_sentence(cluster: Any) -> None:
    with engine_of(f"dask:{cluster.scheduler_address}") as executor:
        pass
    with pytest.raises(EngineError, match=r"^the engine takes no more work: .*the client of the cluster is closed$"):
        digests(executor=executor)


@pytest.mark.validate
def test_trips_cost_less_than_five_percent() -> None:
    distributed = pytest.importorskip("distributed")
    plan = Plan({"": ready("k3", ["duration_s=20"])}, range(1, 801))
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        for name in (f"dask:{cluster.scheduler_address}", "processes:2"):
            with engine_of(name) as executor, campaign.stream(plan, executor=executor) as runs:
                assert sum(1 for _ in runs) == 800
            assert isinstance(runs, Runs)
            assert runs.pace.trip_s < 0.05 * runs.pace.run_s, name


class Odd(Executor):
    """Answers in this process, each batch as a function says, some milliseconds later; counts what is under way."""

    count = 2

    def __init__(self, answer: Callable[..., Answer]) -> None:
        self.answer = answer
        self.pool = ThreadPoolExecutor(1)
        self.under_way = self.most = self.calls = 0

    def submit(self, *args: Any, **_: Any) -> Future[Any]:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        return self.pool.submit(self.work, args[1:])

    def work(self, args: tuple[Any, ...]) -> Answer:
        time.sleep(0.005)
        self.calls += 1
        self.under_way -= 1
        return self.answer(*args)


def failing(error: BaseException) -> Any:
    def answer(*_: Any) -> Answer:
        raise error

    return answer


class KilledWorker(Exception):
    """As Dask calls it."""


@pytest.mark.parametrize("lost", [BrokenExecutor("a process ended"), KilledWorker("x")])
def test_a_batch_is_lost_three_times_and_then_it_is_one_sentence(lost: Exception) -> None:
    odd = Odd(failing(lost))
    with pytest.raises(EngineError, match=r"^a worker was lost 3 times while it ran seed \d+ of tiny: has it too"):
        digests(executor=odd)
    assert odd.calls >= 3


def test_a_batch_that_is_lost_once_is_run_again(expected: Digests) -> None:
    lost: list[tuple[Any, ...]] = []

    def answer(*args: Any) -> Answer:
        if not lost:
            lost.append(args)
            raise BrokenExecutor
        return run_batch(*args)

    assert digests(executor=Odd(answer)) == expected
    assert lost


def test_a_worker_with_another_airlink_is_refused() -> None:
    there = Answer("0.0.1", "node7")
    with pytest.raises(EngineError, match=r"^a worker on node7 has airlink 0\.0\.1, not .*: install the same$"):
        digests(executor=Odd(lambda *_: there))
    assert run_batch("0.0.1", b"no pickle", [1], "", 1).version == engine.engine_build()


def test_what_a_worker_fails_with_is_one_sentence() -> None:
    with pytest.raises(EngineError, match=r"^a worker failed: ModuleNotFoundError: No module named 'airlink'$"):
        digests(executor=Odd(failing(ModuleNotFoundError("No module named\n'airlink'"))))


def test_a_trace_that_a_worker_lacks_is_one_sentence(tmp_path: Path, processes: Executor) -> None:
    trace = tmp_path / "trace.csv"
    trace.write_text("0,10\n1,12\n2,9\n")
    placement = {"kind": "trace", "files": [str(trace)], "quantity": "snr_db", "value_column": "2", "format": "csv"}
    plan = Plan({"": TINY.with_(**{"channel.placement": placement, "channel.fading.kind": "none", "users": 1})}, [1])
    with campaign.stream(plan, executor=processes) as runs:
        trace.unlink()
        with pytest.raises(
            EngineError, match=r"^a worker on \S+ can't run this: channel\.placement\.files\.0 = .*No such file"
        ) as raised:
            list(runs)
    assert "\n" not in str(raised.value)


def test_a_scenario_that_the_engine_refuses_is_refused_before_anything_is_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    odd, plan = Odd(run_batch), Plan({"": TINY.with_(users=7)}, [1])
    monkeypatch.setattr(Scenario, "to_json", lambda _: "{}")
    with pytest.raises(ScenarioError):
        campaign.stream(plan, executor=odd)
    assert odd.most == 0


def test_few_batches_are_under_way_however_many_jobs_there_are() -> None:
    odd = Odd(run_batch)
    with campaign.stream(Plan({"": TINY}, range(100_000)), executor=odd) as runs:
        for _ in range(300):
            next(runs)
    assert odd.most == AHEAD * odd.count


def test_an_executor_that_takes_no_more_is_one_sentence() -> None:
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(EngineError, match=r"^the engine takes no more work: "):
        digests(executor=pool)


@pytest.mark.parametrize("text", ["", "thread", "threads:x", "processes:", "processes:0", "dask:", "threads:4:4"])
def test_an_engine_that_there_is_not_is_answered_with_those_there_are(text: str) -> None:
    with pytest.raises(RequestError, match=r"engine is .*processes:4 or dask:ADDRESS|threads is 0"):
        engine_of(text)


def test_dask_that_is_not_installed_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtra, match=r"^distributed is not installed; pip install 'airlink\[dask\]'$"):
        engine_of("dask:tcp://127.0.0.1:8786")


PROGRAM = f"""
import sys
from airlink import Scenario, campaign
from airlink.campaign import Plan, engine_of
tiny = Scenario.from_json('''{TINY.to_json()}''')
endless = Scenario.from_json('''{ENDLESS.to_json()}''')

def main(name, part):
    found = []
    plan = Plan({{"short": tiny, "endless": endless}}, [1, 2])
    with engine_of(name) as executor:
        try:
            # A part, so that threads are the campaign's own.
            with campaign.stream(plan, executor=executor, shard=(1, part)) as runs:
                for label, seed, _ in runs:
                    found.append(label)
                    print("read", flush=True)
        except KeyboardInterrupt:
            print("interrupted", found, flush=True)

if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
"""


def child(folder: Path, name: str, part: int = 1) -> subprocess.Popen[str]:
    """A program that runs short jobs and endless ones, once its first has ended. Processes import it: it is a file."""
    (folder / "program.py").write_text(PROGRAM)
    command = [sys.executable, str(folder / "program.py"), name, str(part)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "read\n", process.communicate(timeout=5)[1]
    return process


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(("name", "part"), [("threads:2", 2), ("processes:2", 1)])
def test_ctrl_c_ends_an_engine_cleanly_and_keeps_what_had_finished(tmp_path: Path, name: str, part: int) -> None:
    with child(tmp_path, name, part) as process:
        time.sleep(0.3)
        # As a terminal does: to all processes of the group.
        os.killpg(process.pid, signal.SIGINT)
        # The run that it ends would go on for days.
        out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, "")
    assert "interrupted ['short'" in out
    assert "endless" not in out


@pytest.mark.thorough
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_ends_work_on_a_cluster_there_as_well(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        with child(tmp_path, f"dask:{cluster.scheduler_address}") as process:
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
        assert (process.returncode, err) == (0, "")
        assert "interrupted ['short'" in out
        with distributed.Client(cluster) as client:
            # Both workers are free again: an endless run would keep one from this.
            assert client.gather(client.map(abs, range(-4, 0), pure=False), direct=False) == [4, 3, 2, 1]
            began = time.monotonic()
            while any(client.processing().values()) or any(client.call_stack().values()):
                assert time.monotonic() - began < 5
                time.sleep(0.1)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes as Linux lists them")
def test_processes_end_when_the_program_is_killed(tmp_path: Path) -> None:
    with child(tmp_path, "processes:2") as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait(timeout=10)
        began = time.monotonic()
        while at_work(process.pid):
            assert time.monotonic() - began < 10
            time.sleep(0.05)


def at_work(session: int) -> list[str]:
    """Processes of a session that have not ended."""
    stats = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            stats.append(path.read_text().rpartition(")")[2].split())
        except OSError:
            continue
    return [stat[0] for stat in stats if int(stat[3]) == session and stat[0] not in "ZX"]


@pytest.mark.thorough
def test_the_program_of_the_page_runs_as_it_stands(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    page = (Path(__file__).parent.parent / "docs/cluster.md").read_text()
    (program,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "program.py").write_text(program)
    done = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
