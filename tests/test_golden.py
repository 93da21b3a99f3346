"""Same seed, same bytes: digests of the scenarios in tests/golden, on whatever build is installed.

Each column of each table has a digest of its own, so a new column moves no old one and a failure names what moved.
`make golden` runs this on a baseline build and on one for x86-64-v3. `GOLDEN=renew` writes the digests anew.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import airlink
from airlink import Table, engine

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).parent / "golden"
DIGESTS = FOLDER / "digests.toml"
GOLDEN = tomllib.loads((FOLDER / "cases.toml").read_text())
DIGITS = 16
"""Hexadecimal digits kept of each digest: 64 bits, so a changed column goes unseen once in 10^19."""

Digests = Mapping[str, Mapping[str, str]]
"""By table and column."""


def digests_of(case: str, record: tuple[str, ...] | None = None) -> Digests:
    scenario = airlink.Scenario.from_toml(GOLDEN["base"]).override(GOLDEN["cases"][case])
    kinds = (*GOLDEN["kinds"], *GOLDEN["more_kinds"].get(case, ()))
    result = airlink.run(scenario, seed=1, record=kinds if record is None else record)
    digests = engine.column_digests(result.replicas[0])
    return {table: {name: text[:DIGITS] for name, text in columns.items()} for table, columns in digests.items()}


def pinned() -> dict[str, Digests]:
    return tomllib.loads(DIGESTS.read_text()) if DIGESTS.exists() else {}


def renew(case: str, digests: Digests) -> None:
    """Writes the digests of one case; processes that do so at once wait for one another."""
    import fcntl

    with FOLDER.joinpath("cases.toml").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lines = []
        kept = {name: own for name, own in pinned().items() if name in GOLDEN["cases"]}
        for name, tables in sorted({**kept, case: digests}.items()):
            for table, columns in sorted(tables.items()):
                lines += [f"[{name}.{table}]", *(f'{key} = "{text}"' for key, text in sorted(columns.items())), ""]
        DIGESTS.write_text("\n".join(lines))


def moved(found: Digests, expected: Digests) -> list[str]:
    """The columns whose digests differ, are not pinned, or are pinned and no longer there, as table.column."""
    columns = {(table, column) for digests in (found, expected) for table in digests for column in digests[table]}
    differs = {key for key in columns if found.get(key[0], {}).get(key[1]) != expected.get(key[0], {}).get(key[1])}
    return sorted(".".join(key) for key in differs)


@pytest.mark.parametrize("case", sorted(GOLDEN["cases"]))
def test_every_recorded_number_is_the_same_on_every_build(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)  # traces are named relative to it
    digests = digests_of(case)
    if os.environ.get("GOLDEN") == "renew":
        renew(case, digests)
    assert moved(digests, pinned().get(case, {})) == []


@pytest.mark.parametrize("case", sorted(GOLDEN["cases"]))
def test_what_is_not_recorded_moves_no_number(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the SNR recorded all users are computed in every slot, without it only those who may win."""
    monkeypatch.chdir(FOLDER)
    found = digests_of(case, record=())
    expected = pinned()[case]
    common = {table: {name: expected[table][name] for name in own} for table, own in found.items()}
    assert moved(found, common) == []
    assert {"users", "flows", "cell"} == set(found)


@pytest.mark.thorough
@pytest.mark.parametrize("case", sorted(GOLDEN["cases"]))
def test_every_recorded_number_is_the_same_on_the_portable_path(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    monkeypatch.setenv("AIRLINK_SIMD", "portable")
    assert moved(digests_of(case), pinned().get(case, {})) == []


def test_the_digest_tells_two_seeds_apart() -> None:
    scenario = airlink.Scenario.from_toml(GOLDEN["base"])
    assert airlink.run(scenario, seed=1).digest() != airlink.run(scenario, seed=2).digest()


def test_a_new_column_moves_no_old_digest_and_is_named() -> None:
    scenario = airlink.Scenario.from_toml(GOLDEN["base"])
    (replica,) = airlink.run(scenario).replicas
    before = engine.column_digests(replica)
    wider = replace(replica, users=Table({**replica.users, "new": replica.users["user"]}))
    assert moved(engine.column_digests(wider), before) == ["users.new"]
    flows = Table({**replica.flows, "timeouts": replica.flows["timeouts"] + 1})
    assert moved(engine.column_digests(replace(replica, flows=flows)), before) == ["flows.timeouts"]


def test_every_kind_of_series_is_pinned_by_some_case() -> None:
    recorded = {*GOLDEN["kinds"], *(kind for kinds in GOLDEN["more_kinds"].values() for kind in kinds)}
    assert recorded == set(airlink.RECORD_KINDS)
    assert set(GOLDEN["more_kinds"]) <= set(GOLDEN["cases"])


def test_every_pinned_digest_belongs_to_a_case() -> None:
    assert set(pinned()) == set(GOLDEN["cases"])
