"""The measures that a comparison prints when none is asked for."""

from __future__ import annotations

from collections.abc import Sequence

from airlink.measures.conditions import lacking
from airlink.measures.grammar import measure
from airlink.measures.measure import Measure
from airlink.scenario import Scenario

GOODPUT, GOODPUT_UP = "cell.goodput_bps", "cell.goodput_up_bps"
"""What is compared first when nothing else is asked for."""

EDGE, EDGE_UP = "users.p05(goodput_bps)", "users.p05(goodput_up_bps)"
FAIRNESS, FAIRNESS_UP = "cell.jain_index", "cell.jain_index_up"
DELAY = "cell.queueing_delay_p95_s"
PAGE_TIME = "downloads.p95(time_s)"
TIMEOUTS = "cell.timeouts"
OF_DATAGRAMS = ("cell.datagram_loss_rate", "cell.datagram_delay_p95_s")
DEADLINES = "cell.deadline_miss_rate"


def defaults(scenario: Scenario) -> list[Measure]:
    """A handful of measures by what a scenario has.

    Goodput and delay; of several users the cell edge and Jain's index; of files and pages their times; of TCP its
    timeouts; of UDP the packets lost, their delay and, where there are any, the deadlines missed. Uploads have a
    goodput and an index of their own, beside the others or, where there is nothing else, in their place; the delay,
    which is of what goes down, is then left out.

    Examples
    --------
    >>> from airlink.scenario import ready
    >>> [str(each) for each in defaults(ready("dumbbell"))][::2]
    ['cell.goodput_bps', 'cell.timeouts']
    """
    return [made for made in map(measure, _texts(scenario)) if not lacking(made, scenario)]


def _texts(scenario: Scenario) -> Sequence[str]:
    has_many, has_uploads = scenario.users > 1, any(flow.direction == "up" for flow in scenario.flows)
    has_tcp = any(flow.has_tcp() for flow in scenario.flows)
    over_udp = any(flow.is_over_udp() for flow in scenario.flows)
    of_udp = [*(OF_DATAGRAMS if over_udp else ()), *([DEADLINES] if scenario.has_deadlines() else [])]
    last = [PAGE_TIME, *([TIMEOUTS] if has_tcp else []), *of_udp]
    if scenario.has_uploads_only():
        return [GOODPUT_UP, *([EDGE_UP, FAIRNESS_UP] if has_many else []), *last]
    of_many = [EDGE, FAIRNESS] if has_many else []
    up = [GOODPUT_UP, *([FAIRNESS_UP] if has_many else [])] if has_uploads else []
    return [GOODPUT, *of_many, *up, DELAY, *last]
