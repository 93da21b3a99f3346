"""Every table of a result, its columns, and the reasons for which packets are dropped, as the engine declares them."""

from __future__ import annotations

from collections.abc import Mapping

from airlink.tables.generated import DROP_REASONS, TABLES
from airlink.tables.kinds import DELIVERED, DOWN, UP, WAITING, Column, DropReason, TableInfo

__all__ = [
    "BY_NAME",
    "DELIVERED",
    "DOWN",
    "DROP_REASONS",
    "SERIES",
    "TABLES",
    "UP",
    "WAITING",
    "Column",
    "DropReason",
    "TableInfo",
]

BY_NAME: Mapping[str, TableInfo] = {table.name: table for table in TABLES}

SERIES: Mapping[str, TableInfo] = {table.name: table for table in TABLES if table.is_series}
"""What a run can record beside the summaries, by kind."""
