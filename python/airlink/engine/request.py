"""What to run: read from anything a caller may write, and checked, once."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from typing_extensions import Self

from airlink import _rust, own
from airlink.own import Parts
from airlink.scenario import NOTHING, Problem, Scenario, ScenarioError, trace_arrays
from airlink.tables import SERIES

RECORD_KINDS: Mapping[str, str] = {kind: series.what for kind, series in SERIES.items()}
"""Series that a run can record beside the summaries: kind and what it holds."""

PCAP = "pcap"
"""Requested like a series, but written to files during the run: docs/captures.md."""

LEAST_SNAP, MOST_SNAP = 80, 65_535
"""Bytes kept of a captured packet: from the longest headers of IPv4 and TCP to the longest packet of IPv4."""

TIMESTAMPED_HEADERS = 52
"""IPv4 and TCP with timestamps, the longest headers of data, in bytes; without them 40, which always fits."""

MOST_JOBS = 1_000_000
"""Replicas of one request, over all its scenarios."""

MOST_THREADS = 1024
"""The most threads of one call: more threads than cores gain nothing, and each holds a run in memory."""


class RequestError(ValueError):
    """An invalid request: a seed, a number of threads or replicas, or a kind of series."""


@dataclass(frozen=True)
class Request:
    """What to run: every scenario with every seed, in the order of the scenarios.

    It is made of what a caller wrote and holds what was read from that, complete and possible: nothing below checks
    again. It can be pickled, and so sent to another process, which reads trace files anew.

    Attributes
    ----------
    scenarios : resolved: named tables in numbers, trace files with their hashes.
    seeds : a range or a tuple.
    record : kinds of series, each once, in the order of RECORD_KINDS.
    snap_bytes : kept of each captured packet, LEAST_SNAP..MOST_SNAP; None (default): its headers.
    parts : code of one's own, of each scenario; default none.
    captures : whether packets are captured: `record` was made with "pcap".

    Raises
    ------
    ScenarioError : a trace file can't be used; packets are too long to be captured.
    OwnError : code of one's own that a scenario has no place for.
    RequestError : an unknown kind of series, or one that a scenario can't record; more than MOST_JOBS jobs; a seed
        outside 0..2^64-1; something that is not a scenario.

    Examples
    --------
    >>> from airlink.scenario import ready
    >>> request = Request([ready("dumbbell")], range(1, 100_001), "acks")
    >>> request.jobs, request.seeds, request.record
    (100000, range(1, 100001), ('acks',))
    """

    scenarios: Sequence[Scenario]
    seeds: Sequence[int]
    record: Sequence[str] = ()
    snap_bytes: int | None = None
    parts: Sequence[Parts] = ()
    captures: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        for scenario in self.scenarios:
            _check_scenario(scenario)
        seeds = _checked_seeds(self.seeds)
        _check_count("scenarios x seeds", len(self.scenarios) * len(seeds))
        names = [self.record] if isinstance(self.record, str) else list(self.record)
        kinds = checked_record([name for name in names if name != PCAP])
        for scenario in self.scenarios:
            _check_recordable(scenario, kinds)
            if PCAP in names:
                _check_capturable(scenario)
        _check_snap(self.snap_bytes)
        scenarios = tuple(scenario.resolved() for scenario in self.scenarios)
        parts = tuple(self.parts) or (own.NONE,) * len(scenarios)
        for each, scenario in zip(parts, scenarios, strict=True):
            own.check(each, scenario)
        self._set(scenarios=scenarios, seeds=seeds, record=tuple(kinds), captures=PCAP in names, parts=parts)

    @property
    def jobs(self) -> int:
        """The number of replicas."""
        return len(self.scenarios) * len(self.seeds)

    @property
    def has_python(self) -> bool:
        """Whether Python code of one's own takes part, which holds the interpreter."""
        return any(each.has_python for each in self.parts)

    def job(self, index: int) -> tuple[int, int]:
        """The place of a job's scenario, and its seed."""
        place, seed = divmod(index, len(self.seeds))
        return place, self.seeds[seed]

    def only(self, index: int) -> Self:
        """The request of one job alone."""
        place, seed = self.job(index)
        return self.part(place, (seed,))

    def part(self, place: int, seeds: Sequence[int]) -> Self:
        """The request of one scenario with some of the seeds; what the engine has read of a single one goes along."""
        one = copy.copy(self)
        one._set(scenarios=(self.scenarios[place],), seeds=seeds, parts=(self.parts[place],))
        if len(self.scenarios) == 1 and "in_engine" in self.__dict__:
            one._set(in_engine=self.in_engine)
        return one

    @cached_property
    def in_engine(self) -> _rust.Scenarios:
        """The scenarios as the engine has read them, with the rows of their trace files.

        Raises
        ------
        ScenarioError : the engine refuses a scenario, with all problems of it; a trace file is gone or changed.
        """
        traces = [trace_arrays(scenario) for scenario in self.scenarios]
        try:
            return _rust.Scenarios([scenario.to_json() for scenario in self.scenarios], traces)
        except _rust.ScenarioError as error:
            raise refused(error) from None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "in_engine"}

    def _set(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)


def seeds_from(seed: int, replicas: int) -> range:
    """The seeds of so many replicas, from that one on.

    Raises
    ------
    RequestError : replicas outside 1..MOST_JOBS; a number that is not whole.
    """
    _check_whole("seed", seed)
    _check_count("replicas", replicas)
    return range(int(seed), int(seed) + int(replicas))


def _checked_seeds(seeds: Sequence[int]) -> range | tuple[int, ...]:
    """The seeds as integers of Python; a range is not written out."""
    for seed in [*seeds[:1], *seeds[-1:]] if isinstance(seeds, range) else seeds:
        _check_whole("seed", seed)
        if not 0 <= seed < 2**64:
            raise RequestError(f"seed is {seed}; it must lie in 0..2^64-1")
    return seeds if isinstance(seeds, range) else tuple(map(int, seeds))


def distinct_seeds(seeds: Sequence[int]) -> None:
    """Refuses what are no seeds of independent runs.

    Raises
    ------
    RequestError : no list; a number that is not whole or outside 0..2^64-1; one that is there twice.
    """
    given: Any = seeds
    if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray):
        raise RequestError(f"seeds is {seeds!r}; it must be a list of whole numbers, as range(1, 13)")
    checked = _checked_seeds(seeds)
    if not isinstance(checked, range) and len(set(checked)) != len(checked):
        raise RequestError("seeds has one twice: it would be the same run, not a new sample")


def checked_record(record: Sequence[str]) -> list[str]:
    """The kinds, each once, in a fixed order.

    Raises
    ------
    RequestError : an unknown kind, with those that exist; `pcap`, which is no series.
    """
    names = [record] if isinstance(record, str) else list(record)
    if PCAP in names:
        raise RequestError("record: pcap is no series: airlink.run and airlink run write captures to files")
    unknown = [name for name in names if name not in RECORD_KINDS]
    if unknown:
        message = f"record: {', '.join(map(repr, unknown))} unknown; choose from {', '.join(RECORD_KINDS)}"
        raise RequestError(f"{message}; or {PCAP}, which is captured to files")
    return [kind for kind in RECORD_KINDS if kind in names]


def _check_capturable(scenario: Scenario) -> None:
    """Raises ScenarioError unless every packet of TCP fits into one of IPv4."""
    most = MOST_SNAP - TIMESTAMPED_HEADERS
    message = f"must be at most {most} with pcap and timestamps: a packet of IPv4 has at most {MOST_SNAP} bytes"
    problems = [
        Problem(f"flows.{index}.tcp.mss_bytes", flow.tcp.mss_bytes, message)
        for index, flow in enumerate(scenario.flows)
        if flow.tcp.timestamps and flow.tcp.mss_bytes > most and flow.has_tcp()
    ]
    if problems:
        raise ScenarioError(problems)


def _check_snap(snap_bytes: int | None) -> None:
    """Raises RequestError unless that many bytes can be kept of a packet; None stands for its headers."""
    if snap_bytes is not None:
        _check_whole("snap", snap_bytes)
        if not LEAST_SNAP <= snap_bytes <= MOST_SNAP:
            allowed = f"{LEAST_SNAP}..{MOST_SNAP} bytes, so that headers fit"
            raise RequestError(f"snap is {snap_bytes}; it must lie in {allowed}")


def recordable(scenario: Scenario) -> list[str]:
    """The kinds of series that a run of this scenario can record."""
    return [kind for kind in RECORD_KINDS if not lacking(scenario, kind)]


def lacking(scenario: Scenario, kind: str) -> str:
    """What a scenario lacks for a kind of series; empty if nothing."""
    if scenario.bottleneck is not None and SERIES[kind].needs == "radio":
        return "needs a radio; this scenario has a wired bottleneck"
    queue = scenario.bottleneck or scenario.queue
    if SERIES[kind].needs == "price" and (queue is None or queue.price.kind == "none"):
        where = "queue" if scenario.bottleneck is None else "bottleneck"
        return f"needs a queue with a price; {where}.price.kind is 'none'"
    return ""


def _check_recordable(scenario: Scenario, kinds: Sequence[str]) -> None:
    """Raises RequestError for series of slots, or of prices, where there are none."""
    reasons = {kind: reason for kind in kinds if (reason := lacking(scenario, kind))}
    for first in reasons.values():
        named = ", ".join(kind for kind, reason in reasons.items() if reason == first)
        raise RequestError(f"record: {named} {first}")


def _check_scenario(scenario: object) -> None:
    """Raises RequestError for anything else than a scenario, such as the name of a file."""
    if not isinstance(scenario, Scenario):
        raise RequestError(f"a Scenario is needed, not {scenario!r}: airlink.Scenario.from_toml(...) reads one")


def _check_count(name: str, count: int) -> None:
    """Raises RequestError unless that many replicas can be run in one call."""
    _check_whole(name, count)
    if count < 1:
        raise RequestError(f"{name} is {count}; it must be at least 1")
    if count > MOST_JOBS:
        raise RequestError(f"{name} is {count}; it must be at most {MOST_JOBS}")


def _check_whole(name: str, number: object) -> None:
    """Raises RequestError unless it is an integer, of Python or numpy."""
    if not isinstance(number, int | np.integer) or isinstance(number, bool):
        raise RequestError(f"{name} is {number!r}; it must be a whole number")


def thread_count(threads: int | None) -> int:
    """How many threads run: those asked for, or one for each core of this process.

    Raises
    ------
    RequestError : threads is no whole number or outside 1..MOST_THREADS.
    """
    if threads is not None:
        _check_whole("threads", threads)
        if threads < 1:
            raise RequestError(f"threads is {threads}; it must be at least 1")
        if threads > MOST_THREADS:
            raise RequestError(f"threads is {threads}; it must be at most {MOST_THREADS}")
        return threads
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def refused(error: _rust.ScenarioError) -> ScenarioError:
    """The engine's refusal of a scenario as Python's."""
    return ScenarioError([Problem(path, NOTHING, message) for path, message in error.problems])
