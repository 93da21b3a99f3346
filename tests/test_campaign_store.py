"""Campaigns with a store: what is there is not run again, processes share a plan, one that fails costs no result."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from sqlite3 import OperationalError, connect
from typing import Any

import pytest
from typer.testing import CliRunner

from airlink import campaign
from airlink.campaign import Plan, StoreWarning
from airlink.campaign.runs import Runs
from airlink.cli import app
from airlink.engine import Replica
from airlink.result import Result
from airlink.store import Store, StoreError
from small_cells import TCP_TEXT, TINY

PLAN = Plan({"three": TINY, "two": TINY.with_(users=2)}, seeds=range(1, 21))

Digests = dict[tuple[str, int], str]


def digests(plan: Plan, store: Any, **how: Any) -> tuple[Digests, int]:
    """Of all replicas, and how many were stored."""
    with campaign.stream(plan, store=store, **how) as runs:
        found = [((label, seed), replica.digest) for label, seed, replica in runs]
    assert isinstance(runs, Runs)
    assert len(found) == len(dict(found)) == len(plan.scenarios) * len(plan.seeds) == runs.finished
    return dict(found), runs.stored


@pytest.fixture(scope="module")
def expected() -> Digests:
    with campaign.stream(PLAN) as runs:
        return {(label, seed): replica.digest for label, seed, replica in runs}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store") as opened:
        yield opened


def test_what_is_stored_is_not_run_again_and_has_the_same_digests(
    store: Store, expected: Digests, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert digests(PLAN, store) == (expected, 0)
    monkeypatch.setattr("airlink.campaign.crew.ThreadCrew.send", lambda *_: pytest.fail("it runs"))
    assert digests(PLAN, store) == (expected, 40)
    whole = campaign.run(PLAN, store=store)
    rows = {label: [expected[label, seed] for seed in PLAN.seeds] for label in PLAN.scenarios}
    assert {label: [each.digest for each in row if each] for label, row in whole.replicas.items()} == rows


def test_only_what_is_new_is_run_and_stored_ones_come_first(store: Store, expected: Digests) -> None:
    some = Plan({"two": PLAN.scenarios["two"]}, seeds=[3, 17, 2])
    digests(some, store)
    with campaign.stream(PLAN, store=store) as runs:
        order = [(run.label, run.seed) for run in runs]
    assert sorted(order[:3]) == [("two", 2), ("two", 3), ("two", 17)]
    assert sorted(order) == sorted(expected)
    assert runs.stored == 3


def test_what_is_stored_does_not_depend_on_the_engine(tmp_path: Path, expected: Digests) -> None:
    with Store(tmp_path / "a") as store, campaign.engine_of("threads:1") as one:
        assert digests(PLAN, store, executor=one) == (expected, 0)
    with Store(tmp_path / "a") as store:
        assert digests(PLAN, store) == (expected, 40)


def test_leaving_half_way_keeps_what_had_come_and_gives_the_rest_back(store: Store, expected: Digests) -> None:
    with campaign.stream(PLAN, store=store, threads=2) as runs:
        for _ in range(10):
            next(runs)
    with Store(store.folder) as other:
        found, stored = digests(PLAN, other)
    assert found == expected
    assert stored >= 10


def test_progress_counts_stored_ones_at_once(store: Store) -> None:
    told: list[tuple[int, int]] = []
    digests(PLAN, store)
    digests(PLAN, store, progress=lambda *counts: told.append(counts))
    assert told[-1] == (40, 40)
    assert told == sorted(told)


def test_an_interruption_while_progress_is_shown_loses_no_replica(store: Store) -> None:
    def interrupt(_finished: int, _total: int) -> None:
        raise KeyboardInterrupt

    with campaign.stream(PLAN, 1, interrupt, store=store) as runs:
        found: list[int] = []
        with pytest.raises(KeyboardInterrupt):
            found.extend(run.seed for run in runs)
        assert list(runs) == []
    with Store(store.folder) as other:
        assert len(found) <= digests(PLAN, other)[1]


class Broken(Store):
    """One of its functions fails from its n-th call on."""

    def __init__(self, folder: Path, name: str, after: int) -> None:
        super().__init__(folder)
        self.calls = 0
        works: Callable[..., Any] = getattr(self, name)

        def use(*args: Any) -> Any:
            self.calls += 1
            if self.calls > after:
                raise StoreError(f"{folder} can't be written: No space left on device")
            return works(*args)

        setattr(self, name, use)


@pytest.mark.parametrize(
    ("name", "after"), [("key", 0), ("find", 0), ("find", 1), ("claim", 0), ("claim", 2), ("put", 0), ("put", 7)]
)
def test_a_store_that_fails_costs_one_warning_and_no_result(
    tmp_path: Path, expected: Digests, name: str, after: int
) -> None:
    store = Broken(tmp_path, name, after)
    with closing(store), pytest.warns(StoreWarning, match="No space left on device; going on without") as warned:
        assert digests(PLAN, store)[0] == expected
    assert len(warned) == 1


class Forgetful(Store):
    """Has some of its replicas no more when they are read."""

    def replicas(self, key: str, seeds: Sequence[int]) -> Iterator[Replica]:
        return super().replicas(key, [seed for seed in seeds if seed % 3])


def test_what_is_lost_when_it_is_read_is_run_again(store: Store, expected: Digests) -> None:
    digests(PLAN, store)
    with Forgetful(store.folder) as forgetful:
        assert digests(PLAN, forgetful) == (expected, 28)


PROGRAM = f"""
import sys
from airlink import Scenario, campaign
from airlink.store import Store
tiny = Scenario.from_toml('''{TCP_TEXT}''')
plan = campaign.Plan({{"": tiny.with_(duration_s=float(sys.argv[3]))}}, range(1, int(sys.argv[2]) + 1))
with Store(sys.argv[1]) as store, campaign.stream(plan, 1, store=store) as runs:
    for run in runs:
        print(run.seed, flush=True)
print("ran", runs.finished - runs.stored, "of", runs.finished, flush=True)
"""


def child(store: Path, seeds: int, duration_s: float = 20) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PROGRAM, str(store), str(seeds), str(duration_s)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def rows(store: Path) -> int:
    """Results in a store, as its manifest has them; 0 while there is none."""
    if not (store / "store.sqlite").exists():
        return 0
    with closing(connect(store / "store.sqlite")) as manifest:
        try:
            (count,) = manifest.execute("SELECT count(*) FROM results").fetchone()
        except OperationalError:
            return 0
    return int(count)


def test_two_processes_run_each_job_of_a_plan_once(tmp_path: Path) -> None:
    ran, finished = [], []
    with child(tmp_path / "s", 60) as one, child(tmp_path / "s", 60) as other:
        for process in (one, other):
            out, _ = process.communicate(timeout=60)
            _, count, _, all_of_them = out.splitlines()[-1].split()
            ran.append(int(count))
            finished.append(int(all_of_them))
            assert sorted(map(int, out.splitlines()[:-1])) == list(range(1, 61))
    assert (sum(ran), finished, rows(tmp_path / "s")) == (60, [60, 60], 60)


@pytest.mark.thorough
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_what_a_killed_process_had_claimed_is_taken_over(tmp_path: Path) -> None:
    # Runs of some seconds: the first is killed in the middle of one that the second waits for.
    plan = Plan({"": TINY.with_(duration_s=2000)}, range(1, 4))
    with child(tmp_path, 3, 2000) as killed:
        began = time.monotonic()
        while not list((tmp_path / "owners").glob("*")):
            assert time.monotonic() - began < 30
            time.sleep(0.05)
        time.sleep(0.5)
        with Store(tmp_path) as store:
            taken = [seed for seed in plan.seeds if seed not in store.claim(store.key(plan.scenarios[""]), [seed])]
            store.release()
        assert taken
        os.kill(killed.pid, signal.SIGKILL)
        killed.wait(timeout=10)
    with Store(tmp_path) as store:
        found, _ = digests(plan, store)
    with campaign.stream(plan) as runs:
        assert found == {(label, seed): replica.digest for label, seed, replica in runs}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder with a scenario."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AIRLINK_STORE", raising=False)
    Path("tiny.toml").write_text(TCP_TEXT)
    return tmp_path


def run(*words: str) -> tuple[int, str, str]:
    """Exit code, output and messages of a command."""
    done = CliRunner().invoke(app, words)
    return done.exit_code, done.stdout, done.stderr


def killed(store: Path, *words: str) -> int:
    """Kills a command once results are in the store; how many there are."""
    with subprocess.Popen([sys.executable, "-m", "airlink", *words], stdout=subprocess.DEVNULL) as process:
        began = time.monotonic()
        while not rows(store):
            assert process.poll() is None
            assert time.monotonic() - began < 60
            time.sleep(0.02)
        process.kill()
    return rows(store)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_run_that_was_killed_goes_on_and_its_result_is_that_of_one_never_killed(folder: Path) -> None:
    words = ["run", "tiny.toml", "-s", "duration_s=100", "--seeds", "1-60,200"]
    stored = killed(folder / "airlink-results", *words, "--threads", "1", "--out", "a")
    assert 0 < stored < 61
    assert not Path("a").exists()
    code, _, err = run(*words, "--out", "a", "--quiet")
    assert (code, err) == (0, "")
    code, _, err = run(*words, "--out", "again")
    assert (code, err) == (0, "airlink: 61 of 61 replicas were in the store\n")
    assert run(*words, "--out", "plain", "--store", "other", "--quiet")[0] == 0
    plain = Result.load("plain")
    assert plain.seeds == (*range(1, 61), 200)
    for name in ("a", "again"):
        assert Result.load(name).digest() == plain.digest()
        assert [each.digest for each in Result.load(name).replicas] == [each.digest for each in plain.replicas]
        files = sorted(path.relative_to(name) for path in Path(name).rglob("*") if path.is_file())
        assert files == sorted(path.relative_to("plain") for path in Path("plain").rglob("*") if path.is_file())


@pytest.mark.validate
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_study_that_was_killed_goes_on(folder: Path) -> None:
    words = ["reproduce", "startup-timeout", "--quick"]
    stored = killed(folder / "airlink-results", *words)
    assert stored > 0
    assert run(*words, "--out", "a")[0] == 0
    assert run(*words, "--out", "plain", "--store", "other")[0] == 0
    assert rows(folder / "airlink-results") == rows(folder / "other")
    assert Path("a/claims.json").read_bytes() == Path("plain/claims.json").read_bytes()


def test_what_was_run_by_one_number_of_seeds_serves_another_and_series_of_many_rows_are_run(folder: Path) -> None:
    assert run("run", "tiny.toml", "--replicas", "3", "-q") == (0, "", "")
    assert run("run", "tiny.toml", "--seeds", "2-5", "--out", "b")[2] == "airlink: 2 of 4 replicas were in the store\n"
    assert run("run", "tiny.toml", "--seeds", "2-5", "--record", "acks", "--out", "c")[2] == ""
    assert run("run", "tiny.toml", "--seeds", "2-5", "--no-save")[2] == ""
    assert not list(Path("airlink-results/tables").glob("acks"))
    assert run("run", "tiny.toml", "--seeds", "2-5", "--out", "d", "--store", "e")[2] == ""
    assert rows(Path("e")) == 4


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["--seeds", "1-x"], "seeds '1-x' are not understood; write 1-20 or 1-20,30"),
        (["--seeds", "3-1"], "seeds '3-1': 3-1 ends before it begins"),
        (["--seeds", "1-3,2"], "seeds '1-3,2' name a seed twice: it would be the same run, not a new sample"),
        (["--seeds", "1-2000000"], "seeds '1-2000000' are 2000000; they must be at most 1000000"),
        (["--seeds", "18446744073709551616"], "18446744073709551616 is too large"),
        (["--seeds", "1-3", "--replicas", "2"], "--seeds names every seed: it does not go with --seed or --replicas"),
        (["--engine", "processes", "--record", "pcap"], "it can't be had with --engine"),
    ],
)
def test_seeds_and_engines_that_do_not_go_are_one_sentence(folder: Path, words: list[str], answer: str) -> None:
    code, out, err = run("run", "tiny.toml", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert answer in err
    assert [path.name for path in folder.iterdir()] == ["tiny.toml"]


def test_a_place_that_is_no_store_costs_a_warning(folder: Path) -> None:
    code, _, err = run("run", "tiny.toml", "--store", "tiny.toml/x", "--out", "a")
    assert code == 0
    assert err.startswith("airlink: warning: tiny.toml/x")
    assert err.endswith("; going on without the store\n")
    assert err.count("\n") == 1
    assert Result.load("a").seeds == (1,)


def test_a_full_disk_costs_a_warning(folder: Path, small_disk: Path) -> None:
    (small_disk / "full").write_bytes(bytes(1_850_000))
    code, _, err = run(
        "run", "tiny.toml", "-s", "users=200", "--seeds", "1-60", "--store", str(small_disk), "--out", "a"
    )
    assert code == 0, err
    assert "going on without the store" in err
    assert err.count("\n") == 1
    assert Result.load("a").seeds == tuple(range(1, 61))
