"""What tshark, with the dissectors of Wireshark, sees in a capture: every frame, its flags, and its complaints."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

SERVER = "10.0.0.1"
CHECKED = ("-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE")
GOOD, UNVERIFIED = "1", "2"
FIELDS = (
    "frame.len",
    "frame.cap_len",
    "ip.checksum.status",
    "tcp.checksum.status",
    "udp.checksum.status",
    "_ws.malformed",
    "frame.time_epoch",
    "ip.src",
    "tcp.srcport",
    "tcp.dstport",
    "tcp.flags.syn",
    "tcp.seq_raw",
    "tcp.len",
    "tcp.ack_raw",
    "tcp.window_size_value",
    "tcp.window_size_scalefactor",
    "tcp.options.sack_le",
    "tcp.options.sack_re",
    "frame.comment",
    "tcp.analysis.retransmission",
    "tcp.analysis.fast_retransmission",
    "tcp.analysis.spurious_retransmission",
    "tcp.analysis.out_of_order",
    "tcp.analysis.duplicate_ack",
    "tcp.analysis.ack_rtt",
    "tcp.analysis.initial_rtt",
)
REPEATED = ("fast_retransmission", "spurious_retransmission", "out_of_order", "retransmission")
"""How tshark calls a segment that does not go on where the ones before it ended; the first that it says."""


@dataclass(frozen=True)
class Frame:
    """One packet of a capture.

    Attributes
    ----------
    time_ns : since the start of the run.
    down : from the server to the user.
    user_port : of the user's end.
    syn : of a handshake.
    start, length : of the payload in the stream, bytes.
    number : next byte expected.
    window : the field of the header, unscaled; scale : what it is multiplied by.
    sack : start and end of each block.
    words : of the comment, by key.
    repeated : one of REPEATED, or nothing.
    duplicate : a duplicate ACK.
    rtt_ns : of the segment acknowledged; None where tshark gives none.
    initial_rtt_ns : of the handshake, None before it is known.
    """

    time_ns: int
    down: bool
    user_port: int
    syn: bool
    start: int
    length: int
    number: int
    window: int
    scale: int
    sack: tuple[tuple[int, int], ...]
    words: dict[str, str]
    repeated: str
    duplicate: bool
    rtt_ns: int | None
    initial_rtt_ns: int | None


@dataclass(frozen=True)
class Capture:
    """What tshark sees in a capture.

    Attributes
    ----------
    frames : every packet of TCP.
    broken : numbers of frames that are malformed, or have a checksum that is wrong or, if whole, was not verified.
    warnings : what its experts warn of or call an error, and how often.
    """

    frames: list[Frame]
    broken: list[int]
    warnings: dict[str, int]


def required() -> None:
    """Skips the test where there is no tshark."""
    if shutil.which("tshark") is None:
        pytest.skip("tshark is not installed (Debian: tshark)")


def asked(path: Path, *arguments: str) -> str:
    """What tshark prints about a capture; it must end well and say nothing else."""
    required()
    command = ["tshark", "-n", "-r", str(path), *CHECKED, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = [line for line in done.stderr.splitlines() if not line.startswith("Running as user")]
    assert (done.returncode, said) == (0, []), path
    return done.stdout


def packets(path: Path) -> int:
    """How many packets a capture holds, counted without a look into them; it must end with a whole one."""
    required()
    done = subprocess.run(["capinfos", "-c", "-M", str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), path
    return int(done.stdout.rpartition(":")[2])


def read(path: Path) -> Capture:
    """Asks tshark about every frame of a capture."""
    options = ("-T", "fields", "-E", "separator=,", "-E", "quote=d", "-E", "occurrence=a", "-E", "aggregator=;")
    names = [argument for field in FIELDS for argument in ("-e", field)]
    lines = asked(path, *options, *names, "-z", "expert,warn").splitlines()
    ours = [line for line in lines if line.startswith('"')]
    rows = [dict(zip(FIELDS, row, strict=True)) for row in csv.reader(ours)]
    told = (re.match(r" +(\d+) +\S+ +\S+ {2}(\S.*)", line) for line in lines[len(ours) :])
    return Capture(
        frames=[_frame(row) for row in rows if row["tcp.srcport"]],
        broken=[number for number, row in enumerate(rows, 1) if _is_broken(row)],
        warnings={found[2]: int(found[1]) for found in told if found},
    )


def _is_broken(row: dict[str, str]) -> bool:
    whole = row["frame.cap_len"] == row["frame.len"]
    sums = (row["ip.checksum.status"], row["tcp.checksum.status"] or row["udp.checksum.status"])
    return bool(row["_ws.malformed"]) or sums != (GOOD, GOOD if whole else UNVERIFIED)


def _frame(row: dict[str, str]) -> Frame:
    down = row["ip.src"] == SERVER
    edges = zip(_numbers(row["tcp.options.sack_le"]), _numbers(row["tcp.options.sack_re"]), strict=True)
    return Frame(
        time_ns=_nanoseconds(row["frame.time_epoch"]),
        down=down,
        user_port=int(row["tcp.dstport"] if down else row["tcp.srcport"]),
        syn=row["tcp.flags.syn"] == "1",
        start=int(row["tcp.seq_raw"]) - 1,
        length=int(row["tcp.len"]),
        number=int(row["tcp.ack_raw"] or 0) - 1,
        window=int(row["tcp.window_size_value"]),
        scale=max(int(row["tcp.window_size_scalefactor"] or 1), 1),
        sack=tuple((left - 1, right - 1) for left, right in edges),
        words=dict(word.split("=", 1) for word in row["frame.comment"].split() if "=" in word),
        repeated=next((name for name in REPEATED if row[f"tcp.analysis.{name}"]), ""),
        duplicate=bool(row["tcp.analysis.duplicate_ack"]),
        rtt_ns=_optional(row["tcp.analysis.ack_rtt"]),
        initial_rtt_ns=_optional(row["tcp.analysis.initial_rtt"]),
    )


def _optional(seconds: str) -> int | None:
    return _nanoseconds(seconds) if seconds else None


def _nanoseconds(seconds: str) -> int:
    whole, _, fraction = seconds.partition(".")
    return int(whole) * 10**9 + int(fraction.ljust(9, "0"))


def _numbers(field: str) -> list[int]:
    return [int(value) for value in field.split(";") if value]
