"""Intervals hold the truth on simulations: a small version of the table, the table itself, and the table anew."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from airlink.result import Estimate

from ..coverage.tally import Case, read, spread, tally
from . import RESULTS, rows
from .campaigns import fixed, until
from .pools import run
from .scenarios import MAX, scenarios

DEVIATIONS = 4.5


def test_intervals_of_max_rate_hold_its_closed_form_with_and_without_controls() -> None:
    of_max = replace(scenarios(1)[0], runs=1600)
    truth, runs = of_max.exact[MAX], run(of_max)
    error = float(np.std(runs.values[MAX])) / np.sqrt(1600)
    assert abs(np.mean(runs.values[MAX]) - truth) < DEVIATIONS * error
    for controlled in (False, True):
        row = tally(Case("", "", ""), truth, fixed(runs, MAX, 20, 80, controlled))
        assert abs(row.covered - 0.95) < DEVIATIONS * spread(0.95, 80)
        assert row.infinite == 0


def test_half_an_interval_is_seen_to_hold_the_truth_too_seldom() -> None:
    of_max = replace(scenarios(1)[0], runs=1600)
    estimates = [_half(each) for each in fixed(run(of_max), MAX, 20, 80)]
    assert tally(Case("", "", ""), of_max.exact[MAX], estimates).covered < 0.95 - DEVIATIONS * spread(0.95, 80)


def _half(found: Estimate) -> Estimate:
    half = found.half_width / 2
    return replace(found, low=found.mean - half, high=found.mean + half)
