"""Plays a writing command over and over, ended each time one step of the file system later: moments.py PLAY HOW STEPS.

Each step that Python takes in the folder (open, rename, mkdir, remove, ...) is a moment: the audit hook hears of it
before it is taken. A fork writes and is killed, or interrupted, at that moment; another process then reads what stands
there. A line for each: moment, exit code, what was read, what stands in the folder. At the last one the play came to
its end.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from subprocess import PIPE

import pyarrow.parquet  # noqa: F401 - imported before the forks, not by each of them

import airlink
from airlink.cli import app
from airlink.report import ReportFolder
from airlink.result import Result, atomic_write

SCENARIO = ["duration_s=0.2"]


def save() -> None:
    """A result over an older one."""
    airlink.run(airlink.scenario.ready("dumbbell", SCENARIO), seed=2, record=["acks"]).save("o", overwrite=True)


def run(*options: str) -> None:
    """The command."""
    app(["run", "dumbbell", "-s", *SCENARIO, "--seed", "2", "--out", "o", "--force", "-q", *options])


def report() -> None:
    """A study's report."""
    folder = ReportFolder(Path("o"), "new", force=True)
    with folder.claimed() as claimed, folder.filled(claimed, {}) as inside:
        for name in "abc":
            (inside / name).write_text("new")


def read_result() -> str:
    """What the result is, read to its last number."""
    stored = Result.load("o")
    if [replica.digest for replica in stored.replicas] != stored.digests():
        return "garbled"
    if stored.captures is not None and not any(stored.captures.folder.iterdir()):
        return "without captures"
    return {1: "old", 2: "new"}[stored.seeds[0]]


def read_report() -> str:
    """Which report it is, if all of its files are there."""
    found = json.loads(Path("o/study.json").read_text())["study"]
    return found if all(Path("o", name).read_text() == found for name in "abc") else "garbled"


def read_file() -> str:
    """Which scenario the file holds."""
    text = Path("o").read_text()
    return "old" if text == "old" else "new" if text == airlink.scenario.template() else "garbled"


PLAYS: dict[str, tuple[Callable[[], object], Callable[[], str]]] = {
    "save": (save, read_result),
    "run": (run, read_result),
    "captures": (lambda: run("--record", "pcap"), read_result),
    "report": (report, read_report),
    "init": (lambda: app(["init", "o", "--force"]), read_file),
}


WHOLE = 77
"""Exit code of a fork that came to its end before its moment."""


def ended_at(act: Callable[[], object], moment: int, how: str) -> int:
    """The exit code of a fork that acts until that moment of its own in this folder."""
    child = os.fork()
    if child != 0:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    here, count = str(Path.cwd()), 0

    def hear(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal count
        of_files = event.startswith(("os.", "shutil.")) or event == "open"
        named = any(isinstance(each, str | os.PathLike) and within(os.fspath(each), here) for each in arguments)
        if event == "fcntl.flock" or (of_files and named):
            count += 1
            if count == moment:
                if how == "interrupt":
                    raise KeyboardInterrupt
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hear)
    try:
        act()
    except (SystemExit, KeyboardInterrupt):
        pass
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0 if count >= moment else WHOLE)


def within(path: str | bytes, folder: str) -> bool:
    """Whether a path leads into the folder."""
    return Path(os.fsdecode(path)).absolute().is_relative_to(folder)


def played(name: str, how: str) -> None:
    """Every moment of a play, until it ends before the moment comes."""
    act, _ = PLAYS[name]
    shutil.copytree("before", "first") if Path("before").is_dir() else shutil.copy("before", "first")
    Path("here").mkdir()
    os.chdir("here")
    reader = subprocess.Popen([sys.executable, __file__, name, "read", "swap"], stdin=PIPE, stdout=PIPE, text=True)
    assert reader.stdin is not None
    assert reader.stdout is not None
    for moment in range(1, 1000):
        shutil.rmtree("o") if Path("o").is_dir() else Path("o").unlink(missing_ok=True)
        shutil.copytree("../first", "o") if Path("../first").is_dir() else shutil.copy("../first", "o")
        code = ended_at(act, moment, how)
        reader.stdin.write("look\n")
        reader.stdin.flush()
        found = reader.stdout.readline().strip()
        line = "\t".join([str(moment), str(code), found, *sorted(path.name for path in Path().iterdir())])
        sys.stdout.write(line + "\n")
        if code == WHOLE:
            break
    reader.stdin.close()
    reader.wait()


def answer(read: Callable[[], str]) -> None:
    """What stands there, whenever that is asked."""
    for _ in sys.stdin:
        try:
            found = read()
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        sys.stdout.write(found.replace("\n", " ") + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    if sys.argv[3] == "two-steps":
        atomic_write._swapped = lambda *_: False
    if sys.argv[2] == "read":
        answer(PLAYS[sys.argv[1]][1])
    else:
        played(sys.argv[1], sys.argv[2])
