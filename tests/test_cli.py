"""The command: what it prints, writes and answers, and with which exit code."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NoReturn

import pytest
from typer.testing import CliRunner

from airlink import RECORD_KINDS, Result, Scenario, engine
from airlink.cli import app
from airlink.cli.run import default_directory

CELL = """
name = "tiny"
duration_s = 1
users = 3
slot.duration_ms = 5
channel.placement = {kind = "mean_snr_range", low_db = 0, high_db = 15}
channel.fading.kind = "rayleigh"
link.rate = {kind = "capacity", bandwidth_hz = 1e6}
scheduler.kind = "proportional_fair"
flows = [{}]
"""
COMMANDS = [
    "init",
    "list",
    "check",
    "run",
    "sweep",
    "compare",
    "explain",
    "plot",
    "report",
    "store",
    "reproduce",
    "suite",
]
BELOW = ["report fairness", "store digest", "suite script"]
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


class Answer:
    """What a command answered."""

    def __init__(self, *arguments: str) -> None:
        result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"})
        self.code = result.exit_code
        self.out = ESCAPES.sub("", result.stdout)
        self.err = ESCAPES.sub("", result.stderr)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cell.toml").write_text(CELL)


def test_a_run_prints_users_cell_and_drops_and_writes_files() -> None:
    answer = Answer("run", "cell.toml")
    assert answer.code == 0
    for word in ("Users", "goodput", "Cell", "Jain's index", "Dropped: queue full 0", "Written to airlink-results"):
        assert word in answer.out
    assert Result.load("airlink-results/tiny-1").seeds == (1,)
    assert answer.err == ""


@pytest.mark.parametrize("warmup", [0, 0.5])
def test_the_packets_printed_balance(warmup: float) -> None:
    set_ = ("-s", f"warmup_s={warmup}", "-s", "queue.limit_packets=10")
    line = Answer("run", "cell.toml", "--no-save", *set_).out.split("Packets: ", 1)[1]
    counts = {name: int(number) for number, name in re.findall(r"(\d+) ([a-z ]+)", line)}
    assert ("waiting at start" in counts) == (warmup > 0)
    dropped = sum(int(number) for number in re.findall(r"\d+", line.split("Dropped: ")[1]))
    assert counts.get("waiting at start", 0) + counts["in"] == counts["delivered"] + dropped + counts["waiting"]


@pytest.mark.parametrize("arguments", [(), ("--replicas", "3"), ("-s", "users=60", "--replicas", "2")])
def test_tables_fit_80_columns(arguments: tuple[str, ...]) -> None:
    answer = Answer("run", "cell.toml", "--no-save", *arguments)
    assert answer.code == 0
    assert max(map(len, answer.out.splitlines())) <= 80
    assert "\u2026" not in answer.out


def test_many_users_are_shown_by_their_best_and_worst() -> None:
    answer = Answer("run", "cell.toml", "--no-save", "-s", "users=60")
    assert "best and worst of 60 users" in answer.out
    rows = [line for line in answer.out.splitlines() if re.match(r"\s+\d+ ", line)]
    assert len(rows) == 24


def test_fields_are_overridden_from_the_command_line() -> None:
    answer = Answer(
        "run",
        "cell.toml",
        "-s",
        "scheduler.kind=tcp_pf",
        "-s",
        "users=2",
        "--seed",
        "5",
        "--replicas",
        "2",
        "--out",
        "o",
    )
    assert answer.code == 0
    stored = Result.load("o")
    scheduler = stored.scenario.scheduler
    assert scheduler is not None
    assert (scheduler.kind, stored.scenario.users, stored.seeds) == ("tcp_pf", 2, (5, 6))


def test_series_are_recorded_by_kind() -> None:
    assert Answer("run", "cell.toml", "--record", "slots, gaps", "--out", "o").code == 0
    assert Result.load("o").record == ("slots", "gaps")
    assert sorted(path.name for path in Path("o/series").iterdir()) == ["gaps.parquet", "slots.parquet"]
    assert Answer("run", "cell.toml", "--record", "all", "--out", "p").code == 0
    assert Result.load("p").record == tuple(kind for kind in RECORD_KINDS if kind != "prices")


def test_json_is_strict_and_holds_all_numbers() -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    # A user far below noise gets nothing: minus infinity and not-a-number are among the numbers.
    answer = Answer("run", "cell.toml", "--json", "--no-save", "-s", "channel.placement.low_db=-150")
    content = json.loads(answer.out, parse_constant=refuse)
    assert content["cell"]["mean_log10_goodput_kBps"] == ["-inf"]
    assert content["users"]["queueing_delay_mean_s"][0] is None
    assert content["summary"]["goodput_bps"]["low"] == "-inf"
    assert len(content["users"]["goodput_bps"]) == 3
    assert content["directory"] is None
    assert not Path("airlink-results").exists()


def test_quiet_prints_nothing() -> None:
    answer = Answer("run", "cell.toml", "--quiet")
    assert (answer.code, answer.out, answer.err) == (0, "", "")
    assert Path("airlink-results/tiny-1/result.json").exists()


def test_results_are_not_overwritten_unless_asked() -> None:
    assert Answer("run", "cell.toml").code == 0
    before = Path("airlink-results/tiny-1/result.json").read_bytes()
    answer = Answer("run", "cell.toml", "--replicas", "2")
    assert answer.code == 2
    assert "holds results already" in answer.err
    assert "--force" in answer.err
    assert Path("airlink-results/tiny-1/result.json").read_bytes() == before
    assert Answer("run", "cell.toml", "--replicas", "2", "--force").code == 0
    assert Result.load("airlink-results/tiny-1").seeds == (1, 2)


@pytest.fixture
def nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: object, **__: object) -> NoReturn:
        raise AssertionError("a run has begun")

    monkeypatch.setattr(engine, "run", run)


@pytest.mark.usefixtures("nothing_runs")
def test_a_folder_in_use_is_seen_before_anything_is_run() -> None:
    Path("o").mkdir()
    Path("o/thesis.tex").write_text("years of work")
    answer = Answer("run", "cell.toml", "-s", "duration_s=100000", "--out", "o", "--force")
    assert answer.code == 2
    assert "other files" in answer.err


@pytest.mark.usefixtures("nothing_runs")
@pytest.mark.parametrize("command", [("run", "cell.toml", "-s", "duration_s=100000"), ("reproduce", "tcp-pf")])
@pytest.mark.parametrize("place", ["cell.toml/x", "cell.toml/new/x", "y" * 300])
def test_a_place_that_cannot_be_written_is_seen_before_anything_is_run(command: tuple[str, ...], place: str) -> None:
    answer = Answer(*command, "--out", place)
    assert answer.code == 2
    assert re.fullmatch(f"airlink: {place} can't be written: [^/]*\n", answer.err)
    assert [path.name for path in Path().iterdir()] == ["cell.toml"]


@pytest.mark.parametrize(
    ("arguments", "answers"),
    [
        (("run", "nothing.toml"), ["no such file", "k3"]),
        (("run", "."), ["no such file"]),
        (("run", "cell.toml", "-s", "users=0", "-s", "slot.duration_ms=0"), ["users = 0", "slot.duration_ms = 0"]),
        (("run", "cell.toml", "-s", "scheduler.kind"), ["path=value"]),
        (("run", "cell.toml", "--record", "slots,cwmd"), ["cwmd", "choose from"]),
        (("run", "cell.toml", "--seed", "-1"), ["--seed"]),
        (("run", "cell.toml", "--seed", "99999999999999999999"), ["seed"]),
        (("run", "cell.toml", "--replicas", "0"), ["--replicas"]),
        (("run", "cell.toml", "--replicas", "1000000000"), ["replicas is 1000000000; it must be at most 1000000"]),
        (("run", "cell.toml", "--threads", "0"), ["--threads"]),
        (("run", "cell.toml", "--out", "cell.toml"), ["not a folder"]),
        (("run", "cell.toml", "--out", "cell.toml/x"), ["cell.toml"]),
        (("store", "digest", "nowhere"), ["holds no result"]),
        (("init", "cell.toml"), ["exists"]),
        (("init", "new.toml", "--from", "k4"), ["k4", "k3"]),
        (("init", "no/such/folder.toml"), ["No such file"]),
        (("reproduce", "no-such-study"), ["no-such-study", "tcp-pf"]),
        (("check", "--schema", "--out", "no/such/folder.json"), ["No such file"]),
    ],
)
def test_bad_input_is_one_message_and_exit_code_2(arguments: tuple[str, ...], answers: list[str]) -> None:
    before = sorted(Path().rglob("*"))
    answer = Answer(*arguments)
    assert answer.code == 2
    assert answer.out == ""
    assert "Traceback" not in answer.err
    for text in answers:
        assert text in answer.err
    assert sorted(Path().rglob("*")) == before


def test_all_mistakes_of_a_file_are_told_at_once() -> None:
    Path("bad.toml").write_text(CELL.replace("users = 3", "users = -3").replace("duration_s = 1", "duration_s = nan"))
    answer = Answer("run", "bad.toml")
    assert answer.code == 2
    assert len(answer.err.splitlines()) == 2


def test_a_message_names_its_file_whole() -> None:
    # No wrapping at 80 columns: what is told can be searched for.
    name = "a-very-long-name-of-a-file-" * 5 + ".toml"
    assert name in Answer("run", name).err


@pytest.mark.parametrize("command", [[], *(name.split() for name in [*COMMANDS, *BELOW])])
def test_every_command_teaches_by_example(command: list[str]) -> None:
    answer = Answer(*command, "--help")
    assert answer.code == 0
    assert f"airlink {' '.join(command or ['init'])}" in answer.out.split("Usage", 1)[1].split("\n", 2)[2]
    assert max(map(len, answer.out.splitlines())) <= 80


def test_the_version_is_printed() -> None:
    answer = Answer("--version")
    assert (answer.code, answer.err) == (0, "")
    assert re.fullmatch(r"airlink \d+\.\d+\.\d+\n", answer.out)


def test_what_init_writes_is_a_scenario_that_runs() -> None:
    assert Answer("init", "new.toml").code == 0
    text = Path("new.toml").read_text()
    assert text.count("#") > 20
    assert Scenario.from_toml(Path("new.toml")).users > 0
    assert Answer("run", "new.toml", "--no-save", "-s", "duration_s=6").code == 0


def test_init_prints_when_asked_to() -> None:
    assert Scenario.from_toml(Answer("init", "-").out).users > 0


def test_a_ready_scenario_runs_by_name() -> None:
    assert Answer("run", "k3", "-s", "duration_s=1", "--out", "o").code == 0
    assert Result.load("o").scenario.users == 21


def test_a_file_goes_before_a_ready_scenario_of_the_same_name() -> None:
    Path("k3").write_text(CELL)
    assert Answer("run", "k3", "--out", "o").code == 0
    assert Result.load("o").scenario.name == "tiny"


def test_the_digest_of_a_stored_result_is_that_of_the_run() -> None:
    digest = json.loads(Answer("run", "cell.toml", "--json", "--replicas", "2").out)["digest"]
    answer = Answer("store", "digest", "airlink-results/tiny-1")
    assert (answer.code, answer.out) == (0, digest + "\n")


def test_a_stored_result_that_was_changed_is_told() -> None:
    Answer("run", "cell.toml", "--out", "o")
    Answer("run", "cell.toml", "--out", "p", "-s", "queue.limit_packets=3")
    Path("p/users.parquet").replace("o/users.parquet")
    answer = Answer("store", "digest", "o")
    assert answer.code == 2
    assert "changed since it was written; seeds 1" in answer.err


def test_a_description_without_one_of_its_keys_is_one_message() -> None:
    Answer("run", "cell.toml", "--out", "o")
    path = Path("o/result.json")
    path.write_text(path.read_text().replace('"version"', '"versoin"'))
    answer = Answer("store", "digest", "o")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == "airlink: o/result.json is not a whole result's description: version is missing\n"


def test_the_help_of_a_study_says_what_an_interruption_leaves() -> None:
    assert "Ctrl-C ends the study and writes no report" in Answer("reproduce", "--help").out


def test_studies_are_listed_one_a_line() -> None:
    answer = Answer("reproduce")
    assert answer.code == 0
    assert "tcp-pf" in answer.out
    assert max(map(len, answer.out.splitlines())) <= 80


def interrupted(until: str, *arguments: str) -> tuple[int, str, float]:
    """Exit code, messages and seconds until the end of a command that got Ctrl-C once it printed `until`."""
    # The bar is for terminals; in its place, progress is printed so that the signal comes at a known moment.
    program = """
import contextlib, sys
from airlink.cli import main, run
run.bar = lambda *_: contextlib.nullcontext(lambda finished, total: print("finished", finished, flush=True))
sys.argv[0] = "airlink"
main()
"""
    command = [sys.executable, "-c", program, "run", "cell.toml", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while not re.search(until, process.stdout.readline()):
            assert process.poll() is None
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    return process.returncode, err, time.monotonic() - sent


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interrupted_run_keeps_what_had_finished_and_ends_with_130() -> None:
    code, err, _ = interrupted("finished [1-9]", "--replicas", "20000", "--out", "o")
    assert code == 130
    assert re.search(r"interrupted; \d+ of 20000 replicas had finished and are kept", err)
    assert "Traceback" not in err
    stored = Result.load("o")
    assert stored.interrupted
    assert 0 < len(stored.seeds) < 20_000
    assert Answer("store", "digest", "o").code == 0


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_run_without_a_finished_replica_ends_within_a_second_and_writes_nothing() -> None:
    code, err, seconds = interrupted("finished 0", "-s", "duration_s=1000000", "-s", "users=50")
    assert seconds < 1.5  # a second for the engine, half of one for Python to close down
    assert (code, err) == (130, "airlink: interrupted; nothing was written\n")
    assert not list(Path("airlink-results").rglob("*.json"))


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    command = f"{sys.executable} -m airlink init - | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
@pytest.mark.parametrize(
    "arguments", [("run", "cell.toml"), ("run", "cell.toml", "--json"), ("list", "schedulers"), ("check", "k3")]
)
def test_a_command_whose_reader_has_left_ends_quietly(arguments: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "airlink", *arguments]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")
    assert Path("airlink-results/tiny-1/result.json").exists() == (arguments[0] == "run")


def test_a_terminal_without_unicode_gets_plain_characters() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}
    command = [sys.executable, "-m", "airlink", "run", "cell.toml", "--no-save", "--replicas", "2"]
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"+-" in done.stdout


def test_runs_with_other_settings_have_other_folders() -> None:
    settings: list[list[str]] = [
        [],
        ["users=2"],
        ["flows.0.start_s=0.5"],
        ["name=a b"],
        ["name=a-b"],
        ["users=2", "seed.x=1"],
        ["description=" + 300 * "x"],
        ["description=" + 301 * "x"],
    ]
    scenario = Scenario.from_toml(CELL)
    folders = [default_directory(scenario, "cell.toml", 1, each) for each in settings]
    assert len(set(folders)) == len(folders)
    assert [folder.name for folder in folders[:3]] == ["tiny-1", "tiny-users=2-1", "tiny-flows.0.start_s=0.5-1"]
    assert all(len(folder.name) < 120 and not set(folder.name) & set("/ \n") for folder in folders)
    longest = scenario.with_(name=200 * "n")
    assert len(default_directory(longest, "cell.toml", 2**64 - 1, ["description=" + 99 * "x"]).name) <= 255
    assert Answer("run", "cell.toml", "-s", "users=2", "-q").code == 0
    assert Result.load("airlink-results/tiny-users=2-1").users.rows == 2
