"""Opportunities to send 1500 bytes, as Mahimahi writes them: the millisecond of each, one a line.

They become rates over windows, the total kept. The last line is the length of the trace.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..sections import Trace
from .problem import TraceProblem
from .rows import grid
from .units import scale_of

OPPORTUNITY_BITS = 1500 * 8
LONGEST_INTEGER = 15
MOST_WINDOWS = 10**8


def read(trace: Trace, data: bytes) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Times of windows, s from 0, and the rate in each, b/s."""
    milliseconds = _milliseconds(data)
    length = int(milliseconds[-1])
    if length == 0:
        raise TraceProblem("must last longer than 0 ms (the last line is its length)")
    # The last line is the length of the trace, not a moment after it: an opportunity there belongs to the last window.
    windows = math.ceil(length / trace.averaging_ms)
    if windows > MOST_WINDOWS:
        raise TraceProblem(f"lasts {length} ms, more than {MOST_WINDOWS} windows of {trace.averaging_ms:g} ms")
    places = np.minimum(milliseconds // trace.averaging_ms, windows - 1).astype(np.int64)
    bits = np.bincount(places, minlength=windows) * float(OPPORTUNITY_BITS) * scale_of(trace, "").factor
    window_s = trace.averaging_ms / 1000
    return grid(windows, window_s), np.asarray(bits / window_s, dtype=np.float64)


def _milliseconds(data: bytes) -> NDArray[np.int64]:
    """The whole numbers of the lines, which never fall."""
    milliseconds = _at_once(data)
    if milliseconds is None or (np.diff(milliseconds) < 0).any():
        milliseconds = _line_by_line(data)
    return milliseconds


def _at_once(data: bytes) -> NDArray[np.int64] | None:
    """All lines by pyarrow; None if it does not read them, or they hold more than digits."""
    import pyarrow as pa
    from pyarrow.csv import ConvertOptions, ReadOptions, read_csv

    if data.translate(None, b"0123456789\r\n"):
        return None
    options = ReadOptions(use_threads=False, column_names=["ms"])
    try:
        table = read_csv(pa.py_buffer(data), options, convert_options=ConvertOptions(column_types={"ms": pa.int64()}))
    except pa.ArrowInvalid:
        return None
    milliseconds: NDArray[np.int64] = table.column(0).to_numpy()
    return milliseconds if table.num_rows and milliseconds.max() < 10**LONGEST_INTEGER else None


def _line_by_line(data: bytes) -> NDArray[np.int64]:
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise TraceProblem("must be text in UTF-8") from None
    rows = [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]
    for number, text in rows:
        if not (len(text) <= LONGEST_INTEGER and text.isascii() and text.isdigit()):
            raise TraceProblem(f'line {number}: "{text[:40]}" must be a whole number of milliseconds')
    milliseconds = np.array([int(text) for _, text in rows], dtype=np.int64)
    falls = np.flatnonzero(np.diff(milliseconds) < 0)
    if falls.size:
        before, after = milliseconds[falls[0] : falls[0] + 2]
        raise TraceProblem(f"line {rows[falls[0] + 1][0]}: {after} ms is before the line above ({before} ms)")
    return milliseconds
