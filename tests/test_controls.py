"""Known means of controls: against closed forms, sums by hand, and many short runs."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import pytest
from numpy.typing import NDArray

from airlink import Scenario
from airlink.campaign import Plan, stream
from airlink.measures import Control, controls, measure
from airlink.measures.known_means import mean_open_s, mean_size, mean_snr_db
from airlink.scenario import ready
from airlink.scenario.sections import (
    Channel,
    ExponentialSize,
    Flow,
    LognormalSize,
    ParetoSize,
    TriangularSize,
)
from airlink.statistics import control_variates

Floats = NDArray[np.float64]
GOODPUT = "cell.goodput_bps"
DEVIATIONS = 4.5
"""A mean of independent runs is further from the truth once in 150 000."""

CELL = """
users = 3
slot.duration_ms = 10
channel.fading = {kind = "rayleigh", doppler_hz = 5}
link.rate = {kind = "capacity", bandwidth_hz = 1e6}
scheduler.kind = "proportional_fair"
"""
FLOWS = """
[[flows]]
path = {downlink_delay_ms = 20, uplink_delay_ms = 30}
"""
BACKLOGGED = "[[flows]]\ntraffic.kind = 'backlogged'\n"
SHORT = "duration_s = 0.4\n"
PLACED = "channel.placement = {kind = 'mean_snr_range', low_db = -2, high_db = 12, spacing = 'random'}\n"
FIXED = "channel.placement = {kind = 'mean_snr', mean_snr_db = 6}\n"
RING = "channel.placement = {kind = 'disc', radius_m = 1000, inner_radius_m = 35, order = 'by_distance'}\n"
SECONDS = "duration_s = 3\nwarmup_s = 1\n"
SESSIONS = (
    FLOWS + "start_spread_s = 1\n"
    "traffic = {kind = 'sessions', size = {kind = 'lognormal', median_bytes = 30000, sigma = 1}, think_s = 0.3}\n"
)
FILES = (
    FLOWS + "start_spread_s = 1\nstop_s = 2\n"
    "traffic = {kind = 'poisson', arrivals_per_s = 1, size = {kind = 'pareto', shape = 1.2, min_bytes = 1000, "
    "max_bytes = 100000}}\n"
    + FLOWS
    + "users = [1]\ntraffic = {kind = 'poisson', arrivals_per_s = 2, size = {kind = 'exponential', mean_bytes = 1.5}}\n"
)
LOSSES = "link.errors.probability = 0.1\n"
AGAIN = LOSSES + "link.arq = {max_retransmissions = 2, unit = 'slot', repeats = 'at_once'}\n"

CASES = {
    "places": (SHORT + CELL + PLACED + BACKLOGGED, 1200, ["mean SNR"]),
    "a ring under a ceiling": (
        SHORT + CELL + RING + "channel.ceiling = {sinr_db = 15}\n" + BACKLOGGED,
        1200,
        ["mean SNR"],
    ),
    "shadowing": (SHORT + CELL + FIXED + "channel.shadowing.sd_db = 8\n" + BACKLOGGED, 1200, ["mean SNR"]),
    "shadowing in a ring": (SHORT + CELL + RING + "channel.shadowing.sd_db = 8\n" + BACKLOGGED, 1200, ["mean SNR"]),
    "files": (SECONDS + CELL + FIXED + FILES, 800, ["offered bytes"]),
    "pages": (SECONDS + CELL + FIXED + SESSIONS, 800, ["page sizes", "time to think"]),
    "losses": (SECONDS + CELL + FIXED + LOSSES + FLOWS, 800, ["frame errors"]),
    "losses sent again": ("duration_s = 0.5\n" + CELL + FIXED + AGAIN + BACKLOGGED, 800, ["frame errors"]),
}


def read(scenario: Scenario, runs: int, record: tuple[str, ...]) -> tuple[list[Control], Floats, Floats]:
    """The controls of a scenario, their values [run, control] and the goodput [run]."""
    found = controls(scenario, measure(GOODPUT), record)
    rows: list[list[float]] = []
    with stream(Plan({"": scenario}, range(1000, 1000 + runs), record)) as replicas:
        for _, _, replica in replicas:
            rows.append([replica.cell["goodput_bps"], *(control.value(replica) for control in found)])
    values = np.array(rows)
    return found, values[:, 1:], values[:, 0]


@lru_cache(maxsize=len(CASES))
def case(name: str) -> tuple[list[Control], Floats, Floats]:
    text, runs, _ = CASES[name]
    return read(Scenario.from_toml(text), runs, ("downloads",) if "sessions" in text else ())


@pytest.mark.parametrize("name", CASES)
def test_the_mean_of_a_control_is_the_known_one(name: str) -> None:
    found, values, _ = case(name)
    assert [control.name for control in found] == CASES[name][2]
    for control, column in zip(found, values.T, strict=True):
        error = float(np.std(column, ddof=1)) / math.sqrt(column.size)
        assert error > 0
        assert abs(np.mean(column) - control.known_mean) < DEVIATIONS * error


@pytest.mark.validate
@pytest.mark.parametrize("name", CASES)
def test_the_mean_of_a_control_is_the_known_one_over_many_runs(name: str) -> None:
    text, runs, _ = CASES[name]
    scenario = Scenario.from_toml(text)
    found, values, _ = read(scenario, 20 * runs, ("downloads",) if "sessions" in text else ())
    for control, column in zip(found, values.T, strict=True):
        error = float(np.std(column, ddof=1)) / math.sqrt(column.size)
        assert abs(np.mean(column) - control.known_mean) < DEVIATIONS * error


@pytest.mark.parametrize(
    ("name", "most"), [("places", 0.6), ("shadowing", 0.6), ("files", 0.9), ("pages", 0.95), ("losses", 0.9)]
)
def test_controls_narrow_the_interval_of_goodput(name: str, most: float) -> None:
    found, values, goodput = case(name)
    known = [control.known_mean for control in found]
    assert control_variates(goodput, values, known).width_ratio < most


def test_a_ring_without_a_ceiling_has_the_closed_form() -> None:
    # E ln d = (R^2 ln R - r^2 ln r) / (R^2 - r^2) - 1/2.
    channel = Channel.model_validate({"placement": {"kind": "disc", "radius_m": 900, "inner_radius_m": 40}})
    law, (inner, outer) = channel.path_loss, (40.0, 900.0)
    mean_log = (outer**2 * math.log(outer) - inner**2 * math.log(inner)) / (outer**2 - inner**2) - 0.5
    decades = (mean_log - math.log(law.reference_distance_m)) / math.log(10)
    assert mean_snr_db(channel, 5) == pytest.approx(law.reference_snr_db - 10 * law.exponent * decades, abs=1e-9)
    whole = Channel.model_validate({"placement": {"kind": "disc", "radius_m": 900}})
    decades = (math.log(outer) - 0.5 - math.log(law.reference_distance_m)) / math.log(10)
    assert mean_snr_db(whole, 5) == pytest.approx(law.reference_snr_db - 10 * law.exponent * decades, abs=1e-9)


@pytest.mark.parametrize(
    ("placement", "known"),
    [
        ({"kind": "mean_snr", "mean_snr_db": [0, 3, 9]}, 4),
        ({"kind": "mean_snr_range", "low_db": 0, "high_db": 8}, 4),
        ({"kind": "mean_snr_range", "low_db": 0, "high_db": 8, "spacing": "random"}, 4),
        ({"kind": "distances", "distances_m": [1000, 1000, 1000]}, 27),
        ({"kind": "trace", "files": ["x.csv"]}, None),
    ],
)
def test_given_places_have_the_mean_of_what_is_given(placement: dict[str, object], known: float | None) -> None:
    channel = Channel.model_validate({"placement": placement, "path_loss": {"reference_snr_db": 27}})
    found = mean_snr_db(channel, 3)
    assert found is None if known is None else found == pytest.approx(known, abs=1e-12)


@pytest.mark.parametrize(
    ("law", "survival"),
    [
        (ExponentialSize(mean_bytes=2.5), lambda x: np.exp(-x / 2.5)),
        (TriangularSize(min_bytes=0, mode_bytes=0, max_bytes=900), lambda x: np.maximum(1 - x / 900, 0) ** 2),
        (
            ParetoSize(shape=1.2, min_bytes=300, max_bytes=9000),
            lambda x: np.clip(((300 / np.maximum(x, 300)) ** 1.2 - (1 / 30) ** 1.2) / (1 - (1 / 30) ** 1.2), 0, 1),
        ),
    ],
)
def test_sizes_rounded_up_have_the_sum_of_their_survival_as_mean(law: object, survival: object) -> None:
    # E ceil(S) is the sum over k >= 0 of P(S > k).
    assert callable(survival)
    known = mean_size(law)
    assert known is not None
    assert known == pytest.approx(float(survival(np.arange(10_000.0)).sum()), abs=1e-9 if known < 4 else 0.0025)


def test_a_mean_that_is_not_known_exactly_is_none() -> None:
    assert mean_size(LognormalSize(median_bytes=20, sigma=0.5)) is None
    assert mean_size(LognormalSize(median_bytes=1000.5, sigma=0)) is None
    assert mean_size(LognormalSize(median_bytes=1e12, sigma=2)) is None
    assert mean_size(TriangularSize(min_bytes=10, mode_bytes=50, max_bytes=100)) is None
    narrow = (
        "traffic = {kind = 'poisson', arrivals_per_s = 1, size = {kind = 'lognormal', median_bytes = 20, sigma = 0}}\n"
    )
    assert controls(Scenario.from_toml(SECONDS + CELL + FIXED + FLOWS + narrow), measure(GOODPUT)) == []


@pytest.mark.parametrize(
    ("start", "spread", "stop", "begins", "ends"),
    [
        (0, 0, 9, 2, 5),
        (3, 0, 9, 2, 5),
        (1, 2, 9, 2, 5),
        (1, 7, 4, 2, 5),
        (0, 1, 9, 2, 5),
        (4, 3, 9, 2, 5),
        (6, 1, 9, 2, 5),
    ],
)
def test_the_mean_time_in_which_files_arrive_is_that_of_many_starts(
    start: float, spread: float, stop: float, begins: float, ends: float
) -> None:
    starts = start + spread * (np.arange(100_000) + 0.5) / 100_000
    by_hand = np.maximum(min(stop, ends) - np.maximum(starts, begins), 0).mean()
    flow = Flow(start_s=start, start_spread_s=spread, stop_s=stop)
    assert mean_open_s(flow, begins, ends) == pytest.approx(float(by_hand), abs=1e-4)


def test_controls_are_those_whose_means_are_known_and_that_vary() -> None:
    goodput = measure(GOODPUT)
    both = ["page sizes", "time to think"]

    def names(text: str, *settings: str) -> list[str]:
        return [each.name for each in controls(Scenario.from_toml(text, overrides=settings), goodput, ("downloads",))]

    pages = SECONDS + CELL + FIXED + SESSIONS
    assert names(pages) == both
    assert names(pages, "flows.0.traffic.think=constant") == names(pages, "flows.0.stop_s=2") == both[:1]
    assert (
        names(SHORT + CELL + FIXED + BACKLOGGED)
        == names(SHORT + CELL + LOSSES + FIXED + BACKLOGGED, "link.errors.threshold_rule=true")
        == []
    )
    assert controls(ready("dumbbell"), goodput) == []
    assert [each.name for each in controls(Scenario.from_toml(pages), goodput)] == []
    assert controls(Scenario.from_toml(pages), measure("downloads.p95(time_s)")) == []
    assert [each.name for each in controls(Scenario.from_toml(pages), measure("downloads.mean(time_s)"))] == both
