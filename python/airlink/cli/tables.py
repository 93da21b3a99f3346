"""Results as text: tables of at most 80 columns, and JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table as TextTable

from airlink.result import Estimate, Result, Table
from airlink.result.rounding import interval_text
from airlink.scenario import Problem
from airlink.tables import DROP_REASONS
from airlink.tables.units import rate_unit

WIDTH = 80
MOST_USERS = 24

DROPS = tuple(reason.name for reason in DROP_REASONS)


class PipedConsole(Console):
    """A console that leaves it to the command how a closed pipe ends it."""

    def on_broken_pipe(self) -> None:
        """Called while a BrokenPipeError is handled; rich itself would end the program as failed."""
        raise


def console() -> Console:
    """Stdout, never wider than 80 columns."""
    width = Console().width
    return PipedConsole(width=min(WIDTH, width), highlight=False, emoji=False)


def plain_table(**options: Any) -> TextTable:
    """A table in the house's look."""
    return TextTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), **options)


def cell_table(result: Result, out: Console) -> TextTable:
    """Totals over the cell, with 95 % intervals over replicas."""
    summary = result.summary
    table = plain_table(title="Cell", title_justify="left", title_style="bold", show_header=False)
    for justify in ("left", "right", "left", "right"):
        table.add_column(justify=justify, no_wrap=True)
    hidden = (
        *(NOT_OF_SUBCHANNELS if "subchannel_slots" in summary else ()),
        *(OF_DOWNLOADS if result.scenario.has_uploads_only() else ()),
        *(OF_TCP if all(flow.is_over_udp() for flow in result.scenario.flows) else ()),
        *(() if result.scenario.has_deadlines() else ("deadline_miss_rate",)),
    )
    cells = [
        _in_its_unit(name, key, summary, out) for name, key in CELL_NUMBERS if key in summary and key not in hidden
    ]
    half = (len(cells) + 1) // 2
    for left, right in zip(cells[:half], [*cells[half:], ("", "")], strict=False):
        table.add_row(*left, *right)
    return table


CELL_EDGE = "cell_edge_goodput_bps"
CELL_NUMBERS = (
    ("goodput", "goodput_bps"),
    ("goodput up", "goodput_up_bps"),
    ("delivered", "delivered_bps"),
    ("sent", "sent_bps"),
    ("granted", "granted_bps"),
    ("slots", "slots"),
    ("idle slots", "slots_idle"),
    ("wasted slots", "slots_wasted"),
    ("padded", "padded_bps"),
    ("5 % user (cell edge)", CELL_EDGE),
    ("Jain's index", "jain_index"),
    ("Jain's index, up", "jain_index_up"),
    ("mean log10 kB/s", "mean_log10_goodput_kBps"),
    ("min/max resources", "min_max_resource_share"),
    ("timeouts", "timeouts"),
    ("spurious timeouts", "spurious_timeouts"),
    ("retransmissions", "retransmissions"),
    ("UDP lost, %", "datagram_loss_rate"),
    ("UDP mean delay, ms", "datagram_delay_mean_s"),
    ("UDP 95 % delay, ms", "datagram_delay_p95_s"),
    ("deadlines missed, %", "deadline_miss_rate"),
)

OF_TCP = ("timeouts", "spurious_timeouts", "retransmissions")
"""What is not shown where all goes over UDP: zeros."""

SCALED = {
    "datagram_loss_rate": 100.0,
    "datagram_delay_mean_s": 1e3,
    "datagram_delay_p95_s": 1e3,
    "deadline_miss_rate": 100.0,
}
"""By what numbers are multiplied that are shown in percent and milliseconds."""

OF_DOWNLOADS = ("goodput_bps", CELL_EDGE, "jain_index", "mean_log10_goodput_kBps")
"""What is not shown where nothing but ACKs goes to users: zeros."""

NOT_OF_SUBCHANNELS = ("slots_wasted",)
"""What is not shown where users share a slot: a sum over users that no longer counts slots."""


def drops_line(result: Result) -> str:
    """What became of the packets, summed over users and replicas: no drop is silent."""
    users = result.users
    counted = [reason for reason in DROPS if f"drops_{reason}" in users]
    drops = ", ".join(f"{reason.replace('_', ' ')} {int(users[f'drops_{reason}'].sum())}" for reason in counted)
    names = ("waiting_at_start", "in", "doubled", "delivered", "waiting")
    totals = {name: int(users[f"packets_{name}"].sum()) for name in names if f"packets_{name}" in users}
    start = f"{totals['waiting_at_start']} waiting at start, " if totals["waiting_at_start"] else ""
    doubled = f"{totals['doubled']} doubled, " if totals.get("doubled") else ""
    kept = f"{totals['in']} in, {doubled}{totals['delivered']} delivered, {totals['waiting']} waiting"
    return f"Packets: {start}{kept}\nDropped: {drops}" + "".join(_wire_lines(result.flows))


OF_A_SYN = -1
"""The column `sequence` of the series `timeouts` where no data had been sent."""


def syns_line(result: Result) -> str:
    """Which timeouts are not of data: each short connection begins with a SYN; empty where that is no matter."""
    timeouts = int(result.flows["timeouts"].sum())
    groups = [
        place
        for place, group in enumerate(result.scenario.flows)
        if group.traffic.kind == "poisson" and group.tcp.handshake
    ]
    if not timeouts or not groups:
        return ""
    if "timeouts" in result.record:
        of_syns = int((result.series("timeouts")["sequence"] == OF_A_SYN).sum())
        return f"Timeouts, of all replicas: {timeouts}, of which {of_syns} of a SYN, before any data of its connection"
    named = ", ".join(f"flows.{place}" for place in groups)
    return f"Timeouts may be of a SYN: each file of {named} is a connection; --record timeouts tells (sequence -1)"


def experimental_line(result: Result) -> str:
    """Which controls that no network could run the result has; empty without any."""
    controls = result.scenario.experimental_controls()
    return f"Experimental, as no network could run it: {', '.join(controls)}" if controls else ""


def own_code_line(result: Result) -> str:
    """Which code of the user's own the result was made with, and its hash; empty without any."""
    codes = ", ".join(f"{code.role} {code.name} (sha256 {code.short_hash})" for code in result.own_code)
    return f"With code of one's own: {codes}" if codes else ""


def _wire_lines(flows: Table) -> Iterator[str]:
    """Losses and duplicates on the wires of flows, if they are possible."""
    from_users = "From users" if "goodput_up_bytes" in flows else "ACKs"
    for ways, where in ((("upstream_", "downlink_"), "On the way to the network"), (("uplink_",), from_users)):
        counts = {name.split("_", 1)[1]: int(flows[name].sum()) for name in flows if name.startswith(ways)}
        if counts:
            yield f"\n{where}: " + ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in counts.items())


def as_json(result: Result, directory: str | None, warnings: Sequence[Problem] = ()) -> str:
    """The whole result but its series: one JSON object. Infinity is "inf", what does not exist is null."""
    content = {
        "name": result.scenario.name,
        "version": result.version,
        "seeds": list(result.seeds),
        "interrupted": result.interrupted,
        "digest": result.digest(),
        "directory": directory,
        "experimental": result.scenario.experimental_controls(),
        **({"own_code": [vars(code) for code in result.own_code]} if result.own_code else {}),
        "warnings": warnings_content(warnings),
        "summary": {name: interval(estimate) for name, estimate in result.summary.items()},
        "cell": columns(result.cell),
        "users": columns(result.users),
        "flows": columns(result.flows),
    }
    return json.dumps(content, indent=1, allow_nan=False)


def warnings_content(warnings: Sequence[Problem]) -> list[dict[str, str]]:
    """Warnings as JSON."""
    return [{"path": each.path, "message": str(each)} for each in warnings]


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


def _in_its_unit(name: str, key: str, summary: Mapping[str, Estimate], out: Console) -> tuple[str, str]:
    """A number of the cell; rates of the cell in the unit of the largest, that of one user in its own."""
    estimate = summary[key]
    if not key.endswith("_bps"):
        return name, with_interval(_times(estimate, SCALED.get(key, 1.0)), out)
    alike = [key] if key == CELL_EDGE else [other for _, other in CELL_NUMBERS if other.endswith("_bps")]
    by, unit = rate_unit([summary[other].mean for other in alike if other in summary])
    return f"{name}, {unit}", with_interval(_times(estimate, 1 / by), out)


def _times(estimate: Estimate, factor: float) -> Estimate:
    """The same in a unit of 1 / factor."""
    mean, low, high = (value * factor for value in (estimate.mean, estimate.low, estimate.high))
    return Estimate(mean, low, high, estimate.n, estimate.level)


def plus_minus(out: Console) -> str:
    """The sign, as far as the terminal has it."""
    return "\u00b1" if out.encoding.lower().startswith("utf") else "+-"


def with_interval(estimate: Estimate, out: Console) -> str:
    """A mean and, of several replicas, half of its interval, rounded to that; `-` when it does not exist."""
    if estimate.n < 2 and math.isfinite(estimate.mean):
        return f"{estimate.mean:.5g}"
    return interval_text(estimate).replace("±", plus_minus(out))


def interval(estimate: Estimate) -> dict[str, Any]:
    """An estimate as JSON."""
    return {name: number(getattr(estimate, name)) for name in ("mean", "low", "high", "n")}


def columns(table: Table) -> dict[str, list[Any]]:
    """A table as JSON."""
    return {name: [number(value) for value in values.tolist()] for name, values in table.items()}


def number(value: Any) -> Any:
    """A number as JSON; infinity is "inf", what does not exist is null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value
