"""Runs a case in ns-2 and reads what it wrote; keeps the results as small tables."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .case import HEADER_BYTES, PACKET_BYTES, Case

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SCRIPT = Path(__file__).with_name("dumbbell.tcl")
RESULTS = Path(__file__).parent.parent / "results" / "ns2"


@dataclass(frozen=True)
class Flow:
    """Counts of one flow over the whole run; the SYN is not counted as a packet."""

    in_order: int
    sent: int
    retransmissions: int
    timeouts: int
    clock_ahead_s: float = 0.0
    """How far ns-2's clock was ahead of the simulator's."""


@dataclass(frozen=True)
class Outcome:
    """The events of the first flow (transmissions, timeouts, fast retransmits) and the counts of all flows."""

    flows: tuple[Flow, ...]
    timeouts_s: tuple[float, ...]
    fast_retransmits_s: tuple[float, ...]
    transmissions: tuple[tuple[float, int], ...]
    """Time and packet number, as ns-2 numbers packets."""
    windows: tuple[float, ...] = ()
    """For other algorithms than Reno: congestion window of the first flow at every whole second, in packets."""

    @property
    def clock_ahead_s(self) -> list[float]:
        """The counts of each flow."""
        return [flow.clock_ahead_s for flow in self.flows]


def is_installed() -> bool:
    """True where `ns` can be run."""
    return shutil.which("ns") is not None


def run(case: Case) -> Outcome:
    """Run a case in ns-2."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        answer = subprocess.run(
            ["ns", str(SCRIPT), "folder", name, *case.arguments()], check=True, capture_output=True, text=True
        )
        lines = [line.split() for line in answer.stdout.splitlines()]
        assert ["version", "2.35"] in lines, f"these tables are of ns-2.35, this is {answer.stdout}"
        counts = (dict(zip(line[1::2], line[2::2], strict=True)) for line in lines if line[0] == "flow")
        flows = tuple(flow_of(of_flow, case) for of_flow in counts)
        events = [line.split() for line in (folder / "events.tr").read_text().splitlines()]
        kept = transmissions(folder / "sent.tr")[case.keep_from : case.keep_from + case.keep]
        windows = () if case.is_the_same else windows_of(folder / "cwnd.tr", case.duration_s)
    # ns-2's timer runs on when everything is acknowledged; its expiry then is not a timeout of a packet.
    timeouts_s = times(events, "TIMEOUT")[: flows[0].timeouts]
    return Outcome(flows, timeouts_s, times(events, "FAST_RETX", "FAST_RECOVERY"), tuple(kept), windows)


def every_second(times_s: Sequence[float], windows: Sequence[float], duration_s: float) -> tuple[float, ...]:
    """The value at each whole second, to three decimals."""
    held = (bisect_right(times_s, second) - 1 for second in range(1, int(duration_s)))
    return tuple(round(windows[place], 3) for place in held)


def windows_of(trace: Path, duration_s: float) -> tuple[float, ...]:
    """The changes of the variable cwnd_."""
    rows = [line.split() for line in trace.read_text().splitlines()]
    return every_second([float(row[0]) for row in rows], [float(row[6]) for row in rows], duration_s)


def flow_of(counts: dict[str, str], case: Case) -> Flow:
    """The counts of a flow; bytes in order include headers, also those of the SYN."""
    return Flow(
        (int(counts["bytes_in_order"]) - HEADER_BYTES * case.has_syn) // (PACKET_BYTES + case.header_bytes),
        int(counts["sent"]) - case.has_syn,
        int(counts["retransmissions"]),
        int(counts["timeouts"]),
        float(counts["clock_ahead_s"]),
    )


def transmissions(trace: Path) -> list[tuple[float, int]]:
    """Time and number of each packet that entered the first flow's wire."""
    entries = (line.split() for line in trace.read_text().splitlines() if line.startswith("+"))
    return [(float(entry[1]), int(entry[10])) for entry in entries]


def times(events: list[list[str]], *kinds: str) -> tuple[float, ...]:
    """Times of events of these kinds of the first flow; Newreno repeats NEWRENO_FAST_RECOVERY inside a recovery."""
    struck = []
    for _, time, _, _, _, kind, flow, *_ in events:
        is_meant = kind.removeprefix("NEWRENO_").removeprefix("RENO_") in kinds
        if is_meant and flow == "0" and kind != "NEWRENO_FAST_RECOVERY":
            struck.append(float(time))
    return tuple(struck)


def keep(case: Case, outcome: Outcome) -> None:
    """Write the tables of a case."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    words = [f'"{word}"' if " " in word or not word else word for word in case.arguments()]
    lines = [
        f"# {case.what}",
        'ns2_version = "2.35"',
        f"command = '''ns dumbbell.tcl {' '.join(words)}'''",
        f"timeouts_s = {list(outcome.timeouts_s)}",
        f"fast_retransmits_s = {list(outcome.fast_retransmits_s)}",
    ]
    if outcome.windows:
        lines.append(f"windows = {list(outcome.windows)}")
    for flow in outcome.flows:
        lines += ["", "[[flows]]", *(f"{name} = {value}" for name, value in vars(flow).items())]
    (RESULTS / f"{case.name}.toml").write_text("\n".join(lines) + "\n")
    rows = ["time_s,packet", *(f"{time:.6f},{packet}" for time, packet in outcome.transmissions)]
    (RESULTS / f"{case.name}.csv").write_text("\n".join(rows) + "\n")


def kept(case: Case) -> Outcome:
    """The tables of a case, read."""
    table = tomllib.loads((RESULTS / f"{case.name}.toml").read_text())
    rows = (line.split(",") for line in (RESULTS / f"{case.name}.csv").read_text().splitlines()[1:])
    return Outcome(
        tuple(Flow(**flow) for flow in table["flows"]),
        tuple(table["timeouts_s"]),
        tuple(table["fast_retransmits_s"]),
        tuple((float(time), int(packet)) for time, packet in rows),
        tuple(table.get("windows", ())),
    )
