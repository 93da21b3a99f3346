"""A measure: a column and whose it is, read of one run after another."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airlink.engine import Columns, Replica
from airlink.measures import downloads
from airlink.measures.conditions import RECORDED
from airlink.measures.directions import Better
from airlink.measures.errors import MeasureError
from airlink.statistics import Sample, jain_index, pooled_quantile

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Measure:
    """A number of a run, and what is made of that of many runs. Made by `measure`.

    Attributes
    ----------
    text : as it is written, in its usual form.
    population : whose it is: "cell", "users", "flows" or "downloads".
    column : of the population's table.
    aggregate : what makes one number of those of all members: "mean", "p95", ...; empty for a number of the cell or of
        one member.
    member : the number of that one user or flow; None of all.
    unit : as declared, "b/s", "s", "B", ...; empty for counts and ratios.
    better : "higher", "lower", or empty where nobody knows.
    share : of a quantile over the members of all runs, 0..1; None of a mean over runs.
    only : the condition under which a scenario has it, in words; empty if always.
    meaning : what the column holds.
    """

    text: str
    population: str
    column: str
    aggregate: str
    member: int | None
    unit: str
    better: Better
    share: float | None
    only: str
    meaning: str

    def __str__(self) -> str:
        return self.text

    @property
    def table(self) -> str:
        """The table that it is read from."""
        return self.population

    @property
    def record(self) -> tuple[str, ...]:
        """The series that a run must record for it."""
        if self.population == "downloads":
            return ("downloads",)
        return (RECORDED[self.only],) if self.only in RECORDED else ()

    @property
    def is_of_downloads(self) -> bool:
        """Whether it is of files or pages; nothing may then be cut off the start of a run."""
        return self.population == "downloads" or self.column.startswith("download")

    @property
    def is_of_start_up(self) -> bool:
        """Whether it is of the start of a run or of its flows, which a warm-up would cut off."""
        return self.column in OF_START_UP or self.column.startswith("initial_timeouts")

    @property
    def allows_warm_up(self) -> bool:
        """Whether a warm-up may be chosen for it."""
        return not (self.is_of_downloads or self.is_of_start_up)

    @property
    def method(self) -> str:
        """How the interval of an estimate is made."""
        return "Student-t" if self.share is None else "quantile over replicas"

    def value(self, replica: Replica) -> float:
        """The number of one run; NaN where it has none.

        A quantile is that of the run's own members. Members without a number are left out.

        Raises
        ------
        MeasureError : the run does not have the column.
        """
        if self.population == "cell":
            return float(self._of(replica.cell))
        if self.population == "downloads" and not self.aggregate:
            return _NUMBERS_OF_DOWNLOADS[self.column](downloads.times(replica))
        if self.member is not None:
            values = self._of(self._rows(replica))
            return float(values[self.member]) if self.member < len(values) else math.nan
        sample = self.sample(replica)
        if sample.values.size == 0:
            return 0.0 if self.aggregate == "sum" else math.nan
        if self.share is not None:
            return pooled_quantile([sample], self.share)
        return AGGREGATES[self.aggregate](sample.values)

    def sample(self, replica: Replica) -> Sample:
        """The numbers of all members of one run, those without one left out; of the cell or one member its number.

        Raises
        ------
        MeasureError : the run does not have the column.
        """
        if self.population == "downloads" and self.aggregate:
            return self._sample_of_downloads(replica)
        values = self._of(self._rows(replica)) if self.aggregate else [self.value(replica)]
        return Sample(values)

    def _sample_of_downloads(self, replica: Replica) -> Sample:
        times = downloads.times(replica)
        if self.column == "time_s":
            return times
        return Sample(downloads.counted(replica)[self.column])

    def _rows(self, replica: Replica) -> Columns:
        return replica.users if self.population == "users" else replica.flows

    def _of(self, columns: Mapping[str, Any]) -> Any:
        if self.column not in columns:
            where = f"; only where {self.only}" if self.only else ""
            raise MeasureError(f'measure "{self}": the run has no column {self.column} of {self.population}{where}')
        return columns[self.column]


OF_START_UP = ("start_s", "completion_s", "first_timeout_s")

AGGREGATES: Mapping[str, Callable[[Floats], float]] = {
    "mean": lambda values: float(np.mean(values)),
    "min": lambda values: float(np.min(values)),
    "max": lambda values: float(np.max(values)),
    "sum": lambda values: float(np.sum(values)),
    "sd": lambda values: float(np.std(values, ddof=1)) if values.size > 1 else math.nan,
    "jain": lambda values: float(jain_index(values)),
}
"""What one number is made of those of all members."""

_NUMBERS_OF_DOWNLOADS: Mapping[str, Callable[[Sample], float]] = {
    "count": lambda times: float(times.values.size),
    "share_unfinished": lambda times: float(np.mean(~times.ended)) if times.values.size else math.nan,
}
