r"""CLAMP through two priced queues in series: where flows through both and flows through the second alone settle.

A packet carries the sum of the prices of its queues, so a flow of rate mu settles where its queues' prices add up to
tau / mu, and a queue that its flows fill settles where its price is what is left for it:

.. math:: \tau = \mu_i \sum_{j \text{ on its way}} p_j, \quad p_j = \frac{b q_j - a}{c_j}, \quad
          \sum_{i \text{ through } j} \mu_i = c_j

Left out: whether it is stable, delays, queues that differ in a or b.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from airlink_studies.clamp.theory.equilibrium import PAPER_A_BYTES, PAPER_B, PAPER_TAU_BYTES


@dataclass(frozen=True)
class ClampTwoQueues:
    """Where the flows settle.

    Attributes
    ----------
    queues_bytes : the first and the second queue; 0 of one that its flows do not fill.
    both_bps : rate of each flow through both, b/s.
    second_bps : rate of each flow through the second alone, b/s; NaN without any.
    """

    queues_bytes: tuple[float, float]
    both_bps: float
    second_bps: float


def clamp_two_queues(
    rates_bps: tuple[float, float],
    both: int,
    second: int = 0,
    tau_bytes: float = PAPER_TAU_BYTES,
    a_bytes: float = PAPER_A_BYTES,
    b: float = PAPER_B,
) -> ClampTwoQueues:
    """Where flows settle whose queues add up their prices.

    Parameters
    ----------
    rates_bps : c of the first and of the second queue, b/s, > 0.
    both : flows through both, >= 1.
    second : flows through the second alone, >= 0, default none.
    tau_bytes, a_bytes, b : as in `ClampFlows`, of all flows and of both queues.

    Returns
    -------
    The queues and the rates.

    Raises
    ------
    ValueError : a value outside its range.

    References
    ----------
    [Andrew08] eqs (6) and (7); that prices add up is not in the paper.

    Examples
    --------
    One flow is limited to 2 Mb/s by the first queue, two share what it leaves of the second: 4 Mb/s each, for which
    they pay tau / 4 Mb/s. The one pays tau / 2 Mb/s in all, so half of that is the first queue's price.

    >>> clamp_two_queues((2e6, 10e6), both=1, second=2)
    ClampTwoQueues(queues_bytes=(5750.0, 6750.0), both_bps=2000000.0, second_bps=4000000.0)
    """
    if not (both >= 1 and second >= 0 and min(rates_bps) > 0 and tau_bytes > 0 and b > 0 and a_bytes >= 0):
        raise ValueError("rates, tau_bytes and b must be above 0, a_bytes and second at least 0, both at least 1")
    first_bps, second_bps = rates_bps
    fair_bps = second_bps / (both + second)
    if both * fair_bps <= first_bps:
        settled = ((both + second) * tau_bytes + a_bytes) / b
        return ClampTwoQueues((0.0, settled), fair_bps, fair_bps if second else math.nan)
    rest_bps = second_bps - first_bps
    # Prices in tau a b/s: what the second asks of those that have the rest, and the first of its own beyond that.
    second_price = second / rest_bps
    first_price = both / first_bps - second_price
    queues = tuple(
        (tau_bytes * price * rate_bps + a_bytes) / b if price else 0.0
        for price, rate_bps in ((first_price, first_bps), (second_price, second_bps))
    )
    return ClampTwoQueues((queues[0], queues[1]), first_bps / both, rest_bps / second if second else math.nan)
