"""Columns that series of earlier engines lack, where it is known what they would hold.

Until data went both ways, every packet with a row went down, every ACK up, and nothing was marked. Leaves out columns
that only a run can tell; such a series is simulated again (`rerun`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from airlink.engine import Table
from airlink.tables import DOWN, UP

__all__ = ["KNOWN", "completed"]

KNOWN: Mapping[str, Mapping[str, int]] = {
    "packets": {"direction": DOWN, "ce": 0, "payload_bytes": 0},
    "acks": {"direction": UP, "ece": 0},
    "sacks": {"direction": UP},
    "limits": {"direction": DOWN},
}
"""Kind of series -> column -> what every row of an earlier engine would hold; of `payload_bytes` the least."""


def completed(kind: str, table: Table, headers: Callable[[], Sequence[int]]) -> Table:
    """The series with these columns; `headers` gives bytes by flow, the payload is what a packet has beside them.

    >>> import numpy as np
    >>> dict(completed("sacks", Table({"start": np.array([7])}), list))
    {'start': array([7]), 'direction': array([1])}
    """
    lacking = {name: value for name, value in KNOWN.get(kind, {}).items() if name not in table}
    if not lacking:
        return table
    added = {name: np.full(table.rows, value) for name, value in lacking.items()}
    if "payload_bytes" in lacking:
        added["payload_bytes"] = np.maximum(table["bytes"] - np.array(headers(), dtype=np.int64)[table["flow"]], 0)
    return Table({**table, **added})
