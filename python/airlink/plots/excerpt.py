"""What every view has: which stretch of which replica it shows, and where that comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from airlink.result import Result
from airlink.result.selection import checked_interval, chosen_replica


@dataclass(frozen=True)
class Excerpt:
    """One replica from `start_s` to before `stop_s`. Times are s since the start of the run.

    Attributes
    ----------
    scenario, seed, version, replica : where it comes from: the scenario's name, the engine's version.
    start_s, stop_s : what is shown; both finite.
    """

    scenario: str
    replica: int
    seed: int
    version: str
    start_s: float
    stop_s: float

    @property
    def origin(self) -> str:
        """Where it comes from, in a sentence."""
        return f"Scenario {self.scenario}, replica {self.replica}, seed {self.seed}, airlink {self.version}."


def excerpt(result: Result, replica: int, start_s: float, stop_s: float) -> dict[str, Any]:
    """The fields of an `Excerpt`; the stretch ends with the run at the latest.

    Raises
    ------
    RequestError : no such replica; an empty stretch or one outside the run.
    """
    stored = chosen_replica(result, replica)
    start_s, stop_s = checked_interval(result.scenario, start_s, stop_s)
    return {
        "scenario": result.scenario.name or "unnamed",
        "replica": replica,
        "seed": stored.seed,
        "version": result.version,
        "start_s": start_s,
        "stop_s": stop_s,
    }
