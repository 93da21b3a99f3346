"""The columns of `users` and `cell`, each by its definition in docs/results.md, from a run of the reference.

Leaves out: percentiles (they come from bins in the engine) and the warm-up.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from itertools import pairwise

from reference.clock import SECOND
from reference.packet import AIR_ERROR, DELIVERED, QUEUE_FULL, RETRY_LIMIT, WAITING, Packet
from reference.run import Run

Numbers = Sequence[float]
Columns = dict[str, float]


def user_columns(run: Run, user: int) -> Columns:
    """One row of the table of users."""
    slots = [(slot, run.errors[number]) for number, slot in enumerate(run.slots) if slot.winner == user]
    packets = [packet for flow in run.flows if flow.user == user for packet in flow.packets]
    slot_s = float(run.length) / SECOND
    columns: Columns = {
        "slots_won": len(slots),
        "slots_wasted": sum(slot.sent_bytes == 0 for slot, _ in slots),
        "slots_padded": sum(slot.sent_bytes > 0 and slot.padded for slot, _ in slots),
        "frames_sent": sum(slot.sent_bytes > 0 for slot, _ in slots),
        "frame_errors": sum(error for slot, error in slots if slot.sent_bytes),
        "granted_bytes": sum(slot.rate * slot_s / 8 for slot, _ in slots),
        "sent_bytes": sum(slot.sent_bytes for slot, _ in slots),
        "goodput_bytes": sum(size for flow in run.flows if flow.user == user for _, size in flow.received),
    }
    columns |= fates(packets)
    columns |= moments("queueing_delay", "s", [waited(packet) for packet in packets if packet.fate == DELIVERED])
    columns |= moments("hol_delay", "s", [served(packet) for packet in packets if packet.fate == DELIVERED])
    return columns | gaps(run, user)


def fates(packets: Sequence[Packet]) -> Columns:
    """What became of the packets that reached the base station."""
    came = [packet for packet in packets if packet.fate != WAITING or packet.queued is not None]
    columns: Columns = {"packets_in": len(came), "bytes_in": sum(packet.size for packet in came)}
    named = {
        DELIVERED: ("packets_delivered", "delivered_bytes"),
        QUEUE_FULL: ("drops_queue_full", "drops_queue_full_bytes"),
        AIR_ERROR: ("drops_air_error", "drops_air_error_bytes"),
        RETRY_LIMIT: ("drops_retry_limit", "drops_retry_limit_bytes"),
        WAITING: ("packets_waiting", "bytes_waiting"),
    }
    for fate, (packets_name, bytes_name) in named.items():
        columns[packets_name] = sum(packet.fate == fate for packet in came)
        columns[bytes_name] = sum(packet.size for packet in came if packet.fate == fate)
    return columns


def waited(packet: Packet) -> float:
    assert packet.ended is not None
    assert packet.queued is not None
    return (packet.ended - packet.queued) / SECOND


def served(packet: Packet) -> float:
    """How long a packet was the next to leave: since the one before it left, or since it came if that was later."""
    assert packet.ended is not None
    return (packet.ended - packet.first_since) / SECOND


def gaps(run: Run, user: int) -> Columns:
    """Statistics of the slots from one slot won to the next."""
    won = [number for number, slot in enumerate(run.slots) if slot.winner == user]
    between = [float(later - earlier) for earlier, later in pairwise(won)]
    columns = moments("gap", "slots", between)
    columns.pop("gap_min_slots")
    if between:
        mean = statistics.fmean(between)
        columns["gap_square_mean_slots2"] = statistics.fmean([gap * gap for gap in between])
        for times in (2, 4, 10):
            columns[f"gap_share_over_{times}x"] = sum(gap > times * mean for gap in between) / len(between)
    return columns


def moments(name: str, unit: str, samples: Numbers) -> Columns:
    return {
        f"{name}_count": len(samples),
        f"{name}_mean_{unit}": statistics.fmean(samples) if samples else math.nan,
        f"{name}_sd_{unit}": statistics.stdev(samples) if len(samples) > 1 else math.nan,
        f"{name}_min_{unit}": min(samples, default=math.nan),
        f"{name}_max_{unit}": max(samples, default=math.nan),
    }


def cell_columns(run: Run) -> Columns:
    """The row of the cell."""
    users = [user_columns(run, user) for user in range(run.scenario.users)]
    measured_s = run.scenario.duration_s
    goodput = [row["goodput_bytes"] for row in users]
    won = [row["slots_won"] for row in users]
    columns: Columns = {
        "slots": run.slot_count,
        "measured_s": measured_s,
        "slots_idle": sum(slot.winner < 0 for slot in run.slots),
        "jain_index": sum(goodput) ** 2 / (len(goodput) * sum(x * x for x in goodput)),
        "mean_log10_goodput_kBps": statistics.fmean(
            [math.log10(x / measured_s / 1000) if x else -math.inf for x in goodput]
        ),
        "min_max_resource_share": min(won) / max(won),
    }
    for name in ("granted", "sent", "delivered", "goodput"):
        columns[f"{name}_bps"] = sum(8 * row[f"{name}_bytes"] for row in users) / measured_s
    for name in ("slots_wasted", "slots_padded", "frame_errors", "drops_queue_full", "drops_air_error"):
        columns[name] = sum(row[name] for row in users)
    packets = [packet for flow in run.flows for packet in flow.packets]
    delays = [waited(packet) for packet in packets if packet.fate == DELIVERED]
    return columns | moments("queueing_delay", "s", delays)
