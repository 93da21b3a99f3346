"""Every rule of docs/rules.toml has a script that holds with the rule and fails without it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from airlink.engine import play_script
from airlink.scenario import Script
from airlink.scenario.fields import Section
from airlink.scenario.sections import Tcp
from rules_page import REFERENCES, ROOT, RULES, page

SCRIPTS = ROOT / "tests/scripts"
FILES = sorted(SCRIPTS.glob("*.tcp"))
NAMES = [f"{rule['script']}-{rule['switch']}" for rule in RULES]

# What the project set out to have: RFC, and the fields that must each be the switch of at least one of its rules.
REQUIRED = {
    5681: {"initial_ssthresh_segments", "duplicate_ack_threshold", "congestion_control", "restart_after_idle"}
    | {"delayed_ack.every", "delayed_ack.timer_ms", "delayed_ack.immediate_on_gap"},
    6582: {"congestion_control", "rules.careful_fast_retransmit", "rules.impatient"},
    2018: {"sack", "rules.sack_blocks"},
    6675: {"sack", "rules.sack_of_old_acks", "rules.sack_rescue"},
    3042: {"rules.limited_transmit"},
    9937: {"rules.prr"},
    6298: {"rto.tick_ms", "rto.min_ms", "rto.initial_ms", "rto.max_ms", "rto.backoff_factor", "rto.karn"},
    7323: {"timestamps", "window_scaling"},
    5682: {"rules.frto"},
    3522: {"rules.eifel_detection"},
    4015: {"rules.spurious_response"},
    2883: {"rules.dsack", "rules.dsack_detection"},
    8985: {"rules.rack", "rules.tail_loss_probe"},
    3390: {"initial_window"},
    6928: {"initial_window"},
    7661: {"rules.window_validation"},
    3465: {"rules.growth", "rules.byte_counting_limit_segments"},
    9438: {"cubic.beta", "cubic.fast_convergence", "cubic.reno_friendly"},
    9406: {"rules.slow_start_exit"},
    9293: {"reader", "handshake", "rto.min_ms"},
    3168: {"ecn", "rules.ecn_least_window_segments"},
}

# Fields that are no rule of their own: sizes, the label, CLAMP (tests/test_clamp.py), and habits of ns-2 and Linux that
# their validation holds.
NO_RULES = {
    "profile",
    "mss_bytes",
    "header_bytes",
    "close",
    "ack_bytes",
    "rules.count_option_bytes",
    "initial_window_segments",
} | {
    "receiver_window_bytes",
    "clamp",
    "rules.option_header_bytes",
    "rules.forgets_recovery_point",
    "rules.first_loss_unguarded",
    "rules.growth_at_recovery_end",
    "rules.recovery_burst_segments",
    "rules.limited_transmit_resends",
    "rules.timeout_keeps_duplicates",
    "delayed_ack.timer_first",
    "rules.sack_pipe",
    "rto.estimator",
    "rto.tick_offset_ms",
}


def read(rule: dict[str, Any]) -> Script:
    return Script.from_file(SCRIPTS / f"{rule['script']}.tcp")


def value_of(script: Script, path: str) -> Any:
    """The field at that path in the script's complete TCP."""
    value: Any = script.head.tcp
    for step in path.split("."):
        value = getattr(value, step)
    return value


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_script_holds_and_says_what_it_shows(file: Path) -> None:
    script = Script.from_file(file)
    assert play_script(script) is None
    assert script.head.rule, "its rule, with its source"


@pytest.mark.parametrize("rule", RULES, ids=NAMES)
def test_a_script_fails_without_its_rule(rule: dict[str, Any]) -> None:
    script = read(rule)
    assert play_script(script.with_tcp({rule["switch"]: rule["on"]})) is None
    assert play_script(script.with_tcp({rule["switch"]: rule["off"]})) is not None


@pytest.mark.parametrize("rule", RULES, ids=NAMES)
def test_a_script_has_its_rule_on(rule: dict[str, Any]) -> None:
    script = read(rule)
    on = script.with_tcp({rule["switch"]: rule["on"]})
    assert value_of(script, rule["switch"]) == value_of(on, rule["switch"])


@pytest.mark.parametrize("rule", RULES, ids=NAMES)
def test_a_script_names_the_source_of_its_rule(rule: dict[str, Any]) -> None:
    named = read(rule).head.rule
    if "rfc" in rule:
        assert f"RFC {rule['rfc']} section" in named
        assert rule["section"] in named
        assert str(rule["rfc"]) in REFERENCES["rfc"]
    else:
        assert rule["source"].split(",")[0] in named


def test_every_rule_that_was_asked_for_is_here() -> None:
    present: dict[int, set[str]] = {}
    for rule in RULES:
        present.setdefault(rule.get("rfc", 0), set()).add(rule["switch"])
    missing = {rfc: fields - present.get(rfc, set()) for rfc, fields in REQUIRED.items()}
    assert {rfc: fields for rfc, fields in missing.items() if fields} == {}


def test_every_field_is_the_switch_of_a_rule_or_known_as_none() -> None:
    switches = {rule["switch"] for rule in RULES}
    fields = set(fields_of(Tcp()))
    missing = {field for field in fields - switches - NO_RULES if field.split(".")[0] not in switches}
    assert missing == set()
    assert NO_RULES - fields == set()


def fields_of(section: Section, above: str = "") -> Iterator[str]:
    """The paths of all fields."""
    for name in type(section).model_fields:
        value = getattr(section, name)
        if isinstance(value, Section):
            yield from fields_of(value, f"{above}{name}.")
        else:
            yield above + name


def test_every_script_belongs_to_a_rule() -> None:
    assert {file.stem for file in FILES} - {rule["script"] for rule in RULES} == set()


def test_the_page_is_that_of_the_rules() -> None:
    assert (ROOT / "docs/rules.md").read_text() == page(), "run `make docs`"
