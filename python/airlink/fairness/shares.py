"""What each flow, user or queue had of a run, and how its rate moved from window to window."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from airlink.fairness.windows import WIDER
from airlink.result import Table

WHOLE = 1 - 1e-9
"""The part of a window that counts as all of it: times are rounded."""


def shares(rates: Table) -> Table:
    """One row a replica and flow (or user, or queue, whatever the rates are of).

    Parameters
    ----------
    rates : table of `rates`, of windows that follow one another: bytes of windows that overlap would count twice.

    Returns
    -------
    Table: replica, seed, then flow, user and queue (as in `rates`), present_s (how long it was there), goodput_bytes,
    goodput_bps (while it was there), of_queue (its part of what its queue got, 0..1; NaN when that got nothing),
    windows (in which it was there from beginning to end) and, over these, least_bps, median_bps, most_bps and
    deviation_bps (n in the denominator); NaN without any.

    Examples
    --------
    >>> import airlink
    >>> result = airlink.run(airlink.scenario.ready("dumbbell", ["duration_s=4", "users=2"]))
    >>> table = shares(airlink.fairness.rates(result, 1.0))
    >>> table["windows"].tolist(), float(table["of_queue"].sum())
    ([4, 4], 1.0)
    """
    names = [name for name in WIDER if name in rates]
    keys = np.rec.fromarrays([rates["replica"], rates[names[0]]])
    _, first, row = np.unique(keys, return_index=True, return_inverse=True)
    count = first.size
    present = np.bincount(row, weights=rates["present_s"], minlength=count)
    got = np.zeros(count, dtype=np.int64)
    np.add.at(got, row, rates["goodput_bytes"])
    columns = {name: rates[name][first] for name in ("replica", "seed", *names)}
    _, queue = np.unique(np.rec.fromarrays([columns["replica"], columns["queue"]]), return_inverse=True)
    with np.errstate(invalid="ignore"):
        of_queue = got / np.bincount(queue, weights=got)[queue]
    return Table(
        {
            **columns,
            "present_s": present,
            "goodput_bytes": got,
            "goodput_bps": 8 * got / present,
            "of_queue": of_queue,
            **_spread(rates, row, count),
        }
    )


def _spread(rates: Table, row: NDArray[np.int64], count: int) -> dict[str, NDArray[np.generic]]:
    """How the rates of each row are distributed over whole windows."""
    whole = rates["present_s"] >= WHOLE * rates["width_s"]
    values, of = rates["goodput_bps"][whole], row[whole]
    order = np.lexsort((values, of))
    values, of = values[order], of[order]
    windows = np.bincount(of, minlength=count)
    found = {name: np.full(count, np.nan) for name in ("least_bps", "median_bps", "most_bps", "deviation_bps")}
    for member, own in enumerate(np.split(values, np.cumsum(windows)[:-1])):
        if own.size:
            for name, value in zip(found, (own[0], np.median(own), own[-1], np.std(own)), strict=True):
                found[name][member] = value
    return {"windows": windows, **found}
