"""The scenarios of a store: `scenarios/KEY.json` says in full what was run, by which version.

With the tables these files are all that is needed to build the manifest again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from airlink.scenario import Scenario, ScenarioError
from airlink.scenario.moved import of_now
from airlink.scenario.source import Unreadable, read_bytes
from airlink.store.errors import StoreError
from airlink.store.key import Key

SCENARIOS = "scenarios"
FORMAT = 1
LARGEST = 100_000_000
SEAL = "sha256"
"""Key of a file: a hash of all its other keys."""

KINDS = {"key": str, "name": str, "version": str, "code": list, "scenario": dict}


def path_of(folder: Path, key: Key) -> Path:
    """The file of a scenario."""
    return folder / SCENARIOS / f"{key}.json"


def existing_path(folder: Path, key: Key) -> Path:
    """The file of a scenario, or that of the same one with other series."""
    own = path_of(folder, key)
    # Looked for only where it is needed: a folder of many scenarios is slow to go through.
    return own if own.exists() else min((folder / SCENARIOS).glob(f"{key.content}*.json"), default=own)


class Described(NamedTuple):
    """What was run: its key, the scenario, and the hashes of user code that took part."""

    key: Key
    scenario: Scenario
    code: tuple[str, ...] = ()


def write(folder: Path, what: Described, version: str, owner: str) -> None:
    """Writes the file of a scenario, unless it is there and whole."""
    told = {
        "format": FORMAT,
        "key": str(what.key),
        "name": what.scenario.name,
        "version": version,
        "record": list(what.key.record),
        "code": list(what.code),
    }
    if not _is_whole(path_of(folder, what.key)):
        told["scenario"] = json.loads(what.scenario.resolved().to_json())
        _put(folder, what.key, {**told, SEAL: _seal(told)}, owner)


def copy(source: Path, folder: Path, key: Key, owner: str) -> None:
    """Copies the file of a scenario from another store, unless it is there and whole; raises StoreError as `read`."""
    if not _is_whole(path_of(folder, key)):
        _put(folder, key, read(path_of(source, key)), owner)


def _is_whole(path: Path) -> bool:
    try:
        return path.exists() and bool(read(path))
    except StoreError:
        return False


def _put(folder: Path, key: Key, told: Mapping[str, Any], owner: str) -> None:
    """Writes a file, whole or not at all."""
    path = path_of(folder, key)
    path.parent.mkdir(exist_ok=True)
    new = path.with_name(f".{key}.{owner}.new")
    try:
        new.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        os.replace(new, path)  # noqa: PTH105 - two processes write the same
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def read(path: Path) -> dict[str, Any]:
    """What the file of a scenario says.

    Raises
    ------
    StoreError : it is missing, changed, or of a later version.
    """
    try:
        told = json.loads(read_bytes(path, LARGEST))
        is_whole = told["format"] == FORMAT and told[SEAL] == _seal(told)
    except Unreadable as error:
        raise StoreError(f"{path} {error}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise StoreError(f"{path} does not describe a scenario") from None
    if not is_whole or not all(isinstance(told.get(name), kind) for name, kind in KINDS.items()):
        raise StoreError(f"{path} was changed since it was written")
    return dict(told)


def scenario_of(path: Path, told: dict[str, Any]) -> Scenario:
    """The scenario in a file that was read; raises StoreError if this version does not know its fields."""
    try:
        return Scenario.from_json(json.dumps(of_now(told["scenario"])))
    except (ScenarioError, TypeError, RecursionError) as error:
        first = (str(error).splitlines() or [""])[0]
        raise StoreError(f"{path} (airlink {told['version']}): not a scenario of this version: {first}") from None


def _seal(told: dict[str, Any]) -> str:
    text = json.dumps({name: value for name, value in told.items() if name != SEAL}, sort_keys=True)
    return sha256(text.encode()).hexdigest()
