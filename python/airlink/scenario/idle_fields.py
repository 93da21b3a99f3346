"""Fields that are set and that a run never reads: what makes them idle, as one table a section.

A field counts as set when it differs from its default, of TCP from what its profile says. To set it back changes no
number of a result: tests/test_scenario_warnings.py shows it of each rule.
Leaves out how warnings are reported (`scenario_warnings.py`) and what is read but never served (`never_served.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic_core import PydanticUndefined

from .fields import Section

Read = TypeVar("Read")


@dataclass(frozen=True)
class Rule(Generic[Read]):
    """When fields have no effect.

    Parameters
    ----------
    path : the table of the fields, below the cell, the flow or the TCP that the rule is of; empty for that itself.
    names : fields or tables in it.
    idle : whether a run reads none of them.
    why : the rest of the sentence that begins with "has no effect", and what to set instead.
    """

    path: str
    names: tuple[str, ...]
    idle: Callable[[Read], bool]
    why: str


@dataclass(frozen=True)
class Idle:
    """Fields of one table that are set and have no effect.

    Parameters
    ----------
    path : of the table, as an override names it.
    values : field below it -> what it holds.
    defaults : the same fields -> what they would hold.
    why : the sentence of the rule.
    """

    path: str
    values: dict[str, Any]
    defaults: dict[str, Any]
    why: str


def idle(rules: Sequence[Rule[Read]], read: Read, root: Section, above: str, default: Section | None) -> Iterator[Idle]:
    """The idle fields below `root`, which stands at the path `above`; its defaults are those of `default`."""
    for rule in rules:
        steps = rule.path.split(".") if rule.path else []
        section, base = root, default
        for step in steps:
            section, base = getattr(section, step), default_of(section, base, step)
        changed = {
            below: both
            for name in rule.names
            if name in type(section).model_fields
            for below, both in differing(section, base, name).items()
        }
        if changed and rule.idle(read):
            path = ".".join(part for part in (above, rule.path) if part)
            values = {below: value for below, (value, _) in changed.items()}
            yield Idle(path, values, {below: usual for below, (_, usual) in changed.items()}, rule.why)


def default_of(section: Section, base: object, name: str) -> Any:
    """What a field of a table holds when it is left out; of a table of another kind, what its class says."""
    if isinstance(base, Section) and type(base) is type(section):
        return getattr(base, name)
    return type(section).model_fields[name].default


def differing(section: Section, base: object, name: str) -> dict[str, tuple[Any, Any]]:
    """The fields at or below `name` that do not hold their default: path -> (value, default)."""
    value, usual = getattr(section, name), default_of(section, base, name)
    # A field that must be given can't be left out.
    if value == usual or usual is PydanticUndefined:
        return {}
    if not isinstance(value, Section):
        return {name: (value, usual)}
    if usual is None:
        return {name: (value.model_dump(), None)}
    if type(value) is not type(usual):
        return {f"{name}.kind": (getattr(value, "kind"), getattr(usual, "kind"))}  # noqa: B009
    return {
        f"{name}.{below}": both
        for inner in type(value).model_fields
        for below, both in differing(value, usual, inner).items()
    }
