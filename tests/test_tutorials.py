"""The tutorials: each a question with few lines of code to its main figure, stored without outputs, and they run.

The first is run here, by a kernel of its own as a reader's; the others are by `make validate`, PART=tutorials. A number
in the text of one stands in its code or comes out of its run. Left out: whether what is concluded is true of other
seeds; that was tried by hand, and the tutorials say with how many.
"""

from __future__ import annotations

import json
import os
import re
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from traitlets.config import Config

from test_imports import private_uses, public_modules

FOLDER = Path(__file__).parent.parent / "docs/tutorials"
NAMES = ("1-first-cell", "2-cell-edge", "3-bufferbloat", "4-slow-user", "5-paper", "6-discovery", "7-policy")
FIRST = NAMES[0]
MOST_LINES = 15
WIDEST = 100
"""Letters of a line that a page of the site shows without scrolling."""

MAIN = "main-figure"
PATIENCE_S = 600

Notebook = Any
FORMAT: Any = nbformat
"""Without types."""

NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?!\w)")
NOT_TEXT = re.compile(r"`[^`]*`|\]\([^)]*\)|\[\w+\d\d\]|^\d+\. ", re.MULTILINE)
"""Code, targets of links, keys of papers, numbers of a list."""


def read(name: str) -> Notebook:
    return FORMAT.read(FOLDER / f"{name}.ipynb", as_version=4)


def cells(notebook: Notebook, kind: str) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == kind]


def text_of(notebook: Notebook) -> str:
    return "\n\n".join(cell.source for cell in cells(notebook, "markdown"))


def lines_to_the_figure(notebook: Notebook) -> int:
    """How many lines of code a reader needs for the main figure."""
    count = 0
    for cell in cells(notebook, "code"):
        count += sum(bool(line.strip()) and not line.strip().startswith("#") for line in cell.source.splitlines())
        if MAIN in cell.metadata.get("tags", []):
            return count
    raise AssertionError("no cell draws the main figure")


def numbers(text: str) -> set[str]:
    """The numbers that a reader meets in a text."""
    return set(NUMBER.findall(NOT_TEXT.sub(" ", text)))


def shown(notebook: Notebook) -> str:
    """What the cells of a notebook that has run show, as text."""
    outputs = [output for cell in cells(notebook, "code") for output in cell.outputs]
    texts = [output.get("text", "") + output.get("data", {}).get("text/html", "") for output in outputs]
    texts += [output.get("data", {}).get("text/plain", "") for output in outputs]
    return unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", "\n".join(texts), flags=re.DOTALL))


def unfounded(notebook: Notebook) -> set[str]:
    """The numbers in the text of a notebook that has run which neither its code nor its outputs have."""
    code = "\n".join(cell.source for cell in cells(notebook, "code"))
    return numbers(text_of(notebook)) - set(NUMBER.findall(code)) - set(NUMBER.findall(shown(notebook)))


def executed(name: str, folder: Path) -> Notebook:
    """A tutorial, run from its first cell to its last in a folder of its own."""
    notebook = read(name)
    place = {"metadata": {"path": str(folder)}}
    # Sockets in the file system, whose paths must be short, and nothing of what this user has set for notebooks.
    with TemporaryDirectory() as short:
        config = Config(KernelManager={"transport": "ipc", "ip": f"{short}/kernel"})
        client = NotebookClient(notebook, timeout=PATIENCE_S, resources=place, config=config)
        client.execute(env={**os.environ, "IPYTHONDIR": f"{short}/ipython"})
    return notebook


def has_picture(output: Any) -> bool:
    data = output.get("data", {})
    return "image/png" in data or "data:image/png;base64," in data.get("text/html", "")


def check_run(notebook: Notebook) -> None:
    """Fails for a notebook that said an error or a warning, drew nothing, or whose text has numbers of its own."""
    for cell in cells(notebook, "code"):
        assert [
            output for output in cell.outputs if output.output_type == "error" or output.get("name") == "stderr"
        ] == []
    (main,) = [cell for cell in cells(notebook, "code") if MAIN in cell.metadata.get("tags", [])]
    assert len(main.outputs) == 1
    # Figures show themselves once they are such pictures.
    assert has_picture(main.outputs[0])
    assert unfounded(notebook) == set()


def test_the_tutorials_are_these() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.ipynb")) == sorted(NAMES)
    index = (FOLDER / "index.md").read_text()
    assert re.findall(r"\]\(([\w-]+)\.ipynb\)", index) == list(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_tutorial_is_stored_without_what_it_showed(name: str) -> None:
    path = FOLDER / f"{name}.ipynb"
    notebook = read(name)
    FORMAT.validate(notebook)
    for cell in cells(notebook, "code"):
        assert (cell.outputs, cell.execution_count) == ([], None)
    assert notebook.metadata.kernelspec.name == "python3"
    stored = json.loads(path.read_text())
    assert path.read_text() == json.dumps(stored, indent=1, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("name", NAMES)
def test_a_tutorial_leads_to_its_figure_in_few_lines(name: str) -> None:
    notebook = read(name)
    assert 0 < lines_to_the_figure(notebook) <= MOST_LINES
    lines = [line for cell in cells(notebook, "code") for line in cell.source.splitlines()]
    assert max(map(len, lines)) <= WIDEST


@pytest.mark.parametrize("name", NAMES)
def test_a_tutorial_asks_says_for_whom_and_goes_on(name: str) -> None:
    text = text_of(read(name))
    title, lead = text.split("\n\n")[:2]
    assert re.match(r"# [^\n]*\?", title)
    assert lead.startswith("For ")
    for part in ("**What to look at.**", "**What to conclude", "**Conditions.**", "## Try next"):
        assert part in text
    assert re.findall(r"^(\d)\. ", text.split("## Try next")[1], re.MULTILINE) == ["1", "2"]
    assert text.split("## Try next")[1].count("Expect") == 2


@pytest.mark.parametrize("name", NAMES)
def test_the_links_of_a_tutorial_lead_somewhere(name: str) -> None:
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", text_of(read(name)))
    assert [target for target in targets if not (FOLDER / target).is_file()] == []
    assert sum(target.startswith("../") for target in targets) >= 3, "pages of concepts"


@pytest.mark.parametrize("name", NAMES)
def test_a_tutorial_uses_what_is_public(name: str) -> None:
    public = public_modules((FOLDER.parent.parent / "ARCHITECTURE.md").read_text())
    code = "\n".join(cell.source for cell in cells(read(name), "code"))
    assert private_uses(code, "tutorial", public) == []


def test_the_first_tutorial_runs(tmp_path: Path) -> None:
    check_run(executed(FIRST, tmp_path))


@pytest.mark.validate
@pytest.mark.parametrize("name", NAMES[1:])
def test_a_longer_tutorial_runs(name: str, tmp_path: Path) -> None:
    check_run(executed(name, tmp_path))


def test_lines_are_counted_up_to_the_figure() -> None:
    code = FORMAT.v4.new_code_cell
    main = code("c\n", metadata={"tags": [MAIN]})
    assert lines_to_the_figure(FORMAT.v4.new_notebook(cells=[code("a\n\n# why\nb"), main, code("d")])) == 3
    with pytest.raises(AssertionError, match="no cell draws"):
        lines_to_the_figure(FORMAT.v4.new_notebook(cells=[code("a")]))


def test_a_number_that_nothing_shows_is_seen() -> None:
    text = FORMAT.v4.new_markdown_cell("# 2 and 3.5 of 40 % [Klein04], `7`, [a](8.md)\n\n1. or 10 dB")
    code = FORMAT.v4.new_code_cell("print(2)")
    html = "<style>10</style><b title='40'>4</b>"
    code.outputs = [FORMAT.v4.new_output("stream", name="stdout", text="3.5")]
    code.outputs.append(FORMAT.v4.new_output("execute_result", {"text/html": html}))
    assert unfounded(FORMAT.v4.new_notebook(cells=[text, code])) == {"40", "10"}


def test_a_run_that_complains_fails() -> None:
    main = FORMAT.v4.new_code_cell("x", metadata={"tags": [MAIN]})
    main.outputs = [FORMAT.v4.new_output("stream", name="stderr", text="UserWarning")]
    with pytest.raises(AssertionError):
        check_run(FORMAT.v4.new_notebook(cells=[main]))
