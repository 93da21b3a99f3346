"""Names of settings in labels: the field's words, as docs/notation.md lists them, and no label for two settings."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from airlink.scenario.introspection import declared
from airlink.scenario.sections import ScenarioFields
from airlink.scenario.short_names import FIELDS, SHORT, field_words, labels, short_name, short_value, words_of

NOTATION = Path(__file__).parent.parent / "docs/notation.md"
PATHS = (
    "scheduler.kind", "scheduler.time_constant_slots", "queue.kind", "queue.limit_packets", "bottleneck.limit_packets",
    "bottleneck.rate_bps", "flows.0.tcp.congestion_control", "flows.1.tcp.congestion_control", "flows.*.tcp.sack",
    "users", "flows.0.start_s", "flows.1.start_s", "flows.0.traffic",
)  # fmt: skip
TABLES = ("", "channel.", "link.", "bottleneck.", "queue.", "flows.0.", "flows.0.tcp.", "bottleneck.impairments.")
VALUES = st.one_of(
    st.sampled_from(["proportional_fair", "PF", "max_rate", "MAX", "cubic", "CUBIC", "codel", "on", "1", "1 kb/s", ""]),
    st.booleans(),
    st.integers(0, 3),
    st.sampled_from([1.0, 1000, 1000.0, 1e3 + 1e-9, 1e6, 1_000_001, 1e9, 2.5e6, 0.1, 0.1 + 1e-12, math.inf]),
    st.dictionaries(st.sampled_from(["kind", "bytes"]), st.integers(0, 2), max_size=2),
)


def as_written(at: dict[str, Any]) -> str:
    return ", ".join(f"{path}={value!r}" for path, value in at.items())


@settings(max_examples=150, deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(PATHS), VALUES, max_size=3), min_size=1, max_size=6))
def test_two_scenarios_never_have_one_label(given_arms: list[dict[str, Any]]) -> None:
    arms = {as_written(at) or "as it is": at for at in given_arms}
    shown = labels(arms)
    assert list(shown) == list(arms)
    assert len(set(shown.values())) == len(arms)


def test_settings_that_would_read_alike_keep_their_labels() -> None:
    arms = {"kind=max_rate": {"scheduler.kind": "max_rate"}, "mine": {"scheduler.kind": "max_rate"}, "rr": {}}
    assert labels(arms) == {"kind=max_rate": "kind=max_rate", "mine": "mine", "rr": "rr"}
    assert labels({"MAX": {}, "kind=max_rate": {"scheduler.kind": "max_rate"}})["kind=max_rate"] == "kind=max_rate"


def test_fields_with_the_same_words_are_told_apart() -> None:
    flows = {f"flows.{flow}.tcp.congestion_control": kind for flow, kind in enumerate(("cubic", "reno"))}
    assert labels({"a": flows}) == {"a": "flow 0 TCP congestion control: CUBIC, flow 1 TCP congestion control: Reno"}
    limits = words_of(["queue.limit_packets", "upstream.limit_packets"])
    assert list(limits.values()) == ["queue limit", "upstream limit"]


def test_numbers_keep_every_digit_that_tells_them_apart() -> None:
    rates = [1e6, 1_000_001, 1e6 + 0.5, 2.5e6, 999.0]
    shown = [short_name("bottleneck.rate_bps", rate).removeprefix("bottleneck rate ") for rate in rates]
    assert shown == ["1 Mb/s", "1000001 b/s", "1000000.5 b/s", "2.5 Mb/s", "999 b/s"]
    assert short_value("scheduler.time_constant_slots", 31.6228) == "31.6228"


def test_notation_lists_every_short_name() -> None:
    text = NOTATION.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w.]+)` \| (.+) \|$", text, re.MULTILINE)
    listed = {path: dict(re.findall(r"`([\w.-]+)` ([^,]+)", words)) for path, words in rows if path in SHORT}
    assert listed == {path: dict(words) for path, words in SHORT.items()}


@pytest.mark.parametrize("path", [*SHORT, *FIELDS])
def test_every_short_name_is_of_a_field_that_there_is(path: str) -> None:
    assert any(declared(ScenarioFields, table + path) for table in TABLES)


def test_words_are_those_of_the_scenario() -> None:
    for end, words in SHORT.items():
        found = [str(info.annotation) for table in TABLES for info in declared(ScenarioFields, table + end)]
        assert all(f"'{word}'" in "".join(found) for word in words), end


def test_a_field_is_named_by_its_table_where_its_name_says_too_little() -> None:
    paths = ("queue.kind", "channel.fading.kind", "duration_s", "flows.0.tcp.rto.min_ms")
    assert [field_words(path) for path in paths] == ["queue", "fading", "duration", "minimum RTO"]
