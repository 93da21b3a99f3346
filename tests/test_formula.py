"""A scheduler as a formula: the results of the built-in ones, and what is said of a text that is none."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import airlink
from airlink.cli import formula_list
from airlink.scenario import Scenario, ScenarioError, warnings_of
from airlink.scenario.formula import formula_names, formula_refusal, names_of
from airlink.scenario.sections import Formula
from test_cli import CELL, Answer

SMALL = """
duration_s = 2
users = 6
slot.duration_ms = 1
[channel.placement]
kind = "mean_snr"
mean_snr_db = [3, 6, 9, 12, 15, 18]
[[flows]]
"""
MANY = """
carrier = { subchannels = 50, subchannel_hz = 180_000 }
channel.fading = { kind = "tapped_delay_line", profile = "epa" }
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cell.toml").write_text(CELL)


def _digest(scenario: Scenario) -> str:
    return airlink.run(scenario, record=("slots",)).digest()


@pytest.mark.parametrize("ties", ["random", "lowest_index"])
@pytest.mark.parametrize("subchannels", [1, 50])
@pytest.mark.parametrize(
    ("built_in", "metric"),
    [
        ({"kind": "proportional_fair", "time_constant_slots": 100}, "rate / average"),
        ({"kind": "max_rate"}, "rate"),
        ({"kind": "lambda", "exponent": 1.5, "time_constant_slots": 100}, "log(rate) - 1.5 * log(average)"),
    ],
)
def test_a_formula_has_the_digest_of_the_built_in(
    built_in: dict[str, object], metric: str, subchannels: int, ties: str
) -> None:
    scenario = Scenario.from_toml((MANY if subchannels > 1 else "") + SMALL)
    shared = {"ties": ties, "release_satisfied_users": subchannels > 1}
    average = {"time_constant_slots": 100} if "average" in metric else {}
    of_formula = {"kind": "formula", "metric": metric, **average, **shared}
    assert _digest(scenario.with_(scheduler=of_formula)) == _digest(scenario.with_(scheduler=built_in | shared))


def test_a_formula_reads_the_weight_and_the_delay_budget_of_each_user() -> None:
    scenario = Scenario.from_toml(SMALL).with_(
        scheduler={"kind": "formula", "metric": "weight / delay_budget_s", "weight": [1, 2, 3, 1, 1, 1]}
    )
    budgets = scenario.with_(**{"scheduler.delay_budget_ms": [100, 100, 300, 100, 20, 100]})
    alike = scenario.with_(**{"scheduler.delay_budget_ms": 100})
    assert [_most_served(each) for each in (alike, budgets)] == [2, 4]


def _most_served(scenario: Scenario) -> int:
    users = airlink.run(scenario).users
    return int(users["granted_bps"].argmax())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("rate / averag", 'at character 8: no column "averag"; nearest: average'),
        ("rate * (", "at character 9: a value is missing at the end"),
        ("max(rate)", "at character 1: max can't have 1 argument: write max(x, y, ...)"),
        ("open('x')", "at character 6: '\\'' is no part of a formula"),
        ("exp(" * 31 + "1" + ")" * 31, "at character 124: parentheses are too deep: at most 30"),
        (" ", "at character 2: a value is missing at the end"),
    ],
)
def test_a_text_that_is_no_formula_is_one_message(text: str, told: str) -> None:
    for words in (["run", "cell.toml", "--no-save"], ["check", "cell.toml"]):
        answer = Answer(*words, "-s", "scheduler.kind=formula", "-s", f"scheduler.metric={json.dumps(text)}")
        assert answer.code == 2
        assert "Traceback" not in answer.err
        lines = [line for line in answer.err.splitlines() if line.strip()]
        assert sum("scheduler.metric" in line for line in lines) == 1
        assert " ".join(told.split()) in " ".join(answer.err.split())


@pytest.mark.parametrize("text", ["", "1" * 1001])
def test_an_empty_or_endless_formula_is_refused_by_its_length(text: str) -> None:
    with pytest.raises(ScenarioError, match=r"scheduler\.metric"):
        Scenario.from_toml(SMALL).with_(scheduler={"kind": "formula", "metric": text})


def test_a_formula_must_be_given_and_a_text() -> None:
    for scheduler in ({"kind": "formula"}, {"kind": "formula", "metric": 3}):
        with pytest.raises(ScenarioError, match=r"scheduler\.metric"):
            Scenario.from_toml(SMALL).with_(scheduler=scheduler)


def test_a_number_in_the_place_of_a_formula_is_told_to_be_quoted() -> None:
    for number in ("-1", "inf"):
        answer = Answer(
            "run", "cell.toml", "--no-save", "-s", "scheduler.kind=formula", "-s", f"scheduler.metric={number}"
        )
        assert answer.code == 2
        assert f"""must be text; in quotes it is one: "{float(number):g}", on a command line""" in answer.err
    quoted = Answer("check", "cell.toml", "-s", "scheduler.kind=formula", "-s", 'scheduler.metric="-1"')
    assert quoted.code == 0


def test_a_formula_passes_through_toml_and_json() -> None:
    text = "rate / average * where(head_of_line_delay_s > 0.1, 2, 1)"
    scenario = Scenario.from_toml(SMALL).with_(scheduler={"kind": "formula", "metric": text})
    for again in (Scenario.from_toml(scenario.to_toml()), Scenario.from_json(scenario.to_json())):
        assert isinstance(again.scheduler, Formula)
        assert again.scheduler.metric == text


def test_a_sweep_goes_over_formulas_with_commas() -> None:
    axis = "scheduler.metric=rate / average,max(rate, average),min(rate, 1e6) / average"
    answer = Answer(
        *(
            "sweep",
            "cell.toml",
            "-s",
            "scheduler.kind=formula",
            "-s",
            "scheduler.metric=rate",
            "-x",
            axis,
            "-s",
            "duration_s=1",
        ),
        *("-m", "cell.goodput_bps", "--seeds", "1-2", "--json"),
    )
    assert answer.code == 0, answer.err
    assert all(text in answer.out for text in ("rate / average", "max(rate, average)", "min(rate, 1e6) / average"))


def test_the_list_has_every_name_within_eighty_columns() -> None:
    answer = Answer("list", "formula")
    assert answer.code == 0
    assert max(map(len, answer.out.splitlines())) <= 80
    for each in formula_names():
        assert re.search(rf"(^|\s){re.escape(each.name)}(\s|$)", answer.out), each
    listed = json.loads(Answer("list", "formula", "--json").out)
    assert list(listed) == [each.name for each in formula_names()]
    assert listed["rate"]["unit"] == "b/s"
    assert "natural logarithm" in Answer("list", "formula", "log").out
    assert Answer("list", "formula", "nothing").code == 2


def test_every_example_of_the_list_is_a_formula() -> None:
    assert {formula_refusal(text) for text in formula_list.EXAMPLES} == {None}
    known = {each.name.partition("(")[0] for each in formula_names()}
    for text in formula_list.EXAMPLES:
        assert names_of(Formula(metric=text)) <= known


@pytest.mark.parametrize(
    ("metric", "idle"),
    [
        ("rate", ["scheduler.weight", "scheduler.delay_budget_ms", "scheduler.time_constant_slots"]),
        ("weight * rate / average", ["scheduler.delay_budget_ms"]),
        ("rate / delay_budget_s", ["scheduler.weight", "scheduler.time_constant_slots"]),
    ],
)
def test_what_a_formula_does_not_name_has_no_effect(metric: str, idle: list[str]) -> None:
    scheduler = {"kind": "formula", "metric": metric, "weight": 2, "delay_budget_ms": 50, "time_constant_slots": 50}
    scenario = Scenario.from_toml(SMALL).with_(scheduler=scheduler)
    assert sorted(each.path for each in warnings_of(scenario)) == sorted(idle)
