"""Which series a command records: what `--record` names, and downloads where there are any."""

from __future__ import annotations

from airlink import engine
from airlink.scenario import Scenario

DOWNLOADS = ("file", "poisson", "sessions", "requests", "pages")
"""Kinds of traffic whose files and pages are recorded without being named: their slowdown is made of them."""


def named_kinds(record: str) -> list[str]:
    """The names in `--record`."""
    return [name.strip() for name in record.split(",") if name.strip()]


def recorded_kinds(record: str, scenario: Scenario) -> list[str]:
    """The kinds of series to record, and `pcap` if that is named. `all` stands for every series, not for captures."""
    names = named_kinds(record)
    every = engine.recordable(scenario)
    downloads = ["downloads"] if any(flow.traffic.kind in DOWNLOADS for flow in scenario.flows) else []
    return [*(kind for name in names for kind in (every if name == "all" else [name])), *downloads]
