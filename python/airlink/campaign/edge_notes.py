"""Remarks under an answer about the goodput of the slowest users, where it is not what its reader takes it for.

- Some users have data all the time, others only files, pages or a stream: the slowest may be those who asked for least.
- Bytes that have reached a user wait behind a lost packet: goodput counts them only when that has come. In a run that
  is short beside the users' delays, many wait as it ends.

Left out: who of them was slow, and why (`airlink.explain`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from airlink.engine import Replica
from airlink.explain.facts import HEADERS_BYTES
from airlink.measures import Measure
from airlink.scenario import Scenario

ALL_THE_TIME = ("backlogged", "greedy")
"""Kinds of traffic whose users always have data."""

SLOWEST = 0.25
"""Share of the users of a run, those of least goodput, whose waiting bytes are counted; at least one user."""

WORTH_SAYING = 0.1
"""Share of the payload that reached the slowest users from which on a remark says that goodput lacks it."""

Floats = NDArray[np.float64]


def is_of_the_slowest(measure: Measure) -> bool:
    """Whether a measure is of the goodput of the slowest users or flows, or of how even goodput is.

    Examples
    --------
    >>> from airlink.measures import measure
    >>> [is_of_the_slowest(measure(text)) for text in ("users.p05(goodput_bps)", "cell.jain_index", "cell.goodput_bps")]
    [True, True, False]
    """
    if measure.population == "cell":
        return measure.column in ("cell_edge_goodput_bps", "jain_index", "mean_log10_goodput_kBps")
    low = measure.aggregate in ("min", "jain") or (measure.share is not None and measure.share < 0.5)
    return measure.column == "goodput_bps" and low


def limited_by_traffic(scenario: Scenario) -> tuple[int, ...]:
    """The users who have files, pages or streams only, where others have data all the time; empty otherwise.

    Examples
    --------
    >>> from airlink.scenario import ready
    >>> limited_by_traffic(ready("lte")), limited_by_traffic(ready("lte", ["flows.1.traffic.kind=greedy"]))
    ((1, 3, 6, 8), ())
    """
    everybody: set[int] = set()
    always: set[int] = set()
    for group in scenario.flows:
        users = range(scenario.users) if group.users == "all" else group.users
        everybody.update(users)
        if group.traffic.kind in ALL_THE_TIME:
            always.update(users)
    return tuple(sorted(everybody - always)) if always else ()


def waiting(replica: Replica) -> tuple[float, float]:
    """Of the slowest users of a run: payload that reached them, and how much of it goodput lacks, both in bytes.

    What TCP or a wire sent twice is in it, too. Users who only send get ACKs alone: no payload waits.
    """
    users = replica.users
    reached = np.asarray(users["delivered_bytes"], float)
    reached = np.maximum(reached - HEADERS_BYTES * np.asarray(users["packets_delivered"], float), 0)
    counted = np.asarray(users["goodput_bytes"], float)
    if "goodput_up_bytes" in replica.flows:
        sent = np.bincount(replica.flows["user"], replica.flows["goodput_up_bytes"], minlength=counted.size)
        reached[(counted == 0) & (sent > 0)] = 0
    slowest = np.argsort(counted, kind="stable")[: max(1, round(SLOWEST * counted.size))]
    return float(reached[slowest].sum()), float(np.maximum(reached - counted, 0)[slowest].sum())


def notes(
    scenarios: Mapping[str, Scenario], waits: Mapping[str, Sequence[tuple[float, float]]], asked: Sequence[Measure]
) -> list[str]:
    """The remarks under an answer; none unless a measure is of the slowest users' goodput.

    Parameters
    ----------
    scenarios : name of a scenario as tables show it -> scenario.
    waits : name -> `waiting` of each run.
    asked : the measures.
    """
    first = next(filter(is_of_the_slowest, asked), None)
    if first is None:
        return []
    mixed = {name: f"{len(users)} of {scenarios[name].users}" for name, users in _mixed(scenarios).items()}
    lacking = {name: f"{100 * share:.0f} %" for name, share in _shares(waits).items() if share >= WORTH_SAYING}
    said = []
    if mixed:
        said.append(
            f"{first}: not only of users who always have data. {_named(mixed)} users have only files, pages or a "
            "stream, and a low goodput may be all that they asked for: it is no cell edge. With traffic.kind = greedy "
            "in their flows it is."
        )
    if lacking:
        said.append(
            f"{first}: of the payload that reached the slowest quarter of the users, goodput lacks {_named(lacking)}: "
            "it waited behind a lost packet as the run ended, or came twice. See whether a longer duration_s or "
            "users.p05(delivered_bps) says the same."
        )
    return said


def _mixed(scenarios: Mapping[str, Scenario]) -> dict[str, tuple[int, ...]]:
    found = {name: limited_by_traffic(scenario) for name, scenario in scenarios.items()}
    return {name: users for name, users in found.items() if users}


def _shares(waits: Mapping[str, Sequence[tuple[float, float]]]) -> dict[str, float]:
    """Over all runs of a scenario: what goodput lacks over what reached the slowest."""
    sums = {name: np.sum(np.asarray(of_runs, float).reshape(-1, 2), axis=0) for name, of_runs in waits.items()}
    return {name: float(lacks / reached) for name, (reached, lacks) in sums.items() if reached > 0}


MOST_NAMED = 3
"""Scenarios that a remark names."""


def _named(found: Mapping[str, str]) -> str:
    """What is said of each scenario; once if it is the same of all.

    >>> _named({"pf": "4 of 10", "rr": "4 of 10"}), _named({"pf": "22 %", "rr": "15 %"})
    ('4 of 10', '22 % (pf), 15 % (rr)')
    """
    if len(set(found.values())) == 1:
        return next(iter(found.values()))
    named = [f"{what} ({name})" for name, what in found.items()]
    more = f"; and in {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
    return ", ".join(named[:MOST_NAMED]) + more
