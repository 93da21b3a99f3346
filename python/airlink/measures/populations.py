"""What measures are numbers of: the cell, its users, its flows, its downloads.

Columns are those that the engine declares (`airlink.tables`). Downloads have columns of their own, made of the series
of that name: a time for each, not the two instants that are recorded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from airlink.tables import BY_NAME, Column

NUMBERS_OF_MEMBERS = ("user", "flow", "group")
"""Columns that say which member a row is of: no measures."""


@dataclass(frozen=True)
class Population:
    """What measures are numbers of.

    Attributes
    ----------
    name : before the dot.
    what : what it is, in a line.
    numbers : columns with one number a run.
    columns : columns with a number for each member.
    aggregates : what makes one number of those of all members.
    has_names : whether one member is the same in every run, so that it can be asked for by its number.
    only_of_one : columns that those lack who would count most, so that they are no number of all.
    """

    name: str
    what: str
    numbers: Mapping[str, Column]
    columns: Mapping[str, Column]
    aggregates: tuple[str, ...] = ()
    has_names: bool = False
    only_of_one: tuple[str, ...] = ()

    @property
    def all_columns(self) -> Mapping[str, Column]:
        """Numbers and columns."""
        return {**self.numbers, **self.columns}


def _by_name(columns: tuple[Column, ...]) -> Mapping[str, Column]:
    return {column.name: column for column in columns if column.name not in NUMBERS_OF_MEMBERS}


FILES_OR_SESSIONS = "there are files or sessions"

_OF_MEMBERS = ("mean", "min", "max", "sum", "sd", "jain")

CELL = Population("cell", "the cell as a whole: one number a run", _by_name(BY_NAME["cell"].columns), {})

USERS = Population(
    "users",
    "users: each user's number, then one number of all",
    {},
    _by_name(BY_NAME["users"].columns),
    _OF_MEMBERS,
    has_names=True,
)

FLOWS = Population(
    "flows",
    "flows: each flow's number, then one number of all",
    {},
    _by_name(BY_NAME["flows"].columns),
    _OF_MEMBERS,
    has_names=True,
    only_of_one=("completion_s",),
)

DOWNLOADS = Population(
    "downloads",
    "files and pages requested in the measured time, whether they end or not",
    _by_name(
        (
            Column("count", "whole", "", "how many were requested", only=FILES_OR_SESSIONS),
            Column(
                "share_unfinished",
                "real",
                "",
                "of these, the share that had not ended when the run did",
                missing="NaN without a request",
                only=FILES_OR_SESSIONS,
            ),
        )
    ),
    _by_name(
        (
            Column(
                "time_s",
                "real",
                "s",
                "time from the request at the server to the last byte at the user; of one that has not ended its age: "
                "a lower bound, for which quantiles allow",
                only=FILES_OR_SESSIONS,
            ),
            Column("bytes", "whole", "B", "its size", only=FILES_OR_SESSIONS),
        )
    ),
    ("mean", "max", "sum"),
)

POPULATIONS: Mapping[str, Population] = {each.name: each for each in (CELL, USERS, FLOWS, DOWNLOADS)}
