"""Controls that no network could run: a scenario has none unless it asks, and a result that has one says so."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import airlink
from airlink.cli import app
from airlink.scenario import Scenario, ready

CELL = """
duration_s = 0.5
users = 2
slot.duration_ms = 5
channel.placement = {kind = "mean_snr", mean_snr_db = 10}
flows = [{start_spread_s = 0.1}]
"""


def test_no_ready_scenario_has_a_control() -> None:
    assert [name for name in airlink.scenario.ready_names() if ready(name).experimental_controls()] == []


@pytest.mark.parametrize("setting", ["scheduler.kind=unapproximated_tcp_pf", "hold_timeouts=spurious"])
def test_a_result_says_which_controls_it_has(setting: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    cell = tmp_path_factory.mktemp("cell") / "cell.toml"
    cell.write_text(CELL)
    asked = ["run", str(cell), "--no-save", "-s", f"experimental.{setting}"]
    told = CliRunner().invoke(app, asked).output
    assert f"Experimental, as no network could run it: experimental.{setting}" in told
    assert json.loads(CliRunner().invoke(app, [*asked, "--json"]).stdout)["experimental"] == [f"experimental.{setting}"]
    assert "experimental controls" in repr(airlink.run(Scenario.from_toml(CELL).override([f"experimental.{setting}"])))


def test_a_result_without_controls_says_nothing_of_them(tmp_path_factory: pytest.TempPathFactory) -> None:
    cell = tmp_path_factory.mktemp("cell") / "cell.toml"
    cell.write_text(CELL)
    assert "xperimental" not in CliRunner().invoke(app, ["run", str(cell), "--no-save"]).output
    assert "experimental" not in repr(airlink.run(Scenario.from_toml(CELL)))


def test_an_experimental_scheduler_takes_the_place_of_the_own_one() -> None:
    cell = Scenario.from_toml(CELL)
    control = "experimental.scheduler={kind = 'ideal_tcp_pf', time_constant_slots = 20}"
    serving = {airlink.run(cell.override([*own, control])).digest() for own in ([], ["scheduler.kind=round_robin"])}
    assert len(serving) == 1
    assert airlink.run(cell).digest() not in serving
