"""A scheduler, congestion control or queue of one's own: what it sees, what it answers, and classes to begin with.

    class MLwdf:
        def metric(self, view):
            urgency = view.head_of_line_delay_s / view.delay_budget_s
            return urgency[:, None] * view.rate_bps / view.average_bps[:, None]

    airlink.run(scenario, scheduler=MLwdf)

A scheduler is a class with `metric(view)`, an array [user, subchannel] of which the largest wins a subchannel, or with
`allocate(view, allocation)`. It needs no base class. Each run has an object of its own: a class is called, an object
is copied. `compiled` is the same for machine code. Docs: own-scheduler.md, own-congestion-control.md, own-queue.md.
"""

from airlink.own import compiled
from airlink.own.code import Part, Text
from airlink.own.errors import OwnError, with_traceback
from airlink.own.parts import NONE, Parts, With, check, parts_of
from airlink.own.roles import (
    Allocation,
    CongestionControl,
    Event,
    Given,
    Packet,
    QueueManagement,
    Run,
    Stream,
    Verdict,
    View,
)

__all__ = [
    "NONE",
    "Allocation",
    "CongestionControl",
    "Event",
    "Given",
    "OwnError",
    "Packet",
    "Part",
    "Parts",
    "QueueManagement",
    "Run",
    "Stream",
    "Text",
    "Verdict",
    "View",
    "With",
    "check",
    "compiled",
    "parts_of",
    "with_traceback",
]
