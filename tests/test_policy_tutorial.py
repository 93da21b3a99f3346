"""A policy learnt by evolution: what `airlink.gym.evolve` does, and that a trained network decides alike everywhere.

The tutorial itself is run by test_tutorials. Left out: that the policy is better than built-in schedulers, which it is
judged by with more seeds than a test has time for.
"""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import airlink
from airlink import RequestError
from airlink.gym import SchedulerEnvs, episode, evolve, parts
from airlink.own.code import loaded
from airlink.scenario import Scenario
from environments import cell, decided

ROOT = Path(__file__).parent.parent
FILE = ROOT / "docs/examples/policy.py"
NOTEBOOK = ROOT / "docs/tutorials/7-policy.ipynb"


class Hill:
    """Environments of one step whose reward falls with the distance of the action from a place, and with the seed."""

    def __init__(self, num_envs: int, place: list[float]) -> None:
        self.num_envs, self.place = num_envs, np.array(place)
        self.played: list[list[int]] = []
        self.actions: list[NDArray[np.float64]] = []

    def reset(self, *, seed: list[int]) -> tuple[NDArray[np.float64], dict[str, Any]]:
        self.played.append(seed)
        return np.zeros((self.num_envs, 1)), {}

    def by_part(self, observations: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        return {"nothing": observations}

    def step(self, actions: NDArray[np.float64]) -> tuple[Any, ...]:
        self.actions.append(actions)
        rewards = -((actions - self.place) ** 2).sum(axis=1) - 10.0 * np.array(self.played[-1])
        ended = np.ones(self.num_envs, np.bool_)
        return np.zeros((self.num_envs, 1)), rewards, ~ended, ended, {}


def itself(numbers: NDArray[np.float64], _: Any) -> NDArray[np.float64]:
    return numbers


def climbed(hill: Any, seeds: Any = range(60), **options: Any) -> list[Any]:
    return list(evolve(hill, itself, [0.0, 0.0, 0.0], seeds, **{"spread": 0.2, "step": 0.5, **options}))


def test_evolution_climbs_a_hill_whatever_the_seeds_are_worth() -> None:
    found = climbed(Hill(18, [1.0, -2.0, 0.5]))
    # A step has the length step x spread x sqrt(3) = 0.17: it can't come nearer than about that.
    assert np.linalg.norm(found[-1].parameters - [1.0, -2.0, 0.5]) < 0.35
    assert found[0].gain == 0
    assert found[-1].gain == pytest.approx(1 + 4 + 0.25, abs=0.35**2)
    assert np.linalg.norm(found[9].parameters - found[8].parameters) == pytest.approx(0.5 * 0.2 * np.sqrt(3))


def test_candidates_of_a_generation_play_one_seed_in_mirrored_pairs_beside_the_start() -> None:
    hill = Hill(10, [1.0, 0.0, 0.0])
    found = climbed(hill, seeds=[5, 9, 7])
    assert hill.played == [[5] * 10, [9] * 10, [7] * 10]
    assert [each.seed for each in found] == [5, 9, 7]
    for actions, before in zip(hill.actions[1:], found, strict=False):
        assert actions[0].tolist() == [0.0, 0.0, 0.0]
        assert (actions[1] == before.parameters).all()
        assert (actions[2:6] + actions[6:]) / 2 == pytest.approx(np.tile(before.parameters, (4, 1)))


def test_rewards_count_by_their_ranks() -> None:
    plain, steep = Hill(18, [1.0, -2.0, 0.5]), Hill(18, [1.0, -2.0, 0.5])
    step = steep.step
    steep.step = lambda actions: (lambda shown, rewards, *rest: (shown, np.exp(rewards / 50), *rest))(*step(actions))  # type: ignore[method-assign]
    assert (climbed(plain)[-1].parameters == climbed(steep)[-1].parameters).all()


def test_draws_name_what_is_learnt() -> None:
    one, again, other = (climbed(Hill(10, [1.0, 0.0, 0.0]), draws=draws)[-1].parameters for draws in (1, 1, 2))
    assert (one == again).all()
    assert (one != other).any()


@pytest.mark.parametrize(
    ("num_envs", "start", "options", "message"),
    [
        (7, [0.0], {}, "there are 7 environments; it must be an even number of at least 4"),
        (2, [0.0], {}, "there are 2 environments"),
        (4, [], {}, r"start has the shape \(0,\)"),
        (4, [[0.0]], {}, "it must be a list of finite numbers"),
        (4, [np.nan], {}, "it must be a list of finite numbers"),
        (4, [0.0], {"spread": 0.0}, "spread is 0.0; it must be a number above 0"),
        (4, [0.0], {"step": -1.0}, "step is -1.0"),
    ],
)
def test_what_evolution_refuses(num_envs: int, start: Any, options: dict[str, float], message: str) -> None:
    hill: Any = Hill(num_envs, [1.0])
    with pytest.raises(RequestError, match=message):
        next(evolve(hill, itself, start, [1], **options))


def network() -> Any:
    """The module of the trained policy."""
    import sys

    return sys.modules[loaded(f"{FILE}:Policy").__module__]


def shown(module: Any) -> list[Any]:
    """The parts of its inputs, with bounds that cut nothing."""
    return [parts("slots", "observation")[name].within(0.0, 1e15) for name in module.KNOWN]


def environments(scenario: Scenario, num_envs: int, threads: int = 1, **options: Any) -> SchedulerEnvs:
    return decided(scenario, num_envs, threads, observation=shown(network()), **options)


@pytest.mark.parametrize("users", [3, 8])
def test_the_trained_network_decides_alike_in_an_environment_and_as_a_scheduler(users: int) -> None:
    module, scenario = network(), cell(users=users, flows=cell().flows[:1])
    envs = environments(scenario, 2)
    episode(envs, lambda known: module.priorities(np.tile(module.WEIGHTS, (2, 1)), known), [3, 4])
    played = [result.replicas[0].digest for result in envs.results() if result is not None]
    own = airlink.run(scenario, seed=3, replicas=2, scheduler=f"{FILE}:Policy")
    assert played == [replica.digest for replica in own.replicas]
    assert played != [replica.digest for replica in airlink.run(scenario, seed=3, replicas=2).replicas]


def test_the_network_learns_on_paired_seeds_alike_on_any_number_of_threads() -> None:
    module = network()
    learnt = []
    for threads in (1, 2):
        envs = environments(cell(duration_s=0.5), 18, threads, reward={"log_goodput": 1.0})
        start = np.zeros(module.WEIGHTS.size)
        learnt.append([each.parameters for each in islice(evolve(envs, module.priorities, start, range(100, 106)), 6)])
        envs.close()
    assert all((one == other).all() for one, other in zip(*learnt, strict=True))


def test_the_tutorial_shows_the_network_of_the_file() -> None:
    code = "\n\n".join("".join(each["source"]) for each in json.loads(NOTEBOOK.read_text())["cells"])
    text = FILE.read_text()
    begin = text.index("def priorities")
    function = text[begin : text.index("\n\n\n", begin)]
    assert function in code
