"""The numbers of fates, events and causes in words, and the colour of each cause, the same in figure and page."""

from __future__ import annotations

from collections.abc import Mapping

from airlink.tables import DROP_REASONS, SERIES

__all__ = [
    "CAUSES",
    "COMPLETED",
    "EVENTS",
    "FAST_RETRANSMIT",
    "FATES",
    "RECOVERED",
    "STARTED",
    "STOPPED",
    "TAIL_LOSS_PROBE",
    "TIMEOUT",
    "TIMEOUT_HELD",
    "UNDONE",
    "WINDOW_PROBE",
]

FATES: Mapping[int, str] = {reason.fate: reason.label for reason in sorted(DROP_REASONS, key=lambda own: own.fate)}
"""Ways to be lost, by the column `fate`."""

STARTED, FAST_RETRANSMIT, TIMEOUT, RECOVERED, UNDONE = 1, 2, 3, 4, 5
TAIL_LOSS_PROBE, WINDOW_PROBE, STOPPED, COMPLETED, TIMEOUT_HELD = 6, 7, 8, 9, 10

EVENTS: Mapping[int, str] = SERIES["events"].codes("event")
"""By the column `event`."""

CAUSES: Mapping[int, tuple[str, str]] = {
    0: ("application", "#BDBDBD"),
    1: ("receiver window", "#F0E442"),
    2: ("congestion window", "#0072B2"),
    3: ("RTO", "#D55E00"),
    4: ("wire", "#CC79A7"),
    5: ("scheduler", "#009E73"),
    6: ("air", "#56B4E9"),
    7: ("ARQ", "#E69F00"),
}
"""What held a flow back, by the column `cause`: name and colour, of the palette of Okabe and Ito."""
