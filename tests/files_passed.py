"""The source files that a packet passes on its way from the sender to the sender's handling of its ACK.

    PYTHONPATH=python:tests python tests/files_passed.py      needs valgrind and cargo; some minutes

A packet passes a file if a function of it is called once per packet and is handed, or hands on, the packet, its segment
or its ACK. Two downloads of the same bytes in an unoptimised build, one in packets of half the size, tell what is
called once per packet: it is called more often by the number of packets more; what is called per slot or run is not.
Files of `types` (times, rates, ids: the vocabulary of all) do not count. What else is called once per packet (timers,
windows, counters) is printed apart.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from airlink import Scenario

ROOT = Path(__file__).parents[1]
BYTES, SIZES = 600_000, (1000, 500)
CELL = """
duration_s = 8
users = 1
slot.duration_ms = 1
channel.placement = { kind = "mean_snr", mean_snr_db = 15 }
link.rate = { kind = "capacity", bandwidth_hz = 2e6 }
"""
DUMBBELL = """
duration_s = 8
users = 1
bottleneck = { rate_bps = 10e6, delay_ms = 10, limit_packets = 1000 }
"""
FLOW = """
[[flows]]
traffic = {{ kind = "file", bytes = {bytes} }}
path = {{ downlink_delay_ms = 10, uplink_delay_ms = 10 }}
tcp = {{ mss_bytes = {size}, delayed_ack.every = 1 }}
"""
HANDED = re.compile(r"\b(?:Packet|Segment|Ack|Payload|P|T)\b")
NAME = re.compile(r"(cfn|fn|cfi|cfl|fl|fi|fe)=(?:\((\d+)\))? ?(.*)")


def scenario(network: str, size: int) -> Scenario:
    """A download of `BYTES` in packets of `size`."""
    return Scenario.from_toml(network + FLOW.format(bytes=BYTES, size=size))


def program() -> Path:
    """The example that runs a scenario, without optimisation."""
    subprocess.run(["cargo", "build", "-q", "-p", "airlink-sim", "--example", "run_scenario"], check=True, cwd=ROOT)
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug/examples/run_scenario"


def calls(binary: Path, asked: Scenario) -> Counter[tuple[str, str]]:
    """How often each function of each file was called."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "calls"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", str(binary)]
        subprocess.run(command, check=True, capture_output=True, text=True, input=asked.to_json())
        return counted(out.read_text().splitlines())


def counted(lines: list[str]) -> Counter[tuple[str, str]]:
    """Reads callgrind's output: a name is written once with a number, then the number stands for it."""
    names: dict[tuple[str, str], str] = {}
    at = callee_at = callee = ""
    found: Counter[tuple[str, str]] = Counter()
    for line in lines:
        if named := NAME.fullmatch(line):
            kind, number, text = named.groups()
            key = ("function" if kind.endswith("n") else "file", number)
            name = names.setdefault(key, text) if text else names[key]
            if kind in ("fl", "fi", "fe"):
                at = callee_at = name
            elif kind in ("cfi", "cfl"):
                callee_at = name
            elif kind == "cfn":
                callee = name
        elif line.startswith("calls="):
            found[callee_at, callee] += int(line.split()[0].removeprefix("calls="))
            callee_at = at
    return found


def called(binary: Path, network: str) -> set[tuple[str, str]]:
    """File and name of each function that is called once a packet or more."""
    few, many = (calls(binary, scenario(network, size)) for size in SIZES)
    packets = BYTES // SIZES[1] - BYTES // SIZES[0]
    per_packet = {key for key, count in many.items() if count - few[key] >= 0.9 * packets}
    return {(path_in_project(file), short(name)) for file, name in per_packet if path_in_project(file)}


def short(name: str) -> str:
    """The function's own name; a closure belongs to the function that it stands in."""
    parts = [part for part in re.sub(r"<[^<>]*>|::h[0-9a-f]{16}$", "", name).split("::") if "closure" not in part]
    return parts[-1]


def hands_on(file: str, name: str) -> bool:
    """True if a packet, a segment or an ACK stands in the function's signature."""
    found = re.findall(rf"fn {re.escape(name)}\b[^{{;]*", (ROOT / file).read_text())
    return any(HANDED.search(signature) for signature in found)


def path_in_project(file: str) -> str:
    """From `crates` on; empty for files of others."""
    found = re.search(r"crates/(?:model|sim)/src/.*", file)
    return found[0] if found else ""


def lines_of(file: str) -> int:
    """Without its tests."""
    return len((ROOT / file).read_text().partition("#[cfg(test)]")[0].splitlines())


def report(binary: Path, name: str, network: str) -> str:
    """The files, one a line, with the functions that have the packet in their hands."""
    functions = {one for one in called(binary, network) if "/types/" not in one[0]}
    passed = sorted({file for file, function in functions if hands_on(file, function)})
    others = sorted({file for file, _ in functions} - set(passed))
    lines = [f"{name}: a packet passes {len(passed)} files, {sum(map(lines_of, passed))} lines"]
    for file in passed:
        own = sorted(function for one, function in functions if one == file and hands_on(file, function))
        lines.append(f"  {file}: {', '.join(own)}")
    lines.append(f"{name}: {len(others)} files more are called once a packet")
    return "\n".join([*lines, *(f"  {file}" for file in others), ""])


if __name__ == "__main__":
    for network in ("cell", "bottleneck"):
        sys.stdout.write(report(program(), network, {"cell": CELL, "bottleneck": DUMBBELL}[network]))
