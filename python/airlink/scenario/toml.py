"""TOML of scenarios: text to tables, and a scenario to text, with or without a comment on every field.

Leaves out reading files (`reading.py`), and keeping the comments and order of a file that was read.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from typing import Any

from . import introspection
from .fields import Section, json_form, number_text
from .sections import ScenarioFields

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TomlError = tomllib.TOMLDecodeError
LARGEST_FILE = 2_000_000
DEEPEST = 50
"""Tables and lists within one another; no field of a scenario lies deeper than 6."""

WIDTH = 110


def loads(text: str) -> dict[str, Any]:
    """The tables of a text of TOML.

    Raises
    ------
    TomlError : it is none, or no program should have written it: too deep, a number of thousands of digits.
    """
    deep = f"tables and lists may lie at most {DEEPEST} deep within one another"
    if any(_parts(line) > DEEPEST for line in text.splitlines()):
        raise TomlError(deep)
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise TomlError(deep) from None
    except TomlError:
        raise
    except ValueError as error:
        raise TomlError(f"a value can't be read: {str(error).split(';')[0]}") from None
    level: list[Any] = [data]
    for _ in range(DEEPEST):
        held = [each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list)]
        level = [item for items in held for item in items]
    if level:
        raise TomlError(deep)
    return data


def _parts(line: str) -> int:
    """The parts of the longest dotted key of a line; of what is no key, nothing or few."""
    if line.count(".") < DEEPEST or line.lstrip().startswith("#"):
        return 0
    keys = (piece for piece in line.split("=") if "," not in piece and '"' not in piece)
    return max((key.count(".") for key in keys), default=0)


def write(scenario: ScenarioFields) -> str:
    """The scenario with every field, without comments."""
    return "\n".join(_lines(scenario, "", comments=False)).strip() + "\n"


def commented_toml(scenario: ScenarioFields) -> str:
    """The scenario with every field, each under a comment of its meaning, range, unit and default."""
    return "\n".join(_lines(scenario, "", comments=True)).strip() + "\n"


def _lines(section: Section, path: str, comments: bool) -> Iterator[str]:
    fields = introspection.fields(type(section))
    for name, info in fields.items():
        if not introspection.is_table(info) and not introspection.is_list(info):
            yield from _comment(info) if comments else ()
            yield f"{name} = {toml_value(getattr(section, name))}"
    for name, info in fields.items():
        below = f"{path}.{name}" if path else name
        held = getattr(section, name)
        if held is None:
            yield from _left_out(below, info) if comments else ()
        elif introspection.is_table(info):
            yield from _header(f"[{below}]", info, held, comments)
            yield from _lines(held, below, comments)
        elif introspection.is_list(info):
            for item in held:
                yield from _header(f"[[{below}]]", info, item, comments)
                yield from _lines(item, below, comments)


def _header(header: str, info: Any, held: Section, comments: bool) -> Iterator[str]:
    yield ""
    if comments:
        yield from _wrapped(f"{info.description}. {' '.join((type(held).__doc__ or '').split())}")
        kinds = introspection.kinds_of(info)
        if kinds:
            yield from _wrapped(
                f"Other kinds: {', '.join(kind for kind in kinds if kind != introspection.kind_of(type(held)))}"
            )
    yield header


def _left_out(path: str, info: Any) -> Iterator[str]:
    """An optional table that the scenario lacks, in comments, with the default of each field."""
    yield ""
    yield from _wrapped(f"Left out: {info.description}.")
    table = introspection.table_of(info)
    for root in introspection.kinds_of(info).values() if table is None else [table]:
        for below, kind, section in introspection.sections(root, path):
            yield f"# [[{below[:-2]}]]" if below.endswith("[]") else f"# [{below}]"
            for name, field in introspection.fields(section).items():
                if not introspection.is_table(field) and not introspection.is_list(field):
                    yield from _comment(field)
                    value = _quoted(kind) if name == "kind" else toml_value(field.get_default())
                    yield f"# {name} = " + ("required" if field.is_required() else value)


def _comment(info: Any) -> Iterator[str]:
    unit, source = introspection.extra(info, "unit"), introspection.extra(info, "source")
    default = "required" if info.is_required() else f"default {toml_value(info.default)}"
    origin = f" ({source})" if source else ""
    yield from _wrapped(
        f"{info.description}. {introspection.allowed(info)}{', ' + unit if unit else ''}; {default}{origin}"
    )


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="# ", subsequent_indent="#   ", break_long_words=False)


def toml_value(value: Any) -> str:
    """A value in TOML; infinity is the string "inf", None a table that is left out."""
    if value is None:
        return "left out"
    value = json_form(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, list):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    if isinstance(value, float) and value == int(value) and abs(value) < 1e10:
        return f"{number_text(value)}.0"
    return repr(value)


def _quoted(text: str) -> str:
    short = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    letters = (short.get(c) or (f"\\u{ord(c):04x}" if ord(c) < 0x20 or ord(c) == 0x7F else c) for c in text)
    return '"' + "".join(letters) + '"'
