"""Axes of a sweep: how values are written, what they span, and every mistake in them."""

from __future__ import annotations

import pytest

from airlink import ScenarioError
from airlink.campaign.axes import is_whole, parse_axes, span
from airlink.campaign.plan import grid, split
from airlink.scenario import ready
from small_cells import CELL


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a,b,c", ("a", "b", "c")),
        ("1..4", (1, 2, 3, 4)),
        ("1..3,8,2", (1, 2, 3, 8)),
        ("10..1000:log3", (10, 100, 1000)),
        ("0..1:lin5", (0, 0.25, 0.5, 0.75, 1)),
        ("1..2:log3", (1, 1.41421, 2)),
        ("-6..6:lin3", (-6, 0, 6)),
        ("true,false", (True, False)),
        ('"a,b",c', ("a,b", "c")),
        ('{kind="file", bytes=10},{kind="greedy"}', ({"kind": "file", "bytes": 10}, {"kind": "greedy"})),
        ("[1, 2],[3]", ([1, 2], [3])),
        ("1.5e3", (1500.0,)),
        ("../traces/a.csv", ("../traces/a.csv",)),
    ],
)
def test_values_are_lists_ranges_and_tables(text: str, values: tuple[object, ...]) -> None:
    assert parse_axes([f"field={text}"]) == {"field": values}


def test_values_of_whole_number_fields_are_whole_and_distinct() -> None:
    axes = parse_axes(["users=1..10:log9"])
    assert axes["users"] == (1, 2, 3, 4, 6, 7, 10)
    assert is_whole("flows.0.tcp.mss_bytes")
    assert not is_whole("scheduler.time_constant_slots")


def test_commas_in_brackets_and_quotes_do_not_split() -> None:
    assert split("a, {b = [1, 2], c = 'x,y'}, (d, e)") == ["a", "{b = [1, 2], c = 'x,y'}", "(d, e)"]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("users", "users: must be written FIELD=VALUES, as in users=4,8,16"),
        ("=1", "must be written FIELD=VALUES"),
        ("users=1,,2", 'users = "1,,2": has an empty value between commas'),
        ("users=5..1", 'users = "5..1": a range must begin below its end'),
        ("users=1..2.5", "these ends are not whole"),
        ("users=1..9:log", "a range is A..B in whole steps, A..B:lin7 or A..B:log7"),
        ("users=1..9:log1", "a range must have 2 to 10000 values, not 1"),
        ("users=1..99999", "a range must have 2 to 10000 values, not 99999"),
        ("users=0..9:log3", "a range of logarithms must begin above 0"),
    ],
)
def test_a_text_that_is_no_axis_is_explained(setting: str, message: str) -> None:
    with pytest.raises(ScenarioError) as error:
        parse_axes([setting])
    assert message in str(error.value)


def test_all_mistakes_of_all_axes_come_at_once() -> None:
    with pytest.raises(ScenarioError) as error:
        parse_axes(["users=5..1", "users=1", "duration_s=1", "duration_s=2", "seeds"])
    assert [problem.path for problem in error.value.problems] == ["users", "users", "duration_s", "seeds"]
    with pytest.raises(ScenarioError) as error:
        span(CELL, parse_axes(["users=0,-1,2", "nonsense=1", "scheduler.kind=max_rat"]))
    paths = [problem.path for problem in error.value.problems]
    assert sorted(set(paths)) == ["nonsense", "scheduler.kind", "users"]
    assert len(paths) == len(set(map(str, error.value.problems)))


def test_an_axis_without_values_is_refused() -> None:
    with pytest.raises(ScenarioError, match="users: an axis needs at least one value"):
        span(CELL, {"users": []})


def test_labels_and_scenarios_are_those_of_a_grid() -> None:
    axes = {"scheduler.kind": ("max_rate", "round_robin"), "users": (1, 2)}
    arms = span(CELL, axes)
    assert {label: arm.scenario for label, arm in arms.items()} == grid(CELL, axes)
    assert arms["kind=round_robin, users=2"].at == {"scheduler.kind": "round_robin", "users": 2}


def test_a_table_is_a_value_with_a_readable_label() -> None:
    arms = span(CELL, parse_axes(['flows.0.traffic={kind="file", bytes=1000},{kind="backlogged"}']))
    assert list(arms) == ["traffic={kind=file, bytes=1000}", "traffic={kind=backlogged}"]
    assert arms["traffic={kind=file, bytes=1000}"].scenario.flows[0].traffic.kind == "file"


def test_a_field_that_the_swept_kind_lacks_is_left_out() -> None:
    axes = {"scheduler.time_constant_slots": (10, 100), "scheduler.kind": ("proportional_fair", "max_rate")}
    arms = span(CELL, axes)
    assert list(arms) == [
        "time_constant_slots=10, kind=proportional_fair",
        "kind=max_rate",
        "time_constant_slots=100, kind=proportional_fair",
    ]
    assert arms["kind=max_rate"].at == {"scheduler.kind": "max_rate"}


def test_a_field_that_no_swept_kind_has_is_a_mistake() -> None:
    with pytest.raises(ScenarioError, match=r"scheduler\.time_constant_slots = 10: is not a field here"):
        span(CELL, {"scheduler.time_constant_slots": [10], "scheduler.kind": ["round_robin", "max_rate"]})


def test_a_kind_and_a_field_that_it_requires_can_both_be_swept() -> None:
    arms = span(CELL, {"channel.fading.kind": ["jakes", "rayleigh"], "channel.motion.speed_kmh": [3.0, 30.0]})
    assert len(arms) == 4


def test_every_user_group_is_reached_by_a_star() -> None:
    arms = span(ready("lte"), {"flows.*.tcp.mss_bytes": [1000, 1400]})
    assert all(flow.tcp.mss_bytes == 1000 for flow in arms["mss_bytes=1000"].scenario.flows)
