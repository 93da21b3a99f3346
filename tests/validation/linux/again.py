"""How far the kernel is from itself: the cases that are not the same twice, measured again and again.

    PYTHONPATH=tests python -m validation.linux.again [NAME ...]

Timers ring on a grid whose phase is the kernel's own, and this process is late for a packet by up to some
milliseconds; in a queue that is full, one packet more or less decides who loses.
"""

from __future__ import annotations

import sys
from pathlib import Path

from . import kernel
from .cases import CASES, Case
from .experiment import Experiment
from .measure import table

RESULTS = Path(__file__).parent.parent / "results" / "linux-again"
COMMAND = "PYTHONPATH=tests python -m validation.linux.again"
TIMES = 3
NAMES = (
    "reno_no_sack_steady",
    "reno_steady",
    "reno_spike",
    "reno_no_timestamps_spike",
    "reno_outage",
    "reno_two_rtts",
    "cubic_two_rtts",
)


def measured(case: Case) -> str:
    """A table of some runs, one after the other."""
    lines = [f'kernel = "{kernel.version()}"', f'command = "{COMMAND} {case.name}"']
    for _ in range(TIMES):
        outcome = Experiment(case).run()
        found = table(outcome)
        begins = [[row[0] for row in found.recoveries(trace)] for trace in found.traces]
        lines += [
            "",
            "[[run]]",
            f"goodput_bps = {[round(rate) for rate in found.goodput_bps]}",
            f"timeouts = {found.counters.get('TCPTimeouts', 0)}",
            f"retransmissions = {found.counters.get('RetransSegs', 0)}",
            f"late_us = {round(outcome.late_us)}",
            f"recoveries_s = {begins}",
        ]
    return "\n".join(lines) + "\n"


def main(names: list[str]) -> None:
    reason = kernel.why_not()
    if reason is not None:
        sys.exit(f"the kernel cannot be asked: {reason}")
    RESULTS.mkdir(parents=True, exist_ok=True)
    for case in CASES:
        if case.name in (names or NAMES):
            (RESULTS / f"{case.name}.toml").write_text(measured(case))
            sys.stdout.write(f"{case.name}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
