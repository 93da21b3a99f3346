"""A store on a full disk, read-only, or damaged in every part: one sentence, and nothing else is lost."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from airlink import engine
from airlink.engine import Replica
from airlink.store import Store, StoreError, check, repair
from stored import made, wire

SEEDS = range(1, 13)
FIRST, SECOND = range(1, 7), range(7, 13)
"""The seeds of the two batches of `store`."""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of two batches."""
    folder = tmp_path_factory.mktemp("template") / "store"
    for seeds in (FIRST, SECOND):
        with Store(folder) as store:
            key = store.key(wire(), ["acks"])
            for seed in seeds:
                store.put(key, wire(), ("acks",), made(seed, ("acks",)))
    return folder


@pytest.fixture
def folder(template: Path, tmp_path: Path) -> Path:
    """A copy to be damaged."""
    shutil.copytree(template, tmp_path / "store")
    return tmp_path / "store"


def part(folder: Path, table: str, place: int = 0) -> Path:
    """The file of a batch, the older one first."""
    return sorted((folder / "tables" / table).glob("*.parquet"), key=lambda path: path.stat().st_mtime)[place]


def served(folder: Path) -> set[int]:
    """The seeds whose results come back as they were; others are run again, as the next command would."""
    with Store(folder) as store:
        key = store.key(wire(), ["acks"])
        for replica in store.replicas(key, SEEDS):
            assert digest_or_why(replica) in (made(replica.seed, ("acks",)).digest, "run again")
        found = store.find(key, SEEDS)
        todo = store.claim(key, SEEDS)
        assert set(todo) == set(SEEDS) - found
        for seed in todo:
            store.put(key, wire(), ("acks",), made(seed, ("acks",)))
    with Store(folder, read_only=True) as store:
        whole = [engine.digest(each) for each in store.replicas(key, SEEDS)]
        assert whole == [made(seed, ("acks",)).digest for seed in SEEDS]
    assert check(folder).problems == []
    return found


def digest_or_why(replica: Replica) -> str:
    """The digest of the numbers, or what the store promises of a damaged one."""
    try:
        return engine.digest(replica)
    except StoreError as error:
        return "run again" if "run again when" in str(error) else str(error)


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def overwrite(path: Path) -> None:
    """Changes bytes in the middle, where the columns are."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 8)
        file.write(os.urandom(size // 4))


def remove(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("table", ["users", "flows", "cell", "acks"])
@pytest.mark.parametrize("harm", [truncate, overwrite, remove])
def test_a_damaged_file_costs_its_batch_and_no_other(folder: Path, table: str, harm: Callable[[Path], None]) -> None:
    path = part(folder, table)
    harm(path)
    assert [str(path) in problem for problem in check(folder).problems] == [True]
    assert served(folder) == set(SECOND)
    kept = folder / "damaged" / table / path.name
    assert kept.exists() == (harm is not remove)


@pytest.mark.parametrize("harm", [truncate, overwrite, remove])
def test_repair_puts_a_damaged_batch_aside(folder: Path, harm: Callable[[Path], None]) -> None:
    harm(part(folder, "flows"))
    repaired = repair(folder)
    assert (len(repaired.problems), repaired.results) == (1, len(SECOND))
    assert check(folder).problems == []
    assert len(list((folder / "damaged/users").iterdir())) == 1
    assert served(folder) == set(SECOND)


def found_in(folder: Path, read_only: bool) -> set[int]:
    """The seeds that a store says are there."""
    with Store(folder, read_only) as store:
        return store.find(store.key(wire(), ["acks"]), SEEDS)


def garbage(path: Path) -> None:
    path.write_bytes(os.urandom(20_000))


def beginning(path: Path) -> None:
    """What is no SQLite file from its first byte on."""
    with path.open("r+b") as file:
        file.write(b"?" * 100)


def empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("harm", [garbage, beginning, truncate, empty, remove])
def test_a_damaged_manifest_is_one_sentence_and_is_built_again(folder: Path, harm: Callable[[Path], None]) -> None:
    harm(folder / "store.sqlite")
    for read_only in (False, True):
        with pytest.raises(StoreError, match=r"store\.sqlite is (damaged|missing)") as caught:
            found_in(folder, read_only)
        assert str(caught.value).endswith(f"airlink store check {folder} --repair builds it again from the tables")
    assert len(check(folder).problems) == 1
    repaired = repair(folder)
    assert (repaired.results, repaired.batches) == (len(SEEDS), 2)
    assert (folder / "damaged/store.sqlite.1").exists() == (harm is not remove)
    with Store(folder, read_only=True) as store:
        (found,) = store.scenarios()
        assert (found.name, found.version, found.seeds) == (wire().name, engine.engine_build(), tuple(SEEDS))
    assert served(folder) == set(SEEDS)


def test_results_that_a_lost_log_had_named_are_taken_in_again(folder: Path) -> None:
    """The log (-wal) holds what was committed since the last checkpoint."""
    with Store(folder) as store:
        key = store.key(wire())
        shutil.copy(folder / "store.sqlite", folder / "older")
        store.put(key, wire(), (), made(1))
    (folder / "older").replace(folder / "store.sqlite")
    with Store(folder, read_only=True) as store:
        assert store.find(key, [1]) == {1}
        assert [each.key for each in store.scenarios()] == [store.key(wire(), ["acks"])]
    assert "is not in store.sqlite" in check(folder).problems[0]
    assert repair(folder).results == len(SEEDS) + 1
    with Store(folder, read_only=True) as store:
        assert len(store.scenarios()) == 2
    assert served(folder) == set(SEEDS)


def test_a_manifest_and_a_batch_that_are_damaged_cost_that_batch(folder: Path) -> None:
    garbage(folder / "store.sqlite")
    overwrite(part(folder, "users", -1))
    assert repair(folder).results == len(FIRST)
    assert served(folder) == set(FIRST)


def test_a_result_whose_numbers_were_changed_is_found(folder: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    path = part(folder, "users")
    table = pq.read_table(path)
    place = table.column_names.index("goodput_bps")
    numbers = table["goodput_bps"].to_numpy().copy()
    numbers[0] += 1
    changed = table.set_column(place, table.field(place), [numbers])
    pq.write_table(changed, path, compression="zstd", write_page_checksum=True)
    assert "bytes, not its" in check(folder).problems[0]
    with closing(sqlite3.connect(folder / "store.sqlite")) as connection, connection:
        ((text,),) = connection.execute("SELECT described FROM batches ORDER BY id LIMIT 1").fetchall()
        described = json.loads(text)
        described["sizes"]["users"] = path.stat().st_size
        connection.execute("UPDATE batches SET described = ? WHERE described = ?", (json.dumps(described), text))
    assert "the numbers of seed 1 were changed since they were stored" in check(folder).problems[0]
    repaired = repair(folder)
    assert repaired.results == len(SECOND)
    assert served(folder) == set(SECOND)


def test_a_changed_scenario_is_found_and_written_anew(folder: Path) -> None:
    (path,) = (folder / "scenarios").iterdir()
    path.write_text(path.read_text().replace('"duration_s": 1.0', '"duration_s": 2.0'))
    assert check(folder).problems == [f"{path} was changed since it was written"]
    with Store(folder) as store:
        with pytest.raises(StoreError, match="was changed since it was written"):
            store.scenario(store.key(wire(), ["acks"]))
        store.put(store.key(wire(), ["acks"]), wire(), ("acks",), made(99, ("acks",)))
    assert check(folder).problems == []


def test_repair_waits_for_nobody_and_disturbs_nobody(folder: Path) -> None:
    with Store(folder) as store:
        store.claim(store.key(wire()), [1])
        with pytest.raises(StoreError, match="another process writes to this store"):
            repair(folder)


def test_a_reader_names_what_is_damaged_and_changes_nothing(folder: Path) -> None:
    overwrite(part(folder, "users"))
    with Store(folder, read_only=True) as store:
        (replica,) = store.replicas(store.key(wire(), ["acks"]), [1])
        with pytest.raises(StoreError, match=r"users/.*\.parquet is .*--repair puts it aside$"):
            dict(replica.users)
    assert not (folder / "damaged").exists()


def test_damage_that_shows_after_the_store_was_closed_is_the_same_sentence(folder: Path) -> None:
    overwrite(part(folder, "users"))
    with Store(folder) as store:
        (replica,) = store.replicas(store.key(wire(), ["acks"]), [1])
    with pytest.raises(StoreError, match=r"users/.*\.parquet is .*--repair puts it aside$"):
        dict(replica.users)


def put_many(folder: Path, key: str) -> None:
    """Stores more than there is room for."""
    with Store(folder) as store:
        for seed in range(5, 1000):
            store.put(key, wire(), (), made(seed))
            if seed % 10 == 0:
                store.flush()


def test_a_full_disk_is_one_sentence_and_loses_nothing_else(small_disk: Path) -> None:
    folder = small_disk / "store"
    with Store(folder) as store:
        key = store.key(wire())
        for seed in range(1, 5):
            store.put(key, wire(), (), made(seed))
    status = os.statvfs(small_disk)
    (small_disk / "other").write_bytes(bytes(status.f_bavail * status.f_frsize - 60_000))
    with pytest.raises(StoreError, match=rf"^{folder}: the disk is full; results stored before are kept$"):
        put_many(folder, key)
    (small_disk / "other").unlink()
    assert list((folder / "tables").glob("*/.*.new")) == []
    with Store(folder) as store:
        assert set(range(1, 5)) <= store.find(key, range(1, 1000))
        todo = store.claim(key, range(1, 20))
        for seed in todo:
            store.put(key, wire(), (), made(seed))
    assert check(folder).problems == []


@pytest.fixture
def read_only_folder(folder: Path, mount_point: Path) -> Iterator[Path]:
    """The store in a file system that is mounted to be read only."""
    target = mount_point / "mounted"
    target.mkdir()
    mounted = subprocess.run(["mount", "--bind", str(folder), str(target)], check=False, capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("folders are not to be mounted by everybody")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", str(target)], check=True)
        yield target
    finally:
        subprocess.run(["umount", "--lazy", str(target)], check=True)


def test_a_folder_that_cannot_be_written_is_one_sentence_and_can_be_read(read_only_folder: Path) -> None:
    with pytest.raises(StoreError, match=rf"^{read_only_folder} can't be written: it is read-only$"):
        Store(read_only_folder)
    with Store(read_only_folder, read_only=True) as store:
        assert len(list(store.replicas(store.key(wire(), ["acks"]), SEEDS))) == len(SEEDS)
        with pytest.raises(StoreError, match="was opened to be read only"):
            store.claim(store.key(wire()), [1])
    assert check(read_only_folder).problems == []


def test_what_a_killed_process_had_committed_is_read_from_a_folder_that_cannot_be_written(
    folder: Path, read_only_folder: Path
) -> None:
    """Its log is still there, and SQLite would have to write to read it in place."""
    with Store(folder) as store:
        key = store.key(wire())
        store.put(key, wire(), (), made(1))
        store.flush()
        log = (folder / "store.sqlite-wal").read_bytes()
        manifest = (folder / "store.sqlite").read_bytes()
    (folder / "store.sqlite").write_bytes(manifest)
    (folder / "store.sqlite-wal").write_bytes(log)
    assert not (folder / "store.sqlite-shm").exists()
    with Store(read_only_folder, read_only=True) as opened:
        assert opened.find(key, [1]) == {1}


@pytest.mark.parametrize("is_made_again", [False, True])
def test_a_folder_that_is_removed_while_it_is_used_is_one_sentence(tmp_path: Path, is_made_again: bool) -> None:
    folder = tmp_path / "store"
    store = Store(folder)
    key = store.key(wire())
    store.put(key, wire(), (), made(1))
    store.flush()
    shutil.rmtree(folder)
    if is_made_again:
        Store(folder).close()
    store.put(key, wire(), (), made(2))
    with pytest.raises(StoreError, match="was removed while it was in use"):
        store.close()
    assert not list(folder.glob("tables/*/*.parquet"))
