"""The examples in the pages run as they stand: commands and Python of a page, in its order, in one folder.

Blocks fenced as `console` are commands after `$`, blocks fenced as `python` share their names. A command whose comment
says how many minutes it takes, as in `# (2 min) all figures`, is run by `make validate`, alone. The
first command of a page is a process, as a reader starts it; the others run in this one. Lines below a command are what
it prints: the same lines, but for `...`, which stands for any characters of a line or, alone, for any lines.
Docstrings of the package are run by pytest's doctest. Left out: blocks of other kinds, which show and do not promise.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

from airlink.cli import app

ROOT = Path(__file__).parent.parent
FENCE = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


RUN_ELSEWHERE = {"airlink reproduce tcp-pf --quick": "test_installation.py"}
"""Commands of pages that another test runs as a reader does, and its file."""
LONG = re.compile(r"^\$ .*#.*\(\d+ min\)", re.MULTILINE)


class Block(NamedTuple):
    """A fenced block: its kind, its text, and the line it opens at."""

    kind: str
    text: str
    line: int


class Command(NamedTuple):
    """A command of a page, whether its comment says that it takes minutes, and what the page shows of its output."""

    words: list[str]
    long: bool
    shown: str = ""


def blocks(page: str) -> list[Block]:
    return [Block(found[1], found[2], page.count("\n", 0, found.start()) + 1) for found in FENCE.finditer(page)]


def commands(text: str) -> list[Command]:
    found = []
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        line, _, shown = part.partition("\n")
        found.append(Command(shlex.split(line, comments=True), LONG.search(f"$ {line}") is not None, shown))
    return found


def run_as_program(words: list[str], folder: Path) -> str:
    program = Path(sys.executable).parent / words[0]
    done = subprocess.run(
        [program, *words[1:]], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    assert done.returncode == 0, f"{shlex.join(words)}\n{done.stdout}"
    return done.stdout


def run_here(words: list[str]) -> str:
    assert words[0] == "airlink"
    done = CliRunner().invoke(app, words[1:])
    assert done.exit_code == 0, f"{shlex.join(words)}\n{done.output}{done.exception!r}"
    assert "airlink: warning:" not in done.stderr
    return done.output


def lines_of(text: str) -> list[str]:
    """Lines without blanks at their ends, and without those that are empty."""
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def is_shown(shown: str, said: str) -> bool:
    """Whether a command said what a page shows of it."""
    patterns = [
        r"(?:.*\n)*" if line.strip() == "..." else re.escape(line).replace(re.escape("..."), ".*") + "\n"
        for line in lines_of(shown)
    ]
    return re.fullmatch("".join(patterns), "".join(f"{line}\n" for line in lines_of(said))) is not None


def run_python(block: Block, page: str, names: dict[str, Any]) -> None:
    exec(compile("\n" * block.line + block.text, page, "exec"), names)


PAGES = sorted(
    page.relative_to(ROOT).as_posix()
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    if blocks(page.read_text())
)


def run_page(page: str, folder: Path, long: bool) -> None:
    """Runs a page's blocks in order; of the commands, those that take long or the others."""
    names: dict[str, Any] = {"__name__": "example"}
    first = True
    for block in blocks((ROOT / page).read_text()):
        if block.kind == "python":
            if not long:
                run_python(block, page, names)
            continue
        for command in commands(block.text):
            if command.long != long or shlex.join(command.words) in RUN_ELSEWHERE:
                continue
            said = run_as_program(command.words, folder) if first else run_here(command.words)
            assert not command.shown.strip() or is_shown(command.shown, said), (
                f"{page} shows another output of {shlex.join(command.words)}:\n{command.shown}\nIt said:\n{said}"
            )
            first = False


LONGEST = ("README.md", "docs/first-steps.md", "docs/flow-view.md")
"""Their examples take longer than those of all others."""
FOR_ALL = [pytest.param(page, marks=pytest.mark.thorough) if page in LONGEST else page for page in PAGES]


@pytest.mark.filterwarnings("error::airlink.ScenarioWarning")
@pytest.mark.parametrize("page", FOR_ALL)
def test_the_examples_of_a_page_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(page, tmp_path, long=False)


@pytest.mark.validate
@pytest.mark.parametrize("page", [page for page in PAGES if LONG.search((ROOT / page).read_text())])
def test_the_long_examples_of_a_page_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(page, tmp_path, long=True)


def test_only_whole_studies_and_questions_take_long() -> None:
    texts = [block.text for page in PAGES for block in blocks((ROOT / page).read_text()) if block.kind == "console"]
    long = [shlex.join(command.words) for text in texts for command in commands(text) if command.long]
    questions = ("edge", "codel", "constant")
    others = [words for words in long if not any(f" {name}" in words for name in questions)]
    (judged,) = [words for words in others if "--suite" in words]
    others.remove(judged)
    assert others == ["airlink reproduce startup-timeout", "airlink reproduce opportunistic-pf --figure 13"]
    assert len(long) == len(others) + 1 + 3 * len(questions)


@pytest.mark.parametrize(("command", "file"), RUN_ELSEWHERE.items())
def test_what_is_run_elsewhere_is_a_command_of_a_page_and_is_run_there(command: str, file: str) -> None:
    assert any(f"$ {command}" in (ROOT / page).read_text() for page in PAGES)
    words = ", ".join(f'"{word}"' for word in shlex.split(command))
    assert words in (ROOT / "tests" / file).read_text()


def test_a_page_is_split_into_what_can_run() -> None:
    page = (
        "a\n```console\n$ airlink init cell.toml  # why\nshown\n```\n```python\nx = 1\n```\n```toml\nusers = 1\n```\n"
    )
    assert blocks(page) == [
        Block("console", "$ airlink init cell.toml  # why\nshown\n", 2),
        Block("python", "x = 1\n", 6),
    ]
    assert commands(blocks(page)[0].text) == [(["airlink", "init", "cell.toml"], False, "shown\n")]
    assert commands("$ airlink reproduce x  # (2 min) all of it\n") == [(["airlink", "reproduce", "x"], True, "")]


@pytest.mark.parametrize(
    ("shown", "same"),
    [
        ("goodput 1.25 Mb/s\n\nusers 4", True),
        ("goodput 1.25 Mb/s  \nusers 4\n", True),
        ("goodput ... Mb/s\nusers 4", True),
        ("...\nusers 4", True),
        ("goodput 1.25 Mb/s\n...", True),
        ("goodput 1.25 Mb/s\n...\nusers 4", True),
        ("goodput 1.26 Mb/s\nusers 4", False),
        ("goodput 1.2", False),
        ("goodput 1.25 Mb/s", False),
        ("users 4", False),
        ("...\nusers", False),
        ("goodput 1.25 Mb/s users 4", False),
        ("goodput 1x25 Mb/s\nusers 4", False),
    ],
)
def test_what_is_shown_is_what_is_said_but_for_dots(shown: str, same: bool) -> None:
    assert is_shown(shown, "goodput 1.25 Mb/s\n\nusers 4   \n") is same


def test_a_broken_example_is_seen(tmp_path: Path) -> None:
    with pytest.raises(NameError):
        run_python(Block("python", "missing\n", 1), "page.md", {})
    with pytest.raises(AssertionError, match=r"sys\.exit"):
        run_as_program([Path(sys.executable).name, "-c", "import sys; sys.exit(2)"], tmp_path)
    with pytest.raises(AssertionError, match="run nowhere"):
        run_here(["airlink", "run", "nowhere.toml"])
