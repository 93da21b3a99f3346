"""Results as xarray, which is imported when asked for, so it is not required."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from airlink.engine import Replica
from airlink.engine.extras import extra

if TYPE_CHECKING:
    import xarray


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
    dataset: xarray.Dataset = extra("xarray").Dataset(variables, coords={"seed": ("replica", seeds)})
    return dataset


def _stacked(rows: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """The rows below one another, shorter ones ended with NaN; whole numbers stay whole where none is shorter."""
    width = max(row.size for row in rows)
    if all(row.size == width for row in rows):
        return np.stack(rows)
    return np.stack([np.pad(row.astype(float), (0, width - row.size), constant_values=np.nan) for row in rows])
