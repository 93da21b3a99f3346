"""What Section V says of users B and W, judged. "About" is within 15 %; "early" and the bounds of timeouts are chosen.

Leaves out the figures and how the numbers are read from runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from airlink.campaign import CampaignResult
from airlink.report import Claim, Printed, Statement, above, at_least, at_most, exactly
from airlink.statistics import mean_interval, paired_difference, paired_ratio
from airlink_studies.opportunistic_pf.setting import GOODPUT_RATIO, PAPER, PAPER_USERS, PROFILE
from airlink_studies.opportunistic_pf.user_numbers import NUMBERS, Floats

RANKED = 0.5
"""A rank correlation of shares with SNR from which they are called rising; chosen."""
CUT = 5.0
"""ssthresh "reduced drastically": from 20 packets to less than these; chosen."""
CYCLES = 10.0
"""Fast retransmits for each timeout from which B "cycles"; chosen."""
ONE_RUN = 1
"""The paper's numbers of Section V are those of one run."""
DEFAULT, HANDSHAKE, SACK = "as it is", "handshake", "SACK, min RTO 1 s"
MEANS = ("resource_percent", "mean_segments", "jitter_mean_ms", "rtt_mean_ms", "queueing_mean_ms")


@dataclass(frozen=True)
class History:
    """What TCP of B and W did in the first 80 s: arrays [seed].

    Attributes
    ----------
    w_early, w_ssthresh : timeouts of W within 30 s; its lowest slow start threshold until then, packets.
    b_zoom, b_later : timeouts of B within 5 s, and from then on.
    b_recoveries : fast retransmits of B.
    ratio : goodput of B / goodput of W.
    """

    w_early: Floats
    w_ssthresh: Floats
    b_zoom: Floats
    b_later: Floats
    b_recoveries: Floats
    ratio: Floats


def share_claims(result: CampaignResult, label: str, best: int, worst: int) -> list[Claim]:
    """Every user gets about 1/16 of the slots, better users a little more."""
    slots, snr_db = result.users(label, "slots_won"), result.users(label, "mean_snr_db")
    share = 100 * slots / slots.sum(axis=1, keepdims=True)
    rank = [rank_correlation(*both) for both in zip(share, snr_db, strict=True)]
    sd, points = PAPER.resource_sd_percent, PAPER_USERS["B"].resource_percent - PAPER_USERS["W"].resource_percent
    rows = [
        ("a", "standard deviation over users of their share of the slots, in points", Printed(sd, ONE_RUN),
         mean_interval(share.std(axis=1, ddof=1)), None),
        ("b", "users with a higher SNR get more slots: rank correlation", None,
         mean_interval(rank), at_least("correlation", RANKED)),
        ("c", "B gets more slots than W, in points", Printed(points, ONE_RUN),
         paired_difference(share[:, best], share[:, worst]), above("points", 0.0)),
    ]  # fmt: skip
    return [
        Statement(f"000-5{letter}", words, paper).against(estimate, bounds, PROFILE)
        for letter, words, paper, estimate, bounds in rows
    ]


def rank_correlation(a: Floats, b: Floats) -> float:
    """Spearman's: the correlation of the ranks of two arrays [user] in which no number stands twice.

    >>> round(rank_correlation(np.array([1.0, 5.0, 9.0]), np.array([2.0, 1.0, 3.0])), 3)
    0.5
    """
    first, second = (np.argsort(np.argsort(values)) for values in (a, b))
    return float(np.corrcoef(first, second)[0, 1])


def number_claims(found: Mapping[str, Mapping[str, Floats]]) -> list[Claim]:
    """The means of B and W beside those of the paper's one run, and the ratio of their goodputs."""
    letters = iter("defghijklm")
    claims = []
    for each in NUMBERS:
        for who, numbers in found.items() if each.key in MEANS else ():
            paper = each.of_paper(PAPER_USERS[who])
            statement = Statement(f"000-5{next(letters)}", f"user {who}: {each.words}", Printed(paper, ONE_RUN))
            claims.append(statement.against(mean_interval(numbers[each.key]), None, PROFILE))
    ratio = paired_ratio(found["B"]["max_sequence"], found["W"]["max_sequence"])
    statement = Statement("000-5n", "goodput of B / goodput of W", Printed(GOODPUT_RATIO, ONE_RUN))
    return [*claims, statement.against(ratio, None, PROFILE)]


def history_claims(histories: Mapping[str, History]) -> list[Claim]:
    """W: timeouts early and ssthresh cut; B: congestion avoidance without timeouts; and what each needs."""
    own, handshake, sack = histories[DEFAULT], histories[HANDSHAKE], histories[SACK]
    early, none = at_least("timeouts", 1.0), exactly("timeouts", 0.0)
    rows = [
        ("o", "W times out within 30 s", "multiple RTOs", own.w_early, early, PROFILE),
        ("p", "with a handshake W times out within 30 s", "multiple RTOs", handshake.w_early, early, HANDSHAKE),
        ("q", "with a handshake W's ssthresh is cut within 30 s, packets", "drastically", handshake.w_ssthresh,
         at_most("packets", CUT), HANDSHAKE),
        ("r", "B does not time out in its first 5 s", "no RTO", own.b_zoom, none, PROFILE),
        ("s", "B does not time out from 5 s to 80 s", "no RTO", own.b_later, none, PROFILE),
        ("t", "with SACK and a least RTO of 1 s B does not time out in 80 s", "no RTO",
         sack.b_zoom + sack.b_later, none, SACK),
    ]  # fmt: skip
    claims = [
        Statement(f"000-5{letter}", words, paper).against(mean_interval(samples), bounds, profile)
        for letter, words, paper, samples, bounds, profile in rows
    ]
    cycles = paired_ratio(own.b_recoveries, own.b_zoom + own.b_later)
    statement = Statement("000-5u", "B cycles in congestion avoidance: its fast retransmits / its timeouts", "cyclic")
    return [*claims, statement.against(cycles, at_least("ratio", CYCLES), PROFILE)]
