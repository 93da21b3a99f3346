"""What is measured of a trial, user by user: eqs (4) to (7) of [Kakuda], and what they rest on.

A user has one flow, so a user's number is its flow's as well. Left out: means over trials, and verdicts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from airlink.campaign import CampaignResult

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Outcome:
    """One setting; arrays are [seed, user] unless said otherwise, seeds in order, user 1 of the paper first.

    Attributes
    ----------
    throughput_mbps : eq. (4): bits that the user received, each once, over the time since its flow's start.
    selection : eq. (6): subchannels won over those that all won.
    active : eq. (5): share of that time with a packet at the base station that has not left it.
    retransmission : eq. (7): PDUs sent again over PDUs sent.
    loss : packets that the buffer did not keep (full, or dropped by its rule), of those that came.
    rtt_ms : mean round trip.
    report_error_db : mean of |true - reported SINR| over the subchannels won.
    bits_per_subchannel : granted bits of a subchannel won, mean.
    given_up : packets lost because a PDU was sent as often as allowed.
    empty_without_data, empty_otherwise, padded : array [seed], shares of the band: nobody had data; nobody could use
        more; granted to a user that ran dry, or below a PDU.
    timeouts, fast_retransmits : of each flow.
    """

    throughput_mbps: Floats
    selection: Floats
    active: Floats
    retransmission: Floats
    loss: Floats
    rtt_ms: Floats
    report_error_db: Floats
    bits_per_subchannel: Floats
    given_up: Floats
    empty_without_data: Floats
    empty_otherwise: Floats
    padded: Floats
    timeouts: Floats
    fast_retransmits: Floats

    @classmethod
    def of(cls, result: CampaignResult, label: str) -> Outcome:
        """Of a setting of a campaign."""
        span_s = result.plan.scenarios[label].duration_s - result.flows(label, "start_s")
        won = result.users(label, "subchannels_won")
        granted = result.users(label, "granted_bytes")
        dropped = result.users(label, "drops_queue_full") + _or_none(result, label, "drops_aqm")
        band = result.cell(label, "subchannel_slots")
        with np.errstate(invalid="ignore", divide="ignore"):
            return cls(
                throughput_mbps=8e-6 * result.flows(label, "goodput_bytes") / span_s,
                selection=won / won.sum(axis=1, keepdims=True),
                active=result.users(label, "backlogged_s") / span_s,
                retransmission=result.users(label, "frames_repeated") / result.users(label, "frames_sent"),
                loss=dropped / result.users(label, "packets_in"),
                rtt_ms=1e3 * result.flows(label, "rtt_mean_s"),
                report_error_db=result.users(label, "report_error_mean_db"),
                bits_per_subchannel=8 * granted / won,
                given_up=result.users(label, "drops_retry_limit"),
                empty_without_data=result.cell(label, "subchannels_idle_no_data") / band,
                empty_otherwise=(
                    result.cell(label, "subchannels_idle_no_rate") + result.cell(label, "subchannels_idle_covered")
                )
                / band,
                padded=result.users(label, "padded_bytes").sum(axis=1)
                / granted.sum(axis=1)
                * (result.cell(label, "subchannels_granted") / band),
                timeouts=result.flows(label, "timeouts"),
                fast_retransmits=result.flows(label, "fast_retransmits"),
            )

    @classmethod
    def joined(cls, parts: Sequence[Outcome]) -> Outcome:
        """Of the same setting, other seeds: one after another."""
        names = [field.name for field in fields(cls)]
        return cls(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})

    @property
    def mean_mbps(self) -> Floats:
        """Array [seed]: throughput, mean over users."""
        return np.asarray(self.throughput_mbps.mean(axis=1))

    @property
    def total_mbps(self) -> Floats:
        """Array [seed]: throughput, sum over users."""
        return np.asarray(self.throughput_mbps.sum(axis=1))

    @property
    def unused(self) -> Floats:
        """Array [seed]: share of the band that carried nothing, for any reason."""
        return self.empty_without_data + self.empty_otherwise + self.padded


def _or_none(result: CampaignResult, label: str, column: str) -> Floats:
    """A column that only some queues have, 0 without."""
    replicas = result.result(label).replicas
    if column in replicas[0].users:
        return result.users(label, column)
    return np.zeros_like(result.users(label, "user"), dtype=float)
