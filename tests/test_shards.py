"""Parts of a campaign for job arrays: each job in one part, whatever is stored; merged parts are the whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airlink import RequestError, campaign
from airlink.campaign import shard_of
from airlink.campaign.shards import positions
from airlink.result import Result
from airlink.store import Store
from small_cells import TCP_TEXT
from test_campaign_store import PLAN, Digests, digests, rows, run


@given(scenarios=st.integers(1, 7), seeds=st.integers(1, 40), parts=st.integers(1, 50))
def test_each_job_is_in_one_part_and_parts_are_alike(scenarios: int, seeds: int, parts: int) -> None:
    of_part = [
        [(place, position) for place in range(scenarios) for position in positions(place, seeds, (part, parts))]
        for part in range(1, parts + 1)
    ]
    everything = [(place, position) for place in range(scenarios) for position in range(seeds)]
    assert sorted(job for jobs in of_part for job in jobs) == everything
    assert max(map(len, of_part)) - min(map(len, of_part)) <= 1


@pytest.mark.parametrize("parts", [1, 2, 8])
def test_merged_parts_are_the_whole(tmp_path: Path, parts: int) -> None:
    with campaign.stream(PLAN) as runs:
        whole: Digests = {(label, seed): replica.digest for label, seed, replica in runs}
    found: Digests = {}
    for part in range(1, parts + 1):
        with Store(tmp_path / f"part-{part}") as store, campaign.stream(PLAN, store=store, shard=(part, parts)) as some:
            assert some.jobs in (40 // parts, 40 // parts + 1)
            found |= {(label, seed): replica.digest for label, seed, replica in some}
    assert found == whole
    stores = [str(path) for path in tmp_path.glob("part-*")]
    assert run("store", "merge", *stores, "--into", str(tmp_path / "all"))[0] == 0
    with Store(tmp_path / "all") as store:
        assert digests(PLAN, store) == (whole, 40)


def test_a_part_does_not_depend_on_what_is_stored(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        with campaign.stream(PLAN, store=store, shard=(2, 3)) as runs:
            first = {(run.label, run.seed) for run in runs}
        with campaign.stream(PLAN, store=store, shard=(2, 3)) as runs:
            assert {(run.label, run.seed) for run in runs} == first
            assert runs.stored == len(first)


def test_jobs_of_other_parts_are_not_finished() -> None:
    done = campaign.run(PLAN, shard=(1, 4))
    assert done.finished.sum() == 10
    assert not done.interrupted


@pytest.mark.parametrize("text", ["", "3", "3/", "a/b", "-1/3", "0/3", "4/3", "1/0", "1/3/5"])
def test_a_part_that_there_is_not_is_one_sentence(text: str) -> None:
    with pytest.raises(RequestError, match=r"^shard '.*' is not understood; write K/N|^shard is .*; the part must be"):
        shard_of(text)


def test_a_job_array_of_commands_ends_in_one_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tiny.toml").write_text(TCP_TEXT)
    words = ["run", "tiny.toml", "--seeds", "1-7"]
    for part in "12":
        code, out, err = run(*words, "--shard", f"{part}/2", "--store", f"part-{part}")
        count = {"1": 4, "2": 3}[part]
        assert (code, err) == (0, "")
        assert out == f"part {part}/2: {count} of 7 replicas are in the store part-{part}\n"
        assert rows(Path(f"part-{part}")) == count
    assert not Path("airlink-results").exists()
    assert run("store", "merge", "part-1", "part-2", "--into", "airlink-results")[0] == 0
    assert run(*words)[2] == "airlink: 7 of 7 replicas were in the store\n"
    assert run(*words, "--store", "other", "--out", "plain")[0] == 0
    assert Result.load("airlink-results/tiny-1").digest() == Result.load("plain").digest()


@pytest.mark.parametrize("more", [["--no-save"], ["--json"], ["--record", "acks"], ["--record", "pcap"]])
def test_a_part_without_a_store_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: list[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tiny.toml").write_text(TCP_TEXT)
    code, out, err = run("run", "tiny.toml", "--seeds", "1-4", "--shard", "1/2", *more)
    assert (code, out) == (2, "")
    assert err.startswith("airlink: --shard leaves its replicas in the store: ")
    code, out, err = run("run", "tiny.toml", "--seeds", "1-4", "--shard", "1/2", "--store", "tiny.toml/x")
    assert (code, out) == (2, "")
