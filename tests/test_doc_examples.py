"""The examples in the pages run as they stand: commands and Python of a page, in its order, in one folder.

Blocks fenced as `console` are commands after `$`, blocks fenced as `python` share their names. Docstrings of the
package are run by pytest's doctest. Left out: blocks of other kinds, which show and do not promise.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
FENCE = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A fenced block: its kind, its text, and the line it opens at."""

    kind: str
    text: str
    line: int


def blocks(page: str) -> list[Block]:
    return [Block(found[1], found[2], page.count("\n", 0, found.start()) + 1) for found in FENCE.finditer(page)]


def commands(text: str) -> list[list[str]]:
    return [shlex.split(line[2:], comments=True) for line in text.splitlines() if line.startswith("$ ")]


def run_command(words: list[str], folder: Path) -> None:
    program = Path(sys.executable).parent / words[0]
    done = subprocess.run([program, *words[1:]], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{shlex.join(words)}\n{done.stdout}{done.stderr}"


def run_python(block: Block, page: str, names: dict[str, Any]) -> None:
    exec(compile("\n" * block.line + block.text, page, "exec"), names)


PAGES = sorted(
    page.relative_to(ROOT).as_posix()
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    if blocks(page.read_text())
)


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "example"}
    for block in blocks((ROOT / page).read_text()):
        if block.kind == "python":
            run_python(block, page, names)
        else:
            for words in commands(block.text):
                run_command(words, tmp_path)


def test_a_page_is_split_into_what_can_run() -> None:
    page = (
        "a\n```console\n$ airlink init cell.toml  # why\nshown\n```\n```python\nx = 1\n```\n```toml\nusers = 1\n```\n"
    )
    assert blocks(page) == [
        Block("console", "$ airlink init cell.toml  # why\nshown\n", 2),
        Block("python", "x = 1\n", 6),
    ]
    assert commands(blocks(page)[0].text) == [["airlink", "init", "cell.toml"]]


def test_a_broken_example_is_seen(tmp_path: Path) -> None:
    with pytest.raises(NameError):
        run_python(Block("python", "missing\n", 1), "page.md", {})
    with pytest.raises(AssertionError, match=r"sys\.exit"):
        run_command([Path(sys.executable).name, "-c", "import sys; sys.exit(2)"], tmp_path)
