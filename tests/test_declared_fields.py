"""Every bound of every declared field: what lies beyond it is refused, with its path, by Python and by the engine.

The inputs come from the declaration, so a new field needs no line here. Leaves out checks between fields: their
inputs stand in `bad_inputs`.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from airlink import _rust
from airlink.scenario import Scenario, ScenarioError

ROOT = json.loads(_rust.declaration())
CELL = ("slot", "carrier", "channel", "link", "rlc", "queue", "scheduler")
Fields = dict[str, Any]


@dataclass(frozen=True)
class Place:
    """A table of the scenario, and a scenario that has it."""

    path: str
    kind: str
    section: Fields
    scenario: Fields

    def with_value(self, field: str, value: Any) -> Fields:
        """The scenario with that value of a field of the table."""
        changed = copy.deepcopy(self.scenario)
        table: Any = changed
        for step in self.path.split(".") if self.path else []:
            table = table[int(step)] if step.isdigit() else table[step]
        table[field] = value
        return changed

    def __str__(self) -> str:
        return f"{self.path or 'top'}-{self.kind}".rstrip("-")


def fields_of(section: Fields) -> list[Fields]:
    """The fields of a table with those of its groups."""
    found: list[Fields] = []
    for member in section["members"]:
        found += fields_of(member["group"]) if "group" in member else [member]
    return found


def kinds_of(section: Fields) -> list[Fields]:
    """The tables of every kind that a table can be; none if it has no kind."""
    groups = [member["group"] for member in section["members"] if "group" in member]
    return [each for held in [section, *groups] if held["variants"] for each in held["variants"]["each"]]


def sample(section: Fields) -> Fields:
    """A table with its defaults, and something allowed where there is none."""
    kinds = kinds_of(section)
    table = {member["name"]: given(member) for member in fields_of(section)}
    return (sample(kinds[0]) if kinds else {}) | table | ({"kind": section["kind"]} if section["kind"] else {})


def given(member: Fields) -> Any:
    return something(member["form"]) if member["required"] else copy.deepcopy(member["default"])


def something(form: Fields) -> Any:
    match form["is"]:
        case "number":
            return within(form["range"])
        case "length":
            return 1.0
        case "seed":
            return 2**64 - 1
        case "list":
            return [something(form["item"])] * max(form["items"], 1)
        case "words":
            return form["words"][0]
        case "text":
            # A formula as well: a number by its name.
            return "e" * int(form["range"].get("at_least", 0))
        case "table":
            return sample(form["section"])
        case "tables":
            return [sample(form["section"])] * form["items"]
        case "optional":
            return something(form["of"])
    raise AssertionError(f"nothing is known to be allowed in {form}")


def within(limits: Fields) -> float:
    """A number within bounds: the least, or the next whole one above a bound that is excluded."""
    least = limits.get("at_least")
    return float(
        least if least is not None else limits["above"] + min(1, limits.get("at_most", 1), limits.get("below", 2) / 2)
    )


def scenarios() -> Iterator[Fields]:
    """A cell and a wired bottleneck, both with a queue upstream."""
    whole = sample(ROOT)
    sections = {member["name"]: member["form"] for member in fields_of(ROOT)}
    bottleneck, upstream = (something(sections[name]) for name in ("bottleneck", "upstream"))
    yield {name: value for name, value in whole.items() if name != "bottleneck"} | {"upstream": upstream}
    yield {name: value for name, value in whole.items() if name not in CELL} | {"bottleneck": bottleneck}


def places(section: Fields, path: str, scenario: Fields) -> Iterator[Place]:
    """The table and all below it, of every kind."""
    for table in kinds_of(section) or [section]:
        members = fields_of(table) + (fields_of(section) if table is not section else [])
        place = Place(path, table["kind"], {**table, "members": members}, scenario)
        if table["kind"]:
            own = sample(table) | {member["name"]: given(member) for member in fields_of(section)}
            place = Place(path, table["kind"], place.section, placed(scenario, path, own))
        yield place
        for member in members:
            form, below = member["form"], f"{path}.{member['name']}".lstrip(".")
            form = form["of"] if form["is"] == "optional" else form
            if form["is"] not in ("table", "tables") or (not path and member["name"] not in place.scenario):
                continue
            held, deeper = sample(form["section"]), below + (".0" if form["is"] == "tables" else "")
            changed = placed(place.scenario, below, [held] if form["is"] == "tables" else held)
            yield from places(form["section"], deeper, changed)


def placed(scenario: Fields, path: str, value: Any) -> Fields:
    above, _, name = path.rpartition(".")
    if name.isdigit():
        return placed(scenario, above, [value])
    return Place(above, "", {}, scenario).with_value(name, value)


PLACES = {str(place): place for scenario in scenarios() for place in places(ROOT, "", scenario)}


def beyond(form: Fields) -> Iterator[Any]:
    """Values that a field must refuse."""
    match form["is"]:
        case "number":
            yield from beyond_number(form)
        case "seed":
            yield from (-1, 2**64, 0.5, True, [], "inf", "no such word")
        case "flag":
            yield from ("yes", 1, None)
        case "words":
            yield from ("no such word", 1, True)
        case "text":
            yield from (7, "a" * (int(form["range"].get("at_most", 10_000)) + 1))
        case "length":
            yield from (0, -1, "1/0", True, 1e9)
        case "table" | "tables":
            yield from (3, "text")
        case "optional":
            yield from beyond(form["of"])
        case "list":
            yield from beyond_list(form)


def beyond_list(form: Fields) -> Iterator[Any]:
    item = something(form["item"])
    yield from ([*[item] * form["items"], value] for value in beyond(form["item"]))
    if not form["single"] and form["item"]["is"] == "number":
        yield from (3.5, True)
    if form["items"]:
        yield []


def beyond_number(form: Fields) -> Iterator[Any]:
    limits, step = form["range"], 1.0 if form["whole"] else 1e-6
    sides = {"at_least": -1, "at_most": 1, "above": 0, "below": 0}
    for name, side in sides.items():
        if name in limits:
            value = limits[name] + side * step * max(1.0, abs(limits[name]))
            if not (limits.get("or_zero") and value == 0):
                yield value
    yield from ("no such word", True, [])
    if form["whole"]:
        yield within(limits) + 0.5
    if not limits.get("infinite"):
        yield "inf"


def refused_by_python(scenario: Fields) -> dict[str, str]:
    with pytest.raises(ScenarioError) as caught:
        Scenario(**scenario)
    return {problem.path: problem.message for problem in caught.value.problems}


def refused_by_engine(scenario: Fields) -> dict[str, str]:
    text = json.dumps({name: value for name, value in scenario.items() if value is not None})
    try:
        _rust.rate_table(text)
    except _rust.ScenarioError as error:
        return dict(error.args[0])
    return {}


@pytest.mark.parametrize("name", PLACES)
def test_what_is_beyond_a_bound_is_refused_with_its_path(name: str) -> None:
    place = PLACES[name]
    for member in place.section["members"]:
        path = f"{place.path}.{member['name']}".lstrip(".")
        for value in beyond(member["form"]):
            scenario = place.with_value(member["name"], value)
            for refused in (refused_by_python(scenario), refused_by_engine(scenario)):
                assert any(told == path or told.startswith(f"{path}.") for told in refused), (path, value, refused)


@pytest.mark.parametrize("name", PLACES)
def test_what_lies_on_a_bound_is_in_its_range(name: str) -> None:
    place = PLACES[name]
    for member in place.section["members"]:
        form = member["form"]
        if form["is"] != "number":
            continue
        path = f"{place.path}.{member['name']}".lstrip(".")
        for bound in (form["range"][side] for side in ("at_least", "at_most") if side in form["range"]):
            told = refused_by_engine(place.with_value(member["name"], bound)).get(path, "")
            assert "number from" not in told, (path, bound, told)


def test_every_field_has_a_meaning_and_a_unit_where_its_name_ends_in_one() -> None:
    for place in PLACES.values():
        for member in place.section["members"]:
            assert member["meaning"], (str(place), member["name"])
            ending = member["name"].rpartition("_")[2]
            expected = {"ms": "ms", "s": "s", "hz": "Hz", "bps": "b/s", "db": "dB", "m": "m", "bytes": "bytes"}.get(
                ending
            )
            if expected and "_" in member["name"] and member["form"]["is"] == "number" and ending != "s":
                assert expected in member["unit"] or member["unit"] == "1/s", (
                    str(place),
                    member["name"],
                    member["unit"],
                )


def test_the_inputs_cover_the_declaration() -> None:
    assert len(PLACES) > 60
    assert sum(len(place.section["members"]) for place in PLACES.values()) > 350
