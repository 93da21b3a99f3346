"""Intervals hold the truth on simulations: a small version of the table, the table itself, and the table anew."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from airlink.result import Estimate

from ..coverage import results_of
from ..coverage.tally import Case, Coverage, read, spread, tally
from . import TABLES, rows
from .campaigns import CAMPAIGNS, fixed
from .pools import Pool, run
from .scenarios import MAX, Simulated, scenarios

DEVIATIONS = 4.5
FEW = 80
"""Campaigns of the small version, of 20 runs each."""


@lru_cache(maxsize=1)
def max_rate() -> tuple[Simulated, Pool]:
    simulated = replace(scenarios(1)[0], runs=20 * FEW)
    return simulated, run(simulated)


def covered(estimates: list[Estimate]) -> float:
    return tally(Case("", "", ""), max_rate()[0].exact[MAX], estimates).covered


def test_the_pool_of_max_rate_has_the_mean_of_its_closed_form() -> None:
    simulated, runs = max_rate()
    values = runs.values[MAX]
    error = float(np.std(values, ddof=1)) / np.sqrt(values.size)
    assert abs(np.mean(values) - simulated.exact[MAX]) < DEVIATIONS * error


@pytest.mark.parametrize("controlled", [False, True])
def test_intervals_of_max_rate_hold_its_closed_form(controlled: bool) -> None:
    estimates = fixed(max_rate()[1], MAX, 20, FEW, controlled)
    assert abs(covered(estimates) - 0.95) < DEVIATIONS * spread(0.95, FEW)
    halved = [replace(each, low=(each.low + each.mean) / 2, high=(each.high + each.mean) / 2) for each in estimates]
    assert covered(halved) < 0.95 - DEVIATIONS * spread(0.95, FEW)


@pytest.mark.validate
def test_the_tables_come_out_again(tmp_path: Path) -> None:
    stored = [row for table in TABLES for row in read(results_of(table))]
    anew = sorted(rows(tmp_path), key=lambda row: TABLES.index(row.part))
    assert [(row.case, row.method) for row in anew] == [(row.case, row.method) for row in stored]
    assert [(now, was) for now, was in zip(anew, stored, strict=True) if not close(now, was)] == []


def close(now: Coverage, was: Coverage) -> bool:
    return abs(now.covered - was.covered) <= DEVIATIONS * math.sqrt(2) * spread(0.95, CAMPAIGNS)
