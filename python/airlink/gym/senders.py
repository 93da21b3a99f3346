"""Windows and pacing rates of TCP senders."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any

from typing_extensions import Unpack

from airlink.engine import RequestError
from airlink.gym.parts import Part, chosen
from airlink.gym.timed import TimedEnvs
from airlink.gym.vector import Options, require_scenario
from airlink.scenario import Scenario

DEFAULTS: Options = {
    "observation": ("smoothed_round_trip_s", "least_round_trip_s", "delivered_bps", "lost_bps", "window_bytes"),
    "reward": {"goodput_bits": 1e-6, "round_trip_s": -1.0},
}


class SenderEnvs(TimedEnvs):
    """Environments in which each step sets windows and pacing rates of the senders of a group of flows.

    The window is what was set, whatever is lost or marked; the sender still finds its losses and sends again. Before
    the first step the window is the scenario's initial one.

    Parameters
    ----------
    scenario : with a group of flows over TCP whose number of flows is fixed.
    num_envs : runs, each with a seed of its own.
    action : parts of an action, "window_bytes" (default) and "pacing_bps", each with bounds (`Part.within`). `Box` of
        shape (flows, parts): from -1 to 1 between the bounds by equal ratios, or in the parts' units (scaled =
        False).
    step_s : length of a step, s, default 0.1.
    group : number of the group of flows, default 0.
    options : see `airlink.gym.vector.Options`.

    Raises
    ------
    RequestError : no such group, one without TCP or with arrivals at random; unknown words.

    Examples
    --------
    >>> import airlink.gym
    >>> from airlink.scenario import ready
    >>> envs = airlink.gym.SenderEnvs(ready("first-cell"), 4, step_s=0.05)
    >>> observations, infos = envs.reset(seed=1)
    >>> observations, rewards, *_ = envs.step(envs.action_space.sample())
    >>> envs.single_action_space.shape[1], rewards.shape
    (1, (4,))
    >>> envs.close()
    """

    def __init__(
        self,
        scenario: Scenario,
        num_envs: int = 1,
        *,
        action: Iterable[str | Part] = ("window_bytes",),
        step_s: float = 0.1,
        group: int = 0,
        **options: Unpack[Options],
    ) -> None:
        _check(scenario, group)
        found = chosen("senders", "action", action)
        setting = {"decision": "senders", "group": group}
        super().__init__(scenario, num_envs, DEFAULTS, (found, step_s, setting), options)


def _check(scenario: Scenario, group: int) -> None:
    require_scenario(scenario)
    given: Any = group
    if not isinstance(given, Integral) or not 0 <= group < len(scenario.flows):
        raise RequestError(f"group is {group!r}; it must lie in 0..{len(scenario.flows) - 1}")
    flows = scenario.flows[group]
    if not flows.has_tcp():
        raise RequestError(f"group {group} has no TCP, so its senders have no window")
    if flows.traffic.kind == "poisson":
        raise RequestError(f"group {group} has files that arrive at random, so its number of senders is not fixed")
