"""Columns of a page: rounded to a step, differences, byte planes, deflate, base64. A tenth of their size as text.

A column is held as whole multiples of a step that the unit at the end of its name sets, and as the difference of each
from the one before. Differences of a flow's times and numbers are small and alike, so the planes of their bytes deflate
well. `columns.js` undoes it with what every browser has (DecompressionStream).
"""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

STEPS = {"_s": 1e-6, "_db": 0.01, "_bps": 100.0, "_index": 1e-4}
"""Step by the end of a column's name: microseconds, hundredths of a dB, 100 b/s, 0.0001. Whole numbers otherwise."""

NOT_A_NUMBER = -(2**31)
INFINITE = 2**31 - 1


def step_of(column: str) -> float:
    """The step that a column is rounded to."""
    return next((step for ending, step in STEPS.items() if column.endswith(ending)), 1.0)


def packed(values: ArrayLike, step: float) -> dict[str, Any]:
    """One column as the page embeds it.

    Parameters
    ----------
    values : array [row]; NaN and inf allowed, -inf is not.
    step : what is rounded to.

    Returns
    -------
    rows; step, first (in steps) and data. A step of 0 says that data are the values themselves, 64-bit floats: so are
    columns that jump by 2^31 steps or more.
    """
    column = np.asarray(values, dtype=np.float64)
    finite = np.isfinite(column)
    whole = np.rint(column[finite] / step)
    jumps = np.diff(whole, prepend=whole[:1])
    if jumps.size and np.abs(jumps).max() >= INFINITE:
        return {"rows": column.size, "step": 0, "data": _text(column.astype("<f8").tobytes())}
    differences = np.where(np.isnan(column), NOT_A_NUMBER, INFINITE).astype("<i4")
    differences[finite] = jumps
    planes = differences.view(np.uint8).reshape(-1, 4).T
    first = int(whole[0]) if whole.size else 0
    return {"rows": column.size, "step": step, "first": first, "data": _text(planes.tobytes())}


def unpacked(column: dict[str, Any]) -> NDArray[np.float64]:
    """The values of a packed column, as `columns.js` finds them."""
    data = zlib.decompress(base64.b64decode(column["data"]))
    if column["step"] == 0:
        return np.frombuffer(data, dtype="<f8")
    planes = np.frombuffer(data, dtype=np.uint8).reshape(4, -1)
    differences = np.ascontiguousarray(planes.T).view("<i4").ravel()
    finite = (differences != NOT_A_NUMBER) & (differences != INFINITE)
    values = np.where(differences == INFINITE, np.inf, np.nan)
    values[finite] = (column["first"] + np.cumsum(differences[finite], dtype=np.int64)) * column["step"]
    return values


def _text(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 6)).decode("ascii")
