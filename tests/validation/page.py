"""The tables of docs/validation.md: what ns-2 and the kernel left in `results`, beside what airlink does now.

    PYTHONPATH=tests python -m validation.page

Prose is written by hand; what stands between `<!-- table NAME -->` and `<!-- end -->` is written here.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from .linux import again as measure_again
from .linux import measure, sharing
from .linux import startup as measure_startup
from .linux.cases import CASES as KERNEL_CASES
from .linux.cases import Case as KernelCase
from .linux.ours import Run
from .ns2 import airlink_side, both_ways, oracle, twoway
from .ns2.case import Case as Ns2Case
from .ns2.cases import CASES as NS2_CASES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PAGE = Path(__file__).parents[2] / "docs/validation.md"
GOODPUT = 0.02
"""The issue's bounds: goodput within 2 %, as many timeouts and repairs, recoveries within a round trip."""


def table(head: Sequence[str], rows: list[list[str]]) -> str:
    """Markdown."""
    rule = ["---"] * len(head)
    return "\n".join("| " + " | ".join(row) + " |" for row in [list(head), rule, *rows])


def ns2() -> str:
    head = (
        "case, sender, packets in order: ns-2, airlink, goodput of a flow, timeouts, sent again, compared one by one, "
        "in the same order, at most apart, verdict"
    )
    return table(head.split(", "), [ns2_row(case) for case in NS2_CASES])


def ns2_row(case: Ns2Case) -> list[str]:
    theirs = oracle.kept(case)
    ours = airlink_side.run(case, theirs.clock_ahead_s)
    pairs = list(zip(ours.transmissions, theirs.transmissions, strict=False))
    same = next((place for place, (own, other) in enumerate(pairs) if own[1] != other[1]), len(pairs))
    apart = max((abs(own[0] - other[0]) for own, other in pairs[:same]), default=0.0)
    away = [own.in_order / other.in_order - 1 for own, other in zip(ours.flows, theirs.flows, strict=True)]
    worst = max(away, key=abs)
    counts = {
        "timeouts": (sum(flow.timeouts for flow in theirs.flows), sum(flow.timeouts for flow in ours.flows)),
        "retransmissions": tuple(sum(flow.retransmissions for flow in one.flows) for one in (theirs, ours)),
    }
    broken = [
        *(["goodput"] if abs(worst) > GOODPUT else []),
        *(name for name, (other, own) in counts.items() if other != own),
        *(["order of packets"] if same < len(pairs) else []),
    ]
    return [
        case.name.removesuffix(f"-{case.agent.lower()}"),
        case.agent,
        *(str(sum(flow.in_order for flow in one.flows)) for one in (theirs, ours)),
        f"{100 * worst:+.1f} %" if worst else "the same",
        *(both(other, own) for other, own in counts.values()),
        str(len(pairs)),
        "all" if same == len(pairs) else f"the first {same}",
        f"{1e6 * apart:.0f} us",
        f"does not hold: {', '.join(broken)}" if broken else "holds",
    ]


def both(theirs: int, ours: int) -> str:
    """One number if it is the same."""
    return str(theirs) if theirs == ours else f"{theirs}; {ours}"


def linux() -> str:
    head = (
        "case, what, Mbit/s: kernel, airlink, difference, timeouts, sent again, probes, recoveries, begin within, "
        "last as long within, verdict"
    )
    return table(head.split(", "), [linux_row(case) for case in KERNEL_CASES])


def linux_row(case: KernelCase) -> list[str]:
    stored = read(measure.RESULTS / f"{case.name}.toml")
    theirs, run = stored["result"], Run(case)
    names = {"timeouts": "timeouts", "retransmissions": "retransmissions", "probes": "tail_loss_probes"}
    counts = {name: (int(theirs[name]), total(run, column)) for name, column in names.items()}
    rates = [(float(kernel), ours) for kernel, ours in zip(theirs["goodput_bps"], run.goodput_bps, strict=True)]
    flows = [(flow["recoveries"], own_recoveries(run, flow["number"])) for flow in stored["flow"]]
    found = (sum(len(kernel) for kernel, _ in flows), sum(len(own) for _, own in flows))
    pairs = [pair for kernel, own in flows for pair in zip(kernel, own, strict=False)]
    begin = max((abs(kernel[0] - own[0]) for kernel, own in pairs), default=0.0)
    ended = [(kernel, own) for kernel, own in pairs if min(kernel[1], own[1]) >= 0]
    length = max((abs(kernel[1] - kernel[0] - own[1] + own[0]) for kernel, own in ended), default=0.0)
    away = [ours / kernel - 1 for kernel, ours in rates]
    round_trip = min(map(sum, zip(case.forward_ms, case.backward_ms, strict=True))) / 1e3
    return [
        f"`{case.name}`",
        case.what,
        ", ".join(f"{kernel / 1e6:.3f}" for kernel, _ in rates),
        ", ".join(f"{ours / 1e6:.3f}" for _, ours in rates),
        ", ".join(f"{100 * share:+.1f} %" for share in away),
        *(both(*pair) for pair in counts.values()),
        both(*found),
        f"{1e3 * begin:.1f} ms",
        f"{1e3 * length:.1f} ms",
        verdict(max(map(abs, away)), counts, found, begin / round_trip),
    ]


def total(run: Run, column: str) -> int:
    """0 where no flow has the rule."""
    return run.total(column) if column in run.result.flows else 0


def own_recoveries(run: Run, flow: int) -> list[tuple[float, float]]:
    """Begin and end; an end of -1: not within the run."""
    return [(one.start, -1.0 if one.end is None else one.end) for one in run.trace(flow).recoveries]


def verdict(away: float, counts: dict[str, tuple[int, int]], found: tuple[int, int], begin: float) -> str:
    """What of the bounds holds."""
    broken = [
        *(["goodput"] if away > GOODPUT else []),
        *(name for name, (theirs, ours) in counts.items() if theirs != ours),
        *(["number of recoveries"] if found[0] != found[1] else ["begin of recoveries"] if begin > 1 else []),
    ]
    return f"does not hold: {', '.join(broken)}" if broken else "holds"


def again() -> str:
    head = (
        "case, runs, late, Mbit/s, airlink, sent again, airlink, recoveries, airlink, "
        "begin within of the table's, airlink"
    )
    return table(head.split(", "), [again_row(case) for case in KERNEL_CASES if case.name in NOT_THE_SAME_TWICE])


def again_row(case: KernelCase) -> list[str]:
    runs = read(measure_again.RESULTS / f"{case.name}.toml")["run"]
    first = [flow["recoveries"] for flow in read(measure.RESULTS / f"{case.name}.toml")["flow"]]
    begins = [[row[0] for row in rows] for rows in first]
    ours = Run(case)
    own = [[begin for begin, _ in own_recoveries(ours, flow)] for flow in range(case.flows)]
    rates = [
        f"{min(found) / 1e6:.2f} to {max(found) / 1e6:.2f}"
        for found in zip(*(run["goodput_bps"] for run in runs), strict=True)
    ]
    return [
        f"`{case.name}`",
        str(len(runs)),
        f"{max(run['late_us'] for run in runs) / 1e3:.0f} ms",
        ", ".join(rates),
        ", ".join(f"{rate / 1e6:.2f}" for rate in ours.goodput_bps),
        span([run["retransmissions"] for run in runs]),
        str(ours.total("retransmissions")),
        span([sum(map(len, run["recoveries_s"])) for run in runs]),
        str(sum(map(len, own))),
        f"{1e3 * max(largest(run['recoveries_s'], begins) for run in runs):.0f} ms",
        f"{1e3 * largest(own, begins):.0f} ms",
    ]


def largest(found: list[list[float]], begins: list[list[float]]) -> float:
    """How far the n-th recovery of a flow is from the n-th of the other, at most."""
    pairs = [pair for one, other in zip(found, begins, strict=True) for pair in zip(one, other, strict=False)]
    return max(abs(one - other) for one, other in pairs)


def span(counts: list[int]) -> str:
    """Smallest and largest."""
    return f"{min(counts)} to {max(counts)}"


def read(path: Path) -> dict[str, Any]:
    """A table that was left."""
    return tomllib.loads(path.read_text())


def startup() -> str:
    rows = []
    for row in measure_startup.stored("queue"):
        sender, round_trip_ms, queue = row["congestion_control"], row["round_trip_ms"], row["packets"]
        own = measure_startup.our_peaks(sender, round_trip_ms, queue)
        rows.append([sender, f"{round_trip_ms} ms", str(queue), listed(row["peaks"]), listed(own)])
    return table(["sender", "round trip", "queue", "largest cwnd of slow start: kernel", "airlink"], rows)


def listed(numbers: Sequence[int]) -> str:
    """Each once."""
    return ", ".join(str(number) for number in sorted(set(numbers)))


def shares() -> str:
    """Of flows of unlike round trips."""
    by_name = {case.name: case for case in KERNEL_CASES}
    rows = []
    for case in (by_name["reno_two_rtts"], by_name["cubic_two_rtts"], sharing.FOUR_RTTS):
        theirs = sharing.kernels_shares(case)
        late, exact = (sharing.our_shares(case, SHARING_RUNS, late_ms) for late_ms in (sharing.LATE_MS, 0.0))
        found = zip(case.forward_ms, case.backward_ms, *map(mean, (theirs, late, exact)), strict=True)
        rows += [[f"`{case.name}`", f"{there + back:.0f} ms", *means] for there, back, *means in found]
    head = ["case", "round trip", "share: kernel", f"airlink, ACKs up to {sharing.LATE_MS} ms late", "airlink, exact"]
    return table(head, rows)


def mean(runs: NDArray[np.float64]) -> list[str]:
    """Of each flow, with its interval of 95 %."""
    half = stats.t.ppf(0.975, len(runs) - 1) * runs.std(axis=0, ddof=1) / math.sqrt(len(runs))
    return [f"{share:.3f} ± {width:.3f}" for share, width in zip(runs.mean(axis=0), half, strict=True)]


def kernel_of(path: Path) -> str:
    """Its version."""
    return str(read(path)["kernel"])


def versions() -> str:
    """What was asked, and how."""
    kernels = {read(path)["kernel"] for path in measure.RESULTS.glob("*.toml")}
    simulators = {read(path)["ns2_version"] for path in oracle.RESULTS.glob("*.toml")}
    rows = [
        ["ns-2", ", ".join(sorted(simulators)), f"`{NS2_COMMAND}`", str(len(NS2_CASES))],
        ["ns-2, data both ways", ", ".join(sorted(simulators)), f"`{NS2_COMMAND}`", str(len(twoway.CASES))],
        ["Linux", ", ".join(sorted(kernels)), f"`{measure.COMMAND}`", str(len(KERNEL_CASES))],
        ["Linux, slow start", kernel_of(measure_startup.RESULTS), f"`{measure_startup.COMMAND}`", "21"],
        ["Linux, shares", kernel_of(sharing.RESULTS), f"`{sharing.COMMAND}`", "1"],
        ["Linux, again", ", ".join(sorted(kernels)), f"`{measure_again.COMMAND}`", str(len(NOT_THE_SAME_TWICE))],
    ]
    return table(["whose TCP", "version", "command", "cases"], rows)


NS2_COMMAND = "NS2=renew .venv/bin/python -m pytest -m validate tests/validation/ns2"
SHARING_RUNS = 12


def data_both_ways() -> str:
    return table(both_ways.HEAD, both_ways.rows())


TABLES: dict[str, Callable[[], str]] = {
    "versions": versions,
    "ns2": ns2,
    "both_ways": data_both_ways,
    "linux": linux,
    "startup": startup,
    "shares": shares,
    "again": again,
}
NOT_THE_SAME_TWICE = measure_again.NAMES


def filled(page: str) -> str:
    """The page with its tables written anew."""
    return re.sub(
        r"(<!-- table (\w+) -->\n).*?(<!-- end -->)",
        lambda found: f"{found[1]}\n{TABLES[found[2]]()}\n\n{found[3]}",
        page,
        flags=re.DOTALL,
    )


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
