"""The study opportunistic-pf: its parts in order, and what its report says that no run can change."""

from __future__ import annotations

from airlink.report import Paper
from airlink.study import Texts, study_of
from airlink_studies.opportunistic_pf import (
    alpha_and_rto,
    alpha_sweep,
    cell_edge,
    fairness_exponent,
    first_look,
    lambda_senders,
    larger_queues,
    nearest,
    printed_metric,
    sack,
    service_interval,
    slot_failures,
    two_users,
    user_delays,
    versions,
    web,
)

TITLE = "Opportunistic (PF) scheduling and TCP: time constant, fairness exponent, queues"
PAPER = Paper(
    title="Opportunistic scheduling and TCP on a 1xEV-DO downlink",
    note="it has no title either, so this is its subject",
    key="EvdoTcp",
)
LEAD = (
    "A proportional fair scheduler serves users while their channels are good; the longer it may wait (small alpha), "
    "the more the cell could carry and the longer the gaps that TCP sees. Where does TCP stop gaining?"
)
GIVEN = (
    "16 users (32 in Section VI), slots of 1.667 ms, segments of 8 bytes, Table I, queues of 10 packets, ssthresh 20, "
    "Reno, starts within 0.1 s, alpha 0.01 in Section VI, no loss on wires or ACKs"
)
INFERRED = (
    "alpha 0.01 in Section V, runs of 2 / alpha s, 472 + 40 bytes a packet, 35 ms fixed delay, W at -10.8 dB, 32 users"
)
OPEN = (
    "Doppler (4 Hz fits Section V; 10 Hz is the control), mean SNRs between the two that are printed, errors on air "
    "(none), receiver window (64 packets), timers of ns-2 (tick 0.1 s, least RTO 0.2 s), 204.8 kb/s as 5 segments"
)
TEXTS = Texts(
    "[EvdoTcp], reproduced: opportunistic scheduling and TCP",
    PAPER,
    LEAD,
    (("given", GIVEN), ("inferred", INFERRED), ("open, chosen here", OPEN)),
    best="fig4-throughput",
    seeds=20,
)
PARTS = (
    first_look.PART,
    alpha_sweep.PART,
    two_users.PART,
    user_delays.PART,
    nearest.PART,
    fairness_exponent.PART,
    printed_metric.PART,
    slot_failures.PART,
    sack.PART,
    lambda_senders.PART,
    larger_queues.PART,
    cell_edge.PART,
    alpha_and_rto.PART,
    web.PART,
    service_interval.PART,
    versions.PART,
)

STUDY = study_of("opportunistic-pf", TITLE, TEXTS, PARTS)
