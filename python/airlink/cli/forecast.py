"""What is known of a scenario before it runs, as text: mean SNR by distance, traces, rates, what a run will take."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table as TextTable

from airlink.cli import tables
from airlink.engine import Columns
from airlink.resources import Resources
from airlink.scenario import Scenario, TraceFacts
from airlink.scenario.sections import Channel, Disc, Distances

RATE_COLUMNS = {
    "mcs": ("mcs", "{:d}"),
    "scheme": ("in the set", "{:d}"),
    "bits_per_symbol": ("bits\na symbol", "{:d}"),
    "code_rate": ("code rate\nx 1024", "{:.5g}"),
    "threshold_db": ("from SNR\ndB", "{:.2f}"),
    "rate_bps": ("rate\nMb/s", "{:.6g}"),
    "beta": ("beta", "{:.2f}"),
}
"""Heading and format of each column of a table of rates."""

SCALES = {"code_rate": 1024, "rate_bps": 1e-6}


def rates_table(rates: Columns) -> TextTable:
    """The rates of the whole carrier, and the SNR from which each may be used."""
    table = tables.plain_table(title="Rates", title_justify="left", title_style="bold")
    for name in rates:
        table.add_column(RATE_COLUMNS[name][0], justify="right", no_wrap=True)
    columns = [(column * SCALES.get(name, 1), RATE_COLUMNS[name][1]) for name, column in rates.items()]
    for row in range(len(rates["mcs"])):
        table.add_row(*(form.format(column[row].item()) for column, form in columns))
    return table


def mean_snr_line(channel: Channel) -> str | None:
    """The mean SNR at some distances, before the ceiling; None where users have none."""
    distances_m: tuple[float, ...]
    match channel.placement:
        case Disc(radius_m=outer, inner_radius_m=inner):
            distances_m = (inner, outer / 2, outer) if 0 < inner < outer / 2 else (outer / 2, outer)
        case Distances(distances_m=given):
            distances_m = (min(given), max(given))
        case _:
            return None
    told = (f"{round(channel.mean_snr_db(each), 1) + 0.0:.1f} dB at {each:g} m" for each in distances_m)
    return f"mean SNR  {', '.join(told)}"


def trace_line(trace: TraceFacts) -> str:
    """Rows, length and values of a trace file, and how its values were understood."""
    values = f"{trace.lowest:g} to {trace.highest:g} {trace.unit}"
    rows = f"{trace.rows} rows" + (f" of {trace.columns} subchannels" if trace.columns > 1 else "")
    return f"trace   {trace.file}: {rows}, {trace.length_s:g} s, {values}"


def tcp_lines(scenario: Scenario) -> list[str]:
    """Each TCP of a scenario and how much it may have in flight, beside the limit of the queue that it fills."""
    queue = scenario.bottleneck if scenario.bottleneck is not None else scenario.queue
    told: dict[str, None] = {}
    for flow in scenario.flows:
        if not flow.has_tcp():
            continue
        tcp, window = flow.tcp, flow.tcp.receiver_window_bytes
        packets = int(window // tcp.mss_bytes)
        line = f"tcp     {tcp.congestion_control}, profile {tcp.profile}: at most {packets} packets in flight"
        if queue is not None and packets < queue.limit_packets < math.inf:
            fewer = f"fewer than the queue's limit of {queue.limit_packets:g}"
            line += f",\n        {fewer} (receiver_window_bytes = {window:g})"
        told[line] = None
    return list(told)


def print_resources(needed: Resources, out: Console) -> None:
    """Rows and memory of each series, memory and time of the run."""
    if needed.series:
        table = tables.plain_table(title="Recorded, each replica", title_justify="left", title_style="bold")
        table.add_column("series")
        for name in ("rows", "MB"):
            table.add_column(name, justify="right")
        for kind, size in needed.series.items():
            table.add_row(kind, f"{size.rows}", f"{size.size_bytes / 1e6:.1f}")
        out.print(table)
    left = "" if needed.left_bytes is None else f" of {needed.left_bytes / 1e9:.1f} GB that are left"
    out.print(f"memory  {needed.memory_bytes / 1e9:.2f} GB{left}" + ("" if needed.fits else ": too much"))
    threads = f"{needed.threads} thread" + ("" if needed.threads == 1 else "s")
    out.print(f"time    {needed.time_s:.1f} s on {threads}")


def resources_content(needed: Resources) -> dict[str, Any]:
    """What a run will take, as JSON."""
    return {**asdict(needed), "fits": needed.fits}
