"""Columns of a result: their units and meanings, and docs/results.md. What they are is declared in the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from airlink.tables import BY_NAME, SERIES, TABLES, TableInfo
from airlink.tables.kinds import SEVERAL_SUBCHANNELS

KEYS: Mapping[str, str] = {
    "replica": "which run, from 0",
    "seed": "the seed of that run",
}


def of_series(kind: str, subchannels: int) -> frozenset[str]:
    """The columns that a series has in a cell of so many subchannels."""
    return frozenset(
        column.name for column in SERIES[kind].columns if subchannels > 1 or column.only != SEVERAL_SUBCHANNELS
    )


def meaning_of(table: str, column: str) -> tuple[str, str]:
    """(unit, meaning) of a column; an unknown column has an empty meaning."""
    known = BY_NAME[table].column(column) if table in BY_NAME else None
    return (known.unit, known.text) if known is not None else ("", KEYS.get(column, ""))


_HEAD = """# What a result holds

A folder written by `airlink run` holds `result.json` (the scenario in full, seeds, version, digests), the tables
`users.parquet`, `flows.parquet` and `cell.parquet`, and one table per recorded kind in `series/`. In Python they are
`result.users`, `result.flows`, `result.cell` and `result.series(kind)`. `users`, `flows` and `cell` always have the
columns `replica` (from 0) and `seed` in front, and so do series of several replicas.
Rates are means over the measured time, which is the duration without
`warmup_s`; counts and delays are of the measured time as well. Series cover the whole run, warm-up included,
but for `mcs`. Where the run goes on for `drain_s`, that adds the ends of files and pages and nothing else.

Columns are there where they mean something; "only where" says where, if not always. The columns `time_*_s` of `flows`
add up to `active_s` ([recording](models/recording.md) has the rule); [traffic](models/traffic.md) has the rule of
`download*`. Seeds differ in how many files arrive, and so in their numbers of flows: those that arrive are numbered
after all others, by time of arrival, and a run may have none.

Packets and bytes balance, for every user: waiting at the start + in (+ doubled) = delivered + drops (by reason) +
waiting. What a path's impairments lose on the way to the queue never was in; what they double was in twice. Means,
standard deviations, smallest and largest values are exact; percentiles come from bins and may be 3 % off.

Infinite numbers are stored as such in Parquet and as `"inf"` / `"-inf"` in JSON; what does not exist is NaN (null in
JSON).

This page is written by `make generate` from what `crates/sim/src/record` declares; a test fails when it is stale.
"""

_NEEDS = {
    "": "",
    "radio": " Only where there is a radio.",
    "price": " Only where a queue has a price.",
}


def page(tables: Sequence[TableInfo] = TABLES) -> str:
    """docs/results.md."""
    parts = [_HEAD]
    for table in tables:
        title, what = f"Series `{table.name}`", table.what[0].upper() + table.what[1:]
        if not table.is_series:
            title = table.name.capitalize()
        parts.append(f"\n## {title}\n\n{what}.{_NEEDS[table.needs]}\n\n")
        has_only = any(column.only for column in table.columns)
        heads = ["column", "unit", "meaning", *(["only where"] if has_only else [])]
        parts += [_row(heads), "|---" * len(heads) + "|\n"]
        for column in table.columns:
            words = [f"`{column.name}`", column.unit or "-", column.text]
            parts.append(_row([*words, column.only] if has_only else words))
    return "".join(parts)


def _row(words: Sequence[str]) -> str:
    return "".join(f"| {word} " if word else "| " for word in words) + "|\n"
