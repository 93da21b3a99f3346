"""A policy learnt by evolution: what `airlink.gym.evolve` does, and that a trained network decides alike everywhere.

The tutorial itself is run by test_tutorials. Left out: that the policy is better than built-in schedulers, which it is
judged by with more seeds than a test has time for.
"""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from types import SimpleNamespace
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
    # The first policy is the mean of the start and the first step.
    assert np.linalg.norm(found[0].parameters) == pytest.approx(0.5 * 0.2 * np.sqrt(3) / 2)


def test_candidates_of_a_generation_play_one_seed_in_mirrored_pairs_beside_the_start() -> None:
    hill = Hill(10, [1.0, 0.0, 0.0])
    found = climbed(hill, seeds=[5, 9, 7])
    assert hill.played == [[5] * 10, [9] * 10, [7] * 10]
    assert [each.seed for each in found] == [5, 9, 7]
    centres = [(actions[2:6] + actions[6:]) / 2 for actions in hill.actions]
    assert all(each == pytest.approx(np.tile(each[0], (4, 1))) for each in centres)
    assert [actions[0].tolist() for actions in hill.actions] == [[0.0, 0.0, 0.0]] * 3
    for number in (1, 2):
        assert (hill.actions[number][1] == found[number - 1].parameters).all()
        # Fewer than ten centres so far: the policy is their mean.
        assert found[number - 1].parameters == pytest.approx(
            np.mean([each[0] for each in centres[: number + 1]], axis=0)
        )


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
def test_what_evolution_refuses(num_envs: int, start: Any, options: dict[str, Any], message: str) -> None:
    hill: Any = Hill(num_envs, [1.0])
    with pytest.raises(RequestError, match=message):
        next(evolve(hill, itself, start, [1], **options))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The trained policy, as the tutorial writes it."""
    made = tmp_path_factory.mktemp("policy") / "policy.py"
    tutorial = written_in_the_tutorial()
    tutorial["write"](made, np.array(tutorial["LONG"].split(), float))
    return made


def written_in_the_tutorial() -> dict[str, Any]:
    """What the tutorial defines on its way to the file of the policy."""
    cells = [each for each in json.loads(NOTEBOOK.read_text())["cells"] if each["cell_type"] == "code"]
    code = "\n".join("".join(each["source"]) for each in cells)
    names = ("UNITS", "priorities", "LONG", "CLASS", "write")
    wanted: list[ast.stmt] = []
    texts: dict[str, str] = {}
    for node in ast.parse(code).body:
        target = getattr(node, "target", getattr(node, "targets", [node])[0])
        if getattr(target, "id", getattr(target, "name", "")) in names:
            wanted.append(node)
            texts[getattr(node, "name", "")] = ast.get_source_segment(code, node) or ""
    source = SimpleNamespace(getsource=lambda function: texts[function.__name__] + "\n")
    found: dict[str, Any] = {"np": np, "Path": Path, "inspect": source}
    exec(compile(ast.Module(wanted, []), str(NOTEBOOK), "exec"), found)
    return found


def module_of(file: Path) -> Any:
    return sys.modules[loaded(f"{file}:Policy").__module__]


def environments(module: Any, scenario: Scenario, num_envs: int, threads: int = 1, **options: Any) -> SchedulerEnvs:
    """With what the network sees, in bounds that cut nothing."""
    shown = [parts("slots", "observation")[name].within(0.0, 1e15) for name in module.UNITS]
    return decided(scenario, num_envs, threads, observation=shown, **options)


@pytest.mark.parametrize(("users", "subchannels"), [(3, 1), (8, 1), (4, 5)])
def test_the_trained_network_decides_alike_in_an_environment_and_as_a_scheduler(
    file: Path, users: int, subchannels: int
) -> None:
    module = module_of(file)
    scenario = cell(users=users, flows=cell().flows[:1], duration_s=1, **{"carrier.subchannels": subchannels})
    envs = environments(module, scenario, 2)

    def policy(known: Any) -> NDArray[np.float64]:
        rate = known["rate_bps"].reshape(2, users, subchannels)
        rows = {name: each.reshape(2, users, -1) + 0 * rate for name, each in known.items()}
        rows = {name: each.reshape(2, users * subchannels) for name, each in rows.items()}
        found = module.priorities(np.tile(module.WEIGHTS, (2, 1)), rows)
        return np.asarray(found.reshape(known["rate_bps"].shape))

    episode(envs, policy, [3, 4])
    played = [result.replicas[0].digest for result in envs.results() if result is not None]
    own = airlink.run(scenario, seed=3, replicas=2, scheduler=f"{file}:Policy")
    assert played == [replica.digest for replica in own.replicas]
    assert played != [replica.digest for replica in airlink.run(scenario, seed=3, replicas=2).replicas]


def test_a_network_without_weights_is_nearly_proportional_fair(file: Path) -> None:
    module = module_of(file)
    known = {name: np.array([1.0, 2.0]) * unit for name, unit in module.UNITS.items()}
    known["average_bps"] = np.array([3.0, 1.0]) * module.UNITS["average_bps"]
    none = module.priorities(np.zeros((1, module.WEIGHTS.size)), known)
    assert none == pytest.approx(np.log([[1.01 / 3.01, 2.01 / 1.01]]))


def test_the_network_gains_on_seeds_that_it_has_not_seen_on_any_number_of_threads(file: Path) -> None:
    module, learnt = module_of(file), []
    # From the largest rate, which starves: six generations of 16 candidates are enough to see that averages count.
    for threads in (1, 2):
        envs = environments(module, cell(duration_s=0.5), 18, threads, reward={"log_goodput": 1.0})

        def policy(numbers: Any, known: Any) -> NDArray[np.float64]:
            found = module.priorities(numbers, known) + np.log(0.01 + known["average_bps"] / 1e6)
            return np.asarray(found)

        start = np.zeros(module.WEIGHTS.size)
        *_, last = evolve(envs, policy, start, range(100, 106), spread=0.3, step=0.4)
        learnt.append(last.parameters)
        envs.close()
    assert (learnt[0] == learnt[1]).all()
    fresh = environments(module, cell(duration_s=0.5), 8, 2, reward={"log_goodput": 1.0})
    both = np.stack([learnt[0], start]).repeat(4, axis=0)
    rewards = episode(fresh, lambda known: policy(both, known), [500, 501, 502, 503] * 2).reshape(2, 4)
    fresh.close()
    assert (rewards[0] - rewards[1]).mean() > 0
