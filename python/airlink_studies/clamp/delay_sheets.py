"""Tables of the curves: what each flow has at equal delays, and whether both halves of what was measured agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from airlink.report import Sheet, plus_minus
from airlink.result import Table
from airlink.statistics import mean_interval
from airlink_studies.clamp.curves import Curve, fetch_s, halves_of
from airlink_studies.clamp.fading_cell import FLOWS
from airlink_studies.clamp.trajectories import Floats


def at_delays(curves: Mapping[tuple[str, str], Curve], delays_ms: Sequence[float], title: str) -> Sheet:
    """Rates of flows, their sum, and the time to fetch 1 Mbyte."""
    rows = []
    for (protocol, speed), curve in curves.items():
        for delay in delays_ms:
            rates = curve.rates_at(delay)
            numbers = [*rates.T, curve.total_at(delay), fetch_s(rates)]
            rows.append((f"{protocol}, {speed}, {delay:g} ms", *(_cell(each) for each in numbers)))
    note = (
        "Mb/s of each flow and of all at a mean queueing delay (mean over the three queues, until delivery), linear "
        "between the two nearest points of each seed's own curve; s to fetch 1 Mbyte, mean over flows."
    )
    return Sheet(title, ("at", *FLOWS, "all", "fetch"), rows, note, narrow=(0, 1, 2, 3, 4))


def _cell(values: Floats) -> str:
    estimate = mean_interval(values)
    if np.isnan(estimate.mean):
        return "-"
    decimals = 1 if estimate.mean >= 10 else 2
    return plus_minus(estimate, decimals) if np.isfinite(estimate.half_width) else f"{estimate.mean:.{decimals}f}"


def halves(curves: Mapping[tuple[str, str], Curve], title: str) -> Sheet:
    """How often both halves agree, and where they are furthest apart among those that don't."""
    rows = []
    for (protocol, speed), curve in curves.items():
        own = halves_of(curve)
        apart = {words: each.apart for words, each in own.items() if not each.agree}
        worst = max(apart, key=lambda words: abs(apart[words]), default="")
        told = f"{worst}: {100 * apart[worst]:+.1f} %" if worst else ""
        rows.append((f"{protocol}, {speed}", f"{len(own)}", f"{len(apart)}", told))
    note = (
        "Every point's rates by flow, their sum and the mean delay in either half of what was measured: how many, of "
        "how many both halves are over 1 % and more than their 95 % intervals apart, and the furthest of these."
    )
    return Sheet(title, ("curve", "compared", "apart", "the most"), rows, note, left=(3,))


def machine_table(curves: Mapping[tuple[str, str], Curve], seeds: Sequence[int]) -> Table:
    """One row a point, seed and flow."""
    rows = [
        (
            protocol, speed, curve.knob_bytes[point], seed, flow, curve.delay_ms[point, place],
            curve.rates_mbps[point, place, flow], curve.whole.timeouts[point, place, flow],
        )
        for (protocol, speed), curve in curves.items()
        for point in range(curve.knob_bytes.size)
        for place, seed in enumerate(seeds)
        for flow in range(len(FLOWS))
    ]  # fmt: skip
    names = ("protocol", "speed", "knob_bytes", "seed", "flow", "delay_ms", "throughput_mbps", "timeouts")
    return Table({name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)})
