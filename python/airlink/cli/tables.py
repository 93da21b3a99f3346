"""Results as text: tables of at most 80 columns, and JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich import box
from rich.console import Console
from rich.table import Table as TextTable

from airlink.result import Estimate, Result, Table

WIDTH = 80
MOST_USERS = 24
DROPS = ("queue_full", "aqm", "air_error", "retry_limit", "wire_loss", "outage")


class PipedConsole(Console):
    """A console that leaves it to the command how a closed pipe ends it."""

    def on_broken_pipe(self) -> None:
        """Called while a BrokenPipeError is handled; rich itself would end the program as failed."""
        raise


def console() -> Console:
    """Stdout, never wider than 80 columns."""
    width = Console().width
    return PipedConsole(width=min(WIDTH, width), highlight=False)


def plain_table(**options: Any) -> TextTable:
    """A table in the house's look."""
    return TextTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), **options)


def print_result(result: Result, out: Console) -> None:
    """Users, cell, drops: what `airlink run` prints."""
    out.print(users_table(result))
    out.print(cell_table(result, out))
    out.print(drops_line(result), soft_wrap=True)


def users_table(result: Result) -> TextTable:
    """One line a user, mean over replicas; of many users the best and the worst by goodput."""
    columns = _user_columns(result)
    count = next(iter(columns.values())).size
    title = f"Users, mean of {len(result.replicas)} replicas" if len(result.replicas) > 1 else "Users"
    table = plain_table(title=title, title_justify="left", title_style="bold")
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    shown, elided = _shown(columns["goodput\nkb/s"], count)
    for position, user in enumerate(shown):
        if elided and position == MOST_USERS // 2:
            table.add_row("...", *[""] * (len(columns) - 1))
        table.add_row(*(short(values[user]) for values in columns.values()))
    if elided:
        table.caption = f"best and worst of {count} users by goodput; all of them in users.parquet and --json"
        table.caption_justify = "left"
    return table


def cell_table(result: Result, out: Console) -> TextTable:
    """Totals over the cell, with 95 % intervals over replicas."""
    summary = result.summary
    table = plain_table(title="Cell", title_justify="left", title_style="bold", show_header=False)
    for justify in ("left", "right", "left", "right"):
        table.add_column(justify=justify, no_wrap=True)
    hidden = NOT_OF_SUBCHANNELS if "subchannel_slots" in summary else ()
    cells = [
        (name, with_interval(_part(summary, key, scale), out))
        for name, key, scale in CELL_NUMBERS
        if key in summary and key not in hidden
    ]
    half = (len(cells) + 1) // 2
    for left, right in zip(cells[:half], [*cells[half:], ("", "")], strict=False):
        table.add_row(*left, *right)
    return table


CELL_NUMBERS = (
    ("goodput, kb/s", "goodput_bps", 1e-3),
    ("delivered, kb/s", "delivered_bps", 1e-3),
    ("sent, kb/s", "sent_bps", 1e-3),
    ("granted, kb/s", "granted_bps", 1e-3),
    ("slots", "slots", 1.0),
    ("idle slots", "slots_idle", 1.0),
    ("wasted slots", "slots_wasted", 1.0),
    ("padded, kb/s", "padded_bps", 1e-3),
    ("Jain's index", "jain_index", 1.0),
    ("mean log10 kB/s", "mean_log10_goodput_kBps", 1.0),
    ("min/max resources", "min_max_resource_share", 1.0),
    ("timeouts", "timeouts", 1.0),
    ("spurious timeouts", "spurious_timeouts", 1.0),
    ("retransmissions", "retransmissions", 1.0),
)

NOT_OF_SUBCHANNELS = ("slots_wasted",)
"""What is not shown where users share a slot: a sum over users that no longer counts slots."""


def drops_line(result: Result) -> str:
    """What became of the packets, summed over users and replicas: no drop is silent."""
    users = result.users
    drops = ", ".join(f"{reason.replace('_', ' ')} {int(users[f'drops_{reason}'].sum())}" for reason in _drops(users))
    names = ("waiting_at_start", "in", "doubled", "delivered", "waiting")
    totals = {name: int(users[f"packets_{name}"].sum()) for name in names if f"packets_{name}" in users}
    start = f"{totals['waiting_at_start']} waiting at start, " if totals["waiting_at_start"] else ""
    doubled = f"{totals['doubled']} doubled, " if totals.get("doubled") else ""
    kept = f"{totals['in']} in, {doubled}{totals['delivered']} delivered, {totals['waiting']} waiting"
    return f"Packets: {start}{kept}\nDropped: {drops}" + "".join(_wire_lines(result.flows))


def _drops(users: Table) -> list[str]:
    """The reasons for which a packet of this result can be dropped."""
    return [reason for reason in DROPS if f"drops_{reason}" in users]


def _wire_lines(flows: Table) -> Iterator[str]:
    """What befell packets on the wires of their flows, where anything can."""
    for what, where in (("downlink", "On the way to the network"), ("uplink", "Acknowledgements")):
        counts = {name[len(what) + 1 :]: int(flows[name].sum()) for name in flows if name.startswith(f"{what}_")}
        if counts:
            yield f"\n{where}: " + ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in counts.items())


def as_json(result: Result, directory: str | None) -> str:
    """The whole result but its series: one JSON object. Infinity is "inf", what does not exist is null."""
    content = {
        "name": result.scenario.name,
        "version": result.version,
        "seeds": list(result.seeds),
        "interrupted": result.interrupted,
        "digest": result.digest(),
        "directory": directory,
        "summary": {name: interval(estimate) for name, estimate in result.summary.items()},
        "cell": columns(result.cell),
        "users": columns(result.users),
        "flows": columns(result.flows),
    }
    return json.dumps(content, indent=1, allow_nan=False)


def _user_columns(result: Result) -> dict[str, NDArray[Any]]:
    users = result.users

    def mean(values: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(values.reshape(len(result.replicas), -1).mean(axis=0), dtype=float)

    columns: dict[str, NDArray[Any]] = {"user": np.arange(len(result.replicas[0].users["user"]))}
    of_a_cell = "slots_won" in users
    if of_a_cell:
        columns["SNR\ndB"] = mean(users["mean_snr_db"])
    columns["goodput\nkb/s"] = mean(users["goodput_bps"]) / 1e3
    if of_a_cell:
        columns["granted\nkb/s"] = mean(users["granted_bps"]) / 1e3
        name, won, of = (
            ("band\n%", "subchannels_won", "subchannel_slots")
            if "subchannels_won" in users
            else ("slots\n%", "slots_won", "slots")
        )
        columns[name] = 100 * mean(users[won]) / max(float(np.mean(result.cell[of])), 1.0)
        columns["max gap\nslots"] = mean(users["gap_max_slots"])
    columns["delay\nms"] = mean(users["queueing_delay_mean_s"]) * 1e3
    columns["99 %\nms"] = mean(users["queueing_delay_p99_s"]) * 1e3
    columns["time-\nouts"] = mean(_timeouts_by_user(result))
    columns["drops"] = mean(np.sum([users[f"drops_{reason}"] for reason in _drops(users)], axis=0))
    return columns


def _timeouts_by_user(result: Result) -> NDArray[Any]:
    counts = [
        np.bincount(replica.flows["user"], weights=replica.flows["timeouts"], minlength=len(replica.users["user"]))
        for replica in result.replicas
    ]
    return np.concatenate(counts)


def _shown(goodput: NDArray[Any], count: int) -> tuple[list[int], bool]:
    if count <= MOST_USERS:
        return list(range(count)), False
    order = [int(user) for user in np.argsort(-goodput, kind="stable")]
    half = MOST_USERS // 2
    return order[:half] + order[-half:], True


def short(value: Any) -> str:
    """A number in a few letters; `-` when it does not exist."""
    number = float(value)
    if math.isnan(number):
        return "-"
    if abs(number) >= 1e6:
        return f"{number:.2e}"
    if number == round(number) or abs(number) >= 1000:
        return f"{number:.0f}"
    return f"{number:.3g}"


def _part(summary: Mapping[str, Estimate], key: str, scale: float) -> Estimate:
    estimate = summary[key]
    return Estimate(estimate.mean * scale, estimate.low * scale, estimate.high * scale, estimate.n, estimate.level)


def with_interval(estimate: Estimate, out: Console) -> str:
    """A mean and, of several replicas, half of its interval; `-` when it does not exist."""
    if math.isnan(estimate.mean):
        return "-"
    sign = "\u00b1" if out.encoding.lower().startswith("utf") else "+-"
    text = f"{estimate.mean:.5g}"
    if estimate.n < 2 or not math.isfinite(estimate.mean):
        return text
    return f"{text} {sign} {estimate.half_width:.2g}"


def interval(estimate: Estimate) -> dict[str, Any]:
    """An estimate as JSON."""
    return {name: _number(getattr(estimate, name)) for name in ("mean", "low", "high", "n")}


def columns(table: Table) -> dict[str, list[Any]]:
    """A table as JSON."""
    return {name: [_number(value) for value in values.tolist()] for name, values in table.items()}


def _number(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value
