"""Every mistake is told with its path and what is allowed, all of a file at once.

The files of tests/bad_inputs/ begin with lines `# expect: PATH | PART OF THE MESSAGE`, one for each mistake.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from airlink.scenario import Scenario, ScenarioError

FOLDER = Path(__file__).parent / "bad_inputs"
FILES = sorted(FOLDER.glob("*.toml"))
PREFIX = "# expect: "


def expected(file: Path) -> list[tuple[str, str]]:
    lines = [line for line in file.read_text().splitlines() if line.startswith(PREFIX)]
    pairs = [line.removeprefix(PREFIX).split(" | ", 1) for line in lines]
    return [(path.strip(), part.strip()) for path, part in pairs]


def error_of(file: Path) -> ScenarioError:
    with pytest.raises(ScenarioError) as error:
        Scenario.from_toml(file)
    return error.value


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.stem))
def test_a_bad_input_is_explained(file: Path) -> None:
    problems = error_of(file).problems
    assert sorted(problem.path for problem in problems) == sorted(path for path, _ in expected(file))
    for path, part in expected(file):
        messages = [problem.message for problem in problems if problem.path == path]
        assert any(part in message for message in messages), messages


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.stem))
def test_the_text_has_one_line_for_each_mistake(file: Path) -> None:
    error = error_of(file)
    lines = str(error).splitlines()
    assert len(lines) == len(error.problems) == len(expected(file))
    for line, problem in zip(lines, error.problems, strict=True):
        assert line.startswith(problem.path)
        assert "Traceback" not in line
        assert "pydantic" not in line


def test_there_are_many_of_them_and_one_shows_five_mistakes() -> None:
    assert len(FILES) >= 60
    assert len(error_of(FOLDER / "five_mistakes.toml").problems) == 5


def test_a_file_without_mistakes_would_be_seen() -> None:
    good = Scenario.from_toml("duration_s = 1\nusers = 1\nslot.duration_ms = 1\n[[flows]]\n")
    assert good.users == 1
