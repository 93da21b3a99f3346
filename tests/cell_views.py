"""A cell's view made up by a few rules: what its page is tested with where no engine need run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airlink.plots import CellView
from airlink.plots.users import Users
from airlink.result import Table

SLOT_S = 0.005


def cell_view(
    users: int, seconds: float = 10.0, bin_s: float = 0.5, seed: int = 1, subchannels: int = 1, recovery: str = ""
) -> CellView:
    """Users who win slots by chance; the first bin of the last user is empty."""
    draw = np.random.default_rng(seed)
    times = np.arange(0, seconds, SLOT_S)
    rate = draw.choice([307e3, 614e3, 1228e3], times.size)
    slots = {
        "time_s": times,
        "user": draw.integers(0, users, times.size),
        "rate_bps": rate,
        "sent_bytes": np.rint(rate * SLOT_S / 8),
        "error": (draw.random(times.size) < 0.02).astype(int),
    }
    edges = np.arange(0, seconds, bin_s)
    keys = {"time_s": np.tile(edges, users), "user": np.repeat(np.arange(users), edges.size)}
    delay = 0.05 + draw.gamma(2, 0.05, keys["user"].size)
    delay[-edges.size] = np.nan
    share = draw.uniform(0, 100, delay.size if subchannels > 1 else 0)
    band = {name: values[: share.size] for name, values in keys.items()} | {"percent": share}
    return CellView(
        scenario="made-up", replica=0, seed=seed, version="0", users=users, start_s=0.0, stop_s=seconds, bin_s=bin_s,
        slots=Table(slots), band=Table(band), rates=Table({**keys, "delivered_bps": draw.uniform(0, 2e5, delay.size)}),
        delays=Table({**keys, "mean_s": delay, "p95_s": 2 * delay}), outcomes=_outcomes(slots, keys, bin_s, users),
        lost=Table({"time_s": times[:2], "user": slots["user"][:2]}), recovery=recovery, who=Users.numbered(users),
    )  # fmt: skip


def _outcomes(slots: Mapping[str, NDArray[Any]], keys: Mapping[str, NDArray[Any]], bin_s: float, users: int) -> Table:
    bins = keys["user"].size // users
    place = slots["user"] * bins + (slots["time_s"] / bin_s + 1e-9).astype(int)
    won, failed = np.bincount(place, minlength=users * bins), np.bincount(place, slots["error"], users * bins)
    percent = 100 * won * SLOT_S / bin_s
    waiting = np.ones(users * bins, dtype=bool)
    return Table({**keys, "won": won, "carried": won, "failed": failed, "percent": percent, "waiting": waiting})
