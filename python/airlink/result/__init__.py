"""Results: what a run leaves behind, in memory and on disk."""

from airlink.result.errors import MissingExtra, NotRecorded, ResultError, ResultExists
from airlink.result.estimate import Estimate
from airlink.result.result import Result
from airlink.result.run import run
from airlink.result.table import Table

__all__ = ["Estimate", "MissingExtra", "NotRecorded", "Result", "ResultError", "ResultExists", "Table", "run"]
