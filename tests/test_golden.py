"""Same seed, same bytes: digests of the scenarios in tests/golden, on whatever build is installed.

`make golden` runs this on a baseline build and on one for x86-64-v3. `GOLDEN=renew` writes the digests anew.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import airlink

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).parent / "golden"
DIGESTS = FOLDER / "digests.toml"
GOLDEN = tomllib.loads((FOLDER / "cases.toml").read_text())


def digest_of(case: str) -> str:
    scenario = airlink.Scenario.from_toml(GOLDEN["base"]).override(GOLDEN["cases"][case])
    return airlink.run(scenario, seed=1, record=(*GOLDEN["kinds"], *GOLDEN["more_kinds"].get(case, ()))).digest()


def pinned() -> dict[str, str]:
    return tomllib.loads(DIGESTS.read_text()) if DIGESTS.exists() else {}


@pytest.mark.parametrize("case", sorted(GOLDEN["cases"]))
def test_every_recorded_number_is_the_same_on_every_build(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)  # traces are named relative to it
    digest = digest_of(case)
    if os.environ.get("GOLDEN") == "renew":
        lines = [f'{name} = "{value}"\n' for name, value in sorted({**pinned(), case: digest}.items())]
        DIGESTS.write_text("".join(lines))
    assert digest == pinned().get(case)


@pytest.mark.parametrize("case", sorted(GOLDEN["cases"]))
def test_every_recorded_number_is_the_same_on_the_portable_path(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    monkeypatch.setenv("AIRLINK_SIMD", "portable")
    assert digest_of(case) == pinned().get(case)


def test_the_digest_tells_two_seeds_apart() -> None:
    scenario = airlink.Scenario.from_toml(GOLDEN["base"])
    assert airlink.run(scenario, seed=1).digest() != airlink.run(scenario, seed=2).digest()


def test_every_kind_of_series_is_pinned_by_some_case() -> None:
    recorded = {*GOLDEN["kinds"], *(kind for kinds in GOLDEN["more_kinds"].values() for kind in kinds)}
    assert recorded == set(airlink.RECORD_KINDS)
    assert set(GOLDEN["more_kinds"]) <= set(GOLDEN["cases"])


def test_every_pinned_digest_belongs_to_a_case() -> None:
    assert set(pinned()) == set(GOLDEN["cases"])
