"""Many scenarios, many seeds, one call: the only way studies, sweeps and comparisons run."""

from airlink.campaign.executors import EngineError, engine_of
from airlink.campaign.plan import Plan, grid
from airlink.campaign.running import CampaignResult, Measure, Run, measured, outcome_of, over_users, run, stream
from airlink.campaign.seeds import seeds_of
from airlink.campaign.shards import shard_of
from airlink.campaign.shelf import opened
from airlink.engine import Columns, Replica
from airlink.result.errors import StoreWarning

__all__ = [
    "CampaignResult",
    "Columns",
    "EngineError",
    "Measure",
    "Plan",
    "Replica",
    "Run",
    "StoreWarning",
    "engine_of",
    "grid",
    "measured",
    "opened",
    "outcome_of",
    "over_users",
    "run",
    "seeds_of",
    "shard_of",
    "stream",
]
