"""Where captures are written, and what is left of them by a killed run, Ctrl-C and a full disk."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

import airlink
from airlink import RequestError, Result, ResultError, ResultExists, ScenarioError, campaign
from airlink.cli import app
from airlink.result import captures
from airlink.result.atomic_write import claimed
from airlink.scenario import ready
from readers import tshark

POINTS = ("drops", "queue", "server", "user")
LONG = ("dumbbell", "-s", "duration_s=100000")
PCAP = ("--record", "pcap")


def airlink_run(*arguments: str, limit_bytes: int | None = None) -> subprocess.Popen[str]:
    """The command in a process of its own, whose files may be limited."""

    def limit() -> None:
        if limit_bytes is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))

    command = [sys.executable, "-m", "airlink", "run", *arguments]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "80"},
        preexec_fn=limit,
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Exit code, output and messages."""
    with process:
        out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def answered(*arguments: str) -> tuple[int, str, str]:
    """Exit code, output and messages of the command in this process."""
    done = CliRunner().invoke(app, ["run", *arguments], env={"COLUMNS": "80"})
    return done.exit_code, done.stdout, done.stderr


def wait_until_written(folder: Path, name: str, size: int = 100_000) -> None:
    """Until a capture of a run has grown."""
    until = time.monotonic() + 60
    while not (folder / name).exists() or (folder / name).stat().st_size < size:
        assert time.monotonic() < until
        time.sleep(0.005)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_captures_are_part_of_the_result() -> None:
    code, out, err = ended(
        airlink_run("dumbbell", "-s", "duration_s=1", "--record", "all,pcap", "--replicas", "2", "--out", "o")
    )
    assert (code, err) == (0, "")
    assert "Written to o" in out
    assert sorted(path.name for path in Path("o/captures").iterdir()) == sorted(
        f"{point}-{seed}.pcapng" for point in POINTS for seed in (1, 2)
    )
    stored = Result.load("o")
    assert "acks" in stored.record
    assert stored.captures == captures.Captures(Path("o/captures"), [])
    with pytest.raises(RequestError, match="pcap is no series"):
        stored.series("pcap")


def test_captures_change_no_number() -> None:
    scenario = ready("dumbbell", ["duration_s=2"])
    assert airlink.run(scenario, record=["pcap"], captures="c").digest() == airlink.run(scenario).digest()


def test_a_result_is_saved_around_its_captures_and_elsewhere_without_them() -> None:
    made = airlink.run(ready("dumbbell", ["duration_s=1"]), record=["pcap"], captures="o/captures")
    made.save("o")
    made.save("p")
    assert sorted(path.name for path in Path("o").iterdir()) == sorted(
        ["captures", "cell.parquet", "flows.parquet", "result.json", "users.parquet"]
    )
    assert not Path("p/captures").exists()
    assert Result.load("p").captures is not None
    with pytest.raises(ResultExists, match="holds captures already"):
        airlink.run(made.scenario, record=["pcap"], captures="o/captures")


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        ((*PCAP, "--no-save"), "can't be had with --no-save"),
        (("--snap", "100"), "--snap requires --record pcap"),
        ((*PCAP, "--snap", "79"), "snap is 79; it must lie in 80..65535 bytes"),
        ((*PCAP, "--snap", "65536"), "snap is 65536; it must lie in 80..65535"),
        ((*PCAP, "-s", "flows.0.tcp={mss_bytes = 65484, timestamps = true}"), "flows.0.tcp.mss_bytes = 65484"),
    ],
)
def test_what_cannot_be_captured_is_told_before_anything_is_run(arguments: tuple[str, ...], answer: str) -> None:
    code, out, err = answered(*LONG, *arguments)
    assert (code, out) == (2, "")
    assert answer in err
    assert list(Path().iterdir()) == []


def test_python_refuses_the_same() -> None:
    scenario = ready("dumbbell")
    for options, answer in (
        ({"record": ["pcap"]}, "needs a folder"),
        ({"captures": "c"}, "go with record"),
        ({"record": ["pcap"], "captures": "c", "snap": 70}, r"80\.\.65535"),
    ):
        with pytest.raises(RequestError, match=answer):
            airlink.run(scenario, **options)
    with pytest.raises(RequestError, match="a campaign captures no packets"):
        campaign.Plan({"a": scenario}, [1], record=["pcap"])
    largest = scenario.with_(**{"flows.0.tcp": {"mss_bytes": 65484, "timestamps": True}})
    with pytest.raises(ScenarioError, match="at most 65483 with pcap"):
        airlink.run(largest, record=["pcap"], captures="c")
    assert list(Path().iterdir()) == []


def test_snap_keeps_so_many_bytes_of_each_packet() -> None:
    answered("dumbbell", "-s", "duration_s=1", *PCAP, "--snap", "500", "--out", "o")
    lengths = tshark.asked(Path("o/captures/server-1.pcapng"), "-T", "fields", "-e", "frame.len", "-e", "frame.cap_len")
    for line in lengths.splitlines():
        whole, kept = map(int, line.split())
        assert kept == min(whole, 500)


def test_a_killed_run_leaves_captures_that_can_be_read_to_their_ends() -> None:
    tshark.required()
    process = airlink_run(*LONG, *PCAP, "--replicas", "2", "--threads", "2", "--out", "o")
    wait_until_written(Path("o/captures"), "server-1.pcapng")
    wait_until_written(Path("o/captures"), "server-2.pcapng")
    process.kill()
    assert ended(process)[0] == -signal.SIGKILL
    assert [path.name for path in Path("o").iterdir()] == ["captures"]
    counts = {path.stem: tshark.packets(path) for path in Path("o/captures").iterdir()}
    assert len(counts) == 8
    assert counts["server-1"] > 1000
    code, _, err = answered("dumbbell", "-s", "duration_s=1", "--out", "o")
    assert (code, "holds the captures of a run that did not end" in err, "--force" in err) == (2, True, True)
    assert answered("dumbbell", "-s", "duration_s=1", "--out", "o", "--force")[0] == 0
    assert Result.load("o").captures is None
    assert not Path("o/captures").exists()


def test_what_is_replaced_comes_back_when_the_run_cannot_start() -> None:
    answered("dumbbell", "-s", "duration_s=1", "--out", "o")
    before = Path("o/result.json").read_bytes()
    with pytest.raises(RequestError), claimed(Path("o")) as place, captures.begun(place, overwrite=True):
        raise RequestError
    assert Path("o/result.json").read_bytes() == before
    assert sorted(path.name for path in Path().iterdir()) == ["airlink-results", "o"]


@pytest.mark.parametrize("replicas", [1, pytest.param(10_000, marks=pytest.mark.thorough)])
def test_ctrl_c_keeps_the_captures_of_what_ran(replicas: int) -> None:
    duration = ("-s", "duration_s=1") if replicas > 1 else ()
    process = airlink_run(*LONG, *duration, *PCAP, "--replicas", str(replicas), "--threads", "2", "--out", "o")
    # When the hundredth of many is begun, the command has long been reading those that have finished.
    wait_until_written(Path("o/captures"), f"server-{min(replicas, 100)}.pcapng", size=1)
    process.send_signal(signal.SIGINT)
    code, _, err = ended(process)
    assert code == 130
    if replicas > 1:
        assert 0 < len(Result.load("o").seeds) < replicas
        assert f"of {replicas} replicas had finished and are kept" in err
    else:
        assert "no replica had finished; the captures until then are in o/captures" in err
        assert [path.name for path in Path("o").iterdir()] == ["captures"]
    # Even those of a replica that has only begun can be read.
    counts = {path.stem: tshark.packets(path) for path in Path("o/captures").iterdir()}
    assert counts["server-1"] > 0


@pytest.mark.thorough
def test_a_file_that_may_not_grow_ends_the_captures_and_not_the_run() -> None:
    whole = ended(airlink_run("dumbbell", "-s", "duration_s=10", "--json", "--no-save"))[1]
    code, out, err = ended(
        airlink_run("dumbbell", "-s", "duration_s=10", "--json", *PCAP, "--out", "o", limit_bytes=300_000)
    )
    assert code == 1
    assert out.replace('"directory": "o"', '"directory": null') == whole
    assert err.count("\n") == 1
    assert "File too large" in err
    (cut,) = Result.load("o").captures.cut_short  # type: ignore[union-attr]
    assert (cut.seed, cut.file.parent) == (1, Path("o/captures"))
    for point in POINTS:
        assert tshark.read(Path(f"o/captures/{point}-1.pcapng")).broken == []


@pytest.mark.thorough
def test_a_full_disk_is_one_message_and_leaves_the_summary(small_disk: Path) -> None:
    arguments = ("dumbbell", "-s", "duration_s=20", "--record", "packets,acks,pcap")
    whole = ended(airlink_run("dumbbell", "-s", "duration_s=20", "--no-save"))[1]
    code, out, err = ended(airlink_run(*arguments, "--out", str(small_disk / "o")))
    assert code == 1
    assert out.startswith(whole.rstrip("\n"))
    assert "No space left on device" in err
    stored = Result.load(small_disk / "o")
    assert stored.digest() == airlink.run(stored.scenario, record=["packets", "acks"]).digest()
    assert stored.captures is not None
    assert stored.captures.cut_short
    for path in (small_disk / "o/captures").iterdir():
        assert tshark.read(path).broken == []


def test_a_disk_without_room_for_the_tables_leaves_the_summary_printed(small_disk: Path) -> None:
    (small_disk / "other").write_bytes(bytes(1_900_000))
    whole = ended(airlink_run("dumbbell", "-s", "duration_s=5", "--no-save"))[1]
    code, out, err = ended(
        airlink_run("dumbbell", "-s", "duration_s=5", *PCAP, "--record", "all,pcap", "--out", str(small_disk / "o"))
    )
    assert code == 2
    assert out == whole
    assert "the disk is full; no tables were written" in err


def test_captures_give_room_by_whole_blocks() -> None:
    airlink.run(ready("dumbbell", ["duration_s=2"]), record=["pcap"], captures="c")
    sizes = {path: path.stat().st_size for path in Path("c").iterdir()}
    largest = max(sizes, key=lambda path: sizes[path])
    cut = captures.give_room(Path("c"), 10_000)
    assert cut is not None
    assert (cut.file, cut.seed) == (largest, 1)
    assert 10_000 <= sizes[largest] - largest.stat().st_size < 10_200
    assert tshark.read(largest).broken == []
    while captures.give_room(Path("c"), 10**9) is not None:
        pass
    for path in Path("c").iterdir():
        assert path.stat().st_size < 4096
        assert tshark.read(path).broken == []


def test_a_folder_that_cannot_be_made_is_one_message() -> None:
    Path("file").write_text("")
    with pytest.raises(ResultError, match="file/c can't be written"):
        airlink.run(ready("dumbbell", ["duration_s=1"]), record=["pcap"], captures="file/c")
