"""The measures that a comparison prints when none is asked for."""

from __future__ import annotations

from collections.abc import Sequence

from airlink.measures.conditions import lacking
from airlink.measures.grammar import measure
from airlink.measures.measure import Measure
from airlink.scenario import Scenario

GOODPUT = "cell.goodput_bps"
"""What is compared first when nothing else is asked for."""

EDGE = "users.p05(goodput_bps)"
FAIRNESS = "cell.jain_index"
DELAY = "cell.queueing_delay_p95_s"
PAGE_TIME = "downloads.p95(time_s)"
TIMEOUTS = "cell.timeouts"


def defaults(scenario: Scenario) -> list[Measure]:
    """A handful of measures by what a scenario has.

    Goodput and delay; of several users the cell edge and Jain's index; of files and pages their times; of TCP its
    timeouts.

    Examples
    --------
    >>> from airlink.scenario import ready
    >>> [str(each) for each in defaults(ready("dumbbell"))][::2]
    ['cell.goodput_bps', 'cell.timeouts']
    """
    return [made for made in map(measure, _texts(scenario)) if not lacking(made, scenario)]


def _texts(scenario: Scenario) -> Sequence[str]:
    of_many = [EDGE, FAIRNESS] if scenario.users > 1 else []
    has_tcp = any(flow.has_tcp() for flow in scenario.flows)
    return [GOODPUT, *of_many, DELAY, PAGE_TIME, *([TIMEOUTS] if has_tcp else [])]
