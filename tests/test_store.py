"""The store: what is put comes back as it was, by content, fast, and in files that others read."""

from __future__ import annotations

import os
import pickle
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import airlink
from airlink import engine
from airlink.engine import Request, Table, recordable
from airlink.scenario import READY, Scenario, ScenarioError, ready
from airlink.store import Store, StoreError, check, collect, default_folder, manifest, merge
from airlink.store.batch import declared
from airlink.store.join import batches_of, is_there, rewrite
from airlink.store.manifest import Manifest
from stored import made, ran, wire

SHORT_S = 1.0
SEEDS = range(1, 41)
WITH_TESTS = {**os.environ, "PYTHONPATH": os.pathsep.join(each for each in sys.path if each)}
"""For a program that imports what tests share."""


def short(name: str) -> Scenario:
    """A ready scenario, a second of it."""
    return ready(name).with_(duration_s=SHORT_S, warmup_s=0)


def runnable() -> list[str]:
    """The ready scenarios whose traces are there."""
    found = []
    for name in READY:
        try:
            short(name).resolved()
        except ScenarioError:
            assert "AIRLINK_TRACES" not in os.environ
        else:
            found.append(name)
    return found


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of small results with and without a series, of two scenarios, in several batches."""
    folder = tmp_path_factory.mktemp("filled")
    with Store(folder) as store:
        for scenario in (wire(), wire(2)):
            for record in ((), ("acks",)):
                key = store.key(scenario, record)
                for seed in SEEDS:
                    store.put(key, scenario, record, made(seed, record))
                store.flush()
    return folder


def test_every_ready_scenario_with_all_series_comes_back_with_its_digest(tmp_path: Path) -> None:
    names = runnable()
    assert len(names) > len(READY) // 2
    kept = {}
    with Store(tmp_path) as store:
        for name in names:
            scenario = short(name)
            kinds = recordable(scenario)
            (replica,) = ran(scenario, [3], kinds)
            store.put(store.key(scenario, kinds), scenario, kinds, replica)
            kept[name] = replica, kinds
    with Store(tmp_path, read_only=True) as store:
        for name, (replica, kinds) in kept.items():
            scenario = short(name)
            (found,) = store.replicas(store.key(scenario, kinds), [3])
            assert (found, engine.digest(found)) == (replica, replica.digest), name
            assert dict(found.cell) == dict(replica.cell)
            assert {type(number) for number in found.cell.values()} == {int, float}
            assert store.scenario(store.key(scenario, kinds)) == scenario.resolved()
            # It recorded more than is asked here, and answers as if it had not.
            (plain,) = store.replicas(store.key(scenario), [3])
            assert plain.digest == ran(scenario, [3])[0].digest, name
            assert list(plain.series) == []
            assert store.result(store.key(scenario), [3]).scenario == scenario.resolved()


def test_results_without_rows_or_with_other_columns_share_a_batch(filled: Path) -> None:
    with Store(filled, read_only=True) as store:
        for record in ((), ("acks",)):
            found = list(store.replicas(store.key(wire(), record), SEEDS))
            assert [engine.digest(each) for each in found] == [made(seed, record).digest for seed in SEEDS]
            assert found[2].flows.rows == 0
            assert found[2].flows["completion_s"].dtype == np.float64
        assert [each.digest for each in found] == [made(seed, record).digest for seed in SEEDS]


def test_results_come_in_the_order_that_is_asked_without_those_that_are_missing(filled: Path) -> None:
    with Store(filled, read_only=True) as store:
        asked = [40, 7, 1000, 3, 0]
        assert [each.seed for each in store.replicas(store.key(wire()), asked)] == [40, 7, 3]
        assert store.find(store.key(wire()), asked) == {40, 7, 3}
        assert store.find(store.key(wire(3)), asked) == set()


def test_a_table_of_many_seeds_is_that_of_each_one_after_the_other(filled: Path) -> None:
    with Store(filled, read_only=True) as store:
        key = store.key(wire(), ["acks"])
        seeds = [9, 2, 33]
        flows, acks = store.table("flows", key, seeds), store.table("acks", key, seeds, ["time_s"])
        each = [made(seed, ("acks",)) for seed in seeds]
        assert list(flows) == ["seed", "flow", "completion_s"]
        assert flows["seed"].tolist() == [seed for seed in seeds for _ in range(seed % 3)]
        np.testing.assert_array_equal(acks["time_s"], np.concatenate([one.series["acks"]["time_s"] for one in each]))
        cell = store.table("cell", key, SEEDS)
        assert cell["timeouts"].dtype == np.int64
        assert cell["goodput_bps"].tolist() == [made(seed).cell["goodput_bps"] for seed in SEEDS]
        assert store.table("cell", key, []).rows == 0


def test_what_is_read_can_be_pickled_and_used_after_the_store_is_closed(filled: Path) -> None:
    with Store(filled, read_only=True) as store:
        (found,) = store.replicas(store.key(wire(), ["acks"]), [7])
    again = pickle.loads(pickle.dumps(found))
    assert engine.digest(again) == engine.digest(found) == made(7, ("acks",)).digest


def test_a_reader_follows_results_that_others_have_moved(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        key = store.key(wire())
        for seed in range(4):
            store.put(key, wire(), (), made(seed))
            store.flush()
        with Store(tmp_path, read_only=True) as reader:
            found = list(reader.replicas(key, range(4)))
            before = {path.name for path in (tmp_path / "tables/users").iterdir()}
            store.close()
            after = {path.name for path in (tmp_path / "tables/users").iterdir()}
            assert (len(before), len(after), before & after) == (4, 1, set())
            assert [engine.digest(each) for each in found] == [made(seed).digest for seed in range(4)]


def test_a_key_is_of_content_not_of_names(tmp_path: Path) -> None:
    (tmp_path / "a.down").write_text("5\n8\n")
    (tmp_path / "b.down").write_text("5\n8\n")
    (tmp_path / "c.down").write_text("5\n9\n")
    base = ready("evdo", ["users=1", "link.report.backoff_db=0"])

    def of(name: str) -> Scenario:
        trace = {"kind": "trace", "files": [str(tmp_path / name)], "format": "mahimahi", "quantity": "rate_bps"}
        return base.with_(**{"channel": {"placement": trace}, "link.rate": {"kind": "trace"}})

    with Store(tmp_path / "store") as store:
        key = store.key(wire())
        assert store.key(wire().with_(name="other", description="of it")) == key == store.key(wire().resolved())
        assert store.key(wire(), ["acks", "cwnd"]) == store.key(wire(), ["cwnd", "acks"]) == f"{key}+acks+cwnd"
        assert len({key, store.key(wire(2)), store.key(wire(), code=["1f"]), store.key(wire(), ["acks"])}) == 4
        assert store.key(of("a.down")) == store.key(of("b.down")) != store.key(of("c.down"))


def test_another_engine_version_has_other_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(tmp_path) as store:
        store.put(store.key(wire()), wire(), (), made(1))
    monkeypatch.setattr("airlink.store.store.engine_build", lambda: "9.9.9")
    with Store(tmp_path) as store:
        assert store.find(store.key(wire()), [1]) == set()
        store.put(store.key(wire()), wire(), (), made(1, change=1.0))
        assert [each.version for each in store.scenarios()] == [engine.engine_build(), "9.9.9"]


def test_what_is_put_is_on_disk_within_a_second_though_nobody_calls_again(tmp_path: Path) -> None:
    with Store(tmp_path) as store, Store(tmp_path) as other:
        key = store.key(wire())
        list(store.replicas(key, [1]))
        store.put(key, wire(), (), made(1))
        end_s = time.monotonic() + 10
        assert other.find(key, [1]) == set()
        while not other.find(key, [1]) and time.monotonic() < end_s:
            time.sleep(0.02)
        assert other.find(key, [1]) == {1}


def test_who_forgets_to_close_loses_nothing(tmp_path: Path) -> None:
    code = (
        "from airlink.store import Store; from stored import *\n"
        f"store = Store({str(tmp_path)!r}); store.put(store.key(wire()), wire(), (), made(1))"
    )
    subprocess.run([sys.executable, "-c", code], timeout=60, check=True, env=WITH_TESTS)
    with Store(tmp_path, read_only=True) as store:
        assert store.find(store.key(wire()), [1]) == {1}


def test_a_result_that_differs_from_the_stored_one_is_refused_by_name(tmp_path: Path) -> None:
    store = Store(tmp_path)
    key = store.key(wire())
    for replica in (made(1), made(1), made(2)):
        store.put(key, wire(), (), replica)
        store.flush()
    store.put(key, wire(), (), made(1, change=1.0))
    with pytest.raises(StoreError, match=rf"different results of scenario {key[:8]} with seed 1: ") as caught:
        store.flush()
    assert made(1).digest[:8] in str(caught.value)
    assert made(1, change=1.0).digest[:8] in str(caught.value)
    with pytest.raises(StoreError):
        store.close()
    with Store(tmp_path, read_only=True) as again:
        assert again.find(key, range(9)) == {1, 2}


def test_claims_end_with_put_release_and_close(tmp_path: Path) -> None:
    with Store(tmp_path) as one, Store(tmp_path) as other:
        key = one.key(wire())
        rich = one.key(wire(), ["acks"])
        assert one.claim(key, [3, 1, 3, 2]) == [3, 1, 2]
        assert one.claim(key, [1, 4]) == [4]
        assert other.claim(key, range(1, 6)) == [5]
        # What records more is another job; who wants less waits for it.
        assert other.claim(rich, [1]) == [1]
        one.release(key, [1])
        assert one.claim(key, [1]) == []
        one.put(key, wire(), (), made(2))
        one.flush()
        one.release()
        other.release()
        assert other.claim(key, [1, 2, 3]) == [1, 3]
        other.close()
        assert one.claim(key, [1, 2, 3]) == [1, 3]


def test_largest_seeds_are_kept(tmp_path: Path) -> None:
    seeds = [0, 2**63 - 1, 2**63, 2**64 - 1]
    with Store(tmp_path) as store:
        key = store.key(wire())
        assert store.claim(key, seeds) == seeds
        for seed in seeds:
            store.put(key, wire(), (), made(seed))
        assert store.find(key, seeds) == set(seeds)
        assert [each.seed for each in store.replicas(key, seeds)] == seeds
        assert store.table("cell", key, seeds)["seed"].tolist() == seeds
        assert store.scenarios()[0].seeds == tuple(seeds)


def test_a_small_store_serves_where_sqlite_cannot_write_ahead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real: Callable[..., sqlite3.Connection] = sqlite3.connect

    def by_files(database: str, **options: Any) -> sqlite3.Connection:
        """Locks by files, as some network file systems have it: no memory is shared."""
        return real(f"{database}&vfs=unix-dotfile", **options)

    monkeypatch.setattr(sqlite3, "connect", by_files)
    with Store(tmp_path) as store:
        key = store.key(wire())
        store.claim(key, [1])
        store.put(key, wire(), (), made(1))
        store.flush()
        assert not (tmp_path / "store.sqlite-wal").exists()
        assert store.find(key, [1]) == {1}


def test_a_store_of_a_later_format_is_refused_in_one_sentence(tmp_path: Path) -> None:
    Store(tmp_path).close()
    with sqlite3.connect(tmp_path / manifest.FILE) as connection:
        connection.execute("PRAGMA user_version = 7")
    connection.close()
    for read_only in (False, True):
        with pytest.raises(StoreError, match=r"is a store of format 7; this version of airlink reads format 1$"):
            Store(tmp_path, read_only)


def test_a_folder_without_a_store_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"holds no store: there is no store\.sqlite in it$"):
        Store(tmp_path, read_only=True)
    assert list(tmp_path.iterdir()) == []


def test_the_store_of_commands_is_named_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AIRLINK_STORE", raising=False)
    assert default_folder() == Path("airlink-results")
    monkeypatch.setenv("AIRLINK_STORE", "elsewhere")
    assert default_folder() == Path("elsewhere")


def test_small_batches_become_one(filled: Path) -> None:
    assert len(list((filled / "tables/users").iterdir())) == 1
    assert {path.name[0] for path in filled.rglob("*") if path.is_file()}.isdisjoint(".")


def test_all_files_of_a_table_have_all_its_columns(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    for folder, scenario in (("a", wire()), ("b", short("k3"))):
        with Store(tmp_path / folder) as store:
            store.put(store.key(scenario), scenario, (), ran(scenario, [1])[0])
    for table in ("users", "flows", "cell"):
        one, other = (pq.read_schema(next((tmp_path / folder / "tables" / table).iterdir())) for folder in "ab")
        assert one.equals(other)
        assert set(declared(table)) < set(one.names)
        assert one.field("goodput_bps").metadata[b"unit"] == b"b/s"


EXPECTED = sum(seed * 1.0 for seed in SEEDS)
"""Sum of the first user's goodput over the plain results of one scenario in `filled`."""


@pytest.fixture
def key(filled: Path) -> Iterator[str]:
    """The key of these results."""
    with Store(filled, read_only=True) as store:
        yield store.key(wire())


def test_duckdb_opens_the_folder(filled: Path, key: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    query = f"select sum(goodput_bps) from '{filled}/tables/users/*.parquet' where scenario = '{key}' and \"user\" = 0"
    assert duckdb.sql(query).fetchall() == [(EXPECTED,)]


def test_polars_opens_the_folder(filled: Path, key: str) -> None:
    pl = pytest.importorskip("polars")
    users = pl.scan_parquet(filled / "tables/users/*.parquet")
    own = users.filter((pl.col("scenario") == key) & (pl.col("user") == 0)).select("goodput_bps").collect()
    assert own["goodput_bps"].sum() == EXPECTED


def test_pandas_opens_the_folder(filled: Path, key: str) -> None:
    pd = pytest.importorskip("pandas")
    users = pd.read_parquet(filled / "tables/users")
    assert users[(users.scenario == key) & (users.user == 0)].goodput_bps.sum() == EXPECTED
    cell = pd.read_parquet(filled / "tables/cell", columns=["scenario", "seed", "digest"])
    assert cell[cell.scenario == key].digest.tolist() == [made(seed).digest for seed in SEEDS]


def test_storing_and_reading_does_not_wait_for_pandas(tmp_path: Path) -> None:
    code = (
        "import sys; from airlink.store import *; from stored import *\n"
        f"with Store({str(tmp_path)!r}) as store:\n"
        "    for seed in range(3): store.put(store.key(wire()), wire(), (), made(seed)); store.flush()\n"
        f"with Store({str(tmp_path)!r}) as store:\n"
        "    (one,) = store.replicas(store.key(wire()), [2]); one.users['goodput_bps']\n"
        "sys.exit('pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False, env=WITH_TESTS).returncode == 0


@pytest.mark.thorough
def test_memory_stays_flat_while_results_are_stored(tmp_path: Path) -> None:
    code = (
        "import resource, sys; from airlink.store import *; from airlink.store import writer; from stored import *\n"
        "writer.MOST_WAITING = 100\n"
        "big = Table({'user': np.arange(500), 'goodput_bps': np.ones(500)})\n"
        f"with Store({str(tmp_path)!r}) as store:\n"
        "    key = store.key(wire()); peaks = []\n"
        "    for seed in range(3000):\n"
        "        users = Table({name: values.copy() for name, values in big.items()})\n"
        "        store.put(key, wire(), (), Replica(seed, users, big.where(big['user'] < 0), {}, {}))\n"
        "        peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
        "print(peaks[0], peaks[-1])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], timeout=300, check=True, stdout=subprocess.PIPE, text=True, env=WITH_TESTS
    )
    begin, end = map(int, done.stdout.split())
    whole = 3000 * 500 * len(declared("users")) * 8 / 1000
    assert end - begin < whole / 5, "kB; as Arrow all results take 1 GB"


def test_garbage_of_killed_processes_goes_and_results_stay(filled: Path, tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.put(store.key(wire()), wire(), (), made(1))
    users = tmp_path / "tables/users"
    (users / ".0123-000001.new").write_bytes(b"x" * 100)
    (tmp_path / "scenarios/.1f.0123.new").write_text("{")
    (tmp_path / "owners/0123").write_text("1")
    with Store(tmp_path) as living:
        living.claim(living.key(wire()), [2])
        (owner,) = [path.name for path in (tmp_path / "owners").iterdir() if path.name != "0123"]
        (users / f".{owner}-000007.new").write_bytes(b"in flight")
        collected = collect(tmp_path)
        assert (collected.garbage_files, collected.garbage_bytes, collected.kept) == (2, 101, 0)
        assert [path.name for path in users.glob(".*")] == [f".{owner}-000007.new"]
        assert living.claim(living.key(wire()), [2]) == []
    assert collect(tmp_path).garbage_files == 1
    with Store(tmp_path, read_only=True) as store:
        assert store.find(store.key(wire()), [1]) == {1}


def test_results_of_other_versions_go_only_when_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for version in ("9.9.9", engine.engine_build()):
        monkeypatch.setattr("airlink.store.store.engine_build", lambda version=version: version)
        with Store(tmp_path) as store:
            for seed in (1, 2):
                store.put(store.key(wire()), wire(), (), made(seed))
    assert collect(tmp_path).results == 0
    with Store(tmp_path, read_only=True) as store:
        assert [each.version for each in store.scenarios()] == ["9.9.9", engine.engine_build()]
    collected = collect(tmp_path, other_versions=True)
    assert collected.results == 2
    assert collected.result_bytes > 0
    with Store(tmp_path, read_only=True) as store:
        assert [each.version for each in store.scenarios()] == [engine.engine_build()]
        assert [engine.digest(each) for each in store.replicas(store.key(wire()), [1, 2])] == [
            made(1).digest,
            made(2).digest,
        ]
    assert len(list((tmp_path / "scenarios").iterdir())) == 1
    assert collect(tmp_path, older_days=1).results == 0
    assert collect(tmp_path, older_days=-1).results == 2
    assert list((tmp_path / "tables/cell").iterdir()) == []


def test_a_stored_result_is_one_of_airlink_run(tmp_path: Path) -> None:
    result = airlink.run(wire(), replicas=2)
    with Store(tmp_path) as store:
        key = store.key(wire())
        for replica in result.replicas:
            store.put(key, wire(), (), replica)
        found = store.result(key, [1, 2])
    assert found.digest() == result.digest()
    assert found.summary == result.summary
    assert isinstance(found.users, Table)
    assert found.scenario == Request([wire()], [1]).scenarios[0]


def test_what_waits_to_be_written_is_not_claimed_again_and_waits_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("airlink.store.writer.WAIT_S", 600.0)
    with Store(tmp_path) as store:
        key = store.key(wire())
        store.put(key, wire(), (), made(1))
        store.flush()
        store.put(key, wire(), (), made(2))
        assert store.claim(key, [1, 2, 3]) == [3]
        with closing(sqlite3.connect(tmp_path / "store.sqlite")) as on_disk:
            assert on_disk.execute("SELECT seed FROM results").fetchall() == [(1,)]
        assert store.find(key, [1, 2, 3]) == {1, 2}


def test_batches_that_are_joined_meanwhile_are_merged_and_checked_all_the_same(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    for seed in (1, 2, 3):
        with Store(source) as store:
            store.put(store.key(wire()), wire(), (), made(seed))
    whole = check(source)
    with closing(Manifest(source, make=False)) as held:
        numbers = batches_of(held)
        assert next(numbers) == 1
        assert rewrite(held, "joined-000001", [1, 2, 3]) is not None
        assert (list(numbers), is_there(held, 2), is_there(held, 4)) == ([2, 3, 4], False, True)
    assert (check(source).digest, check(source).results) == (whole.digest, 3)
    assert merge([source], target).results == 3
