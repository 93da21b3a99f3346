"""Where a scenario comes from: a file, or the name of a ready one, with single fields overridden."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from airlink.scenario import NOTHING, Problem, Scenario, ScenarioError, ready, ready_names


def read_scenario(source: str, overrides: Sequence[str] = ()) -> Scenario:
    """The scenario of that file or ready name; every mistake in it is one ScenarioError.

    The overrides are made first: only what they result in must be valid.
    """
    path = Path(source)
    if not path.is_file() and source in ready_names():
        return ready(source, overrides)
    # A device or pipe is refused by what reads it.
    if path.exists() and not path.is_dir():
        return Scenario.from_toml(path, overrides=overrides)
    names = ", ".join(ready_names())
    raise ScenarioError([Problem("", NOTHING, f"{source}: no such file, and no ready scenario ({names})")])


def ready_base(source: str) -> Scenario | None:
    """The ready scenario that `read_scenario` begins with, None for a file."""
    return ready(source) if source in ready_names() and not Path(source).is_file() else None
