"""Links of 1 to 100 Mb/s, delays of 10 to 200 ms, one to three flows: where the queue settles, and shares.

How it is known that a run has settled: it waits for the slowest mode of the windows and for ten memories of the
receivers' rates (fixed_links.py), and then both halves of what is measured must have the same mean queue
(`halves.GRAIN`). Left out: unequal delays, which the fluid does not let settle everywhere (fluid.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airlink.campaign import CampaignResult, Plan, Replica
from airlink.report import Bounds, Claim, Sheet, Statement, at_most, certain, exactly
from airlink.result import Table
from airlink.statistics import Estimate, mean_interval
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.clamp import setting, steady_state_figure
from airlink_studies.clamp.fixed_links import FixedLink, batches, fixed_links
from airlink_studies.clamp.halves import GRAIN, Halves
from airlink_studies.clamp.trajectories import Floats, queue_samples, queue_trajectory, since

SEEDS, QUICK_SEEDS = 3, 2
MOST_PACKETS = 30e6
"""Of the runs kept at once, 3.8 GB as measured; the largest link alone has 21 million."""
QUEUE_SHARE, RATE_SHARE = 0.03, 0.02
"""How near queue and rates are to be (given)."""


def plans(request: Request) -> Mapping[str, Plan]:
    """Nothing beforehand: the runs do not fit in memory together, so they are run and measured batch by batch."""
    del request
    return {}


@dataclass(frozen=True)
class Settled:
    """What was found on a link: arrays [seed].

    Attributes
    ----------
    sampled_bytes, first_bytes, second_bytes : the queue as the access point samples it, and in either half.
    queue_bytes : mean over time.
    unequal : largest distance of a flow's rate from the mean of the rates, relative.
    used : share of the link's rate that arrived.
    """

    sampled_bytes: Floats
    first_bytes: Floats
    second_bytes: Floats
    queue_bytes: Floats
    unequal: Floats
    used: Floats

    @property
    def halves(self) -> Halves:
        """Of the sampled queue."""
        return Halves(self.first_bytes, self.second_bytes)


Outcomes = Mapping[FixedLink, Settled]


def show(_: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    """Runs, judges and draws."""
    request = runner.request
    seeds = setting.seeds(request.seed, QUICK_SEEDS if request.quick else SEEDS)
    found = _run(fixed_links(request), seeds, runner)
    sheets = [
        _sheet("Queue as sampled less q*, %", found, _queue_cell, "In brackets: halves apart by more than 1 %."),
        _sheet(
            "Rates: largest distance from their mean, %",
            found,
            lambda link, each: (
                f"{100 * each.unequal.mean():.1f}" if link.judged else f"({100 * each.unequal.mean():.1f})"
            ),
            "In brackets: a window of four packets or fewer, shown, not judged. One flow has nothing to share.",
        ),
        _sheet(
            "Queue over time less q*, bytes",
            found,
            lambda link, each: f"{each.queue_bytes.mean() - link.queue_bytes:.0f}",
            "Below q* by up to a packet of 1500 bytes: each sample has the packet that just came, time has not.",
        ),
    ]
    profile = f"{len(found)} links of constant rate, {len(seeds)} seeds"
    return PartResult(
        claims=_claims(found, profile),
        paragraphs=(_how_it_is_known(found),),
        items=[steady_state_figure.drawn(found), *sheets],
        printed=sheets,
        sentences=(_headline(found),),
        tables={"settled": _table(found, seeds)},
    )


PART = Part("settled", "Links of 1 to 100 Mb/s and 10 to 200 ms: where it settles", ("settled",), plans, show)


def _run(every: Sequence[FixedLink], seeds: Sequence[int], runner: Runner) -> dict[FixedLink, Settled]:
    rows: dict[FixedLink, list[tuple[float, ...]]] = {link: [] for link in every}
    for seed in seeds:
        for batch in batches(every, MOST_PACKETS):
            for link, row in _measured_together(batch, seed, runner):
                rows[link].append(row)
    return {link: Settled(*np.array(each).T) for link, each in rows.items()}


def _measured_together(
    batch: Sequence[FixedLink], seed: int, runner: Runner
) -> list[tuple[FixedLink, tuple[float, ...]]]:
    """A batch, whose series are let go before the next one runs."""
    result = runner.run(Plan({link.label: link.scenario for link in batch}, (seed,), ("queue",)))
    return [(link, measured(result.result(link.label).replicas[0], link)) for link in batch]


def measured(replica: Replica, link: FixedLink) -> tuple[float, ...]:
    """One run, in the order of `Settled`."""
    from_s, to_s = link.measured_from_s, link.end_s
    queue = since(Table(replica.series["queue"]), from_s)
    samples, course = queue_samples(queue), queue_trajectory(queue)
    got = replica.flows["goodput_bytes"].astype(float)
    return (
        samples.mean(from_s, to_s),
        samples.mean(from_s, link.middle_s),
        samples.mean(link.middle_s, to_s),
        course.mean(from_s, to_s),
        float(np.max(np.abs(got / got.mean() - 1))),
        8e-6 * float(got.sum()) / (to_s - from_s) / link.rate_mbps,
    )


def _queue_cell(link: FixedLink, found: Settled) -> str:
    text = f"{100 * (found.sampled_bytes.mean() / link.queue_bytes - 1):+.1f}"
    return text if found.halves.agree else f"({text})"


def _sheet(title: str, found: Outcomes, cell: Callable[[FixedLink, Settled], str], note: str) -> Sheet:
    """A row for each rate and number of flows, a column for each delay."""
    delays = sorted({link.delays_ms[0] for link in found})
    rows = []
    for rate, flows in sorted({(link.rate_mbps, link.flows) for link in found}):
        cells = [FixedLink(rate, (delay,) * flows) for delay in delays]
        rows.append((f"{rate:g} Mb/s, {flows}", *(cell(link, found[link]) for link in cells)))
    return Sheet(title, ("link, flows", *(f"{delay:g} ms" for delay in delays)), rows, note)


def worst(found: Outcomes, of: Callable[[FixedLink, Settled], Floats]) -> tuple[FixedLink, Estimate]:
    """The link with the largest mean, and what it is."""
    estimates = {link: mean_interval(of(link, each)) for link, each in found.items()}
    link = max(estimates, key=lambda each: estimates[each].mean)
    return link, estimates[link]


def off_queue(link: FixedLink, found: Settled) -> Floats:
    """Array [seed]: how far the sampled queue is from q*, relative."""
    return np.abs(found.sampled_bytes / link.queue_bytes - 1)


def _shared(found: Outcomes) -> dict[FixedLink, Settled]:
    """Several flows, each with a window of more than four packets."""
    return {link: each for link, each in found.items() if link.judged and link.flows > 1}


def _claims(found: Outcomes, profile: str) -> list[Claim]:
    queue = worst(found, off_queue)
    rates = worst(_shared(found), lambda _, each: each.unequal)
    below = worst(found, lambda _, each: each.sampled_bytes - each.queue_bytes)
    parted = sum(not each.halves.agree for each in found.values())
    rows: list[tuple[str, str, tuple[FixedLink, Estimate], str | None, Bounds]] = [
        ("1d", "Sampled queue, largest distance from q*", queue, "q* = k tau + a", at_most("share", QUEUE_SHARE)),
        ("1e", "Rates, largest distance from equal, windows above 4 packets", rates, "equal",
         at_most("share", RATE_SHARE)),
        ("1f", "Sampled queue less the queue over time, bytes, largest", below, None,
         at_most("bytes", setting.PACKET_BYTES)),
    ]  # fmt: skip
    judged = [
        Statement(f"004-{name}", f"{words} (at {link.label})", paper).against(estimate, bounds, profile)
        for name, words, (link, estimate), paper, bounds in rows
    ]
    halves = Statement("004-1g", "Links whose halves of what was measured differ by 1 % and beyond their intervals")
    return [*judged, halves.against(certain(float(parted)), exactly("links", 0.0), profile)]


def _how_it_is_known(found: Outcomes) -> str:
    agree = sum(each.halves.agree for each in found.values())
    longest = max(found, key=lambda link: link.measured_from_s)
    return (
        f"A run waits {longest.measured_from_s:.0f} s at most ({longest.label}): windows settle at k tau / (c RTT^2), "
        f"and a rate remembers 1000 packets. Then both halves of what is measured have the same mean queue, within "
        f"their intervals or {100 * GRAIN:g} %, on {agree} of {len(found)} links."
    )


def _headline(found: Outcomes) -> str:
    queue, near = worst(found, off_queue), sum(
        bool(off_queue(link, each).mean() <= QUEUE_SHARE) for link, each in found.items()
    )  # fmt: skip
    shared = _shared(found)
    fair = sum(bool(each.unequal.mean() <= RATE_SHARE) for each in shared.values())
    return (
        f"The queue as sampled is within 3 % of q* on {near} of {len(found)} links (worst: "
        f"{100 * queue[1].mean:.1f} %, {queue[0].label}); rates are equal within 2 % on {fair} of {len(shared)} where "
        f"every window exceeds four packets."
    )


def _table(found: Outcomes, seeds: Sequence[int]) -> Table:
    index = [(link, place) for link in found for place in range(len(seeds))]
    columns: dict[str, list[object]] = {
        "rate_mbps": [link.rate_mbps for link, _ in index],
        "delay_ms": [link.delays_ms[0] for link, _ in index],
        "flows": [link.flows for link, _ in index],
        "q_star_bytes": [link.queue_bytes for link, _ in index],
        "window_packets": [link.window_packets for link, _ in index],
        "measured_from_s": [link.measured_from_s for link, _ in index],
        "end_s": [link.end_s for link, _ in index],
        "seed": [seeds[place] for _, place in index],
    }
    for field in Settled.__dataclass_fields__:
        columns[field] = [float(getattr(found[link], field)[place]) for link, place in index]
    return Table({key: np.array(values) for key, values in columns.items()})
