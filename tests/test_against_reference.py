"""The engine against a second implementation, written from docs/scenario.md: every slot, packet and ACK is the same.

`tests/reference` says what it takes over from the engine (what is random) and what it computes itself (all else).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

import airlink
from reference.clock import SECOND, slot_start_ns
from reference.run import RECORD, Run
from reference.scenarios import scenarios
from reference.summary import cell_columns, user_columns

SEED = 3
# One of three for everybody, all for the CI: each is a whole run of the second implementation.
NAMES = [
    pytest.param(name, marks=pytest.mark.thorough) if place % 3 else name
    for place, name in enumerate(sorted(scenarios()))
]


@dataclass(frozen=True)
class Both:
    """The same scenario and seed, by the reference and by the engine."""

    run: Run
    result: airlink.Result

    def series(self, kind: str, **where: int) -> dict[str, np.ndarray[Any, Any]]:
        """A recorded series, rows that match only."""
        columns = {name: np.asarray(column) for name, column in dict(self.result.series(kind)).items()}
        rows = np.ones(len(next(iter(columns.values()))), dtype=bool)
        for name, value in where.items():
            rows &= columns[name] == value
        return {name: column[rows] for name, column in columns.items()}


@cache
def both(name: str) -> Both:
    result = airlink.run(scenarios()[name], seed=SEED, record=RECORD)
    return Both(Run(scenarios()[name], result).run(), result)


def same(ours: Sequence[float | None], engine: np.ndarray[Any, Any], tolerance: float = 0.0) -> None:
    """Row by row; None stands for NaN."""
    numbers = np.array([math.nan if value is None else value for value in ours], dtype=float)
    assert len(numbers) == len(engine)
    np.testing.assert_allclose(numbers, engine.astype(float), rtol=tolerance, atol=0)


def seconds(moments: Sequence[int | None]) -> list[float | None]:
    return [None if moment is None else moment / SECOND for moment in moments]


@pytest.mark.parametrize("name", NAMES)
def test_every_slot_goes_to_the_same_user_with_the_same_load(name: str) -> None:
    two = both(name)
    slots = two.series("slots")
    same(seconds([slot_start_ns(slot, two.run.length) for slot in range(two.run.slot_count)]), slots["time_s"], 1e-15)
    same([slot.winner for slot in two.run.slots], slots["user"])
    same([slot.rate for slot in two.run.slots], slots["rate_bps"])
    same([slot.sent_bytes for slot in two.run.slots], slots["sent_bytes"])


@pytest.mark.parametrize("name", ["[Andrew08], slowly", "[Andrew08], fast", "old reports and losses by threshold"])
def test_a_slot_is_lost_where_its_own_true_snr_does_not_carry_the_rate_of_its_block(name: str) -> None:
    run = both(name).run
    rate = run.radio.link.rate
    assert rate.kind == "capacity"
    met = set()
    for number, slot in enumerate(run.slots):
        if slot.winner < 0 or not slot.sent_bytes:
            continue
        snr = 10 ** ((run.true_db[number][slot.winner] - rate.gap_db) / 10)
        carries = min(rate.bandwidth_hz * math.log2(1 + snr), rate.max_rate_bps)
        assert abs(carries / slot.rate - 1) < 1e-5 or run.errors[number] == (carries < slot.rate)
        met.add((run.errors[number], number > 0 and slot is run.slots[number - 1]))
    assert met >= ({(0, False), (1, False), (0, True), (1, True)} if "004" in name else {(0, False), (1, False)})


@pytest.mark.parametrize("name", NAMES)
def test_every_packet_takes_the_same_way(name: str) -> None:
    two = both(name)
    for flow in two.run.flows:
        packets = two.series("packets", flow=flow.number)
        packets = {column: values[np.argsort(packets["transmission"])] for column, values in packets.items()}
        same([packet.sequence for packet in flow.packets], packets["sequence"])
        same([packet.size for packet in flow.packets], packets["bytes"])
        same([packet.retransmission for packet in flow.packets], packets["retransmission"])
        same([packet.fate for packet in flow.packets], packets["fate"])
        same(seconds([packet.sent for packet in flow.packets]), packets["sent_s"], 1e-15)
        same(seconds([packet.queued for packet in flow.packets]), packets["queued_s"], 1e-15)
        same(seconds([packet.ended for packet in flow.packets]), packets["ended_s"], 1e-15)


@pytest.mark.parametrize("name", NAMES)
def test_every_ack_moves_the_window_and_the_timer_alike(name: str) -> None:
    two = both(name)
    for flow, sender in zip(two.run.flows, two.run.senders, strict=True):
        if sender is None:
            continue
        acks = two.series("acks", flow=flow.number)
        same(seconds([time for time, _, _ in sender.acks]), acks["time_s"], 1e-15)
        same([number for _, number, _ in sender.acks], acks["number"])
        same([duplicate for _, _, duplicate in sender.acks], acks["duplicate"])
        windows = two.series("cwnd", flow=flow.number)
        same(seconds([row[0] for row in sender.windows]), windows["time_s"], 1e-15)
        same([row[1] for row in sender.windows], windows["cwnd_bytes"], 1e-9)
        same([row[2] for row in sender.windows], windows["ssthresh_bytes"], 1e-9)
        same([row[3] for row in sender.windows], windows["flight_bytes"])
        same(seconds([row[4] for row in sender.windows]), windows["rto_s"], 1e-15)
        same([row[5] for row in sender.windows], windows["event"])


@pytest.mark.parametrize("name", NAMES)
def test_every_queue_is_as_long_after_every_event(name: str) -> None:
    two = both(name)
    for user in range(two.run.scenario.users):
        queue = two.series("queue", user=user)
        engine = dict(zip(queue["time_s"], zip(queue["packets"], queue["bytes"], strict=True), strict=True))
        ours = {time / SECOND: (packets, size) for time, of, packets, size in two.run.occupancy if of == user}
        assert engine == ours


@pytest.mark.parametrize("name", NAMES)
def test_flows_count_alike(name: str) -> None:
    two = both(name)
    for flow, sender in zip(two.run.flows, two.run.senders, strict=True):
        row = {column: np.asarray(values)[flow.number] for column, values in dict(two.result.flows).items()}
        assert row["goodput_bytes"] == sum(size for _, size in flow.received)
        done = math.nan if flow.completed is None else (flow.completed - flow.start) / SECOND
        assert row["completion_s"] == pytest.approx(done, rel=1e-12, nan_ok=True)
        if sender is not None:
            assert {column: row[column] for column in sender.counts} == sender.counts
            assert row["acks_received"] == len(sender.acks)
            assert row["duplicate_acks"] == sum(duplicate for _, _, duplicate in sender.acks)


@pytest.mark.parametrize("name", NAMES)
def test_files_and_pages_are_asked_for_and_complete_alike(name: str) -> None:
    two = both(name)
    downloads = two.series("downloads")
    for flow in two.run.flows:
        own = two.series("downloads", flow=flow.number)
        if flow.pages:
            rows = flow.downloads
        elif flow.size < math.inf and flow.start <= two.run.scenario.duration_s * SECOND:
            rows = [(int(flow.size), flow.start, flow.completed)]
        else:
            rows = []
        same([size for size, _, _ in rows], own["bytes"])
        same(seconds([asked for _, asked, _ in rows]), own["requested_s"], 1e-15)
        same(seconds([done for _, _, done in rows]), own["completed_s"], 1e-15)
    assert list(downloads["requested_s"]) == sorted(downloads["requested_s"])


@pytest.mark.parametrize("name", NAMES)
def test_summaries_follow_from_their_definitions(name: str) -> None:
    two = both(name)
    for user in range(two.run.scenario.users):
        for column, value in user_columns(two.run, user).items():
            engine = float(np.asarray(two.result.users[column])[user])
            assert engine == pytest.approx(value, rel=1e-9, abs=1e-12, nan_ok=True), f"{column} of user {user}"
    for column, value in cell_columns(two.run).items():
        engine = float(np.asarray(two.result.cell[column])[0])
        assert engine == pytest.approx(value, rel=1e-9, nan_ok=True), column


@pytest.mark.thorough
def test_the_scenarios_meet_what_they_are_for() -> None:
    runs = [both(name).run for name in scenarios()]
    counts = [sender.counts for run in runs for sender in run.senders if sender is not None]
    fates = {packet.fate for run in runs for flow in run.flows for packet in flow.packets}
    assert sum(count["timeouts"] for count in counts) > 100
    assert sum(count["fast_retransmits"] for count in counts) > 100
    assert fates == {0, 1, 2, 3, 4}
