"""What it takes for a larger buffer to lose more: claim [002-5], with one thing turned at a time.

Each row has MC-PF with 500 and with 1500 packets in the same trials. Left out: two things turned together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from airlink.campaign import CampaignResult, Plan
from airlink.report import Sheet
from airlink.result import Table
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.imt_advanced import setting
from airlink_studies.imt_advanced.contrasts import difference, of_users, ratio
from airlink_studies.imt_advanced.measures import Floats, Outcome
from airlink_studies.imt_advanced.table_cells import estimated, over_trials

TRIALS = 4
BUFFERS = (500, 1500)
SEGMENT_BYTES = 1460
NO_SACK: Mapping[str, object] = {"flows.*.tcp.sack": False, "flows.*.tcp.congestion_control": "new_reno"}
TURNED: Mapping[str, Mapping[str, object]] = {
    "as it is": {},
    "window 1000": {"flows.*.tcp.receiver_window_bytes": 1000 * SEGMENT_BYTES},
    "ssthresh 300": {"flows.*.tcp.initial_ssthresh_segments": 300},
    "delayed ACKs": {"flows.*.tcp.delayed_ack.every": 2},
    "RFC 6675 pipe": {"flows.*.tcp.rules.sack_pipe": "scoreboard"},
    "t_a 100": {"scheduler.time_constant_slots": 100.0},
    "t_a 10 000": {"scheduler.time_constant_slots": 10_000.0},
    "half SNR spread": {"channel.path_loss.exponent": 2.5, "channel.path_loss.reference_snr_db": -5.75},
    "covered compete": {"scheduler.release_satisfied_users": False},
    "NACK after 4 TTIs": {"link.harq.round_trip_slots": 4},
    "out of order": {"rlc.in_order": False},
    "held": {"queue.limit_counts": "held"},
    "30 km/h": {"channel.motion.speed_kmh": 30.0},
    "120 km/h": {"channel.motion.speed_kmh": 120.0},
    "no SACK": NO_SACK,
    "no SACK, 120 km/h": {**NO_SACK, "channel.motion.speed_kmh": 120.0},
}
"""What is turned (all chosen; at which speed the paper's buffers were is not said). Half the spread is 25 dB a decade
of distance, with the median user where it was."""
QUICK = ("as it is", "window 1000")
MOVED = 0.05
"""What the paper's "considerably" asks for at least, relative (chosen)."""
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


def show(results: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    """Compares; claims of [002-5] are judged with all others of buffers (buffer_claims.py)."""
    names = QUICK if runner.request.quick else tuple(TURNED)
    result = results["more-buffer"]
    pairs = {name: [Outcome.of(result, _label(name, buffer)) for buffer in BUFFERS] for name in names}
    sheet = _sheet(pairs)
    return PartResult(
        items=[sheet],
        printed=[sheet],
        sentences=(_sentence(pairs),),
        depends=(_sentence(pairs),),
        tables={"more-buffer": _table(pairs)},
    )


PART = Part("more-buffer", "What claim [002-5] takes", ("more",), plans, show)


def _label(name: str, buffer: int) -> str:
    return f"{name}, {buffer}"


def _lost(outcome: Outcome) -> Floats:
    return np.asarray(100 * outcome.loss.mean(axis=1))


def _sheet(pairs: Mapping[str, list[Outcome]]) -> Sheet:
    rows = [
        (
            name,
            over_trials(_lost(given), 1),
            over_trials(_lost(large), 1),
            estimated(ratio(large, given), 2),
            estimated(ratio(large, given, LOSERS), 2),
            estimated(ratio(large, given, WINNERS, "selection"), 2),
        )
        for name, (given, large) in pairs.items()
    ]
    note = (
        "MC-PF. lost: packets at the buffers with 500 and with 1500 packets, %, mean over users; then 1500 over 500 "
        "packets: average throughput, that of users 3-5 and 8, selection ratio of users 1, 7 and 10. The paper: more "
        "lost, lower, lower, higher. held: packets take up room until they have left."
    )
    columns = ("turned", "lost, 500", "1500", "average", "3-5, 8", "1, 7, 10")
    return Sheet("500 against 1500 packets", columns, rows, note)


def _sentence(pairs: Mapping[str, list[Outcome]]) -> str:
    def those(holds: Callable[[Outcome, Outcome], bool]) -> str:
        return ", ".join(name for name, (given, large) in pairs.items() if holds(large, given)) or "no row"

    more = those(lambda large, given: difference(large, given, "loss").low > 0)
    lower = those(lambda large, given: ratio(large, given, LOSERS).high < 1 - MOVED)
    higher = those(lambda large, given: ratio(large, given, WINNERS, "selection").low > 1 + MOVED)
    return (
        f"Losses in a larger buffer [002-5]: with 1500 instead of 500 packets, beyond 95 % intervals, of {len(pairs)} "
        f"rows: more packets lost: "
        f"{more}; throughput of users 3-5 and 8 lower by {100 * MOVED:g} %: {lower}; selection of users 1, 7 and 10 "
        f"higher by {100 * MOVED:g} %: {higher}."
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
