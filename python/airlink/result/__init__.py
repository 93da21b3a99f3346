"""Results: what a run leaves behind, in memory and on disk."""

from airlink.engine import Table
from airlink.result.errors import MissingExtra, NotRecorded, ResultError, ResultExists
from airlink.result.estimate import Estimate
from airlink.result.result import Result, Summary
from airlink.result.run import run

__all__ = [
    "Estimate",
    "MissingExtra",
    "NotRecorded",
    "Result",
    "ResultError",
    "ResultExists",
    "Summary",
    "Table",
    "run",
]
