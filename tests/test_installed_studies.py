"""Studies of installed packages: found by entry point, imported one at a time; a broken one breaks no other."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

from airlink.cli import app
from airlink.study import ENTRY_POINTS, StudyUnavailable, load_study, study_names

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PYPROJECT = Path(__file__).parent.parent / "pyproject.toml"
OWN = """
from airlink.campaign import Plan
from airlink.report import Sheet
from airlink.scenario import Scenario
from airlink.study import Part, PartResult, Texts, study_of

CELL = Scenario.from_toml("duration_s = 1\\nusers = 2\\nslot.duration_ms = 5\\nflows = [{}]")


def plans(request):
    return {"one": Plan({"cell": CELL}, (request.seed,))}


def show(results, runner):
    rate = results["one"].interval("cell", "goodput_bps").mean
    return PartResult(printed=[Sheet("Own", ("carried",), [("something",)] if rate > 0 else [])])


PART = Part("own", "Own", ("own",), plans, show)
STUDY = study_of("own-paper", "A paper of our own", Texts("Own", "us", "What?"), [PART])
"""


class Answer(NamedTuple):
    """What `airlink reproduce` answered."""

    code: int
    out: str
    err: str


def reproduce(*arguments: str) -> Answer:
    answer = CliRunner().invoke(app, ["reproduce", *arguments], env={"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"})
    return Answer(answer.exit_code, answer.stdout, answer.stderr)


def install(folder: Path, package: str, study: str, target: str) -> None:
    """What an installer writes of a package that offers a study."""
    told = folder / f"{package}-1.0.dist-info"
    told.mkdir(parents=True)
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text(f"[{ENTRY_POINTS}]\n{study} = {target}\n")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder from which packages are imported."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    return folder


def test_the_entry_points_of_airlink_are_its_five_studies() -> None:
    offered = tomllib.loads(PYPROJECT.read_text())["project"]["entry-points"][ENTRY_POINTS]
    assert {name: load_study(name).name for name in offered} == {name: name for name in offered}
    assert set(offered) == {"clamp", "imt-advanced", "opportunistic-pf", "startup-timeout", "tcp-pf"}


def test_a_study_of_another_package_is_listed_and_run(site: Path) -> None:
    (site / "own_paper.py").write_text(OWN)
    install(site, "own", "own-paper", "own_paper:STUDY")
    listed = reproduce()
    assert listed.code == 0
    assert "A paper of our own" in listed.out
    assert "tcp-pf" in listed.out
    command = [sys.executable, "-m", "airlink", "reproduce", "own-paper", "--quick", "--out", "found"]
    path = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))
    run = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "something" in run.stdout
    assert Path("found/report.html").exists()


def test_only_the_study_that_is_asked_for_is_imported() -> None:
    script = """
import sys
from airlink.study import load_study, study_names
names = study_names()
print(sorted(name for name in sys.modules if name.startswith("airlink_studies")))
load_study("startup-timeout")
print(sorted(name for name in sys.modules if name.startswith("airlink_studies.") and name.count(".") == 1))
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["[]", "['airlink_studies.ns2_versions', 'airlink_studies.startup_timeout']"]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("raises", "import no_such_package", "cannot be imported: ModuleNotFoundError: No module named"),
        ("misspelt", "x = (", "cannot be imported: SyntaxError"),
        ("speaks", "raise RuntimeError('two\\nlines')", "cannot be imported: RuntimeError: two lines"),
        ("empty", "", "cannot be imported: AttributeError"),
        ("other", "STUDY = {}", "study_other:STUDY is a dict, not an airlink.study.Study"),
        (
            "renamed",
            "from airlink.study import Study\nSTUDY = Study('x', 'X', lambda request: None)",
            "study_renamed:STUDY has the name 'x'; both names must be the same",
        ),
    ],
)
def test_a_broken_study_is_one_sentence_that_names_its_package(site: Path, name: str, text: str, told: str) -> None:
    (site / f"study_{name}.py").write_text(text)
    install(site, "their-package", name, f"study_{name}:STUDY")
    asked = reproduce(name)
    assert (asked.code, asked.out) == (2, "")
    assert asked.err.startswith(f"airlink: study {name!r} of the package their-package")
    assert told in asked.err
    assert asked.err.count("\n") == 1
    listed = reproduce()
    assert listed.code == 0
    assert "tcp-pf" in listed.out
    assert listed.err == asked.err


def test_two_packages_with_a_study_of_one_name_are_one_error(site: Path) -> None:
    install(site, "second", "tcp-pf", "nowhere:STUDY")
    with pytest.raises(StudyUnavailable, match="'tcp-pf' is offered by several packages: airlink, second; uninstall"):
        load_study("tcp-pf")
    assert study_names().count("tcp-pf") == 1
    assert load_study("clamp").name == "clamp"


def test_a_name_that_nobody_offers_is_told_beside_those_that_are_there() -> None:
    answer = reproduce("nobody")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("airlink: no study 'nobody'; there are: clamp, ")
