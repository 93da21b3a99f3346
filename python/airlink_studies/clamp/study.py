"""The study clamp: its parts in the order of [Andrew08], and what its report says beside the data."""

from __future__ import annotations

from airlink.study import Texts, study_of
from airlink_studies.clamp import (
    at_sender,
    beams,
    come_and_go,
    controls,
    cubic,
    delay_target,
    delays,
    harq,
    lock_out,
    one_queue,
    other_queues,
    overlay,
    per_flow,
    plain_receivers,
    settled,
    sharing,
    short_flows,
    stability,
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
    come_and_go.PART,
    settled.PART,
    sharing.PART,
    overlay.PART,
    stability.PART,
    delays.PART,
    windows.PART,
    short_flows.PART,
    controls.PART,
    lock_out.PART,
    plain_receivers.PART,
    delay_target.PART,
    per_flow.PART,
    at_sender.PART,
    two_queues.PART,
    other_queues.PART,
    cubic.PART,
    harq.PART,
    one_queue.PART,
    beams.PART,
)
STUDY = study_of("clamp", TITLE, TEXTS, PARTS)
