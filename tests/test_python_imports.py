"""No circle of imports between modules of the Python packages.

An import at import time runs the module that it names and the packages around it. Packages that also hold the importer
run before it in any case, so they count only where a name is taken from them. Imports inside functions (late) and under
`TYPE_CHECKING` run nothing then. A late import that would close a circle is listed in `LATE`, with its reason.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Set
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

ROOT = Path(__file__).parent.parent / "python"
PACKAGES = ("airlink", "airlink_studies")

When: TypeAlias = Literal["import", "late", "typing"]
Graph: TypeAlias = Mapping[str, Set[str]]

LATE: Mapping[tuple[str, str], str] = {
    ("airlink.scenario.fields", "airlink.scenario.error_messages"): "a section explains its mistakes by its own fields",
}
"""Late imports, (importer, imported), that would close a circle at import time -> why they stay."""


class Import(NamedTuple):
    """A module that another one imports, and when that happens."""

    module: str
    when: When


def imports_of(text: str, module: str, known: Set[str], is_package: bool = False) -> Iterator[Import]:
    """The modules of `known` that the source of `module` imports."""
    here = module.split(".") if is_package else module.split(".")[:-1]
    for node, when in statements(ast.parse(text)):
        if isinstance(node, ast.Import):
            named = [alias.name for alias in node.names]
        else:
            above = here[: len(here) - node.level + 1] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            inside = [f"{source}.{alias.name}" for alias in node.names]
            named = [name if name in known else source for name in inside]
        for name in named:
            yield from (Import(each, when) for each in run_by(name, module) if each in known and each != module)


def statements(tree: ast.Module) -> Iterator[tuple[ast.Import | ast.ImportFrom, When]]:
    """Each import statement, and when it runs."""
    waiting: list[tuple[ast.AST, When]] = [(tree, "import")]
    while waiting:
        node, when = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node, when
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and when == "import":
            when = "late"
        held = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            only_typing = node.orelse if isinstance(node.test, ast.UnaryOp) else node.body
            waiting += [(each, "typing") for each in only_typing]
            held = [each for each in held if each not in only_typing]
        waiting += [(each, when) for each in held]


def run_by(name: str, importer: str) -> list[str]:
    """The module of that name and the packages around it, but for those that also hold the importer."""
    steps = name.split(".")
    around = [".".join(steps[:count]) for count in range(1, len(steps))]
    return [name, *(package for package in around if not f"{importer}.".startswith(f"{package}."))]


def circle(graph: Graph) -> list[str]:
    """The modules of a circle, the first again at the end; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])[::-1]
    return []


def closes_a_circle(graph: Graph, importer: str, imported: str) -> bool:
    """Whether `imported` already needs `importer`."""
    seen, waiting = set[str](), [imported]
    while waiting:
        module = waiting.pop()
        if module not in seen:
            seen.add(module)
            waiting += graph.get(module, ())
    return importer in seen


def module_name(file: Path) -> str:
    """The dotted name of a module; that of a package for its `__init__`."""
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_name(file): file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py"))}
KNOWN = FILES.keys() | {"airlink._rust"}
IMPORTS = {
    module: set(imports_of(file.read_text(), module, KNOWN, file.name == "__init__.py"))
    for module, file in FILES.items()
}
AT_IMPORT = {module: {each.module for each in held if each.when == "import"} for module, held in IMPORTS.items()}


def test_no_modules_import_one_another_in_a_circle() -> None:
    assert " -> ".join(circle(AT_IMPORT)) == ""


def test_late_imports_that_would_close_a_circle_are_those_that_are_listed() -> None:
    late = {(module, each.module) for module, held in IMPORTS.items() for each in held if each.when == "late"}
    assert {pair for pair in late if closes_a_circle(AT_IMPORT, *pair)} == LATE.keys()


def test_a_circle_is_found_and_named() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": set()}) == []
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) in (["b", "c", "b"], ["c", "b", "c"])
    assert closes_a_circle({"a": {"b"}, "b": {"c"}}, "c", "a")
    assert not closes_a_circle({"a": {"b"}, "b": {"c"}}, "a", "c")


def test_imports_are_told_apart_by_when_they_run() -> None:
    known = {"p", "p.a", "p.b", "p.q", "p.q.c", "r", "r.d"}
    text = """
from typing import TYPE_CHECKING
from . import a, name
from .q.c import thing
import r.d
if TYPE_CHECKING:
    from .b import B
def later():
    from p.a import x
if not TYPE_CHECKING:
    from .q import y
"""
    assert set(imports_of(text, "p.m", known)) == {
        Import("p.a", "import"),
        Import("p", "import"),
        Import("p.q.c", "import"),
        Import("p.q", "import"),
        Import("r.d", "import"),
        Import("r", "import"),
        Import("p.b", "typing"),
        Import("p.a", "late"),
    }
    assert set(imports_of("from . import a", "p", known, is_package=True)) == {Import("p.a", "import")}
