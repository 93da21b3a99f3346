r"""CLAMP, window clamping from the access point, as a fluid: the flows of one queue and where they settle.

The access point serves its queue at :math:`\mu_c` and tells its receivers a price; flow i, whose round trip is d_i
without the queue, opens its window by tau and closes it by what its rate pays:

.. math:: \frac{dw_i}{dt} = \frac{1}{d_i} \big(\tau - p(q)\, \mu_i\big), \quad p(q) = \frac{b q - a}{\mu_c}, \quad
          \sum_i \mu_i = \mu_c

One flow with a = 0 is eq. (1). Whether: `theory.stability`; how: `theory.fluid`.

Left out: packets, estimators, the sender's own window, and a service rate that changes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

Gain: TypeAlias = float | tuple[float, ...] | None  # 1/s; None is 1/d_i

PAPER_TAU_BYTES, PAPER_A_BYTES, PAPER_B = 500.0, 5500.0, 1.0  # [Andrew08] sec. 3.2 and 5.1


@dataclass(frozen=True)
class ClampFlows:
    """Flows that share a queue of the access point.

    Attributes
    ----------
    delays_s : d_i of each flow, s, > 0: the round trip without the queue.
    rate_bps : service rate of the queue, b/s, > 0.
    tau_bytes : tau, what each flow adds, bytes, > 0, default 500.
    a_bytes : a, part of the queue that costs nothing, bytes, >= 0, default 5500.
    b : reactivity, > 0, default 1.
    gain_hz : what stands in the place of 1/d_i, 1/s, > 0: one for all flows or one for each; default 1/d_i. The
        protocol itself takes 1/(d_i + q/mu_c).

    Raises
    ------
    ValueError : a value outside its range.
    """

    delays_s: tuple[float, ...]
    rate_bps: float
    tau_bytes: float = PAPER_TAU_BYTES
    a_bytes: float = PAPER_A_BYTES
    b: float = PAPER_B
    gain_hz: Gain = None

    def __post_init__(self) -> None:
        check_delays(self.delays_s)
        for name, value in (("rate_bps", self.rate_bps), ("tau_bytes", self.tau_bytes), ("b", self.b)):
            if not 0 < value < math.inf:
                raise ValueError(f"{name} is {value}; it must be above 0")
        if not 0 <= self.a_bytes < math.inf:
            raise ValueError(f"a_bytes is {self.a_bytes}; it must be at least 0")
        gains_hz(self.delays_s, self.gain_hz)

    @property
    def rate_bytes(self) -> float:
        """The service rate, bytes/s."""
        return self.rate_bps / 8

    @property
    def gains_hz(self) -> tuple[float, ...]:
        """What stands in the place of 1/d_i, 1/s."""
        return gains_hz(self.delays_s, self.gain_hz)

    def price_s(self, queue_bytes: float) -> float:
        """p(q), s: what a byte/s costs in bytes; below zero while b q < a.

        Parameters
        ----------
        queue_bytes : q, bytes.

        References
        ----------
        [Andrew08] eq. (7).
        """
        return (self.b * queue_bytes - self.a_bytes) / self.rate_bytes


@dataclass(frozen=True)
class ClampEquilibrium:
    """Where the flows settle.

    Attributes
    ----------
    queue_bytes : q*, all flows together.
    queueing_delay_s : what a byte waits in it, s.
    rates_bps : each flow's rate, b/s; all the same.
    windows_bytes : each flow's bytes on the way and in the queue.
    """

    queue_bytes: float
    queueing_delay_s: float
    rates_bps: tuple[float, ...]
    windows_bytes: tuple[float, ...]


def clamp_equilibrium(flows: ClampFlows, per_flow_bytes: float = 0.0) -> ClampEquilibrium:
    r"""Queue, rates and windows that no longer change.

    .. math:: q^* = \frac{k (\tau - c) + a}{b}, \quad \mu_i = \frac{\mu_c}{k}, \quad
              w_i^* = \frac{\mu_c d_i + q^*}{k}

    Rates are equal whatever the delays, and no gain moves them.

    Parameters
    ----------
    flows : the k flows.
    per_flow_bytes : c, what the access point takes off a for each flow, bytes, >= 0, default 0 as in the paper; with
        tau the queue is a / b for any number of flows. Eq. (6) takes it as an a of a - k c.

    Returns
    -------
    ClampEquilibrium

    Raises
    ------
    ValueError : a value outside its range; so much taken off that also an empty queue is too dear.

    References
    ----------
    [Andrew08] eqs (3), (10), (11); c is airlink's, for the question of its section 3.2.

    Examples
    --------
    Fig. 2 of the paper, three flows:

    >>> settled = clamp_equilibrium(ClampFlows((0.05,) * 3, rate_bps=10e6))
    >>> settled.queue_bytes, round(settled.windows_bytes[0])
    (7000.0, 23167)
    >>> clamp_equilibrium(ClampFlows((0.05,) * 3, rate_bps=10e6), per_flow_bytes=500.0).queue_bytes
    5500.0
    """
    count = len(flows.delays_s)
    queue = (count * (flows.tau_bytes - per_flow_bytes) + flows.a_bytes) / flows.b
    if not 0 <= per_flow_bytes < math.inf or queue < 0:
        most = flows.tau_bytes + flows.a_bytes / count
        raise ValueError(f"per_flow_bytes is {per_flow_bytes}; it must be from 0 to tau + a / k ({most:g})")
    return ClampEquilibrium(
        queue_bytes=queue,
        queueing_delay_s=queue / flows.rate_bytes,
        rates_bps=(flows.rate_bps / count,) * count,
        windows_bytes=tuple((flows.rate_bytes * delay + queue) / count for delay in flows.delays_s),
    )


def check_delays(delays_s: tuple[float, ...]) -> None:
    """Refuse what are no round trips.

    Raises
    ------
    ValueError : none at all, or one that is not above 0.
    """
    if not delays_s or not all(0 < delay < math.inf for delay in delays_s):
        raise ValueError(f"delays_s is {delays_s}; it must name at least one delay, each above 0")


def gains_hz(delays_s: tuple[float, ...], gain_hz: Gain) -> tuple[float, ...]:
    """1/d_i of each flow, or what stands in its place.

    Raises
    ------
    ValueError : a gain that is not above 0, or not one for each flow.
    """
    if gain_hz is None:
        return tuple(1 / delay for delay in delays_s)
    gains = gain_hz if isinstance(gain_hz, tuple) else (gain_hz,) * len(delays_s)
    if len(gains) != len(delays_s) or not all(0 < gain < math.inf for gain in gains):
        raise ValueError(f"gain_hz is {gain_hz}; it must be above 0, one for all flows or one for each")
    return gains
