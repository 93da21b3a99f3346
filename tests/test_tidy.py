"""The checkable part of STYLE.md, run by `make lint`. A rule has one test, which lists each offender by path and line.

Each rule is shown to be able to fail on a text that breaks it.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from rust_source import Function, code_of, functions, without_tests

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
STAGES = ["channel", "link", "scheduler", "rlc", "queue", "traffic", "transport", "path"]
FUNCTION_LINES = 70
FILE_LINES = 600
GENERATED = {"sections.py"}
FORBIDDEN_NAMES = {"util", "utils", "common", "helper", "helpers", "manager", "misc"}
BANNER = re.compile(r"^\s*(?://+|#+|<!--)\s*[-=*#~/_]{3,}")
KEY = re.compile(r"\[([A-Z][A-Za-z]+\d{2}[a-z]?|EvdoTcp|Kakuda)\]")
RFC = re.compile(r"\bRFC[ -]?(\d{3,5})\b")
MACHINE_PATH = re.compile(r"(?<![\w.~<>-])/(?:work|root|tmp|home|Users)/\w+")
UNFINISHED = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")
PAGE_HEADINGS = ["scope", "limits", "equations", "parameters", "checked"]
OBSOLETE_REACH = 3  # lines around a citation of an obsolete RFC in which its successor must stand


def files(*suffixes: str) -> list[Path]:
    """The project's own files of these kinds, without what is built, fetched or recorded."""
    folders = ["crates", "python", "tests", "docs", ".ci", ".github"]
    found = [file for folder in folders for file in (ROOT / folder).rglob("*") if file.is_file()]
    found += [file for file in ROOT.iterdir() if file.is_file()]
    return sorted(file for file in found if file.suffix in suffixes or file.name in suffixes)


RUST = files(".rs")
PYTHON = files(".py")
SOURCES = RUST + PYTHON
TEXTS = files(
    ".rs", ".py", ".pyi", ".md", ".toml", ".cff", ".html", ".css", ".js", ".j2", ".yml", "Makefile", "run", "validate"
)
REFERENCES = tomllib.loads((ROOT / "docs/references.toml").read_text())


class Blemish(NamedTuple):
    """A place in a file that breaks a rule."""

    line: int
    what: str


def name_of(file: Path) -> str:
    return str(file.relative_to(ROOT))


def offenders(checked: list[Path], rule: Callable[[str, str], list[Blemish]]) -> list[str]:
    """Every place that breaks a rule, as `path:line: what`; a rule reads a file's text and suffix."""
    return [f"{name_of(file)}:{line}: {what}" for file in checked for line, what in rule(file.read_text(), file.suffix)]


def functions_of(text: str, suffix: str) -> list[Function]:
    """All functions; a Python function's docstring is not counted."""
    return list(functions(code_of(text)) if suffix == ".rs" else python_functions(text))


def long_functions(text: str, suffix: str) -> list[Blemish]:
    """The functions over the limit."""
    return [
        Blemish(function.line, f"{function.name} has {function.length} lines, at most {FUNCTION_LINES}")
        for function in functions_of(text, suffix)
        if function.length > FUNCTION_LINES
    ]


def python_functions(text: str) -> Iterator[Function]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield Function(node.name, node.lineno, lines_of(node) - docstring_lines(node))


def docstring_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return lines_of(node.body[0]) if ast.get_docstring(node) is not None else 0


def lines_of(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def long_files(text: str, suffix: str) -> list[Blemish]:
    length = file_length(text, suffix)
    return [Blemish(length, f"{length} lines, at most {FILE_LINES}")] if length > FILE_LINES else []


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


def no_opening(text: str, suffix: str) -> list[Blemish]:
    """A file that does not open with what it is."""
    opens = text.startswith(("//!", "/*!")) if suffix == ".rs" else ast.get_docstring(ast.parse(text)) is not None
    return [] if opens else [Blemish(1, "does not open with what it is")]


def module_documentation(text: str) -> str:
    return " ".join(line.removeprefix("//!").strip() for line in text.splitlines() if line.startswith("//!"))


def matches(pattern: re.Pattern[str], text: str) -> list[Blemish]:
    """Where lines of a text match."""
    return [
        Blemish(number, found[0])
        for number, line in enumerate(text.splitlines(), 1)
        for found in pattern.finditer(line)
    ]


def banners(text: str, _suffix: str = "") -> list[Blemish]:
    return [
        Blemish(number, line)
        for number, line in enumerate(text.splitlines(), 1)
        if BANNER.match(line) and not line.startswith("#!")
    ]


def unfinished(text: str, _suffix: str = "") -> list[Blemish]:
    return matches(UNFINISHED, text)


def machine_paths(text: str, _suffix: str = "") -> list[Blemish]:
    return matches(MACHINE_PATH, text)


def unknown_references(text: str, _suffix: str = "") -> list[Blemish]:
    """Keys and RFCs that docs/references.toml does not hold."""
    return [
        Blemish(number, what)
        for number, line in enumerate(text.splitlines(), 1)
        for what in [
            *(key for key in KEY.findall(line) if key not in REFERENCES),
            *(f"RFC {rfc}" for rfc in RFC.findall(line) if rfc not in REFERENCES["rfc"]),
        ]
    ]


def lonely_obsolete_references(text: str, _suffix: str = "") -> list[Blemish]:
    """Citations of an obsolete RFC without a successor nearby."""
    lines = text.splitlines()
    complaints = []
    for place, line in enumerate(lines):
        for number in RFC.findall(line):
            successors = REFERENCES["rfc"].get(number, {}).get("obsoleted_by", [])
            nearby = RFC.findall("\n".join(lines[max(place - OBSOLETE_REACH, 0) : place + OBSOLETE_REACH + 1]))
            if successors and not {str(successor) for successor in successors} & set(nearby):
                complaints.append(Blemish(place + 1, f"RFC {number} is obsolete: cite RFC {successors[-1]} beside it"))
    return complaints


def test_functions_fit_a_screen() -> None:
    assert offenders(SOURCES, long_functions) == []


def test_nine_functions_in_ten_have_at_most_40_lines() -> None:
    lengths = [function.length for file in SOURCES for function in functions_of(file.read_text(), file.suffix)]
    assert sum(length <= 40 for length in lengths) >= 0.9 * len(lengths)


def test_files_have_a_length_that_can_be_read() -> None:
    by_hand = [source for source in SOURCES if source.name not in GENERATED]
    assert offenders(by_hand, long_files) == []


def test_a_module_with_parts_stands_in_their_folder() -> None:
    beside = [folder for folder in (ROOT / "crates").rglob("*/") if folder.with_suffix(".rs").is_file()]
    assert [name_of(folder) for folder in beside if "target" not in folder.parts] == []


def test_sources_open_with_what_they_are() -> None:
    assert offenders(SOURCES, no_opening) == []


def test_files_are_named_after_what_they_hold() -> None:
    assert [
        name_of(file) for file in SOURCES if FORBIDDEN_NAMES & {*file.relative_to(ROOT).parts[:-1], file.stem}
    ] == []


def test_texts_have_no_banners() -> None:
    assert offenders(TEXTS, banners) == []


def test_texts_are_finished() -> None:
    assert offenders(TEXTS, unfinished) == []


def test_texts_name_no_path_of_one_machine() -> None:
    assert offenders(TEXTS, machine_paths) == []


def test_texts_cite_what_the_list_of_references_holds() -> None:
    assert offenders([file for file in TEXTS if file != Path(__file__)], unknown_references) == []


def test_an_obsolete_rfc_stands_beside_its_successor() -> None:
    citing = [file for file in TEXTS if file != Path(__file__) and file.name != "references.toml"]
    assert offenders(citing, lonely_obsolete_references) == []


def test_a_stage_says_what_it_leaves_out() -> None:
    modules = [ROOT / "crates/model/src" / stage / "mod.rs" for stage in STAGES]
    assert [
        name_of(module)
        for module in modules
        if not re.search(r"leaves? out|left out", module_documentation(module.read_text()), re.IGNORECASE)
    ] == []


def test_a_stage_has_a_page_with_its_limits_equations_and_checks() -> None:
    listed = (ROOT / "docs/models/README.md").read_text()
    missing = []
    for name in [*STAGES, "recording"]:
        page = ROOT / f"docs/models/{name}.md"
        headings = re.findall(r"^#+ .*", page.read_text().lower(), re.MULTILINE)
        missing += [
            f"{name_of(page)}: no heading has {word!r}"
            for word in PAGE_HEADINGS
            if not any(word in heading for heading in headings)
        ]
        missing += [] if f"({name}.md)" in listed else [f"docs/models/README.md: no link to {name}.md"]
    assert missing == []


def test_the_commands_of_the_readme_are_targets_of_the_makefile() -> None:
    commands = set(re.findall(r"^ {0,4}(?:\$ )?make ([a-z-]+)", (ROOT / "README.md").read_text(), re.MULTILINE))
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {"reproduce", "test"} <= commands
    assert commands <= targets


def test_the_papers_of_the_house_are_there() -> None:
    names = ["LICENSE-APACHE", "LICENSE-MIT", "CITATION.cff", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
    assert [name for name in names if (ROOT / name).stat().st_size == 0] == []


def test_the_version_is_the_same_wherever_it_stands() -> None:
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    newest = re.search(r"^## (\S+) - (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    citation = (ROOT / "CITATION.cff").read_text()
    assert newest is not None
    assert newest.group(1) == version
    assert f"\nversion: {version}\ndate-released: {newest.group(2)}\n" in citation
    assert f"today {version}." in (ROOT / "SECURITY.md").read_text()


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
        for name in [*stages, *crates, *sorted(modules - {"airlink.__init__", "airlink.__main__"}), "airlink_studies"]
        if f"| `{name}` |" not in text
    ] == []


def test_every_scheduler_has_its_place_on_the_page() -> None:
    sections = (ROOT / "python/airlink/scenario/sections.py").read_text()
    kinds = re.findall(r'AnyScheduler\):.*?\n    kind: Annotated\[\s*Literal\["(\w+)"\]', sections, re.DOTALL)
    assert len(kinds) >= 8
    page = (ROOT / "docs/models/scheduler.md").read_text()
    assert [kind for kind in kinds if f"`{kind}`" not in page] == []


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
    told = f"long has {FUNCTION_LINES + 1} lines, at most {FUNCTION_LINES}"
    body = "    let a = 1;\n" * (FUNCTION_LINES - 1)
    assert long_functions(f"//! About.\nfn long() {{\n{body}}}\n", ".rs") == [(2, told)]
    assert long_functions(f"fn fits() -> [u8; 2] {{\n{body[15:]}}}\n", ".rs") == []
    body = "    a = 1\n" * FUNCTION_LINES
    assert long_functions(f"b = 1\ndef long():\n{body}", ".py") == [(2, told)]
    assert long_functions(f'def fits():\n    """One.\n\n    Two.\n    """\n{body[10:]}', ".py") == []


def test_unit_tests_do_not_count_in_the_length_of_a_file() -> None:
    code = "//! About.\nfn a() {}\n"
    tests = '#[cfg(test)]\nmod tests {\n    fn b() { assert_eq!("}", "}"); }\n}\n'
    assert file_length(code + tests, ".rs") == 2
    assert file_length(code * 300, ".rs") == 600
    assert long_files(code * 300, ".rs") == []
    assert long_files(code * 301, ".rs") == [(602, f"602 lines, at most {FILE_LINES}")]


def test_each_blemish_is_seen_with_its_line() -> None:
    assert no_opening("use a::b;\n", ".rs") == no_opening("import os\n", ".py") != []
    assert banners("# ---- part ----\nx = 1  # fine\n// =====\n") == [(1, "# ---- part ----"), (3, "// =====")]
    assert unknown_references("[Klein04] and\n[Nobody99], RFC 6298, RFC 9999") == [(2, "Nobody99"), (2, "RFC 9999")]
    assert lonely_obsolete_references("\nRFC 2988 says") == [(2, "RFC 2988 is obsolete: cite RFC 6298 beside it")]
    assert lonely_obsolete_references("RFC 6298 (once RFC 2988)") == []
    place = "/".join(["", "work", "main"])
    assert machine_paths(f"\nsee {place}") == [(2, place)]
    assert unfinished("a\nTO" + "DO: finish") == [(2, "TO" + "DO")]


def test_an_offender_is_listed_with_path_and_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    (tmp_path / "a.py").write_text("\n# ==== part ====\n")
    assert offenders([tmp_path / "a.py"], banners) == ["a.py:2: # ==== part ===="]
