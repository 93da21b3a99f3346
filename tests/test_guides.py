"""What the pages of answers show beside their console blocks: a study in one file, counts of tshark and tcptrace.

Console and Python blocks are run by test_doc_examples.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from airlink.cli import app

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs/how-to").glob("*.md"))
STUDIES = [ROOT / f"docs/examples/{name}_study.py" for name in ("gain", "diversity")]


def shown_in(page: str, kind: str) -> list[str]:
    """The fenced blocks of a kind."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_of_answers_is_in_the_list_and_says_what_can_go_wrong(page: Path) -> None:
    if page.name == "index.md":
        return
    assert f"({page.name})" in (ROOT / "docs/how-to/index.md").read_text()
    headings = re.findall(r"^#+ (.*)", page.read_text(), re.MULTILINE)
    assert "What can go wrong" in headings
    assert "**How to read it.**" in page.read_text()


def test_the_studies_of_the_page_are_the_files() -> None:
    assert shown_in("docs/how-to/own-study.md", "python")[:2] == [study.read_text() for study in STUDIES]


def test_the_smallest_study_runs_and_its_report_says_how_to_repeat_it(tmp_path: Path) -> None:
    command = [sys.executable, str(STUDIES[0]), "--quick"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == ["own-1", "own-2"]
    assert "To repeat: python gain_study.py --quick." in (tmp_path / "gain/report.html").read_text()


@pytest.mark.validate
@pytest.mark.parametrize("number", [0, 1])
def test_the_whole_study_says_what_the_page_shows(number: int, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, STUDIES[number]], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == shown_in("docs/how-to/own-study.md", "text")[number]
    assert len(list(tmp_path.glob("*/report.html"))) == 1


@pytest.mark.parametrize("program", ["tshark", "tcptrace"])
def test_programs_that_read_captures_count_what_the_page_shows(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    page = "docs/how-to/measurement.md"
    monkeypatch.chdir(tmp_path)
    simulate = next(line for line in shown_in(page, "console")[0].splitlines() if line.startswith("$ airlink run"))
    assert CliRunner().invoke(app, shlex.split(simulate[2:])[1:]).exit_code == 0
    asked = {part.split()[0]: part.splitlines() for part in shown_in(page, "text")[0].split("$ ")[1:]}
    command, *lines = asked[program]
    done = subprocess.run(shlex.split(command), capture_output=True, text=True, check=True)
    assert lines
    assert [line for line in lines if line.rstrip() not in [told.rstrip() for told in done.stdout.splitlines()]] == []
