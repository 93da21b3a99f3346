"""A wheel in an empty environment: what it brings along, how much room that takes, and that the first commands work.

The wheel is that of `dist`, which `make` builds; nothing of this environment is seen by the other. Packages come from
the registry. Left out: wheels for other platforms, and what `make` itself does on a fresh machine.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/install.md"
MOST_MB = 400
"""What the packages may take, pip and the standard library apart; docs/install.md says it, too."""
NOT_NEEDED = {"scipy", "pandas", "polars", "xarray", "dask", "distributed", "duckdb", "gymnasium", "jupyterlab"}
SIZES = """
import json
from importlib.metadata import distributions
from pathlib import Path

def size(file):
    path = Path(file.locate())
    return path.stat().st_size if path.is_file() else 0

print(json.dumps({each.name.lower().replace("_", "-"): sum(map(size, each.files or ())) for each in distributions()}))
"""


OF_A_WHEEL = pytest.mark.thorough
"""Tests of the environment: packages come from the network."""


class Installed(NamedTuple):
    """An environment with the wheel alone, and a folder to work in."""

    bin: Path
    folder: Path

    def __call__(self, *words: str) -> str:
        """What a command says; it must end well."""
        # Of this environment it sees neither packages nor results.
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "AIRLINK", "COV"))}
        done = subprocess.run(
            [self.bin / words[0], *words[1:]],
            cwd=self.folder,
            env=kept,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert done.returncode == 0, f"{words}\n{done.stdout}"
        return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The newest wheel of `dist`, installed as a user does."""
    wheels = sorted(ROOT.glob("dist/airlink-*.whl"), key=lambda wheel: wheel.stat().st_mtime)
    if not wheels:
        pytest.skip("no wheel in dist: run make")
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    here = Installed(folder / "venv" / ("Scripts" if os.name == "nt" else "bin"), folder)
    here("pip", "install", "--quiet", "--disable-pip-version-check", str(wheels[-1]))
    return here


@pytest.fixture(scope="module")
def sizes(installed: Installed) -> Mapping[str, float]:
    """What each package takes, in MB."""
    found: dict[str, int] = json.loads(installed("python", "-c", SIZES))
    return {name: size / 1e6 for name, size in found.items()}


def table() -> dict[tuple[str, ...], float]:
    """The page's table of packages: their names, and what they take together, in MB."""
    rows = re.findall(r"^\| ((?:`[\w-]+`(?:, )?)+) \| (\d+) \|", PAGE.read_text(), re.MULTILINE)
    return {tuple(re.findall(r"`([\w-]+)`", names)): float(size) for names, size in rows}


@OF_A_WHEEL
def test_the_first_commands_work(installed: Installed) -> None:
    installed("airlink", "init", "cell.toml")
    assert "Cell" in installed("airlink", "run", "cell.toml", "--replicas", "2")
    installed("airlink", "plot", "flow", "airlink-results/first-cell-1", "--user", "0", "--out", "flow.png")
    assert (installed.folder / "flow.png").read_bytes().startswith(b"\x89PNG")
    assert "not installed" in installed("airlink", "check")


@OF_A_WHEEL
def test_a_study_runs(installed: Installed) -> None:
    said = installed("airlink", "reproduce", "tcp-pf", "--quick", "--out", "quick")
    assert "report: quick/report.html" in said
    assert (installed.folder / "quick/report.html").stat().st_size > 100_000
    assert json.loads((installed.folder / "quick/claims.json").read_text())


@OF_A_WHEEL
def test_what_few_need_is_not_brought_along(sizes: Mapping[str, float]) -> None:
    assert not NOT_NEEDED & set(sizes)
    assert "airlink" in sizes


@OF_A_WHEEL
def test_the_packages_take_what_the_page_says(sizes: Mapping[str, float]) -> None:
    own = {name: size for name, size in sizes.items() if name not in {"pip", "setuptools"}}
    assert sum(own.values()) <= MOST_MB
    assert f"at most {MOST_MB} MB" in PAGE.read_text()
    said = table()
    assert {name for names in said for name in names} <= set(own)
    # Other versions of packages have other sizes: a quarter more or less is still about that.
    for names, size in said.items():
        assert sum(own[name] for name in names) == pytest.approx(size, rel=0.25, abs=1), names
    listed = sum(own[name] for names in said for name in names)
    assert listed == pytest.approx(sum(own.values()), abs=5), "packages are missing in the table"


def test_make_alone_leads_to_the_commands_of_the_readme() -> None:
    makefile = (ROOT / "Makefile").read_text()
    first = re.search(r"^([a-z][a-z-]*):", makefile, re.MULTILINE)
    assert first is not None
    assert first[1] == "all"
    if os.name != "nt":
        said = subprocess.run(
            ["make", "-n", "--old-file=.venv/.installed", "all"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        readme = (ROOT / "README.md").read_text()
        assert "source .venv/bin/activate" in readme
        for words in ("source .venv/bin/activate", "airlink init cell.toml", "airlink run cell.toml"):
            assert words in said.replace("$(VENV)", ".venv")
            assert words in readme
