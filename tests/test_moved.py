"""Fields of version 1 of the format: what is said of each, and that stored results still open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from airlink import Scenario, ScenarioError
from airlink.scenario import moved
from airlink.scenario.sections import Rules, Tcp

PAGE = Path(__file__).parent.parent / "docs/version-2.md"
TINY: dict[str, Any] = {
    "bottleneck": {"rate_bps": 1e7},
    "duration_s": 1,
    "users": 1,
    "flows": [{"users": "all"}],
}


LATER = {"ecn_least_window_segments", "ecn_acks_at_once", "time_wait_ms", "half_close", "challenge_acks"}
"""Rules that version 1 did not have."""


def of_version_1(tcp: dict[str, Any]) -> dict[str, Any]:
    return {**TINY, "scenario_version": 1, "flows": [{"users": "all", "tcp": tcp}]}


def in_version_1(complete: dict[str, Any]) -> dict[str, Any]:
    """A complete TCP as version 1 wrote it."""
    old = {new: name for name, new in moved.RULES.items()}
    rules = {old[name]: value for name, value in complete["rules"].items() if name not in LATER}
    rules["sack_pipe"] = {"ns2_sack1": "counted"}.get(rules["sack_pipe"], rules["sack_pipe"])
    return {**{name: value for name, value in complete.items() if name != "rules"}, **rules}


def test_every_rule_is_in_the_table_and_nothing_else() -> None:
    assert sorted(moved.RULES.values()) == sorted(set(Rules.model_fields) - LATER)
    assert set(moved.RULES) & set(Tcp.model_fields) == set()


def test_every_old_field_is_told_its_new_place_beside_other_mistakes() -> None:
    old = in_version_1(Tcp(profile="ns2").model_dump(mode="json"))
    with pytest.raises(ScenarioError) as error:
        Scenario(**{**of_version_1(old), "users": -1})
    told = {problem.path: problem.message for problem in error.value.problems}
    for name, new in moved.RULES.items():
        assert told[f"flows.0.tcp.{name}"].startswith(f"is now flows.0.tcp.rules.{new}")
    assert told["flows.0.tcp.sack_pipe"] == 'is now flows.0.tcp.rules.sack_pipe = "ns2_sack1"'
    assert told["scenario_version"].startswith("is now 2")
    assert "users" in told
    assert len(told) == len(moved.RULES) + 2


@pytest.mark.parametrize("path", ["flows.0.tcp.rate_reduction", "flows.0.tcp.rules.rate_reduction"])
def test_an_override_by_an_old_name_is_told_the_new_place(path: str) -> None:
    with pytest.raises(ScenarioError) as error:
        Scenario(**TINY).override([f"{path}=linux"])
    assert [str(problem) for problem in error.value.problems] == [f'{path} = "linux": is now flows.0.tcp.rules.prr']


CLAMPED: dict[str, Any] = {
    "duration_s": 1,
    "users": 1,
    "slot": {"duration_ms": 1},
    "scheduler": {"kind": "max_rate", "covered_users": "leave"},
    "queue": {"price": {"kind": "clamp", "reactivity": 0.5, "free_bytes": 2000}},
    "upstream": {"rate_bps": 1e6, "price": {"kind": "clamp_delay", "initial_free_bytes": 1, "least_free_bytes": 0}},
    "flows": [{"tcp": {"clamp": {"kind": "sender", "additive_bytes": 400}}}, {"tcp": {"clamp": {"kind": "off"}}}],
}
"""Fields of version 1 that have other names now."""


def test_a_renamed_field_is_told_its_name() -> None:
    with pytest.raises(ScenarioError) as error:
        Scenario(**CLAMPED)
    told = {problem.path: problem.message for problem in error.value.problems}
    assert told == {
        "scheduler.covered_users": "is now scheduler.release_satisfied_users = true",
        "queue.price.reactivity": "is now queue.price.gain_b",
        "queue.price.free_bytes": "is now queue.price.free_a_bytes",
        "upstream.price.initial_free_bytes": "is now upstream.price.initial_free_a_bytes",
        "upstream.price.least_free_bytes": "is now upstream.price.least_free_a_bytes",
        "flows.0.tcp.clamp.kind": 'is now flows.0.tcp.clamp.side = "sender"',
        "flows.0.tcp.clamp.additive_bytes": "is now flows.0.tcp.clamp.tau_bytes",
        "flows.1.tcp.clamp.kind": "is now no [flows.tcp.clamp] at all",
    }


def test_a_stored_scenario_with_renamed_fields_is_read_as_it_was() -> None:
    now = Scenario(**moved.of_now({**CLAMPED, "scenario_version": 1}))
    assert now.scheduler is not None
    assert now.queue is not None
    assert now.upstream is not None
    assert now.scheduler.release_satisfied_users is True
    assert now.queue.price.model_dump(include={"gain_b", "free_a_bytes"}) == {"gain_b": 0.5, "free_a_bytes": 2000}
    assert now.upstream.price.model_dump(include={"least_free_a_bytes"}) == {"least_free_a_bytes": 0}
    first, second = (flow.tcp.clamp for flow in now.flows)
    assert first is not None
    assert (first.side, first.tau_bytes, second) == ("sender", 400, None)


def test_controls_that_no_network_could_run_are_told_their_table() -> None:
    cell = {"duration_s": 1, "users": 1, "slot": {"duration_ms": 1}, "flows": [{"hold_timeouts": "initial"}]}
    own = {"time_constant_slots": 500, "covered_users": "leave"}
    with pytest.raises(ScenarioError) as error:
        Scenario(**cell, scheduler={"kind": "ideal_tcp_pf", "ties": "random", **own})
    assert {problem.path: problem.message for problem in error.value.problems} == {
        "flows.0.hold_timeouts": "is now experimental.hold_timeouts",
        "scheduler.kind": 'is now experimental.scheduler.kind = "ideal_tcp_pf"',
        "scheduler.time_constant_slots": "is now experimental.scheduler.time_constant_slots",
        "scheduler.covered_users": "is now scheduler.release_satisfied_users = true",
    }


def test_stored_controls_of_version_1_are_read_in_their_table() -> None:
    scheduler = {
        "kind": "ideal_tcp_pf",
        "time_constant_slots": 50.0,
        "initial_average_bps": 1e4,
        "ties": "lowest_index",
    }
    flows = [{"users": "all", "hold_timeouts": word} for word in ("off", "initial")]
    cell = {"duration_s": 1, "users": 1, "slot": {"duration_ms": 1}}
    stored = Scenario(**moved.of_now({**cell, "scenario_version": 1, "scheduler": scheduler, "flows": flows}))
    own = {name: value for name, value in scheduler.items() if name != "ties"}
    experimental = {"hold_timeouts": "initial", "scheduler": own}
    groups = [{"users": "all"}, {"users": "all"}]
    beside = {"kind": "proportional_fair", "ties": "lowest_index"}
    assert stored == Scenario(**cell, scheduler=beside, flows=groups, experimental=experimental)
    assert stored.experimental_controls() == [
        "experimental.scheduler.kind=ideal_tcp_pf",
        "experimental.hold_timeouts=initial",
    ]


def test_an_old_word_is_told_the_new_one() -> None:
    with pytest.raises(ScenarioError, match='sack_pipe = "counted": is now "ns2_sack1"'):
        Scenario(**TINY).override(["flows.0.tcp.sack=true", "flows.0.tcp.rules.sack_pipe=counted"])


@pytest.mark.parametrize("profile", ["classic", "ns2", "rfc", "linux"])
def test_a_stored_scenario_of_version_1_is_read_as_it_was(profile: str) -> None:
    now = Scenario(**TINY).override([f"flows.0.tcp.profile={profile}"])
    stored = json.loads(now.to_json())
    stored["scenario_version"] = 1
    stored["flows"] = [{**flow, "tcp": in_version_1(flow["tcp"])} for flow in stored["flows"]]
    assert Scenario(**moved.of_now(stored)) == now
    assert moved.of_now(json.loads(now.to_json())) == json.loads(now.to_json())


def test_the_page_has_every_field() -> None:
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| `") and "| `rules." in line]
    assert rows == [f"| `{name}` | `rules.{new}` |" for name, new in moved.RULES.items()]
