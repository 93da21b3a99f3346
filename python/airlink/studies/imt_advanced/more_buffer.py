"""What it takes for a larger buffer to lose more: claim [002-5], with one thing turned at a time.

Each row has MC-PF with 500 and with 1500 packets in the same trials. Left out: two things turned together.
"""

from __future__ import annotations

from collections.abc import Mapping

from airlink.campaign import CampaignResult, Plan
from airlink.report import Sheet
from airlink.report.tables import plus_minus
from airlink.result import Table
from airlink.statistics import Estimate, mean_interval
from airlink.studies.imt_advanced import setting
from airlink.studies.imt_advanced.contrasts import difference, of_users, ratio
from airlink.studies.imt_advanced.measures import Outcome
from airlink.studies.parts import Part, Shown
from airlink.studies.request import Request
from airlink.studies.runner import Runner

TRIALS = 5
BUFFERS = (500, 1500)
SEGMENT_BYTES = 1460
TURNED: Mapping[str, Mapping[str, object]] = {
    "as it is": {},
    "receiver window 1000": {"flows.*.tcp.receiver_window_bytes": 1000 * SEGMENT_BYTES},
    "initial ssthresh 300": {"flows.*.tcp.initial_ssthresh_segments": 300},
    "delayed ACKs": {"flows.*.tcp.delayed_ack.every": 2},
    "SACK pipe, RFC 6675": {"flows.*.tcp.sack_pipe": "scoreboard"},
    "t_a 100": {"scheduler.time_constant_slots": 100.0},
    "t_a 10 000": {"scheduler.time_constant_slots": 10_000.0},
    "half the SNR spread": {"channel.path_loss.exponent": 2.5, "channel.path_loss.reference_snr_db": -5.75},
    "covered compete": {"scheduler.covered_users": "compete"},
    "NACK after 4 TTI": {"link.harq.round_trip_slots": 4},
    "out of order": {"rlc.in_order": False},
}
"""What is turned (all chosen); half the spread is 25 dB a decade of distance, with the median user where it was."""
QUICK = ("as it is", "receiver window 1000")
LOSERS, WINNERS = (3, 4, 5, 8), (1, 7, 10)
"""Users who lose and win by 1500 packets, in the paper."""


def plans(request: Request) -> Mapping[str, Plan]:
    """Every row with both buffers."""
    names = QUICK if request.quick else tuple(TURNED)
    made = {
        _label(name, buffer): setting.cell(buffer=buffer, **{**setting.shortened(request), **TURNED[name]})
        for name in names
        for buffer in BUFFERS
    }
    return {"more-buffer": Plan(made, setting.seeds(request, TRIALS))}


def show(results: Mapping[str, CampaignResult], runner: Runner) -> Shown:
    """Compares; claims of [002-5] are judged with all others of buffers (buffer_claims.py)."""
    names = QUICK if runner.request.quick else tuple(TURNED)
    result = results["more-buffer"]
    pairs = {name: [Outcome.of(result, _label(name, buffer)) for buffer in BUFFERS] for name in names}
    sheet = _sheet(pairs)
    return Shown(items=[sheet], printed=[sheet], sentences=(_sentence(pairs),), tables={"more-buffer": _table(pairs)})


PART = Part("more-buffer", "What claim [002-5] takes", ("more",), plans, show)


def _label(name: str, buffer: int) -> str:
    return f"{name}, {buffer}"


def _loss(outcome: Outcome) -> Estimate:
    return mean_interval(100 * outcome.loss.mean(axis=1))


def _sheet(pairs: Mapping[str, list[Outcome]]) -> Sheet:
    rows = [
        (
            name,
            plus_minus(_loss(given), 2),
            plus_minus(_loss(large), 2),
            plus_minus(ratio(large, given), 2),
            plus_minus(ratio(large, given, LOSERS), 2),
            plus_minus(ratio(large, given, WINNERS, "selection"), 2),
        )
        for name, (given, large) in pairs.items()
    ]
    note = (
        "MC-PF. lost: packets at the buffers, %, mean over users; then 1500 over 500 packets: average throughput, that "
        "of users 3-5 and 8, selection ratio of users 1, 7 and 10. The paper: more lost, lower, lower, higher."
    )
    columns = ("turned", "lost, 500", "lost, 1500", "average", "3-5, 8", "1, 7, 10")
    return Sheet("500 against 1500 packets", columns, rows, note)


def _sentence(pairs: Mapping[str, list[Outcome]]) -> str:
    more = [name for name, (given, large) in pairs.items() if difference(large, given, "loss").low > 0]
    told = ", ".join(more) if more else "no row"
    return (
        f"[002-5] More packets lost with 1500 than with 500 packets of buffer, beyond its 95 % interval: {told} "
        f"(of {len(pairs)} rows)."
    )


def _table(pairs: Mapping[str, list[Outcome]]) -> Table:
    """One row a thing turned, buffer and trial."""
    rows = [
        (name, buffer, trial, loss, throughput)
        for name, both in pairs.items()
        for buffer, outcome in zip(BUFFERS, both, strict=True)
        for trial, (loss, throughput) in enumerate(
            zip(outcome.loss.mean(axis=1), of_users(outcome, "throughput_mbps"), strict=True)
        )
    ]
    names = ("turned", "buffer_packets", "trial", "loss", "mean_mbps")
    return Table({name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)})
