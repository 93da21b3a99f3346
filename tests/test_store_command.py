"""`airlink store`: what is printed, and with which exit code."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from airlink import engine
from airlink.cli import app
from airlink.scenario import Scenario
from airlink.store import Store, StoreError, merge
from stored import digests, made, ran, wire


def airlink(*arguments: object) -> Result:
    """The answer of `airlink store`."""
    return CliRunner().invoke(app, ["store", *map(str, arguments)], env={"COLUMNS": "80"})


def failed(*arguments: object) -> str:
    """The message of a command that ends with exit code 2."""
    answer = airlink(*arguments)
    assert (answer.exit_code, answer.stdout) == (2, "")
    return answer.stderr.removeprefix("airlink: ").strip()


def fill(folder: Path, seeds: range, change: float = 0.0) -> str:
    """Stores small results; returns their key."""
    with Store(folder) as store:
        key = store.key(wire())
        for seed in seeds:
            store.put(key, wire(), (), made(seed, change=change))
    return key


def test_ls_has_a_line_for_each_scenario(tmp_path: Path) -> None:
    key = fill(tmp_path, range(1, 21))
    with Store(tmp_path) as store:
        store.put(store.key(wire(2), ["acks"]), wire(2), ["acks"], made(7, ["acks"]))
    answer = airlink("ls", tmp_path)
    lines = answer.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    (line,) = [line for line in lines if key[:8] in line]
    assert line.split()[:5] == [key[:8], "dumbbell", "1-20", engine.engine_build(), "-"]
    assert any(" 7 " in line and " acks " in line for line in lines)
    assert lines[-1].startswith("21 results of 2 scenarios, ")
    listed = json.loads(airlink("ls", tmp_path, "--json").stdout)
    assert (listed[0]["key"], listed[0]["results"], listed[0]["record"]) == (key, 20, [])


def test_ls_tells_scenarios_of_one_name_apart(tmp_path: Path) -> None:
    alike = wire()
    others = [alike.with_(**{"bottleneck.limit_packets": 77}), alike.with_(**{"bottleneck.rate_bps": 2e7})]
    with Store(tmp_path) as store:
        for scenario in (alike, *others):
            store.put(store.key(scenario), scenario, (), made(1))
        short = [store.key(scenario)[:8] for scenario in (alike, *others)]
    lines = airlink("ls", tmp_path).stdout.splitlines()
    below = {line[:8]: after.strip() for line, after in pairwise(lines) if line[:8] in short}
    assert below[short[1]] == "limit_packets=77"
    assert below[short[2]] == "rate_bps=20000000.0"
    assert "=" not in below[short[0]], "it is as most of them are"
    next((tmp_path / "scenarios").glob(f"{short[1]}*")).write_text("{}")
    assert "limit_packets" not in airlink("ls", tmp_path).stdout


def test_ls_keeps_to_80_columns(tmp_path: Path) -> None:
    odd = wire().with_(name="ein sehr langer Name für eine Zelle")
    with Store(tmp_path) as store:
        for seed in (1, 100003, 2**64 - 1):
            store.put(store.key(odd, ["acks"]), odd, ["acks"], made(seed, ["acks"]))
    lines = airlink("ls", tmp_path).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert "..." in lines[2]


def test_show_prints_a_scenario_that_can_be_run(tmp_path: Path) -> None:
    key = fill(tmp_path, range(1, 4))
    text = airlink("show", key[:6], "--store", tmp_path).stdout
    assert text.startswith(f"# key: {key}\n# airlink: ")
    assert "# seeds: 1-3\n" in text
    assert Scenario.from_toml(text) == wire().resolved()
    assert airlink("show", "dumbbell", "--store", tmp_path).stdout == text
    assert json.loads(airlink("show", key, "--store", tmp_path, "--json").stdout)["scenario"]["users"] == 1
    assert failed("show", "zz", "--store", tmp_path).startswith(f"{tmp_path}: no key begins with zz")
    with Store(tmp_path) as store:
        store.put(store.key(wire(), ["acks"]), wire(), ["acks"], made(7, ["acks"]))
    assert "write more of it" in failed("show", key[:6], "--store", tmp_path)
    assert airlink("show", key, "--store", tmp_path).exit_code == 0


def test_the_default_store_is_that_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRLINK_STORE", str(tmp_path / "there"))
    assert failed("ls") == f"{tmp_path}/there holds no store: there is no store.sqlite in it"
    fill(tmp_path / "there", range(3))
    assert "3 results of 1 scenario," in airlink("ls").stdout
    monkeypatch.delenv("AIRLINK_STORE")
    monkeypatch.chdir(tmp_path)
    assert failed("check") == "airlink-results holds no store"


def test_digest_is_that_of_all_results_however_they_were_stored(tmp_path: Path) -> None:
    fill(tmp_path / "whole", range(1, 7))
    for part in (range(4, 7), range(1, 4)):
        fill(tmp_path / "parts", part)
    digest = airlink("digest", tmp_path / "whole").stdout
    assert len(digest.strip()) == 64
    assert airlink("digest", tmp_path / "parts").stdout == digest
    fill(tmp_path / "parts", range(7, 8))
    assert airlink("digest", tmp_path / "parts").stdout != digest
    path = next((tmp_path / "whole/tables/users").iterdir())
    path.write_bytes(path.read_bytes()[:-100])
    assert f"{path} has " in failed("digest", tmp_path / "whole")


def test_check_repairs_when_asked(tmp_path: Path) -> None:
    fill(tmp_path, range(1, 7))
    assert airlink("check", tmp_path).stdout == f"{tmp_path}: 6 results in 1 batch as they were stored\n"
    (tmp_path / "store.sqlite").write_bytes(b"no manifest" * 1000)
    answer = airlink("check", tmp_path)
    assert answer.exit_code == 2
    assert answer.stderr.splitlines() == [
        f"airlink: {tmp_path}/store.sqlite is damaged (file is not a database); airlink store check {tmp_path} "
        "--repair builds it again from the tables",
        f"airlink: {tmp_path} is damaged; airlink store check {tmp_path} --repair puts that aside and keeps the rest",
    ]
    assert airlink("check", tmp_path, "--repair").exit_code == 0
    assert airlink("check", tmp_path).exit_code == 0
    assert "6 results of 1 scenario" in airlink("ls", tmp_path).stdout


def test_merge_joins_the_shards_of_a_sweep(tmp_path: Path) -> None:
    seeds = range(1, 13)
    for shard in range(3):
        with Store(tmp_path / f"shard-{shard}") as store:
            for replica in ran(wire(), seeds[shard::3]):
                store.put(store.key(wire()), wire(), (), replica)
    shards = [tmp_path / f"shard-{shard}" for shard in range(3)]
    into = tmp_path / "all"
    assert airlink("merge", *shards, "--into", into).stdout == "12 results taken over\n"
    assert airlink("merge", *shards, "--into", into).stdout == "0 results taken over; 12 were there already\n"
    assert digests(into, wire(), seeds) == {replica.seed: replica.digest for replica in ran(wire(), seeds)}
    with Store(into, read_only=True) as store:
        assert store.scenario(store.key(wire())) == wire().resolved()
    # Overlapping parts are taken over once.
    fill(tmp_path / "more", range(100, 104))
    fill(tmp_path / "even-more", range(102, 106))
    assert merge([tmp_path / "more", tmp_path / "even-more"], into).results == 6


def test_merge_refuses_two_results_of_one_seed_and_writes_nothing(tmp_path: Path) -> None:
    fill(tmp_path / "a", range(1, 4))
    fill(tmp_path / "b", range(3, 6), change=1.0)
    told = failed("merge", tmp_path / "a", tmp_path / "b", "--into", tmp_path / "c")
    assert told.startswith(f"{tmp_path}/a and {tmp_path}/b have different results of scenario ")
    assert made(3).digest[:8] in told
    assert made(3, change=1.0).digest[:8] in told
    assert " with seed 3: " in told
    with Store(tmp_path / "c", read_only=True) as store:
        assert store.scenarios() == []


def test_merge_leaves_out_what_is_damaged_and_says_so(tmp_path: Path) -> None:
    fill(tmp_path / "a", range(1, 4))
    fill(tmp_path / "b", range(4, 6))
    path = next((tmp_path / "a/tables/flows").iterdir())
    path.write_bytes(path.read_bytes()[:1000])
    answer = airlink("merge", tmp_path / "a", tmp_path / "b", "--into", tmp_path / "c")
    assert (answer.exit_code, answer.stdout) == (2, "2 results taken over\n")
    assert f"{path} " in answer.stderr
    with pytest.raises(StoreError, match="holds no store"):
        merge([tmp_path / "nothing"], tmp_path / "c")


def test_gc_says_what_it_removed(tmp_path: Path) -> None:
    fill(tmp_path, range(1, 4))
    (tmp_path / "tables/users/.0123-000001.new").write_bytes(bytes(2000))
    assert airlink("gc", tmp_path).stdout == "removed 1 file of killed processes, 2 kB\n"
    lines = airlink("gc", tmp_path, "--older", "0", "--versions").stdout.splitlines()
    assert lines[0] == "removed 0 files of killed processes, 0 B"
    # Of the three, those that are a second old by then.
    removed = int(lines[1].split()[1])
    assert lines[1].startswith(f"removed {removed} result")
    with closing(sqlite3.connect(tmp_path / "store.sqlite")) as connection:
        assert connection.execute("SELECT count(*) FROM results").fetchone() == (3 - removed,)


@pytest.mark.thorough
def test_a_store_of_100_000_results_is_listed_in_two_seconds(tmp_path: Path) -> None:
    fill(tmp_path, range(1))
    with closing(sqlite3.connect(tmp_path / "store.sqlite")) as connection, connection:
        for scenario in range(1000):
            row = (f"{scenario:064x}", f"{scenario:064x}", "0.2.0", f"scenario {scenario}")
            connection.execute("INSERT INTO scenarios (key, content, version, name) VALUES (?, ?, ?, ?)", row)
        connection.execute(
            "WITH RECURSIVE seeds(seed) AS (SELECT 1 UNION ALL SELECT seed + 1 FROM seeds WHERE seed < 100) "
            "INSERT INTO results SELECT scenarios.id, seed, zeroblob(32), 1, seed, 0 FROM scenarios, seeds WHERE id > 1"
        )
    began_s = sum(os.times()[2:4])
    command = [sys.executable, "-m", "airlink", "store", "ls", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    # Of the processor, so that other work on the machine does not count.
    assert sum(os.times()[2:4]) - began_s < 2
    assert "100001 results of 1001 scenarios" in done.stdout
