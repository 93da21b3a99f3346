"""[Choi05] names ns-2 2.27; what the defaults of other versions would do to Fig. 3(a)."""

from __future__ import annotations

from airlink.campaign import CampaignResult
from airlink.scenario import Scenario
from airlink_studies import ns2_versions
from airlink_studies.startup_timeout import setting
from airlink_studies.startup_timeout.measures import RECORD, Floats, Outcome


def _timed_out(result: CampaignResult, label: str) -> Floats:
    return Outcome.of(result, label).timed_out


def _jain(result: CampaignResult, label: str) -> Floats:
    return Outcome.of(result, label).jain


def _kbps(result: CampaignResult, label: str) -> Floats:
    return Outcome.of(result, label).kbps


def _cells() -> dict[str, Scenario]:
    long = setting.cell(time_constant_slots=setting.LONG_TIME_CONSTANT_SLOTS)
    return {"t_c 1000": setting.cell(), "t_c 10 000": long}


PART = ns2_versions.part(
    _cells,
    {"timed out": _timed_out, "Jain": _jain, "kb/s": _kbps},
    lambda request: setting.seeds(request.seed, 3 if request.quick else 30),
    record=RECORD,
)
