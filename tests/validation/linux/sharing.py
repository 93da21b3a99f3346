"""How CUBIC flows of four round trips share a full queue: many runs of the kernel, since who loses is chance in each.

    PYTHONPATH=tests python -m validation.linux.sharing

Goodputs are those of one run, in the order of the round trips.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import airlink

from . import again, kernel, measure
from .cases import TWO_RTTS, Case
from .experiment import Experiment
from .ours import scenario

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

RESULTS = Path(__file__).parent.parent / "results" / "linux-sharing.toml"
COMMAND = "PYTHONPATH=tests python -m validation.linux.sharing"
TIMES = 8
LATE_MS = 0.3
LATE_FOR_S = 0.02
FOUR_RTTS = replace(
    TWO_RTTS,
    name="cubic_four_rtts",
    what="round trips of 20, 40, 80 and 160 ms",
    receive_buffer=0,
    forward_ms=(10.0, 20.0, 40.0, 80.0),
    backward_ms=(10.0, 20.0, 40.0, 80.0),
)


def our_shares(case: Case, runs: int, late_ms: float) -> NDArray[np.float64]:
    """Of the sum of goodputs, by run and flow. ACKs are up to so late, anew every 20 ms; if not, a flow starts later.

    Computed exactly, two flows keep their phase for many round trips, and the same one loses each time; in the kernel's
    experiment each packet is late by some part of a millisecond.
    """
    rows = []
    for run in range(runs):
        shifted = scenario(case).override([f"flows.1.start_s={0.0 if late_ms else run * 0.0002}"])
        rates = np.asarray(airlink.run(_late(shifted, late_ms, run), seed=1).flows["goodput_bps"], dtype=float)
        rows.append(rates)
    return _shares(rows)


def _late(exact: airlink.Scenario, late_ms: float, seed: int) -> airlink.Scenario:
    if not late_ms:
        return exact
    spells = int(exact.duration_s / LATE_FOR_S)
    random = np.random.default_rng(seed)
    changes = {
        f"flows.{flow}.path.uplink_impairments.delay_spikes": [
            {"at_s": place * LATE_FOR_S, "for_s": 0.99 * LATE_FOR_S, "extra_ms": late}
            for place, late in enumerate(random.uniform(0, late_ms, spells).tolist())
        ]
        for flow in range(len(exact.flows))
    }
    return exact.with_(**changes)


def kernels_shares(case: Case) -> NDArray[np.float64]:
    """The same of the kernel's runs, all that there are."""
    if case == FOUR_RTTS:
        runs = _read(RESULTS)["run"]
    else:
        runs = [
            *_read(again.RESULTS / f"{case.name}.toml")["run"],
            _read(measure.RESULTS / f"{case.name}.toml")["result"],
        ]
    return _shares([run["goodput_bps"] for run in runs])


def _shares(rates: Sequence[Any]) -> NDArray[np.float64]:
    each = np.array(rates, dtype=float)
    shares: NDArray[np.float64] = each / each.sum(axis=1, keepdims=True)
    return shares


def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text())


def main() -> None:
    reason = kernel.why_not()
    if reason is not None:
        sys.exit(f"the kernel cannot be asked: {reason}")
    lines = [f'kernel = "{kernel.version()}"', f'command = "{COMMAND}"']
    for _ in range(TIMES):
        outcome = Experiment(FOUR_RTTS).run()
        rates = [round(received * 8 / FOUR_RTTS.duration_s) for received in outcome.received]
        lines += ["", "[[run]]", f"goodput_bps = {rates}", f"late_us = {round(outcome.late_us)}"]
        sys.stdout.write(f"{rates}\n")
        sys.stdout.flush()
    RESULTS.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
