"""Imports form a star: the rules of ARCHITECTURE.md, read from the sources by `make lint`.

A rule has one test, which lists each offender by path and line; each is shown to be able to fail.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rust_source import code_of, module_of, paths, without_tests

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
MODEL = ROOT / "crates/model/src"
SIM = ROOT / "crates/sim/src"
PACKAGE = ROOT / "python/airlink"
STUDIES = ROOT / "python/airlink_studies"

STAGES = {"channel", "link", "scheduler", "rlc", "queue", "traffic", "transport", "datagram", "path"}
# What a module of the model may name beside itself. `cell` is the one place that knows all radio stages.
MAY_NAME = {stage: {"types"} for stage in STAGES} | {
    "types": set(),
    "probe": {"types"},
    "cell": {"types", "probe"} | STAGES,
}
CRATE_DEPENDENCIES = {
    "declare": {"proc-macro2", "quote", "syn"},
    "model": {"airlink-declare", "libm", "rand_core", "rand_xoshiro", "winnow"},
    "sim": {"airlink-model", "etherparse", "serde", "serde_json", "sha2", "libm"},
    "py": {"airlink-model", "airlink-sim", "numpy", "pyo3"},
}
# Nothing in the model can ask what time it is, read a file or draw an unseeded number; nothing walks a hash map.
NOT_IN_MODEL = {
    r"std::time\b": "a clock",
    r"\b(Instant|SystemTime)\b": "a clock",
    r"\bstd::(fs|io|net|env|process|thread)\b": "the world outside",
    r"\be?print(ln)?!|\bdbg!": "the world outside",
    r"\bserde\w*\b": "a file format",
    r"\bHash(Map|Set)\b": "an order that changes from run to run",
    r"\b(thread_rng|from_entropy|from_os_rng|OsRng|SysRng|getrandom|RandomState)\b": "an unseeded draw",
    r"\bmul_add\b": "a fused multiply-add",
}
# The simulator writes captures, and nothing else of it touches the world outside.
OF_FILES = re.compile(r"\bstd::(fs|io|net|env|process|os)\b")
PYTHON_ORDER = [
    {"answers_shown", "scenario", "tables"},
    {"own"},
    {"engine", "resources", "result"},
    {"statistics", "models", "explain", "fairness"},
    {"measures", "store", "gym"},
    {"campaign"},
    {"plots", "report"},
    {"study", "suites"},
    {"search"},
    {"cli"},
    {"__init__", "__main__"},
]
ASK_RUST = {"scenario.formula", "cli.root"}
"""Modules beside the engine that open airlink._rust: for whether a text is a formula, and for the version."""
RANK = {name: rank for rank, names in enumerate(PYTHON_ORDER) for name in names}


class Complaint(NamedTuple):
    """A line that names what it must not."""

    line: int
    what: str


def model_complaints(text: str, module: list[str]) -> list[Complaint]:
    """What a file of crates/model names or uses that it must not."""
    code = code_of(text)
    complaints = [
        Complaint(line_at(code, found.start()), f"{what}: {found.group()}")
        for rule, what in NOT_IN_MODEL.items()
        for found in re.finditer(rule, without_tests(code))
    ]
    if not module:
        return complaints
    if module[0] not in MAY_NAME:
        return [*complaints, Complaint(1, f"{module[0]} has no place in the star of imports")]
    # `super` in a test module counts from one level deeper, so only absolute paths are read there.
    named = paths(without_tests(code), module) | {
        path for path in paths(code, module) if "crate::" + "::".join(path[1:]) in code
    }
    allowed = MAY_NAME[module[0]] | {module[0]}
    for path in sorted(named):
        if path[0] == "crate" and len(path) > 1 and path[1] in MAY_NAME and path[1] not in allowed:
            complaints.append(Complaint(line_naming(code, path[1:]), f"{module[0]} names {'::'.join(path)}"))
    return complaints


def line_at(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def line_naming(code: str, path: tuple[str, ...]) -> int:
    """The first line from which on a path's words follow each other, as they do in a `use` tree too."""
    found = re.search(r"[^;]*?".join(rf"\b{word}\b" for word in path), code)
    return line_at(code, found.start()) if found else 1


def python_complaints(text: str, module: str) -> list[Complaint]:
    """What a module of the package (dotted name below `airlink`) imports against the order."""
    own = module.split(".")[0]
    if own not in RANK:
        return [Complaint(1, f"{own} has no place in the order of imports")]
    complaints = []
    for line, imported in imports_of(ast.parse(text), f"airlink.{module}"):
        if imported == "_rust":
            if own != "engine" and module not in ASK_RUST:
                complaints.append(Complaint(line, f"{module} imports airlink._rust, which only engine may"))
        elif imported not in RANK:
            complaints.append(Complaint(line, f"{module} imports {imported}, which has no place in the order"))
        elif RANK[imported] > RANK[own]:
            complaints.append(Complaint(line, f"{module} imports {imported}, which stands higher"))
    return complaints


def imports_of(tree: ast.Module, module: str) -> Iterator[tuple[int, str]]:
    """The first names below `airlink` that a module imports, wherever in it the import stands, with their lines.

    Names of studies are given whole: `airlink` has no place for them.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = {alias.name for alias in node.names}
            yield from ((node.lineno, below_airlink(name)) for name in names if is_ours(name))
            yield from ((node.lineno, name) for name in names if is_of_studies(name))
        elif isinstance(node, ast.ImportFrom):
            source = absolute(node, module)
            if source == "airlink":
                names = {alias.name for alias in node.names}
                yield from ((node.lineno, name if name in RANK or name == "_rust" else "__init__") for name in names)
            elif is_ours(source):
                yield node.lineno, below_airlink(source)
            elif is_of_studies(source):
                yield node.lineno, source
        elif isinstance(node, ast.Constant) and node.value == "airlink._rust":
            yield node.lineno, "_rust"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and is_of_studies(node.value):
            yield node.lineno, node.value


def absolute(node: ast.ImportFrom, module: str) -> str:
    """The absolute name that a `from` import reads; `module` names a package by its `__init__`."""
    if node.level == 0:
        return node.module or ""
    parents = module.split(".")[: -node.level]
    return ".".join([*parents, *([node.module] if node.module else [])])


def foreign_imports(text: str) -> tuple[set[str], set[str]]:
    """Packages of others that a module needs to be imported, and all that it names."""
    at_import, named = set(), set()
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = {node.module or ""}
        else:
            continue
        packages = (
            {name.split(".")[0] for name in names} - sys.stdlib_module_names - {"airlink", "airlink_studies", "tomllib"}
        )
        named |= packages
        if node in tree.body:
            at_import |= packages
    return at_import, named


def declared(requirements: list[str]) -> set[str]:
    """The packages that requirements bring, by the name they are imported under."""
    found = {match.group().replace("-", "_").lower() for line in requirements if (match := re.match(r"[\w-]+", line))}
    return found | ({"pydantic_core"} if "pydantic" in found else set())


def own_loops(text: str, module: str) -> list[Complaint]:
    """What a study imports with which it could run scenarios past the campaign."""
    runners = {f"airlink.{name}" for name in ("engine", "engine.run", "engine.stream", "result.run", "run")}
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [Complaint(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [Complaint(node.lineno, f"{absolute(node, module)}.{alias.name}") for alias in node.names]
    return [each for each in found if each.what in runners]


def public_modules(text: str) -> dict[str, set[str]]:
    """Public module -> the names of its `__all__`: those that ARCHITECTURE.md lists, and modules that these export."""
    sentence = re.search(r"Public modules of `airlink`: (.*?)\.\s", text, re.DOTALL)
    assert sentence is not None, "ARCHITECTURE.md does not say which modules are public"
    waiting = re.findall(r"`([\w.]+)`", sentence[1])
    found: dict[str, set[str]] = {}
    while waiting:
        module = waiting.pop()
        names, modules = exports(source_of(module).read_text(), module)
        found[module] = names
        waiting += [f"{module}.{name}" for name in modules]
    return found


def source_of(module: str) -> Path:
    """The file of a module of `airlink`."""
    place = PACKAGE.joinpath(*module.split(".")[1:])
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


def exports(text: str, module: str) -> tuple[set[str], set[str]]:
    """The names in the `__all__` of a module, and those of them that are its modules (`from package import module`)."""
    tree = ast.parse(text)
    listed = [
        node.value for node in tree.body if isinstance(node, ast.Assign) and "__all__" in map(ast.unparse, node.targets)
    ]
    names = set().union(*map(ast.literal_eval, listed))
    froms = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == module]
    return names, names & {alias.name for node in froms for alias in node.names}


def private_uses(text: str, module: str, public: dict[str, set[str]]) -> list[Complaint]:
    """What a module of a study (dotted name) takes from airlink that is not public."""
    tree = ast.parse(text)
    found, modules = [], {}
    for line, source, name, own in ours_named(tree, module):
        if source not in public:
            found.append(Complaint(line, f"{source} is not public"))
        elif f"{source}.{name}".rstrip(".") in public:
            modules[own] = f"{source}.{name}".rstrip(".")
        elif name not in public[source]:
            found.append(Complaint(line, f"{name} is not in __all__ of {source}"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            source = modules[node.value.id]
            if node.attr not in public[source] and f"{source}.{node.attr}" not in public:
                found.append(Complaint(node.lineno, f"{node.attr} is not in __all__ of {source}"))
    return found


def ours_named(tree: ast.Module, module: str) -> Iterator[tuple[int, str, str, str]]:
    """Line, module of `airlink`, name that is taken from it ("": itself), and what it is called here ("": nothing)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias for alias in node.names if is_ours(alias.name)]
            yield from ((node.lineno, alias.name, "", alias.asname or alias.name) for alias in names)
        elif isinstance(node, ast.ImportFrom) and is_ours(source := absolute(node, module)):
            yield from ((node.lineno, source, alias.name, alias.asname or alias.name) for alias in node.names)
        elif isinstance(node, ast.Constant) and re.fullmatch(r"airlink(\.\w+)+", str(node.value)):
            yield node.lineno, str(node.value), "", ""


def is_of_studies(name: str) -> bool:
    return re.fullmatch(r"airlink_studies(\.\w+)*(:\w+)?", name) is not None


def is_ours(name: str) -> bool:
    return name == "airlink" or name.startswith("airlink.")


def below_airlink(name: str) -> str:
    return name.split(".")[1] if "." in name else "__init__"


def python_module(file: Path) -> str:
    """The name below `airlink`."""
    return ".".join(file.relative_to(PACKAGE).with_suffix("").parts)


def study_module(file: Path) -> str:
    """The whole name of a module of `airlink` or `airlink_studies`."""
    return ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts)


RUST_FILES = sorted(MODEL.rglob("*.rs"))
SIM_FILES = sorted(SIM.rglob("*.rs"))
PYTHON_FILES = sorted(PACKAGE.rglob("*.py"))
STUDY_FILES = sorted(STUDIES.rglob("*.py"))


def listed(file: Path, complaints: list[Complaint]) -> list[str]:
    """Complaints as `path:line: what`."""
    return [f"{file.relative_to(ROOT)}:{line}: {what}" for line, what in complaints]


def test_the_stages_of_the_model_name_only_the_shared_vocabulary() -> None:
    assert [
        offence
        for file in RUST_FILES
        for offence in listed(file, model_complaints(file.read_text(), module_of(file, MODEL)))
    ] == []


def test_only_captures_are_written_by_the_simulator() -> None:
    touching = {file for file in SIM_FILES if OF_FILES.search(without_tests(code_of(file.read_text())))}
    assert touching == {SIM / "capture/file.rs"}


def test_python_modules_import_downwards_only() -> None:
    assert [
        offence
        for file in PYTHON_FILES
        for offence in listed(file, python_complaints(file.read_text(), python_module(file)))
    ] == []


def test_crates_depend_on_what_their_role_allows() -> None:
    manifests = {
        crate: tomllib.loads((ROOT / "crates" / crate / "Cargo.toml").read_text()) for crate in CRATE_DEPENDENCIES
    }
    undue = {crate: set(manifest["dependencies"]) - CRATE_DEPENDENCIES[crate] for crate, manifest in manifests.items()}
    assert {crate: names for crate, names in undue.items() if names} == {}


def test_what_the_package_imports_is_declared_and_extras_only_on_demand() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    always = declared(project["dependencies"])
    extras = set().union(*(declared(lines) for lines in project["optional-dependencies"].values()))
    imports = {study_module(file): foreign_imports(file.read_text()) for file in [*PYTHON_FILES, *STUDY_FILES]}
    assert {module: names for module, (names, _) in imports.items() if names - always} == {}
    assert {module: names for module, (_, names) in imports.items() if names - always - extras} == {}


def test_a_foreign_import_is_seen() -> None:
    text = "import os\nimport numpy.linalg\nfrom . import x\ndef f():\n    from pandas import DataFrame\n"
    assert foreign_imports(text) == ({"numpy"}, {"numpy", "pandas"})


def test_studies_run_through_the_campaign_only() -> None:
    studies = [*STUDY_FILES, *(PACKAGE / "study").glob("*.py")]
    assert len(studies) > 50
    assert [
        offence for file in studies for offence in listed(file, own_loops(file.read_text(), study_module(file)))
    ] == []


def test_a_study_with_a_loop_of_its_own_is_seen() -> None:
    cases = {
        "from airlink.engine import stream": [(1, "airlink.engine.stream")],
        "\nfrom airlink import engine, result": [(2, "airlink.engine")],
        "import airlink.engine": [(1, "airlink.engine")],
        "from ..result import Result, run": [(1, "airlink.result.run")],
        "from airlink.engine import Progress\nfrom airlink.campaign import run": [],
    }
    assert {text: own_loops(text, "airlink.study.a") for text in cases} == cases


def test_studies_use_public_modules_of_airlink_only() -> None:
    public = public_modules((ROOT / "ARCHITECTURE.md").read_text())
    assert len(public) > 10
    assert [module for module, names in public.items() if not names] == []
    assert [
        offence
        for file in STUDY_FILES
        for offence in listed(file, private_uses(file.read_text(), study_module(file), public))
    ] == []


def test_what_is_not_public_is_seen_in_a_study() -> None:
    public = public_modules("Public modules of `airlink`: `airlink`, `airlink.campaign`, `airlink.plots`. What ...")
    assert set(public) >= {"airlink", "airlink.campaign", "airlink.plots", "airlink.plots.style"}
    assert "airlink.engine" not in public
    cases = {
        "from airlink.engine import Replica": [(1, "airlink.engine is not public")],
        "import airlink.plots.viewer": [(1, "airlink.plots.viewer is not public")],
        "\nfrom airlink import _rust": [(2, "_rust is not in __all__ of airlink")],
        "def f():\n    from airlink.campaign import engine": [(2, "engine is not in __all__ of airlink.campaign")],
        "import_module('airlink._rust')": [(1, "airlink._rust is not public")],
        "from airlink.plots import style as s\ns._dress(1)": [(2, "_dress is not in __all__ of airlink.plots.style")],
        "import airlink\nairlink.engine": [(2, "engine is not in __all__ of airlink")],
        "from airlink import campaign\ncampaign.run(1)\nfrom airlink.plots.style import blank": [],
        "from airlinker import x\nfrom airlink_studies.a import b\n'airlink: a text'": [],
    }
    assert {text: private_uses(text, "airlink_studies.a", public) for text in cases} == cases


def test_every_stage_is_there_to_be_checked() -> None:
    assert {file.relative_to(MODEL).parts[0] for file in RUST_FILES} >= STAGES | {"types", "cell"}
    assert {python_module(file).split(".")[0] for file in PYTHON_FILES} >= set(RANK) - {"__main__"}


def test_a_forbidden_name_in_the_model_is_seen() -> None:
    cases = [
        ("use crate::link::Report;", ["channel"], "channel names crate::link::Report"),
        ("use crate::{types::Time, queue::{DropTail}};", ["rlc"], "rlc names crate::queue::DropTail"),
        ("use super::super::link as near;", ["channel", "fading"], "channel names crate::link"),
        ("fn f() { crate::cell::run(); }", ["path"], "path names crate::cell::run"),
        ("#[cfg(test)] mod tests { use crate::rlc::Entity; }", ["queue"], "queue names crate::rlc::Entity"),
        ("use crate::traffic::File;", ["types", "packet"], "types names crate::traffic::File"),
        ("", ["antenna"], "antenna has no place in the star of imports"),
        ("fn f() { std::time::Instant::now(); }", ["cell"], "a clock: std::time"),
        ("use std::fs::File;", ["channel"], "the world outside: std::fs"),
        ("use std::collections::HashMap;", ["cell"], "an order that changes from run to run: HashMap"),
        ("#[derive(serde::Serialize)] struct A;", ["types"], "a file format: serde"),
        ("fn f() { rand::thread_rng(); }", ["traffic"], "an unseeded draw: thread_rng"),
    ]
    assert [
        (text, complaint)
        for text, module, complaint in cases
        if complaint not in [what for _, what in model_complaints(text, module)]
    ] == []


def test_what_the_model_may_name_passes() -> None:
    cases = [
        ("// use crate::link::Report;\nuse crate::types::{Time, Slot};", ["channel"]),
        ("use super::fading::Fading; use self::a::B;", ["channel", "mean"]),
        ('const TEXT: &str = "use crate::link::X; std::fs";', ["channel"]),
        ("use crate::{channel::Channel, link::Link};", ["cell"]),
        ("#[cfg(test)] mod tests { use super::*; use std::collections::HashMap; }", ["queue"]),
    ]
    assert [(text, model_complaints(text, module)) for text, module in cases if model_complaints(text, module)] == []


def test_an_import_against_the_order_is_seen() -> None:
    cases = [
        ("from airlink.campaign import run", "scenario.base", "scenario.base imports campaign, which stands higher"),
        ("def f():\n    import airlink.cli", "plots", "plots imports cli, which stands higher"),
        ("from . import plots", "statistics", "statistics imports plots, which stands higher"),
        ("from ..study import Part", "scenario.base", "scenario.base imports study, which stands higher"),
        ("from airlink_studies.a import b", "cli", "cli imports airlink_studies.a, which has no place in the order"),
        ("import airlink_studies", "study.a", "study.a imports airlink_studies, which has no place in the order"),
        ("import_module('airlink_studies.a')", "cli", "cli imports airlink_studies.a, which has no place in the order"),
        ("from airlink import Scenario", "result", "result imports __init__, which stands higher"),
        ("from airlink import _rust", "result", "result imports airlink._rust, which only engine may"),
        ("import airlink._rust", "study.parts", "study.parts imports airlink._rust, which only engine may"),
        ("import_module('airlink._rust')", "cli", "cli imports airlink._rust, which only engine may"),
        ("import airlink.tools", "cli", "cli imports tools, which has no place in the order"),
        ("", "tools", "tools has no place in the order of imports"),
    ]
    assert [
        (text, complaint)
        for text, module, complaint in cases
        if complaint not in [what for _, what in python_complaints(text, module)]
    ] == []


def test_an_import_in_order_passes() -> None:
    cases = [
        ("from airlink import _rust\nfrom airlink.scenario import Scenario", "engine"),
        ("from airlink import campaign, statistics", "study.parts"),
        ("from .request import Request", "study.parts"),
        ("import numpy as np\nfrom airlinker import x", "scenario.base"),
    ]
    assert [(text, python_complaints(text, module)) for text, module in cases if python_complaints(text, module)] == []


def test_a_complaint_names_its_line() -> None:
    assert model_complaints("\nuse crate::{\n    types::Time,\n    link::Report,\n};\n", ["channel"])[0].line == 4
    assert model_complaints("fn f() {}\nuse std::fs::File;\n", ["channel"]) == [(2, "the world outside: std::fs")]
    assert python_complaints("\nimport airlink.cli", "plots") == [(2, "plots imports cli, which stands higher")]
