"""What a run over a wire settled to: queue, wait and rates, in either half of the time that is measured.

Left out: which runs, and what is asked of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airlink.campaign import CampaignResult, Replica
from airlink.report import Bounds, Claim, Illustration, Sheet, Statement
from airlink.result import Table
from airlink.statistics import Estimate, mean_interval
from airlink.study import PartResult
from airlink_studies.clamp.halves import Halves
from airlink_studies.clamp.trajectories import Floats, queue_samples, queue_trajectory, since


@dataclass(frozen=True)
class SteadyState:
    """One setting: arrays [seed] unless said otherwise, of the time after its warm-up.

    Attributes
    ----------
    sampled_bytes, first_bytes, second_bytes : the queue as the access point samples it, and in either half.
    queue_bytes : mean over time.
    wait_ms : mean of packets, from arrival until the last bit is sent.
    unequal : largest distance of a flow's rate from the mean of the rates, relative.
    rates_bps : array [seed, flow], what arrived.
    """

    sampled_bytes: Floats
    first_bytes: Floats
    second_bytes: Floats
    queue_bytes: Floats
    wait_ms: Floats
    unequal: Floats
    rates_bps: Floats

    @property
    def halves(self) -> Halves:
        """Of the sampled queue."""
        return Halves(self.first_bytes, self.second_bytes)


def steady_states(result: CampaignResult) -> dict[str, SteadyState]:
    """Of every setting of a campaign that recorded `queue`."""
    return {label: steady_state(result, label) for label in result.plan.scenarios}


def steady_state(result: CampaignResult, label: str) -> SteadyState:
    """Of a campaign that recorded `queue`."""
    scenario = result.plan.scenarios[label]
    replicas = result.result(label).replicas
    rows = np.array([_measured(replica, scenario.warmup_s, scenario.duration_s) for replica in replicas])
    rates = 8 * result.flows(label, "goodput_bytes") / (scenario.duration_s - scenario.warmup_s)
    return SteadyState(*[*rows.T, rates])


def _measured(replica: Replica, from_s: float, to_s: float) -> tuple[float, ...]:
    queue = since(Table(replica.series["queue"]), from_s)
    samples, middle_s = queue_samples(queue), (from_s + to_s) / 2
    got = replica.flows["goodput_bytes"].astype(float)
    waits, packets = replica.users["queueing_delay_mean_s"], replica.users["queueing_delay_count"]
    return (
        samples.mean(from_s, to_s),
        samples.mean(from_s, middle_s),
        samples.mean(middle_s, to_s),
        queue_trajectory(queue).mean(from_s, to_s),
        1e3 * float(np.average(waits, weights=packets)),
        float(np.max(np.abs(got / got.mean() - 1))),
    )


def largest(found: Mapping[str, SteadyState], of: Callable[[str, SteadyState], Floats]) -> Estimate:
    """The largest mean over settings, with its interval over seeds."""
    return max((mean_interval(of(name, each)) for name, each in found.items()), key=lambda each: each.mean)


def largest_inequality(found: Mapping[str, SteadyState]) -> Estimate:
    """The largest distance of a rate from the mean of the rates, over settings."""
    return largest(found, lambda _, each: each.unequal)


def claims_of(number: int, rows: Iterable[tuple[str, str, Estimate, Bounds]], profile: str) -> list[Claim]:
    """The claims of a question beyond the paper: rows of letter, words, what was measured and what it must be."""
    return [
        Statement(f"004-{number}{letter}", words).against(value, bounds, profile)
        for letter, words, value, bounds in rows
    ]


@dataclass(frozen=True)
class Answer:
    """The answer to a question over a wire.

    Attributes
    ----------
    name : of the table for machines.
    heading : of the table of halves.
    claims, picture, sheet, headline : of the settings.
    """

    name: str
    heading: str
    claims: Sequence[Claim]
    picture: Illustration
    sheet: Sheet
    headline: str


def part_result(found: Mapping[str, SteadyState], answer: Answer, paragraphs: Sequence[str] = ()) -> PartResult:
    """What a part has of its settings: the claims, the picture, the sheet and that of the halves, and the table."""
    sheets = [answer.sheet, halves_sheet(f"{answer.heading}: halves", found)]
    return PartResult(
        claims=answer.claims,
        paragraphs=paragraphs,
        items=[answer.picture, *sheets],
        printed=sheets,
        sentences=(answer.headline,),
        tables={answer.name: table(found)},
    )


def halves_sheet(title: str, found: Mapping[str, SteadyState]) -> Sheet:
    """Settings whose halves differ by 1 % and beyond their intervals; all the others are counted."""
    apart = {name: each.halves for name, each in found.items() if not each.halves.agree}
    rows = [(name, *each.cells(0)) for name, each in apart.items()]
    rows.append((f"all others, {len(found) - len(apart)}", "", "", "", "yes"))
    note = "Sampled queue, bytes, in either half of what is measured; agree: intervals overlap, or less than 1 % apart."
    return Sheet(title, ("setting", "first", "second", "apart", "agree"), rows, note)


def table(found: Mapping[str, SteadyState]) -> Table:
    """For machines: a row a setting and seed."""
    rows = [(name, place) for name, each in found.items() for place in range(each.wait_ms.size)]
    columns: dict[str, list[object]] = {
        "setting": [name for name, _ in rows],
        "trial": [place for _, place in rows],
    }
    for field in ("sampled_bytes", "first_bytes", "second_bytes", "queue_bytes", "wait_ms", "unequal"):
        columns[field] = [float(getattr(found[name], field)[place]) for name, place in rows]
    return Table({key: np.array(values) for key, values in columns.items()})
