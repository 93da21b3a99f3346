"""Warnings: where they show, that what has no effect changes no number, and that what is never served never is."""

from __future__ import annotations

import json
import time
import warnings
from pathlib import Path

import pytest
from typer.testing import CliRunner

import airlink
from airlink import Scenario, ScenarioWarning, campaign
from airlink.cli import app
from airlink.scenario import ready, ready_names, warnings_of

CELL = """
duration_s = 1
users = 2
slot.duration_ms = 5
queue.codel.target_ms = 20
[[flows]]
"""
TOLD = 'queue.codel.target_ms = 20.0: has no effect unless queue.kind = "codel"; set that, or leave this out'
EXAMPLES = sorted((Path(__file__).parent.parent / "docs/examples").glob("*.toml"))


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    path = tmp_path / "cell.toml"
    path.write_text(CELL)
    return path


def test_run_prints_each_warning_once_on_stderr(cell: Path) -> None:
    done = CliRunner().invoke(app, ["run", str(cell), "--no-save", "--replicas", "3"])
    assert done.exit_code == 0
    assert done.stderr.count(f"airlink: warning: {TOLD}\n") == 1
    assert "warning" not in done.stdout


def test_quiet_runs_print_no_warning(cell: Path) -> None:
    done = CliRunner().invoke(app, ["run", str(cell), "--no-save", "--quiet"])
    assert done.exit_code == 0
    assert done.output == ""


def test_json_holds_the_warnings(cell: Path) -> None:
    done = CliRunner().invoke(app, ["run", str(cell), "--no-save", "--json", "--quiet"])
    assert json.loads(done.stdout)["warnings"] == [{"path": "queue.codel.target_ms", "message": TOLD}]
    done = CliRunner().invoke(app, ["run", str(cell), "--no-save", "--json", "-s", "queue.kind=codel"])
    assert json.loads(done.stdout)["warnings"] == []


def test_python_warns_at_the_line_that_runs() -> None:
    scenario = Scenario.from_toml(CELL)
    with pytest.warns(ScenarioWarning) as told:
        airlink.run(scenario, replicas=2)
    assert [str(each.message) for each in told] == [TOLD]
    assert told[0].filename == __file__


def test_a_campaign_tells_each_warning_once() -> None:
    scenario = Scenario.from_toml(CELL)
    plan = campaign.Plan({"two": scenario, "three": scenario.with_(users=3)}, seeds=(1, 2))
    with pytest.warns(ScenarioWarning) as told:
        campaign.run(plan)
    assert [str(each.message) for each in told] == [TOLD]
    assert told[0].filename == __file__


def test_flows_that_are_alike_share_a_warning() -> None:
    groups = "[[flows]]\n" * 2 + '[[flows]]\ntraffic.kind = "file"\n'
    scenario = Scenario.from_toml(CELL.replace("[[flows]]\n", groups)).override(["flows.*.tcp.cubic.c=0.5"])
    (told,) = [each for each in warnings_of(scenario) if "cubic" in each.path]
    assert told.path == "flows.0.tcp.cubic.c"
    assert told.message.endswith("(also flows.1, flows.2)")


def test_fields_of_one_table_share_a_warning() -> None:
    (told,) = warnings_of(Scenario.from_toml(CELL).with_(**{"queue.codel.interval_ms": 50}))
    assert str(told).startswith("queue.codel = {target_ms = 20.0, interval_ms = 50.0}: has no effect")


def test_defaults_that_are_written_out_are_no_warning() -> None:
    usual = Scenario.from_toml(CELL).with_(**{"queue.codel.target_ms": 5})
    assert warnings_of(Scenario.from_toml(usual.to_toml())) == []


@pytest.mark.parametrize("name", ready_names())
def test_ready_scenarios_have_no_warnings(name: str) -> None:
    assert warnings_of(ready(name)) == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_have_no_warnings(path: Path) -> None:
    assert warnings_of(Scenario.from_toml(path, read_traces=False)) == []


def test_series_that_stay_empty_are_told_unless_all_are_asked_for(cell: Path) -> None:
    told = 'airlink: warning: record = "sacks": stays empty; set flows.N.tcp.sack = true, or leave it out'
    for record, count in (("sacks,acks", 1), ("all", 0)):
        done = CliRunner().invoke(app, ["run", str(cell), "--no-save", "--record", record])
        assert done.exit_code == 0
        assert done.stderr.count(told) == count
    with pytest.warns(ScenarioWarning, match="stays empty"):
        airlink.run(Scenario.from_toml(CELL), record=["sacks"])


@pytest.mark.parametrize(("setting", "told"), [("", 0), ("scheduler.ties=random", 0), ("queue.codel.target_ms=9", 1)])
def test_of_a_ready_scenario_only_what_is_overridden_is_told(setting: str, told: int) -> None:
    settings = ["scheduler.kind=round_robin", "duration_s=6", *[setting] * bool(setting)]
    words = [word for each in settings for word in ("-s", each)]
    done = CliRunner().invoke(app, ["run", "k3", "--no-save", *words])
    assert done.exit_code == 0
    assert done.stderr.count("airlink: warning: ") == told
    # In Python nobody knows who set it.
    assert warnings_of(ready("k3", settings[:1])) != []


def test_of_thousands_of_warnings_a_hundred_are_told_at_once() -> None:
    wire = "duration_s = 1\nusers = 2000\nbottleneck = {}\n"
    groups = "".join(f"[[flows]]\nusers = [{user}]\ntcp.cubic.c = {user + 100}e-2\n" for user in range(2000))
    scenario = Scenario.from_toml(wire + groups)
    began = time.process_time()
    told = warnings_of(scenario)
    assert time.process_time() - began < 10
    assert len(told) == 101
    assert str(told[-1]) == "and 1900 more warnings"


def test_warnings_can_be_filtered() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("ignore", ScenarioWarning)
        airlink.run(Scenario.from_toml(CELL))
    assert told == []
