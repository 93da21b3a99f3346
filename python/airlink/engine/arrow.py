"""Columns as Arrow arrays, from their bytes.

`pyarrow.array` does the same, but imports pandas wherever that is installed: half a second of every command that writes
a file. Left out: reading; what a column hardly holds (times, objects, foreign byte orders) is left to `pyarrow.array`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa


def arrow(values: np.ndarray[Any, Any]) -> pa.Array:
    """A column of numbers, truth values or text.

    Examples
    --------
    >>> arrow(np.array(["slow", "fast"])).to_pylist(), arrow(np.array([True, False])).to_pylist()
    (['slow', 'fast'], [True, False])
    """
    import pyarrow as pa

    if values.ndim != 1 or not values.dtype.isnative or isinstance(values, np.ma.MaskedArray):
        return pa.array(values)
    count = len(values)
    if values.dtype.kind in "fiu":
        whole = pa.py_buffer(np.ascontiguousarray(values))
        return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), count, [None, whole])
    if values.dtype.kind == "b":
        return pa.Array.from_buffers(pa.bool_(), count, [None, pa.py_buffer(np.packbits(values, bitorder="little"))])
    if values.dtype.kind == "U":
        words = [word.encode() for word in values.tolist()]
        ends = np.cumsum([0, *map(len, words)], dtype=np.int32)
        return pa.Array.from_buffers(pa.string(), count, [None, pa.py_buffer(ends), pa.py_buffer(b"".join(words))])
    return pa.array(values)
