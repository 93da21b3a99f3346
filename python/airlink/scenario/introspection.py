"""What tables and fields there are: reads the classes, for messages, overrides and docs/scenario.md.

Leaves out values: this knows only what a scenario may hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import NoneType
from typing import Any, Literal, TypeAlias, get_args, get_origin

from pydantic.fields import FieldInfo

from .fields import Kind, Section

Step: TypeAlias = str | int


def kinds_of(info: FieldInfo) -> dict[str, type[Section]]:
    """The tables that a field with a `kind` can hold, by kind; empty for other fields."""
    if info.discriminator is None:
        return {}
    return {kind_of(section): section for section in get_args(info.annotation) if section is not NoneType}


def kind_of(section: type[Section]) -> str:
    """The `kind` by which a table is known."""
    kind: str = get_args(section.model_fields["kind"].annotation)[0]
    return kind


def fields(section: type[Section]) -> dict[str, FieldInfo]:
    """The fields of a table in the order of a file: `kind` first."""
    known = section.model_fields
    return {name: known[name] for name in sorted(known, key=lambda name: name != "kind")}


def table_of(info: FieldInfo) -> type[Section] | None:
    """The table that a field holds, or the table of which it holds a list."""
    held = info.annotation
    if is_optional(info) and info.discriminator is None:
        held = next(each for each in get_args(held) if each is not NoneType)
    if get_origin(held) is tuple:
        held = get_args(held)[0]
    return held if isinstance(held, type) and issubclass(held, Section) else None


def is_optional(info: FieldInfo) -> bool:
    """True for a table that may be left out altogether."""
    return NoneType in get_args(info.annotation)


def is_list(info: FieldInfo) -> bool:
    """True for a list of tables."""
    return get_origin(info.annotation) is tuple and table_of(info) is not None


def is_table(info: FieldInfo) -> bool:
    """True for one table, with or without a `kind`."""
    return not is_list(info) and (table_of(info) is not None or bool(kinds_of(info)))


def section_at(root: type[Section], data: object, steps: Sequence[Step]) -> type[Section] | None:
    """The class of the table at `steps`; `data` decides between kinds. None where there is no table."""
    section: type[Section] | None = root
    for step in steps:
        data = child(data, step)
        if isinstance(step, int):
            continue
        info = section.model_fields.get(step) if section else None
        if info is None:
            return None
        kinds = kinds_of(info)
        section = kinds.get(str(child(data, "kind"))) if kinds else table_of(info)
    return section


def declared(root: type[Section], path: str) -> list[FieldInfo]:
    """The declarations of a field that a path names, one for each kind of its table that has it.

    Places in lists, numbers or "*", are skipped.
    """
    tables, found = [root], list[FieldInfo]()
    for step in path.split("."):
        if step == "*" or step.isdigit():
            continue
        found = [table.model_fields[step] for table in tables if step in table.model_fields]
        held = ((*kinds_of(info).values(), table_of(info)) for info in found)
        tables = [table for each in held for table in each if table is not None]
    return found


def child(data: object, step: Step) -> object:
    """The value at one step, None where there is none."""
    if isinstance(data, Mapping):
        return data.get(step)
    if isinstance(data, Section) and isinstance(step, str):
        return getattr(data, step, None)
    if isinstance(data, (list, tuple)) and isinstance(step, int) and 0 <= step < len(data):
        return data[step]
    return None


def allowed(info: FieldInfo) -> str:
    """What a field may hold, in words."""
    for kind in info.metadata:
        if isinstance(kind, Kind):
            return kind.allowed()
    choices = get_args(info.annotation)
    if get_origin(info.annotation) is Literal:
        return one_of(choices)
    if kinds_of(info):
        return "a table with kind = " + one_of(tuple(kinds_of(info)))
    if is_list(info):
        return "a list of tables" + (", at least one" if info.is_required() else "")
    return "true or false" if info.annotation is bool else "a table"


def one_of(choices: Sequence[object]) -> str:
    """Choices in words."""
    words = [f'"{choice}"' if isinstance(choice, str) else str(choice) for choice in choices]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]


def sections(root: type[Section], path: str = "") -> Iterator[tuple[str, str, type[Section]]]:
    """Every table as (path, kind, class), top-down; kind is '' where there is only one."""
    kind = root.model_fields.get("kind")
    has_one_kind = kind is not None and len(get_args(kind.annotation)) == 1
    yield path, kind_of(root) if has_one_kind else "", root
    for name, info in root.model_fields.items():
        below = f"{path}.{name}" if path else name
        for section in kinds_of(info).values():
            yield from sections(section, below)
        held = table_of(info)
        if held is not None:
            yield from sections(held, below + ("[]" if is_list(info) else ""))


def extra(info: FieldInfo, name: Literal["unit", "source"]) -> str:
    """The unit or the source of a field's default."""
    known: Any = info.json_schema_extra
    return str(known.get(name, "")) if isinstance(known, dict) else ""
