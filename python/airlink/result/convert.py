"""Results as pandas, polars and xarray. Each package is imported when asked for, so none is required."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from airlink.engine import Replica, Table
from airlink.result.errors import MissingExtra

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import xarray


def to_pandas(table: Table) -> pd.DataFrame:
    """The table as a pandas frame."""
    frame: pd.DataFrame = _extra("pandas").DataFrame({name: values.copy() for name, values in table.items()})
    return frame


def to_polars(table: Table) -> pl.DataFrame:
    """The table as a polars frame."""
    frame: pl.DataFrame = _extra("polars").DataFrame(dict(table))
    return frame


def to_xarray(replicas: Sequence[Replica]) -> xarray.Dataset:
    """Users, flows and cell of all replicas, with dimensions replica, user and flow.

    Variables are named users_goodput_bps, flows_goodput_bps, cell_goodput_bps: the same column exists in each. Where
    files arrive at random, replicas with fewer flows end in NaN.
    """
    variables: dict[str, tuple[tuple[str, ...], Any]] = {}
    if replicas:
        for name in replicas[0].users:
            variables[f"users_{name}"] = (("replica", "user"), np.stack([r.users[name] for r in replicas]))
        for name in replicas[0].flows:
            variables[f"flows_{name}"] = (("replica", "flow"), _stacked([r.flows[name] for r in replicas]))
        for name in replicas[0].cell:
            variables[f"cell_{name}"] = (("replica",), np.array([r.cell[name] for r in replicas]))
    seeds = np.array([replica.seed for replica in replicas], dtype=np.uint64)
    dataset: xarray.Dataset = _extra("xarray").Dataset(variables, coords={"seed": ("replica", seeds)})
    return dataset


def _stacked(rows: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """The rows below one another, shorter ones ended with NaN; whole numbers stay whole where none is shorter."""
    width = max(row.size for row in rows)
    if all(row.size == width for row in rows):
        return np.stack(rows)
    return np.stack([np.pad(row.astype(float), (0, width - row.size), constant_values=np.nan) for row in rows])


def _extra(package: str) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError:
        raise MissingExtra(f"{package} is not installed; pip install 'airlink[{package}]'") from None
