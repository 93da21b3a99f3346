"""What is declared of a table, a column and a reason to be dropped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

SUMMARIES = ("users", "flows", "cell")
"""The tables that every result has; all others are series."""

DELIVERED, WAITING = 0, 4
"""Numbers of the column `fate` of packets that are not lost: the user has them, or they were under way in the end."""

DOWN, UP = 0, 1
"""Numbers of the columns `direction`: to users, and from them."""

SEVERAL_SUBCHANNELS = "the carrier has several subchannels"
"""Where a column of a series is there that others lack."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name, type : whole numbers have 64 bits, real ones are doubles.
    unit : empty for counts and ratios.
    meaning : what it holds.
    missing : what stands where there is no value; empty if there always is one.
    codes : what its numbers stand for, if it holds codes.
    only : where it is there; empty if always.
    """

    name: str
    type: Literal["whole", "real"]
    unit: str
    meaning: str
    missing: str = ""
    codes: Mapping[int, str] = field(default_factory=dict)
    only: str = ""

    @property
    def text(self) -> str:
        """The meaning, the codes and what is missing, in one line."""
        head, *rest = self.meaning.split("; ", 1)
        codes = ", ".join(f"{code} {label}" for code, label in self.codes.items())
        return "; ".join([f"{head}: {codes}" if codes else head, *rest, *([self.missing] if self.missing else [])])


@dataclass(frozen=True)
class TableInfo:
    """A table of a result.

    Attributes
    ----------
    name : of a series, the one that is recorded.
    what : what it holds, in a line.
    needs : of a series, what a scenario must have.
    has_few_rows : of a series, whether no memory is too small for it.
    columns : in their order.
    """

    name: str
    what: str
    needs: Literal["", "radio", "price"]
    has_few_rows: bool
    columns: tuple[Column, ...]

    @property
    def is_series(self) -> bool:
        """Whether it is recorded only when asked for."""
        return self.name not in SUMMARIES

    def column(self, name: str) -> Column | None:
        """The column of that name, if it can have one."""
        return next((column for column in self.columns if column.name == name), None)

    def codes(self, name: str) -> Mapping[int, str]:
        """What the numbers of a column stand for; empty if it holds no codes."""
        column = self.column(name)
        return column.codes if column is not None else {}


@dataclass(frozen=True)
class DropReason:
    """Why a packet did not arrive.

    Attributes
    ----------
    name : in columns, as `drops_<name>`.
    fate : in the column `fate` of the series `packets`.
    label : in two or three words.
    meaning : what became of the packets, after "packets that were".
    """

    name: str
    fate: int
    label: str
    meaning: str
