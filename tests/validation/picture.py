"""Draws docs/validation-four-losses.png: four losses in a window, airlink over ns-2 and over Linux.

PYTHONPATH=tests python -m validation.picture
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from .linux import measure
from .linux.cases import CASES as KERNEL_CASES
from .linux.ours import Run
from .ns2 import airlink_side, oracle
from .ns2.cases import CASES as NS2_CASES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PICTURE = Path(__file__).parents[2] / "docs/validation-four-losses.png"
Points = list[tuple[float, int]]


def draw(axes: Axes, theirs: Points, ours: Points, whose: str, title: str) -> None:
    """Their transmissions as circles, ours as dots inside."""
    axes.plot(*zip(*theirs, strict=True), "o", ms=5, mfc="none", mec="0.45", mew=0.8, label=whose)
    axes.plot(*zip(*ours, strict=True), ".", ms=3, color="tab:red", label="airlink")
    axes.set(title=title, xlabel="time, ms", ylabel="number of the packet")
    axes.legend(loc="upper left", frameon=False)


def of_ns2(name: str) -> tuple[Points, Points]:
    case = next(case for case in NS2_CASES if case.name == name)
    theirs = oracle.kept(case)
    ours = airlink_side.run(case, theirs.clock_ahead_s)
    return shown(theirs), shown(ours)


def shown(outcome: oracle.Outcome) -> Points:
    return [(1e3 * at, packet) for at, packet in outcome.transmissions if at < 0.25]


def of_linux(name: str) -> tuple[Points, Points]:
    case = next(case for case in KERNEL_CASES if case.name == name)
    stored = tomllib.loads((measure.RESULTS / f"{name}.toml").read_text())["flow"][0]["order"]
    theirs = [(float(at), int(packet)) for at, packet in stored]
    trace = Run(case).trace(0)
    start, size = trace.recoveries[0].start - 1e-3, trace.sent[0].length
    ours = [(1e3 * one.time, one.sequence // size) for one in trace.sent if one.time >= start]
    return theirs, ours[: len(theirs)]


def main() -> None:
    plt.rcParams.update({"font.size": 8})
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
    draw(left, *of_ns2("four-losses-newreno"), "ns-2.35", "NewReno, one hole a round trip")
    draw(middle, *of_ns2("four-losses-sack1"), "ns-2.35", "SACK, all holes in one")
    draw(right, *of_linux("reno_four_losses"), "Linux 6.18", "SACK with RACK and PRR")
    figure.savefig(PICTURE, dpi=100, metadata={"Software": None})


if __name__ == "__main__":
    main()
