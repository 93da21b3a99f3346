"""Forecast of what a run takes: rows, memory and time, from short runs of the same scenario.

The scenario is run for a small part of its duration, twice as long each time, until that takes a measurable time, or is
the whole run; what the last doubling has added goes on for the rest. Starts, stops, warm-up and drain are shortened
alike. Time is CPU time, so that a busy machine does not cut the short runs shorter. Leaves out what other programs take
meanwhile, captures, and what changes late in a run (a trace that gets worse, an outage).
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from airlink import engine
from airlink.engine import RecordedSeries, Request, Size
from airlink.scenario import Problem, Scenario
from airlink.tables import SERIES

LEAST_PILOT_S = 0.4
"""Seconds of CPU time that the last short run has at least, unless it is the whole run."""

SHORT_PILOT_S = 0.02
"""The same where only memory is asked for."""

FIRST_PART = 1 / 4096
"""Of the duration, that the first short run has."""

MOST_SEEDS = 4
"""Places and fading differ from seed to seed: of several replicas so many are run for a short time."""

LEAST_SLOTS = 64

STORED_PER_NUMBER_S = 55e-9
"""Making a column of a series, compressing and writing it, for each number; measured on a laptop's core."""

WIDE_BYTES = 8
STORING_COPIES = 2.2
"""Columns while a piece of a series is written: as they were made, as Arrow holds them, and the compressed part."""

TABLE_COPIES = 4
"""Of the tables of users and flows: as they came, over all replicas, as Arrow holds them, and as they are printed."""

STORING_BYTES = 60_000_000
"""What the libraries that write results take once they are loaded."""


@dataclass(frozen=True)
class Resources:
    """What a run will take.

    Attributes
    ----------
    replicas, threads : as asked for; no more threads work than there are replicas and cores.
    series : of one replica, by kind: rows, and bytes of memory.
    memory_bytes : the most that the process holds at a time, the result's storing included.
    left_bytes : what it holds already and what it may still take; None where the system does not say.
    time_s : until the result is stored, on cores that nobody else uses.
    """

    replicas: int
    threads: int
    series: Mapping[str, Size]
    memory_bytes: int
    left_bytes: int | None
    time_s: float

    @property
    def fits(self) -> bool:
        """Whether that much memory is left; true where the system does not say."""
        return self.left_bytes is None or self.memory_bytes <= self.left_bytes


@dataclass(frozen=True)
class _Pilot:
    """A short run, mean over seeds: its duration, how long it took, what it recorded and what it held beside that."""

    duration_s: float
    took_s: float
    series: Mapping[str, Size]
    columns: Mapping[str, int]
    table_bytes: int
    held_bytes: int


def resources_of(
    scenario: Scenario,
    replicas: int = 1,
    *,
    seed: int = 1,
    record: Sequence[str] = (),
    threads: int | None = None,
) -> Resources:
    """Estimates what a run will take, in about a second.

    Parameters
    ----------
    scenario : what would be simulated.
    replicas, seed, record, threads : as `airlink.run` has them, but without captures.

    Raises
    ------
    ScenarioError, RequestError : as `airlink.run`.

    Examples
    --------
    >>> from airlink import resources_of
    >>> from airlink.scenario import ready
    >>> needed = resources_of(ready("dumbbell"), replicas=4, record=["acks"])
    >>> 40_000 < needed.series["acks"].rows < 160_000
    True
    >>> needed.fits
    True
    """
    return needed_by(Request([scenario], engine.seeds_from(seed, replicas), engine.checked_record(record)), threads)


def needed_by(request: Request, threads: int | None = None) -> Resources:
    """The same of a request of one scenario."""
    return _resources(request, engine.thread_count(threads), LEAST_PILOT_S)


def warning_of(request: Request, threads: int | None = None) -> list[Problem]:
    """One warning if a run of one scenario needs more memory than is left; summaries alone never do."""
    if all(SERIES[kind].has_few_rows for kind in request.record):
        return []
    needed = _resources(request, engine.thread_count(threads), SHORT_PILOT_S)
    if needed.fits or needed.left_bytes is None:
        return []
    kind, size = max(needed.series.items(), key=lambda item: item[1].size_bytes)
    message = (
        f"{request.jobs} x {request.scenarios[0].duration_s:g} s need about {needed.memory_bytes / 1e9:.1f} GB of "
        "memory, "
        f"{needed.left_bytes / 1e9:.1f} GB are left; {kind} has the most, {size.size_bytes / 1e9:.2g} GB in each: "
        "record less, or run less at a time"
    )
    return [Problem("record", ",".join(request.record), message)]


def _resources(request: Request, threads: int, pilot_s: float) -> Resources:
    (scenario,), kinds, replicas = request.scenarios, request.record, request.jobs
    workers = min(threads, replicas)
    first, last = _pilots(request, pilot_s)
    series = {kind: Size(*map(round, _grown(first, last, scenario, kind))) for kind in kinds}
    replica_s = _line(first.duration_s, last.duration_s, first.took_s, last.took_s, scenario.duration_s)
    numbers = {kind: size.rows * last.columns[kind] for kind, size in series.items()}
    held = replicas * (sum(size.size_bytes for size in series.values()) + last.table_bytes)
    widest = max(numbers.values(), default=0) * WIDE_BYTES * STORING_COPIES
    memory = _resident_bytes() + held + max(workers * last.held_bytes, round(widest) + STORING_BYTES)
    cores = min(workers, engine.thread_count(None))
    return Resources(
        replicas=replicas,
        threads=workers,
        series=series,
        memory_bytes=memory,
        left_bytes=None if (left := engine.memory_left()) is None else left + _resident_bytes(),
        time_s=replica_s * math.ceil(replicas / cores) + replicas * sum(numbers.values()) * STORED_PER_NUMBER_S,
    )


def _pilots(request: Request, least_s: float) -> tuple[_Pilot, _Pilot]:
    """The last two short runs; of what is short itself nothing, and the whole."""
    (scenario,) = request.scenarios
    part = max(FIRST_PART, LEAST_SLOTS * _slot_s(scenario) / scenario.duration_s)
    if part > 1 / 2:
        whole = _pilot(request, 1.0)
        nothing = dict.fromkeys(request.record, Size(0, 0))
        return replace(whole, duration_s=0.0, took_s=0.0, series=nothing), whole
    before = _pilot(request, part)
    while True:
        part = min(2 * part, 1.0)
        last = _pilot(request, part)
        if part == 1.0 or last.took_s * min(request.jobs, MOST_SEEDS) >= least_s:
            return before, last
        before = last


def _pilot(request: Request, part: float) -> _Pilot:
    short = _shortened(request.scenarios[0], part)
    resident = _resident_bytes()
    seeds = request.seeds[:MOST_SEEDS]
    began = time.process_time()
    replicas = engine.run(Request([short], seeds, request.record), 1).replicas
    took_s = (time.process_time() - began) / len(seeds)
    recorded = [
        each.series.sizes() for each in replicas if each is not None and isinstance(each.series, RecordedSeries)
    ]
    one = replicas[0]
    if one is None or len(recorded) < len(seeds):
        raise KeyboardInterrupt
    held_bytes = _resident_bytes() - resident - sum(size.size_bytes for sizes in recorded for size in sizes.values())
    means = {}
    for kind in request.record:
        rows, sizes = zip(*(sizes[kind] for sizes in recorded), strict=True)
        means[kind] = Size(sum(rows) // len(recorded), sum(sizes) // len(recorded))
    return _Pilot(
        short.duration_s,
        took_s,
        means,
        {kind: len(one.series[kind]) for kind in request.record},
        TABLE_COPIES * sum(values.nbytes for table in (one.users, one.flows) for values in table.values()),
        max(0, held_bytes),
    )


def _shortened(scenario: Scenario, part: float) -> Scenario:
    """The scenario with all its times in proportion, but for a slot that is left to measure."""
    flows = tuple(
        flow.model_copy(update={name: getattr(flow, name) * part for name in ("start_s", "start_spread_s", "stop_s")})
        for flow in scenario.flows
    )
    times = {name: getattr(scenario, name) * part for name in ("duration_s", "warmup_s", "drain_s")}
    if part < 1:
        # Of two slots one is whole, wherever they begin.
        times["warmup_s"] = min(times["warmup_s"], times["duration_s"] - 2 * _slot_s(scenario))
    return scenario.model_copy(update={**times, "flows": flows})


def _slot_s(scenario: Scenario) -> float:
    return 0.0 if scenario.slot is None else float(scenario.slot.exact_ms()) / 1000


def _grown(first: _Pilot, last: _Pilot, scenario: Scenario, kind: str) -> tuple[float, float]:
    """Rows and bytes of a series at the scenario's end."""
    earlier, later = first.series[kind], last.series[kind]
    ends = (first.duration_s, last.duration_s)
    return (
        _line(*ends, earlier.rows, later.rows, scenario.duration_s),
        _line(*ends, earlier.size_bytes, later.size_bytes, scenario.duration_s),
    )


def _line(x0: float, x1: float, y0: float, y1: float, x: float) -> float:
    """The line through two points, at x; what shrank stays as it was."""
    return y1 + max(0.0, y1 - y0) / (x1 - x0) * (x - x1)


def _resident_bytes() -> int:
    """Memory that this process holds; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0
    import resource

    return pages * resource.getpagesize()
