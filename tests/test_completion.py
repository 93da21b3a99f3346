"""Words that the shells complete: as bash asks for them, as zsh and fish do, and each kind of word."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from airlink import RECORD_KINDS
from airlink.cli import app, completion
from airlink.scenario import READY, ready_names
from airlink.study.discovery import study_names

BIN = Path(sys.executable).parent
COMPLETE = "_AIRLINK_COMPLETE"
ENVIRONMENT = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}


def in_bash(*words: str, folder: Path) -> list[str]:
    """What bash offers for the last word, by the script that `--show-completion` prints."""
    line = " ".join(f"'{word}'" for word in words)
    script = (
        f'eval "$({COMPLETE}=source_bash airlink)"\n'
        f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}\n"
        '"$(complete -p airlink | sed "s/.*-F \\([^ ]*\\).*/\\1/")" airlink\n'
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split("\n")[:-1]


def asked(shell: str, words: str, **more: str) -> str:
    """What the command answers to a shell."""
    asks = {COMPLETE: f"complete_{shell}", "_TYPER_COMPLETE_ARGS": words, **more}
    done = subprocess.run([BIN / "airlink"], env=ENVIRONMENT | asks, capture_output=True, text=True)
    assert done.stderr == ""
    return done.stdout


def offered(*words: str, option: str) -> Any:
    """The function that completes an option or argument of a command."""
    command: Any = get_command(app)
    for word in words:
        command = command.commands[word]
    return next(each for each in command.params if each.name == option)._custom_shell_complete


def test_bash_completes_scenarios_and_the_files_beside_them(tmp_path: Path) -> None:
    (tmp_path / "evening.toml").write_text("")
    (tmp_path / "events.csv").write_text("")
    assert in_bash("airlink", "run", "ev", folder=tmp_path) == ["evdo", "evening.toml"]


def test_zsh_and_fish_are_told_what_a_word_means() -> None:
    assert f'"evdo":"{READY["evdo"]}"' in asked("zsh", "airlink run ev").replace("\\\\", "\\").replace("\\:", ":")
    answer = asked("fish", "airlink run ev", _TYPER_COMPLETE_FISH_ACTION="get-args")
    assert answer.splitlines() == [f"evdo\t{READY['evdo']}"]


def test_completing_waits_for_nothing_that_draws_or_reads_tables() -> None:
    program = (
        "import atexit, sys\n"
        "atexit.register(lambda: print(*{'matplotlib', 'pyarrow', 'jinja2'} & set(sys.modules), file=sys.stderr))\n"
        "from airlink.cli import main\n"
        "main()\n"
    )
    asks = {COMPLETE: "complete_bash", "COMP_WORDS": "airlink reproduce tcp", "COMP_CWORD": "2"}
    done = subprocess.run([sys.executable, "-c", program], env=os.environ | asks, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("tcp-pf\n", "\n")


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["run"], "file"),
        (["run"], "record"),
        (["check"], "file"),
        (["sweep"], "scenario"),
        (["sweep"], "measure"),
        (["compare"], "arms"),
        (["init"], "name"),
        (["reproduce"], "study"),
    ],
)
def test_a_word_that_has_names_is_completed(words: Sequence[str], option: str) -> None:
    assert offered(*words, option=option) is not None


@pytest.mark.parametrize(
    ("words", "offers"),
    [
        (["list", "s"], ["schedulers", "scenarios", "series", "studies"]),
        (["list", "schedulers", "max"], ["max_rate"]),
        (["list", "studies", "tcp"], ["tcp-pf"]),
        (["list", "measures", "cell.goodput"], ["cell.goodput_bps", "cell.goodput_up_bps"]),
        (["list", "nonsense", "a"], []),
    ],
)
def test_kinds_and_their_entries_are_completed(words: Sequence[str], offers: Sequence[str]) -> None:
    asks = {COMPLETE: "complete_zsh", "_TYPER_COMPLETE_ARGS": shlex.join(["airlink", *words])}
    answer = CliRunner().invoke(app, [], env=asks, prog_name="airlink")
    assert re.findall(r'"(.*?)"', answer.output) == offers


def test_a_series_is_completed_after_each_comma_and_once() -> None:
    assert completion.series("") == [*RECORD_KINDS, "all", "pcap"]
    assert completion.series("grants,m") == ["grants,mcs"]
    assert completion.series("grants,gr") == []
    assert completion.series("grants,al") == []


def test_names_are_those_that_are_there() -> None:
    assert [name for name, _ in completion.ready_scenarios("")] == list(ready_names())
    assert completion.studies("") == study_names()
    assert completion.measures("cell.goodput") == ["cell.goodput_bps", "cell.goodput_up_bps"]
    assert not [measure for measure in completion.measures("") if "(" in measure]


def test_files_are_completed_in_the_folder_that_is_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cells").mkdir()
    (tmp_path / "cells" / "a.toml").write_text("")
    (tmp_path / "cells" / "a.txt").write_text("")
    monkeypatch.chdir(tmp_path)
    assert completion.scenarios("cel") == [("cells/", "")]
    assert completion.scenarios("cells/") == [("cells/a.toml", "")]
    assert completion.scenarios(f"{tmp_path}/cells/") == [(f"{tmp_path}/cells/a.toml", "")]
    assert completion.scenarios("nowhere/") == []
