"""Numbers for machines: one row a setting, seed and user. Left out: the tables that people read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from airlink.result import Table
from airlink_studies.imt_advanced.measures import Floats, Outcome

MEASURES = (
    "throughput_mbps", "selection", "active", "retransmission", "loss", "rtt_ms", "report_error_db",
    "bits_per_subchannel", "timeouts", "fast_retransmits",
)  # fmt: skip


def by_user(outcomes: Mapping[str, Outcome], seeds: Sequence[int]) -> Table:
    """What `Outcome` has of every user, as columns; users from 1."""
    columns = _keys(list(outcomes), seeds, next(iter(outcomes.values())).throughput_mbps.shape[1])
    for name in MEASURES:
        columns[name] = np.concatenate([getattr(outcome, name).ravel() for outcome in outcomes.values()])
    return Table(columns)


def by_scheme(shares: Mapping[str, Floats], seeds: Sequence[int]) -> Table:
    """Shares of each user's bits by MCS, a column for each MCS: arrays [seed, user, MCS]."""
    first = next(iter(shares.values()))
    columns = _keys(list(shares), seeds, first.shape[1])
    for index in range(first.shape[2]):
        columns[f"mcs_{index + 1}"] = np.concatenate([each[:, :, index].ravel() for each in shares.values()])
    return Table(columns)


def of_band(outcomes: Mapping[str, Outcome], seeds: Sequence[int]) -> Table:
    """Shares of the band that carried nothing: one row a setting and seed."""
    columns: dict[str, np.ndarray] = {
        "setting": np.repeat(list(outcomes), len(seeds)),
        "seed": np.tile(np.asarray(seeds), len(outcomes)),
    }
    for name in ("empty_without_data", "empty_otherwise", "padded"):
        columns[name] = np.concatenate([getattr(outcome, name) for outcome in outcomes.values()])
    return Table(columns)


def _keys(settings: Sequence[str], seeds: Sequence[int], users: int) -> dict[str, np.ndarray]:
    return {
        "setting": np.repeat(settings, len(seeds) * users),
        "seed": np.tile(np.repeat(np.asarray(seeds), users), len(settings)),
        "user": np.tile(np.arange(1, users + 1), len(settings) * len(seeds)),
    }
