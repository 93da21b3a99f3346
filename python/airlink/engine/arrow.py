"""Columns as Arrow arrays and back, from their bytes.

`pyarrow.array` and `to_numpy` do the same, but import pandas wherever that is installed: half a second of every command
that reads or writes a file. Left out: what a column hardly holds (times, objects, foreign byte orders),
which is left to them.
"""

from __future__ import annotations

import sys
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

    # To ask numpy.ma would load it, and nothing is masked before it is loaded.
    is_masked = "numpy.ma" in sys.modules and isinstance(values, np.ma.MaskedArray)
    if values.ndim != 1 or not values.dtype.isnative or is_masked:
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


def numbers(values: pa.ChunkedArray) -> np.ndarray[Any, Any]:
    """A column of numbers, truth values or text that Arrow has read; a number that is missing is 0.

    Examples
    --------
    >>> import pyarrow as pa
    >>> [numbers(pa.chunked_array([each])).tolist() for each in ([1.5, 2.5], [True, False], ["slow", "fast"])]
    [[1.5, 2.5], [True, False], ['slow', 'fast']]
    """
    import pyarrow.types as kinds

    if kinds.is_string(values.type):
        return np.array(values.to_pylist(), dtype=np.str_)
    if not (kinds.is_boolean(values.type) or kinds.is_integer(values.type) or kinds.is_floating(values.type)):
        return np.asarray(values.to_numpy())
    parts = [_numbers(chunk) for chunk in values.chunks]
    return np.concatenate(parts) if parts else np.empty(0, dtype=values.type.to_pandas_dtype())


def _numbers(chunk: pa.Array) -> np.ndarray[Any, Any]:
    import pyarrow.types as kinds

    first, last = chunk.offset, chunk.offset + len(chunk)
    known, content = chunk.buffers()
    if not len(chunk):
        return np.empty(0, dtype=chunk.type.to_pandas_dtype())
    if kinds.is_boolean(chunk.type):
        values = _bits(content, first, last)
    else:
        values = np.frombuffer(content, chunk.type.to_pandas_dtype(), count=last)[first:]
    if not chunk.null_count:
        return values
    return np.where(_bits(known, first, last), values, values.dtype.type(0))


def _bits(content: pa.Buffer, first: int, last: int) -> np.ndarray[Any, Any]:
    return np.unpackbits(np.frombuffer(content, np.uint8), bitorder="little", count=last)[first:].astype(bool)
