"""What a command loads before it has anything to compute: whoever types it waits for that."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Set
from importlib.util import find_spec
from pathlib import Path

import pytest

FOR_NUMBERS = {"numpy", "pydantic", "rich", "airlink.engine", "airlink.scenario", "airlink.result"}
FOR_TABLES = {"pyarrow", "pyarrow.compute", "sqlite3", "pandas", "airlink.store"}
FOR_PAGES = {"matplotlib", "jinja2", "airlink.plots", "airlink.report", "airlink.study", "airlink_studies"}
FOR_INTERVALS = {"airlink.statistics", "statistics"}
MANY = {"airlink.campaign", "airlink.measures"} | FOR_INTERVALS
PROGRAM = """
import atexit, sys
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
from airlink.cli import main
main()
"""


def loaded(folder: Path, *words: str) -> Set[str]:
    """The modules that a command has loaded at its end."""
    command = [sys.executable, "-c", PROGRAM, *words]
    done = subprocess.run(command, cwd=folder, env=os.environ, capture_output=True, text=True, check=True)
    assert done.stdout
    return set(done.stderr.split())


@pytest.mark.parametrize(
    ("words", "needless"),
    [
        ("--version", FOR_NUMBERS | FOR_TABLES | FOR_PAGES | MANY),
        ("init -", FOR_TABLES | FOR_PAGES | MANY),
        ("check dumbbell -s duration_s=1", FOR_TABLES | FOR_PAGES | MANY),
        ("run dumbbell -s duration_s=0.1 --no-save", FOR_TABLES | FOR_PAGES | FOR_INTERVALS),
        ("run dumbbell -s duration_s=0.1", FOR_PAGES | {"airlink.statistics", "pandas", "pyarrow.compute"}),
    ],
)
def test_a_command_loads_nothing_that_it_does_not_use(tmp_path: Path, words: str, needless: Set[str]) -> None:
    found = loaded(tmp_path, *words.split())
    assert needless & found == set()
    assert {"airlink.cli.root", "typer"} <= found


def test_no_name_above_is_one_that_nothing_is_called() -> None:
    every = FOR_NUMBERS | FOR_TABLES | FOR_PAGES | MANY
    assert [name for name in sorted(every) if find_spec(name) is None] == []


def test_what_is_used_is_seen_to_be_loaded(tmp_path: Path) -> None:
    assert loaded(tmp_path, "run", "dumbbell", "-s", "duration_s=0.1") >= FOR_NUMBERS | {"pyarrow", "airlink.store"}
