"""Where a scenario comes from: a file, or the name of a ready one, with single fields overridden."""

from __future__ import annotations

from pathlib import Path

from airlink.scenario import Scenario, read_scenario, ready, ready_names

__all__ = ["read_scenario", "ready_base"]


def ready_base(source: str) -> Scenario | None:
    """The ready scenario that `read_scenario` begins with, None for a file."""
    return ready(source) if source in ready_names() and not Path(source).is_file() else None
