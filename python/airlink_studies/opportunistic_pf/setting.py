"""What is run: the cell of Section V, its sweeps of alpha and lambda, and the numbers the paper prints.

The scenario itself, each value with where it comes from, is `airlink.scenario.ready("opportunistic-pf")`. Leaves out
the settings of single parts (see their files) and every result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from airlink.scenario import Scenario, ready
from airlink.study import block_of_seeds

ALPHA = 0.01
"""Of Sections V (four lost glyphs, read so) and VI (given)."""
ALPHAS = (0.1, 0.03, 0.01, 0.003, 0.001, 0.0003, 0.0001)
"""Of Figs 4 and 5; the paper names the largest only."""
EXPONENTS = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0)
"""Lambda of Fig. 13; the paper names 0, 1 and 10."""
USERS, MANY_USERS = 16, 32
"""Of Sections I, IV, V (given) and VI (inferred from resource fractions of 3.122 %)."""
MSS_BYTES, PACKET_BYTES = 472, 512
"""472 + 40 bytes: 64 segments of 8 bytes, what one slot carries at the top rate."""
SSTHRESH_PACKETS = 20
"""At the start (given)."""
SEGMENT_BYTES = 8
ROLES: Mapping[str, str] = {"B": "best", "W": "worst"}
"""What the letters of Section V stand for: the users with the best and the worst channel."""
SLOTS_PER_S = 600
RUN_TIME_CONSTANTS = 2.0
"""Runs last x / alpha seconds; x is one lost digit, and Section V's packets fit 2."""
SHORTEST_S, LONGEST_S = 60.0, 1500.0
"""Between which that length is clipped, here: 20 s would be few, 20 000 s would say no more."""
FAIRNESS_S = 60.0
LOWEST_DB, HIGHEST_DB = -11.0, 12.3
"""Mean SNRs of the Monte Carlo realizations are uniform between these, which hold both users of Section V."""

PF, RR, LAMBDA, RELATIVE_SNR = "proportional_fair", "round_robin", "lambda", "relative_snr"
ROUND_ROBIN: Mapping[str, object] = {"scheduler.kind": RR, "scheduler.skip_unservable": False}
"""Users without a rate waste their turn (given, Fig. 2)."""
PROFILE = "opportunistic-pf"
"""What claims are held against unless they say otherwise: the ready scenario."""
NS2_TCP: Mapping[str, object] = {
    "flows.0.tcp": {
        "profile": "ns2",
        "mss_bytes": MSS_BYTES,
        "header_bytes": PACKET_BYTES - MSS_BYTES,
        "receiver_window_bytes": 64 * MSS_BYTES,
        "rto": {"initial_ms": 6000.0},
    }
}
"""TCP by airlink's profile of ns-2, with the sizes of the paper and the initial RTO of before 2006."""
SEEDS_IN_A_BLOCK = 100


@dataclass(frozen=True)
class Spread:
    """Mean, standard deviation, least and largest value of a delay, in ms."""

    mean: float
    sd: float
    least: float
    largest: float


@dataclass(frozen=True)
class PaperUser:
    """What Section V prints of one user.

    Attributes
    ----------
    resource_percent : its slots, in % of all that were given.
    snr_db : nominal SNR.
    mean_segments : segments per slot that it was given.
    max_sequence : highest TCP sequence number, in bytes.
    jitter : of packets at the head of the queue, until they have left (the paper's "packet scheduling jitter").
    rtt, queueing : round-trip times; delays from arrival at the base station until the packet has left it.
    jitter_over_rtt_percent : mean jitter / mean RTT.
    """

    resource_percent: float
    snr_db: float
    mean_segments: float
    max_sequence: float
    jitter: Spread
    rtt: Spread
    queueing: Spread
    jitter_over_rtt_percent: float


USER_B = PaperUser(
    resource_percent=7.02,
    snr_db=12.2370,
    mean_segments=56.2517,
    max_sequence=3_885_976.0,
    jitter=Spread(23.6, 27.2, 0.058, 231.0),
    rtt=Spread(187.7, 81.1, 35.3, 448.4),
    queueing=Spread(154.0, 83.3, 0.058, 432.2),
    jitter_over_rtt_percent=12.57,
)
USER_W = PaperUser(
    resource_percent=5.52,
    snr_db=-10.8,  # printed as 0.0833 dB, which is 10^(-10.8 / 10): a power ratio
    mean_segments=1.8851,
    max_sequence=104_312.0,
    jitter=Spread(996.1, 342.9, 30.9, 1927.5),
    rtt=Spread(5754.3, 1893.0, 514.9, 9629.9),
    queueing=Spread(6785.5, 2108.4, 30.9, 9734.1),
    jitter_over_rtt_percent=17.31,
)
PAPER_USERS: Mapping[str, PaperUser] = {"B": USER_B, "W": USER_W}
GOODPUT_RATIO = USER_B.max_sequence / USER_W.max_sequence
"""37.25; the paper: "more than 37 times"."""


@dataclass(frozen=True)
class PaperCell:
    """What the paper prints of the whole cell, in % where the name says so.

    Attributes
    ----------
    resource_mean_percent, resource_sd_percent : of the 16 users' shares of the slots (Section V).
    fair_share_percent : share of each user at lambda = 1 (Section VI, Fig. 12).
    gain_percent, user_gain_percent : opportunistic over round robin, of the cell and of user 0 (Figs 1, 2).
    longest_gap_s : between slots of user 0 (Fig. 2).
    throughput_at_pf_percent : of link throughput at lambda = 1, of that at lambda = 0 (Fig. 13).
    product_packets : bandwidth-delay product, at most (Section VII).
    """

    resource_mean_percent: float = 6.25
    resource_sd_percent: float = 0.44
    fair_share_percent: float = 3.122
    gain_percent: float = 20.0
    user_gain_percent: float = 50.0
    longest_gap_s: float = 1.0
    throughput_at_pf_percent: float = 40.0
    product_packets: float = 10.0


PAPER = PaperCell()


def section_v(**changes: object) -> Scenario:
    """Section V: users 0 (W, -10.8 dB) to 15 (B, 12.24 dB) equally spaced in dB, alpha = 0.01, greedy Reno, 200 s.

    `changes` are fields of the scenario, as `Scenario.with_` takes them.
    """
    return ready("opportunistic-pf").with_(**changes)


def sweep(alpha: float, scheduler: str = PF) -> Scenario:
    """Section IV, a Monte Carlo realization: 16 users, mean SNRs uniform in dB and drawn anew by the seed.

    Parameters
    ----------
    alpha : weight of the newest slot in the averaged rate, 0 < alpha <= 1; it sets the length of the run as well.
    scheduler : kind; round robin has no alpha, but runs as long as PF with that alpha does.
    """
    chosen = {} if scheduler in (RR, RELATIVE_SNR) else {"scheduler.time_constant_slots": 1 / alpha}
    kind = ROUND_ROBIN if scheduler == RR else {"scheduler.kind": scheduler}
    return section_v(**_drops(), **kind, **chosen, duration_s=duration_s(alpha))


def fairness(exponent: float, *, tcp: bool = False) -> Scenario:
    """Section VI: 32 users, mean SNRs as in `sweep`, metric log R - exponent log T, alpha = 0.01, 60 s.

    Parameters
    ----------
    exponent : lambda, 0 (largest rate) or above; 1 is PF.
    tcp : false (default): queues are never empty, as the slot shares of the paper need; true: greedy Reno.
    """
    made = section_v(
        **_drops(),
        users=MANY_USERS,
        duration_s=FAIRNESS_S,
        **{"scheduler.kind": LAMBDA, "scheduler.exponent": exponent},
    )
    return made if tcp else backlogged(made)


def backlogged(scenario: Scenario) -> Scenario:
    """The same cell with queues that are never empty: what the scheduler could grant, without TCP."""
    return scenario.with_(**{"flows.0.traffic": {"kind": "backlogged", "packet_bytes": PACKET_BYTES}})


def duration_s(alpha: float) -> float:
    """How long a run with that alpha lasts: 2 / alpha seconds, between 60 and 1500.

    >>> duration_s(0.01), duration_s(0.1), duration_s(0.0001)
    (200.0, 60.0, 1500.0)
    """
    return min(max(RUN_TIME_CONSTANTS / alpha, SHORTEST_S), LONGEST_S)


def seeds(base: int, drops: int) -> tuple[int, ...]:
    """The realizations of a base seed: blocks of 100 that do not overlap (1: 1..100, 2: 101..200, ...).

    >>> seeds(2, 3)
    (101, 102, 103)
    """
    return block_of_seeds(base, drops, SEEDS_IN_A_BLOCK)


def _drops() -> dict[str, object]:
    return {
        "channel.placement.low_db": LOWEST_DB,
        "channel.placement.high_db": HIGHEST_DB,
        "channel.placement.spacing": "random",
    }
