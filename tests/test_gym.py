"""Environments as gymnasium wants them: spaces, autoreset, seeds, threads, mistakes, interrupts, the end."""

from __future__ import annotations

import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any, cast

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from numpy.typing import NDArray

import airlink
from airlink import RequestError
from airlink.gym import QueueEnvs, SchedulerEnv, SchedulerEnvs, SenderEnvs, parts
from airlink.gym.vector import RunEnvs
from airlink.scenario import ready
from environments import cell, decided, fairness

ASKED: Any = {
    "capture_output": True,
    "text": True,
    "timeout": 60,
    "env": {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]),
    },
}
"""How another process is asked, which finds what stands beside the tests."""

OTHERS_DECIDE = {"experimental": {"scheduler": {"kind": "ideal_tcp_pf"}}}

KINDS: list[tuple[str, dict[str, Any]]] = [
    ("Scheduler", {}),
    ("Scheduler", {"action": "priorities", "layout": "dict"}),
    ("Scheduler", {"action": "weights", "scenario": cell(duration_s=0.5, **{"carrier.subchannels": 3})}),
    ("Scheduler", {"invalid": "best", "scenario": cell(duration_s=0.5, **{"carrier.subchannels": 3})}),
    ("Sender", {"action": ["window_bytes", "pacing_bps"]}),
    ("Queue", {}),
]


@pytest.mark.parametrize(("name", "options"), KINDS)
def test_gymnasium_finds_nothing_wrong(name: str, options: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(f"airlink/{name}-v0", **{"scenario": cell(), **options})
        check_env(env.unwrapped, skip_render_check=True)
    env.close()


@pytest.mark.parametrize(("name", "options"), KINDS)
def test_a_vector_environment_keeps_its_spaces(name: str, options: dict[str, Any]) -> None:
    envs = gymnasium.make_vec(f"airlink/{name}-v0", num_envs=3, **{"scenario": cell(), **options})
    assert isinstance(envs.unwrapped, RunEnvs)
    assert envs.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.NEXT_STEP
    envs.action_space.seed(1)
    observations, _ = envs.reset(seed=1)
    assert envs.observation_space == gymnasium.vector.utils.batch_space(envs.single_observation_space, 3)
    for _ in range(20):
        assert observations in envs.observation_space
        observations, rewards, terminated, truncated, _ = envs.step(envs.action_space.sample())
        for each, dtype in ((rewards, np.float64), (terminated, np.bool_), (truncated, np.bool_)):
            assert (each.shape, each.dtype) == ((3,), dtype)
    envs.close()
    with pytest.raises(RuntimeError, match="closed"):
        envs.unwrapped._engine.seeds()


def no_scenario() -> Any:
    return Path("cell.toml")


def wrong(value: Any) -> Any:
    return value


def unknown() -> Any:
    return {"speed": 1}


def short(num_envs: int = 2, **options: Any) -> SenderEnvs:
    """Episodes of four steps."""
    return SenderEnvs(cell(duration_s=0.4), num_envs, step_s=0.1, dtype="float64", **options)


def test_the_step_after_an_episode_starts_the_next_whatever_its_action() -> None:
    envs = short()
    action = np.zeros(envs.action_space.shape)
    first, _ = envs.reset(seed=10)
    for step in range(4):
        _, rewards, _, truncated, _ = envs.step(action)
        assert truncated.tolist() == [step == 3] * 2
    assert rewards.any()
    observations, rewards, terminated, truncated, _ = envs.step(np.ones_like(action))
    assert [each.any() for each in (rewards, terminated, truncated)] == [False] * 3
    assert envs.seeds() == [12, 13]
    np.testing.assert_array_equal(observations, first)
    again, _ = short().reset(seed=12)
    np.testing.assert_array_equal(observations, again)
    # The next episode is that of its seed, not of the actions before.
    other = short()
    other.reset(seed=12)
    np.testing.assert_array_equal(envs.step(action)[0], other.step(action)[0])


def test_an_episode_without_a_seed_has_the_next_one() -> None:
    envs = short()
    for seeds in ([1, 2], [3, 4], [5, 6]):
        envs.reset()
        assert envs.seeds() == seeds
    envs.reset(seed=[7, 20])
    assert envs.seeds() == [7, 20]


def test_episodes_end_one_by_one_where_steps_differ_in_length() -> None:
    envs = SchedulerEnvs(cell(duration_s=0.2), 4)
    envs.reset(seed=1)
    ends: list[int] = []
    for step in range(1, 400):
        _, _, _, truncated, infos = envs.step(envs.action_masks().argmax(axis=1) if step > 1 else np.zeros(4, int))
        ends += [step] * int(truncated.sum())
        assert (infos["action_mask"].any(axis=1) | truncated).all()
    assert len(set(ends)) > 2
    envs.close()


def trace(threads: int, make: Any) -> bytes:
    """All that comes out of many steps."""
    envs = make(threads)
    envs.action_space.seed(3)
    seen = [envs.reset(seed=5)[0].tobytes()]
    for _ in range(150):
        observations, rewards, _, truncated, _ = envs.step(envs.action_space.sample())
        seen += [observations.tobytes(), rewards.tobytes(), truncated.tobytes()]
    envs.close()
    return b"".join(seen)


@pytest.mark.parametrize(
    "make",
    [
        lambda threads: SchedulerEnvs(cell(duration_s=0.1), 9, action="priorities", threads=threads),
        lambda threads: SenderEnvs(cell(duration_s=0.4), 9, threads=threads, step_s=0.02),
        lambda threads: QueueEnvs(cell(duration_s=0.4), 9, threads=threads, step_s=0.02),
    ],
)
def test_threads_change_no_byte(make: Any) -> None:
    assert trace(1, make) == trace(2, make) == trace(5, make)


def test_steps_without_copies_overwrite_what_they_returned() -> None:
    envs = decided(cell(), 2, copy=False)
    first, _ = envs.reset(seed=1)
    before = first.copy()
    second, *_ = envs.step(fairness(envs.by_part(first)))
    assert second is first
    assert (second != before).any()
    copying = decided(cell(), 2)
    first, _ = copying.reset(seed=1)
    assert copying.step(fairness(copying.by_part(first)))[0] is not first


def test_what_becomes_of_returned_arrays_changes_nothing() -> None:
    envs, alike = (decided(cell(), 2) for _ in range(2))
    shown, same = envs.reset(seed=1)[0], alike.reset(seed=1)[0]
    for _ in range(20):
        action = fairness(envs.by_part(shown))
        shown[:] = 7
        shown.resize(3, refcheck=False)
        shown, rewards, _, truncated, infos = envs.step(action)
        same, *_ = alike.step(fairness(alike.by_part(same)))
        np.testing.assert_array_equal(shown, same)
        infos["action_mask"][:] = -1
        rewards[:] = np.nan
        truncated[:] = True
    np.testing.assert_array_equal(envs.action_masks(), alike.action_masks())


def test_an_array_that_is_also_the_actions_is_refused() -> None:
    envs = decided(cell(), 2, copy=False, observation=["rate_bps"])
    shown, _ = envs.reset(seed=1)
    with pytest.raises(TypeError, match="borrow"):
        envs.step(shown)


def test_steps_with_copies_leave_what_they_returned_alone() -> None:
    envs = SchedulerEnvs(cell(duration_s=0.3), 4, layout="dict")
    envs.action_space.seed(1)
    observations, infos = envs.reset(seed=1)
    returned: list[Any] = [*observations.values(), *infos.values()]
    kept = [each.copy() for each in returned]
    ends = 0
    for _ in range(300):
        observations, rewards, terminated, truncated, infos = envs.step(envs.action_space.sample())
        returned += [*observations.values(), rewards, terminated, truncated, *infos.values()]
        kept += [each.copy() for each in returned[len(kept) :]]
        ends += int(truncated.sum())
    assert all((now == then).all() for now, then in zip(returned, kept, strict=True))
    assert ends > 0


def test_a_reward_is_the_weighted_sum_of_its_parts() -> None:
    reward = {"goodput_bits": 2e-6, "log_goodput": 0.5, "jain_index": 3.0, "head_of_line_delay_s": -1.0}
    envs = SchedulerEnvs(cell(), 2, action="priorities", reward=reward, scaled=False)
    envs.reset(seed=1)
    logs = np.zeros(2)
    bits = np.zeros(2)
    for _ in range(500):
        _, rewards, _, _, _ = envs.step(np.tile(np.arange(8.0), (2, 1)))
        known = envs.reward_parts()
        np.testing.assert_allclose(rewards, sum(weight * known[name] for name, weight in reward.items()), rtol=1e-12)
        logs += known["log_goodput"]
        bits += known["goodput_bits"]
    assert (bits > 0).all()
    # The growth of eight logarithms is at most that of equal shares.
    assert (logs <= 8 * np.log1p(bits / 8 / 8 / 1500)).all()
    assert (logs >= np.log1p(bits / 8 / 1500) - 1e-9).all()


def test_an_action_in_units_and_one_between_bounds_are_the_same() -> None:
    window = parts("senders", "action")["window_bytes"].within(1500, 150_000)
    scaled, plain = short(action=[window]), short(action=[window], scaled=False)
    scaled.reset(seed=1)
    plain.reset(seed=1)
    for share in (-1.0, 0.0, 1.0, 7.0):
        units = np.full(plain.action_space.shape, 1500.0 * 10.0 ** (min(share, 1.0) + 1.0))
        seen = scaled.step(np.full(scaled.action_space.shape, share)), plain.step(units)
        np.testing.assert_allclose(seen[0][1], seen[1][1])
    assert seen[0][1].any()


def test_what_nobody_may_win_stays_idle_or_goes_to_the_best() -> None:
    def sent(invalid: str) -> float:
        envs = SchedulerEnvs(cell(duration_s=0.3), 1, invalid=invalid, reward={"sent_bits": 1.0})
        _, infos = envs.reset(seed=1)
        total, truncated = 0.0, np.zeros(1, np.bool_)
        while not truncated.any():
            # Somebody who may not win, if there is one; the first steps have few who may.
            _, rewards, _, truncated, infos = envs.step(infos["action_mask"].argmin(axis=1))
            total += float(rewards[0])
        return total

    assert sent("best") > sent("idle") == 0


def test_what_is_shown_of_slots_agrees_with_itself_and_the_scenario() -> None:
    scenario = cell(**{"scheduler.weight": [1.5] * 8, "scheduler.delay_budget_ms": 250, "carrier.subchannels": 2})
    names = list(parts("slots", "observation"))
    envs = SchedulerEnvs(scenario, 1, action="priorities", observation=names, scaled=False, dtype="float64")
    observations, infos = envs.reset(seed=1)
    draws, waited = np.random.default_rng(1), 0
    for _ in range(300):
        known = {name: values[0] for name, values in envs.by_part(observations).items()}
        np.testing.assert_array_equal(known["candidate"], infos["action_mask"][0].T)
        has_data = (known["backlog_bytes"] > 0)[:, None]
        np.testing.assert_array_equal(known["candidate"] == 1, has_data & (known["rate_bps"] > 0))
        assert (known["retransmit_bytes"] <= known["backlog_bytes"]).all()
        assert (known["weight"] == 1.5).all()
        assert (known["delay_budget_s"] == 0.25).all()
        assert (known["gap_slots"] >= 1).all()
        # A higher report never permits a lower rate.
        order = known["reported_db"].ravel().argsort()
        assert (np.diff(known["rate_bps"].ravel()[order]) >= 0).all()
        np.testing.assert_allclose(known["mean_snr_db"], np.linspace(0, 20, 8))
        assert (known["average_bps"] > 0).all()
        waited += int((known["head_of_line_delay_s"] > 0).sum())
        observations, _, _, _, infos = envs.step(draws.random((1, 8, 2)))
    assert waited > 0


def test_what_is_shown_of_senders_is_what_was_set_and_what_became_of_it() -> None:
    names = list(parts("senders", "observation"))
    action = ["pacing_bps", "window_bytes"]
    envs = SenderEnvs(cell(), 1, action=action, observation=names, scaled=False, dtype="float64", step_s=0.1)
    envs.reset(seed=1)
    for window in (6000.0, 30_000.0):
        for _ in range(10):
            known = envs.by_part(envs.step(np.tile([1e6, window], (1, 8, 1)))[0])
            assert (known["window_bytes"] == window).all()
            # Paced at 1 Mb/s, no more than that arrives, but for what was on its way.
            assert (known["delivered_bps"] <= 1e6 + 8 * window / 0.1).all()
    # The wires alone take 40 ms.
    for name in ("least_round_trip_s", "smoothed_round_trip_s"):
        assert (known[name] >= 0.04).all()
    assert (known["least_round_trip_s"] <= 1.1 * known["smoothed_round_trip_s"]).all()
    assert (known["in_flight_bytes"] <= 30_000).all()
    assert known["delivered_bps"].sum() > 0


def test_what_is_shown_of_queues_is_what_was_set_and_what_became_of_it() -> None:
    names = list(parts("queues", "observation"))
    envs = QueueEnvs(cell(), 1, observation=names, scaled=False, dtype="float64", step_s=0.1)
    envs.reset(seed=1)
    marked, arrived, left = 0.0, np.zeros(8), np.zeros(8)
    for _ in range(19):
        known = {
            name: values[0] for name, values in envs.by_part(envs.step(np.tile([20_000.0, 0.1], (1, 8, 1)))[0]).items()
        }
        assert (known["limit_bytes"] == 20_000).all()
        assert (known["mark_probability"] == 0.1).all()
        assert (known["backlog_bytes"] <= 20_000).all()
        marked += float(known["marked_packets"].sum())
        arrived += known["arrived_bps"] * 0.1 / 8
        left += known["left_bps"] * 0.1 / 8
    # What came is dropped by chance (about a tenth), has left, or waits.
    assert marked > 0
    assert (left + known["backlog_bytes"] <= arrived + 1e-6).all()
    assert (left + known["backlog_bytes"]).sum() == pytest.approx(0.9 * arrived.sum(), rel=0.05)
    assert (known["wait_s"] > 0).any()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SchedulerEnvs(cell(**OTHERS_DECIDE)), "experimental.scheduler decides the slots already"),
        (lambda: SchedulerEnvs(cell(), observation=["rate_bp"]), "did you mean 'rate_bps'"),
        (lambda: SchedulerEnvs(cell(), reward={"speed": 1.0}), "'speed' is not known"),
        (lambda: SchedulerEnvs(cell(), reward={"goodput_bits": float("nan")}), "must be a finite number"),
        (lambda: SchedulerEnvs(cell(), observation=["rate_bps", "rate_bps"]), "rate_bps is there twice"),
        (lambda: SchedulerEnvs(cell(), observation=[]), "observation is empty"),
        (lambda: SchedulerEnvs(cell(), action="users"), "action is 'users'; it must be 'user' or"),
        (lambda: SchedulerEnvs(cell(), num_envs=0), "num_envs is 0; it must be a whole number"),
        (lambda: SchedulerEnvs(cell(), reward=wrong("goodput_bits")), "reward is 'goodput_bits'; it must be weights"),
        (lambda: SenderEnvs(cell(), reward=wrong(["goodput_bits"])), "reward is ['goodput_bits']; it must be weights"),
        (lambda: SchedulerEnvs(cell(), reward={"goodput_bits": wrong("1")}), "'1'; it must be a finite number"),
        (lambda: SchedulerEnvs(cell(), observation="rate_bps"), "observation is 'rate_bps'; it must be a list"),
        (lambda: SchedulerEnvs(cell(), observation=wrong(5)), "observation is 5; it must be a list"),
        (lambda: SchedulerEnvs(cell(), layout="list"), "layout is 'list'"),
        (lambda: SchedulerEnvs(cell(), **unknown()), "speed unknown"),
        (lambda: SchedulerEnvs(cell(), record=["pcap"]), "do not capture packets"),
        (lambda: SchedulerEnvs(ready("dumbbell")), "no slots to decide"),
        (
            lambda: SchedulerEnvs(cell(scheduler={"kind": "round_robin"}), observation=["average_bps"]),
            "keeps no average_bps",
        ),
        (lambda: SenderEnvs(cell(), group=2), "must lie in 0..1"),
        (lambda: SenderEnvs(cell(), step_s=0), "step_s is 0"),
        (lambda: QueueEnvs(cell(), step_s=cast("Any", "a")), "step_s is 'a'"),
        (lambda: SenderEnvs(cell(), group=cast("Any", 0.5)), "group is 0.5"),
        (lambda: QueueEnvs(ready("dumbbell")), "no queues of users"),
        (
            lambda: SchedulerEnvs(cell(**{"flows.0.start_s": 1.999, "flows.1.start_s": 1.999})),
            "the run with seed 1 ends before there is anything to decide",
        ),
        (lambda: SenderEnvs(no_scenario()), "a Scenario is needed"),
        (lambda: parts("slot", "action"), "decision is 'slot'"),
        (lambda: parts("slots", "observation")["rate_bps"].within(5, 5), "the first must be below"),
        (
            lambda: SchedulerEnvs(cell(), observation=[parts("slots", "observation")["rate_bps"].within(0, np.inf)]),
            "bounds",
        ),
    ],
)
def test_a_mistake_is_a_sentence(make: Any, message: str) -> None:
    with pytest.raises(RequestError, match=re.escape(message)):
        make()


def test_an_episode_with_nothing_to_decide_ends_all_alike_on_any_number_of_threads() -> None:
    late = {"flows.0.start_spread_s": 0.15, "flows.1.users": [0], "flows.1.start_s": 0.09}
    scenario = cell(duration_s=0.1, users=3, **late)
    left = []
    for threads in (1, 2, 9):
        envs = SchedulerEnvs(scenario, 9, threads=threads)
        envs.reset(seed=245)
        envs.step(np.zeros(9))
        for _ in range(2):
            with pytest.raises(RequestError, match="the run with seed 256 ends before there is anything to decide"):
                envs.step(np.zeros(9))
        left.append(envs.seeds())
    # Those of the others that had ended have begun their next ones, once.
    assert left == [[245, 246, 256, 257, 249, 259, 251, 252, 262]] * 3


def test_a_wrong_action_is_a_sentence_and_changes_nothing() -> None:
    envs = short()
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.step(np.zeros(envs.action_space.shape))
    envs.reset(seed=1)
    with pytest.raises(RequestError, match="shape"):
        envs.step(np.zeros(3))
    wrong = np.zeros(envs.action_space.shape)
    wrong[1, 2, 0] = np.nan
    with pytest.raises(RequestError, match="window_bytes of flow 2 in environment 1 is not a number"):
        envs.step(wrong)
    other = short()
    other.reset(seed=1)
    action = np.zeros(envs.action_space.shape)
    np.testing.assert_array_equal(envs.step(action)[0], other.step(action)[0])
    weights = SchedulerEnvs(cell(), 1, action="weights")
    weights.reset(seed=1)
    with pytest.raises(RequestError, match=r"the weight of user 0 in environment 0 is -1\.0"):
        weights.step(np.full((1, 8), -1.0))
    with pytest.raises(RequestError, match=r"the weight of user 2 in environment 0 is nan"):
        weights.step(np.where(np.arange(8) == 2, np.nan, 1.0)[None])
    users = SchedulerEnvs(cell(), 2)
    users.reset(seed=1)
    for number in (np.nan, 0.5, 99.0, -1.0):
        with pytest.raises(RequestError, match=f"the action {number} in environment 1 is no user; it must be in 0..7"):
            users.step(np.array([0.0, number]))
    with pytest.raises(RequestError, match="actions must be numbers"):
        users.step(np.array(["best", "best"]))
    with pytest.raises(RequestError, match="actions are a masked array"):
        users.step(np.ma.masked_less([0.0, 1.0], 1.0))
    single = SchedulerEnv(cell())
    single.reset(seed=1)
    with pytest.raises(RequestError, match="actions are a masked array"):
        single.step(np.ma.masked_less(0.0, 1.0))
    with pytest.raises(RequestError, match="record = "):
        weights.results()


@pytest.mark.parametrize("subchannels", [1, 3])
def test_a_priority_of_who_may_win_is_a_number(subchannels: int) -> None:
    scenario = cell(duration_s=0.5, **{"carrier.subchannels": subchannels})
    envs, other = (SchedulerEnvs(scenario, 2, action="priorities", threads=2) for _ in range(2))
    (_, infos), _ = envs.reset(seed=1), other.reset(seed=1)
    # One who may win a subchannel, and all who may not win any.
    masks = infos["action_mask"].reshape(2, subchannels, 8)
    subchannel, user = np.argwhere(masks[1])[0]
    actions = np.where(masks.swapaxes(1, 2) > 0, 1.0, np.nan)
    wrong = actions.copy()
    wrong[1, user, subchannel] = np.nan
    with pytest.raises(RequestError, match=f"the priority of user {user} in environment 1 is not a number"):
        envs.step(wrong.reshape(envs.action_space.shape))
    assert np.isnan(actions).any()
    taken = [each.step(actions.reshape(envs.action_space.shape)) for each in (envs, other)]
    np.testing.assert_array_equal(taken[0][0], taken[1][0])


def test_a_run_is_not_pickled_and_a_child_process_says_so() -> None:
    envs = short()
    with pytest.raises(TypeError, match="pickle a function that makes it"):
        pickle.dumps(envs)
    with pytest.raises(TypeError, match="pickle a function that makes it"):
        pickle.dumps(SchedulerEnv(cell()))


@pytest.mark.skipif(sys.platform == "win32", reason="fork is not on Windows")
def test_a_child_process_is_told_to_make_its_own() -> None:
    program = """
import os, sys
import airlink.gym
from environments import cell
envs = airlink.gym.SenderEnvs(cell(), 4, threads=2)
envs.reset(seed=1)
child = os.fork()
if child == 0:
    try:
        envs.reset(seed=1)
    except RuntimeError as error:
        print(error, flush=True)
    envs.close()
    del envs
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], **ASKED)
    assert "can't be used in a child process: make them there" in done.stdout, done.stderr
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="only there large pages are asked for")
def test_environments_of_a_limited_process_take_no_range_of_addresses() -> None:
    program = """
import resource
from airlink.gym import SchedulerEnvs
from environments import cell
def size():
    return int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
before = size()
resource.setrlimit(resource.RLIMIT_AS, (before + 2**31, resource.RLIM_INFINITY))
envs = SchedulerEnvs(cell(), 8, threads=2)
envs.reset(seed=1)
print(size() - before)
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], **ASKED)
    assert int(done.stdout) < 2**29, done.stderr


def go_on_for_ever(envs: SchedulerEnvs, action: NDArray[Any]) -> None:
    while True:
        envs.step(action)


def test_ctrl_c_ends_a_loop_and_the_environments_go_on() -> None:
    envs = SchedulerEnvs(cell(), 16, action="priorities", threads=2)
    envs.reset(seed=1)
    action = np.zeros(envs.action_space.shape)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        go_on_for_ever(envs, action)
    timer.join()
    assert envs.step(action)[1].shape == (16,)
    envs.close()


def resident_bytes() -> int:
    """Memory that this process holds now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.thorough
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
def test_memory_does_not_grow_over_a_million_steps() -> None:
    envs = SchedulerEnvs(cell(duration_s=1), 64, action="priorities", record=[], copy=False)
    envs.reset(seed=1)
    action = np.tile(np.arange(8.0), (64, 1))
    calls = 1_000_000 // 64
    held = []
    for call in range(calls):
        envs.step(action)
        if call % (calls // 5) == calls // 10:
            held.append(resident_bytes())
    # Half a million steps further on; a byte a step would be 0.5 MB, a row of a record 16 MB.
    assert held[4] - held[1] < 4e6
    envs.close()


def test_results_of_an_episode_have_the_series_that_were_asked_for() -> None:
    scenario = cell(duration_s=0.3)
    envs = SenderEnvs(scenario, 2, step_s=0.1, record=["cwnd"])
    envs.reset(seed=4)
    for _ in range(3):
        assert envs.results() == [None, None]
        envs.step(np.zeros(envs.action_space.shape))
    found = envs.results()
    assert [result and result.seeds for result in found] == [(4,), (5,)]
    assert found[0] is not None
    assert found[0].series("cwnd").rows > 0
    assert envs.results() == [None, None]


@pytest.mark.parametrize("kind", [SchedulerEnvs, SenderEnvs, QueueEnvs])
def test_what_is_seen_does_not_depend_on_whether_results_are_kept(
    kind: type[SchedulerEnvs | SenderEnvs | QueueEnvs],
) -> None:
    scenario = cell(duration_s=0.5)
    kept, plain = kind(scenario, 2, record=[]), kind(scenario, 2)
    kept.action_space.seed(1)
    shown = [envs.reset(seed=1)[0] for envs in (kept, plain)]
    earned = np.zeros(2)
    # More than an episode. Without results nothing is summarized.
    for _ in range(400):
        np.testing.assert_array_equal(*shown)
        action = kept.action_space.sample()
        (*known, _), (*same, _) = (envs.step(action) for envs in (kept, plain))
        for values, others in zip(known, same, strict=True):
            np.testing.assert_array_equal(values, others)
        shown = [known[0], same[0]]
        earned += known[1]
    assert earned.all()
    kept.close()
    plain.close()


def test_without_gymnasium_the_import_says_what_to_install() -> None:
    program = """
import sys
sys.modules["gymnasium"] = None
try:
    import airlink.gym
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], **ASKED)
    assert done.stdout.strip() == "airlink.gym needs gymnasium; pip install 'airlink[gym]'"
    assert airlink.__name__ == "airlink"
