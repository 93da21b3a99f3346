"""Congestion windows of user 1: their mean over time, and a course to draw.

A window beyond the receiver's counts as that: ns-2's grows on, but nothing is sent for it. Left out: the windows of
others, which a run has as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from airlink.campaign import CampaignResult
from airlink_studies.imt_advanced.measures import Floats, Outcome

FLOW = 0
PACKET_BYTES = 1500
POINTS = 1200
"""Of a course that is drawn."""


@dataclass(frozen=True)
class Windows:
    """Of one setting.

    Attributes
    ----------
    packets : array [seed], mean over time from the first ACK on.
    time_s, course : of the first seed, thinned: arrays [point], s and packets.
    """

    packets: Floats
    time_s: Floats
    course: Floats

    @classmethod
    def joined(cls, parts: Sequence[Windows]) -> Windows:
        """Of the same setting, other seeds: one after another; the course is the first's."""
        packets = np.concatenate([part.packets for part in parts])
        return cls(packets, parts[0].time_s, parts[0].course)

    def mbps(self, outcome: Outcome) -> Floats:
        """Array [seed]: the paper's TCP bandwidth, mean window over mean round trip."""
        return np.asarray(8e-3 * PACKET_BYTES * self.packets / outcome.rtt_ms[:, FLOW])


def mean_window(result: CampaignResult, label: str) -> Windows:
    """Of a campaign that recorded `cwnd`."""
    runs = result.result(label)
    flow = runs.scenario.flows[FLOW]
    payload, allowed = flow.tcp.mss_bytes, flow.tcp.receiver_window_bytes
    means: list[float] = []
    course: tuple[Floats, Floats] = (np.zeros(1), np.zeros(1))
    for replica in runs.replicas:
        series = replica.series["cwnd"]
        own = series["flow"] == FLOW
        time_s, packets = series["time_s"][own], np.minimum(series["cwnd_bytes"][own], allowed) / payload
        if time_s.size < 2:
            raise ValueError(f"{label}: user 1 had fewer than two ACKs")
        if not means:
            step = max(1, time_s.size // POINTS)
            course = (time_s[::step], packets[::step])
        lasting = np.diff(time_s)
        means.append(float(np.sum(packets[:-1] * lasting) / np.sum(lasting)))
    return Windows(np.array(means), *course)
