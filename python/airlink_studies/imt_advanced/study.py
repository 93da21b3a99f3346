"""The study imt-advanced: its parts in the order of [Kakuda], and what its report says beside the data."""

from __future__ import annotations

from airlink.report import Paper
from airlink.study import Texts, study_of
from airlink_studies.imt_advanced import beyond, buffers, larger_buffers, resource_owners, speeds, table_iii, versions

TITLE = "Scheduling and buffer sizing for TCP over IMT-Advanced"
TEXTS = Texts(
    heading="Scheduling, buffers and speed for TCP over 400 subchannels",
    paper=Paper(
        title="Impact of scheduling and buffer sizing on TCP performance over IMT-Advanced",
        authors=("K. Kakuda", "M. Tsuru"),
        note="what it cites ends in 2010",
        key="Kakuda",
    ),
    best="fig3-throughput",
    seeds=10,
    lead=(
        "Ten downloads share 400 subchannels of 200 kHz, given to the best channel (MaxCIR) or by proportional fair "
        "scheduling on every subchannel (MC-PF). How large should the buffers at "
        "the base station be, what does speed cost, and how much of the band does TCP leave empty? Where users are, "
        "the thresholds of the MCS and the error law are not in the paper; what was fitted to its Table III is named."
    ),
    facts=(
        (
            "scenario",
            "imt-advanced (airlink init x.toml --from imt-advanced): every value given, inferred, chosen or fitted",
        ),
    ),
)
PARTS = (
    resource_owners.PART,
    buffers.PART,
    speeds.PART,
    table_iii.PART,
    larger_buffers.PART,
    beyond.PART,
    versions.PART,
)
STUDY = study_of("imt-advanced", TITLE, TEXTS, PARTS)
