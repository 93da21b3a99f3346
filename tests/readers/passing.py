"""What passes at the server or at the user, told by airlink's own series: what a capture there must hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airlink import Result, Table
from airlink.result.selection import group_of

FIRST_PORT = 50_000
"""The user's end of flow 0."""

DELIVERED = 0
LOST = {1: "queue_full", 2: "air_error", 3: "retry_limit", 5: "wire_loss", 6: "outage", 7: "aqm"}
"""How comments call what `fate` numbers."""


@dataclass(frozen=True)
class Passing:
    """A packet of one connection as it passes.

    Attributes
    ----------
    time_ns : since the start of the run.
    down : from the server to the user.
    start, length : of the payload in the stream, bytes; start -1 for a SYN.
    number : next byte expected; of the way up.
    window_bytes : advertised, of the way up.
    """

    time_ns: int
    down: bool
    start: int
    length: int
    number: int
    window_bytes: int


def sent(result: Result, flow: int = 0) -> list[Passing]:
    """Data as the server sends them."""
    packets = of_flow(result.series("packets"), flow)
    return _data(result, packets, np.arange(packets.rows), "sent_s", flow)


def arrived(result: Result, flow: int = 0) -> list[Passing]:
    """Data as they reach the user; of packets that a wire doubled only the first copy."""
    packets = of_flow(result.series("packets"), flow)
    done = np.flatnonzero(packets["fate"] == DELIVERED)
    # Packets that one slot completes arrive together, in the order in which they stood in the queue.
    order = np.lexsort((packets["transmission"][done], packets["queued_s"][done], packets["ended_s"][done]))
    return _data(result, packets, done[order], "ended_s", flow)


def acknowledged(result: Result, flow: int = 0) -> list[Passing]:
    """ACKs as they reach the server, without their SACK blocks; the answer to a SYN is left out."""
    acks = of_flow(result.series("acks"), flow)
    first = int(group_of(result.scenario, result.replicas[0], flow).tcp.handshake)
    return [
        Passing(nanoseconds(acks["time_s"][row]), False, 0, 0, int(acks["number"][row]), int(acks["window_bytes"][row]))
        for row in range(first, acks.rows)
    ]


def blocks(result: Result, flow: int = 0) -> list[tuple[int, int, int]]:
    """Every SACK block as it reaches the server: time, ns, and the stretch of the stream."""
    sacks = of_flow(result.series("sacks"), flow)
    return [
        (nanoseconds(time), int(start), int(end))
        for time, start, end in zip(sacks["time_s"], sacks["start"], sacks["end"], strict=True)
    ]


def lost(result: Result, flow: int = 0) -> list[tuple[int, int, str]]:
    """Every packet that was lost: time, ns, number, reason."""
    packets = of_flow(result.series("packets"), flow)
    return [
        (nanoseconds(at), int(number), LOST[int(fate)])
        for at, number, fate in zip(packets["ended_s"], packets["transmission"], packets["fate"], strict=True)
        if int(fate) in LOST
    ]


def queued(result: Result, flow: int = 0) -> dict[int, int]:
    """When a packet entered the queue, ns, by its number."""
    packets = of_flow(result.series("packets"), flow)
    entered = zip(packets["transmission"], packets["queued_s"], strict=True)
    return {int(number): nanoseconds(at) for number, at in entered if not np.isnan(at)}


def queue_lengths(result: Result) -> set[tuple[int, int, int]]:
    """Every length that a queue had: time, ns, packets, bytes."""
    queue = result.series("queue")
    rows = zip(queue["time_s"], queue["packets"], queue["bytes"], strict=True)
    return {(nanoseconds(at), int(packets), int(size)) for at, packets, size in rows}


def carried(result: Result, flow: int = 0) -> dict[int, tuple[int, int, int]]:
    """How packets came over the air, by their number: last slot, attempts, ns from the queue to the user."""
    scenario = result.scenario
    assert scenario.slot is not None
    slot_ns = round(float(scenario.slot.duration_ms) * 1e6)
    packets = of_flow(result.series("packets"), flow)
    done = np.flatnonzero(packets["fate"] == DELIVERED)
    return {
        int(packets["transmission"][row]): (
            nanoseconds(packets["ended_s"][row]) // slot_ns - 1,
            int(packets["attempts"][row]),
            nanoseconds(packets["ended_s"][row]) - nanoseconds(packets["queued_s"][row]),
        )
        for row in done
    }


def woven(ways: Sequence[bool], down: Sequence[Passing], up: Sequence[Passing]) -> list[Passing]:
    """Both ways in one order; `ways` says which comes next, where times alone do not."""
    sources = {True: iter(down), False: iter(up)}
    return [next(sources[way]) for way in ways]


def of_flow(series: Table, flow: int) -> Table:
    """The rows of one flow."""
    own = series["flow"] == flow
    return Table({name: values[own] for name, values in series.items()})


def nanoseconds(seconds: float) -> int:
    """The nanosecond that a column's number stands for."""
    return round(float(seconds) * 1e9)


def _data(result: Result, packets: Table, rows: NDArray[np.intp], when: str, flow: int) -> list[Passing]:
    """Packets with payload; the SYN of a handshake has none."""
    header = group_of(result.scenario, result.replicas[0], flow).tcp.header_bytes
    made = (
        Passing(
            nanoseconds(packets[when][row]),
            True,
            int(packets["sequence"][row]),
            int(packets["bytes"][row]) - header,
            0,
            0,
        )
        for row in rows
    )
    return [packet for packet in made if packet.length > 0]
