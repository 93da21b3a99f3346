"""What new users typed who had the site alone runs again: the pages of `tests/trials`, replayed in an empty folder.

A page is a question of its user's own, with the files written by hand (blocks with `file=NAME`), the commands and the
Python of the path that led to the answer. The figures that its first paragraph concludes with stand in what came out.
The stops on the way, and what became of each, are in `tests/trials/README.md`.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from test_doc_examples import Block, commands, run_here, run_python

TRIALS = Path(__file__).parent / "trials"
PAGES = sorted(TRIALS.glob("[!R]*.md"))
FENCE = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FIGURE = re.compile(r"\d+\.\d+")


def replay(page: str, folder: Path, where: str) -> str:
    """Writes the files of a page, runs its commands and its Python in their order, and returns what was printed."""
    names: dict[str, Any] = {"__name__": "trial"}
    said = []
    for found in FENCE.finditer(page):
        kind, file, text = found.groups()
        if file is not None:
            (folder / file).write_text(text, encoding="utf-8")
        elif kind == "console":
            said += [run_here(command.words) for command in commands(text)]
        elif kind == "python":
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                run_python(Block(kind, text, page.count("\n", 0, found.start()) + 1), where, names)
            said.append(printed.getvalue())
    return "\n".join(said)


def conclusion(page: str) -> str:
    """The first paragraph below the title."""
    return next(part for part in page.split("\n\n") if not part.startswith("#"))


@pytest.mark.validate
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_new_user_typed_leads_to_the_same_conclusion(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    said = replay(text, tmp_path, page.name)
    missing = [figure for figure in FIGURE.findall(conclusion(text)) if figure not in said]
    assert missing == [], f"{page.name} concludes with {missing}, which nothing printed"


def test_there_are_three_users_and_each_concludes_with_a_figure() -> None:
    assert [page.stem for page in PAGES] == ["radio", "student", "tcp"]
    for page in PAGES:
        assert FIGURE.search(conclusion(page.read_text(encoding="utf-8"))), page.name


def test_a_page_is_replayed_in_its_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = "```python file=own.py\nX = 1.5\n```\n"
    code = "```python\nfrom pathlib import Path\nprint(Path('own.py').read_text())\n```\n"
    page = f"# A\n\nWho, 1.5.\n\n{file}\n{code}"
    assert replay(page, tmp_path, "page") == "X = 1.5\n\n"
    assert conclusion(page) == "Who, 1.5."
    with pytest.raises(AssertionError, match="nowhere"):
        replay(f"```console\n$ {shlex.join(['airlink', 'run', 'nowhere.toml'])}\n```\n", tmp_path, "page")
