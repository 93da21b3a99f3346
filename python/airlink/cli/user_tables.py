"""Users as tables of at most 80 columns: rates and delays, and how long their files and pages took.

Which columns there are follows from what the scenario has; what does not fit is left out, least needed first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table as TextTable

from airlink.cli.tables import (
    DROPS,
    MOST_USERS,
    WIDTH,
    cell_table,
    drops_line,
    experimental_line,
    own_code_line,
    plain_table,
    plus_minus,
    short,
    syns_line,
)
from airlink.result import Result
from airlink.tables.units import rate_unit

Floats = NDArray[np.float64]
ALWAYS = 0
"""The rank of a column that is never left out; of the others those of the highest rank go first."""


@dataclass(frozen=True)
class _Column:
    """A column: its header, a text per user, how soon it is left out."""

    header: str
    texts: Sequence[str]
    rank: int = ALWAYS


def print_result(result: Result, out: Console) -> None:
    """Users, their downloads, cell, drops: what `airlink run` prints."""
    out.print(users_table(result, out))
    if (downloads := downloads_table(result, out)) is not None:
        out.print(downloads)
    out.print(cell_table(result, out))
    out.print(drops_line(result), soft_wrap=True)
    if of_syns := syns_line(result):
        out.print(of_syns, soft_wrap=True)
    if controls := experimental_line(result):
        out.print(controls, soft_wrap=True)
    if own_code := own_code_line(result):
        out.print(own_code, soft_wrap=True)


def users_table(result: Result, out: Console) -> TextTable:
    """One line a user, mean over replicas with 95 % intervals; of many users the best and the worst by goodput."""
    goodput = _means(result, "goodput_up_bps" if _shows_uploads(result) else "goodput_bps")
    count = goodput.size
    shown = list(range(count))
    if count > MOST_USERS:
        order = [int(user) for user in np.argsort(-goodput, kind="stable")]
        shown = order[: MOST_USERS // 2] + order[-(MOST_USERS // 2) :]
    table = _fitting(f"Users{_of_replicas(result, out)}", _user_columns(result, out), shown, count)
    if len(shown) < count:
        table.caption = f"best and worst of {count} users by goodput; all of them in users.parquet and --json"
        table.caption_justify = "left"
    return table


def downloads_table(result: Result, out: Console) -> TextTable | None:
    """One line a user with downloads, the fastest first and those of whom none ended last; None without any."""
    if "downloads" not in result.users:
        return None
    requested, pending = _means(result, "downloads"), _means_of_pending(result, "downloads_pending_at_start")
    waited = requested + pending > 0
    if not waited.any():
        return None
    times = {name: _Censored.of(result, f"download_{name}", "download_longest_age_s") for name in TIMES}
    has_slowdown = "download_slowdown_p50" in result.users
    slow = {
        name: _Censored.of(result, f"download_slowdown_{name}", "download_slowdown_longest_age")
        for name in SLOW
        if has_slowdown
    }
    columns = [
        _Column("user", [str(user) for user in range(requested.size)]),
        _Column("files,\npages", [short(value) for value in requested]),
        _Column("not\nended", [short(value) for value in _means(result, "downloads_unfinished")]),
        *_pending_since_before(result, pending),
        *_time_columns(result, times, out),
        *(
            _Column(f"slowdown\n{words}", slow[name].texts, 2 if name == "p95" else ALWAYS)
            for name, words in _of_some(result, SLOW).items()
            if name in slow
        ),
    ]
    median, high = times["p50_s"], times["p95_s"]
    order = np.lexsort((median.values, median.rank, high.rank))
    ranked = [int(user) for user in order if waited[user]]
    shown = ranked if len(ranked) <= MOST_USERS else ranked[: MOST_USERS // 2] + ranked[-(MOST_USERS // 2) :]
    title = f"Files and pages{_of_replicas(result, out)}"
    table = _fitting(title, columns, shown, len(ranked))
    silent = requested.size - len(ranked)
    table.caption = _over_users(median, ranked) + (
        f"; {silent} user{'s' * (silent > 1)} requested none" if silent else ""
    )
    table.caption_justify = "left"
    return table


def _of_some(result: Result, names: Mapping[str, str]) -> Mapping[str, str]:
    """The numbers of a user's downloads; where nobody has two of them the median alone, which is the time itself."""
    if result.users["downloads"].max() > 1:
        return names
    return {name: "time" if name in TIMES else "" for name in names if name.startswith("p50")}


TIMES = {"mean_s": "mean", "p50_s": "median", "p95_s": "95 %"}
SLOW = {"p50": "median", "p95": "95 %"}


@dataclass(frozen=True)
class _Censored:
    """A number per user, mean over replicas, and whether it is a lower bound of what is not known yet."""

    values: Floats
    bounded: NDArray[Any]

    @classmethod
    def of(cls, result: Result, column: str, age: str) -> _Censored:
        """A column of times; infinite ones count with the longest age, means that hold ages are bounds."""
        values, ages = _by_replica(result, column), _by_replica(result, age)
        bounded = np.isinf(values) if "mean" not in column else ~np.isnan(ages)
        return cls(_nanmean(np.where(np.isinf(values), ages, values)), np.any(bounded, axis=0))

    @property
    def rank(self) -> Floats:
        """What users are ranked by: infinite where it is a bound."""
        return np.where(self.bounded, math.inf, self.values)

    @property
    def texts(self) -> list[str]:
        """As it is printed: "> 31" where it is above 31."""
        return [
            f"> {short(value)}" if bound and not math.isnan(value) else short(value)
            for value, bound in zip(self.values, self.bounded, strict=True)
        ]


def _means_of_pending(result: Result, column: str) -> Floats:
    """Zero where the result is of a version that did not count them."""
    return _means(result, column) if column in result.users else np.zeros(len(result.replicas[0].users["user"]))


def _pending_since_before(result: Result, pending: Floats) -> list[_Column]:
    """The downloads requested before the measured time and not ended then, and the age of the oldest still open."""
    if not pending.any():
        return []
    ages = _nanmean(_by_replica(result, "download_pending_longest_age_s"))
    texts = ["-" if math.isnan(age) else f"> {short(age)}" for age in ages]
    columns = [_Column("from\nbefore", [short(value) for value in pending]), _Column("open\ns", texts, rank=3)]
    return columns[: 1 + bool(np.isfinite(ages).any())]


def _over_users(median: _Censored, ranked: Sequence[int]) -> str:
    """The median of the user in the middle and of the 95 % user: per user first, then over users."""
    if len(ranked) == 1:
        return f"One user requested any, the median is {median.texts[ranked[0]]} s"
    order = np.array(ranked)[np.lexsort((median.values[ranked], median.rank[ranked]))]
    middle, high = (median.texts[order[max(1, math.ceil(share * order.size - 1e-9)) - 1]] for share in (0.5, 0.95))
    return f"Over {order.size} users, median of each: {middle} s in the middle, {high} s at 95 %"


def _time_columns(result: Result, times: Mapping[str, _Censored], out: Console) -> Iterator[_Column]:
    """Mean, median with its interval, and 95 %."""
    for name, words in _of_some(result, TIMES).items():
        yield _Column(f"{words}\ns", times[name].texts)
        if name == "p50_s":
            yield from _interval_of_median(result, times[name], out)


def _interval_of_median(result: Result, median: _Censored, out: Console) -> list[_Column]:
    if len(result.replicas) < 2:
        return []
    half = _half_widths(result, "download_p50_s")
    texts = ["-" if bound else short(value) for value, bound in zip(half, median.bounded, strict=True)]
    return [_Column(f"{plus_minus(out)}\ns", texts, rank=1)] if set(texts) != {"-"} else []


def _user_columns(result: Result, out: Console) -> list[_Column]:
    users = result.users
    of_a_cell, several = "slots_won" in users, len(result.replicas) > 1
    columns = [_Column("user", [str(user) for user in range(len(result.replicas[0].users["user"]))])]
    if of_a_cell:
        shadowed = "shadowed_snr_db" if "shadowed_snr_db" in users else "mean_snr_db"
        columns.append(_Column("SNR\ndB", _texts(_means(result, shadowed)), rank=2))
    if not _shows_uploads(result):
        columns += _rate(result, "goodput", out, ALWAYS)
    if "goodput_up_bps" in users:
        of_uploads_only = _shows_uploads(result)
        columns += _rate(result, "goodput_up", out if of_uploads_only else None, ALWAYS, "sent up")
    if of_a_cell:
        columns += _rate(result, "granted", None, 4)
        name, won, of = (
            ("band\n%", "subchannels_won", "subchannel_slots")
            if "subchannels_won" in users
            else ("slots\n%", "slots_won", "slots")
        )
        share = 100 * _means(result, won) / max(float(np.mean(result.cell[of])), 1.0)
        columns.append(_Column(name, _texts(share), rank=2))
        columns.append(_Column("max gap\nslots", _texts(_means(result, "gap_max_slots")), rank=5))
    columns.append(_milliseconds(result, "delay\nms", "queueing_delay_mean_s", ALWAYS))
    if several:
        half = 1e3 * _half_widths(result, "queueing_delay_mean_s")
        columns.append(_Column(f"{plus_minus(out)}\nms", _texts(half), rank=3))
    columns.append(_milliseconds(result, "95 %\nms", "queueing_delay_p95_s", 1))
    columns.append(_milliseconds(result, "over\nleast", "queueing_delay_over_least_s", 2))
    columns += _over_udp(result)
    if not all(flow.is_over_udp() for flow in result.scenario.flows):
        columns.append(_Column("time-\nouts", _texts(_mean(result, _by_user(result, "timeouts"))), rank=1))
    drops = np.sum([users[f"drops_{reason}"] for reason in DROPS if f"drops_{reason}" in users], axis=0)
    columns.append(_Column("drops", _texts(_mean(result, drops)), rank=1))
    return columns


def _over_udp(result: Result) -> list[_Column]:
    """What became of packets over UDP: the share that was lost, and that of missed deadlines."""
    has_deadlines = result.scenario.has_deadlines()
    shown = (("lost\n%", "datagram_loss_rate", True), ("missed\n%", "deadline_miss_rate", has_deadlines))
    known = ((head, name) for head, name, is_there in shown if is_there and name in result.users)
    return [_Column(head, _texts(100 * _nanmean(_by_replica(result, name))), rank=1) for head, name in known]


def _shows_uploads(result: Result) -> bool:
    """Whether all data goes up, in a result that has a rate of it."""
    return result.scenario.has_uploads_only() and "goodput_up_bps" in result.users


def _rate(result: Result, name: str, out: Console | None, rank: int, head: str = "") -> list[_Column]:
    """A rate in the unit that suits its largest; with `out` and several replicas its interval as well."""
    rates = _means(result, f"{name}_bps")
    scale, unit = rate_unit(rates)
    columns = [_Column(f"{head or name}\n{unit}", _texts(rates / scale), rank)]
    if out is not None and len(result.replicas) > 1:
        columns.append(_Column(f"{plus_minus(out)}\n{unit}", _texts(_half_widths(result, f"{name}_bps") / scale), 1))
    return columns


def _milliseconds(result: Result, header: str, column: str, rank: int) -> _Column:
    known = column in result.users  # a result of an earlier version may lack it
    return _Column(header, _texts(1e3 * _means(result, column)) if known else [], rank)


def _fitting(title: str, columns: Sequence[_Column], shown: Sequence[int], count: int) -> TextTable:
    """The table of these users, without the columns that 80 letters have no room for."""
    kept = [column for column in columns if column.texts]
    wide = Console(width=10 * WIDTH, emoji=False)
    while True:
        table = plain_table(title=title, title_justify="left", title_style="bold")
        for column in kept:
            table.add_column(column.header, justify="right", no_wrap=True)
        for position, user in enumerate(shown):
            if len(shown) < count and position == MOST_USERS // 2:
                table.add_row("...", *[""] * (len(kept) - 1))
            table.add_row(*(column.texts[user] for column in kept))
        least = max(kept, key=lambda column: column.rank)
        if wide.measure(table).maximum <= WIDTH or least.rank == ALWAYS:
            return table
        kept.remove(least)


def _of_replicas(result: Result, out: Console) -> str:
    count = len(result.replicas)
    return f", mean of {count} replicas {plus_minus(out)} 95 %" if count > 1 else ""


def _by_replica(result: Result, column: str) -> Floats:
    return np.asarray(result.users[column], dtype=float).reshape(len(result.replicas), -1)


def _means(result: Result, column: str) -> Floats:
    return _mean(result, result.users[column])


def _mean(result: Result, values: NDArray[Any]) -> Floats:
    return np.asarray(values.reshape(len(result.replicas), -1).mean(axis=0), dtype=float)


def _nanmean(values: Floats) -> Floats:
    """The mean over replicas of those that exist; NaN where none does."""
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    total = np.where(known, values, 0.0).sum(axis=0)
    return np.asarray(np.divide(total, count, out=np.full(count.size, np.nan), where=count > 0))


def _half_widths(result: Result, column: str) -> Floats:
    from airlink.statistics import mean_interval  # late: one run does not need it

    columns = _by_replica(result, column).T
    return np.array([mean_interval(each).half_width if np.isfinite(each).all() else math.nan for each in columns])


def _texts(values: Floats) -> list[str]:
    return [short(value) for value in values]


def _by_user(result: Result, column: str) -> NDArray[Any]:
    """The sum over each user's flows, replica by replica."""
    counts = [
        np.bincount(replica.flows["user"], weights=replica.flows[column], minlength=len(replica.users["user"]))
        for replica in result.replicas
    ]
    return np.concatenate(counts)
