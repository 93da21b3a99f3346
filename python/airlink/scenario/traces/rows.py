"""The numbers of a trace's file, and what holds for them in every format.

Leaves out how they stand in the file (`text`, `parquet`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..sections import Trace
from .problem import TraceProblem
from .units import scale_of, seconds_in

LONGEST_S = 1e8
SHORTEST_STEP_S = 1e-6
RANGES = {"snr_db": (-200.0, 200.0), "rate_bps": (0.0, 1e12)}


@dataclass(frozen=True)
class Rows:
    """The numbers of a file's columns, as they stand there.

    Attributes
    ----------
    values : [row, column], NaN where missing.
    times : [row], or None without a column of times.
    value_names, time_name : of the columns in the header; empty without one.
    place : where a row stands in the file, in words.
    """

    values: NDArray[np.float64]
    times: NDArray[np.float64] | None
    value_names: tuple[str, ...]
    time_name: str
    place: Callable[[int], str]


@np.errstate(over="ignore", invalid="ignore")  # what becomes infinite is outside the ranges, which are checked
def times_and_values(trace: Trace, rows: Rows) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Times in s from 0, and values in dB or b/s by [row, column], of which a missing one is that of the row before."""
    values = _filled(rows.values * [scale_of(trace, name).factor for name in rows.value_names])
    low, high = RANGES[trace.quantity]
    outside = np.argwhere((values < low) | (values > high))
    if outside.size:
        place, value = rows.place(outside[0][0]), values[tuple(outside[0])]
        raise TraceProblem(f"{place}: {value:g} must be from {low:g} to {high:g} ({trace.quantity}, after scaling)")
    return (
        grid(len(values), trace.row_interval_s) if rows.times is None else _seconds(trace, rows, rows.times)
    ), values


def wanted_columns(trace: Trace) -> tuple[str, ...]:
    """Names or numbers of the columns of values; none stand for the last one."""
    return trace.value_columns or ((trace.value_column,) if trace.value_column else ())


def chosen(wanted: Sequence[str], names: Sequence[str], place_of: Callable[[str], int]) -> list[int]:
    """The places of the wanted columns, from 0; `*` stands for any letters in the names of several."""
    places = [] if wanted else [len(names) - 1]
    for name in wanted:
        pattern = re.escape(name).replace(r"\*", ".*")
        matched = [] if name in names else [at for at, each in enumerate(names) if re.fullmatch(pattern, each)]
        places += matched if "*" in name and matched else [place_of(name)]
    return places


def grid(count: int, step_s: float) -> NDArray[np.float64]:
    """Equidistant times from 0, s."""
    if count * step_s > LONGEST_S:
        raise TraceProblem(f"must last at most {LONGEST_S:g} s")
    return np.arange(count, dtype=np.float64) * step_s


def _filled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values with those of the row before in the place of missing ones; at the start the first that is given."""
    missing = np.isnan(values)
    if not missing.any():
        return values
    if missing.all(axis=0).any():
        raise TraceProblem("has no value: every row is missing")
    before = np.maximum.accumulate(np.where(missing, 0, np.arange(len(values))[:, None]), axis=0)
    return np.take_along_axis(values, np.maximum(before, np.argmin(missing, axis=0)), axis=0)


def _seconds(trace: Trace, rows: Rows, times: NDArray[np.float64]) -> NDArray[np.float64]:
    steps = np.diff(times)
    back = np.flatnonzero(steps <= 0)
    if back.size:
        place, time = rows.place(back[0] + 1), times[back[0] + 1]
        raise TraceProblem(f"{place}: the time {time:.15g} must be after that of the row before")
    times_s: NDArray[np.float64] = (times - times[0]) * seconds_in(trace, rows.time_name)
    close = np.flatnonzero(np.diff(times_s) < SHORTEST_STEP_S)
    if close.size:
        place = rows.place(close[0] + 1)
        raise TraceProblem(f"{place}: must be at least {SHORTEST_STEP_S:g} s after the row before")
    if times_s[-1] > LONGEST_S:
        raise TraceProblem(f"must last at most {LONGEST_S:g} s")
    return times_s
