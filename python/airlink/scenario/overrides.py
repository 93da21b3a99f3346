"""Changes to a scenario by path: `scheduler.kind=tcp_pf`, `flows.0.tcp.rto.min_ms=1000`.

A new `kind` drops the fields that it lacks; a new `profile` of TCP drops those that hold the old profile's values.

Leaves out adding or removing whole flows by number; give `flows` a new list for that.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic.fields import FieldInfo

from . import introspection
from .block_error_table import COLUMNS as ROWS
from .error_messages import path_of
from .errors import LONGEST_VALUE, NOTHING, Problem, ScenarioError
from .fields import Section, json_form
from .methods import RADIO
from .profiles import DECIDING, merged, profile_of
from .sections import ScenarioFields, Tcp
from .toml import DEEPEST, TomlError, loads


def parse(settings: Sequence[str]) -> dict[str, Any]:
    """Settings `path=value` as a mapping; values are TOML, a bare word is text."""
    changes: dict[str, Any] = {}
    problems = []
    for setting in settings:
        path, equals, text = setting.partition("=")
        if not equals or not path.strip() or not text.strip():
            problems.append(Problem(setting, NOTHING, "must be written path=value, as in scheduler.kind=tcp_pf"))
            continue
        if len(setting.splitlines()) > 1:
            problems.append(Problem(path.strip(), text, "must stand on one line"))
            continue
        if len(_steps(path)) > DEEPEST:
            problems.append(Problem(path.strip()[:LONGEST_VALUE], NOTHING, f"must have at most {DEEPEST} steps"))
            continue
        changes[path.strip()] = value_of(text.strip())
    if problems:
        raise ScenarioError(problems)
    return changes


def value_of(text: str) -> Any:
    """The value that a text stands for: TOML, or else the text itself."""
    try:
        return loads(f"value = {text}")["value"]
    except TomlError:
        return text


def change(data: dict[str, Any], changes: Mapping[str, Any]) -> list[Problem]:
    """Makes the changes in place, in the tables of a scenario that need be neither complete nor valid.

    Returns what was wrong with their paths. A table that is given stays the caller's: later changes go to a copy.
    """
    problems: list[Problem] = []
    for path in sorted(changes, key=_turn):
        if "[" in path:
            problems.append(Problem(path, changes[path], "must have dots for brackets, as in flows.0.tcp.mss_bytes"))
        else:
            problems += _change(data, ScenarioFields, _steps(path), [], copy.deepcopy(changes[path]))
    return problems


def _steps(path: str) -> list[str]:
    return [part for part in path.split(".") if part]


def _turn(path: str) -> int:
    """When a change is made: what decides the fields of its table first, what another one implies last."""
    name = path.split(".")[-1]
    if name in ("kind", "name", "profile"):
        return 0
    if name in DECIDING:
        return 1
    return 3 if name == "initial_window" else 2


def _change(
    data: Any, section: type[Section] | None, steps: Sequence[str], above: list[introspection.Step], value: Any
) -> list[Problem]:
    """Makes one change in place below `above`, a table of that class; returns what was wrong with its path."""
    step: introspection.Step = steps[0] if steps else ""
    if not isinstance(data, dict) or not step:
        return [Problem(path_of(above), value, "has no fields of its own")]
    if len(steps) == 1:
        _set(data, str(step), value, above)
        return []
    info = section.model_fields.get(str(step)) if section is not None else None
    if data.get(step) is None:
        data[str(step)] = _default(info, str(step), data)
        _drop_the_other_network(data, str(step), above)
    inner = data[step]
    if isinstance(inner, tuple):
        inner = data[step] = list(inner)
    if isinstance(inner, list):
        return _change_list(inner, info, steps[1:], [*above, step], value)
    return _change(inner, _table(info, inner), steps[1:], [*above, step], value)


def _default(info: FieldInfo | None, name: str, data: dict[str, Any]) -> Any:
    """What a field holds that isn't written; of a table without a `kind`, what must be written of it."""
    if info is None or info.is_required() or info.default is None:
        return [] if info is not None and introspection.is_list(info) else {}
    if not isinstance(info.default, Section):
        return info.default
    if not introspection.kinds_of(info):
        return {}
    return copy.deepcopy(profile_of(data).get(name)) or info.default.model_dump()


def _table(info: FieldInfo | None, data: Any) -> type[Section] | None:
    """The class of the table that a field holds; its data decide between kinds."""
    if info is None:
        return None
    return introspection.kinds_of(info).get(str(introspection.child(data, "kind"))) or introspection.table_of(info)


def _change_list(
    items: list[Any], info: FieldInfo | None, steps: Sequence[str], above: list[introspection.Step], value: Any
) -> list[Problem]:
    if steps[0] == "*":
        chosen = list(range(len(items)))
    elif steps[0].isdigit() and int(steps[0]) < len(items):
        chosen = [int(steps[0])]
    else:
        message = f"must name one of the items of {path_of(above)}, 0 to {len(items) - 1}, or * for all"
        return [Problem(path_of([*above, *steps]), value, message)]
    problems: list[Problem] = []
    for index in chosen:
        if len(steps) == 1:
            items[index] = value
        else:
            problems += _change(items[index], _table(info, items[index]), steps[1:], [*above, index], value)
    return problems


def _set(data: dict[str, Any], name: str, value: Any, above: Sequence[introspection.Step]) -> None:
    """Sets one field, and drops what belonged to its old value only."""
    if name == "kind":
        _keep_shared(data, above, value)
    if name in ("profile", *DECIDING):
        _let_go(data)
    if name == "initial_window_segments":
        data["initial_window"] = "segments"
    if name == "name" and list(above) == ["link", "rate"]:
        data.pop("thresholds_db", None)
        data.pop("rates_bps", None)
    if name == "set" and list(above) == ["link", "rate"]:
        data.pop("bits_per_symbol", None)
        data.pop("code_rates", None)
    if list(above) == ["channel", "fading"] and (
        name == "profile" or (name == "delay_spread_ns" and data.get("profile") != "custom")
    ):
        data.pop("delays_ns", None)
        data.pop("powers_db", None)
    if name == "files":
        data.pop("sha256", None)
    if name == "file" and list(above) == ["link", "errors", "curve"]:
        for found in ("sha256", *ROWS):
            data.pop(found, None)
    data[name] = value
    _drop_the_other_network(data, name, above)


def _drop_the_other_network(data: dict[str, Any], name: str, above: Sequence[introspection.Step]) -> None:
    """A bottleneck takes the place of the whole cell; the other way round each section has to be given."""
    if name == "bottleneck" and not above and data[name] is not None:
        for section in RADIO:
            data.pop(section, None)


def _let_go(data: dict[str, Any]) -> None:
    """Drops the fields of a `[flows.tcp]` that hold what its profile says."""
    held = merged(Tcp().model_dump(), profile_of(data))
    del held["profile"]
    _drop_equal(data, held)


def _drop_equal(data: dict[str, Any], held: Mapping[str, Any]) -> None:
    for name, value in held.items():
        written = data.get(name)
        if isinstance(value, dict) and "kind" not in value and isinstance(written, dict):
            _drop_equal(written, value)
        elif name in data and _equal(written, value):
            del data[name]


def _equal(written: Any, value: Any) -> bool:
    """True for the same value; of a table, when all that is written of it is the same."""
    if isinstance(value, dict) and isinstance(written, Mapping):
        return all(name in value and _equal(written[name], value[name]) for name in written)
    are_flags = isinstance(written, bool), isinstance(value, bool)
    return are_flags[0] == are_flags[1] and bool(json_form(written) == json_form(value))


def _keep_shared(data: dict[str, Any], above: Sequence[introspection.Step], kind: Any) -> None:
    section: type[Section] | None = ScenarioFields
    info = None
    for step in above:
        if isinstance(step, str) and section is not None:
            info = section.model_fields.get(step)
            section = introspection.table_of(info) if info is not None else None
    kinds = introspection.kinds_of(info) if info is not None else {}
    new = kinds.get(kind) if isinstance(kind, str) else None
    if new is not None:
        known = {name for table in kinds.values() for name in table.model_fields}
        for old in known.intersection(data) - set(new.model_fields):
            del data[old]
