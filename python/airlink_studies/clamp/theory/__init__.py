"""CLAMP in closed form and as a fluid: where it settles, whether it does, and how.

docs/closed-forms.md has them beside the engine. Left out: packets, and estimators of rates.
"""

from __future__ import annotations

from airlink_studies.clamp.theory.averaged import clamp_averaged_critical_b, clamp_delay_critical_speed
from airlink_studies.clamp.theory.clocked import clamp_clocked_critical_b
from airlink_studies.clamp.theory.clocked_trajectory import clamp_clocked_trajectory
from airlink_studies.clamp.theory.equilibrium import ClampEquilibrium, ClampFlows, clamp_equilibrium
from airlink_studies.clamp.theory.fluid import clamp_queue, clamp_queue_bytes, clamp_trajectory
from airlink_studies.clamp.theory.stability import (
    clamp_critical_b,
    clamp_critical_delay,
    clamp_rightmost_roots,
    clamp_roots,
)
from airlink_studies.clamp.theory.start import ClampStart, ClampTrajectory
from airlink_studies.clamp.theory.two_queues import ClampTwoQueues, clamp_two_queues

__all__ = [
    "ClampEquilibrium",
    "ClampFlows",
    "ClampStart",
    "ClampTrajectory",
    "ClampTwoQueues",
    "clamp_averaged_critical_b",
    "clamp_clocked_critical_b",
    "clamp_clocked_trajectory",
    "clamp_critical_b",
    "clamp_critical_delay",
    "clamp_delay_critical_speed",
    "clamp_equilibrium",
    "clamp_queue",
    "clamp_queue_bytes",
    "clamp_rightmost_roots",
    "clamp_roots",
    "clamp_trajectory",
    "clamp_two_queues",
]
