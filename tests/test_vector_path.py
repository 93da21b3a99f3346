"""AIRLINK_SIMD chooses how wide the engine's loops run, and changes no number.

Leaves out the golden digests, which every build has to meet.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import airlink
from airlink import _rust
from airlink.cli import app
from airlink.engine import RequestError, choose_vector_path


def has_avx2() -> bool:
    _rust.choose_vector_path("")
    return _rust.vector_path() == "avx2"


SCENARIO = """
duration_s = 1
users = 3
slot.duration_ms = 1
channel.placement = {kind = "mean_snr_range", low_db = 0, high_db = 15}
channel.motion.speed_kmh = 30
channel.shadowing.sd_db = 4
channel.ceiling = {sinr_db = 18, applies_to = "instantaneous"}
link.rate = {kind = "table", name = "klein-2004"}
link.report.error_sd_db = 1
[[flows]]
"""

SETTINGS = (
    "channel.fading={kind = 'rayleigh'} carrier.subchannels=1",
    "channel={fading = {kind = 'jakes'}, beamforming = {kind = 'opportunistic'}} carrier.subchannels=1",
    "channel.fading={kind = 'jakes'} carrier.subchannels=1",
    "channel.fading={kind = 'tapped_delay_line', profile = 'eva', terms = 9} carrier.subchannels=1",
    "channel.fading={kind = 'tapped_delay_line', profile = 'tdl-c'} carrier.subchannels=43",
)

PROBE = """
import sys, airlink
from airlink.engine import choose_vector_path
print(choose_vector_path())
for setting in sys.argv[2:]:
    scenario = airlink.Scenario.from_toml(sys.argv[1]).override(setting.rsplit(" ", 1))
    print(airlink.run(scenario, seed=1, record=["snr", "slots"]).digest())
"""


def probe(choice: str) -> list[str]:
    """What runs in a process of its own, and the digest with each of the settings."""
    environment = {**os.environ, "AIRLINK_SIMD": choice}
    command = [sys.executable, "-c", PROBE, SCENARIO, *SETTINGS]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.skipif(not has_avx2(), reason="this CPU has one form only")
def test_digests_are_equal_on_either_path() -> None:
    portable, avx2 = probe("portable"), probe("avx2")
    assert (portable[0], avx2[0]) == ("portable", "avx2")
    assert len(portable) == 1 + len(SETTINGS)
    assert portable[1:] == avx2[1:]
    assert len(set(portable)) == len(portable)


def test_the_choice_holds_for_the_runs_that_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = airlink.Scenario.from_toml(SCENARIO)
    monkeypatch.setenv("AIRLINK_SIMD", "portable")
    portable = airlink.run(scenario, seed=2).digest()
    assert _rust.vector_path() == "portable"
    monkeypatch.delenv("AIRLINK_SIMD")
    assert airlink.run(scenario, seed=2).digest() == portable
    assert _rust.vector_path() == choose_vector_path()


@pytest.mark.parametrize("choice", ["AVX2", "sse", "0", " "])
def test_any_other_choice_is_refused_in_one_sentence(
    choice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRLINK_SIMD", choice)
    message = f'AIRLINK_SIMD is "{choice}"; it must be "portable" or "avx2"'
    with pytest.raises(RequestError, match=message):
        airlink.run(airlink.Scenario.from_toml(SCENARIO))
    file = tmp_path / "cell.toml"
    file.write_text(SCENARIO)
    answer = CliRunner().invoke(app, ["run", str(file)])
    assert answer.exit_code == 2
    assert message in answer.stderr
