"""What is known of a flow beside its time: what it carried and lost, how much of the cell its user had."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from airlink.result import Result
from airlink.result.selection import place_of
from airlink.scenario.traffic import Flow


@dataclass(frozen=True)
class Facts:
    """Numbers of one flow over the measured time, and the settings that a hint names.

    Attributes
    ----------
    settings : its group of the scenario.
    place : number of the group among [[flows]], for the names of fields.
    complete : whether it has ended, a file's last byte being at the user.
    goodput_bytes : payload that reached the application.
    segments, retransmissions, timeouts, spurious_timeouts : of TCP; all 0 without.
    slot_share : of the slots, what its user won; NaN without slots.
    even_share : of the slots, what each user with a flow would have if all had as many.
    frame_error_share : of its user's frames, those lost on air; NaN without any.
    wired : a bottleneck stands in the cell's place.
    """

    settings: Flow
    place: int
    complete: bool
    goodput_bytes: int
    segments: int
    retransmissions: int
    timeouts: int
    spurious_timeouts: int
    slot_share: float
    even_share: float
    frame_error_share: float
    wired: bool

    @property
    def tcp(self) -> bool:
        """Whether there is a TCP; always-backlogged traffic has none."""
        return self.settings.traffic.kind != "backlogged"


def facts_of(result: Result, replica: int, flow: int) -> Facts:
    """The facts of a flow of a replica."""
    stored = result.replicas[replica]
    row = {name: values[flow] for name, values in stored.flows.items()}
    user = {name: values[int(row["user"])] for name, values in stored.users.items()}
    place = place_of(result.scenario, stored, flow)
    wired = result.scenario.bottleneck is not None
    slots = 0 if wired else int(stored.cell["slots"])
    frames = 0 if wired else int(user["frames_sent"])
    return Facts(
        settings=result.scenario.flows[place],
        place=place,
        complete=not math.isnan(row["completion_s"]),
        goodput_bytes=int(row["goodput_bytes"]),
        segments=int(row["segments_sent"]),
        retransmissions=int(row["retransmissions"]),
        timeouts=int(row["timeouts"]),
        spurious_timeouts=int(row["spurious_timeouts"]),
        slot_share=int(user["slots_won"]) / slots if slots else math.nan,
        even_share=1 / np.unique(stored.flows["user"]).size,
        frame_error_share=int(user["frame_errors"]) / frames if frames else math.nan,
        wired=wired,
    )
