"""The interface to the engine: scenarios and seeds in, replicas out. Only this module imports `airlink._rust`.

Every (scenario, seed) is one job; jobs run in parallel on all cores with the GIL released. An interruption
(Ctrl-C) stops the jobs under way within a fraction of a second and keeps those that had finished.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from airlink import _rust
from airlink.scenario import NOTHING, Problem, Scenario, ScenarioError, Script, trace_arrays
from airlink.tables import SERIES

Columns = Mapping[str, NDArray[Any]]
Progress = Callable[[int, int], object]
"""Called with (replicas finished, replicas in all)."""

RECORD_KINDS: Mapping[str, str] = {kind: series.what for kind, series in SERIES.items()}
"""Series that a run can record beside the summaries: kind and what it holds."""

PCAP = "pcap"
"""Requested like a series, but written to files during the run: docs/captures.md."""

SIMD = "AIRLINK_SIMD"
"""The environment variable that chooses how wide the engine's loops run."""

LEAST_SNAP, MOST_SNAP = 80, 65_535
"""Bytes kept of a captured packet: from the longest headers of IPv4 and TCP to the longest packet of IPv4."""

TIMESTAMPED_HEADERS = 52
"""IPv4 and TCP with timestamps, the longest headers of data, in bytes; without them 40, which always fits."""

MOST_JOBS = 1_000_000
"""Replicas of one call, over all its scenarios: more would not fit in memory."""


MOST_THREADS = 1024
"""The most threads of one call: more threads than cores gain nothing, and each holds a run in memory."""


class RequestError(ValueError):
    """An invalid request: a seed, a number of threads or replicas, or a kind of series."""


@dataclass(frozen=True)
class Replica:
    """What the engine recorded in one run of one scenario with one seed.

    Attributes
    ----------
    seed : names every random stream of the run.
    users, flows : columns [user], [flow]; see docs/results.md for each column's meaning and unit.
    cell : number per name.
    series : kind -> columns, of the kinds that were recorded.
    engine_digest : `digest`, or what computes it.
    """

    seed: int
    users: Columns
    flows: Columns
    cell: Mapping[str, float]
    series: Mapping[str, Columns]
    engine_digest: str | Callable[[], str] = field(repr=False)

    @cached_property
    def digest(self) -> str:
        """Hash of every number that the engine recorded: equal digests are equal results."""
        return self.engine_digest if isinstance(self.engine_digest, str) else self.engine_digest()


class Size(NamedTuple):
    """How much was recorded: rows, and the bytes of memory that they take."""

    rows: int
    size_bytes: int


class RecordedSeries(Mapping[str, Columns]):
    """The series of one run, kept packed; the columns of a kind are made when it is used."""

    def __init__(self, recording: _rust.Recording) -> None:
        self._recording = recording
        self._made: dict[str, Columns] = {}

    def __getitem__(self, kind: str) -> Columns:
        if kind not in self._made:
            self._made[kind] = self._recording.columns(kind)
        return self._made[kind]

    def taken(self, kind: str) -> Columns:
        """The columns of a kind, not kept, so storing all kinds needs memory for one at a time."""
        return self._made[kind] if kind in self._made else self._recording.columns(kind)

    def sizes(self) -> Mapping[str, Size]:
        """How much was recorded of each kind."""
        return {kind: Size(rows, size) for kind, rows, size in self._recording.sizes()}

    def __iter__(self) -> Iterator[str]:
        return iter(self._recording.kinds())

    def __len__(self) -> int:
        return len(self._recording.kinds())


@dataclass(frozen=True)
class Job:
    """One replica to run: index of its scenario, and its seed."""

    scenario: int
    seed: int


@dataclass(frozen=True)
class Capture:
    """Where the packets of a run are written.

    Attributes
    ----------
    folder : exists already.
    snap_bytes : kept of each packet, LEAST_SNAP..MOST_SNAP; None (default): its headers.
    """

    folder: Path
    snap_bytes: int | None = None


@dataclass(frozen=True)
class CutShort:
    """A capture that could not be written to its end; the run went on without it.

    Attributes
    ----------
    seed : of the replica, whose captures all end there.
    file : that could not be written.
    reason : as the operating system says it.
    """

    seed: int
    file: Path
    reason: str


@dataclass(frozen=True)
class Outcome:
    """One replica per job, None for an interrupted job; and the captures that are incomplete.

    A run that memory would not have sufficed for is interrupted, and `out_of_memory` says why.
    """

    replicas: list[Replica | None]
    interrupted: bool
    out_of_memory: bool = False
    cut_short: tuple[CutShort, ...] = ()


def run_jobs(
    scenarios: Sequence[Scenario],
    jobs: Sequence[Job],
    record: Sequence[str] = (),
    threads: int | None = None,
    progress: Progress | None = None,
    capture: Capture | None = None,
) -> Outcome:
    """Runs every job on `threads` cores.

    Parameters
    ----------
    scenarios : resolved or not; trace files are read here.
    jobs : scenario index and seed of each replica.
    record : kinds of series to record, keys of RECORD_KINDS; default none.
    threads : default: all cores this process may use.
    progress : called from this thread with (finished, total), some ten times a second at most.
    capture : where packets are written; default nowhere. Files are named by their seed: one scenario at a time.

    Returns
    -------
    Outcome, in the order of the jobs.

    Raises
    ------
    ScenarioError : the engine refuses a scenario; all problems of it at once.
    RequestError : unknown kind of series, threads outside 1..MOST_THREADS, more than MOST_JOBS jobs, a seed outside
        0..2^64-1, something that is not a scenario, or an AIRLINK_SIMD that this machine has not.
    """
    for scenario in scenarios:
        check_scenario(scenario)
    check_count("jobs", len(jobs))
    kinds = checked_record(record)
    for scenario in scenarios:
        check_recordable(scenario, kinds)
    if capture is not None:
        check_snap(capture.snap_bytes)
        for scenario in scenarios:
            check_capturable(scenario)
    workers = thread_count(threads)
    for job in jobs:
        check_whole("seed", job.seed)
        if not 0 <= job.seed < 2**64:
            raise RequestError(f"seed is {job.seed}; it must lie in 0..2^64-1")
    choose_vector_path()
    resolved = [scenario.resolved() for scenario in scenarios]
    traces = [trace_arrays(scenario) for scenario in resolved]
    report = None if progress is None else _total_added(progress, len(jobs))
    pairs = [(job.scenario, job.seed) for job in jobs]
    folder, snap = (None, None) if capture is None else (str(capture.folder), capture.snap_bytes)
    try:
        raw, interrupted, out_of_memory, failed = _rust.run_jobs(
            [scenario.to_json() for scenario in resolved], traces, pairs, kinds, workers, report, folder, snap
        )
    except _rust.ScenarioError as error:
        raise _explained(error) from None
    cut_short = tuple(
        CutShort(seed, Path(file), os.strerror(number) if number else words) for seed, number, words, file in failed
    )
    replicas = [None if item is None else _replica(item) for item in raw]
    return Outcome(replicas, interrupted or out_of_memory, out_of_memory, cut_short)


def memory_left() -> int | None:
    """Bytes of memory that this process may still take; None where the system does not say."""
    return _rust.memory_left()


def rate_table(scenario: Scenario) -> Columns | None:
    """The rows of the table of rates; None if rates come from no table.

    Parameters
    ----------
    scenario : resolved or not; of trace files only the names matter.

    Returns
    -------
    Columns, in the order of the rows, which is that of the series `mcs`:
        mcs : number of the row, from 0.
        scheme, bits_per_symbol, code_rate : of `link.rate.kind = "mcs"`: number in the set, from 0, and what it is.
        threshold_db : reported SNR from which the row may be used, dB.
        rate_bps : rate of the whole carrier, b/s.
        beta : of `link.errors.curve.effective = "eesm"`, a ratio.

    Raises
    ------
    ScenarioError : the engine refuses the scenario.
    """
    try:
        return _rust.rate_table(scenario.to_json())
    except _rust.ScenarioError as error:
        raise _explained(error) from None


@dataclass(frozen=True)
class Difference:
    """The first mismatch between a connection's end and its script.

    Attributes
    ----------
    line : number of the script's line, counted in its file.
    expected, came : what the line says, and what there was instead.
    """

    line: int
    expected: str
    came: str


def play_script(script: Script) -> Difference | None:
    """Plays a script to a sender or receiver built from its TCP fields.

    Returns
    -------
    None when every line holds, else the first that does not.

    Raises
    ------
    ScenarioError : lines that cannot be read, all of them.
    """
    try:
        found = _rust.play_script(script.head.side, script.tcp_json(), script.text, script.first_line)
    except _rust.ScenarioError as error:
        raise _explained(error) from None
    return None if found is None else Difference(*found)


def answer_script(script: Script) -> list[tuple[int, str]]:
    """The packets that a sender or receiver sends for a script's inputs, whatever the script expects.

    Returns
    -------
    Nanoseconds and words of each packet and of each quantity that a line looks at, up to the time of the last line.

    Raises
    ------
    ScenarioError : lines that cannot be read, all of them.
    """
    try:
        return _rust.answer_script(script.head.side, script.tcp_json(), script.text, script.first_line)
    except _rust.ScenarioError as error:
        raise _explained(error) from None


def digest(replica: Replica) -> str:
    """The digest of a replica, computed again from its numbers: equal to `replica.digest` unless they changed."""
    return _rust.digest(_tables(replica))


def column_digests(replica: Replica) -> dict[str, dict[str, str]]:
    """The digest of each column of a replica, by table and column: shows which columns differ between two runs."""
    return {
        table: {name: _rust.digest({table: {name: values}}) for name, values in columns.items()}
        for table, columns in _tables(replica).items()
    }


def _tables(replica: Replica) -> dict[str, dict[str, NDArray[Any]]]:
    """All columns of a replica, by table or kind of series."""
    tables = {"users": dict(replica.users), "flows": dict(replica.flows)}
    tables["cell"] = {name: np.atleast_1d(value) for name, value in replica.cell.items()}
    return tables | {kind: dict(columns) for kind, columns in replica.series.items()}


def choose_vector_path() -> str:
    """Selects the engine's vector path by the environment variable AIRLINK_SIMD; results are the same to the bit.

    Returns
    -------
    What runs from now on: "portable", for any machine, or "avx2". Without the variable it is the best this machine has.

    Raises
    ------
    RequestError : AIRLINK_SIMD is neither, or not possible on this machine.
    """
    try:
        _rust.choose_vector_path(os.environ.get(SIMD, ""))
    except ValueError as error:
        raise RequestError(f"{SIMD} is {error}") from None
    return _rust.vector_path()


def engine_version() -> str:
    """The version of the compiled engine."""
    return _rust.version()


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


def parted_record(record: Sequence[str]) -> tuple[list[str], bool]:
    """The kinds of series, as `checked_record` gives them, and whether packets are to be captured."""
    names = [record] if isinstance(record, str) else list(record)
    return checked_record([name for name in names if name != PCAP]), PCAP in names


def check_capturable(scenario: Scenario) -> None:
    """Raises ScenarioError unless every packet of TCP fits into one of IPv4."""
    most = MOST_SNAP - TIMESTAMPED_HEADERS
    message = f"must be at most {most} with pcap and timestamps: a packet of IPv4 has at most {MOST_SNAP} bytes"
    problems = [
        Problem(f"flows.{index}.tcp.mss_bytes", flow.tcp.mss_bytes, message)
        for index, flow in enumerate(scenario.flows)
        if flow.tcp.timestamps and flow.tcp.mss_bytes > most and flow.traffic.kind != "backlogged"
    ]
    if problems:
        raise ScenarioError(problems)


def check_snap(snap_bytes: int | None) -> None:
    """Raises RequestError unless that many bytes can be kept of a packet; None stands for its headers."""
    if snap_bytes is not None:
        check_whole("snap", snap_bytes)
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


def check_recordable(scenario: Scenario, kinds: Sequence[str]) -> None:
    """Raises RequestError for series of slots, or of prices, where there are none."""
    reasons = {kind: reason for kind in kinds if (reason := lacking(scenario, kind))}
    for first in reasons.values():
        named = ", ".join(kind for kind, reason in reasons.items() if reason == first)
        raise RequestError(f"record: {named} {first}")


def check_scenario(scenario: object) -> None:
    """Raises RequestError for anything else than a scenario, such as the name of a file."""
    if not isinstance(scenario, Scenario):
        raise RequestError(f"a Scenario is needed, not {scenario!r}: airlink.Scenario.from_toml(...) reads one")


def check_count(name: str, count: int) -> None:
    """Raises RequestError unless that many replicas can be run in one call."""
    check_whole(name, count)
    if count < 1:
        raise RequestError(f"{name} is {count}; it must be at least 1")
    if count > MOST_JOBS:
        raise RequestError(f"{name} is {count}; it must be at most {MOST_JOBS}")


def check_whole(name: str, number: object) -> None:
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
        check_whole("threads", threads)
        if threads < 1:
            raise RequestError(f"threads is {threads}; it must be at least 1")
        if threads > MOST_THREADS:
            raise RequestError(f"threads is {threads}; it must be at most {MOST_THREADS}")
        return threads
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _total_added(progress: Progress, total: int) -> Callable[[int], object]:
    return lambda finished: progress(finished, total)


def _replica(item: Mapping[str, Any]) -> Replica:
    recording = item["recording"]
    series = RecordedSeries(recording)
    return Replica(item["seed"], item["users"], item["flows"], item["cell"], series, recording.digest)


def _explained(error: _rust.ScenarioError) -> ScenarioError:
    return ScenarioError([Problem(path, NOTHING, message) for path, message in error.problems])
