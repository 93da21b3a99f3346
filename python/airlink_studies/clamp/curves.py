"""Throughput against mean queueing delay: a curve for each protocol and speed, by varying a or the buffer.

What is measured of a run is one stretch of time or two halves: a run that ends in the middle, and one of the whole of
which the first half is dropped.
Comparisons at equal delay go along the curves seed by seed, so that an interval over seeds has the spread of the delay
in it as well as that of what is compared. Left out: what is claimed of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, reduce
from typing import Any

import numpy as np

from airlink.campaign import CampaignResult
from airlink.scenario import Scenario
from airlink.statistics import Estimate, mean_interval
from airlink_studies.clamp import fading_cell
from airlink_studies.clamp.halves import Halves
from airlink_studies.clamp.trajectories import Floats

FILE_MBIT = 8.0
"""A file of 1 Mbyte (given)."""
FEWEST = 3
"""Least number of seeds for which an interval is drawn."""
Stretches = Sequence[tuple[float, float]]
"""The measured times, s: one interval, or two equally long ones in sequence."""


@dataclass(frozen=True)
class Window:
    """The measures of an interval of time: arrays [point, seed] or [point, seed, flow or queue].

    Attributes
    ----------
    rates_mbps : by flow: payload that arrived in order, each byte once.
    delays_ms : by queue: from a packet's arrival at the base station to its delivery, mean.
    packets : by queue: how many were delivered.
    serving_ms : by queue: of that delay, the time at the head of the queue.
    timeouts : by flow, in the whole interval.
    margins : by queue: m over the slots won, from the mean of 1 - m in dB.
    """

    rates_mbps: Floats
    delays_ms: Floats
    packets: Floats
    serving_ms: Floats
    timeouts: Floats
    margins: Floats

    def joined(self, other: Window) -> Window:
        """Both intervals joined."""
        both = self.packets + other.packets
        own, its = self.packets / both, other.packets / both
        return Window(
            rates_mbps=(self.rates_mbps + other.rates_mbps) / 2,
            delays_ms=own * self.delays_ms + its * other.delays_ms,
            packets=both,
            serving_ms=own * self.serving_ms + its * other.serving_ms,
            timeouts=self.timeouts + other.timeouts,
            margins=(self.margins + other.margins) / 2,
        )


@dataclass(frozen=True)
class Curve:
    """A protocol at a speed.

    Attributes
    ----------
    knob_bytes : array [point], a or the buffer, rising.
    windows : the measures, in one interval or in both halves.
    measured_s : length of all intervals together.
    """

    knob_bytes: Floats
    windows: Sequence[Window]
    measured_s: float

    @cached_property
    def whole(self) -> Window:
        """The measures of all intervals together."""
        return reduce(Window.joined, self.windows)

    @property
    def delay_ms(self) -> Floats:
        """Array [point, seed]: mean queueing delay, mean over the three queues."""
        return np.asarray(self.whole.delays_ms.mean(axis=2))

    @property
    def rates_mbps(self) -> Floats:
        """Array [point, seed, flow]."""
        return self.whole.rates_mbps

    @property
    def total_mbps(self) -> Floats:
        """Array [point, seed]: of all flows."""
        return np.asarray(self.rates_mbps.sum(axis=2))

    @property
    def timeouts_per_minute(self) -> Floats:
        """Array [point, seed, flow]."""
        return self.whole.timeouts * (60 / self.measured_s)

    @property
    def margins(self) -> Floats:
        """Array [point, seed]: mean over users."""
        return np.asarray(self.whole.margins.mean(axis=2))

    def at(self, delay_ms: float, values: Floats) -> Floats:
        """Values [point, seed] or [point, seed, ...] at a mean queueing delay: array [seed] or [seed, ...]."""
        return along(self.delay_ms, values, delay_ms)

    def rates_at(self, delay_ms: float) -> Floats:
        """Array [seed, flow]."""
        return self.at(delay_ms, self.rates_mbps)

    def total_at(self, delay_ms: float) -> Floats:
        """Array [seed]."""
        return self.at(delay_ms, self.total_mbps)


def fetch_s(rates_mbps: Floats) -> Floats:
    """Time in which a flow gets 1 Mbyte at its rate, mean over flows: array [...] of [..., flow].

    Flows that fetch such files one after another without a pause take so long for each, in the mean.

    >>> fetch_s(np.array([[8.0, 4.0]]))
    array([1.5])
    """
    with np.errstate(divide="ignore"):
        return np.asarray((FILE_MBIT / rates_mbps).mean(axis=-1))


def of_queues(values: Floats) -> Floats:
    """Sums over the flows of each queue: array [..., queue] of [..., flow]."""
    return np.stack([values[..., list(flows)].sum(axis=-1) for flows in fading_cell.QUEUES.values()], axis=-1)


def along(delay_ms: Floats, values: Floats, at_ms: float) -> Floats:
    """Values at a delay, linear between the two points around it, seed by seed; NaN beyond either end.

    Parameters
    ----------
    delay_ms : array [point, seed]; if a curve is not monotonic, the first crossing counts.
    values : array [point, seed] or [point, seed, ...].

    >>> along(np.array([[10.0], [30.0]]), np.array([[1.0], [2.0]]), 20.0)
    array([1.5])
    """
    found = np.full(values.shape[1:], np.nan)
    for seed in range(delay_ms.shape[1]):
        own = delay_ms[:, seed]
        crossed = np.flatnonzero((own[:-1] <= at_ms) & (at_ms <= own[1:]))
        if crossed.size:
            left = int(crossed[0])
            gap = own[left + 1] - own[left]
            share = (at_ms - own[left]) / gap if gap > 0 else 0.0
            found[seed] = (1 - share) * values[left, seed] + share * values[left + 1, seed]
    return found


def knee_ms(delay_ms: Floats, total_mbps: Floats, share: float) -> Floats:
    """Array [seed]: the least delay at which a curve reaches this share of its maximum."""
    found = np.full(delay_ms.shape[1], np.nan)
    for seed in range(found.size):
        own = total_mbps[:, seed] / total_mbps[:, seed].max()
        found[seed] = along(own[:, None], delay_ms[:, seed][:, None], share)[0]
    return found


def pooled(values: Floats) -> list[Estimate]:
    """An estimate for each point of array [point, seed]; without intervals for two seeds, which would fill the page."""
    estimates = [mean_interval(point) for point in values]
    return [each if each.n >= FEWEST else Estimate(each.mean, each.mean, each.mean, each.n) for each in estimates]


def scenarios(
    protocol: str,
    speed: str,
    knobs_bytes: Sequence[float],
    stretches: Stretches,
    changes: Mapping[str, Any] | None = None,
) -> dict[str, Scenario]:
    """Every point of a curve, a run for each interval, by label."""
    return {
        label(protocol, speed, knob, from_s): fading_cell.cell(
            protocol, speed, knob, duration_s=to_s, warmup_s=from_s, **(changes or {})
        )
        for knob in knobs_bytes
        for from_s, to_s in stretches
    }


def label(protocol: str, speed: str, knob_bytes: float, from_s: float) -> str:
    """The label of a scenario in a plan."""
    return f"{protocol}, {speed}, {knob_bytes:g} bytes, from {from_s:g} s"


def curve(
    result: CampaignResult, protocol: str, speed: str, knobs_bytes: Sequence[float], stretches: Stretches
) -> Curve:
    """The curve from the finished runs."""
    windows = [
        stacked([window_of(result, label(protocol, speed, knob, from_s)) for knob in knobs_bytes])
        for from_s, _ in stretches
    ]
    return Curve(np.array(knobs_bytes, dtype=float), windows, sum(to_s - from_s for from_s, to_s in stretches))


def window_of(result: CampaignResult, name: str) -> Window:
    """The measures of a scenario's runs: arrays [seed, ...]."""
    scenario = result.plan.scenarios[name]
    return Window(
        rates_mbps=8e-6 * result.flows(name, "goodput_bytes") / (scenario.duration_s - scenario.warmup_s),
        delays_ms=1e3 * result.users(name, "queueing_delay_mean_s"),
        packets=result.users(name, "packets_delivered"),
        serving_ms=1e3 * result.users(name, "hol_delay_mean_s"),
        timeouts=result.flows(name, "timeouts"),
        margins=_margins(result, name),
    )


def _margins(result: CampaignResult, name: str) -> Floats:
    """Array [seed, user]: 0 without an outer loop."""
    users = result.result(name).replicas[0].users
    if "outer_loop_offset_mean_db" not in users:
        return np.zeros_like(result.users(name, "packets_delivered"), dtype=float)
    return np.asarray(1 - 10 ** (result.users(name, "outer_loop_offset_mean_db") / 10))


def stacked(windows: Sequence[Window]) -> Window:
    """The measures of all points of a curve: arrays [point, seed, ...]."""
    return Window(*(np.stack([getattr(each, field.name) for each in windows]) for field in fields(Window)))


def halves_of(curve: Curve) -> dict[str, Halves]:
    """Point and measure -> both halves: the rate of each flow, their sum, the mean delay."""
    found: dict[str, Halves] = {}
    for point, knob in enumerate(curve.knob_bytes):
        rates = [window.rates_mbps[point] for window in curve.windows]
        for flow, name in enumerate(fading_cell.FLOWS):
            found[f"{knob:g} bytes, rate of the {name} flow"] = Halves(*(each[:, flow] for each in rates))
        found[f"{knob:g} bytes, all rates"] = Halves(*(each.sum(axis=1) for each in rates))
        found[f"{knob:g} bytes, delay"] = Halves(*(window.delays_ms[point].mean(axis=1) for window in curve.windows))
    return found
