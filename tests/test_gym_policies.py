"""Policies in environments: proportional fair is the built-in one, and better policies score better in each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import airlink
from airlink.gym import QueueEnvs, SchedulerEnvs, SenderEnvs, parts
from airlink.scenario import Scenario, ready
from environments import Policy, cell, decided, fair_cell, fairness, played

SHARING = 6
"""Environments on one thread of which some have in common what decides."""


@pytest.mark.parametrize("ties", ["lowest_index", "random"])
@pytest.mark.parametrize("subchannels", [1, 50])
def test_proportional_fair_as_a_policy_is_the_built_in_one(subchannels: int, ties: str) -> None:
    scenario = fair_cell(subchannels, ties)
    assert_built_in(decided(scenario, SHARING, observation=wide("rate_bps", "average_bps")), fairness, scenario)


@pytest.mark.parametrize("ties", ["lowest_index", "random"])
def test_proportional_fair_by_weights_is_the_built_in_one_over_subchannels(ties: str) -> None:
    scenario = fair_cell(50, ties)
    exact: Any = {"scaled": False, "dtype": "float64", "observation": wide("average_bps"), "record": [], "threads": 1}
    envs = SchedulerEnvs(scenario, SHARING, action="weights", **exact)
    assert_built_in(envs, lambda known: 1.0 / known["average_bps"], scenario)


@pytest.mark.parametrize("subchannels", [1, 50])
def test_ties_are_drawn_in_each_environment_as_in_its_run(subchannels: int) -> None:
    """Many users have the highest of few rates, so nearly every slot is drawn."""
    scenario = fair_cell(subchannels, "random").with_(scheduler={"kind": "max_rate", "ties": "random"})
    assert_built_in(decided(scenario, SHARING, observation=wide("rate_bps")), lambda known: known["rate_bps"], scenario)


def assert_built_in(envs: SchedulerEnvs, policy: Policy, scenario: Scenario) -> None:
    """Each environment's latest whole episode is the scenario's run of its seed."""
    played(envs, policy, seed=3)
    found = [result.replicas[0] for result in envs.results() if result is not None]
    assert len(found) == envs.num_envs
    for each in found:
        assert each.digest == airlink.run(scenario, seed=each.seed).replicas[0].digest


def test_slots_that_a_retransmission_takes_pass_by() -> None:
    scenario = fair_cell(1, "random").with_(**{"link.arq.unit": "slot", "link.arq.repeats": "at_once"})
    envs = decided(scenario, 1, observation=wide("rate_bps", "average_bps"))
    played(envs, fairness)
    (found,) = envs.results()
    assert found is not None
    assert found.replicas[0].digest == airlink.run(scenario).replicas[0].digest


@pytest.mark.parametrize("layout", ["box", "dict"])
def test_observations_in_their_units_are_not_cut_where_a_cell_is_fast(layout: str) -> None:
    scenario = ready("nr-like", ["duration_s=0.3", "warmup_s=0", "link.harq.kind=none"])
    envs, most = decided(scenario, 1, layout=layout), [0.0]

    def noted(known: dict[str, NDArray[Any]]) -> NDArray[Any]:
        most[0] = max(most[0], float(known["average_bps"].max()))
        return fairness(known)

    played(envs, noted, seed=2)
    (found,) = envs.results()
    assert most[0] > parts("slots", "observation")["average_bps"].high
    assert found is not None
    assert found.replicas[0].digest == airlink.run(scenario, seed=2).replicas[0].digest


def test_bounds_of_ones_own_cut_observations_in_their_units() -> None:
    rate = parts("slots", "observation")["rate_bps"].within(high=2e5)
    envs = decided(fair_cell(1, "random"), 1, observation=[rate, "average_bps", "delay_budget_s", "candidate"])
    known = envs.by_part(envs.reset(seed=1)[0])
    assert known["rate_bps"].max() == 2e5
    assert np.isinf(known["delay_budget_s"]).all()
    highs = envs.by_part(envs.observation_space.high)
    assert (highs["rate_bps"] == 2e5).all()
    assert np.isinf(highs["average_bps"]).all()
    assert (highs["candidate"] == 1).all()


def wide(*names: str) -> list[Any]:
    """Parts whose bounds cut nothing."""
    return [parts("slots", "observation")[name].within(0.0, 1e15) for name in names]


def spread(policies: dict[str, NDArray[np.float64]]) -> dict[str, float]:
    return {name: float(score.mean()) for name, score in policies.items()}


def test_the_fair_policy_beats_chance_and_a_constant_in_the_cell() -> None:
    draws = np.random.default_rng(1)

    def score(policy: Any) -> NDArray[np.float64]:
        return played(decided(cell(), 4, reward={"log_goodput": 1.0}), policy)

    found = spread(
        {
            "fair": score(fairness),
            "chance": score(lambda known: draws.random(known["rate_bps"].shape)),
            "constant": score(lambda known: -np.arange(8.0) * np.ones_like(known["rate_bps"])),
        }
    )
    # Among eight users a gain of 20 % for each is worth 8 ln(1.2); a constant order starves most of them.
    assert found["fair"] > found["chance"] + 8 * np.log(1.2)
    assert found["chance"] > found["constant"] + 8


def test_a_window_that_follows_the_round_trip_beats_chance_and_a_constant() -> None:
    draws = np.random.default_rng(1)

    def follows(known: dict[str, NDArray[Any]]) -> NDArray[Any]:
        waits = known["smoothed_round_trip_s"] > 2 * known["least_round_trip_s"]
        return np.asarray(np.where(waits, 0.8, 1.15) * np.maximum(known["window_bytes"], 1500.0))[..., None]

    def score(policy: Any) -> NDArray[np.float64]:
        envs = SenderEnvs(cell(), 4, scaled=False, reward={"goodput_bits": 1e-6, "round_trip_s": -4.0}, step_s=0.05)
        return played(envs, policy)

    found = spread(
        {
            "follows": score(follows),
            "chance": score(lambda known: 1500.0 * 1000.0 ** draws.random((*known["window_bytes"].shape, 1))),
            "small": score(lambda known: np.full((*known["window_bytes"].shape, 1), 3000.0)),
        }
    )
    assert found["follows"] > found["chance"] > found["small"]


def test_a_limit_that_follows_the_wait_beats_chance_and_none() -> None:
    draws = np.random.default_rng(1)

    def follows(known: dict[str, NDArray[Any]]) -> NDArray[Any]:
        # What left at this rate in 50 ms, for each user.
        return np.maximum(known["left_bps"] / 8.0 * 0.05, 6000.0)[..., None]

    def score(policy: Any) -> NDArray[np.float64]:
        observation = ["left_bps", "wait_s", "backlog_bytes"]
        reward = {"goodput_bits": 1e-6, "wait_s": -20.0}
        envs = QueueEnvs(
            cell(), 4, action=["limit_bytes"], scaled=False, step_s=0.1, observation=observation, reward=reward
        )
        return played(envs, policy)

    found = spread(
        {
            "follows": score(follows),
            "chance": score(lambda known: 3000.0 * 1000.0 ** draws.random((*known["wait_s"].shape, 1))),
            "none": score(lambda known: np.full((*known["wait_s"].shape, 1), 3e6)),
        }
    )
    assert found["follows"] > found["chance"] > found["none"]
