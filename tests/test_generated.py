"""What is written from the engine's declaration is checked in, and is what the declaration says."""

from __future__ import annotations

import generate_sections
from airlink import _rust
from airlink.scenario import sections
from airlink.scenario.fields import Section


def test_the_classes_of_a_scenario_are_those_of_the_declaration() -> None:
    assert generate_sections.TARGET.read_text() == generate_sections.written(_rust.declaration()), "run: make generate"


def test_default_tables_are_those_that_a_check_makes() -> None:
    tables = [each for each in vars(sections).values() if isinstance(each, type) and issubclass(each, Section)]
    defaults = [info.default for table in tables for info in table.model_fields.values()]
    unchecked = [default for default in defaults if isinstance(default, Section)]
    assert len(unchecked) > 40
    for default in unchecked:
        checked = type(default)(**{name: getattr(default, name) for name in default.model_fields_set})
        assert list(vars(checked).items()) == list(vars(default).items())
        assert [type(value) for value in vars(checked).values()] == [type(value) for value in vars(default).values()]
        assert checked == default  # also in which fields were given
