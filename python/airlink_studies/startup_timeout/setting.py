"""What is run: the cell of [Choi05] with whatever it leaves open turned, and the numbers that it prints.

The ready scenario `startup-timeout` says of each value whether it is given, inferred or chosen. Leaves out how
often anything is run: each part says that.
"""

from __future__ import annotations

import re
from typing import Any

from airlink.scenario import Scenario, ready
from airlink.study import block_of_seeds

FLOWS = 20
PF, RR, FIFO = "proportional_fair", "round_robin", "fifo"

TIME_CONSTANT_SLOTS = 1000.0
"""t_c of PF (chosen)."""
LONG_TIME_CONSTANT_SLOTS = 10_000.0
"""t_c of the second reading: PF hardly forgets within a run, and about half of the sessions time out."""
DOPPLER_HZ = 1.0
"""Of the fading (chosen)."""
SNR_MEAN_DB, SNR_SPREAD_DB = 10.0, 20.0
"""Middle and width of the range that the users' mean SNRs are drawn from (chosen)."""
LINK_BPS = 2e6
"""The air link of the paper (given); PF's averages start at its equal shares (chosen)."""

NS2_SEGMENTS = 20
"""The window of ns-2 by default."""
FIFO_SEGMENTS = 12
"""The largest window with which FIFO's queue holds less than its link sends within the least RTO (inferred)."""

PAPER_TIMED_OUT = 11
"""Sessions of 20 with an initial timeout, Fig. 3(a)."""
PAPER_JAIN, PAPER_JAIN_HELD, PAPER_JAIN_FIFO = 0.685, 0.862, 0.9909
"""Jain's index over the 20 sessions: Fig. 3(a), 3(b), 4."""
PAPER_KBPS, PAPER_KBPS_HELD = 1998.4, 2296.0
"""Sum over the sessions, kb/s: Fig. 3(a), 3(b)."""

SEEDS_A_BASE = 200
"""Seeds that a base seed may use; a part takes the first of them."""


def cell(
    flows: int = FLOWS,
    *,
    time_constant_slots: float = TIME_CONSTANT_SLOTS,
    doppler_hz: float = DOPPLER_HZ,
    snr_mean_db: float = SNR_MEAN_DB,
    snr_spread_db: float = SNR_SPREAD_DB,
    scheduler: str = PF,
    **changes: Any,
) -> Scenario:
    """The cell of [Choi05].

    Parameters
    ----------
    flows : sessions, one for each user.
    time_constant_slots : t_c of eq. (1), slots; PF only.
    doppler_hz : of the Rayleigh fading.
    snr_mean_db, snr_spread_db : mean SNRs are drawn from mean -+ spread / 2 for every seed; spread 0: all are alike.
    scheduler : PF, RR, or FIFO, which serves the oldest packet of all users whatever its user's rate.
    changes : further fields by path, as `Scenario.with_` takes them.

    Examples
    --------
    >>> cell(50, snr_spread_db=0).scheduler.initial_average_bps
    40000.0
    """
    placement = {
        "channel.placement.low_db": snr_mean_db - snr_spread_db / 2,
        "channel.placement.high_db": snr_mean_db + snr_spread_db / 2,
    }
    averages = {
        "scheduler.time_constant_slots": time_constant_slots,
        "scheduler.initial_average_bps": LINK_BPS / flows,
    }
    made = ready("startup-timeout").with_(users=flows, **placement, **{"channel.fading.doppler_hz": doppler_hz})
    made = made.with_(**averages) if scheduler == PF else made.with_(**{"scheduler.kind": scheduler})
    made = made.with_(**{"scheduler.skip_unservable": False}) if scheduler == RR else made
    return made.with_(**changes) if changes else made


def wire(flows: int = FLOWS, **changes: Any) -> Scenario:
    """The other reading of the paper's FIFO: its link of 2 Mb/s without fading, one queue for all, as ns-2 has it."""
    air = {
        "bottleneck.rate_bps": LINK_BPS,
        "bottleneck.delay_ms": 100.0,
        "flows.0.path.downlink_delay_ms": 50.0,
    }
    return ready("startup-timeout").with_(**{"users": flows, **air, **changes})


def constant_link(flows: int = FLOWS, **changes: Any) -> Scenario:
    """PF over the paper's link of Fig. 4: every user has 2 Mb/s in its slots, without fading."""
    air = {
        "channel.fading": {"kind": "none"},
        "link.rate.name": "custom",
        "link.rate.thresholds_db": [-50.0],
        "link.rate.rates_bps": [LINK_BPS],
    }
    return cell(flows, **changes).with_(**air)


def seeds(base: int, count: int) -> tuple[int, ...]:
    """The first seeds of a base seed; base seeds don't overlap.

    >>> seeds(2, 3)
    (201, 202, 203)
    """
    return block_of_seeds(base, count, SEEDS_A_BASE)


def window(segments: int) -> dict[str, Any]:
    """The change that limits the window to so many segments (a buffer of the receiver, or ns-2's `window_`)."""
    return {"flows.0.tcp.receiver_window_bytes": 1000 * segments}


def loss(probability: float) -> dict[str, Any]:
    """The change that loses each packet with that probability on the wire to the base station."""
    return {"flows.0.path.downlink_impairments": {"loss": {"kind": "random", "p": probability}}}


NO_BREAK = "\N{NO-BREAK SPACE}"


def in_slots(name: str) -> str:
    """A setting's name as a figure shows it: t_c as a symbol, its value with the unit, on one line.

    >>> in_slots("20 sessions, t_c 10 000").replace(NO_BREAK, " "), in_slots("PF, long t_c")
    ('20 sessions, $t_c$ 10 000 slots', 'PF, long $t_c$')
    """
    with_unit = re.sub(r"t_c (= )?(\d+(?: \d{3})*)(?! ?\d)(?: slots)?", _kept_together, name)
    return with_unit.replace("t_c", "$t_c$")


def _kept_together(value: re.Match[str]) -> str:
    return f"t_c {value[2]} slots".replace(" ", NO_BREAK)
