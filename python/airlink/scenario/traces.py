"""Trace files: CSV and Mahimahi in, arrays of times and values out.

A trace starts at time 0 and lasts `row_interval_s` (Mahimahi: one window) beyond its last row.
Mahimahi files (milliseconds of opportunities to send 1500 bytes) become rates over windows, the total kept.
Leaves out what a user makes of a trace (offset, loop, interpolation): the engine does that.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from . import introspection
from .errors import Problem, ScenarioError
from .sections import ScenarioFields, Trace
from .source import Unreadable, read_bytes

OPPORTUNITY_BITS = 1500 * 8
LONGEST_INTEGER = 15
LONGEST_S = 1e8
SHORTEST_STEP_S = 1e-6
RANGES = {"snr_db": (-200.0, 200.0), "rate_bps": (0.0, 1e12)}
MOST_WINDOWS = 10**8
LARGEST_FILE = 100_000_000
FILES = "channel.placement.files"


class TraceProblem(Exception):
    """What is wrong in one file."""


@dataclass(frozen=True)
class Samples:
    """A trace: times (s, from 0, strictly increasing), values (dB or b/s), and the SHA-256 of its file."""

    times_s: NDArray[np.float64]
    values: NDArray[np.float64]
    sha256: str


def trace_arrays(scenario: ScenarioFields) -> dict[str, list[NDArray[np.float64]]]:
    """The arrays for the engine: {"times_s": [...], "values": [...]}, one of each per file; {} without traces.

    Values are dB for quantity "snr_db" and b/s for "rate_bps", also with an equivalent bandwidth.

    Raises
    ------
    ScenarioError : with every file that can't be used.
    """
    radio = scenario.radio()
    if radio is None or not isinstance(radio.channel.placement, Trace):
        return {}
    samples = _read_all(radio.channel.placement)
    return {"times_s": [each.times_s for each in samples], "values": [each.values for each in samples]}


def hashed(placement: Trace) -> Trace:
    """The placement with the SHA-256 of each file, which are read and checked."""
    return placement.model_copy(update={"sha256": tuple(each.sha256 for each in _read_all(placement))})


def problems_in(data: Mapping[str, Any]) -> Iterator[Problem]:
    """What is wrong with the trace files of a scenario that may have other mistakes."""
    placement = introspection.child(introspection.child(data, "channel"), "placement")
    if introspection.child(placement, "kind") != "trace":
        return
    try:
        trace = placement if isinstance(placement, Trace) else Trace.model_validate(placement)
    except ValidationError:
        return
    try:
        _read_all(trace)
    except ScenarioError as error:
        yield from error.problems


def _read_all(trace: Trace) -> list[Samples]:
    samples: list[Samples] = []
    problems: list[Problem] = []
    for index, file in enumerate(trace.files):
        try:
            samples.append(_read(trace, file, trace.sha256[index] if len(trace.sha256) == len(trace.files) else ""))
        except TraceProblem as error:
            problems.append(Problem(f"{FILES}.{index}", file, str(error)))
    if problems:
        raise ScenarioError(problems)
    return samples


def _read(trace: Trace, file: str, sha256: str) -> Samples:
    data = _bytes(_expanded(file))
    found = hashlib.sha256(data).hexdigest()
    if sha256 and found != sha256:
        raise TraceProblem(f"has changed: its SHA-256 is {found}, the scenario has {sha256}")
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise TraceProblem("must be text in UTF-8") from None
    times, values = _mahimahi(trace, lines) if trace.format == "mahimahi" else _csv(trace, lines)
    if trace.quantity == "rate_bps" and not np.any(values > 0):
        raise TraceProblem("has no rate above 0")
    return Samples(times, values, found)


def _expanded(file: str) -> str:
    """The path with ${NAME} replaced by that environment variable."""

    def value(name: re.Match[str]) -> str:
        known = os.environ.get(name[1], "")
        if not known:
            raise TraceProblem(
                f"needs the environment variable {name[1]}, the folder of the trace files, which is not set"
            )
        return known

    return re.sub(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}", value, file)


def _bytes(path: str) -> bytes:
    try:
        data = read_bytes(path, LARGEST_FILE)
    except Unreadable as error:
        raise TraceProblem(str(error)) from None
    if not data.strip():
        raise TraceProblem("is empty")
    return data


def _mahimahi(trace: Trace, lines: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    milliseconds = _milliseconds(lines)
    length = int(milliseconds[-1])
    if length == 0:
        raise TraceProblem("must last longer than 0 ms (the last line is its length)")
    # The last line is the length of the trace, not a moment after it: an opportunity there belongs to the last window.
    windows = math.ceil(length / trace.averaging_ms)
    if windows > MOST_WINDOWS:
        raise TraceProblem(f"lasts {length} ms, more than {MOST_WINDOWS} windows of {trace.averaging_ms:g} ms")
    places = np.minimum(milliseconds // trace.averaging_ms, windows - 1).astype(np.int64)
    bits = np.bincount(places, minlength=windows) * float(OPPORTUNITY_BITS) * trace.value_scale
    window_s = trace.averaging_ms / 1000
    return _grid(windows, window_s), np.asarray(bits / window_s, dtype=np.float64)


def _milliseconds(lines: Sequence[str]) -> NDArray[np.int64]:
    """The whole numbers of the lines, which never fall."""
    rows = [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]
    for number, text in rows:
        if not (len(text) <= LONGEST_INTEGER and text.isascii() and text.isdigit()):
            raise TraceProblem(f'line {number}: "{text[:40]}" must be a whole number of milliseconds')
    milliseconds = np.array([int(text) for _, text in rows], dtype=np.int64)
    falls = np.flatnonzero(np.diff(milliseconds) < 0)
    if falls.size:
        before, after = milliseconds[falls[0] : falls[0] + 2]
        raise TraceProblem(f"line {rows[falls[0] + 1][0]}: {after} ms is before the line above ({before} ms)")
    return milliseconds


def _csv(trace: Trace, lines: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rows = [
        (number, [cell.strip().strip('"') for cell in line.split(",")])
        for number, line in enumerate(lines, 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not rows:
        raise TraceProblem("is empty")
    value_at, time_at, has_header = _columns(trace, rows[0][1])
    rows = rows[1:] if has_header else rows
    if not rows:
        raise TraceProblem("has a header but no rows")
    values = _values(trace, rows, value_at)
    low, high = RANGES[trace.quantity]
    outside = np.flatnonzero((values < low) | (values > high))
    if outside.size:
        line, value = rows[outside[0]][0], values[outside[0]]
        raise TraceProblem(f"line {line}: {value:g} must be from {low:g} to {high:g} ({trace.quantity}, after scaling)")
    if time_at is None:
        return _grid(len(rows), trace.row_interval_s), values
    return _times(trace, rows, time_at), values


def _columns(trace: Trace, first: Sequence[str]) -> tuple[int, int | None, bool]:
    """The columns of values and of times, and whether the first row is a header."""
    value_at = _column(trace.value_column, first) if trace.value_column else len(first) - 1
    time_at = _column(trace.time_column, first) if trace.time_column else None
    named = any(name and not name.isdigit() for name in (trace.value_column, trace.time_column))
    header = named or (first[value_at] not in ("", trace.missing) and _number(first[value_at]) is None)
    return value_at, time_at, header


def _grid(count: int, step_s: float) -> NDArray[np.float64]:
    """Equidistant times from 0, s."""
    if count * step_s > LONGEST_S:
        raise TraceProblem(f"must last at most {LONGEST_S:g} s")
    return np.arange(count, dtype=np.float64) * step_s


def _column(name: str, first: Sequence[str]) -> int:
    if name in first:
        return first.index(name)
    if name.isdigit() and 1 <= int(name) <= len(first):
        return int(name) - 1
    raise TraceProblem(f'has no column "{name}"; its first line holds: {", ".join(first)[:200]}')


def _values(trace: Trace, rows: Sequence[tuple[int, list[str]]], column: int) -> NDArray[np.float64]:
    values: list[float] = []
    for number, cells in rows:
        text = _cell(number, cells, column)
        if text in ("", trace.missing):
            values.append(values[-1] if values else math.nan)
            continue
        value = _number(text)
        if value is None:
            raise TraceProblem(f'line {number}: "{text[:40]}" must be a number, or "{trace.missing}" when missing')
        values.append(value * trace.value_scale)
    first = next((value for value in values if not math.isnan(value)), None)
    if first is None:
        raise TraceProblem("has no value: every row is missing")
    return np.array([first if math.isnan(value) else value for value in values])


def _times(trace: Trace, rows: Sequence[tuple[int, list[str]]], column: int) -> NDArray[np.float64]:
    scale = 1e-3 if trace.time_unit == "ms" else 1.0
    times: list[float] = []
    for number, cells in rows:
        text = _cell(number, cells, column)
        time = _number(text)
        if time is None:
            raise TraceProblem(f'line {number}: the time "{text[:40]}" must be a number')
        if times and time <= times[-1]:
            raise TraceProblem(f"line {number}: the time {text} must be after that of the row before")
        times.append(time)
    times_s = (np.array(times) - times[0]) * scale
    close = np.flatnonzero(np.diff(times_s) < SHORTEST_STEP_S)
    if close.size:
        raise TraceProblem(f"line {rows[close[0] + 1][0]}: must be at least {SHORTEST_STEP_S:g} s after the row before")
    if times_s[-1] > LONGEST_S:
        raise TraceProblem(f"must last at most {LONGEST_S:g} s")
    return times_s


def _cell(number: int, cells: Sequence[str], column: int) -> str:
    if column >= len(cells):
        raise TraceProblem(f"line {number}: has {len(cells)} columns; must have at least {column + 1}")
    return cells[column]


def _number(text: str) -> float | None:
    """The finite number that a cell holds, or None."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
