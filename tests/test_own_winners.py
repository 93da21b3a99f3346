"""A metric with exp and ^ picks the same users as a formula, in NumPy and as a cfunc, though their functions differ."""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np
import pytest

import airlink
from airlink.own import View, compiled
from airlink.scenario import Scenario, ready
from own_compiled import AVERAGES, RATES, numba

FORMULA = "rate ^ 0.8 / average ^ 0.9 * exp(min(head_of_line_delay_s / 0.2, 5))"
DELAYS = compiled.column("head_of_line_delay_s")


class InNumpy:
    """The formula."""

    def metric(self, view: View) -> Any:
        urgency = np.exp(np.minimum(view.head_of_line_delay_s / 0.2, 5)) / view.average_bps**0.9
        return view.rate_bps**0.8 * urgency[:, None]


@numba.cfunc(compiled.metric_signature())  # type: ignore[untyped-decorator]
def in_numba(view: Any, metrics: Any) -> None:
    """The formula."""
    rate, average, delay = RATES(view), AVERAGES(view), DELAYS(view)
    users, subchannels = rate.shape
    for user in range(users):
        urgency = exp(min(delay[user] / 0.2, 5.0)) / average[user] ** 0.9
        for subchannel in range(subchannels):
            metrics[user * subchannels + subchannel] = float(rate[user, subchannel]) ** 0.8 * urgency


def _winners(scenario: Scenario, **own: Any) -> Any:
    """The winner of each slot and subchannel, in order."""
    rows = airlink.run(scenario, record=["slots"], **own).replicas[0].series["slots"]
    return np.stack([rows[name] for name in ("slot", "subchannel", "user") if name in rows])


@pytest.mark.parametrize("subchannels", [1, 20])
def test_a_metric_with_exp_and_powers_has_the_same_winners_in_all_ways(subchannels: int) -> None:
    average = {"time_constant_slots": 100.0, "ties": "lowest_index"}
    cell = ready("k3", ["duration_s=20"]).with_(
        **{"carrier.subchannels": subchannels, "scheduler": {"kind": "formula", "metric": FORMULA, **average}}
    )
    fair = cell.with_(scheduler={"kind": "proportional_fair", **average})
    expected = _winners(cell)
    for given in (InNumpy, in_numba):
        found = _winners(fair, scheduler=given)
        rows = min(found.shape[1], expected.shape[1])
        assert abs(found.shape[1] - expected.shape[1]) <= rows / 1000
        assert np.all(found[:, :rows] == expected[:, :rows], axis=0).mean() >= 0.999
    # The metric matters: plain proportional fair has other winners.
    other = _winners(fair)
    rows = min(other.shape[1], expected.shape[1])
    assert np.all(other[:, :rows] == expected[:, :rows], axis=0).mean() < 0.9
