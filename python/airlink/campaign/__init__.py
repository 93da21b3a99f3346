"""Many scenarios, many seeds, one call: the only way studies, sweeps and comparisons run."""

from airlink.campaign.plan import Plan, grid
from airlink.campaign.running import CampaignResult, Measure, Run, measured, over_users, run, stream
from airlink.engine import Columns, Replica

__all__ = [
    "CampaignResult",
    "Columns",
    "Measure",
    "Plan",
    "Replica",
    "Run",
    "grid",
    "measured",
    "over_users",
    "run",
    "stream",
]
