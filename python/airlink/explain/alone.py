"""What the link would give a user who has it alone: the same channel, slot by slot, in a run with nobody else.

Leaves out TCP: the user always has data.
"""

from __future__ import annotations

import math

from airlink import engine
from airlink.engine import Request
from airlink.result import Result
from airlink.scenario import Scenario, ScenarioError


def alone_bps(result: Result, replica: int, user: int, from_s: float, to_s: float) -> float:
    """Nominal rate of the slots of a user who wins all of them from `from_s` to `to_s`, b/s.

    NaN where it can't be simulated: there is no cell, another version of the engine made the result, traces are gone.
    """
    if result.scenario.radio() is None or result.own_code or result.version != engine.engine_version():
        return math.nan
    try:
        scenario = _alone(result.scenario, user, from_s, to_s)
        (made,) = engine.run(Request([scenario], [result.replicas[replica].seed]), 1).replicas
    except ScenarioError:
        return math.nan
    if made is None:
        raise KeyboardInterrupt
    begin_s = max(from_s, scenario.warmup_s)
    return 8 * float(made.users["granted_bytes"][user]) / (to_s - begin_s)


def _alone(scenario: Scenario, user: int, from_s: float, to_s: float) -> Scenario:
    """The scenario with data for this user alone, who has all of it sent."""
    flow = {"users": [user], "start_s": from_s, "traffic": {"kind": "backlogged"}}
    if to_s < scenario.duration_s:
        flow["stop_s"] = to_s
    data = scenario.model_dump()
    for name in ("upstream", "hops", "queue"):
        data.pop(name, None)
    data["drain_s"] = 0.0
    data["flows"] = [flow]
    data["scheduler"] = {"kind": "round_robin", "skip_unservable": True}
    return Scenario(**data)
