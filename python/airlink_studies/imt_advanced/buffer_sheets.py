"""Table III, and what of the band carried nothing. Left out: verdicts (buffer_claims.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airlink.report import Sheet
from airlink_studies.imt_advanced.setting import BUFFERS, MAX_RATE, PAPER_CWND, PAPER_RTT_MS, PAPER_TCP_MBPS, SCHEDULERS
from airlink_studies.imt_advanced.table_cells import over_trials

if TYPE_CHECKING:
    from airlink_studies.imt_advanced.buffers import Buffers


def round_trips(found: Buffers) -> Sheet:
    """Table III beside ours."""
    note = (
        f"User 1, {found.trials} trials. cwnd: mean over time, packets; TCP: cwnd / RTT, Mb/s; got: what arrived, "
        "Mb/s. The paper has MaxCIR alone; its windows are inferred from the other two lines."
    )
    columns = ("packets", "RTT (ms)", "paper", "TCP", "paper", "cwnd", "paper", "got")
    rows = [_of_user_1(found, scheduler, buffer) for scheduler in SCHEDULERS for buffer in BUFFERS]
    return Sheet("Table III: round trips and TCP bandwidth", columns, rows, note)


def _of_user_1(found: Buffers, scheduler: str, buffer: int) -> tuple[str, ...]:
    outcome, windows = found.at(scheduler, buffer), found.windows[scheduler, buffer]

    def paper(values: dict[int, float]) -> str:
        return f"{values[buffer]:g}" if scheduler == MAX_RATE else ""

    return (
        f"{scheduler}, {buffer}",
        over_trials(outcome.rtt_ms[:, 0], 1),
        paper(PAPER_RTT_MS),
        over_trials(windows.mbps(outcome), 0),
        paper(PAPER_TCP_MBPS),
        over_trials(windows.packets, 0),
        paper(PAPER_CWND),
        over_trials(outcome.throughput_mbps[:, 0], 0),
    )


def usage(found: Buffers) -> Sheet:
    """[002-8]."""
    rows = []
    for (scheduler, buffer), outcome in found.outcomes.items():
        shares = (outcome.unused, outcome.empty_without_data, outcome.empty_otherwise, outcome.padded)
        rows.append((f"{scheduler}, {buffer}", *(over_trials(100 * share, 2) for share in shares)))
    note = (
        "% of subchannels and TTIs. no data: nobody had any; ran dry: who had data had been granted enough for it, or "
        "had no rate; padded: granted, weighted by bits, and not filled."
    )
    return Sheet("What of the band carried nothing", ("packets", "unused", "no data", "ran dry", "padded"), rows, note)
