"""Several comparisons in one picture: their rows, their numbers, and what can't stand in one."""

from __future__ import annotations

import numpy as np
import pytest

import airlink
from airlink import Comparison, Scenario
from airlink.measures import measure
from airlink.plots import charts
from small_cells import CELL, GOODPUT

MAX = "scheduler.kind=max_rate"


def compared(users: int, **more: str) -> Comparison:
    arms: dict[str, Scenario | str] = {"now": CELL.with_(users=users), "max": MAX, **more}
    return airlink.compare(arms, measure=GOODPUT, others=["cell.jain_index"], seeds=range(1, 5), store=None)


def test_each_comparison_has_its_row_with_its_own_numbers() -> None:
    found = {"two": compared(2), "three": compared(3)}
    chart = charts.comparisons(found)
    rows = [found[name].comparison["max"] for name in found]  # type: ignore[index]
    assert chart.y.rows == [f"{name}: {row.verdict}" for name, row in zip(found, rows, strict=True)]
    (series,) = chart.series
    assert series.x_span is not None
    relative = [row.difference.relative for row in rows]
    for drawn, end in ((series.x, "mean"), (series.x_span.low, "low"), (series.x_span.high, "high")):
        np.testing.assert_allclose(drawn, [100 * getattr(each, end) for each in relative])
    assert series.y.tolist() == [0, 1]
    assert [band.name for band in chart.bands] == ["within 1 %: equivalent", "now"]
    charts.figure(chart).draw_without_rendering()


def test_of_several_arms_each_has_its_label_and_of_another_measure_there_is_no_verdict() -> None:
    chart = charts.comparisons({"two": compared(2, half="link.rate.bandwidth_hz=5e5")}, measure("cell.jain_index"))
    assert chart.y.rows == ["two, max", "two, half"]


def test_what_has_no_common_baseline_is_refused() -> None:
    other = airlink.compare({"then": CELL, "max": MAX}, measure=GOODPUT, others=[], seeds=[1, 2], store=None)
    swept = airlink.sweep(CELL, {"users": [1, 2]}, measures=[GOODPUT], seeds=[1], store=None)
    with pytest.raises(ValueError, match="no comparison"):
        charts.comparisons({})
    with pytest.raises(ValueError, match="against 'now', 'then'; one picture has one baseline"):
        charts.comparisons({"a": compared(2), "b": other})
    with pytest.raises(ValueError, match="is a sweep"):
        charts.comparisons({"a": swept})
