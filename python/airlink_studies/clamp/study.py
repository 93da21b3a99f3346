"""The study clamp: its parts in the order of [Andrew08], and what its report says beside the data."""

from __future__ import annotations

from airlink.report import Paper
from airlink.study import Texts, study_of
from airlink_studies.clamp import (
    beamforming,
    controls,
    cubic,
    delay_target,
    delays,
    flow_churn,
    harq,
    lock_out,
    mixed_receivers,
    one_queue,
    other_queues,
    overlay,
    per_flow,
    sender_side,
    sharing,
    short_flows,
    stability,
    steady_state,
    two_queues,
    windows,
)

TITLE = "CLAMP: fair shares and short queues, steered by the receivers"
TEXTS = Texts(
    heading="CLAMP: the access point marks packets with a price, receivers clamp their windows",
    paper=Paper(
        title="Active queue management for fair resource allocation in wireless networks",
        authors=("L. L. H. Andrew", "S. V. Hanly", "R. G. Mukhtar"),
        year=2008,
        venue="IEEE Transactions on Mobile Computing 7(2), 231-246",
        key="Andrew08",
    ),
    best="fig2-windows-and-queues",
    seeds=30,
    lead=(
        "With CLAMP an access point marks each packet with a price that grows with its queue, and receivers advertise "
        "windows that follow the price. Does the queue settle where the fluid equations say, are rates fair whatever "
        "the propagation delays, and what is left of it over a link that fades?"
    ),
)
PARTS = (
    flow_churn.PART,
    steady_state.PART,
    sharing.PART,
    overlay.PART,
    stability.PART,
    delays.PART,
    windows.PART,
    short_flows.PART,
    controls.PART,
    lock_out.PART,
    mixed_receivers.PART,
    delay_target.PART,
    per_flow.PART,
    sender_side.PART,
    two_queues.PART,
    other_queues.PART,
    cubic.PART,
    harq.PART,
    one_queue.PART,
    beamforming.PART,
)
STUDY = study_of("clamp", TITLE, TEXTS, PARTS)
