"""The Python API from its docstrings: a page for each public module, with all that its `__all__` names.

Public modules are those that ARCHITECTURE.md lists. An object that several modules offer is described where it comes
first and linked from the others. The docstrings are written in numpy's style, in which a line `name : meaning`
describes a parameter; types stand in the signature.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

from airlink_site import constants
from airlink_site.project_pages import ROOT
from airlink_site.written import Pages

FOLDER = "reference/python"
LISTED = re.compile(r"Public modules of `airlink`: (.+?)\. What their", re.DOTALL)
DESCRIBED = ("Parameters", "Attributes", "Raises", "Warns", "Fields")
"""Sections of a docstring whose entries are `name : meaning`."""
ENTRY = re.compile(r"(\*{0,2}[\w.]+(?:, \*{0,2}[\w.]+)*) : (.*)")
PARAMETER = '<dd><em class="sig-param">'
PARAMETERS = re.compile(r'<dl>(\s*<dd role="none"><em class="sig-param">)')
UNDERLINE = re.compile(r"-{3,}")
OTHERS = ("Returns", "Yields", "References", "Examples", "Notes")


def modules() -> list[str]:
    """The public modules, those that `__all__` of one names among them."""
    listed = LISTED.search((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    if listed is None:
        raise ValueError("ARCHITECTURE.md no longer lists the public modules")
    named = re.findall(r"`([\w.]+)`", listed[1])
    return sorted({part for name in named for part in _with_parts(import_module(name))})


def _with_parts(module: ModuleType) -> Iterator[str]:
    """A module and those that its `__all__` names."""
    yield module.__name__
    for name in module.__all__:
        if isinstance(part := getattr(module, name), ModuleType):
            yield from _with_parts(part)


def homes() -> dict[str, str]:
    """Every public name, as `module.name`, and the name under which it is described."""
    seen: dict[int, str] = {}
    found = {}
    for module in modules():
        held = import_module(module)
        for name in held.__all__:
            value = getattr(held, name)
            full = f"{module}.{name}"
            # Plain values may be the same object by chance, a text for instance.
            shared = inspect.isclass(value) or inspect.isfunction(value)
            found[full] = seen.setdefault(id(value), full) if shared else full
    return found


def write(pages: Pages) -> None:
    """Writes the pages and their list."""
    described = homes()
    for module in modules():
        pages.write(f"{FOLDER}/{module}.rst", "\n".join(_page(module, described)))
    pages.write(f"{FOLDER}/index.md", "\n".join(_overview()))


def _overview() -> Iterator[str]:
    yield "# Python\n"
    yield "`import airlink` is enough to run, sweep and compare; the other modules are imported by name.\n"
    yield "| module | what it holds |"
    yield "| --- | --- |"
    for module in modules():
        yield f"| [`{module}`]({module}.rst) | {_first_line(import_module(module))} |"


def _first_line(module: ModuleType) -> str:
    first = (module.__doc__ or "").strip().split("\n\n")[0]
    return " ".join(first.split()).removeprefix("airlink: ").replace("|", "\\|")


def _page(module: str, described: dict[str, str]) -> Iterator[str]:
    held = import_module(module)
    yield f"{module}\n{'=' * len(module)}\n"
    yield f".. automodule:: {module}\n   :no-members:\n"
    yield f".. currentmodule:: {module}\n"
    elsewhere = []
    for name in held.__all__:
        full = f"{module}.{name}"
        value = getattr(held, name)
        if isinstance(value, ModuleType):
            elsewhere.append(f"* :py:mod:`{value.__name__}`")
        elif described[full] != full:
            elsewhere.append(f"* ``{name}``: :py:obj:`{described[full]}`")
        else:
            yield from _object(name, value)
    if elsewhere:
        yield "Described elsewhere\n-------------------\n"
        yield "\n".join(elsewhere)


def _object(name: str, value: Any) -> Iterator[str]:
    if inspect.isclass(value):
        yield f".. autoclass:: {name}\n   :members:\n"
    elif inspect.isroutine(value):
        yield f".. autofunction:: {name}\n"
    else:
        yield f".. autodata:: {name}\n   :no-value:\n"


def docstring(_app: Any, what: str, name: str, _value: Any, _options: Any, lines: list[str]) -> None:
    """Turns a docstring's sections into lists, in place; a constant has the text below its assignment."""
    found = constants.text_of(name).splitlines() if what == "data" else lines
    lines[:] = list(in_sections(found))


def is_skipped(_app: Any, _what: str, _name: str, value: Any, skip: bool, _options: Any) -> bool | None:
    """Whether a member is left out: also what a class has of another package. None leaves it to Sphinx."""
    source = getattr(value, "__module__", None) or ""
    is_others = inspect.isroutine(value) and not source.startswith("airlink")
    return True if skip or is_others else None


def signatures(_app: Any, _page: str, _template: str, context: dict[str, Any], _tree: Any) -> None:
    """Says of a signature over several lines that it is no list of definitions, which its markup would be."""
    if "body" in context:
        body = context["body"].replace(PARAMETER, PARAMETER.replace("<dd>", '<dd role="none">'))
        context["body"] = PARAMETERS.sub(r'<dl role="none">\1', body)


def in_sections(lines: list[str]) -> Iterator[str]:
    """The lines of a docstring, with headings and definition lists in the place of numpy's underlined sections."""
    section = before = ""
    for place, line in enumerate(lines):
        following = lines[place + 1] if place + 1 < len(lines) else ""
        if line in {*DESCRIBED, *OTHERS} and UNDERLINE.fullmatch(following):
            section = line
            yield f".. rubric:: {line}"
            yield "   :class: section"
            yield ""
        elif UNDERLINE.fullmatch(line) and lines[place - 1] == section:
            continue
        elif section in DESCRIBED:
            yield from _described(line)
        else:
            if line.startswith("    ") and place and not lines[place - 1] and not before.startswith((" ", "..")):
                yield from ("::", "")
            yield line
        before = line or before


def _described(line: str) -> Iterator[str]:
    entry = ENTRY.match(line)
    if entry:
        names = ", ".join(f"``{name}``" for name in entry[1].split(", "))
        yield from ("", names, f"    {entry[2]}")
    else:
        yield line if line.startswith(" ") or not line else f"    {line}"
