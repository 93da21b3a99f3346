"""What a command writes is whole at every moment: killed, interrupted, on a full disk, beside other writers."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import airlink
from airlink.cli import app
from airlink.report import ReportFolder
from airlink.result import Result, ResultError, ResultExists, atomic_write
from airlink.result.run import result_of, run_request
from airlink.scenario import ready

SHORT = ("dumbbell", "-s", "duration_s=0.2")
LONG = ("dumbbell", "-s", "duration_s=100000")
MANY = ("dumbbell", "-s", "duration_s=4", "--replicas", "100000")
WHOLE = {"old", "new"}


def started(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "airlink", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Exit code and messages."""
    with process:
        _, err = process.communicate(timeout=120)
    return process.returncode, err


def wait_for(found: object, until_s: float = 60) -> None:
    end = time.monotonic() + until_s
    while not found():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def names(folder: str | Path = ".") -> list[str]:
    return sorted(path.name for path in Path(folder).iterdir())


def older(path: str = "o") -> None:
    """A result of seed 1."""
    airlink.run(ready("dumbbell", ["duration_s=0.2"]), seed=1, record=["acks"]).save(path)


def is_older(path: str = "o") -> bool:
    stored = Result.load(path)
    return stored.seeds == (1,) and stored.digests() == [replica.digest for replica in stored.replicas]


def before(play: str) -> None:
    """What stands in the place of a play."""
    if play == "init":
        Path("before").write_text("old")
    elif play == "report":
        folder = ReportFolder(Path("before"), "old")
        with folder.claimed() as claimed, folder.filled(claimed, {}) as inside:
            for name in "abc":
                (inside / name).write_text("old")
    else:
        older("before")


@pytest.mark.parametrize(
    ("play", "how", "steps"),
    [
        ("save", "kill", "swap"),
        pytest.param("save", "kill", "two-steps", marks=pytest.mark.validate),
        pytest.param("save", "interrupt", "swap", marks=pytest.mark.validate),
        pytest.param("save", "interrupt", "two-steps", marks=pytest.mark.validate),
        pytest.param("run", "kill", "swap", marks=pytest.mark.validate),
        pytest.param("captures", "kill", "swap", marks=pytest.mark.validate),
        pytest.param("captures", "interrupt", "swap", marks=pytest.mark.validate),
        pytest.param("report", "kill", "swap", marks=pytest.mark.validate),
        pytest.param("report", "interrupt", "two-steps", marks=pytest.mark.thorough),
        pytest.param("init", "kill", "swap", marks=pytest.mark.thorough),
        pytest.param("init", "interrupt", "swap", marks=pytest.mark.validate),
    ],
)
def test_the_old_or_the_new_is_whole_whenever_a_writer_ends(play: str, how: str, steps: str) -> None:
    before(play)
    script = Path(__file__).with_name("moments.py")
    done = subprocess.run(
        [sys.executable, str(script), play, how, steps], capture_output=True, text=True, check=True, timeout=300
    )
    moments = [line.split("\t") for line in done.stdout.splitlines()]
    assert len(moments) > 10, done.stderr
    for moment, code, found, *_ in moments:
        last = int(moment) == len(moments)
        assert int(code) == (77 if last else 0 if how == "interrupt" else -signal.SIGKILL), (moment, done.stderr)
        # A report is put back by the next writer, a result by who reads it as well.
        assert found in WHOLE or (play, steps) == ("report", "two-steps"), (moment, found, done.stderr)
    assert {found for _, _, found, *_ in moments} >= WHOLE
    # What the killed ones left was removed by the next.
    assert [name for name in moments[-1][3:] if name.startswith(".")] == []


def test_a_killed_run_with_captures_leaves_the_older_result() -> None:
    older()
    process = started("run", *LONG, "--record", "pcap", "--out", "o", "--force")
    wait_for(lambda: any(path.stat().st_size > 100_000 for path in Path().rglob(".o.airlink/new/new/captures/*")))
    process.kill()
    assert ended(process)[0] == -signal.SIGKILL
    assert is_older()
    assert ended(started("run", *SHORT, "--seed", "7", "--out", "p"))[0] == 0
    assert names() == ["airlink-results", "o", "p"]


def test_ctrl_c_keeps_the_older_result_and_the_captures_beside_it() -> None:
    older()
    Path("o-interrupted").mkdir()
    Path("o-interrupted/mine").write_text("")
    process = started("run", *LONG, "--record", "pcap", "--out", "o", "--force")
    wait_for(lambda: any(path.stat().st_size > 100_000 for path in Path().rglob(".o.airlink/new/new/captures/*")))
    process.send_signal(signal.SIGINT)
    code, err = ended(process)
    assert code == 130
    assert "the captures until then are in o-interrupted-2/captures" in err
    assert is_older()
    assert names() == ["o", "o-interrupted", "o-interrupted-2"]
    assert sum(path.stat().st_size for path in Path("o-interrupted-2/captures").iterdir()) > 100_000


@pytest.mark.thorough
@pytest.mark.parametrize("record", [(), ("--record", "pcap")])
def test_an_interrupted_run_does_not_replace_an_older_result(record: tuple[str, ...]) -> None:
    older()
    process = started("run", *MANY, *record, "--threads", "1", "--out", "o", "--force")
    wait_for(lambda: Path(".o.airlink/lock").exists())
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    code, err = ended(process)
    assert (code, "of 100000 replicas had finished and are kept in o-interrupted" in err) == (130, True)
    assert is_older()
    stored = Result.load("o-interrupted")
    assert stored.interrupted
    assert (stored.captures is not None) == bool(record)
    assert [name for name in names() if name != "airlink-results"] == ["o", "o-interrupted"]


@pytest.mark.parametrize("options", [(), pytest.param(("--record", "pcap"), marks=pytest.mark.thorough)])
def test_of_four_runs_into_one_new_folder_one_is_stored_and_three_are_refused(options: tuple[str, ...]) -> None:
    command = ("run", "dumbbell", "-s", "duration_s=20", "--out", "new/o", *options)
    answers = [ended(run) for run in [started(*command, "--seed", str(seed)) for seed in range(4)]]
    assert sorted(code for code, _ in answers) == [0, 2, 2, 2]
    for code, err in answers:
        # One that starts when the first has ended finds its result.
        refused = "is writing there" in err or "holds results already" in err
        assert code == 0 or (refused and err.count("\n") == 1), err
    stored = Result.load("new/o")
    assert answers[stored.seeds[0]][0] == 0
    assert names("new") == ["o"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "command", [("init", "o"), ("plot", "cell", "r", "--out", "o.html"), ("run", *SHORT, "--out", "o")]
)
def test_a_second_writer_is_refused_in_one_message(command: tuple[str, ...]) -> None:
    older("r")
    with atomic_write.claimed(Path(command[-1])):
        code, err = ended(started(*command))
    assert (code, err.count("\n")) == (2, 1)
    assert f"{command[-1]}: another process ({os.getpid()}) is writing there; wait for it" in err
    assert names() == ["r"]


def test_what_is_being_written_is_not_tidied_away() -> None:
    with atomic_write.claimed(Path("a")) as first:
        first.new.write_text("first")
        atomic_write.write_text(Path("b"), "second")
        first.put()
    assert {path.name: path.read_text() for path in Path().iterdir()} == {"a": "first", "b": "second"}


@pytest.mark.parametrize(
    "room", [0, 16, 256, *(pytest.param(room, marks=pytest.mark.validate) for room in (4, 32, 64))]
)
@pytest.mark.parametrize("what", ["result", "scenario"])
def test_a_full_disk_leaves_the_old_or_the_new(small_disk: Path, what: str, room: int) -> None:
    target = small_disk / "o"
    if what == "result":
        older(str(target))
    else:
        target.write_text("old")
    free = os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize
    (small_disk / "filler").write_bytes(bytes(free - room * 1024))
    command: tuple[str, ...] = ("init", str(target), "--force")
    if what == "result":
        command = ("run", *SHORT, "--seed", "2", "--record", "all", "--out", str(target), "--force")
    code, err = ended(started(*command))
    if code == 0:
        assert Result.load(target).seeds == (2,) if what == "result" else target.read_text() != "old"
    else:
        assert (code, err) == (2, f"airlink: {target}: the disk is full; nothing was written\n")
        assert is_older(str(target)) if what == "result" else target.read_text() == "old"
    assert names(small_disk) == ["filler", "o"]
    assert code == {0: 2, 256: 0}.get(room, code)


def test_a_second_writer_is_refused_soon() -> None:
    with atomic_write.claimed(Path("o")):
        began = time.monotonic()
        with pytest.raises(ResultExists), atomic_write.claimed(Path("o")):
            raise AssertionError("claimed twice")
        assert atomic_write.PATIENCE_S < time.monotonic() - began < atomic_write.PATIENCE_S + 1


def test_without_locks_the_hidden_folder_is_the_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))

    monkeypatch.setattr(fcntl, "flock", refuse)
    atomic_write.write_text(Path("o"), "first")
    assert names() == ["o"]
    with atomic_write.claimed(Path("o")), pytest.raises(ResultExists, match=r"if none is, remove .*/\.o\.airlink"):
        atomic_write.write_text(Path("o"), "second")
    assert (Path("o").read_text(), names()) == ("first", ["o"])


def test_a_link_stays_a_link_and_a_file_keeps_its_mode() -> None:
    Path("store").mkdir()
    Path("store/cell.toml").write_text("old")
    Path("store/cell.toml").chmod(0o640)
    Path("o").symlink_to("store/cell.toml")
    atomic_write.write_text(Path("o"), "new")
    assert Path("o").is_symlink()
    assert Path("store/cell.toml").read_text() == "new"
    assert stat.S_IMODE(Path("store/cell.toml").stat().st_mode) == 0o640


@pytest.mark.parametrize("command", [("init", "--force"), ("check", "--schema", "--out")])
def test_devices_and_pipes_are_never_replaced(command: tuple[str, ...]) -> None:
    os.mkfifo("o")
    code, err = ended(started(*command, "o"))
    assert (code, err) == (2, "airlink: o is a device or pipe, not a file; choose another name\n")
    assert stat.S_ISFIFO(Path("o").stat().st_mode)
    assert names() == ["o"]


@pytest.mark.parametrize("name", ["x" * 255, "\u00e9" * 127, "a\udcff", ".airlink", "..."])
def test_any_name_that_the_file_system_takes_can_be_written(name: str) -> None:
    atomic_write.write_text(Path(name), "text")
    assert names() == [name]


def test_a_name_that_is_too_long_is_refused_before_anything_is_computed() -> None:
    with pytest.raises(ResultError, match="File name too long"), atomic_write.claimed(Path("x" * 256)):
        raise AssertionError("claimed")


@pytest.mark.parametrize(
    "command", [("run", *SHORT, "--out", "/"), ("run", *SHORT, "--out", "/", "--force"), ("init", "/")]
)
def test_the_root_of_the_file_system_is_no_place(command: tuple[str, ...]) -> None:
    code, err = ended(started(*command))
    assert code == 2
    assert err.startswith("airlink: / is ")
    assert err.count("\n") == 1


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name", ["notes.md", "series/mine.csv", "captures/acks.txt", "mine/data.csv", ".hidden", "link"]
)
def test_force_replaces_no_folder_that_holds_files_of_the_user(name: str) -> None:
    older()
    own = Path("o", name)
    own.parent.mkdir(exist_ok=True)
    if name == "link":
        own.symlink_to("..")
    else:
        own.write_text("mine")
    code, err = ended(started("run", *SHORT, "--seed", "7", "--out", "o", "--force"))
    assert (code, err.count("\n")) == (2, 1)
    assert f"o holds files that are no part of a result and would be lost: {name}; move them away first" in err
    assert os.path.lexists(own)
    assert is_older()
    own.rename("mine")
    assert ended(started("run", *SHORT, "--seed", "7", "--out", "o", "--force", "-q"))[0] == 0
    assert Result.load("o").seeds == (7,)


def test_of_many_files_of_the_user_three_are_named() -> None:
    older()
    for name in "edcba":
        Path("o", name).write_text("mine")
    with pytest.raises(ResultExists, match=r"would be lost: a, b, c and 2 more; move them away first"):
        airlink.run(ready("dumbbell", ["duration_s=0.2"])).save("o", overwrite=True)


@pytest.mark.thorough
def test_force_keeps_whatever_a_result_can_hold_replaceable() -> None:
    for seed in ("1", "2"):
        command = ("run", *SHORT, "--seed", seed, "--record", "all,pcap", "--out", "o", "--force", "-q")
        assert ended(started(*command)) == (0, "")
    Path("o/result.json").unlink()
    for part in ("series", "users.parquet", "flows.parquet", "cell.parquet"):
        Path("o", part).rename(part)
    Path("o/captures/mine").write_text("mine")
    code, err = ended(started("run", *SHORT, "--record", "pcap", "--out", "o", "--force"))
    assert (code, "would be lost: captures/mine;" in err) == (2, True)


@pytest.mark.parametrize("force", [True, False])
def test_a_report_replaces_no_folder_that_holds_files_of_the_user(force: bool) -> None:
    before("report")
    folder = ReportFolder(Path("before"), "old", force=force)
    folder.check_free(replaceable=True)
    Path("before/notes.md").write_text("mine")
    with pytest.raises(ResultExists, match=r"no part of a report and would be lost: notes\.md; move them away first"):
        folder.check_free(replaceable=True)
    assert names("before") == ["a", "b", "c", "notes.md", "study.json"]


@pytest.mark.parametrize("options", [(), ("--force",), ("--force", "--record", "pcap")])
def test_what_comes_to_a_place_during_the_run_and_the_result_are_kept(
    options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if options:
        older()

    def with_notes(run: Callable[..., Result]) -> Callable[..., Result]:
        def ran(*arguments: Any, **options: Any) -> Result:
            made = run(*arguments, **options)
            Path("o").mkdir(exist_ok=True)
            Path("o/notes.md").write_text("mine")
            return made

        return ran

    # One of them runs what captures packets, the other what a store keeps.
    monkeypatch.setattr("airlink.cli.run.run_request", with_notes(run_request))
    monkeypatch.setattr("airlink.cli.run.result_of", with_notes(result_of))
    with pytest.raises(SystemExit) as end:
        app(["run", *SHORT, "--seed", "7", "--out", "o", *options])
    told = capsys.readouterr()
    assert (end.value.code, told.err.count("\n")) == (2, 1)
    assert told.err.endswith("; this result is in o-new\n")
    assert Path("o/notes.md").read_text() == "mine"
    assert is_older() if options else names("o") == ["notes.md"]
    stored = Result.load("o-new")
    assert stored.seeds == (7,)
    assert (stored.captures is not None) == ("pcap" in options)
    assert [name for name in names() if name != "airlink-results"] == ["o", "o-new"]


@pytest.mark.parametrize("was_there", [True, False])
def test_what_comes_to_a_place_during_a_study_and_the_report_are_kept(was_there: bool) -> None:
    if was_there:
        before("report")
    folder = ReportFolder(Path("before"), "new", force=True)

    def write() -> None:
        with folder.claimed() as claimed, folder.filled(claimed, {}) as inside:
            (inside / "d").write_text("new")
            Path("before").mkdir(exist_ok=True)
            Path("before/notes.md").write_text("mine")

    with pytest.raises(ResultExists, match=r"; this report is in before-new"):
        write()
    assert names("before") == (["a", "b", "c", "notes.md", "study.json"] if was_there else ["notes.md"])
    assert names("before-new") == ["d", "study.json"]
    assert names() == ["before", "before-new"]


@pytest.mark.thorough
def test_a_result_within_another_outlives_the_force_that_replaces_it() -> None:
    for out in ("a", "a/b", "a/c/d"):
        assert ended(started("run", *SHORT, "--out", out, "-q"))[0] == 0
    for inner in ("a/b", "a/c/d"):
        code, err = ended(started("run", *SHORT, "--out", "a", "--force"))
        assert code == 2
        assert f"would be lost: {inner.removeprefix('a/')[0]}" in err
        assert Result.load(inner).digests()
        Path(inner).rename(inner.replace("/", "-"))
    assert ended(started("run", *SHORT, "--out", "a", "--force", "-q"))[0] == 0
