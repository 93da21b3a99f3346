"""How much of New Reno's unfairness at the low rate is one buffer's: sizes that differ by fractions of a packet.

A drop-tail buffer of a few packets refuses a flow whose packets come when it is full. With packets of one size and
slots that carry parts of them, which flow that is turns on what the limit leaves beside whole packets. Left out: CLAMP,
whose buffer is never full.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from airlink.campaign import CampaignResult, Plan
from airlink.plots import style
from airlink.plots.sweep import banded
from airlink.report import Illustration, Sheet, plus_minus
from airlink.result import Table
from airlink.statistics import Estimate, mean_interval, paired_ratio
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.clamp import fading_cell
from airlink_studies.clamp.delay_claims import FOURTH, THIRD
from airlink_studies.clamp.fading_cell import FAST, NEW_RENO

COUNTS = ("held", "unsent")
"""What the limit counts; the paper does not say."""
PACKET_BYTES = 1500
STEP_BYTES = 250
"""A sixth of a packet (chosen)."""
LEAST_BYTES, MOST_BYTES = 3000, 9000
"""Mean queueing delays around the 100 ms at which Fig. 10 is judged (chosen)."""
SHOWN_RATIO = 30.0
"""Up to which ratios are drawn; intervals of ratios to next to nothing reach further."""
SEEDS = 4
RUN_S, DROPPED_S = 1200.0, 600.0


def _buffers(request: Request) -> tuple[int, ...]:
    return tuple(range(LEAST_BYTES, MOST_BYTES + 1, STEP_BYTES * (8 if request.quick else 1)))


def _label(counts: str, buffer_bytes: int) -> str:
    return f"{counts}, {buffer_bytes} bytes"


def _plans(request: Request) -> Mapping[str, Plan]:
    length = {"duration_s": 90.0, "warmup_s": 30.0} if request.quick else {"duration_s": RUN_S, "warmup_s": DROPPED_S}
    changes = {**fading_cell.LOW_RATE, **length}
    cells = {
        _label(counts, size): fading_cell.cell(NEW_RENO, FAST, size, **{**changes, "queue.limit_counts": counts})
        for counts in COUNTS
        for size in _buffers(request)
    }
    return {"lock-out": Plan(cells, fading_cell.some_seeds(request, SEEDS))}


def _show(results: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    result, sizes = results["lock-out"], _buffers(runner.request)
    sheet = _sheet(result, sizes)
    return PartResult(
        items=[_figure(result, sizes), sheet],
        printed=[sheet],
        sentences=[_sentence(result, sizes)],
        depends=[_sentence(result, sizes)],
        tables={"lock-out": _table(result, sizes)},
    )


def ratio(result: CampaignResult, counts: str, buffer_bytes: int) -> Estimate:
    """Rate of the 10 ms flow over the 180 ms flow's: the ratio of their means over seeds."""
    goodput = result.flows(_label(counts, buffer_bytes), "goodput_bytes")
    return paired_ratio(goodput[:, THIRD], goodput[:, FOURTH])


def delay_ms(result: CampaignResult, counts: str, buffer_bytes: int) -> Estimate:
    """Mean queueing delay, mean over the three queues."""
    return mean_interval(1e3 * result.users(_label(counts, buffer_bytes), "queueing_delay_mean_s").mean(axis=1))


def _range(result: CampaignResult, counts: str, sizes: tuple[int, ...]) -> tuple[float, float]:
    """The least and the largest mean ratio."""
    means = [ratio(result, counts, size).mean for size in sizes]
    return min(means), max(means)


def _sentence(result: CampaignResult, sizes: tuple[int, ...]) -> str:
    ranges = {counts: _range(result, counts, sizes) for counts in COUNTS}
    told = "; ".join(
        f"{low:.1f} to {high:.1f} where the limit counts what is {how}" for how, (low, high) in ranges.items()
    )
    return (
        f"The buffer: at the low rate and 10 m/s the 10 ms flow has, over buffers of {sizes[0] / PACKET_BYTES:g} to "
        f"{sizes[-1] / PACKET_BYTES:g} packets in steps of a sixth, this many times what the 180 ms flow has: {told}."
    )


def _figure(result: CampaignResult, sizes: tuple[int, ...]) -> Illustration:
    figure, (shares, delays) = style.blank(2, 4.2)
    packets = [size / PACKET_BYTES for size in sizes]
    for index, counts in enumerate(COUNTS):
        banded(shares, packets, [ratio(result, counts, size) for size in sizes], index, counts)
        banded(delays, packets, [delay_ms(result, counts, size) for size in sizes], index, counts)
    shares.set_ylim(0, SHOWN_RATIO)
    style.label(shares, "", "rate, 10 over 180 ms")
    style.label(delays, "buffer (packets)", "mean queueing delay (ms)")
    style.legend(shares, loc="best")
    caption = (
        "New Reno at the low rate, 10 m/s: how many times as much the 10 ms flow gets as the 180 ms flow beside it, "
        "and the mean queueing delay, over the size of the buffer. What the limit counts: every packet that is there "
        f"(held), or what was never sent. {len(result.plan.seeds)} seeds, bands: 95 %."
    )
    return Illustration("lockout-shares", caption, figure, "Ratio of rates and queueing delay over the buffer's size.")


def _sheet(result: CampaignResult, sizes: tuple[int, ...]) -> Sheet:
    rows = [
        (
            f"{size / PACKET_BYTES:.2f}",
            *(plus_minus(of(result, counts, size), 1) for counts in COUNTS for of in (delay_ms, ratio)),
        )
        for size in sizes
    ]
    columns = ("packets", "held: delay", "10/180", "unsent: delay", "10/180")
    note = "delay: mean over queues, ms; 10/180: rate of the 10 ms flow over the 180 ms flow's"
    return Sheet("New Reno at the low rate: sizes of the buffer", columns, rows, note)


def _table(result: CampaignResult, sizes: tuple[int, ...]) -> Table:
    keys = [(counts, size) for counts in COUNTS for size in sizes]
    seeds = result.plan.seeds
    return Table(
        {
            "counts": [counts for counts, _ in keys for _ in seeds],
            "buffer_bytes": [size for _, size in keys for _ in seeds],
            "seed": [seed for _ in keys for seed in seeds],
            **{
                f"goodput_{name}_bytes": np.concatenate(
                    [result.flows(_label(*key), "goodput_bytes")[:, flow] for key in keys]
                )
                for name, flow in (("10_ms", THIRD), ("180_ms", FOURTH))
            },
        }
    )


PART = Part("lock-out", "The low rate: one buffer's lock-out", ("lockout",), _plans, _show, in_quick=False)
