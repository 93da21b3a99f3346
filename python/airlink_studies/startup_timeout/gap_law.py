r"""How long PF keeps a user waiting, and the min RTO that follows: a rule from what a base station knows.

A user that is not served sees its average fall by :math:`e^{-t/T}`, :math:`T = t_c \tau`, so the rate at which it
wins again falls with it. It wins when its own rate, which fading moves, meets that falling demand:

.. math::
    P(\text{gap} > t) = \prod_{k \ge k(t)} e^{-\lambda_k d_k} \; \frac{1 - e^{-u_{k(t)}}}{1 - e^{-u_{k^*}}}, \quad
    \lambda_k = \sqrt{2 \pi u_k}\, f_d \, \frac{e^{-u_k}}{1 - e^{-u_k}}

with :math:`u_k = \theta_k / \bar\gamma` the threshold of rate k over the user's mean SNR, :math:`d_k` the time that
rate k is asked for, :math:`T \ln (r_k / r_{k-1})` once that is over, and :math:`\lambda_k` Rice's rate of crossings
from below, given that the user is below. :math:`k^*` is the best rate that the user has in 1/N of the time; while the
averages of strong and weak users are still alike, that of a strong user. `airlink.models.SlotGaps` is the law for a
scheduler without a memory.

Left out: rivals that have the same rate at that moment, users with nothing to send, fading whose crossings come in
bunches, packets that are lost.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from airlink.models import rate_probabilities
from airlink.scenario import Scenario
from airlink_studies.startup_timeout.transmission_delay import TransmissionDelay

WEAKEST_SHARE = 0.1
"""The rule is for the user that a tenth of the users are weaker than (chosen)."""


@dataclass(frozen=True)
class Knowledge:
    """What the rule takes, all of it known to a base station or its operator.

    Attributes
    ----------
    users : N, that have data, >= 2.
    time_constant_s : T = t_c x slot, s.
    slot_s : tau, s.
    doppler_hz : f_d, Hz; from reports of the SNR, or the speed that a cell is made for.
    mean_snr_db : of the user that the rule is for, dB.
    demand_snr_db : mean SNR of the user whose best rate sets the demand when a gap begins, dB: the same user once the
        averages have settled; at the start of all sessions, when they are alike, a strong one.
    thresholds_db : SNR from which each rate can be used, dB, rising.
    rates_bps : the rates, b/s, rising.
    packet_bytes : P, on air.
    base_rtt_s : R_0, round trip of a lone packet, s.
    """

    users: int
    time_constant_s: float
    slot_s: float
    doppler_hz: float
    mean_snr_db: float
    demand_snr_db: float
    thresholds_db: Sequence[float]
    rates_bps: Sequence[float]
    packet_bytes: int
    base_rtt_s: float

    @classmethod
    def of(cls, scenario: Scenario, settled: bool = True) -> Knowledge:
        """What the base station of a `setting.cell` knows; `settled` false: all averages are still alike."""
        scenario = scenario.resolved()
        flow, channel, link, scheduler = scenario.flows[0], scenario.channel, scenario.link, scenario.scheduler
        assert channel is not None, "a cell"
        assert link is not None, "a cell"
        assert scenario.slot is not None, "a cell"
        assert scheduler is not None, "a cell"
        placement = channel.placement
        assert placement.kind == "mean_snr_range", "as in the study"
        assert channel.fading.kind == "rayleigh", "as in the study"
        assert link.rate.kind == "table", "as in the study"
        assert scheduler.kind == "proportional_fair", "the law is PF's"
        width_db = placement.high_db - placement.low_db
        slot_s = float(scenario.slot.exact_ms()) / 1e3
        return cls(
            users=scenario.users,
            time_constant_s=scheduler.time_constant_slots * slot_s,
            slot_s=slot_s,
            doppler_hz=float(channel.fading.doppler_hz),
            mean_snr_db=placement.low_db + WEAKEST_SHARE * width_db,
            demand_snr_db=placement.low_db + (WEAKEST_SHARE if settled else 1 - WEAKEST_SHARE) * width_db,
            thresholds_db=link.rate.thresholds_db,
            rates_bps=link.rate.rates_bps,
            packet_bytes=flow.tcp.mss_bytes + flow.tcp.header_bytes,
            base_rtt_s=(flow.path.downlink_delay_ms + flow.path.uplink_delay_ms) / 1e3,
        )

    @property
    def levels(self) -> list[float]:
        """u_k of each rate: threshold / mean SNR, linear."""
        return _levels(self.thresholds_db, self.mean_snr_db)

    @property
    def best(self) -> int:
        """The best rate that the user has in at least 1/N of the time; the lowest if it has none."""
        return self._best(self.mean_snr_db)

    @property
    def demand(self) -> int:
        """k*: the rate that is asked for when a gap begins."""
        return self._best(self.demand_snr_db)

    def _best(self, mean_snr_db: float) -> int:
        levels = _levels(self.thresholds_db, mean_snr_db)
        return max((k for k, level in enumerate(levels) if math.exp(-level) >= 1 / self.users), default=0)


def _levels(thresholds_db: Sequence[float], mean_snr_db: float) -> list[float]:
    return [10 ** ((threshold - mean_snr_db) / 10) for threshold in thresholds_db]


def gap_quantile_s(known: Knowledge, share: float) -> float:
    r"""The gap that a share of the gaps exceeds.

    Parameters
    ----------
    known : the cell and the user.
    share : q, 0 < q < 1.

    Returns
    -------
    float, s: t with P(gap > t) = q.

    Raises
    ------
    ValueError : share outside its range.

    References
    ----------
    [Rice45] (the rate of crossings).

    Examples
    --------
    One rate, which the user has in 1 - 1/e of the time: a wait for a crossing, ln(1/q) / lambda.

    >>> from dataclasses import replace
    >>> one = Knowledge(20, 1.0, 0.002, 10.0, 0.0, 0.0, [0.0], [1e6], 1000, 0.1)
    >>> rate = math.sqrt(2 * math.pi) * 10 * math.exp(-1) / (1 - math.exp(-1))
    >>> abs(gap_quantile_s(one, 0.5) - math.log(2) / rate) < 1e-12
    True
    >>> gap_quantile_s(one, 0.01) < gap_quantile_s(replace(one, doppler_hz=1.0), 0.01)
    True
    """
    if not 0 < share < 1:
        raise ValueError(f"share is {share}; it must lie between 0 and 1")
    levels, k, waited, left = known.levels, known.demand, 0.0, math.log(1 / share)
    while True:
        rate = _crossings(levels[k], known.doppler_hz)
        asked = known.time_constant_s * math.log(known.rates_bps[k] / known.rates_bps[k - 1]) if k else math.inf
        if rate * asked >= left:
            return waited + left / rate
        waited, left = waited + asked, left - rate * asked
        left -= math.log(-math.expm1(-levels[k]) / -math.expm1(-levels[k - 1]))
        k -= 1
        if left <= 0:
            return waited


def _crossings(level: float, doppler_hz: float) -> float:
    """lambda: how often a user below a level comes up to it, 1/s."""
    return math.sqrt(2 * math.pi * level) * doppler_hz / math.expm1(level)


def least_rto_s(known: Knowledge, share: float) -> float:
    r"""The min RTO of the rule.

    .. math:: \mathrm{RTO}_{min} = R_0 + N \Big(\frac{P}{m} + 1\Big) \tau + G_q

    The round trip of a lone packet, the slots until one packet of each user is through (eq. (3) of the paper with m,
    the bytes of a slot at the user's best rate), and the gap that a share q of the gaps exceeds. Queues that grow in
    slow start are not in it: each ACK starts the timer anew, and the RTO has measured the queue that was there before.

    Parameters
    ----------
    known : the cell and the user.
    share : q, 0 < q < 1; the rule's only constant.

    Returns
    -------
    float, s.

    References
    ----------
    [Choi05] eq. (3).
    """
    slot_bytes = known.rates_bps[known.best] * known.slot_s / 8
    through = TransmissionDelay(known.packet_bytes, slot_bytes, known.users).mean() * known.slot_s
    return known.base_rtt_s + through + gap_quantile_s(known, share)


def last_user_rto_s(known: Knowledge, share: float) -> float:
    """The min RTO that the paper's own law of section 4.2 would give: R_0 and its time of the last of N users.

    Parameters
    ----------
    known : the cell and the user; m is the user's mean rate over all slots.
    share : of the packets that take longer, 0 < share < 1.

    Returns
    -------
    float, s.

    References
    ----------
    [Choi05] eq. (5).
    """
    probabilities = rate_probabilities(known.thresholds_db, known.mean_snr_db)
    mean_bps = float(probabilities @ list(known.rates_bps))
    law = TransmissionDelay(known.packet_bytes, mean_bps * known.slot_s / 8, known.users)
    return known.base_rtt_s + law.normal_quantile(1 - share) * known.slot_s
