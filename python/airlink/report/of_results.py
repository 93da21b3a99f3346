"""Results of `airlink run` as parts of a page: their measures, the cell, the users, and distributions over them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from airlink.campaign.answer import Answer
from airlink.measures import Measure, lacking, measure, readable_unit
from airlink.plots.charts import Chart, answer_of, cdf, words
from airlink.report.page import Section
from airlink.report.tables import Sheet
from airlink.result import Result
from airlink.result.columns import meaning_of
from airlink.result.rounding import interval_text
from airlink.statistics import BatchMeans, mean_interval

MOST_USERS = 24
USERS_COLUMNS = (
    "distance_m", "mean_snr_db", "goodput_bps", "goodput_up_bps", "granted_bps", "queueing_delay_p95_s",
    "downloads", "download_p50_s", "download_p95_s",
)  # fmt: skip
DISTRIBUTIONS = (
    "users.p50(goodput_bps)",
    "users.p50(goodput_up_bps)",
    "users.p50(queueing_delay_p95_s)",
    "users.p50(download_p50_s)",
    "downloads.p50(time_s)",
)
"""Columns whose distribution over all users or downloads is drawn where there is one."""


def distributions(results: Mapping[str, Result], drawn: Collection[str]) -> list[Chart]:
    """The distributions of what users got, a line a result, without the charts of these names."""
    found = [each for each in map(measure, DISTRIBUTIONS) if _is_there(each, results)]
    if not found:
        return []
    answer: Answer = answer_of(results, found)
    charts = (cdf(answer, each) for each in found)
    return [chart for chart in charts if not chart.is_empty and chart.name not in drawn]


def sections(results: Mapping[str, Result], realizations: Mapping[str, BatchMeans]) -> list[Section]:
    """Cell and users of each result; of one run how well it knows its own goodput."""
    return [
        Section(
            f"{name}: cell and users" if len(results) > 1 else "Cell and users",
            (),
            [*_realizations(result, realizations.get(name)), _users(result), _cell(result)],
        )
        for name, result in results.items()
    ]


def _realizations(result: Result, found: BatchMeans | None) -> list[Sheet]:
    return [] if found is None else [_realization(found, result.scenario.has_uploads_only())]


def _realization(found: BatchMeans, of_uploads: bool) -> Sheet:
    """The goodput of one run by the batches of its time."""
    by, unit = readable_unit("b/s", [found.estimate.mean])
    note = f"Batch means of {found.estimate.n} parts of its time: {found.label}. They say nothing of other seeds."
    if found.is_correlated:
        note += " Neighbouring parts are correlated: the run is too short for this interval, which is too narrow."
    row = (
        "cell.goodput_up_bps" if of_uploads else "cell.goodput_bps",
        interval_text(found.estimate, by),
        unit,
        found.label,
    )
    return Sheet("Goodput of one run", ("measure", "value", "unit", "of"), [row], note, left=(2, 3))


def _is_there(each: Measure, results: Mapping[str, Result]) -> bool:
    return all(
        not lacking(each, result.scenario) and set(each.record) <= set(result.record) for result in results.values()
    )


def _users(result: Result) -> Sheet:
    """Users by goodput, means over replicas; of many the best and the worst."""
    users, replicas = result.users, len(result.replicas)
    means = {name: _mean(users[name], replicas) for name in USERS_COLUMNS if name in users}
    first = "goodput_up_bps" if result.scenario.has_uploads_only() and "goodput_up_bps" in means else "goodput_bps"
    order = np.argsort(-means[first], kind="stable").tolist()
    half = MOST_USERS // 2
    shown = order if len(order) <= MOST_USERS else order[:half] + order[-half:]
    heads, columns = ["user"], [[str(user) for user in shown]]
    for name, values in means.items():
        if not np.isfinite(values).any() or (name == "goodput_bps" and first != name):
            continue
        by, unit = readable_unit(meaning_of("users", name)[0], values)
        heads.append(words.with_unit(words.named(name)[0], unit))
        columns.append([_rounded(float(values[user]) / by) for user in shown])
    note = f"Mean of {replicas} replicas. " if replicas > 1 else "One replica. "
    note += "All of them" if len(shown) == len(order) else f"The best and the worst {half} of {len(order)}"
    return Sheet("Users", heads, list(zip(*columns, strict=True)), f"{note}, by {words.named(first)[0]}.")


def _mean(values: NDArray[np.float64], replicas: int) -> NDArray[np.float64]:
    """A column's mean over replicas, array [user]; NaN where no replica has a number."""
    rows = np.asarray(values, dtype=float).reshape(replicas, -1)
    known = np.isfinite(rows)
    count = known.sum(axis=0)
    total = np.where(known, rows, 0.0).sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _cell(result: Result) -> Sheet:
    """Every number of the cell that is not 0 throughout."""
    rows = []
    for name, values in result.cell.items():
        if name in ("replica", "seed") or not np.any(np.nan_to_num(np.asarray(values, dtype=float))):
            continue
        unit, meaning = meaning_of("cell", name)
        by, readable = readable_unit(unit, values)
        rows.append((name, interval_text(mean_interval(values), by), readable, meaning))
    note = "Means over replicas with 95 % intervals. " if len(result.replicas) > 1 else "One replica: no intervals. "
    heads = ("column", "value", "unit", "meaning")
    return Sheet("Cell", heads, rows, f"{note}Columns that are 0 throughout are left out.", left=(2, 3))


def _rounded(value: float) -> str:
    return f"{value:.4g}" if np.isfinite(value) else "-"


def lead(results: Mapping[str, Result]) -> str:
    """What was run, in words."""
    return "; ".join(f"{name}: {_what(result)}" for name, result in results.items()) + "."


def _what(result: Result) -> str:
    replicas, users = len(result.replicas), result.scenario.users
    told = f"{replicas} replica{'s' * (replicas != 1)} of {result.scenario.duration_s:g} s"
    return f"{told}, {users} user{'s' * (users != 1)}"
