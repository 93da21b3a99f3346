"""Measures: a column of a result and whose it is, as one number of many runs.

    measure("users.p05(goodput_bps)")      # the cell edge
    measure("downloads.p95(time_s)")       # page time

A measure is read of each run (`found`) and estimated from all of them (`estimate`). docs/measures.md has the
grammar and what each form means; `airlink list measures` has all columns.
"""

from airlink.measures.conditions import check, lacking
from airlink.measures.controls import Control, controls
from airlink.measures.directions import better
from airlink.measures.errors import MeasureError
from airlink.measures.estimates import Found, differences, estimate, found, remark
from airlink.measures.grammar import measure, measures
from airlink.measures.measure import Measure
from airlink.measures.populations import POPULATIONS, Population
from airlink.measures.usual import defaults
from airlink.tables.units import readable_unit

__all__ = [
    "POPULATIONS",
    "Control",
    "Found",
    "Measure",
    "MeasureError",
    "Population",
    "better",
    "check",
    "controls",
    "defaults",
    "differences",
    "estimate",
    "found",
    "lacking",
    "measure",
    "measures",
    "readable_unit",
    "remark",
]
