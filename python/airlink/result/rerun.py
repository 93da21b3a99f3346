"""One replica of a result simulated again, to record what was not recorded then.

A run is a function of scenario, seed and version, so that what comes out must be what is stored; it is checked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from airlink import engine
from airlink.engine import Progress, Replica, Request, Table
from airlink.own import Parts, Text
from airlink.result import columns
from airlink.result.earlier import KNOWN, completed
from airlink.result.errors import ResultError
from airlink.result.result import Result
from airlink.result.selection import chosen_replica, group_of
from airlink.scenario import ScenarioError


def missing(result: Result, kinds: Sequence[str], replica: int = 0) -> list[str]:
    """Which of these kinds of series the scenario could have recorded and the run did not, or without a column."""
    possible = engine.recordable(result.scenario)
    return [kind for kind in engine.checked_record(kinds) if kind in possible and not _has(result, kind, replica)]


def rerun(result: Result, kinds: Sequence[str], replica: int = 0, progress: Progress | None = None) -> Result:
    """Simulates one replica of a result again, with series recorded.

    Parameters
    ----------
    result : in memory or loaded.
    kinds : series to record; those that the scenario can't have are left out.
    replica : which, default 0.
    progress : called with (finished, total).

    Returns
    -------
    Result of this one replica, with these series alone.

    Raises
    ------
    RequestError : no such replica.
    ResultError : made by another version of the engine, or with code of one's own that is not at hand (`give_code`); a
        trace file is gone or changed; the numbers differ.
    OwnError : that code fails.
    KeyboardInterrupt : Ctrl-C.

    Examples
    --------
    >>> import airlink
    >>> result = airlink.run(airlink.scenario.ready("dumbbell", ["duration_s=1"]), seed=7)
    >>> rerun(result, ["acks"]).series("acks").rows == int(result.flows["acks_received"].sum())
    True
    """
    stored = chosen_replica(result, replica)
    check_version(result, kinds)
    wanted = [kind for kind in engine.checked_record(kinds) if kind in engine.recordable(result.scenario)]
    try:
        request = Request([result.scenario], [stored.seed], wanted, parts=[result.own_parts])
        outcome = engine.run(request, 1, progress)
    except ScenarioError as error:
        raise ResultError(f"can't be simulated again: {error}") from None
    (made,) = outcome.replicas
    if made is None:
        raise KeyboardInterrupt
    _check_equal(stored, made)
    found = Result(result.scenario, [made], wanted, result.version)
    found.own_code, found.own_parts = result.own_code, result.own_parts
    return found


def give_code(result: Result, parts: Parts) -> None:
    """Gives a loaded result the code of one's own that it was made with, so that it can be simulated again.

    Parameters
    ----------
    result : loaded; its `own_parts` are set.
    parts : of `airlink.own.parts_of`.

    Raises
    ------
    ResultError : it was made with other code, by its hash; of code whose hash is of one time alone, by its text.
    """
    made_with, given = result.own_code, parts.texts
    if [code.role for code in made_with] != [code.role for code in given]:
        raise ResultError(f"made with {_named(made_with)} of one's own, not with {_named(given)}")
    is_repeatable = all(part.is_repeatable for part in parts.all)
    for before, now in zip(made_with, given, strict=True):
        if before.sha256 != now.sha256 and (is_repeatable or before.text != now.text):
            if before.name != now.name:
                raise ResultError(f"made with the {before.role} {before.name} of one's own, not with {now.name}")
            why = (
                "its text is the same, so what it reads has changed, or it was not reached in this way (as a class of "
                "the script that ran it)"
                if before.text == now.text
                else "its text has changed"
            )
            raise ResultError(
                f"made with the {before.role} {before.name} of sha256 {before.short_hash}; {now.name} is now "
                f"{now.short_hash}: {why}"
            )
    result.own_parts = parts


def _named(codes: Sequence[Text]) -> str:
    return ", ".join(f"{code.role} {code.name}" for code in codes) or "no code"


def check_version(result: Result, kinds: Sequence[str]) -> None:
    """Raises ResultError unless this engine made the result, and any code of the user's own is there."""
    if result.own_code and not result.own_parts:
        raise ResultError(
            f"made with code of one's own ({_named(result.own_code)}), which a result keeps as a text only: name that "
            "code here as for the run (--scheduler, --congestion-control, --queue), or run the scenario again with it "
            f"and --record {','.join(missing(result, kinds))}"
        )
    if result.version != engine.engine_version():
        raise ResultError(
            f"made by airlink {result.version}; this is {engine.engine_version()}, which may give other packets: "
            f"run the scenario again with --record {','.join(missing(result, kinds))}"
        )


def recorded(result: Result, kinds: Sequence[str], replica: int, progress: Progress | None = None) -> dict[str, Table]:
    """These series of a replica, simulated again if one was not recorded; without a radio, none of those of one.

    Raises
    ------
    As `rerun`.
    """
    lacking = missing(result, kinds, replica)
    found = {kind: held(result, kind, replica) for kind in kinds if kind in result.record and kind not in lacking}
    if lacking:
        made = rerun(result, lacking, replica, progress)
        found |= {kind: made.series(kind) for kind in lacking}
    return found


def held(result: Result, kind: str, replica: int) -> Table:
    """A recorded series, with the columns that an earlier engine left out where they are known."""
    stored = result.replicas[replica]

    def headers() -> list[int]:
        flows = range(len(stored.flows["user"]))
        return [group_of(result.scenario, stored, flow).tcp.header_bytes for flow in flows]

    return completed(kind, result.series(kind, replica), headers)


def _has(result: Result, kind: str, replica: int) -> bool:
    """Whether a series is there with all of its columns: an earlier engine may have recorded fewer."""
    recorded_series = result.replicas[replica].series
    carrier = result.scenario.carrier
    wanted = columns.of_series(kind, carrier.subchannels if carrier is not None else 1)
    return kind in recorded_series and wanted <= recorded_series[kind].keys() | KNOWN.get(kind, {}).keys()


def _check_equal(stored: Replica, made: Replica) -> None:
    """Columns that both have hold the same numbers: recording more may add columns, never change one."""
    tables: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {
        "users": (stored.users, made.users),
        "flows": (stored.flows, made.flows),
        "cell": (stored.cell, made.cell),
    }
    for table, (before, now) in tables.items():
        for column in before.keys() & now.keys():
            if not np.array_equal(before[column], now[column], equal_nan=True):
                raise ResultError(
                    f"simulated again, seed {stored.seed} gives another {column} in {table} than the result holds: "
                    "the result was changed, or made by another build"
                )
