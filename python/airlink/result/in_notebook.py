"""What a notebook shows of a result: what was run, the cell's numbers, each user's, and how to go on.

Left out: series, which draw themselves as every table does, and figures (`airlink.plots`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from airlink.engine.html import (
    Head,
    Markup,
    chosen_rows,
    code,
    document,
    folded,
    paragraph,
    table,
)
from airlink.result.estimate import Estimate, mean_interval
from airlink.result.rounding import interval_text
from airlink.tables import BY_NAME
from airlink.tables.units import readable_unit

if TYPE_CHECKING:
    from airlink.engine import Table
    from airlink.result.captures import Captures
    from airlink.result.result import Result

FIRST = (
    "goodput_bps",
    "goodput_up_bps",
    "cell_edge_goodput_bps",
    "jain_index",
    "jain_index_up",
    "queueing_delay_p50_s",
    "queueing_delay_p95_s",
    "retransmissions",
    "timeouts",
    "drops_queue_full",
    "drops_aqm",
)
"""Numbers of the cell that are seen at once; all others are folded away."""

OF_DOWNLOADS = ("goodput_bps", "cell_edge_goodput_bps", "jain_index")
"""Of these, those that are folded away where nothing but ACKs goes to users: zeros."""

OF_USERS = (
    "mean_snr_db", "goodput_bps", "goodput_up_bps", "granted_bps", "queueing_delay_p95_s", "download_p50_s",
    "download_p95_s",
)  # fmt: skip
"""Columns that are seen of users; the others are in `result.users`."""


def of_result(result: Result) -> str:
    """A result: header, the cell, its users, how to go on."""
    return document(
        f"<p><strong>{code(result.scenario.name or 'unnamed')}</strong></p>",
        *map(paragraph, _about(result)),
        _cell(result.summary),
        _users(result),
        _ways_on(result),
    )


def of_summary(summary: Mapping[str, Estimate]) -> str:
    """Numbers with their intervals; of many a few, the others folded away."""
    return document(_cell(summary))


def of_captures(captures: Captures) -> str:
    """The files of packets, and which of them do not reach the end of their run."""
    files = sorted(path.name for path in captures.folder.glob("*.pcapng"))
    cut = {each.file.name: each.reason for each in captures.cut_short}
    rows, left_out = chosen_rows(len(files))
    heads = (Head("capture", words=True), Head("", words=True))
    lines = [(files[row], f"cut short: {cut[files[row]]}" if files[row] in cut else "whole") for row in rows]
    return document(paragraph(f"Packets in {captures.folder}"), table(heads, lines, "Captures", left_out))


def _about(result: Result) -> Iterator[str]:
    """What was run, and what a reader must know of it."""
    scenario, seeds = result.scenario, result.seeds
    several = f"seeds {seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else f"seed {seeds[0]}" if seeds else "no seed"
    measured = f", measured after {scenario.warmup_s:g} s" if scenario.warmup_s else ""
    yield (
        f"{len(seeds)} replica{'s' * (len(seeds) != 1)} ({several}) of {scenario.users} users over "
        f"{scenario.duration_s:g} s{measured}; airlink {result.version}"
    )
    if result.interrupted:
        yield "Interrupted: replicas that had not finished are not here."
    if controls := scenario.experimental_controls():
        yield f"Experimental, as no network could run it: {', '.join(controls)}."
    if len(seeds) == 1:
        yield "One replica has no intervals: run more with replicas=4."


def _cell(summary: Mapping[str, Estimate]) -> str:
    hidden = OF_DOWNLOADS if _goes_up_only(summary) else ()
    shown = [name for name in FIRST if name in summary and name not in hidden]
    first = {name: summary[name] for name in shown} or dict(list(summary.items())[: len(FIRST)])
    others = {name: each for name, each in summary.items() if name not in first}
    caption = "Mean of a replica, with its 95 % interval"
    more = f"{len(others)} more number{'s' * (len(others) > 1)} of the cell"
    return table(_NUMBERS, list(_numbers(first)), caption) + folded(
        more, table(_NUMBERS, list(_numbers(others))) if others else ""
    )


def _goes_up_only(summary: Mapping[str, Estimate]) -> bool:
    """Whether users got nothing and sent something: numbers of what they got are zeros then."""
    down, up = (summary[name].mean if name in summary else 0.0 for name in ("goodput_bps", "goodput_up_bps"))
    return down == 0 < up


_NUMBERS = (Head("number", words=True), Head("mean ± interval"), Head("", words=True), Head("meaning", words=True))


def _numbers(summary: Mapping[str, Estimate]) -> Iterator[tuple[str, ...]]:
    for name, estimate in summary.items():
        declared = BY_NAME["cell"].column(name)
        by, unit = readable_unit(declared.unit if declared else "", [estimate.mean])
        meaning = declared.meaning.split("; ")[0] if declared else ""
        yield code(name), interval_text(estimate, by), unit, meaning


def _users(result: Result) -> str:
    """A row a user: means over the replicas, with their intervals."""
    users = result.users
    if not users.rows:
        return ""
    rows, left_out = chosen_rows(users.rows // max(len(result.replicas), 1))
    columns = [_of_users(result.users, name, rows) for name in OF_USERS if name in users]
    kept = [(head, cells) for head, cells in columns if any(cell != "-" for cell in cells)]
    heads = [Head("user", meaning="number of the user, from 0"), *(head for head, _ in kept)]
    lines = [(str(user), *(cells[place] for _, cells in kept)) for place, user in enumerate(rows)]
    return table(heads, lines, "Users, means over replicas", left_out)


def _of_users(users: Table, name: str, rows: np.ndarray) -> tuple[Head, list[str]]:
    """A column of the users; those who have no number in a replica have no mean."""
    count = int(users["user"].max()) + 1
    values = np.asarray(users[name], dtype=float).reshape(-1, count)
    declared = BY_NAME["users"].column(name)
    by, unit = readable_unit(declared.unit if declared else "", values)
    told = [mean_interval(values[:, user]) for user in rows]
    cells = [f"{each.mean / by:.4g}" if np.isfinite(each.mean) and each.low == each.high else interval_text(each, by)
             for each in told]  # fmt: skip
    return Head(name, unit, declared.text if declared else ""), cells


def _ways_on(result: Result) -> str:
    """What to type next."""
    ways = (
        ("result.users", "result.flows", "result.cell", "all tables, a row a replica and user, flow, or none of both"),
        ("airlink.plots.user_throughput(result)", "who got how much"),
        ("airlink.explain.explain(result)", "why the slowest flow was slow"),
        ("result.save('folder')", "keeps it"),
    )
    lines = (", ".join(code(call) for call in calls) + f": {what}" for *calls, what in ways)
    recorded = f"<p>Recorded: {', '.join(code(f'result.series({kind!r})') for kind in result.record)}</p>"
    return folded("How to go on", Markup(f"<p>{'<br>'.join(lines)}</p>{recorded * bool(result.record)}"))
