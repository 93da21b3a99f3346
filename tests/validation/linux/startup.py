"""How the receive buffer grows: the first ACKs of slow start, and how far it comes at queues of some lengths.

    PYTHONPATH=tests python -m validation.linux.startup

Which segments have an ACK of their own hangs on how the buffer grows, and the largest window on these.
"""

from __future__ import annotations

import itertools
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import airlink

from . import kernel, segments
from .cases import GROWN, Case
from .experiment import Experiment, Outcome
from .ours import scenario

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

RESULTS = Path(__file__).parent.parent / "results" / "linux-startup.toml"
COMMAND = "PYTHONPATH=tests python -m validation.linux.startup"
TIMES = 4
QUEUES = (16, 18, 20, 22, 24)
ROUND_TRIPS_MS = (20, 40)
ALGORITHMS = ("reno", "cubic")
STARTS_S = (0.0, 0.00025, 0.0005, 0.00075)
MSS_BYTES = 1448
ACKS = 50
"""Of slow start, before anything is lost."""
UNIT_BYTES = 1024
"""Of the kernel's windows: 2^10, with tcp_rmem[2] at 32 MiB."""


def case(algorithm: str, round_trip_ms: float, queue: int) -> Case:
    """The first second on a small queue."""
    way = (round_trip_ms / 2,)
    there = replace(GROWN, name="", congestion_control=algorithm, forward_ms=way, backward_ms=way)
    return replace(there, limit_packets=queue, duration_s=1.0)


def peak(outcome: Outcome) -> int:
    """In segments."""
    return max(info.cwnd for _, info in outcome.infos[0])


def first_acks(outcome: Outcome) -> tuple[list[int], list[int]]:
    """Numbers in segments, windows in units."""
    acks = [event for event in outcome.events if event.place == "answered" and not event.flags & segments.SYN]
    return [ack.acknowledgment // MSS_BYTES for ack in acks[:ACKS]], [ack.window for ack in acks[:ACKS]]


def our_first_acks() -> tuple[list[int], list[float]]:
    """The same of airlink, whose units are half as large."""
    acks = dict(airlink.run(scenario(case("reno", 40, 20)), seed=1, record=["acks"]).series("acks"))
    numbers, windows = (np.asarray(acks[name])[1 : ACKS + 1] for name in ("number", "window_bytes"))  # after the SYN's
    return (numbers // MSS_BYTES).tolist(), (windows / UNIT_BYTES).tolist()


def our_peaks(algorithm: str, round_trip_ms: float, queue: int) -> list[int]:
    """The same in airlink: over parts of the kernel's millisecond, and both orders of what meets at the queue."""
    found = set()
    for start_s in STARTS_S:
        for first in (True, False):
            changes = [f"flows.0.start_s={start_s}", f"bottleneck.arrivals_first={str(first).lower()}"]
            result = airlink.run(
                scenario(case(algorithm, round_trip_ms, queue)).override(changes), seed=1, record=["cwnd"]
            )
            found.add(round(max(dict(result.series("cwnd"))["cwnd_bytes"]) / MSS_BYTES))
    return sorted(found)


def stored(what: str) -> list[dict[str, Any]]:
    """What the kernel did: its `queue`s or its `acks`."""
    rows: list[dict[str, Any]] = tomllib.loads(RESULTS.read_text())[what]
    return rows


def main() -> None:
    reason = kernel.why_not()
    if reason is not None:
        sys.exit(f"the kernel cannot be asked: {reason}")
    lines = [f'kernel = "{kernel.version()}"', f'command = "{COMMAND}"']
    for _ in range(TIMES):
        numbers, windows = first_acks(Experiment(case("reno", 40, 20)).run())
        lines += ["", "[[acks]]", f"numbers = {numbers}", f"windows = {windows}"]
    for algorithm in ALGORITHMS:
        for round_trip_ms, queue in itertools.product(ROUND_TRIPS_MS, QUEUES):
            peaks = [peak(Experiment(case(algorithm, round_trip_ms, queue)).run()) for _ in range(TIMES)]
            lines += ["", "[[queue]]", f'congestion_control = "{algorithm}"', f"round_trip_ms = {round_trip_ms}"]
            lines += [f"packets = {queue}", f"peaks = {peaks}"]
            sys.stdout.write(f"{algorithm}, {round_trip_ms} ms, {queue}: {peaks}\n")
    RESULTS.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
