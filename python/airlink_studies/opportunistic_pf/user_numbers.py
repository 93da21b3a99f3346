"""The seventeen numbers that Section V prints of a user, measured, and which users are B and W.

"Jitter" is the time that a packet spends at the head of its queue: the paper's least jitter equals its least queueing
delay, and W's 221 packets times its mean jitter fill the run. Our delays end when the slot that carried the last
segment ends; in the paper's ns-2 a packet left as its last slot began, so ours are one slot (1.67 ms) longer. Leaves
out percentiles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airlink.campaign import CampaignResult
from airlink.report import Sheet, number
from airlink.statistics import Estimate, mean_interval
from airlink_studies.opportunistic_pf.setting import SEGMENT_BYTES, PaperUser, Spread

Floats = NDArray[np.float64]
Users = NDArray[np.int_]
"""Array [seed]: which user of each realization."""


@dataclass(frozen=True)
class Number:
    """One of the seventeen: its key, its words with the unit, and where the paper's value is."""

    key: str
    words: str
    of_paper: Callable[[PaperUser], float]


def _delays(key: str, words: str, spread: Callable[[PaperUser], Spread]) -> list[Number]:
    return [
        Number(f"{key}_mean_ms", f"{words}, mean (ms)", lambda user: spread(user).mean),
        Number(f"{key}_sd_ms", f"{words}, sd (ms)", lambda user: spread(user).sd),
        Number(f"{key}_min_ms", f"{words}, min (ms)", lambda user: spread(user).least),
        Number(f"{key}_max_ms", f"{words}, max (ms)", lambda user: spread(user).largest),
    ]


NUMBERS: Sequence[Number] = (
    Number("resource_percent", "share of slots (%)", lambda user: user.resource_percent),
    Number("snr_db", "nominal SNR (dB)", lambda user: user.snr_db),
    Number("mean_segments", "segments per slot won", lambda user: user.mean_segments),
    Number("max_sequence", "last sequence number", lambda user: user.max_sequence),
    *_delays("jitter", "jitter", lambda user: user.jitter),
    *_delays("rtt", "RTT", lambda user: user.rtt),
    *_delays("queueing", "queueing delay", lambda user: user.queueing),
    Number("jitter_over_rtt_percent", "mean jitter / mean RTT (%)", lambda user: user.jitter_over_rtt_percent),
)

DELAYS: Mapping[str, tuple[str, str]] = {
    "jitter": ("users", "hol_delay"),
    "rtt": ("flows", "rtt"),
    "queueing": ("users", "queueing_delay"),
}


def best_and_worst(result: CampaignResult, label: str) -> dict[str, Users]:
    """B and W of each realization: the users with the most and the least goodput."""
    goodput = result.flows(label, "goodput_bytes")
    return {"B": np.argmax(goodput, axis=1), "W": np.argmin(goodput, axis=1)}


def measured(result: CampaignResult, label: str, users: Users) -> dict[str, Floats]:
    """The numbers of one user of each realization, by key: arrays [seed], in the units of `PaperUser`.

    The user's flow must have the user's number, as in a cell with one flow for each.
    """
    slots = result.users(label, "slots_won")
    granted = _of(result.users(label, "granted_bytes"), users)
    found = {
        "resource_percent": 100 * _of(slots, users) / slots.sum(axis=1),
        "snr_db": _of(result.users(label, "mean_snr_db"), users),
        "mean_segments": granted / _of(slots, users) / SEGMENT_BYTES,
        "max_sequence": _of(result.flows(label, "goodput_bytes"), users),
    }
    for key, (table, column) in DELAYS.items():
        read = result.users if table == "users" else result.flows
        for end in ("mean", "sd", "min", "max"):
            found[f"{key}_{end}_ms"] = 1e3 * _of(read(label, f"{column}_{end}_s"), users)
    found["jitter_over_rtt_percent"] = 100 * found["jitter_mean_ms"] / found["rtt_mean_ms"]
    return found


def numbers_sheet(title: str, ours: Mapping[str, Mapping[str, Floats]], paper: Mapping[str, PaperUser]) -> Sheet:
    """The table of Section V: the paper's number and ours with its interval, for every user of `ours`."""
    columns = ["", *(f"{who} {what}" for who in ours for what in ("paper", "ours"))]
    rows = []
    for each in NUMBERS:
        cells = [each.words]
        for who, found in ours.items():
            cells += [number(each.of_paper(paper[who])), spread_text(mean_interval(found[each.key]))]
        rows.append(cells)
    return Sheet(title, columns, rows, "Ours: means over realizations with 95 % intervals.")


def spread_text(estimate: Estimate) -> str:
    """Mean and half width with as many decimals as the width deserves, but at most four digits of the mean.

    >>> spread_text(Estimate(996.12, 980.0, 1012.24, 10)), spread_text(Estimate(7.021, 7.0, 7.042, 10))
    ('996 ± 16', '7.021 ± 0.021')
    """
    half = estimate.half_width
    if not np.isfinite(half) or half == 0:
        return number(estimate.mean)
    most = 3 - int(np.floor(np.log10(abs(estimate.mean)))) if estimate.mean else 3
    decimals = max(0, min(1 - int(np.floor(np.log10(half))), most))
    return f"{estimate.mean:.{decimals}f} ± {half:.{decimals}f}"


def _of(table: Floats, users: Users) -> Floats:
    """Of each row (a seed) the column of that seed's user."""
    return np.asarray(table[np.arange(users.size), users], dtype=float)
