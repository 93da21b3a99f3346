"""Parquet files as airlink writes and reads them: checksums in every page, and errors that name the file.

Left out: which tables there are (`airlink.tables`), and where they lie (`result.files`, `airlink.store`).
"""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from airlink.result.columns import meaning_of
from airlink.result.errors import ResultError

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

LEAST_GROUP_ROWS = 1 << 14
"""Least rows of a Parquet row group: smaller replicas share a group."""


def schema_of(table: str, types: Mapping[str, pa.DataType], about: Mapping[str, str]) -> pa.Schema:
    """The columns of a file, each with its unit and meaning, and what the file says about itself."""
    import pyarrow as pa

    fields = []
    for column, held in types.items():
        unit, meaning = meaning_of(table, column)
        fields.append(pa.field(column, held, metadata={"unit": unit, "meaning": meaning}))
    return pa.schema(fields, metadata=dict(about))


def writer(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    """A writer of a new file, to be used in `with`.

    Numbers are written as they are: dictionaries of them take a third longer, and more room.
    """
    import pyarrow.parquet as pq

    words = [field.name for field in schema if str(field.type) == "string"]
    return pq.ParquetWriter(path, schema, compression="zstd", use_dictionary=words, write_page_checksum=True)


@contextmanager
def opened(path: Path) -> Iterator[pq.ParquetFile]:
    """A file to be read, and what is wrong with it as a ResultError.

    Read with `use_threads=False`: Arrow's threads may wait forever in a damaged file. The file's own statistics must
    not be used: those of a damaged file end the process.

    Raises
    ------
    ResultError : it is no Parquet file, or damaged.
    OSError : it can't be opened.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not stat.S_ISREG(path.stat().st_mode):
        raise ResultError(f"{path} is not a file")
    try:
        with pq.ParquetFile(path, pre_buffer=False, page_checksum_verification=True) as file:
            yield file
    except (pa.ArrowException, ValueError, KeyError, TypeError, NotImplementedError) as error:
        raise ResultError(f"{path} is not a Parquet table: {_one_line(error)}") from None
    except OSError as error:
        # Errors of the file system have a number, errors of a broken page have none.
        if error.errno is not None:
            raise
        raise ResultError(f"{path} is damaged: {_one_line(error)}") from None


def _one_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def group_bounds(starts: Sequence[int], rows: int, least: int = LEAST_GROUP_ROWS) -> list[int]:
    """Where the groups of rows begin, and the end.

    Reading one replica reads its group only. A group costs about a millisecond, so small replicas share one.

    Parameters
    ----------
    starts : the first row of each replica but the first.
    rows : of all replicas.
    least : rows of a group, but for the last.
    """
    bounds = [0]
    for start in starts:
        if start - bounds[-1] >= least:
            bounds.append(start)
    return [*bounds, rows]


def changes(replica: NDArray[np.integer]) -> list[int]:
    """The rows with which another replica begins than that of the row before."""
    found: list[int] = (np.flatnonzero(np.diff(replica)) + 1).tolist()
    return found
