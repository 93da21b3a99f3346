"""Pools of runs: what each measure and control says of every run, kept in a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airlink.campaign import Plan, stream
from airlink.measures import Control, controls, measures
from airlink.statistics import Sample

from .scenarios import Simulated

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Pool:
    """What is kept of the runs of a scenario, in the order of their seeds.

    Attributes
    ----------
    values : measure -> array [run].
    samples : measure -> a sample per run, of quantiles over all runs.
    controls : array [run, control].
    known_means : array [control].
    names : of the controls.
    """

    values: dict[str, Floats]
    samples: dict[str, list[Sample]]
    controls: Floats
    known_means: Floats
    names: tuple[str, ...]

    @property
    def size(self) -> int:
        """How many runs."""
        return len(self.controls)


def pool(simulated: Simulated, folder: Path) -> Pool:
    """The pool of a scenario: read, or run on one thread and kept."""
    file = folder / f"{simulated.name}-{simulated.runs}.npz"
    if not file.exists():
        np.savez_compressed(file, **_arrays(simulated))
    with np.load(file) as kept:
        return _read(simulated, dict(kept))


def run(simulated: Simulated) -> Pool:
    """The pool of a scenario, run anew and not kept."""
    return _read(simulated, _arrays(simulated))


def _controls(simulated: Simulated) -> tuple[list[Control], tuple[str, ...]]:
    """Controls, and the series that measures and controls need."""
    asked = measures(simulated.measures)
    record = tuple(dict.fromkeys(kind for each in asked for kind in each.record))
    of_a_mean = next((each for each in asked if each.share is None), None)
    return ([] if of_a_mean is None else controls(simulated.scenario, of_a_mean, record)), record


def _arrays(simulated: Simulated) -> dict[str, Any]:
    asked = measures(simulated.measures)
    known, record = _controls(simulated)
    rows: dict[int, tuple[list[float], list[Sample], list[float]]] = {}
    with stream(Plan({simulated.name: simulated.scenario}, range(1, simulated.runs + 1), record), threads=1) as runs:
        for _, seed, replica in runs:
            means = [each.value(replica) for each in asked if each.share is None]
            samples = [each.sample(replica) for each in asked if each.share is not None]
            rows[seed] = means, samples, [control.value(replica) for control in known]
    ordered = [rows[seed] for seed in sorted(rows)]
    arrays: dict[str, Any] = {
        "values": np.array([row[0] for row in ordered]),
        "controls": np.array([row[2] for row in ordered]),
    }
    for place in range(len(ordered[0][1])):
        column = [row[1][place] for row in ordered]
        arrays[f"values {place}"] = np.concatenate([sample.values for sample in column]).astype(np.float32)
        arrays[f"ended {place}"] = np.concatenate([sample.ended for sample in column])
        arrays[f"sizes {place}"] = np.array([sample.values.size for sample in column])
    return arrays


def _read(simulated: Simulated, arrays: dict[str, Any]) -> Pool:
    asked = measures(simulated.measures)
    known, _ = _controls(simulated)
    means = [str(each) for each in asked if each.share is None]
    pooled = [str(each) for each in asked if each.share is not None]
    values = {text: arrays["values"][:, place] for place, text in enumerate(means)}
    samples = {text: _cut(arrays, place) for place, text in enumerate(pooled)}
    names = tuple(control.name for control in known)
    return Pool(values, samples, arrays["controls"], np.array([each.known_mean for each in known]), names)


def _cut(arrays: dict[str, Any], place: int) -> list[Sample]:
    ends = np.cumsum(arrays[f"sizes {place}"])[:-1]
    values: Sequence[Floats] = np.split(arrays[f"values {place}"], ends)
    ended = np.split(arrays[f"ended {place}"], ends)
    return [Sample(*pair) for pair in zip(values, ended, strict=True)]
