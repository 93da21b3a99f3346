"""Mean SNR from a link budget: what users have at their places, beside powers in milliwatts computed here."""

from __future__ import annotations

import math

import numpy as np
import pytest

from airlink import run
from airlink.scenario import Scenario, ready, warnings_of

CELL = """
duration_s = 1
users = 4
slot.duration_ms = 100
channel.placement = { kind = "distances", distances_m = [35, 289, 1000, 2500] }
channel.motion.carrier_hz = 3.5e9
link.rate = { kind = "capacity", bandwidth_hz = 98.28e6 }
[channel.link_budget]
power_dbm = 51
gain_db = 8
loss_at_1_km_db = 130.78
distance_exponent = 3.908
frequency_exponent = 2
noise_figure_db = 7
bandwidth_hz = 98.28e6
interference_margin_db = 3
[[flows]]
traffic.kind = "backlogged"
"""


def uma_loss(distance_m: float, carrier_hz: float) -> float:
    """Path loss without line of sight as TR 38.901, table 7.4.1-1 prints it (users at 1.5 m), as a ratio of powers."""
    return 10 ** ((13.54 + 39.08 * math.log10(distance_m) + 20 * math.log10(carrier_hz / 1e9)) / 10)


def macro_loss(distance_m: float, carrier_hz: float) -> float:
    """Path loss of an urban macro cell of TR 36.942, section 4.5.2, 15 m above roofs, as a ratio of powers."""
    height_m, megahertz = 15, carrier_hz / 1e6
    slope = 40 * (1 - 4e-3 * height_m) * math.log10(distance_m / 1000)
    return 10 ** ((slope - 18 * math.log10(height_m) + 21 * math.log10(megahertz) + 80) / 10)


def snr_db(received_mw: float, bandwidth_hz: float, noise_figure_db: float, margin_db: float = 0) -> float:
    noise_mw = 10**-17.4 * bandwidth_hz * 10 ** (noise_figure_db / 10)
    return 10 * math.log10(received_mw / (noise_mw * 10 ** (margin_db / 10)))


def mean_snr_db(scenario: Scenario) -> np.ndarray:
    return np.asarray(run(scenario, seed=1).users["mean_snr_db"])


def test_the_mean_snr_of_users_is_the_ratio_of_their_powers() -> None:
    sent_mw = 10 ** ((51 + 8) / 10)
    expected = [snr_db(sent_mw / uma_loss(at, 3.5e9), 98.28e6, 7, 3) for at in (35, 289, 1000, 2500)]
    assert mean_snr_db(Scenario.from_toml(CELL)) == pytest.approx(expected, abs=1e-9)


def test_the_defaults_are_the_macro_cell_of_lte_within_rounding() -> None:
    """The standard rounds its law to 128.1 dB at 2 GHz; its formula without rounding has 128.15."""
    cell = Scenario.from_toml(CELL).with_(**{"channel.link_budget": {"bandwidth_hz": 9e6}})
    for carrier_hz in (0.9e9, 2e9):
        sent_mw = 10 ** ((46 + 14) / 10)
        expected = [snr_db(sent_mw / macro_loss(at, carrier_hz), 9e6, 9) for at in (35, 289, 1000, 2500)]
        found = mean_snr_db(cell.with_(**{"channel.motion.carrier_hz": carrier_hz}))
        assert found == pytest.approx(expected, abs=0.05)
    rounded = 10 ** ((128.1 + 37.6 * math.log10(0.289)) / 10)
    assert found[1] == pytest.approx(snr_db(1e6 / rounded, 9e6, 9), abs=0.03)


def test_users_of_a_disc_have_the_mean_of_their_distance_under_the_ceiling() -> None:
    disc = {"kind": "disc", "radius_m": 289, "inner_radius_m": 35}
    users = run(
        Scenario.from_toml(CELL).with_(**{"channel.placement": disc, "channel.ceiling.sinr_db": 20}), seed=7
    ).users
    for at, found in zip(users["distance_m"], users["mean_snr_db"], strict=True):
        ratio = 10 ** (snr_db(10**5.9 / uma_loss(at, 3.5e9), 98.28e6, 7, 3) / 10)
        assert found == pytest.approx(-10 * math.log10(1 / ratio + 1 / 100), abs=1e-9)


def test_a_scenario_without_a_budget_keeps_its_path_loss() -> None:
    scenario = Scenario.from_toml(CELL).with_(**{"channel.link_budget": None})
    assert "link_budget" not in scenario.to_json()
    assert mean_snr_db(scenario) == pytest.approx([27 - 37.6 * math.log10(at / 1000) for at in (35, 289, 1000, 2500)])


@pytest.mark.parametrize("name", ["lte", "nr"])
def test_a_ready_cell_computes_its_margin_from_one_more_cell_at_the_edge(name: str) -> None:
    channel = ready(name).channel
    assert channel is not None
    assert channel.link_budget is not None
    alone = channel.link_budget.model_copy(update={"interference_margin_db": 0})
    edge_m = getattr(channel.placement, "radius_m")  # noqa: B009 - only discs have one
    edge_db = alone.mean_snr_db(edge_m, channel.motion.carrier_hz)
    margin_db = 10 * math.log10(1 + 10 ** (edge_db / 10))
    assert channel.link_budget.interference_margin_db == pytest.approx(margin_db, abs=0.1)


def test_both_ways_to_the_mean_snr_together_are_told() -> None:
    both = Scenario.from_toml(CELL).with_(**{"channel.path_loss.exponent": 4})
    assert [problem.path for problem in warnings_of(both)] == ["channel.path_loss.exponent"]
    assert not warnings_of(Scenario.from_toml(CELL))
