"""What tcptrace counts in a capture, and the marks it draws on its time-sequence graph."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

SERVER = "10.0.0.1"
LINE = re.compile(r"^ {5}(\S.*?): +(\S+).*? {2,}\1: +(\S+)", re.MULTILINE)
MARK = re.compile(r"^atext (\d+)\.(\d{6}) (\d+)\n(\S+)$", re.MULTILINE)


def required() -> None:
    """Skips the test where there is no tcptrace."""
    if shutil.which("tcptrace") is None:
        pytest.skip("tcptrace is not installed (Debian: tcptrace)")


@dataclass(frozen=True)
class Counts:
    """What `tcptrace -l -r` says of a connection.

    Attributes
    ----------
    user_port : of the user's end.
    ways : by tcptrace's words, from the server and to it.
    """

    user_port: int
    ways: dict[str, tuple[str, str]]

    def down(self, name: str) -> int:
        """Of the way from the server."""
        return int(self.ways[name][0])

    def up(self, name: str) -> int:
        """Of the way to the server."""
        return int(self.ways[name][1])


def counts(path: Path) -> list[Counts]:
    """Of every connection of a capture."""
    text = _asked(path.parent, "-n", "-l", "-r", path.name)
    return [_counts(part) for part in re.split(r"^TCP connection \d+:$", text, flags=re.MULTILINE)[1:]]


def _counts(part: str) -> Counts:
    (first, port), (_, other) = re.findall(r"host \w+: +([\d.]+):(\d+)", part)
    pairs = {name: (left, right) for name, left, right in LINE.findall(part)}
    if first == SERVER:
        return Counts(int(other), pairs)
    return Counts(int(port), {name: (right, left) for name, (left, right) in pairs.items()})


def marks(path: Path, user_port: int, folder: Path) -> list[tuple[int, int, str]]:
    """What `tcptrace -S` writes beside a server's data: microseconds, sequence number, letters."""
    _asked(folder, "-n", "-S", str(path))
    for drawn in folder.glob("*_tsg.xpl"):
        text = drawn.read_text()
        title = text.split("\n", 3)[2]
        if title.startswith(f"{SERVER}:") and f":{user_port} " in title:
            return [(int(s) * 10**6 + int(us), int(number), word) for s, us, number, word in MARK.findall(text)]
    raise AssertionError("tcptrace drew no graph of the server's data")


def warnings(path: Path) -> list[str]:
    """What tcptrace finds odd about a capture."""
    text = _asked(path.parent, "-n", "-w", path.name)
    return [line.strip() for line in text.splitlines() if "arning" in line or "ignored" in line or "too short" in line]


def _asked(folder: Path, *arguments: str) -> str:
    required()
    done = subprocess.run(["tcptrace", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if not line.startswith("Running as user")]
    return "\n".join([done.stdout, *lines])
