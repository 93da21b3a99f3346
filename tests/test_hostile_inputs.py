"""What others wrote is data: never markup, never a path, never without an end. One message, exit code 2, soon.

Each row of the tables below is a file or a folder made bad in one way, and every command that takes its kind reads it.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import airlink
import fuzz_inputs
from airlink import Result
from airlink.cli import app
from airlink.result import files
from airlink.scenario import ready

MOST_S, MOST_BYTES = 2.0, 500_000_000
HEAD = "duration_s = 1\nusers = 1\nslot.duration_ms = 1\n"
CELL = HEAD + "[[flows]]\n"
TRACE = HEAD + 'channel.placement = {kind = "trace", files = ["t"], quantity = "snr_db"}\n[[flows]]\n'
SCRIPT = '---\nside = "sender"\n---\n'


def error_output(*arguments: str) -> str:
    """The one message of a command that is refused, soon and in bounded memory."""
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    done = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"})
    assert time.process_time() - began < MOST_S
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 < MOST_BYTES
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert (done.exit_code, done.stdout) == (2, ""), done.output
    assert done.stderr.strip()
    assert all(letter.isprintable() or letter == "\n" for letter in done.stderr), done.stderr
    assert len(done.stderr) < 30_000
    return done.stderr


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def fifo(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def random(path: Path) -> None:
    path.symlink_to("/dev/urandom")


def circle(path: Path) -> None:
    path.symlink_to(path.name)


def dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def folder(path: Path) -> None:
    path.mkdir()


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**40)


def of_the_kernel(path: Path) -> None:
    path.symlink_to("/proc/self/pagemap")


NO_FILES: dict[str, Callable[[Path], object]] = {
    each.__name__: each for each in (fifo, endless, random, circle, dangling, folder, huge, of_the_kernel)
}


NO_TOML: dict[str, str | bytes] = {
    "digits": "x = " + "9" * 5000 + "\n",
    "digits of a fraction": "duration_s = 0." + "9" * 100_000 + "e999999999\n",
    "hexadecimal digits": "users = 0x" + "f" * 100_000 + "\n",
    "lists": "x = " + "[" * 20_000 + "]" * 20_000 + "\n",
    "inline tables": "x = " + "{a=" * 20_000 + "1" + "}" * 20_000 + "\n",
    "dotted keys": ".".join(["a"] * 20_000) + " = 1\n",
    "headers": "[" + ".".join(["a"] * 20_000) + "]\n",
    "keys": "".join(f"key{number} = {number}\n" for number in range(20_000)),
    "tables": "".join(f"[table{number}]\n" for number in range(20_000)),
    "no UTF-8": b'name = "\xff\xfe"\n',
    "a long key": "a" * 100_000 + " = 1\n",
    "an escape": "\x1b[31m = 1\n",
    "an escape in a key": '"\\u001b[31m" = 1\n',
    "an escape in a value": 'queue.kind = "\\u001b[31m"\n',
    "direction in a key": '"\\u202e" = 1\n',
    "markup in a key": '"[red]" = 1\n',
    "a date": "duration_s = 1979-05-27\n",
    "a NUL": 'name = "\\u0000"\n',
    "an empty key": '"" = 1\n',
}
NAMES = ["\x1b[31m", "\x9b31m", "a\u202eb", "\u2066", "\x7f", "a\rb\x08"]


@pytest.mark.parametrize("made", NO_FILES)
@pytest.mark.parametrize("command", ["run", "check", "suite script"])
def test_what_is_no_file_is_refused(command: str, made: str) -> None:
    NO_FILES[made](Path("x"))
    error_output(*command.split(), "x")


@pytest.mark.parametrize("made", NO_FILES)
def test_what_is_no_trace_is_refused(made: str) -> None:
    Path("cell.toml").write_text(TRACE)
    NO_FILES[made](Path("t"))
    assert "channel.placement.files.0" in error_output("run", "cell.toml")


@pytest.mark.parametrize("made", NO_TOML)
@pytest.mark.parametrize("command", ["run", "check", "suite script"])
def test_bad_toml_is_refused(command: str, made: str) -> None:
    text = NO_TOML[made]
    data = text.encode() if isinstance(text, str) else text
    script = command == "suite script"
    below = b"" if data.startswith(b"[") else CELL.encode()
    Path("x").write_bytes(b"---\n" + data + b"---\n" if script else data + below)
    error_output(*command.split(), "x")


@pytest.mark.parametrize(
    "setting",
    [
        "x",
        "=1",
        "a=",
        "users=1\nduration_s=2",
        "users=1\rx=1",
        "name='''a\nb'''",
        "users=" + "9" * 5000,
        "users=" + "[" * 20_000,
        "users=" + "{a=" * 20_000,
        ".".join(["a"] * 20_000) + "=1",
        "flows" + "[0]" * 20_000 + "=1",
        "flows.99999999999999999999999999=1",
        "flows.\u0663.start_s=1",
        "flows.*.*.*=1",
        "\udcff=1",
        "name=\udcff",
        "name=\x1b[31m",
        "\x1b]0;title\x07=1",
        "[red]=1",
        "a" * 100_000 + "=1",
        "name=" + "a" * 100_000,
        "users.x.y=1",
        "flows.0=1",
        "..=1",
        "profile.x=1",
        "rto.min_ms.x=1",
    ],
    ids=lambda setting: repr(setting[:20]),
)
@pytest.mark.parametrize("command", ["run", "check", "suite script"])
def test_bad_settings_are_refused(command: str, setting: str) -> None:
    Path("cell.toml").write_text(CELL)
    Path("s.tcp").write_text(SCRIPT)
    error_output(*command.split(), "s.tcp" if command == "suite script" else "cell.toml", "-s", setting)


@pytest.mark.parametrize(
    "text", ["", "\n", "1,2\n", "9" * 5000, "1\n" * 3 + "nan", "a\x1b[31m", "\xff", "\0", "time\n"]
)
@pytest.mark.parametrize("form", ["csv", "mahimahi"])
def test_bad_traces_are_refused(form: str, text: str) -> None:
    quantity = "rate_bps" if form == "mahimahi" else "snr_db"
    Path("cell.toml").write_text(TRACE.replace('"snr_db"', f'"{quantity}", format = "{form}", value_column = "2"'))
    Path("t").write_bytes(text.encode("latin-1"))
    if (form, text) != ("csv", "1,2\n"):
        error_output("run", "cell.toml")


@pytest.mark.parametrize("name", NAMES)
def test_no_name_commands_a_terminal(name: str) -> None:
    Path("cell.toml").write_text(f"name = {json.dumps(name)}\n" + CELL)
    assert "must be text without control characters" in error_output("run", "cell.toml")


@pytest.mark.parametrize("name", ["[red]x[/red]", "[/]", ":smile:", "<script>alert(1)</script>", "$\\frac$", "../../x"])
def test_no_name_is_markup_or_a_path(name: str) -> None:
    Path("cell.toml").write_text(f"name = {json.dumps(name)}\n" + CELL)
    runner = CliRunner()
    done = runner.invoke(app, ["run", "cell.toml"])
    assert done.exit_code == 0, done.output
    (found,) = (path.parent for path in Path("airlink-results").glob("*/result.json"))
    for command in (["explain", str(found)], ["report", "fairness", str(found)]):
        done = runner.invoke(app, command, env={"COLUMNS": "80"})
        assert done.exit_code == 0
        assert name in " ".join(done.stdout.split())
    for ending in ("html", "svg"):
        assert runner.invoke(app, ["plot", "cell", str(found), "--out", f"p.{ending}"]).exit_code == 0
        assert "<script>alert" not in Path(f"p.{ending}").read_text()


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result with series and captures, to be damaged."""
    place = tmp_path_factory.mktemp("whole") / "o"
    scenario = ready("dumbbell", ["duration_s=0.3"])
    record = ["acks", "packets", "cwnd", "pcap"]
    airlink.run(scenario, replicas=2, record=record, captures=place / "captures").save(place)
    return place


def manifest(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], object]:
    def damage(result: Path) -> None:
        described = json.loads((result / "result.json").read_text())
        change(described)
        (result / "result.json").write_text(json.dumps(described))

    return damage


def setting(value: Any, *path: str | int) -> Callable[[Path], object]:
    def change(described: Any) -> None:
        for step in path[:-1]:
            described = described[step]
        described[path[-1]] = value

    return manifest(change)


def replaced(name: str, text: bytes) -> Callable[[Path], object]:
    return lambda result: (result / name).write_bytes(text)


def cut(name: str, part: float) -> Callable[[Path], object]:
    return lambda result: os.truncate(result / name, int((result / name).stat().st_size * part))


def flipped(name: str, part: float) -> Callable[[Path], object]:
    def damage(result: Path) -> None:
        data = bytearray((result / name).read_bytes())
        data[int(len(data) * part)] ^= 0xFF
        (result / name).write_bytes(data)

    return damage


def table(name: str, change: Callable[[pa.Table], pa.Table]) -> Callable[[Path], object]:
    return lambda result: pq.write_table(change(pq.read_table(result / name)), result / name)


def no_file(name: str, kind: str) -> Callable[[Path], object]:
    def damage(result: Path) -> None:
        (result / name).unlink()
        NO_FILES[kind](result / name)

    return damage


def damaged_descriptions() -> Iterator[tuple[str, Callable[[Path], object]]]:
    """What can become of result.json, by name."""
    for text in (b"", b"\0", b"[]", b"1", b'"', b"{}", b"[" * 20_000, b'{"a":' * 20_000, b"9" * 5000, b"\xff\xfe{}"):
        yield f"result.json is {text[:6]!r}", replaced("result.json", text)
    good: dict[str, list[Any]] = {"record": [[]], "captures": [[]], "version": ["x", "\x1b[31m"], "interrupted": [True]}
    for key in ("version", "interrupted", "record", "replicas", "scenario", "columns", "rows", "captures", "format"):
        for value in (None, 7, "x", "\x1b[31m", [7], ["../users"], ["/etc/passwd"], True, []):
            if value not in good.get(key, []) or isinstance(value, bool) != isinstance(good[key][0], bool):
                yield f"{key} is {value!r}", setting(value, key)
    for seed in (-1, 2**64, 1.5, "1", True, None, 77):
        yield f"a seed is {seed!r}", setting(seed, "replicas", 0, "seed")
    for record in (["../users"], ["acks", "acks"], ["acks", "/dev/zero"], [["acks"]], ["acks\0"]):
        yield f"record is {record!r}", setting(record, "record")
    for file in ("../../x", "/etc/passwd", "server-1.pcapng\0", "\x1b[31m-1.pcapng", ""):
        yield f"a capture is {file!r}", setting([{"seed": 1, "file": file, "reason": ""}], "captures")
    yield "scenario of another version", setting(7, "scenario", "new_field")
    yield "scenario with a hostile key", setting(7, "scenario", "\x1b[31m")


def without(column: str) -> Callable[[pa.Table], pa.Table]:
    return lambda table: table.drop_columns([column])


def as_text(column: str) -> Callable[[pa.Table], pa.Table]:
    return lambda table: table.set_column(table.column_names.index(column), column, pa.array(["x"] * len(table)))


def missing(name: str) -> Callable[[Path], object]:
    return lambda result: (result / name).unlink()


def damaged_tables() -> Iterator[tuple[str, Callable[[Path], object]]]:
    """What can become of tables, by name."""
    for kind in NO_FILES:
        yield f"result.json is {kind}", no_file("result.json", kind)
        yield f"users is {kind}", no_file("users.parquet", kind)
    for name in ("users", "flows", "cell"):
        file = f"{name}.parquet"
        yield f"{name} is empty", replaced(file, b"")
        yield f"{name} is text", replaced(file, b"PAR1 or not" * 10)
        yield f"{name} is missing", missing(file)
        for part in (0.1, 0.5, 0.9):
            yield f"{name} is cut at {part}", cut(file, part)
        for column in ("replica", "seed", "user" if name != "cell" else "goodput_bps"):
            yield f"{name} lacks {column}", table(file, without(column))
            yield f"{name}.{column} is text", table(file, as_text(column))
        yield f"{name} has a row less", table(file, lambda table: table.slice(0, len(table) // 2))
        yield f"{name} is turned round", table(file, lambda table: table.take(np.arange(len(table))[::-1]))


DAMAGES = dict([*damaged_descriptions(), *damaged_tables()])
READERS = ["digest o", "explain o", "fairness o", "plot flow o --flow 0", "plot cell o", "plot fairness o"]


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_result_is_one_message(whole: Path, name: str) -> None:
    shutil.copytree(whole, "o")
    DAMAGES[name](Path("o"))
    for reader in READERS:
        assert error_output(*reader.split()).count("\n") == 1
    assert [path.name for path in Path().iterdir()] == ["o"]


@pytest.mark.parametrize("damage", ["missing", "empty", "half", "column", "fifo"])
def test_a_damaged_series_is_one_message(whole: Path, damage: str) -> None:
    shutil.copytree(whole, "o")
    name = "series/acks.parquet"
    {
        "missing": lambda result: (result / name).unlink(),
        "empty": replaced(name, b""),
        "half": cut(name, 0.5),
        "column": table(name, lambda t: t.drop_columns([t.column_names[-1]])),
        "fifo": no_file(name, "fifo"),
    }[damage](Path("o"))
    assert error_output("store", "digest", "o").count("\n") == 1
    assert error_output("plot", "flow", "o", "--flow", "0").count("\n") == 1


@pytest.mark.parametrize("part", np.linspace(0.02, 0.98, 25).tolist())
@pytest.mark.parametrize("name", ["users.parquet", "series/packets.parquet", "result.json"])
def test_a_flipped_byte_is_told_or_changes_nothing(whole: Path, name: str, part: float) -> None:
    shutil.copytree(whole, "o")
    flipped(name, part)(Path("o"))
    done = CliRunner().invoke(app, ["store", "digest", "o"])
    assert done.exit_code == 2 or done.stdout == CliRunner().invoke(app, ["store", "digest", str(whole)]).stdout
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception


@pytest.mark.parametrize(
    "change", [setting("another", "scenario", "name"), setting("9.9", "version"), setting(True, "interrupted")]
)
def test_the_digest_covers_what_the_description_says(whole: Path, change: Callable[[Path], object]) -> None:
    shutil.copytree(whole, "o")
    change(Path("o"))
    assert error_output("store", "digest", "o") == "airlink: o: result.json was changed since it was written\n"


@pytest.mark.parametrize(("least", "expected"), [(1, [(0, 0), (1, 1)]), (1 << 40, [(0, 1)])])
def test_a_group_of_rows_is_of_whole_replicas_so_each_is_read_once(
    whole: Path, monkeypatch: pytest.MonkeyPatch, least: int, expected: list[tuple[int, int]]
) -> None:
    monkeypatch.setattr(files, "LEAST_GROUP_ROWS", least)
    Result.load(whole).save("o")
    file = pq.ParquetFile("o/series/acks.parquet")
    groups = [file.metadata.row_group(number) for number in range(file.num_row_groups)]
    column = file.schema_arrow.names.index("replica")
    ends = [(group.column(column).statistics.min, group.column(column).statistics.max) for group in groups]
    assert ends == expected
    assert Result.load("o").digests() == Result.load(whole).digests()


CLOSED = {"| head -1": 0, ">&-": 2, "> /dev/full": 2, "2>&-": 0, ">&- 2>&-": 2, "<&-": 0}
PRINTS = ("--help", "run --help", "--version", "init -", "check --schema", "list schedulers")
RUNS = "run dumbbell -s duration_s=0.1 --no-save"


@pytest.mark.parametrize(
    ("command", "redirected"),
    [(RUNS, way) for way in CLOSED]
    + [pytest.param("--help", way, marks=pytest.mark.thorough) for way in CLOSED]
    + [
        pytest.param(command, way, marks=pytest.mark.thorough)
        for command in PRINTS[1:]
        for way in (">&-", "> /dev/full")
    ],
)
def test_a_closed_output_is_no_traceback(command: str, redirected: str) -> None:
    code = CLOSED[redirected]
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{sys.executable} -m airlink {command} {redirected}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert done.stderr.count("\n") == (1 if code and "2>" not in redirected else 0)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("command", "code"), [("--help", 0), ("check --schema", 0), ("run nonsense", 2), ("run --nonsense", 2), ("bad", 2)]
)
def test_a_reader_that_has_left_changes_no_exit_code(command: str, code: int) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as closed:  # noqa: PTH123 - it has no path
        done = subprocess.run(
            [sys.executable, "-m", "airlink", *command.split()], stdout=closed, stderr=closed, check=False
        )
    assert done.returncode == code


KEPT = [line.split() for line in fuzz_inputs.KEPT.read_text().splitlines()]


@pytest.mark.parametrize(("target", "seed"), [*KEPT, *((target, 1) for target in fuzz_inputs.TARGETS)])
def test_what_failed_once_does_not_fail_again(tmp_path: Path, target: str, seed: str) -> None:
    assert fuzz_inputs.failure(target, int(seed), tmp_path) == ""


def test_a_reader_that_fails_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> object:
        return "text", lambda: 1 // 0

    monkeypatch.setitem(fuzz_inputs.TARGETS, "scenario", broken)
    assert "ZeroDivisionError" in fuzz_inputs.failure("scenario", 1, tmp_path)


def test_a_pipe_is_named_as_such_where_a_scenario_is_asked_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for command in (("run", str(pipe)), ("run", "/dev/zero"), ("check", str(pipe))):
        assert "it is a device or pipe, not a file" in error_output(*command)


@pytest.mark.parametrize("command", ["--help", "run --help", "--version"])
def test_help_on_a_full_disk_is_no_traceback(command: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "airlink", *command.split()],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (2, "airlink: No space left on device\n")
