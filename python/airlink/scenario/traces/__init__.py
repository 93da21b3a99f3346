"""Trace files in, arrays of times and values out: text, Parquet and Mahimahi, also packed by gzip.

A trace starts at time 0 and lasts `row_interval_s` (Mahimahi: one window) beyond its last row. A file is read once:
what was read stays with the placement, its copies and the scenarios made from them with `with_`, and is used again
while the file is the same and nothing that decides how it is read has changed.
Leaves out what a user makes of a trace (offset, loop, interpolation): the engine does that.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from .. import introspection
from ..errors import Problem, ScenarioError, as_written
from ..sections import Carrier, ScenarioFields, Trace
from . import files, mahimahi, parquet, text
from .problem import TraceProblem
from .rows import times_and_values
from .units import scale_of

FILES = "channel.placement.files"

REPLAYED = frozenset({"files", "sha256", "at_end", "between", "offset_s", "random_offset", "equivalent_bandwidth_hz"})
"""Fields that do not decide how a file is read."""


@dataclass(frozen=True)
class Samples:
    """A trace: times (s, from 0, strictly increasing), values (dB or b/s), and the SHA-256 of its file.

    Values are by [row, column]; `unit` says how the file's were understood.
    """

    times_s: NDArray[np.float64]
    values: NDArray[np.float64]
    sha256: str
    unit: str


@dataclass(frozen=True)
class TraceFacts:
    """What there is to say of a trace before it is replayed.

    Attributes
    ----------
    file : as the scenario names it.
    rows : how many; of a Mahimahi file windows.
    columns : 1, or one for each subchannel.
    length_s : one period: the time of the last row and how long it lasts.
    lowest, highest : values, dB or b/s.
    unit : of these, and how the file's values were understood.
    """

    file: str
    rows: int
    columns: int
    length_s: float
    lowest: float
    highest: float
    unit: str


def trace_arrays(scenario: ScenarioFields) -> dict[str, list[NDArray[np.float64]]]:
    """The arrays for the engine: {"times_s": [...], "values": [...]}, one of each per file; {} without traces.

    Values are dB for quantity "snr_db" and b/s for "rate_bps", also with an equivalent bandwidth; with `value_columns`
    those of each row one after the other, one for each subchannel.

    Raises
    ------
    ScenarioError : with every file that can't be used.
    """
    samples = _read_all(scenario)
    if not samples:
        return {}
    return {"times_s": [each.times_s for each in samples], "values": [each.values.ravel() for each in samples]}


def trace_facts(scenario: ScenarioFields) -> list[TraceFacts]:
    """What there is to say of each trace file, in their order; [] without traces.

    Raises
    ------
    ScenarioError : with every file that can't be used.
    """
    trace = placement_of(scenario)
    if trace is None:
        return []
    last_row_s = trace.with_numbers().row_interval_s
    return [
        TraceFacts(
            file,
            len(each.times_s),
            each.values.shape[1],
            float(each.times_s[-1]) + last_row_s,
            float(each.values.min()),
            float(each.values.max()),
            each.unit,
        )
        for file, each in zip(trace.files, _read_all(scenario), strict=True)
    ]


def placement_of(scenario: ScenarioFields) -> Trace | None:
    """The placement that has traces, if the scenario's does."""
    radio = scenario.radio()
    return radio.channel.placement if radio is not None and isinstance(radio.channel.placement, Trace) else None


def hashed(scenario: ScenarioFields) -> Trace | None:
    """The placement with the SHA-256 of each file, which are read and checked; None without traces."""
    trace = placement_of(scenario)
    hashes = tuple(each.sha256 for each in _read_all(scenario))
    return None if trace is None else trace.model_copy(update={"sha256": hashes})


def keep(old: ScenarioFields, new: ScenarioFields) -> None:
    """Hands what was read for one scenario to another, which uses what is the same for it."""
    before, after = placement_of(old), placement_of(new)
    if before is not None and after is not None:
        after._held.update(before._held)


def read_in(data: dict[str, Any]) -> Iterator[Problem]:
    """Reads the trace files of a scenario that may have other mistakes; what was read stays in its tables.

    Yields what is wrong with the files.
    """
    channel = introspection.child(data, "channel")
    placement = introspection.child(channel, "placement")
    if introspection.child(placement, "kind") != "trace":
        return
    try:
        trace = placement if isinstance(placement, Trace) else Trace.model_validate(placement)
    except ValidationError:
        return
    subchannels = introspection.child(introspection.child(data, "carrier"), "subchannels")
    try:
        _read_files(trace, subchannels if isinstance(subchannels, int) else Carrier().subchannels)
    except ScenarioError as error:
        yield from error.problems
    else:
        if isinstance(channel, dict):
            channel["placement"] = trace


def _read_all(scenario: ScenarioFields) -> list[Samples]:
    radio, trace = scenario.radio(), placement_of(scenario)
    return [] if radio is None or trace is None else _read_files(trace, radio.carrier.subchannels)


def _read_files(trace: Trace, subchannels: int) -> list[Samples]:
    samples: list[Samples] = []
    problems: list[Problem] = []
    held: dict[Any, Any] = {}
    pinned = trace.sha256 if len(trace.sha256) == len(trace.files) else [""] * len(trace.files)
    for index, (file, sha256) in enumerate(zip(trace.files, pinned, strict=True)):
        try:
            samples.append(_samples(trace, file, sha256, held))
            _check_width(trace, samples[-1], subchannels)
        except TraceProblem as error:
            problems.append(Problem(f"{FILES}.{index}", file, str(error)))
    if problems:
        raise ScenarioError(problems)
    trace._held.only(held)
    return samples


def _samples(trace: Trace, file: str, sha256: str, held: dict[Any, Any]) -> Samples:
    """What a file holds, read anew unless the placement has it; `held` keeps it."""
    path = files.expanded(file)
    key = (path, *_how_read(trace))
    mark = files.mark(path)
    known = held.get(key) or trace._held.get(key)
    if known is None or mark is None or known[0] != mark:
        known = (mark, _read(trace, path, sha256))
    held[key] = known
    samples: Samples = known[1]
    _check_hash(samples.sha256, sha256)
    return samples


def _check_width(trace: Trace, samples: Samples, subchannels: int) -> None:
    """A list without patterns is as long as it is: the scenario's own check has counted it."""
    _, columns = samples.values.shape
    if columns != subchannels and any("*" in name for name in trace.value_columns):
        counted = f"{columns} columns {as_written(trace.value_columns)}"
        raise TraceProblem(f"has {counted}; must have one for each subchannel (carrier.subchannels = {subchannels})")


def _check_hash(found: str, wanted: str) -> None:
    if wanted not in ("", found):
        raise TraceProblem(f"has changed: its SHA-256 is {found}, the scenario has {wanted}")


def _how_read(trace: Trace) -> tuple[object, ...]:
    """The values of the fields that decide how a file is read."""
    # A resolved Mahimahi placement has its window in `row_interval_s`, which nothing reads.
    idle = REPLAYED | ({"row_interval_s"} if trace.format == "mahimahi" else set())
    return tuple(value for name, value in trace if name not in idle)


def _read(trace: Trace, path: str, wanted: str) -> Samples:
    data = files.read(path)
    sha256 = hashlib.sha256(data).hexdigest()
    _check_hash(sha256, wanted)
    data = files.unpacked(data)
    if trace.format == "mahimahi":
        times_s, rates = mahimahi.read(trace, data)
        values = rates[:, None]
        unit = "b/s: opportunities to send 1500 bytes"
    else:
        rows = (parquet if data.startswith(parquet.MAGIC) else text).read(trace, data)
        times_s, values = times_and_values(trace, rows)
        unit = scale_of(trace, rows.value_names[0]).words
    if trace.quantity == "rate_bps" and not np.any(values > 0):
        raise TraceProblem("has no rate above 0")
    return Samples(times_s, values, sha256, unit)
