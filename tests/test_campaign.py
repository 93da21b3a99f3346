"""Campaigns: grids, paired seeds, comparisons, interruption."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import airlink
from airlink import Scenario, ScenarioError, campaign
from airlink.campaign import CampaignResult, Plan
from airlink.engine import Replica

BASE = Scenario.from_toml("""
name = "base"
duration_s = 2
users = 3
slot.duration_ms = 5
channel.placement = {kind = "mean_snr_range", low_db = 0, high_db = 15, spacing = "random"}
channel.fading.kind = "rayleigh"
link.rate = {kind = "capacity", bandwidth_hz = 1e6}
scheduler.kind = "round_robin"
flows = [{traffic = {kind = "backlogged"}}]
""")
SEEDS = [1, 2, 3, 4]


@pytest.fixture(scope="module")
def result() -> CampaignResult:
    scenarios = campaign.grid(BASE, {"scheduler.kind": ["round_robin", "proportional_fair"]})
    return campaign.run(Plan(scenarios, SEEDS, record=["gaps"]))


RR, PF = "kind=round_robin", "kind=proportional_fair"


def interrupted(result: CampaignResult) -> CampaignResult:
    """As if Ctrl-C had struck before the last two replicas of the second scenario."""
    rows: dict[str, list[Replica | None]] = {label: list(row) for label, row in result.replicas.items()}
    rows[PF][2:] = [None, None]
    return replace(result, replicas=rows, interrupted=True)


def test_a_grid_holds_every_combination_under_a_label() -> None:
    scenarios = campaign.grid(BASE, {"scheduler.kind": ["max_rate", "tcp_pf"], "users": [1, 2, 3]})
    assert list(scenarios)[:2] == ["kind=max_rate, users=1", "kind=max_rate, users=2"]
    assert len(scenarios) == 6
    assert scenarios["kind=tcp_pf, users=3"] == BASE.with_(**{"scheduler.kind": "tcp_pf", "users": 3})


def test_fields_that_end_alike_are_told_apart_in_labels() -> None:
    scenarios = campaign.grid(BASE, {"scheduler.kind": ["max_rate"], "channel.fading.kind": ["none"]})
    assert list(scenarios) == ["scheduler.kind=max_rate, channel.fading.kind=none"]


def test_a_value_that_is_not_allowed_is_a_scenario_error() -> None:
    with pytest.raises(ScenarioError, match="users"):
        campaign.grid(BASE, {"users": [1, 0]})


def test_every_scenario_runs_with_every_seed(result: CampaignResult) -> None:
    assert result.cell(RR, "goodput_bps").shape == (4,)
    assert result.users(RR, "goodput_bps").shape == (4, 3)
    assert result.flows(PF, "goodput_bps").shape == (4, 3)
    assert result.finished.tolist() == [[True] * 4] * 2
    assert not result.interrupted


def test_seeds_are_paired_so_the_users_stand_at_the_same_places(result: CampaignResult) -> None:
    np.testing.assert_array_equal(result.users(RR, "mean_snr_db"), result.users(PF, "mean_snr_db"))
    assert len(np.unique(result.users(RR, "mean_snr_db"))) == 12


def test_a_campaign_gives_the_numbers_of_single_runs(result: CampaignResult) -> None:
    for index, seed in enumerate(SEEDS):
        single = airlink.run(BASE, seed, record=["gaps"])
        replica = result.replicas[RR][index]
        assert replica is not None
        assert single.replicas[0].digest == replica.digest


def test_proportional_fair_beats_round_robin_seed_by_seed(result: CampaignResult) -> None:
    assert result.compare(PF, RR, "goodput_bps").low > 0
    ratio = result.compare(PF, RR, "goodput_bps", ratio=True)
    mean = result.cell(PF, "goodput_bps").mean() / result.cell(RR, "goodput_bps").mean()
    assert ratio.mean == pytest.approx(mean)
    assert 1 < ratio.low < ratio.high


def test_a_function_of_the_replica_is_a_measure(result: CampaignResult) -> None:
    def worst(replica: Replica) -> float:
        return float(replica.users["goodput_bps"].min())

    np.testing.assert_array_equal(result.cell(RR, worst), result.users(RR, "goodput_bps").min(axis=1))
    assert result.interval(RR, worst).n == 4
    assert result.compare(PF, RR, worst).n == 4


def test_an_unknown_label_or_number_is_answered_with_those_that_exist(result: CampaignResult) -> None:
    with pytest.raises(KeyError, match="kind=round_robin"):
        result.cell("RR", "goodput_bps")
    with pytest.raises(KeyError, match="jain_index"):
        result.cell(RR, "jain")


def test_a_scenario_of_a_campaign_is_a_result(result: CampaignResult) -> None:
    single = result.result(PF)
    assert single.seeds == (1, 2, 3, 4)
    assert single.series("gaps", 3).rows > 0
    assert single.summary["goodput_bps"] == result.interval(PF, "goodput_bps")


def test_what_was_interrupted_is_missing_and_left_out_of_comparisons(result: CampaignResult) -> None:
    partial = interrupted(result)
    assert partial.finished.tolist() == [[True] * 4, [True, True, False, False]]
    assert np.isnan(partial.cell(PF, "goodput_bps")).tolist() == [False, False, True, True]
    assert np.isnan(partial.users(PF, "goodput_bps")).sum() == 6
    assert partial.compare(PF, RR, "goodput_bps").n == 2
    assert partial.interval(PF, "goodput_bps").n == 2
    assert partial.result(PF).seeds == (1, 2)
    assert partial.result(PF).interrupted
    assert not partial.result(RR).interrupted


def test_nothing_finished_is_nothing_to_compare(result: CampaignResult) -> None:
    rows: dict[str, list[Replica | None]] = {RR: list(result.replicas[RR]), PF: [None] * 4}
    with pytest.raises(ValueError, match="at least one"):
        replace(result, replicas=rows).compare(PF, RR, "goodput_bps")


def test_progress_counts_the_replicas_of_all_scenarios() -> None:
    seen: list[tuple[int, int]] = []
    scenarios = campaign.grid(BASE, {"users": [1, 2]})
    campaign.run(Plan(scenarios, [1, 2, 3]), progress=lambda *counts: seen.append(counts))
    assert seen[-1] == (6, 6)


@pytest.mark.parametrize(("labels", "seeds"), [((), (1,)), (("a",), ()), (("a",), (1, 2, 1))])
def test_an_empty_plan_or_a_repeated_seed_is_refused(labels: tuple[str, ...], seeds: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="a plan needs"):
        Plan(dict.fromkeys(labels, BASE), seeds)


def test_one_seed_has_an_infinite_interval() -> None:
    result = campaign.run(Plan({"a": BASE, "b": BASE.with_(users=2)}, [1]))
    estimate = result.compare("a", "b", "goodput_bps")
    assert (estimate.low, estimate.high) == (-math.inf, math.inf)
