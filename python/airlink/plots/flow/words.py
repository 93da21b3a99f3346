"""The numbers of fates, events and causes in words, and the colour of each cause, the same in figure and page."""

from __future__ import annotations

from collections.abc import Mapping

from airlink.explain import causes
from airlink.plots import style
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

EVENTS: Mapping[int, str] = SERIES["events"].codes("event")
"""By the column `event`."""

_CODES = {label: code for code, label in EVENTS.items()}
STARTED, STOPPED, COMPLETED = _CODES["started"], _CODES["stopped"], _CODES["completed"]
FAST_RETRANSMIT, RECOVERED, UNDONE = _CODES["fast retransmit"], _CODES["recovered"], _CODES["undone"]
TIMEOUT, TIMEOUT_HELD = _CODES["timeout"], _CODES["timeout held"]
TAIL_LOSS_PROBE, WINDOW_PROBE = _CODES["tail loss probe"], _CODES["window probe"]

_COLOURS = {
    "application": style.LIGHT_GREY,
    "receiver_window": style.YELLOW,
    "congestion_window": style.BLUE,
    "rto": style.VERMILION,
    "wire": style.PURPLE,
    "scheduler": style.GREEN,
    "air": style.SKY,
    "arq": style.ORANGE,
}
CAUSES: Mapping[int, tuple[str, str]] = {cause.code: (cause.label, _COLOURS[cause.name]) for cause in causes.CAUSES}
"""What held a flow back, by the column `cause`: name and colour, of the palette of Okabe and Ito."""
