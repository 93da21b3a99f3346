"""The numbers of fates, events and causes in words, and the colour of each cause, the same in figure and page."""

from __future__ import annotations

from collections.abc import Mapping

from airlink.explain import causes
from airlink.tables import DROP_REASONS, SERIES

__all__ = [
    "CAUSES",
    "COMPLETED",
    "ECN_REDUCTION",
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
    "causes_of",
]

FATES: Mapping[int, str] = {reason.fate: reason.label for reason in sorted(DROP_REASONS, key=lambda own: own.fate)}
"""Ways to be lost, by the column `fate`."""

EVENTS: Mapping[int, str] = SERIES["events"].codes("event")
"""By the column `event`."""

_CODES = {label: code for code, label in EVENTS.items()}
STARTED, STOPPED, COMPLETED = _CODES["started"], _CODES["stopped"], _CODES["completed"]
FAST_RETRANSMIT, RECOVERED, UNDONE = _CODES["fast retransmit"], _CODES["recovered"], _CODES["undone"]
TIMEOUT, TIMEOUT_HELD = _CODES["timeout"], _CODES["timeout held"]
ECN_REDUCTION = _CODES["ECN reduction"]
TAIL_LOSS_PROBE, WINDOW_PROBE = _CODES["tail loss probe"], _CODES["window probe"]

# Of areas, in every theme: the palette of Okabe and Ito as it is. Lines have darker or lighter ones, to be seen thin.
_COLOURS = {
    "application": "#BDBDBD",
    "receiver_window": "#F0E442",
    "congestion_window": "#0072B2",
    "rto": "#D55E00",
    "wire": "#CC79A7",
    "scheduler": "#009E73",
    "air": "#56B4E9",
    "arq": "#E69F00",
    "grant": "#8C564B",
}
CAUSES: Mapping[int, tuple[str, str]] = {cause.code: (cause.label, _COLOURS[cause.name]) for cause in causes.CAUSES}
"""What held a flow back, by the column `cause`: name and colour, of the palette of Okabe and Ito."""


def causes_of(alone: bool) -> Mapping[int, tuple[str, str]]:
    """The causes; where nobody else is in the cell, what else is the scheduler's is a wait for a slot with a rate."""
    if not alone:
        return CAUSES
    code = causes.BY_NAME["scheduler"].code
    return {**CAUSES, code: ("waits for a slot", CAUSES[code][1])}
