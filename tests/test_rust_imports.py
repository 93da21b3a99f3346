"""Modules of a Rust crate import one another without a circle, read from the sources by `make lint`.

Modules with the same parent are compared: one imports another if any file of it or below it names anything there.
A name counts as one of the module that declares it, also where another re-exports it. Parents and children may name one
another.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path

import pytest

from rust_source import code_of, expanded, module_of, paths, resolved, without_tests

ROOT = Path(__file__).parent.parent
CRATES = sorted(file.parent.name for file in ROOT.glob("crates/*/Cargo.toml"))

Module = tuple[str, ...]
Graph = dict[Module, set[Module]]
USE = re.compile(r"\buse\s+([^;]+);")


def module_graph(sources: Mapping[Module, str]) -> Graph:
    """Which module names something of which other, by the code of each module.

    Parameters
    ----------
    sources : the text of each module, by its path below the crate's root; the root itself is `()`.
    """
    codes = {module: without_tests(code_of(text)) for module, text in sources.items()}
    names = {module: imported_names(code, module, codes) for module, code in codes.items()}
    graph: Graph = {}
    for module, code in codes.items():
        named = {target_of(path, codes, names) for path in crate_paths(code, module, codes)}
        graph[module] = {target for target in named if target != module}
    return graph


def crate_paths(code: str, module: Module, modules: Collection[Module]) -> set[Module]:
    """The paths below the crate's root that the code names; `child::X` without `self` is one of them."""
    found = set()
    for path in paths(code, list(module)):
        if (*module, path[0]) in modules:
            found.add((*module, *path))
        elif path[0] == "crate":
            found.add(path[1:])
    return found


def imported_names(code: str, module: Module, modules: Collection[Module]) -> dict[str, Module]:
    """The names of the crate that a module imports or re-exports, and their paths below the crate's root.

    Modules below it may name what it imports, too.
    """
    names = {}
    for use in USE.finditer(code):
        for tree in expanded(re.sub(r"\s+as\s+", "@", use.group(1))):
            path, _, alias = tree.partition("@")
            words = path.split("::")
            full = ("crate", *module, *words) if (*module, words[0]) in modules else resolved(words, list(module))
            if full[0] == "crate":
                names[alias or words[-1]] = full[1:]
    return names


def target_of(path: Module, modules: Collection[Module], names: Mapping[Module, Mapping[str, Module]]) -> Module:
    """The module that declares what `path` names, behind all imports and re-exports."""
    seen = set()
    while True:
        length = max(size for size in range(len(path) + 1) if path[:size] in modules)
        module, rest = path[:length], path[length:]
        if not rest or rest[0] not in names[module] or path in seen:
            return module
        seen.add(path)
        path = (*names[module][rest[0]], *rest[1:])


def circles(graph: Graph) -> dict[Module, list[Module]]:
    """A circle of imports among the children of each module that has one, by that module.

    A child counts with all that is below it.
    """
    parents = {module[:-1] for module in graph if module}
    found = {parent: circle_below(graph, parent) for parent in sorted(parents)}
    return {parent: circle for parent, circle in found.items() if circle}


def circle_below(graph: Graph, parent: Module) -> list[Module]:
    """A circle of imports among the children of `parent`, as short as can be; empty if there is none."""
    depth = len(parent) + 1
    edges: Graph = {}
    for module, targets in graph.items():
        if module[: depth - 1] == parent and len(module) >= depth:
            children = {target[:depth] for target in targets if len(target) >= depth and target[: depth - 1] == parent}
            edges.setdefault(module[:depth], set()).update(children - {module[:depth]})
    return min((way for start in sorted(edges) if (way := way_back(edges, start))), key=len, default=[])


def way_back(edges: Graph, start: Module) -> list[Module]:
    """The shortest way from `start` to itself, without its end; empty if there is none."""
    ways, seen = [[start]], {start}
    for way in ways:
        for target in sorted(edges.get(way[-1], ())):
            if target == start:
                return way
            if target not in seen:
                seen.add(target)
                ways.append([*way, target])
    return []


def shown(circle: list[Module]) -> str:
    return " -> ".join("::".join(["crate", *module]) for module in [*circle, circle[0]])


def sources_of(crate: str) -> dict[Module, str]:
    root = ROOT / "crates" / crate / "src"
    return {tuple(module_of(file, root)): file.read_text() for file in sorted(root.rglob("*.rs"))}


@pytest.mark.parametrize("crate", CRATES)
def test_modules_of_a_crate_import_one_another_without_a_circle(crate: str) -> None:
    found = circles(module_graph(sources_of(crate)))
    assert [shown(circle) for circle in found.values()] == []


def test_a_circle_is_found_with_its_names() -> None:
    cases = {
        ("use crate::b::B;", "use crate::a::A;"): ["crate::a -> crate::b -> crate::a"],
        ("use super::b::{B, C};", "fn f() { crate::a::run(); }"): ["crate::a -> crate::b -> crate::a"],
        # Names that the parent imports or re-exports.
        ("use crate::{B, C};", "use super::A;"): ["crate::a -> crate::b -> crate::a"],
        ("use crate::Other;", "use super::A;"): ["crate::a -> crate::b -> crate::a"],
        ("use super::Private;", "use super::A;"): ["crate::a -> crate::b -> crate::a"],
        ("use crate::b::B;", "use crate::b::c::D;"): [],
        ("use crate::Own;", "use crate::a::A;"): [],
        ("#[cfg(test)] mod tests { use crate::b::B; }", "use super::A;"): [],
        ('// use crate::b::B;\nconst TEXT: &str = "crate::b::B";', "use super::A;"): [],
        ("use std::b::B; use b::B;", "use super::A;"): [],
    }
    root = "pub use a::A; pub(crate) use b::{B, C as Other}; pub use crate::b::C; use b::Private; struct Own;"
    for (a, b), expected in cases.items():
        graph = module_graph({(): root, ("a",): a, ("b",): b, ("b", "c"): "pub struct D;"})
        assert [shown(circle) for circle in circles(graph).values()] == expected, (a, b)


def test_a_circle_between_trees_of_modules_and_one_further_down_are_found() -> None:
    sources = {
        (): "mod a; mod b; mod c;",
        ("a",): "mod x; mod y; pub use x::X;",
        ("a", "x"): "use super::y::Y; use crate::b::B;",
        ("a", "y"): "use super::X;",
        ("b",): "use crate::c::C;",
        ("c",): "mod z;",
        ("c", "z"): "use crate::a::X;",
    }
    assert {"::".join(parent): shown(circle) for parent, circle in circles(module_graph(sources)).items()} == {
        "": "crate::a -> crate::b -> crate::c -> crate::a",
        "a": "crate::a::x -> crate::a::y -> crate::a::x",
    }


def test_parents_and_children_may_import_one_another() -> None:
    sources = {
        (): "mod a;",
        ("a",): "mod x; use x::X; pub struct A;",
        ("a", "x"): "use super::A; use crate::a::A as B;",
    }
    assert circles(module_graph(sources)) == {}


def test_the_modules_of_this_project_are_read() -> None:
    graph = module_graph(sources_of("sim"))
    assert graph[("flow",)] >= {("record", "recorder"), ("payload",), ("flow", "holding")}
    assert graph[("hop",)] >= {("in_flight_marks",), ("payload",)}
