"""The causes that hold a flow back: their numbers in a result, and the words of the field for each.

Three of them are the cell's: waiting for a turn, being on air and repeating are one service, and are summed before
any cause is called the largest.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Cause:
    """One answer to the question why a flow was not faster.

    Attributes
    ----------
    code : number in the series `limits`.
    name : in columns and JSON; the column of seconds is `time_<name>_s`.
    short : at the head of a table, at most 5 letters.
    by : who it was, as the end of "was held back by".
    what : what went on then, as a clause after a colon.
    """

    code: int
    name: str
    short: str
    by: str
    what: str

    @property
    def column(self) -> str:
        """The column of its seconds in the table `flows`."""
        return f"time_{self.name}_s"


CAUSES = (
    Cause(0, "application", "appl", "its application", "all it had was sent, and the next data had not come"),
    Cause(
        1,
        "receiver_window",
        "rwnd",
        "the receiver's window",
        "as much was out as the receiver allows, and its word was awaited",
    ),
    Cause(
        2,
        "congestion_window",
        "cwnd",
        "its congestion window",
        "as much was out as TCP dared to send, and ACKs were awaited",
    ),
    Cause(3, "rto", "rto", "retransmission timeouts", "nothing came in, and it was silent until the timer expired"),
    Cause(
        4,
        "wire",
        "wire",
        "the wired path",
        "its packets or ACKs waited for a wire, or all there was to send was on its way",
    ),
    Cause(
        5,
        "scheduler",
        "sched",
        "the scheduler",
        "its packets waited at the base station for their turn",
    ),
    Cause(6, "air", "air", "the radio link", "its user was on air, at the rate that the channel allowed"),
    Cause(7, "arq", "arq", "link ARQ", "what was lost on air was repeated, or awaited"),
)
"""In the order of their codes."""

CELL = Cause(-1, "cell", "cell", "the cell", "its data was at the base station")
"""The base station's share: scheduler, air and ARQ together. It is no code of the series."""

OF_THE_CELL = ("scheduler", "air", "arq")
"""The causes that are parts of it."""

BY_NAME = {cause.name: cause for cause in (*CAUSES, CELL)}
