"""A result folder that airlink 0.1.0 wrote still opens: every command that reads results works on it.

`tests/fixtures/version-1.zip` was written with airlink 0.1.0: `airlink run dumbbell -s duration_s=0.4 -s users=2
-s bottleneck.limit_packets=5 -s flows.0.tcp.sack=true -s flows.0.tcp.sack_pipe=counted -s flows.0.tcp.forward_rto=true
-s flows.0.tcp.timestamps=true --seed 3 --record all`. Leaves out cells: only `[flows.tcp]` has moved.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from airlink import Result, Scenario
from test_cli import Answer

STORED = Path(__file__).parent / "fixtures/version-1.zip"
FOLDER = "version-1"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(STORED) as stored:
        stored.extractall(tmp_path / FOLDER)
    monkeypatch.chdir(tmp_path)


def test_the_folder_is_one_of_version_1() -> None:
    manifest = json.loads(Path(FOLDER, "result.json").read_text())
    assert (manifest["version"], manifest["scenario"]["scenario_version"]) == ("0.1.0", 1)
    assert manifest["scenario"]["flows"][0]["tcp"]["sack_pipe"] == "counted"


def test_its_numbers_and_its_scenario_are_read() -> None:
    result = Result.load(FOLDER)
    assert result.version == "0.1.0"
    assert result.cell["goodput_bps"][0] > 0
    assert result.series("packets").rows == 111
    rules = result.scenario.flows[0].tcp.rules
    assert (rules.sack_pipe, rules.frto) == ("ns2_sack1", True)


def test_its_scenario_can_be_written_as_a_file_of_now() -> None:
    scenario = Result.load(FOLDER).scenario
    assert Scenario.from_toml(scenario.to_toml()) == scenario


@pytest.mark.parametrize(
    "command",
    [
        "explain FOLDER",
        "explain FOLDER --user 1",
        "explain FOLDER --json",
        "report fairness FOLDER --window 0.1",
        "plot flow FOLDER --user 0 --out flow.html",
        "plot cell FOLDER --out cell.html",
        "plot fairness FOLDER --out fairness.html",
    ],
)
def test_a_command_that_reads_results_works_on_it(command: str) -> None:
    answer = Answer(*command.replace("FOLDER", FOLDER).split())
    assert answer.code == 0
    assert "again" not in answer.err


def test_its_digest_is_the_one_that_was_stored() -> None:
    (replica,) = json.loads(Path(FOLDER, "result.json").read_text())["replicas"]
    answer = Answer("store", "digest", FOLDER)
    assert (answer.code, answer.out.strip(), answer.err) == (0, replica["digest"], "")


@pytest.mark.parametrize(
    ("command", "series"),
    [
        ("explain FOLDER", "limits"),
        ("plot flow FOLDER --user 0 --out f.html", "acks"),
        ("report fairness FOLDER", "packets"),
    ],
)
def test_a_series_that_it_lacks_is_asked_for_in_one_line(command: str, series: str) -> None:
    manifest = Path(FOLDER, "result.json")
    told = json.loads(manifest.read_text())
    told["record"].remove(series)
    manifest.write_text(json.dumps({name: value for name, value in told.items() if name != "sha256"}))
    Path(FOLDER, "series", f"{series}.parquet").unlink()
    answer = Answer(*command.replace("FOLDER", FOLDER).split())
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"airlink: {FOLDER}: made by airlink 0.1.0; this is ")
    assert answer.err.endswith(f"run the scenario again with --record {series}\n")
    assert answer.err.count("\n") == 1
