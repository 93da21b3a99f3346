"""Overrides of a file are made before it is checked: only their result must be valid."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from airlink.scenario import Scenario, ScenarioError, trace_arrays

CELL = 'duration_s = 10\nusers = 3\nslot.duration_ms = "5/3"\n[[flows]]\n'
INCOMPLETE = """
users = 0
slot.duration_ms = "5/3"
channel.placement = {kind = "trace", files = ["missing.csv"]}
[[flows]]
"""
SIZE = ["duration_s=10", "users=3"]
BAD_INPUTS = Path(__file__).parent / "bad_inputs"


@pytest.fixture
def incomplete(tmp_path: Path) -> Path:
    """A file with three mistakes, one of them in its traces."""
    (tmp_path / "cell.toml").write_text(INCOMPLETE)
    return tmp_path / "cell.toml"


def wrong_paths(source: Any, *overrides: str) -> list[str]:
    with pytest.raises(ScenarioError) as error:
        Scenario.from_toml(source, overrides=overrides)
    return sorted(problem.path for problem in error.value.problems)


def test_overrides_repair_fields_and_what_remains_is_told(incomplete: Path) -> None:
    assert wrong_paths(incomplete) == ["channel.placement.files.0", "duration_s", "users"]
    assert wrong_paths(incomplete, *SIZE) == ["channel.placement.files.0"]


def test_a_trace_that_is_overridden_is_not_read(incomplete: Path, tmp_path: Path) -> None:
    (tmp_path / "here.csv").write_text("5\n7\n")
    files = f"channel.placement.files=['{(tmp_path / 'here.csv').as_posix()}']"
    replayed = Scenario.from_toml(incomplete, overrides=[*SIZE, files])
    assert trace_arrays(replayed)["values"][0].tolist() == [5, 7]


def test_a_kind_that_is_changed_away_from_traces_reads_none(incomplete: Path) -> None:
    elsewhere = ["channel.placement.mean_snr_db=10", "channel.placement.kind=mean_snr", *SIZE]
    assert Scenario.from_toml(incomplete, overrides=elsewhere) == Scenario.from_toml(CELL)


def test_a_new_kind_hides_no_field_that_is_misspelt() -> None:
    misspelt = CELL.replace("[[", 'scheduler = {kind = "round_robin", skip_unservabel = true}\n[[')
    assert wrong_paths(misspelt, "scheduler.kind=max_rate") == ["scheduler.skip_unservabel"]


def test_mistakes_of_overrides_and_of_the_file_are_told_together() -> None:
    wrong = CELL.replace("users = 3", "users = 0") + "start_s = -1\n"
    overrides = ["flows.1.start_s=1", "scheduler.exponent=2", "link.report.delay_slots=-1", "warmup_s.x=1"]
    paths = ["flows.0.start_s", "flows.1.start_s", "link.report.delay_slots", "scheduler.exponent", "users", "warmup_s"]
    assert wrong_paths(wrong, *overrides) == paths


@pytest.mark.parametrize("setting", ["scheduler.time_constant_slots=50", "link.rate.name=klein-2004"])
def test_a_table_that_is_not_written_is_changed_from_its_default(setting: str) -> None:
    assert Scenario.from_toml(CELL, overrides=[setting]) == Scenario.from_toml(CELL).override([setting])


@pytest.mark.parametrize(
    ("old", "setting"),
    [
        ("tu6", "channel.fading.profile=epa"),
        ("tdl-c", "channel.fading.profile=tdl-a"),
        ("tdl-c", "channel.fading.delay_spread_ns=30"),
    ],
)
def test_another_profile_or_spread_takes_the_place_of_the_numbers_of_the_old_one(old: str, setting: str) -> None:
    cell = Scenario.from_toml(CELL).override(["channel.fading.kind=tapped_delay_line", f"channel.fading.profile={old}"])
    stored = Scenario.from_json(cell.to_json())
    assert stored.override([setting]).channel == cell.override([setting]).channel
    assert stored.override([setting]).resolved() == cell.override([setting]).resolved() != stored


def test_delays_of_ones_own_are_kept_when_the_spread_changes() -> None:
    own = ["profile=custom", "delays_ns=[0, 100]", "powers_db=[0, -3]"]
    fading = ["kind=tapped_delay_line", *own]
    cell = Scenario.from_toml(CELL).override([f"channel.fading.{part}" for part in fading])
    spread = {"channel.fading.delay_spread_ns": 30.0}
    assert cell.with_(**spread).to_json() == cell.to_json().replace(
        '"delay_spread_ns": 100.0', '"delay_spread_ns": 30.0'
    )


def test_a_table_that_is_given_is_not_changed_by_what_comes_after_it() -> None:
    arq = {"max_retransmissions": 4, "feedback_delay_slots": 2}
    changed = Scenario.from_toml(CELL).with_(**{"link.arq": arq, "link.arq.max_retransmissions": 1})
    assert changed.link is not None
    assert (changed.link.arq.max_retransmissions, changed.link.arq.feedback_delay_slots) == (1, 2)
    assert arq == {"max_retransmissions": 4, "feedback_delay_slots": 2}


def test_a_path_in_brackets_is_told_how_it_is_written() -> None:
    with pytest.raises(ScenarioError) as error:
        Scenario.from_toml(CELL).override(["flows[0].tcp.profile=linux"])
    (problem,) = error.value.problems
    assert problem.message == "must have dots for brackets, as in flows.0.tcp.mss_bytes"


@pytest.mark.parametrize("file", sorted(BAD_INPUTS.glob("*.toml")), ids=lambda file: str(file.stem))
def test_a_message_names_a_field_as_an_override_does(file: Path) -> None:
    with pytest.raises(ScenarioError) as error:
        Scenario.from_toml(file)
    assert not [problem for problem in error.value.problems if re.search(r"\w\[\d", problem.path)]
