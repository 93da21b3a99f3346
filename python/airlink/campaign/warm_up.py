"""One warm-up for all arms of a comparison, proposed from a few pilot runs of each.

MSER-5 cuts the mean of the pilots where what remains has the smallest standard error, within the first half. Packets of
one run depend on one another, so that some stretch of any run looks calm: what is cut must also differ from the rest
over the pilots, or there is no start; and the halves of what remains must not differ, or the start is not over. The
largest proposal of all arms holds for all, rounded up.

Left out: measures of downloads and of the start itself, which a warm-up would cut off. What is left of a start after
the cut is below what the pilots together can tell; many more runs may still tell it.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

from airlink.campaign.pilot_series import BINS, FEWEST, Binned, Floats, Quantity, binned, quantity_of, together
from airlink.campaign.plan import Plan
from airlink.campaign.running import stream
from airlink.engine import Progress
from airlink.measures import Measure
from airlink.measures import measure as measure_of
from airlink.scenario import Scenario, ScenarioWarning
from airlink.statistics import mser, replica_mean
from airlink.statistics.warm_up import BATCH

PILOTS = 5
"""Pilot runs of each scenario."""

STARTS, GOES_ON = 0.8, 0.99
"""Levels at which the pilots tell a start from the rest, and a start that goes on. To cut too much costs little, and to
ask for longer runs much, so the first one is low and the second one high."""

SMALL = 0.01
"""Share of the mean below which a difference is none: runs without chance differ by how their cycles are cut."""

READABLE = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
"""Times a power of ten: to what a warm-up is rounded up."""


@dataclass(frozen=True)
class WarmUp:
    """A warm-up for all arms.

    Attributes
    ----------
    seconds : for all of them; 0: none is needed, or none may be chosen.
    by_arm : label -> what it needs on its own, s, not rounded.
    notes : what it was judged by, and where it is not to be trusted; one sentence each.
    """

    seconds: float
    by_arm: Mapping[str, float]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Proposal:
    seconds: float
    note: str = ""


def proposed_warm_up(
    scenarios: Mapping[str, Scenario],
    measure: Measure | str,
    seeds: Sequence[int],
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> WarmUp:
    """The warm-up that all arms of a comparison should have.

    Parameters
    ----------
    scenarios : label -> scenario; their own `warmup_s` is not used.
    measure : the primary one. One of delays is judged by what packets wait, all others by what is delivered; one of
        users by each user's rate relative to its mean.
    seeds : of the plan; the first five are the pilots.
    threads, progress, executor : as `airlink.campaign.run` has them.

    Returns
    -------
    WarmUp; of a measure of downloads or of the start 0 s, with a note.

    Raises
    ------
    MeasureError : no such measure.
    ScenarioError, EngineError : as `airlink.campaign.run`.

    Examples
    --------
    >>> from airlink.scenario import ready
    >>> wire = ready("dumbbell", ["duration_s=20", "bottleneck.limit_packets=1000"])
    >>> found = proposed_warm_up({"deep": wire}, "cell.queueing_delay_mean_s", range(1, 21))
    >>> 0 < found.seconds < 10
    True
    """
    chosen = measure_of(measure) if isinstance(measure, str) else measure
    if not chosen.allows_warm_up:
        kind = "downloads, which count from their request on" if chosen.is_of_downloads else "the start itself"
        return WarmUp(0.0, {}, (f'No warm-up is proposed: measure "{chosen}" is of {kind}.',))
    if all(_only_files(scenario) for scenario in scenarios.values()):
        return WarmUp(0.0, {}, ("No warm-up is proposed: there are only files that start once and end.",))
    quantity = quantity_of(chosen)
    pilots = {label: scenario.with_(warmup_s=0, drain_s=0) for label, scenario in scenarios.items()}
    series = _pilot_series(Plan(pilots, seeds[:PILOTS], ("packets",)), quantity, threads, progress, executor)
    proposals = {label: _proposal(label, series[label], scenario.duration_s) for label, scenario in scenarios.items()}
    by_arm = {label: proposal.seconds for label, proposal in proposals.items()}
    seconds = readable(max(by_arm.values()))
    runs = f"{len(seeds[:PILOTS])} pilot run{'s' if len(seeds) > 1 else ''} of each scenario"
    told = f"Warm-up {seconds:g} s: proposed by MSER-5 from {quantity.text}, in {runs} ({_listed(by_arm)})."
    notes = [told, *(proposal.note for proposal in proposals.values() if proposal.note)]
    return WarmUp(seconds, by_arm, tuple(notes))


def _only_files(scenario: Scenario) -> bool:
    return all(flows.traffic.kind == "file" for flows in scenario.flows)


def _pilot_series(
    plan: Plan, quantity: Quantity, threads: int | None, progress: Progress | None, executor: Executor | None
) -> dict[str, Binned | None]:
    found: dict[str, dict[int, tuple[Floats, Floats]]] = {label: {} for label in plan.scenarios}
    with warnings.catch_warnings():
        # Whoever runs the arms is told.
        warnings.simplefilter("ignore", ScenarioWarning)
        with stream(plan, threads, progress, executor=executor) as runs:
            for label, seed, replica in runs:
                scenario = plan.scenarios[label]
                found[label][seed] = binned(replica, quantity, scenario.duration_s, _bins(scenario))
    # In the order of the seeds, whichever ended first.
    return {
        label: together([parts[seed] for seed in sorted(parts)], plan.scenarios[label].duration_s)
        for label, parts in found.items()
    }


def _bins(scenario: Scenario) -> int:
    """Bins of a run, none shorter than a slot where there are slots enough."""
    slots = BINS if scenario.slot is None else int(1e3 * scenario.duration_s / float(scenario.slot.exact_ms()))
    return max(min(BINS, slots) // FEWEST, 1) * FEWEST


def _proposal(label: str, series: Binned | None, duration_s: float) -> _Proposal:
    if series is None:
        return _Proposal(0.0, f"{label}: too few packets in {duration_s:g} s to see when the start is over.")
    cut = start_of(series)
    if cut is not None:
        return _Proposal((series.first + cut) * series.bin_s if cut else 0.0)
    told = f"{label}: the start is not known to be over after half of the {duration_s:g} s; give longer runs."
    return _Proposal(duration_s / 2, told)


def start_of(series: Binned) -> int | None:
    """How many bins belong to the start; None if it is not known to be over in the first half."""
    bins = series.mean.size
    cut = mser(series.mean, most=0.5).start
    # The start may be a small part of what looks less calm than the rest by chance.
    while cut and not _differ(series, slice(None, cut), slice(cut, None), STARTS):
        cut = mser(series.mean, most=cut / 2 / bins).start
    middle = (cut + bins) // 2
    is_over = cut + BATCH < bins // 2 and not _differ(series, slice(cut, middle), slice(middle, None), GOES_ON)
    return cut if is_over else None


def _differ(series: Binned, one: slice, other: slice, level: float) -> bool:
    """Whether two stretches differ over the pilots, by more than is worth a warm-up."""
    difference = replica_mean(series.over(one) - series.over(other), level)
    allowed = SMALL * abs(replica_mean(series.over(other)).mean)
    return difference.low > allowed or difference.high < -allowed


def readable(seconds: float) -> float:
    """Rounded up to one of few digits."""
    if seconds <= 0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(seconds))
    return float(f"{next(step for step in READABLE if step * power >= seconds * (1 - 1e-9)) * power:.3g}")


def _listed(by_arm: Mapping[str, float]) -> str:
    return ", ".join(f"{label} {seconds:.3g} s" for label, seconds in by_arm.items())
