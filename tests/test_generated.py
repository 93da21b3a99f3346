"""What is written from the engine's declaration is checked in, and is what the declaration says."""

from __future__ import annotations

import generate_sections
from airlink import _rust


def test_the_classes_of_a_scenario_are_those_of_the_declaration() -> None:
    assert generate_sections.TARGET.read_text() == generate_sections.written(_rust.declaration()), "run: make generate"
