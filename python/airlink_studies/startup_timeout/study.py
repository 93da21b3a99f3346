"""The study startup-timeout: its parts in the order of [Choi05], and what its report says beside the data."""

from __future__ import annotations

from airlink.report import Paper
from airlink.study import Texts, study_of
from airlink_studies.startup_timeout import (
    closed_form,
    flows,
    initial_timeout,
    min_rto,
    readings,
    region,
    remedies,
    rule,
    tracking,
    versions,
)

TITLE = "TCP start-up under proportional fair scheduling: the initial timeout"
TEXTS = Texts(
    heading="TCP's initial timeout under proportional fair scheduling",
    paper=Paper(
        title="TCP start-up behavior under the proportional fair scheduling policy",
        authors=("J. H. Choi", "J. G. Choi", "C. Yoo"),
        year=2005,
        note="the year is inferred: what it cites ends in November 2004",
        key="Choi05",
    ),
    best="fig3-sessions-long-memory",
    seeds=100,
    lead=(
        "Twenty downloads begin within a second on a 1xEV-DO downlink. Does proportional fair scheduling make TCP "
        "time out before anything is lost, when, and what does it cost? The paper leaves the scheduler's memory (time "
        "constant), fading and mean SNRs open; two memories stand side by side here, and a map shows the rest."
    ),
    facts=(
        (
            "scenario",
            "startup-timeout (airlink init x.toml --from startup-timeout): every value given, inferred or chosen",
        ),
    ),
)
PARTS = (
    initial_timeout.PART,
    tracking.PART,
    readings.PART,
    region.PART,
    closed_form.PART,
    flows.PART,
    min_rto.PART,
    remedies.PART,
    rule.PART,
    versions.PART,
)
STUDY = study_of("startup-timeout", TITLE, TEXTS, PARTS)
