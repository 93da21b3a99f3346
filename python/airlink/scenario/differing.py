"""In which fields scenarios differ, told by as few of them as that takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

KIND = "kind"


def fields(value: object, path: str = "") -> Iterator[tuple[str, Any]]:
    """The fields of a scenario in its JSON form, as (path, value).

    >>> dict(fields({"users": 2, "flows": [{"count": 1}], "queue": {"kind": "codel"}}))
    {'users': 2, 'flows.0.count': 1, 'queue.kind': 'codel'}
    """
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from fields(inner, f"{path}.{name}".lstrip("."))
    elif isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        for place, each in enumerate(value):
            yield from fields(each, f"{path}.{place}")
    else:
        yield path, value


def differing(tables: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Of each scenario the fields in which it differs from any other one.

    Parameters
    ----------
    tables : path -> value of each scenario, as `fields` has them.

    Returns
    -------
    For each scenario path -> value, the kinds of tables first. Fields that only some kinds of a table have are left out
    unless scenarios of the same kind differ in them.

    Examples
    --------
    >>> differing([{"queue.kind": "codel", "queue.target_s": 0.005, "users": 1}, {"queue.kind": "fifo", "users": 1}])
    [{'queue.kind': 'codel'}, {'queue.kind': 'fifo'}]
    """
    paths = sorted(dict.fromkeys(path for table in tables for path in table), key=lambda path: not _is_kind(path))
    vary = [path for path in paths if path != "name" and _varies(path, tables)]
    return [{path: table[path] for path in vary if path in table} for table in tables]


def _is_kind(path: str) -> bool:
    return path.rsplit(".", 1)[-1] == KIND


def _varies(path: str, tables: Sequence[Mapping[str, Any]]) -> bool:
    """Whether scenarios whose tables around a field are of one kind differ in it."""
    kind = "" if _is_kind(path) else ".".join([*path.split(".")[:-1], KIND])
    values: dict[str, set[str]] = {}
    for table in tables:
        values.setdefault(repr(table.get(kind)), set()).add(repr(table[path]) if path in table else "")
    return any(len(each) > 1 for each in values.values())
