"""The samples of an answer as a Parquet table: a row per value, with its scenario, measure and seed.

A mean has one value per replica, a pooled quantile as many as the replica has; `ended` is false where a value is only a
lower bound. Rows of one scenario and measure stand together, in the order of the seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from airlink.engine.arrow import arrow, numbers
from airlink.result import ResultError
from airlink.result.folder import reading

if TYPE_CHECKING:
    from airlink.campaign.question import Question
    from airlink.statistics import Sample

    Samples = NDArray[np.float64] | tuple[Sample, ...]
    """Of each seed in the order of its arm: the number of a mean, the sample of a pooled quantile."""

NAMES = ("scenario", "measure", "seed", "value", "ended")


def write_samples(path: Path, samples: Mapping[tuple[str, str], Samples], seeds: Mapping[str, tuple[int, ...]]) -> None:
    """Writes the samples of each scenario and measure."""
    import pyarrow as pa

    lengths, rows = [], []
    for (label, _), found in samples.items():
        own = _rows(found, seeds[label])
        lengths.append(len(own[0]))
        rows.append(own)
    columns = [np.concatenate(parts) for parts in zip(*rows, strict=True)]
    keys = [_repeated(names, lengths) for names in zip(*samples, strict=True)]
    write(path, pa.Table.from_arrays([*keys, *map(arrow, columns)], names=NAMES))


def _repeated(words: Sequence[str], times: Sequence[int]) -> Any:
    """Each word so many times, as an array of Arrow: one of numpy would be as wide as the longest word."""
    import pyarrow as pa

    each = {word: code for code, word in enumerate(dict.fromkeys(words))}
    codes = np.repeat(np.array([each[word] for word in words], np.int32), times)
    return pa.DictionaryArray.from_arrays(arrow(codes), arrow(np.array(list(each), np.str_)))


def _rows(found: Samples, seeds: Sequence[int]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Seed, value, and whether it is known, of each value of one scenario and measure."""
    if isinstance(found, np.ndarray):
        return np.array(seeds, np.uint64), found, np.ones(len(found), bool)
    lengths = [sample.values.size for sample in found]
    values, ended = (np.concatenate([getattr(sample, name) for sample in found]) for name in ("values", "ended"))
    return np.repeat(np.array(seeds, np.uint64), lengths), values, ended


def read_samples(
    path: Path, question: Question, seeds: Mapping[str, tuple[int, ...]]
) -> dict[tuple[str, str], Samples]:
    """Reads what `write_samples` wrote.

    Raises
    ------
    ResultError : it is no such table.
    ValueError : it has other seeds than those.
    """
    from airlink.statistics import Sample

    table = read(path)
    labels, texts = (_codes(table[name]) for name in NAMES[:2])
    seed, value, ended = (numbers(table[name]) for name in NAMES[2:])
    found: dict[tuple[str, str], Samples] = {}
    for label in question.arms:
        for measure in question.measures:
            own = np.flatnonzero(labels(label) & texts(measure.text))
            wanted = np.array(seeds[label], np.uint64)
            if measure.share is None:
                if not np.array_equal(seed[own], wanted):
                    raise ValueError(f"{path.name} has other seeds of {label}")
                found[label, measure.text] = value[own]
                continue
            bounds = [np.searchsorted(seed[own], wanted, side=side) for side in ("left", "right")]
            parts = (own[first:last] for first, last in zip(*bounds, strict=True))
            found[label, measure.text] = tuple(Sample(value[part], ended[part]) for part in parts)
    return found


def _codes(column: Any) -> Callable[[str], NDArray[np.bool_]]:
    """Which rows of a column of text hold a word, as a function of the word."""
    import pyarrow as pa

    whole = pa.concat_arrays(column.chunks) if len(column) else None
    coded = whole if whole is None or isinstance(whole, pa.DictionaryArray) else whole.dictionary_encode()
    words = [] if coded is None else coded.dictionary.to_pylist()
    codes = np.empty(0, np.int64) if coded is None else numbers(pa.chunked_array([coded.indices]))
    place = {word: code for code, word in enumerate(words)}
    return lambda word: np.asarray(codes == place.get(word, -1))


def write(path: Path, table: Any) -> None:
    """Writes a table of Arrow."""
    import pyarrow.parquet as pq

    pq.write_table(table, path, compression="zstd", write_page_checksum=True)


def read(path: Path) -> Any:
    """Reads a table of Arrow; raises ResultError if it is none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not path.is_file():
        raise ResultError(f"{path.parent} is not a whole answer: there is no {path.name} in it")
    try:
        with reading(path), pq.ParquetFile(path, pre_buffer=False, page_checksum_verification=True) as file:
            return file.read(use_threads=False)
    except (pa.ArrowException, ValueError, TypeError) as error:
        raise ResultError(f"{path} is not a Parquet table: {str(error).splitlines()[0]}") from None
