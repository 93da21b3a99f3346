"""Thins dense data to the marks that a printed column can show; the picture looks the same.

Leaves out events: each of them is drawn, whatever the density.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

COLUMNS = 1500
"""Columns that a print of 178 mm resolves: about 210 an inch."""

Reals = NDArray[Any]
Places = NDArray[np.int64]


def outline(time: Reals, value: Reals, columns: int = COLUMNS) -> Places:
    """The rows that a line needs: the first, lowest, highest and last of each column of time.

    Parameters
    ----------
    time, value : array [row], in the order of time, finite.
    columns : how many columns the times are spread over.

    Returns
    -------
    Array of row numbers, ascending; all rows where there are few.

    Examples
    --------
    >>> outline(np.arange(8.0), np.array([3.0, 1, 4, 1, 5, 9, 2, 6]), columns=1).tolist()
    [0, 1, 5, 7]
    """
    if time.size <= 4 * columns:
        return np.arange(time.size)
    column = _places(time, columns)
    by_value = np.lexsort((value, column))
    first = np.flatnonzero(np.diff(column, prepend=-1))
    last = np.append(first[1:], column.size) - 1
    return np.unique(np.concatenate([first, last, by_value[first], by_value[last]]))


def distinct(x: Reals, y: Reals, columns: int = COLUMNS, rows: int = COLUMNS) -> Places:
    """One row for each small cell of the picture.

    Parameters
    ----------
    x, y : array [mark], finite.
    columns, rows : cells of the picture.

    Returns
    -------
    Array of row numbers, ascending: the first mark of each cell.
    """
    cell = _places(x, columns) * rows + _places(y, rows)
    return np.sort(np.unique(cell, return_index=True)[1])


def apart(x: Reals, y: Reals, x_least: float, y_least: float) -> Places:
    """The rows whose labels do not overlap: each keeps a distance to the rows kept before it.

    Parameters
    ----------
    x, y : array [letter].
    x_least, y_least : size of a letter, in the units of x and y, above 0.
    """
    kept: list[int] = []
    taken: dict[tuple[int, int], tuple[float, float]] = {}
    for row, (across, up) in enumerate(zip((x / x_least).tolist(), (y / y_least).tolist(), strict=True)):
        cell = (int(across // 1), int(up // 1))
        near = (taken.get((cell[0] + i, cell[1] + j)) for i in (-1, 0, 1) for j in (-1, 0, 1))
        if all(other is None or abs(other[0] - across) >= 1 or abs(other[1] - up) >= 1 for other in near):
            taken[cell] = (across, up)
            kept.append(row)
    return np.array(kept, dtype=np.int64)


def _places(value: Reals, count: int) -> Places:
    """The column, 0..count - 1, of each value between the least and the most."""
    least = value.min() if value.size else 0.0
    span = float(value.max() - least) if value.size else 0.0
    if span == 0.0:
        return np.zeros(value.size, dtype=np.int64)
    return np.asarray(np.minimum((value - least) / span * count, count - 1).astype(np.int64))
