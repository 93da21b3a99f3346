"""Scenarios: complete descriptions of a run, checked, from and to TOML and JSON.

Leaves out running them.
"""

from airlink.scenario import short_names

from .errors import NOTHING, Problem, ScenarioError
from .mcs_sets import MCS_SETS
from .named import FIRST, READY, read_scenario, ready, ready_names, template
from .overrides import parse as parse_settings
from .page import page
from .scenario import Scenario
from .scenario_warnings import ScenarioWarning, warn, warnings_of
from .schema import json_schema
from .script import Script
from .tables import TABLES, RateTable
from .toml import commented_toml
from .traces import TraceFacts, trace_arrays, trace_facts

__all__ = [
    "FIRST",
    "MCS_SETS",
    "NOTHING",
    "READY",
    "TABLES",
    "Problem",
    "RateTable",
    "Scenario",
    "ScenarioError",
    "ScenarioWarning",
    "Script",
    "TraceFacts",
    "commented_toml",
    "json_schema",
    "page",
    "parse_settings",
    "read_scenario",
    "ready",
    "ready_names",
    "short_names",
    "template",
    "trace_arrays",
    "trace_facts",
    "warn",
    "warnings_of",
]
