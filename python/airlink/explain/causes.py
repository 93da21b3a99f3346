"""The causes that hold a flow back: their numbers in a result, and the words of the field for each.

Three of them are the cell's: waiting for a turn, being on air and repeating are one service, and are summed before
any cause is called the largest.
"""

from __future__ import annotations

from dataclasses import dataclass

from airlink.tables import SERIES


@dataclass(frozen=True)
class Cause:
    """One answer to the question why a flow was not faster.

    Attributes
    ----------
    code : number in the series `limits`.
    name : in columns and JSON; the column of seconds is `time_<name>_s`.
    short : at the head of a table, at most 5 letters.
    label : in a figure.
    by : who it was, as the end of "was held back by".
    what : what went on then, as a clause after a colon.
    """

    code: int
    name: str
    short: str
    label: str
    by: str
    what: str

    @property
    def column(self) -> str:
        """The column of its seconds in the table `flows`."""
        return f"time_{self.name}_s"


_CODES = {name: code for code, name in SERIES["limits"].codes("cause").items()}

CAUSES = tuple(
    Cause(_CODES[name], name, short, label, by, what)
    for name, short, label, by, what in (
        ("application", "appl", "application", "its application", "the application had no more data to send"),
        ("receiver_window", "rwnd", "receiver window", "the receiver's window", "the receiver's window was full"),
        ("congestion_window", "cwnd", "congestion window", "its congestion window", "the congestion window was full"),
        ("rto", "rto", "RTO", "retransmission timeouts", "it sent nothing until the timer expired"),
        ("wire", "wire", "wire", "the wired path", "its packets or ACKs waited for a wire or travelled on one"),
        ("scheduler", "sched", "scheduler", "the scheduler", "its packets waited at the base station for their turn"),
        ("air", "air", "air", "the radio link", "its user was on air, at the rate that the channel allowed"),
        ("arq", "arq", "ARQ", "link ARQ", "segments lost on air were retransmitted, or waited to be"),
        ("grant", "grant", "uplink grant", "the uplink", "ACKs or data waited at the user for a grant of the uplink"),
    )
)
"""In the order of their codes, which the engine declares."""

OF_PACKETS = {
    "scheduler": "waited at the base station for their turn",
    "air": "were on air",
    "arq": "waited for the link to repeat what was lost on air",
    "grant": "waited at the user for a grant of the uplink",
    "wire": "were on the path's wires or in their queues",
}
"""What packets over UDP did meanwhile: nothing holds their sender back, they wait all the same."""

CELL = Cause(-1, "cell", "cell", "cell", "the cell", "its data was at the base station")
"""The base station's share: scheduler, air and ARQ together. It is no code of the series."""

OF_THE_CELL = ("scheduler", "air", "arq")
"""The causes that are parts of it."""

BY_NAME = {cause.name: cause for cause in (*CAUSES, CELL)}
