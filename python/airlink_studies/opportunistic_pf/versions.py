"""[EvdoTcp] names ns-2 without a version; what the defaults of each would do to Section V's users and to the cell."""

from __future__ import annotations

from airlink.campaign import CampaignResult
from airlink.scenario import Scenario
from airlink_studies import ns2_versions
from airlink_studies.opportunistic_pf.quarters import Floats
from airlink_studies.opportunistic_pf.setting import ALPHA, section_v, seeds
from airlink_studies.opportunistic_pf.tcp_events import goodput_kbps, per_flow_minute


def _b_over_w(result: CampaignResult, label: str) -> Floats:
    goodput = result.users(label, "goodput_bps")
    return goodput[:, -1] / goodput[:, 0]


def _timeouts(result: CampaignResult, label: str) -> Floats:
    return per_flow_minute(result, label, "timeouts")


def _cells() -> dict[str, Scenario]:
    return {f"alpha {alpha:g}": section_v(**{"scheduler.time_constant_slots": 1 / alpha}) for alpha in (ALPHA, 0.001)}


PART = ns2_versions.part(
    _cells,
    {"kb/s": goodput_kbps, "B/W": _b_over_w, "timeouts/min": _timeouts},
    lambda request: seeds(request.seed, 2 if request.quick else 10),
    lambda request: {"duration_s": 30.0} if request.quick else {},
)
