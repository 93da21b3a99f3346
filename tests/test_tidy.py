"""The checkable part of STYLE.md. Each rule is shown to be able to fail on a text that breaks it."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rust_source import code_of, functions, without_tests

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
STAGES = ["channel", "link", "scheduler", "rlc", "queue", "traffic", "transport", "path"]
FUNCTION_LINES = 70
FILE_LINES = 500
FORBIDDEN_NAMES = {"util", "utils", "common", "helper", "helpers", "manager", "misc"}
BANNER = re.compile(r"^\s*(?://+|#+|<!--)\s*[-=*#~/_]{3,}")
KEY = re.compile(r"\[([A-Z][A-Za-z]+\d{2}[a-z]?)\]")
RFC = re.compile(r"\bRFC[ -]?(\d{3,5})\b")
MACHINE_PATH = re.compile(r"(?<![\w.~<>-])/(?:work|root|tmp|home|Users)/\w+")
UNFINISHED = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")
PAGE_HEADINGS = ["scope", "limits", "equations", "parameters", "checked"]
OBSOLETE_REACH = 3  # lines around a citation of an obsolete RFC in which its successor must stand


def files(*suffixes: str) -> list[Path]:
    """The project's own files of these kinds, without what is built, fetched or recorded."""
    folders = ["crates", "python", "tests", "docs", ".ci"]
    found = [file for folder in folders for file in (ROOT / folder).rglob("*") if file.is_file()]
    found += [file for file in ROOT.iterdir() if file.is_file()]
    return sorted(file for file in found if file.suffix in suffixes or file.name in suffixes)


RUST = files(".rs")
PYTHON = files(".py")
SOURCES = RUST + PYTHON
TEXTS = files(".rs", ".py", ".pyi", ".md", ".toml", ".cff", ".html", ".css", ".js", ".j2", "Makefile", "run")
REFERENCES = tomllib.loads((ROOT / "docs/references.toml").read_text())


def name_of(file: Path) -> str:
    return str(file.relative_to(ROOT))


def long_functions(text: str, suffix: str) -> list[str]:
    """The functions over the limit; a Python function's docstring is not counted."""
    lengths = rust_lengths(text) if suffix == ".rs" else python_lengths(text)
    return [f"{name} has {lines} lines" for name, lines in lengths if lines > FUNCTION_LINES]


def rust_lengths(text: str) -> Iterator[tuple[str, int]]:
    for function in functions(code_of(text)):
        yield function.name, function.length


def python_lengths(text: str) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, lines_of(node) - docstring_lines(node)


def docstring_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return lines_of(node.body[0]) if ast.get_docstring(node) is not None else 0


def lines_of(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def file_length(text: str, suffix: str) -> int:
    """Lines up to the last one that is not a unit test."""
    if suffix != ".rs":
        return len(text.splitlines())
    code = code_of(text)
    tests = sum(
        bool(before.strip()) and not after.strip()
        for before, after in zip(code.splitlines(), without_tests(code).splitlines(), strict=True)
    )
    return len(text.splitlines()) - tests


def opens_with_documentation(text: str, suffix: str) -> bool:
    if suffix == ".rs":
        return text.startswith(("//!", "/*!"))
    return ast.get_docstring(ast.parse(text)) is not None


def module_documentation(text: str) -> str:
    return " ".join(line.removeprefix("//!").strip() for line in text.splitlines() if line.startswith("//!"))


def banners(text: str) -> list[str]:
    return [line for line in text.splitlines() if BANNER.match(line) and not line.startswith("#!")]


def unknown_references(text: str) -> set[str]:
    keys = {key for key in KEY.findall(text) if key not in REFERENCES}
    return keys | {f"RFC {number}" for number in RFC.findall(text) if number not in REFERENCES["rfc"]}


def lonely_obsolete_references(text: str) -> list[str]:
    """Citations of an obsolete RFC without a successor nearby."""
    lines = text.splitlines()
    complaints = []
    for place, line in enumerate(lines):
        nearby = RFC.findall("\n".join(lines[max(place - OBSOLETE_REACH, 0) : place + OBSOLETE_REACH + 1]))
        for number in RFC.findall(line):
            successors = REFERENCES["rfc"].get(number, {}).get("obsoleted_by", [])
            if successors and not {str(successor) for successor in successors} & set(nearby):
                complaints.append(f"RFC {number} is obsolete: cite RFC {successors[-1]} beside it")
    return complaints


@pytest.mark.parametrize("file", SOURCES, ids=name_of)
class TestEverySource:
    def test_has_functions_that_fit_a_screen(self, file: Path) -> None:
        assert long_functions(file.read_text(), file.suffix) == []

    def test_has_a_length_that_can_be_read(self, file: Path) -> None:
        assert file_length(file.read_text(), file.suffix) <= FILE_LINES

    def test_opens_with_what_it_is(self, file: Path) -> None:
        assert opens_with_documentation(file.read_text(), file.suffix)

    def test_is_named_after_what_it_holds(self, file: Path) -> None:
        assert not FORBIDDEN_NAMES & {*file.relative_to(ROOT).parts[:-1], file.stem}


@pytest.mark.parametrize("file", TEXTS, ids=name_of)
class TestEveryText:
    def test_has_no_banners(self, file: Path) -> None:
        assert banners(file.read_text()) == []

    def test_is_finished(self, file: Path) -> None:
        assert UNFINISHED.findall(file.read_text()) == []

    def test_names_no_path_of_one_machine(self, file: Path) -> None:
        assert MACHINE_PATH.findall(file.read_text()) == []

    def test_cites_what_the_list_of_references_holds(self, file: Path) -> None:
        if file != Path(__file__):
            assert unknown_references(file.read_text()) == set()
            assert file.name == "references.toml" or lonely_obsolete_references(file.read_text()) == []


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_says_what_it_leaves_out(stage: str) -> None:
    folder = ROOT / "crates/model/src" / stage
    assert re.search(r"leaves? out|left out", module_documentation((folder / "mod.rs").read_text()), re.IGNORECASE)


@pytest.mark.parametrize("page", [*STAGES, "recording"])
def test_a_stage_has_a_page_with_its_limits_equations_and_checks(page: str) -> None:
    headings = re.findall(r"^#+ .*", (ROOT / f"docs/models/{page}.md").read_text().lower(), re.MULTILINE)
    missing = [word for word in PAGE_HEADINGS if not any(word in heading for heading in headings)]
    assert missing == []
    assert f"({page}.md)" in (ROOT / "docs/models/README.md").read_text()


def test_the_commands_of_the_readme_are_targets_of_the_makefile() -> None:
    commands = set(re.findall(r"^ {0,4}(?:\$ )?make ([a-z-]+)", (ROOT / "README.md").read_text(), re.MULTILINE))
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {"reproduce", "test"} <= commands
    assert commands <= targets


@pytest.mark.parametrize("name", ["LICENSE-APACHE", "LICENSE-MIT", "CITATION.cff", "CHANGELOG.md", "CONTRIBUTING.md"])
def test_the_papers_of_the_house_are_there(name: str) -> None:
    assert (ROOT / name).stat().st_size > 0


def test_the_code_map_names_every_module() -> None:
    model, package = ROOT / "crates/model/src", ROOT / "python/airlink"
    stages = [name_of(entry) for entry in model.iterdir() if entry.name != "lib.rs"]
    crates = [name_of(manifest.parent) for manifest in (ROOT / "crates").glob("*/Cargo.toml")]
    modules = {
        f"airlink.{entry.stem}" for entry in package.iterdir() if entry.suffix == ".py" or any(entry.glob("*.py"))
    }
    text = (ROOT / "ARCHITECTURE.md").read_text()
    assert [
        name
        for name in [*stages, *crates, *sorted(modules - {"airlink.__init__", "airlink.__main__"})]
        if f"| `{name}` |" not in text
    ] == []


def test_every_scheduler_stands_in_scenario_engine_contract_and_page() -> None:
    scenario = (ROOT / "python/airlink/scenario/scheduler.py").read_text()
    kinds = re.findall(r'^    kind: Annotated\[\s*Literal\["(\w+)"\]', scenario, re.MULTILINE)
    names = {kind: "".join(word.title() for word in kind.split("_")) for kind in kinds}
    assert len(names) >= 9
    page = (ROOT / "docs/models/scheduler.md").read_text()
    assert [kind for kind in names if f"`{kind}`" not in page] == []
    for file in ("model/src/scheduler/config.rs", "sim/src/scenario/scheduler.rs"):
        text = (ROOT / "crates" / file).read_text()
        assert [name for name in names.values() if not re.search(rf"\b{name}\b", text)] == [], file
    contract = (ROOT / "crates/model/tests/scheduler_contract.rs").read_text()
    assert [
        kind for kind, name in names.items() if f"SchedulerKind::{name}" not in contract and f"{kind}(" not in contract
    ] == []


def test_links_between_pages_lead_somewhere() -> None:
    dead = []
    for page in files(".md"):
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text()):
            if "://" not in target and not (page.parent / target).exists():
                dead.append(f"{name_of(page)}: {target}")
    assert dead == []


def test_every_obsolete_rfc_names_a_successor_that_is_listed() -> None:
    for entry in REFERENCES["rfc"].values():
        assert all(str(successor) in REFERENCES["rfc"] for successor in entry.get("obsoleted_by", []))


def test_a_long_function_is_seen() -> None:
    body = "    let a = 1;\n" * (FUNCTION_LINES - 1)
    assert long_functions(f"fn long() {{\n{body}}}\n", ".rs") == [f"long has {FUNCTION_LINES + 1} lines"]
    assert long_functions(f"fn fits() -> [u8; 2] {{\n{body[15:]}}}\n", ".rs") == []
    body = "    a = 1\n" * FUNCTION_LINES
    assert long_functions(f"def long():\n{body}", ".py") == [f"long has {FUNCTION_LINES + 1} lines"]
    assert long_functions(f'def fits():\n    """One.\n\n    Two.\n    """\n{body[10:]}', ".py") == []


def test_unit_tests_do_not_count_in_the_length_of_a_file() -> None:
    code = "//! About.\nfn a() {}\n"
    tests = '#[cfg(test)]\nmod tests {\n    fn b() { assert_eq!("}", "}"); }\n}\n'
    assert file_length(code + tests, ".rs") == 2
    assert file_length(code * 300, ".rs") == 600


def test_each_blemish_is_seen() -> None:
    assert not opens_with_documentation("use a::b;\n", ".rs")
    assert not opens_with_documentation("import os\n", ".py")
    assert banners("# ---- part ----\nx = 1  # fine\n// =====\n") == ["# ---- part ----", "// ====="]
    assert unknown_references("[Klein04] and [Nobody99], RFC 6298, RFC 9999") == {"Nobody99", "RFC 9999"}
    assert lonely_obsolete_references("RFC 2988 says") == ["RFC 2988 is obsolete: cite RFC 6298 beside it"]
    assert lonely_obsolete_references("RFC 6298 (once RFC 2988)") == []
    assert MACHINE_PATH.search("see " + "/".join(["", "work", "main"]))
    assert UNFINISHED.search("TO" + "DO: finish")
