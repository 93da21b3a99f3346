"""The JSON Schema of scenarios, for editors and checkers of TOML and JSON files.

Leaves out the checks between fields, which JSON Schema can't express.
"""

from __future__ import annotations

from typing import Any

from .fields import json_form
from .scenario import Scenario


def json_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a scenario file, with meaning, unit and source of each field."""
    schema = json_form(Scenario.model_json_schema(mode="validation"))
    # A cell needs its clock, a bottleneck has none.
    schema["required"] = [name for name in schema["required"] if name != "slot"]
    schema["oneOf"] = [{"required": ["slot"]}, {"required": ["bottleneck"]}]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "airlink scenario"}
