"""Data for the tests in Rust: what Python dumps, byte for byte, so that both sides read the same.

Scenarios as JSON, delay profiles, sets of schemes, and a table of closed forms. `FIXTURES=renew` writes tests/fixtures
anew after a change of the scenario classes. Leaves out what the tests make of them: see crates/sim/tests and
crates/model/tests.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import coded_blocks
from airlink.scenario import Scenario, ready
from airlink.scenario.delay_profiles import DELAY_PROFILES
from airlink.scenario.mcs_sets import MCS_SETS
from airlink.scenario.sections import TappedDelayLine

FOLDER = Path(__file__).parent / "fixtures"
STORED = "version-1.zip"
"""A result folder that airlink 0.1.0 wrote; `test_stored_version_1.py` says how."""
WORKLOADS = Path(__file__).parent.parent / "crates" / "bench" / "workloads"

# 921.6 kb/s are 576 bytes in 5 ms: a full packet (536 + 40) in every slot.
FIXED_LINK = """
name = "fixed-link"
description = "One file of ten segments on a link that carries one packet a slot"
duration_s = 1
users = 1
slot.duration_ms = 5
channel.placement = { kind = "mean_snr", mean_snr_db = 10 }
link.rate = { kind = "table", thresholds_db = [0], rates_bps = [921600] }
scheduler = { kind = "round_robin", ties = "lowest_index", skip_unservable = false }

[[flows]]
traffic = { kind = "file", bytes = 5360 }
path = { downlink_delay_ms = 20, uplink_delay_ms = 20 }
tcp = { mss_bytes = 536, header_bytes = 40, ack_bytes = 40, initial_window_segments = 1, delayed_ack.every = 1 }
"""

# A channel where nothing is noise: its trace is given beside the scenario, in Rust.
TRACED_LINK = (
    FIXED_LINK.replace("fixed-link", "traced-link")
    .replace("One file", "A report in slot 0 only, along a trace: one file")
    .replace(
        'channel.placement = { kind = "mean_snr", mean_snr_db = 10 }',
        'channel.placement = { kind = "trace", files = ["trace.csv"], value_column = "snr_db", '
        'time_column = "time_s", row_interval_s = 0.005, at_end = "stop" }\n'
        "link.report.period_slots = 100000\nlink.errors.threshold_rule = true",
    )
)


def dumps() -> dict[str, str]:
    """The text of every fixture, by file name."""
    scenarios = {
        "k3": ready("k3"),
        "dumbbell": ready("dumbbell", ["flows.0.tcp.initial_window_segments=1", "flows.0.tcp.delayed_ack.every=1"]),
        "nr-like": ready("nr-like"),
        "fixed-link": Scenario.from_toml(FIXED_LINK, read_traces=False),
        "traced-link": Scenario.from_toml(TRACED_LINK, read_traces=False),
    }
    dumped = {f"{name}.json": pretty(scenario) for name, scenario in scenarios.items()}
    dumped["imt-advanced-link.json"] = json.dumps(json.loads(ready("imt-advanced").to_json())["link"], indent=2) + "\n"
    tables = {"coded-blocks.csv": coded_blocks.table(), "delay-profiles.csv": delay_profiles()}
    return {**dumped, **tables, "mcs-sets.csv": mcs_sets()}


def delay_profiles() -> str:
    """A line for each path of each profile; TDL at the default delay spread."""
    lines = ["profile,delay_ns,power_db"]
    for name in DELAY_PROFILES:
        fading = TappedDelayLine.model_validate({"profile": name}).with_numbers()
        paths = zip(fading.delays_ns, fading.powers_db, strict=True)
        lines += [f"{name},{delay_ns:.12g},{power_db:.12g}" for delay_ns, power_db in paths]
    return "\n".join(lines) + "\n"


def mcs_sets() -> str:
    """A line for each scheme of each set."""
    lines = ["set,bits_per_symbol,code_rate"]
    for name, schemes in MCS_SETS.items():
        rows = zip(schemes.bits_per_symbol, schemes.code_rates, strict=True)
        lines += [f"{name},{bits},{rate!r}" for bits, rate in rows]
    return "\n".join(lines) + "\n"


def pretty(scenario: Scenario) -> str:
    return json.dumps(json.loads(scenario.to_json()), indent=2) + "\n"


@pytest.mark.parametrize("name", sorted(dumps()))
def test_the_fixtures_of_the_rust_tests_are_what_python_dumps(name: str) -> None:
    if os.environ.get("FIXTURES") == "renew":
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / name).write_text(dumps()[name])
    assert (FOLDER / name).read_text() == dumps()[name], "stale: FIXTURES=renew pytest tests/test_fixtures.py"


def test_every_fixture_has_its_source_here() -> None:
    assert {file.name for file in FOLDER.iterdir()} == {*dumps(), STORED}


@pytest.mark.parametrize("name", ["a.json", "b.json", "c.json"])
def test_the_workloads_of_the_bench_are_complete_scenarios(name: str) -> None:
    """They stay as they are but for fields that the classes have got since."""
    text = (WORKLOADS / name).read_text()
    complete = pretty(Scenario.model_validate(json.loads(text)))
    if os.environ.get("FIXTURES") == "renew":
        (WORKLOADS / name).write_text(complete)
        text = complete
    assert json.loads(text) == json.loads(complete), "stale: FIXTURES=renew pytest tests/test_fixtures.py"
