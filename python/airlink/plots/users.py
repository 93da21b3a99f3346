"""The users of a picture: in words, and in an order that a reader can follow.

Nobody tells twenty colours apart. So up to `NAMED_USERS` have a line each; more are rows of a map, from the best mean
SNR to the worst, and a row says whose it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from airlink.engine import Replica
from airlink.scenario import Scenario

NAMED_USERS = 7
"""Up to so many users have a line each; more are rows of a map."""

TRAFFIC: Mapping[str, str] = {
    "greedy": "download", "file": "file", "stream": "stream", "poisson": "files", "sessions": "web",
    "requests": "requests", "pages": "pages", "backlogged": "backlogged", "constant_rate": "UDP", "voice": "voice",
    "frames": "video",
}  # fmt: skip
"""Kinds of traffic in a word."""


@dataclass(frozen=True)
class Users:
    """Who is who.

    Attributes
    ----------
    channel : [user] mean SNR in words; empty: not known.
    traffic : [user] what a user downloads, where users differ in it; empty: they do not.
    order : [row] the users from the first row of a map to the last.
    by : what they are sorted by, in words; empty: their number.
    """

    channel: tuple[str, ...]
    traffic: tuple[str, ...]
    order: tuple[int, ...]
    by: str = ""

    @classmethod
    def numbered(cls, count: int) -> Users:
        """Users of whom nothing is known but their number."""
        return cls(("",) * count, ("",) * count, tuple(range(count)))

    def row(self, user: int, with_traffic: bool = True) -> str:
        """A user in a column of them, as "3: 12.5 dB, web"."""
        known = [each for each in (self.channel[user], self.traffic[user] * with_traffic) if each]
        return f"{user}: {', '.join(known)}" if known else f"{user}"

    def name(self, user: int) -> str:
        """A user alone, as "user 3: 12.5 dB, web"."""
        return f"user {self.row(user)}"

    @property
    def axis(self) -> str:
        """What the axis of the rows says."""
        return f"user, by {self.by}" if self.by else "user"


def users_of(scenario: Scenario, replica: Replica) -> Users:
    """Who is who in a replica.

    Parameters
    ----------
    scenario, replica : whose users.

    Returns
    -------
    Users, sorted by their mean SNR, best first, where they have one; else by number.
    """
    count = len(replica.users["user"])
    snr_db = np.asarray(replica.users.get("mean_snr_db", np.full(count, np.nan)), dtype=float)
    traffic = _traffic(scenario, count)
    differs = len(set(traffic)) > 1
    channel = tuple(f"{each:.1f} dB".replace("-", "\u2212") if np.isfinite(each) else "" for each in snr_db)
    is_sorted = bool(np.isfinite(snr_db).all())
    return Users(
        channel,
        tuple(traffic) if differs else ("",) * count,
        tuple(np.argsort(-snr_db, kind="stable").tolist()) if is_sorted else tuple(range(count)),
        "mean SNR" if is_sorted else "",
    )


def _traffic(scenario: Scenario, count: int) -> list[str]:
    """What each user downloads."""
    kinds: list[list[str]] = [[] for _ in range(count)]
    for group in scenario.flows:
        word = TRAFFIC[group.traffic.kind]
        for user in range(count) if group.users == "all" else group.users:
            if word not in kinds[user]:
                kinds[user].append(word)
    return [" and ".join(own) or "no traffic" for own in kinds]


def named_rows(names: Sequence[Any], most: int) -> list[int]:
    """The rows whose names have room: all of them, or the first, the last and as many between, evenly.

    >>> named_rows("abcde", 8), named_rows(range(100), 5)
    ([0, 1, 2, 3, 4], [0, 25, 50, 74, 99])
    """
    if len(names) <= most:
        return list(range(len(names)))
    return [int(row) for row in np.unique(np.linspace(0, len(names) - 1, most).round())]
