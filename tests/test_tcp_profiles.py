"""Profiles of TCP: what they set, that their page says so, and that they are labels once a scenario is complete."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import airlink
from airlink.scenario import Scenario, profiles, ready
from airlink.scenario.sections import Tcp
from airlink.scenario.toml import toml_value

CELL = 'duration_s = 10\nusers = 3\nslot.duration_ms = "5/3"\n[[flows]]\n'
NAMES = sorted(profiles.PROFILES)
PAGE = Path(__file__).parent.parent / "docs/models/tcp-profiles.md"


def cell(*overrides: str) -> Scenario:
    return Scenario.from_toml(CELL, overrides=overrides)


def tcp(scenario: Scenario) -> Tcp:
    return scenario.flows[0].tcp


def leaves(values: dict[str, Any], path: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in values.items():
        found |= leaves(value, f"{path}{name}.") if isinstance(value, dict) else {f"{path}{name}": value}
    return found


@pytest.mark.parametrize("name", NAMES)
class TestEveryProfile:
    def test_is_valid_and_sets_what_it_says(self, name: str) -> None:
        values = leaves(Tcp(profile=name).model_dump())
        expected = leaves({**profiles.PROFILES[name], "profile": name})
        assert {path: values[path] for path in expected} == expected

    def test_leaves_every_other_field_at_the_default_of_its_class(self, name: str) -> None:
        values, classic = leaves(Tcp(profile=name).model_dump()), leaves(Tcp().model_dump())
        moved = {path for path, value in values.items() if path not in classic or value != classic[path]}
        assert moved <= {"profile", *leaves(profiles.PROFILES[name])}

    def test_survives_toml_and_json_with_every_field_explicit(self, name: str) -> None:
        scenario = cell(f"flows.0.tcp.profile={name}")
        assert Scenario.from_toml(scenario.to_toml()) == scenario
        assert Scenario.from_json(scenario.to_json()) == scenario.resolved()
        written = json.loads(scenario.to_json())["flows"][0]["tcp"]
        assert set(leaves(written)) == set(leaves(Tcp(profile=name).model_dump(exclude_none=True)))

    def test_is_a_label_once_the_scenario_is_complete(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        scenario = cell(f"flows.0.tcp.profile={name}")
        toml, text = scenario.to_toml(), scenario.to_json()
        monkeypatch.setattr(profiles, "PROFILES", {key: {"mss_bytes": 7, "rto": {"min_ms": 7.0}} for key in NAMES})
        assert Scenario.from_toml(toml) == scenario
        assert Scenario.from_json(text) == scenario.resolved()

    def test_gives_way_to_any_field_that_is_given(self, name: str) -> None:
        given = f'profile = "{name}"\nmss_bytes = 777\nrto.min_ms = 77\ndelayed_ack = {{ every = 7 }}\n'
        scenario = Scenario.from_toml(CELL + "[flows.tcp]\n" + given)
        expected = leaves(Tcp(profile=name).model_dump())
        expected |= {"mss_bytes": 777, "rto.min_ms": 77, "delayed_ack.every": 7}
        assert leaves(tcp(scenario).model_dump()) == expected

    def test_is_reached_from_any_other_by_an_override(self, name: str) -> None:
        for other in NAMES:
            assert cell(f"flows.0.tcp.profile={other}").override([f"flows.0.tcp.profile={name}"]) == cell(
                f"flows.0.tcp.profile={name}"
            )


class TestLinux:
    def test_without_sack_leaves_out_what_needs_it(self) -> None:
        values = Tcp(profile="linux", sack=False)
        assert (values.rules.rack, values.rules.tail_loss_probe, values.rules.dsack_detection) == (False, False, False)

    def test_without_timestamps_has_room_for_their_12_bytes(self) -> None:
        values = Tcp(profile="linux", timestamps=False)
        assert (values.mss_bytes, values.header_bytes, values.ack_bytes) == (1460, 40, 40)
        assert not values.rules.eifel_detection

    def test_has_hystart_with_cubic_alone(self) -> None:
        exits = {
            name: Tcp(profile="linux", congestion_control=name).rules.slow_start_exit for name in ("cubic", "reno")
        }
        assert exits == {"cubic": "hystart", "reno": "loss"}

    def test_gives_way_to_what_is_given_there_too(self) -> None:
        values = Tcp(
            profile="linux",
            timestamps=False,
            congestion_control="reno",
            mss_bytes=1000,
            rules={"slow_start_exit": "hystart"},
        )
        assert (values.mss_bytes, values.rules.slow_start_exit) == (1000, "hystart")


class TestChange:
    @pytest.mark.parametrize("change", ["sack=false", "timestamps=false", "congestion_control=new_reno"])
    def test_what_belongs_to_a_field_goes_with_it_from_a_complete_scenario_too(self, change: str) -> None:
        file = CELL + 'tcp.profile = "linux"\n'
        changes = [f"flows.0.tcp.{change}"]
        assert Scenario.from_toml(file).override(changes) == Scenario.from_toml(file, overrides=changes)
        assert Scenario.from_toml(Scenario.from_toml(file).to_toml(), overrides=changes) == Scenario.from_toml(
            file, overrides=changes
        )

    def test_what_was_changed_from_the_profile_stays_when_what_decides_changes(self) -> None:
        changed = cell("flows.0.tcp.profile=linux", "flows.0.tcp.mss_bytes=536").override(
            ["flows.0.tcp.timestamps=false"]
        )
        assert (tcp(changed).mss_bytes, tcp(changed).header_bytes) == (536, 40)

    def test_a_profile_leaves_alone_what_decides_when_it_differs(self) -> None:
        changed = cell("flows.0.tcp.profile=linux", "flows.0.tcp.sack=false").override(["flows.0.tcp.profile=rfc"])
        assert changed == cell("flows.0.tcp.profile=rfc", "flows.0.tcp.sack=false")

    def test_a_field_with_another_value_than_the_old_profiles_stays(self) -> None:
        changed = cell("flows.0.tcp.rto.min_ms=77", "flows.0.tcp.mss_bytes=536").override(["flows.0.tcp.profile=linux"])
        assert (tcp(changed).rto.min_ms, tcp(changed).mss_bytes, tcp(changed).header_bytes) == (77, 536, 52)

    def test_it_is_the_same_for_a_file_and_for_the_scenario_read_from_it(self) -> None:
        file = (
            CELL
            + '[flows.tcp]\nmss_bytes = 1460\nrto = { min_ms = 77, initial_ms = 1000 }\nreader.kind = "immediate"\n'
        )
        change = ["flows.0.tcp.profile=linux"]
        assert Scenario.from_toml(file, overrides=change) == Scenario.from_toml(file).override(change)
        assert tcp(Scenario.from_toml(file, overrides=change)).mss_bytes == 1448

    def test_fields_are_changed_after_the_profile_whatever_their_order(self) -> None:
        changed = cell("flows.0.tcp.mss_bytes=1460", "flows.0.tcp.profile=linux")
        assert (tcp(changed).mss_bytes, tcp(changed).header_bytes) == (1460, 52)

    def test_a_table_that_is_not_written_is_changed_from_the_profiles(self) -> None:
        file = CELL + '[flows.tcp]\nprofile = "linux"\n'
        changed = Scenario.from_toml(file, overrides=["flows.0.tcp.rto.min_ms=77"])
        assert (tcp(changed).rto.min_ms, tcp(changed).rto.max_ms) == (77, 120_000)

    def test_a_flag_is_not_taken_for_the_number_that_equals_it(self) -> None:
        file = CELL + "[flows.tcp]\nduplicate_ack_threshold = 3\ninitial_window_segments = true\n"
        with pytest.raises(ValueError, match="initial_window_segments"):
            Scenario.from_toml(file, overrides=["flows.0.tcp.profile=linux"])

    def test_a_table_of_another_kind_is_taken_as_it_is(self, monkeypatch: pytest.MonkeyPatch) -> None:
        paced = {"pacing": {"kind": "window", "slow_start_gain": 3.0, "avoidance_gain": 1.1}}
        monkeypatch.setattr(profiles, "PROFILES", {**profiles.PROFILES, "linux": paced})
        assert Tcp(profile="linux", pacing={"kind": "off"}).pacing.kind == "off"
        gains = Tcp(profile="linux", pacing={"avoidance_gain": 1.0}).pacing.model_dump()
        assert gains == {"kind": "window", "slow_start_gain": 3.0, "avoidance_gain": 1.0}

    def test_a_table_built_in_python_is_completed_like_one_in_a_file(self) -> None:
        from airlink.scenario.sections import Rto

        assert Tcp(profile="linux", rto=Rto(min_ms=77)).rto == Tcp(profile="linux", rto={"min_ms": 77}).rto
        assert Tcp(profile="linux", rto=Rto(min_ms=77)).rto.max_ms == 120_000


class TestInitialWindow:
    def test_segments_given_alone_are_what_is_used(self) -> None:
        assert tcp(Scenario.from_toml(CELL + 'tcp = { profile = "rfc" }\n')).initial_window == "rfc3390"
        given = 'tcp = { profile = "rfc", initial_window_segments = 4 }\n'
        assert tcp(Scenario.from_toml(CELL + given)).initial_window == "segments"
        later = Scenario.from_toml(CELL + 'tcp.profile = "rfc"\n').override(["flows.0.tcp.initial_window_segments=4"])
        assert tcp(later).initial_window == "segments"

    def test_a_rule_that_is_given_beside_them_is_kept(self) -> None:
        both = ["flows.0.tcp.initial_window=rfc6928", "flows.0.tcp.initial_window_segments=4"]
        assert tcp(cell(*both)).initial_window == tcp(cell(*reversed(both))).initial_window == "rfc6928"


class TestPage:
    @pytest.mark.parametrize("name", sorted(set(NAMES) - {"classic"}))
    def test_every_value_is_the_class_s_and_has_a_source(self, name: str) -> None:
        rows = re.findall(r"^\| `([a-z0-9_.]+)` \| (left out|\S+) \| (.+) \|$", section(name), re.MULTILINE)
        values = leaves(Tcp(profile=name).model_dump(exclude={"profile"}))
        assert [(field, value) for field, value, _ in rows] == [
            (field, toml_value(value)) for field, value in values.items()
        ]
        assert [field for field, _, source in rows if not source.strip()] == []

    def test_every_profile_is_described(self) -> None:
        described = re.findall(r"^\| `([a-z0-9]+)` \| ", PAGE.read_text().split("\n## ")[0], re.MULTILINE)
        assert sorted(described) == NAMES

    def test_the_example_is_valid(self) -> None:
        [text] = re.findall(r"```toml\n(.*?)```", PAGE.read_text(), re.DOTALL)
        assert tcp(Scenario.from_toml(CELL + text)).receiver_window_bytes == 65535


def section(name: str) -> str:
    """The part of the page under a profile's heading, up to the text after its table."""
    text: str
    [text] = re.findall(rf"^## {name}\n(.*?)(?=^## |^\*\*|^What )", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    return text


def test_a_timeout_in_a_recovery_does_not_start_the_next_overshoot() -> None:
    rate = 5e6
    long_wire = ["bottleneck.rate_bps=5e6", "bottleneck.delay_ms=50", "bottleneck.limit_packets=15", "duration_s=200"]
    tcp = ["mss_bytes=1000", "header_bytes=0", "receiver_window_bytes=10000000"]
    tcp += ["initial_window_segments=1", "delayed_ack.every=1"]
    one = ready("dumbbell", [*long_wire, "flows.0.path.uplink_delay_ms=50", *(f"flows.0.tcp.{field}" for field in tcp)])

    def utilisation(raises: bool) -> float:
        result = airlink.run(one.with_(**{"flows.0.tcp.rules.timeout_raises_threshold": raises}))
        return float(result.flows["goodput_bps"][0]) / rate

    assert utilisation(False) > 0.8
    assert utilisation(True) < 0.5


@pytest.mark.parametrize(
    ("profile", "sack", "same"),
    [("linux", True, True), ("linux", False, True), ("rfc", True, True), ("rfc", False, False)],
)
def test_reno_and_new_reno_send_the_same_packets_with_sack_and_as_in_linux(
    profile: str, sack: bool, same: bool
) -> None:
    told = []
    for kind in ("reno", "new_reno"):
        flow = {
            "tcp": {"profile": profile, "congestion_control": kind, "sack": sack},
            "path": {"downlink_impairments": {"loss": {"kind": "random", "p": 0.02}}},
        }
        wire = {"rate_bps": 1e7, "delay_ms": 20, "limit_packets": 30}
        flows = airlink.run(Scenario(duration_s=20, users=1, slot=None, bottleneck=wire, flows=[flow])).flows
        told.append([flows[name].tolist() for name in ("segments_sent", "retransmissions", "goodput_bytes")])
    assert told[0][1] != [0]
    assert (told[0] == told[1]) == same
