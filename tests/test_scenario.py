"""Scenarios: files in and out, overrides, ready scenarios against the papers, trace files, the generated page."""

from __future__ import annotations

import hashlib
import json
import math
import os
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from airlink.scenario import (
    Problem,
    Scenario,
    ScenarioError,
    commented_toml,
    introspection,
    json_schema,
    page,
    trace_arrays,
)
from airlink.scenario.fields import Section
from airlink.scenario.tables import TABLES
from airlink.scenario.toml import toml_value
from strategies import scenarios

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "docs/examples").glob("*.toml"))
SMALL = 'duration_s = 10\nusers = 3\nslot.duration_ms = "5/3"\n[[flows]]\n'


def small(**changes: Any) -> Scenario:
    return Scenario.from_toml(SMALL).with_(**changes)


def problems_of(action: Any) -> list[Problem]:
    with pytest.raises(ScenarioError) as error:
        action()
    return error.value.problems


def write_mahimahi(path: Path, milliseconds: list[int]) -> Path:
    """A made-up trace of opportunities to send."""
    path.write_text("".join(f"{time}\n" for time in milliseconds))
    return path


def trace(file: Path, **fields: Any) -> Scenario:
    """A scenario whose users replay the file; rates are replayed as they are."""
    placement = {"kind": "trace", "files": [str(file)], **fields}
    rate = {"kind": "trace"} if fields.get("quantity") == "rate_bps" else {"kind": "table", "name": "1xev-do"}
    return small(**{"channel.placement": placement, "link.rate": rate})


def samples(scenario: Scenario) -> tuple[list[float], list[float]]:
    arrays = trace_arrays(scenario)
    return arrays["times_s"][0].tolist(), arrays["values"][0].tolist()


def fields_of(section: Section, path: str = "") -> dict[str, Any]:
    """Every field of a scenario by path."""
    found: dict[str, Any] = {}
    for name, info in type(section).model_fields.items():
        value = getattr(section, name)
        if value is None:
            continue
        if introspection.is_table(info):
            found |= fields_of(value, f"{path}{name}.")
        elif introspection.is_list(info):
            for index, item in enumerate(value):
                found |= fields_of(item, f"{path}{name}.{index}.")
        else:
            found[f"{path}{name}"] = value
    return found


class TestFiles:
    @given(scenarios())
    @settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    def test_any_scenario_survives_toml_comments_json_and_pickle(self, scenario: Scenario) -> None:
        assert Scenario.from_toml(scenario.to_toml()) == scenario
        assert Scenario.from_toml(commented_toml(scenario)) == scenario
        assert Scenario.from_json(scenario.to_json()) == scenario.resolved()
        assert Scenario.from_json(scenario.to_json()).to_json() == scenario.to_json()
        assert pickle.loads(pickle.dumps(scenario)) == scenario

    @given(scenarios())
    @settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    def test_json_holds_every_field_and_infinity_as_a_word(self, scenario: Scenario) -> None:
        def no_constant(name: str) -> None:
            raise AssertionError(name)

        data = json.loads(scenario.to_json(), parse_constant=no_constant)
        assert data["link"]["rate"]["kind"] != "table" or data["link"]["rate"]["rates_bps"]
        for path, value in fields_of(scenario).items():
            if value == math.inf:
                steps = path.split(".")
                here = data
                for step in steps:
                    here = here[int(step)] if step.isdigit() else here[step]
                assert here == "inf"

    @pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: str(file.stem))
    def test_an_example_is_valid_commented_and_survives_toml(self, file: Path) -> None:
        scenario = Scenario.from_toml(file)
        assert Scenario.from_toml(scenario.to_toml()) == scenario
        assert scenario.name == file.stem
        assert file.read_text().startswith("# ")
        assert scenario.resolved().to_json()

    def test_there_are_examples_for_all_that_a_newcomer_needs(self) -> None:
        assert len(EXAMPLES) >= 5
        assert f"({EXAMPLES[0].name})" in (ROOT / "docs/examples/README.md").read_text()

    def test_both_ways_to_write_infinity_are_read_and_one_is_written(self) -> None:
        word = Scenario.from_toml(SMALL + 'stop_s = "inf"\n')
        assert word == Scenario.from_toml(SMALL + "stop_s = inf\n")
        assert 'stop_s = "inf"' in word.to_toml()

    def test_a_file_with_a_byte_order_mark_and_windows_line_ends_is_read(self, tmp_path: Path) -> None:
        file = tmp_path / "windows.toml"
        file.write_bytes(b"\xef\xbb\xbf" + SMALL.replace("\n", "\r\n").encode())
        assert Scenario.from_toml(file) == Scenario.from_toml(str(file)) == Scenario.from_toml(SMALL)

    def test_a_file_that_is_no_toml_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "cell.toml").write_text("users = 1\nusers = 2\n")
        [problem] = problems_of(lambda: Scenario.from_toml(tmp_path / "cell.toml"))
        assert problem.message.startswith(f"{tmp_path / 'cell.toml'}: is not valid TOML")
        [problem] = problems_of(lambda: Scenario.from_toml("users = 1\nusers = 2\n"))
        assert problem.message.startswith("is not valid TOML")

    @pytest.mark.parametrize("name", ["nowhere.toml", ".", "nul\0l.toml"])
    def test_a_file_that_cannot_be_read_is_a_problem_of_the_user(self, tmp_path: Path, name: str) -> None:
        [problem] = problems_of(lambda: Scenario.from_toml(f"{tmp_path}/{name}"))
        assert "can't be read" in problem.message

    def test_bytes_that_are_no_text_are_a_problem_of_the_user(self, tmp_path: Path) -> None:
        (tmp_path / "picture.toml").write_bytes(b"\x89PNG\xff")
        [problem] = problems_of(lambda: Scenario.from_toml(tmp_path / "picture.toml"))
        assert "must be text in UTF-8" in problem.message

    def test_nesting_without_end_is_a_problem_of_the_user(self) -> None:
        assert problems_of(lambda: Scenario.from_toml("name = " + "[" * 100_000))


class TestValues:
    def test_a_scenario_cannot_be_changed(self) -> None:
        with pytest.raises(ValueError, match="frozen"):
            small().users = 5  # type: ignore[misc]

    def test_of_a_thousand_mistakes_twenty_are_shown(self) -> None:
        flows = "".join(f"[[flows]]\nusers = [{user}]\ntcp.mss_bytes = 0\n" for user in range(1000))
        with pytest.raises(ScenarioError) as error:
            Scenario.from_toml(f"duration_s = 1\nusers = 1000\nslot.duration_ms = 1\n{flows}")
        lines = str(error.value).splitlines()
        assert len(lines) == 21
        assert re.fullmatch("and 98[0-9] more mistakes", lines[-1])
        outages = [{"at_s": at_s, "for_s": 2} for at_s in range(100)]
        with pytest.raises(ScenarioError) as error:
            small(**{"flows.0.path.uplink_impairments.outages": outages})
        assert len(error.value.problems) == 99
        assert str(error.value).splitlines()[-1] == "and 79 more mistakes"

    def test_mistakes_in_python_are_told_like_those_in_files(self) -> None:
        problems = problems_of(lambda: Scenario(duration_s=-1, users="3", slot={}, flows=[]))
        assert [problem.path for problem in problems] == ["duration_s", "users", "slot.duration_ms", "flows"]

    def test_numpy_numbers_are_numbers(self) -> None:
        changed = small(
            duration_s=np.float64(3), users=np.int64(2), **{"channel.placement.mean_snr_db": np.arange(2.0)}
        )
        assert (changed.duration_s, changed.users) == (3.0, 2)
        assert Scenario.from_toml(changed.to_toml()) == changed

    def test_a_number_within_its_range_can_be_at_both_ends_where_allowed(self) -> None:
        assert fields_of(small(**{"link.errors.probability": 1}))["link.errors.probability"] == 1
        assert fields_of(small(**{"link.errors.probability": 0}))["link.errors.probability"] == 0
        assert problems_of(lambda: small(**{"link.errors.probability": 1 + 1e-12}))

    @pytest.mark.parametrize("name", TABLES)
    def test_a_named_table_is_the_same_with_and_without_its_numbers(self, name: str) -> None:
        named = small(**{"link.rate": {"kind": "table", "name": name}})
        assert json.loads(named.to_json())["link"]["rate"]["thresholds_db"] == list(TABLES[name].thresholds_db)
        assert Scenario.from_json(named.to_json()).to_json() == named.to_json()

    def test_problems_survive_pickling_on_their_way_between_processes(self) -> None:
        error = ScenarioError([Problem("users", 0, "must be more")])
        assert pickle.loads(pickle.dumps(error)).problems == error.problems
        assert str(error) == "users = 0: must be more"


WIRED = """
duration_s = 5
users = 2
[bottleneck]
rate_bps = 2e6
limit_packets = 5
impairments.loss = { kind = "gilbert_elliott", p = 0.1, r = 0.5 }
impairments.delay_spikes = [{ at_s = 1, for_s = 0.5, extra_ms = 200, keep_order = false }]
[[flows]]
path.uplink_impairments = { drop_numbers = [1, 5], outages = [{ at_s = 2, for_s = 1, hold = true }] }
"""


class TestBottleneck:
    def test_a_wired_scenario_survives_toml_comments_json_and_pickle(self) -> None:
        scenario = Scenario.from_toml(WIRED)
        assert Scenario.from_toml(scenario.to_toml()) == scenario
        assert Scenario.from_toml(commented_toml(scenario)) == scenario
        assert Scenario.from_json(scenario.to_json()) == scenario == scenario.resolved()
        assert pickle.loads(pickle.dumps(scenario)) == scenario

    def test_it_has_no_sections_of_a_cell(self) -> None:
        scenario = Scenario.from_toml(WIRED)
        assert scenario.radio() is None
        assert not {"slot", "channel", "link", "rlc", "queue", "scheduler"} & set(json.loads(scenario.to_json()))
        assert "[channel" not in scenario.to_toml()

    def test_an_override_puts_a_bottleneck_in_the_place_of_the_cell(self) -> None:
        scenario = small().override(["bottleneck.rate_bps=3e6", "flows.0.path.uplink_impairments.drop_numbers=[4]"])
        found = fields_of(scenario)
        assert (found["bottleneck.rate_bps"], found["bottleneck.limit_packets"]) == (3e6, math.inf)
        assert found["flows.0.path.uplink_impairments.drop_numbers"] == (4,)
        assert scenario.radio() is None

    def test_neither_network_is_a_mistake(self) -> None:
        [problem] = problems_of(lambda: Scenario.from_toml("duration_s = 1\nusers = 1\n[[flows]]\n"))
        assert problem.path == "slot"


class TestOverrides:
    def test_a_value_is_toml_and_a_bare_word_is_text(self) -> None:
        changed = small().override(["scheduler.kind=tcp_pf", "duration_s=2.5", "name=a b", "slot.duration_ms='1/2'"])
        found = fields_of(changed)
        assert (found["scheduler.kind"], found["slot.duration_ms"]) == ("tcp_pf", "1/2")
        assert (changed.duration_s, changed.name) == (2.5, "a b")

    def test_a_number_names_a_flow_and_a_star_all_of_them(self) -> None:
        two = Scenario.from_toml(SMALL + "[[flows]]\n")
        one = two.override(["flows.1.tcp.rto.min_ms=250"])
        assert [flow.tcp.rto.min_ms for flow in one.flows] == [1000, 250]
        assert [flow.start_s for flow in two.override(["flows.*.start_s=1"]).flows] == [1, 1]

    def test_a_new_kind_drops_what_it_lacks_and_keeps_what_it_has(self) -> None:
        gaps = small().override(["scheduler.kind=tcp_pf", "scheduler.time_constant_slots=50", "scheduler.ties=random"])
        plain = gaps.override(["scheduler.kind=proportional_fair"])
        assert fields_of(plain)["scheduler.time_constant_slots"] == 50
        assert "scheduler.gap_mean_weight" not in fields_of(plain)

    def test_a_kind_is_changed_before_its_fields_whatever_their_order(self) -> None:
        changed = small().override(["scheduler.exponent=2", "scheduler.kind=lambda"])
        assert fields_of(changed)["scheduler.exponent"] == 2

    def test_a_table_changes_name_without_keeping_its_old_numbers(self) -> None:
        custom = small(**{"link.rate": {"kind": "table", "thresholds_db": [0], "rates_bps": [1e6]}})
        named = custom.override(["link.rate.name=klein-2004"])
        assert json.loads(named.to_json())["link"]["rate"]["rates_bps"] == list(TABLES["klein-2004"].rates_bps)

    @pytest.mark.parametrize(
        ("setting", "path", "part"),
        [
            ("scheduler", "scheduler", "must be written path=value"),
            ("schedular.kind=tcp_pf", "schedular", "did you mean scheduler?"),
            ("users=0", "users", "must be a whole number"),
            ("flows.3.start_s=1", "flows.3.start_s", "0 to 0, or * for all"),
            ("duration_s.x=1", "duration_s", "has no fields of its own"),
            ("scheduler.kind=edf", "scheduler.kind", "must be"),
        ],
    )
    def test_a_mistake_is_told_with_its_path(self, setting: str, path: str, part: str) -> None:
        [problem] = problems_of(lambda: small().override([setting]))
        assert problem.path == path
        assert part in problem.message

    def test_every_default_can_be_written_as_an_override(self) -> None:
        scenario = small()
        written = [f"{path}={toml_value(value)}" for path, value in fields_of(scenario).items()]
        assert scenario.override(written) == scenario
        assert Scenario.from_toml(SMALL, overrides=written) == scenario


class TestTraces:
    def test_a_csv_is_read_by_column_with_missing_values_held(self, tmp_path: Path) -> None:
        file = tmp_path / "a.csv"
        file.write_text("# a comment\ntime,SNR,CQI\n\n1000,-,3\n1500,10,4\n2500,-,5\n3000,12.5,6\n")
        scenario = trace(file, value_column="SNR", time_column="time", time_unit="ms")
        assert samples(scenario) == ([0, 0.5, 1.5, 2], [10, 10, 10, 12.5])
        by_number = trace(file, value_column="3", row_interval_s=0.25)
        assert samples(by_number) == ([0, 0.25, 0.5, 0.75], [3, 4, 5, 6])

    def test_a_csv_without_a_header_is_read_by_its_last_column(self, tmp_path: Path) -> None:
        file = tmp_path / "a.csv"
        file.write_text("0,5\n1,7\n")
        assert samples(trace(file)) == ([0, 1], [5, 7])
        assert samples(trace(file, quantity="rate_bps", value_scale=1000.0)) == ([0, 1], [5000, 7000])

    def test_a_header_is_told_from_a_first_value_that_is_missing(self, tmp_path: Path) -> None:
        file = tmp_path / "a.csv"
        file.write_text("n/a\n7\n")
        assert samples(trace(file, missing="n/a")) == ([0, 1], [7, 7])

    def test_mahimahi_opportunities_become_rates_and_none_is_lost(self, tmp_path: Path) -> None:
        file = write_mahimahi(tmp_path / "a.down", [0, 0, 99, 100, 100, 150, 250])
        scenario = trace(file, format="mahimahi", quantity="rate_bps")
        times, rates = samples(scenario)
        assert times == [0, 0.1, 0.2]
        assert rates == [3 * 120_000, 3 * 120_000, 120_000]
        assert json.loads(scenario.to_json())["channel"]["placement"]["row_interval_s"] == 0.1

    def test_an_opportunity_at_the_very_end_belongs_to_the_last_window(self, tmp_path: Path) -> None:
        file = write_mahimahi(tmp_path / "a.down", [50, 200])
        assert samples(trace(file, format="mahimahi", quantity="rate_bps")) == ([0, 0.1], [120_000, 120_000])

    @given(times=st.lists(st.integers(0, 5000), max_size=100))
    @settings(max_examples=30, deadline=None)
    def test_the_total_of_any_mahimahi_trace_is_kept(self, times: list[int], tmp_path_factory: Any) -> None:
        file = write_mahimahi(tmp_path_factory.mktemp("t") / "a.down", [*sorted(times), 5001])
        _, rates = samples(trace(file, format="mahimahi", quantity="rate_bps", averaging_ms=70.0))
        assert sum(rates) * 0.07 == pytest.approx((len(times) + 1) * 12_000)

    def test_files_are_pinned_by_their_hash(self, tmp_path: Path) -> None:
        file = tmp_path / "a.csv"
        file.write_text("5\n7\n")
        pinned = trace(file).resolved()
        assert fields_of(pinned)["channel.placement.sha256"] == (hashlib.sha256(b"5\n7\n").hexdigest(),)
        assert pinned.resolved() == pinned
        file.write_text("5\n8\n")
        [problem] = problems_of(pinned.resolved)
        assert "has changed" in problem.message
        repinned = pinned.with_(**{"channel.placement.files": [str(file)]}).resolved()
        assert fields_of(repinned) != fields_of(pinned)

    def test_a_relative_path_counts_from_the_folder_of_the_scenario(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "deep").mkdir()
        (tmp_path / "deep/a.csv").write_text("5\n")
        text = SMALL + '[channel.placement]\nkind = "trace"\nfiles = ["a.csv"]\n'
        (tmp_path / "deep/cell.toml").write_text(text)
        monkeypatch.chdir(tmp_path)
        assert samples(Scenario.from_toml("deep/cell.toml")) == ([0], [5])
        assert problems_of(lambda: Scenario.from_toml(text))[0].path == "channel.placement.files.0"

    def test_a_variable_stands_for_a_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "a.csv").write_text("5\n")
        monkeypatch.setenv("MY_TRACES", os.fspath(tmp_path))
        assert samples(trace(Path("${MY_TRACES}/a.csv"))) == ([0], [5])

    def test_a_scenario_without_traces_has_no_arrays(self) -> None:
        assert trace_arrays(small()) == {}


class TestDocumentation:
    def test_the_page_is_up_to_date(self) -> None:
        written = (ROOT / "docs/scenario.md").read_text()
        assert written == page(), "run: airlink check --schema --markdown > docs/scenario.md"

    def test_the_scenario_on_the_page_is_valid(self) -> None:
        [text] = re.findall(r"```toml\n(.*?)```", page(), re.DOTALL)
        assert Scenario.from_toml(text).users == 4

    @pytest.mark.parametrize(("path", "kind", "section"), list(introspection.sections(Scenario)))
    def test_every_field_has_a_meaning_and_every_default_a_source(self, path: str, kind: str, section: Any) -> None:
        bare = [name for name, info in section.model_fields.items() if not info.description]
        unsourced = [
            name
            for name, info in section.model_fields.items()
            if not info.is_required()
            and not introspection.extra(info, "source")
            and not introspection.is_table(info)
            and name != "kind"
        ]
        assert (path, kind, bare, unsourced) == (path, kind, [], [])
        assert section.__doc__

    def test_the_schema_accepts_what_the_classes_accept(self) -> None:
        schema = json_schema()
        assert set(schema["required"]) == {"duration_s", "users", "flows"}
        assert schema["additionalProperties"] is False
        rto = schema["$defs"]["Rto"]["properties"]["min_ms"]
        assert (rto["unit"], rto["default"], rto["minimum"]) == ("ms", 1000.0, 0.1)
        json.dumps(schema, allow_nan=False)
