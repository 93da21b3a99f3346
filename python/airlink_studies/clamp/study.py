"""The study clamp: its parts in the order of [Andrew08], and what its report says beside the data."""

from __future__ import annotations

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

TITLE = "CLAMP: fair shares and short queues, steered by the receivers (Andrew, Hanly, Mukhtar)"
TEXTS = Texts(
    heading="CLAMP: the access point tells a price, receivers clamp their windows",
    paper=(
        "Andrew, Hanly and Mukhtar: Active queue management for fair resource allocation in wireless networks "
        "[Andrew08]"
    ),
    lead=(
        "An access point tells each packet what waiting costs, and receivers advertise windows that follow the price. "
        "Does the queue settle where the fluid says, are shares fair whatever the delays, and what is left of it "
        "over a link that fades?"
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
