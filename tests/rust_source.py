"""Just enough reading of Rust for the house rules: code without its texts, its tests, its functions and its paths.

It leaves out macros that build items and raw identifiers; rustc and clippy see those.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

LITERALS_AND_COMMENTS = re.compile(
    r"""//[^\n]*
      | /\*.*?\*/
      | b?r(\#*)".*?"\1
      | b?"(?:\\.|[^"\\])*"
      | b?'(?:\\(?:x[0-9a-fA-F]{2}|u\{[^}]*\}|.)|[^'\\])'
    """,
    re.VERBOSE | re.DOTALL,
)
PATH = re.compile(r"(?<![\w:])(?:\$?crate|super|self|[a-z]\w*)(?:::\w+)+")


class Function(NamedTuple):
    """A function with a body: where it starts and how many lines it takes."""

    name: str
    line: int
    length: int


def code_of(text: str) -> str:
    """The text with comments and literals blanked; every line keeps its number."""
    return LITERALS_AND_COMMENTS.sub(lambda found: blank(found.group()), text)


def without_tests(code: str) -> str:
    """The code with each `#[cfg(test)]` item blanked."""
    while (found := re.search(r"#\[cfg\(test\)\]", code)) is not None:
        end = end_of_item(code, found.end())
        code = code[: found.start()] + blank(code[found.start() : end]) + code[end:]
    return code


def functions(code: str) -> Iterator[Function]:
    """Every function that has a body, in order of appearance."""
    for found in re.finditer(r"\bfn\s+(\w+)", code):
        end = end_of_item(code, found.end())
        if code[end - 1] == "}":
            lines = code.count("\n", found.start(), end) + 1
            yield Function(found.group(1), code.count("\n", 0, found.start()) + 1, lines)


def module_of(file: Path, source_root: Path) -> list[str]:
    """The module path of a file below `src`: `channel/fading.rs` is `["channel", "fading"]`."""
    parts = list(file.relative_to(source_root).with_suffix("").parts)
    return parts[:-1] if parts[-1] in {"mod", "lib", "main"} else parts


def paths(code: str, module: list[str]) -> set[tuple[str, ...]]:
    """Every path that the code names, `crate`, `self` and `super` resolved as seen from `module`."""
    found: set[str] = set()
    for use in re.finditer(r"\buse\s+([^;]+);", code):
        found.update(expanded(re.sub(r"\s+as\s+\w+", "", use.group(1))))
    found.update(PATH.findall(re.sub(r"\buse\s+[^;]+;", "", code)))
    return {resolved(path.split("::"), module) for path in found}


def expanded(tree: str) -> Iterator[str]:
    """The single paths of a `use` tree: `a::{b, c::d}` is `a::b` and `a::c::d`."""
    tree = re.sub(r"\s+", "", tree).removeprefix("::")
    if "{" not in tree:
        yield tree
        return
    prefix, rest = tree.split("{", 1)
    for branch in split_at_top(rest[: rest.rindex("}")]):
        yield from expanded(prefix + branch)


def split_at_top(text: str) -> Iterator[str]:
    """The pieces between the commas that stand outside every brace."""
    depth, start = 0, 0
    for place, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            yield text[start:place]
            start = place + 1
    if text[start:]:
        yield text[start:]


def resolved(path: list[str], module: list[str]) -> tuple[str, ...]:
    """The path from the crate's root (first word `crate`) or from another crate's name."""
    if path[0] in {"crate", "$crate"}:
        return ("crate", *path[1:])
    if path[0] == "self":
        return ("crate", *module, *path[1:])
    climbs = 0
    while climbs < len(path) and path[climbs] == "super":
        climbs += 1
    if climbs:
        return ("crate", *module[: max(len(module) - climbs, 0)], *path[climbs:])
    return tuple(path)


def end_of_item(code: str, start: int) -> int:
    """The place just after the item that starts here: its closing brace, or its semicolon."""
    depth, brackets = 0, 0
    for place in range(start, len(code)):
        character = code[place]
        brackets += (character in "([") - (character in ")]")
        depth += (character == "{") - (character == "}")
        if (character == "}" and depth == 0) or (character == ";" and depth == 0 and brackets == 0):
            return place + 1
    return len(code)


def blank(text: str) -> str:
    """Spaces for everything but the line ends."""
    return re.sub(r"[^\n]", " ", text)
