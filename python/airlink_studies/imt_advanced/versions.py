"""[Kakuda] names ns-2 2.27; what the defaults of other versions would do to both schedulers with 500 packets."""

from __future__ import annotations

import numpy as np

from airlink.campaign import CampaignResult
from airlink_studies import ns2_versions
from airlink_studies.imt_advanced.measures import Floats
from airlink_studies.imt_advanced.setting import SCHEDULERS, cell, seeds, shortened


def _mbps(result: CampaignResult, label: str) -> Floats:
    return np.asarray(result.users(label, "goodput_bps").sum(axis=1) / 1e6)


def _first_mbps(result: CampaignResult, label: str) -> Floats:
    return np.asarray(result.users(label, "goodput_bps")[:, 0] / 1e6)


def _timeouts(result: CampaignResult, label: str) -> Floats:
    return np.asarray(result.flows(label, "timeouts").sum(axis=1))


PART = ns2_versions.part(
    lambda: {name: cell(name) for name in SCHEDULERS},
    {"all, Mb/s": _mbps, "user 1, Mb/s": _first_mbps, "timeouts": _timeouts},
    lambda request: seeds(request, 5),
    shortened,
)
