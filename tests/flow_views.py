"""A flow's view made up by a few rules, of any size: what the page is tested with where no engine need run."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from airlink.plots.flow import FlowView
from airlink.result import Table

MSS = 1460
ROUND_TRIP_S = 0.06
SLOT_S = 1 / 600
FATES = (1, 2, 3, 5, 6, 7)


def flow_view(seconds: float = 6.0, rate_bps: float = 2e6, loss: float = 0.01, seed: int = 1) -> FlowView:
    """A flow that sends at a rate with jitter, loses segments in every way there is, and sends them again."""
    draw = np.random.default_rng(seed)
    segments = _segments(seconds, int(seconds * rate_bps / 8 / MSS), loss, draw)
    acks, sacks = (table.where(table["time_s"] < seconds) for table in _acks(segments))
    lost = segments.where(segments["fate"] != 0)
    queue = _queue(segments, draw)
    window = _window(acks, draw)
    return FlowView(
        scenario="made-up", replica=0, seed=seed, version="0", user=3, flow=3, start_s=0.0, stop_s=seconds,
        mss_bytes=MSS, segments=segments, acks=acks, sacks=sacks, slots=_slots(seconds, draw), snr=_snr(seconds),
        queue=queue, drops=Table({"time_s": lost["ended_s"], "start": lost["start"], "fate": lost["fate"]}),
        window=window, rtt=_round_trips(acks, draw), rto=_timeouts(acks),
        events=_events(lost, seconds), limits=_limits(seconds, draw),
    )  # fmt: skip


def _segments(seconds: float, count: int, loss: float, draw: np.random.Generator) -> Table:
    sent = np.sort(draw.uniform(0, seconds, count))
    start = np.arange(count) * MSS
    lost = draw.random(count) < loss
    fate = np.where(lost, np.array(FATES)[np.cumsum(lost) % len(FATES)], 0)
    again = np.flatnonzero(lost)
    sent = np.concatenate([sent, sent[again] + 1.4 * ROUND_TRIP_S])
    fate = np.concatenate([fate, np.zeros(again.size, dtype=int)])
    start = np.concatenate([start, start[again]])
    retransmission = np.concatenate([np.zeros(count, dtype=int), np.ones(again.size, dtype=int)])
    ended = sent + ROUND_TRIP_S / 2 + draw.uniform(0, 5e-4, sent.size)
    order = np.argsort(sent, kind="stable")
    columns = {
        "sent_s": sent, "ended_s": ended, "start": start, "end": start + MSS, "retransmission": retransmission,
        "out_of_order": retransmission, "fate": fate, "ce": np.zeros(sent.size, dtype=int),
    }  # fmt: skip
    table = Table({name: values[order] for name, values in columns.items()})
    return table.where(table["sent_s"] < seconds)


def _acks(segments: Table) -> tuple[Table, Table]:
    arrived = segments.where(segments["fate"] == 0)
    order = np.argsort(arrived["ended_s"], kind="stable")
    rows: list[tuple[float, int, int, int, int]] = []
    blocks: list[tuple[float, int, int, int]] = []
    held: set[int] = set()
    expected, repeated = 0, 0
    for time, start in zip(arrived["ended_s"][order].tolist(), arrived["start"][order].tolist(), strict=True):
        held.add(start)
        before = expected
        while expected in held:
            held.remove(expected)
            expected += MSS
        repeated = repeated + 1 if expected == before else 0
        at = time + ROUND_TRIP_S / 2
        rows.append((at, expected, expected + 64 * MSS, int(repeated > 0), int(repeated == 3)))
        if repeated:
            blocks.append((at, start, start + MSS, 0))
    names = ("time_s", "number", "window_end", "duplicate", "third")
    acks = _table(names, sorted(rows))
    unmarked = Table({**acks, "ece": np.zeros(acks.rows, dtype=int)})
    return unmarked, _table(("time_s", "start", "end", "duplicate"), sorted(blocks))


def _table(
    names: tuple[str, ...], rows: list[tuple[float, int, int, int, int]] | list[tuple[float, int, int, int]]
) -> Table:
    columns = np.array(rows, dtype=float).reshape(-1, len(names)).T
    return Table(dict(zip(names, columns, strict=True)))


def _queue(segments: Table, draw: np.random.Generator) -> Table:
    times = np.sort(np.concatenate([segments["sent_s"] + 0.01, segments["ended_s"]]))
    packets = np.abs(np.cumsum(draw.choice([-1, 1], times.size))) % 40
    return Table({"time_s": times, "packets": packets, "bytes": packets * 1500})


def _window(acks: Table, draw: np.random.Generator) -> Table:
    cwnd = (10 + (np.arange(acks.rows) % 900) / 20) * MSS
    ssthresh = np.where(np.arange(acks.rows) < acks.rows // 8, np.inf, 20.0 * MSS)
    flight = cwnd * draw.uniform(0.7, 1, acks.rows)
    return Table(
        {"time_s": acks["time_s"], "cwnd_bytes": cwnd, "ssthresh_bytes": ssthresh, "flight_bytes": np.rint(flight)}
    )


def _round_trips(acks: Table, draw: np.random.Generator) -> Table:
    sample = ROUND_TRIP_S + draw.gamma(2, 0.01, acks.rows)
    smooth = np.convolve(sample, np.full(8, 1 / 8), mode="same")
    return Table({"time_s": acks["time_s"], "rtt_s": sample, "srtt_s": smooth})


def _timeouts(acks: Table) -> Table:
    return Table({"time_s": acks["time_s"], "rto_s": np.full(acks.rows, 0.4)})


def _slots(seconds: float, draw: np.random.Generator) -> Table:
    times = np.arange(0, seconds, SLOT_S)
    times = times[draw.random(times.size) < 0.4]
    rate = draw.choice([307e3, 614e3, 921e3, 1228e3, 2457e3], times.size)
    error = (draw.random(times.size) < 0.02).astype(int)
    return Table({"time_s": times, "rate_bps": rate, "sent_bytes": np.rint(rate * SLOT_S / 8), "error": error})


def _snr(seconds: float) -> Table:
    times = np.arange(0, seconds, SLOT_S)
    return Table({"time_s": times, "true_db": 8 + 6 * np.sin(times * 7) + 3 * np.sin(times * 31)})


def _events(lost: Table, seconds: float) -> Table:
    """One event of every kind in turn, after each tenth loss; timeouts spurious or not by turns."""
    lost = lost.where((np.arange(lost.rows) % 10 == 0) & (lost["ended_s"] < seconds * 0.95))
    times = np.concatenate([[0.0], lost["ended_s"] + 0.02, [seconds * 0.999]])
    event = np.concatenate([[1], 2 + np.arange(times.size - 2) % 6, [9]])
    sequence = np.concatenate([[0], lost["start"], [0]])
    spurious = np.where(event == 3, np.arange(event.size) // 6 % 2, -1)
    return Table({"time_s": times, "event": event, "sequence": sequence, "spurious": spurious})


def _limits(seconds: float, draw: np.random.Generator) -> Table:
    edges = np.unique(np.concatenate([[0.0, seconds], draw.uniform(0, seconds, int(40 * seconds))]))
    pairs = np.array(list(pairwise(edges.tolist())))
    return Table({"from_s": pairs[:, 0], "to_s": pairs[:, 1], "cause": draw.integers(0, 8, len(pairs))})
