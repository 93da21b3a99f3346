"""Rates in windows and how fair they are: against plain loops, closed cases, and the totals of the tables."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import airlink
import chromium
import strategies
from airlink import Result, Scenario, fairness, plots
from airlink.cli import app
from airlink.fairness.arrival import in_order
from airlink.fairness.presence import time_within, united
from airlink.plots.fairness_page import document, summary
from airlink.plots.viewer import write_document
from airlink.plots.viewer.packing import packed, step_of, unpacked
from airlink.scenario import ready
from airlink.statistics import jain_index, jain_parts

MIXED = Scenario.from_toml("""
name = "mixed"
duration_s = 6
warmup_s = 1
users = 3
slot.duration_ms = 3
channel.placement = {kind = "mean_snr_range", low_db = 3, high_db = 10}
channel.fading.kind = "rayleigh"
link.rate = {kind = "capacity", bandwidth_hz = 2e6}
link.errors.probability = 0.003
rlc.in_order = false
scheduler.kind = "proportional_fair"
queue.limit_packets = 20
flows = [
  {users = [0], stop_s = 3.2},
  {users = [1], traffic = {kind = "file", bytes = 200_000}, start_s = 2.1},
  {users = [2]},
  {users = [2], traffic = {kind = "sessions", think_s = 0.4}},
  {users = [2], traffic = {kind = "poisson", arrivals_per_s = 1, size = {kind = "constant", bytes = 30_000}}},
]
""")


@pytest.fixture(scope="module")
def mixed() -> Result:
    return airlink.run(MIXED, replicas=2, record=["packets", "downloads"])


@pytest.fixture(scope="module")
def wired() -> Result:
    return airlink.run(airlink.scenario.ready("dumbbell", ["duration_s=6", "users=3"]), seed=3, record=["packets"])


# What arrived in order


@st.composite
def segments(draw: st.DrawFn) -> list[tuple[int, int, int]]:
    """(start, end, time) of segments of a short stream, whole or not, again or not."""
    pairs = st.tuples(st.integers(0, 20), st.integers(1, 6), st.integers(0, 30))
    return [(start, start + length, time) for start, length, time in draw(st.lists(pairs, max_size=12))]


@given(segments())
def test_bytes_count_when_all_before_them_have_come(sent: list[tuple[int, int, int]]) -> None:
    start, end, time_s = (
        (np.array(column, dtype=float) for column in zip(*sent, strict=True)) if sent else [np.zeros(0)] * 3
    )
    times, sizes = in_order(start.astype(int), end.astype(int), time_s)
    assert (np.diff(times) >= 0).all()
    for moment in range(31):
        there = {byte for first, last, when in sent if when <= moment for byte in range(first, last)}
        edge = next(byte for byte in range(40) if byte not in there)
        assert sizes[times <= moment].sum() == edge


@pytest.mark.parametrize("of", ["flow", "user", "queue"])
@pytest.mark.parametrize("window_s", [0.37, 1.0, 5.0, 60.0])
def test_windows_add_up_to_the_goodput_of_the_tables(mixed: Result, of: fairness.Member, window_s: float) -> None:
    rates = fairness.rates(mixed, window_s, of=of)
    table = mixed.flows if of == "flow" else mixed.users
    for replica in (0, 1):
        own = rates.where(rates["replica"] == replica)
        stored = table.where(table["replica"] == replica)
        got = np.bincount(own[of], weights=own["goodput_bytes"], minlength=stored.rows)
        assert got.tolist() == stored["goodput_bytes"].tolist()


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(strategies.scenarios())
def test_windows_of_any_run_add_up_to_the_goodput_of_the_tables(scenario: Scenario) -> None:
    result = airlink.run(scenario, record=["packets", "downloads"])
    probed = "window_probes" in result.flows and result.flows["window_probes"].any()
    if probed or not result.cell["measured_s"][0] > 0:
        return
    rates = fairness.rates(result, scenario.duration_s / 7)
    got = np.bincount(rates["flow"], weights=rates["goodput_bytes"], minlength=result.flows.rows)
    assert got.tolist() == result.flows["goodput_bytes"].tolist()


def test_rates_are_those_that_a_plain_loop_counts(wired: Result) -> None:
    window_s, step_s = 0.5, 0.2
    rates = fairness.rates(wired, window_s, step_s=step_s)
    header = wired.scenario.flows[0].tcp.header_bytes
    rows = wired.series("packets")
    for flow in range(3):
        own = rows.where((rows["flow"] == flow) & (rows["fate"] == 0))
        told = rates.where(rates["flow"] == flow)
        for begin, width, size in zip(told["time_s"], told["width_s"], told["goodput_bytes"], strict=True):
            edges = []
            for until in (begin, begin + width):
                came = own["ended_s"] <= until + 1e-10
                edge = 0
                for first, length in sorted(zip(own["sequence"][came], own["bytes"][came] - header, strict=True)):
                    edge = max(edge, first + length) if first <= edge else edge
                edges.append(edge)
            assert size == edges[1] - edges[0]
    np.testing.assert_allclose(rates["goodput_bps"], 8 * rates["goodput_bytes"] / rates["present_s"])


# Who is there


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=6), st.integers(0, 20), st.integers(0, 20))
def test_time_in_a_window_is_counted_second_by_second(spans: list[tuple[int, int]], begin: int, length: int) -> None:
    there = {second for low, high in spans for second in range(low, high)}
    covered = time_within(united(spans), np.array([float(begin)]), np.array([float(begin + length)]))
    assert covered[0] == len(there & set(range(begin, begin + length)))


def test_a_flow_counts_only_while_it_is_there(mixed: Result) -> None:
    rates = fairness.rates(mixed, 0.1, replica=0, start_s=0.0)
    whole = rates.where(rates["present_s"] > 0.1 - 1e-9)
    stopped, file = (whole.where(whole["flow"] == flow)["time_s"] for flow in (0, 1))
    assert stopped.min() == 0
    assert 3.1 <= stopped.max() < 4
    done = 2.1 + mixed.flows["completion_s"][1]
    assert file.min() == pytest.approx(2.1)
    assert file.max() + 0.1 <= done < 6
    index = fairness.jain(rates)
    counted = np.bincount(np.searchsorted(index["time_s"], whole["time_s"]), minlength=index.rows)
    assert index["members"].tolist() == counted.tolist()


def test_a_session_is_there_while_a_page_is_on_its_way(mixed: Result) -> None:
    rates = fairness.rates(mixed, 6.0, replica=1, start_s=0.0)
    pages = mixed.series("downloads", 1)
    own = pages.where(pages["flow"] == 3)
    asked = np.fmin(own["completed_s"], 6.0) - own["requested_s"]
    assert rates["present_s"][rates["flow"] == 3] == pytest.approx(asked.sum())
    users = fairness.rates(mixed, 6.0, of="user", replica=1, start_s=0.0)
    assert users["present_s"][users["user"] == 2] == pytest.approx(6.0)


def test_a_rate_is_that_of_the_time_in_which_it_was_there(mixed: Result) -> None:
    rates = fairness.rates(mixed, 5.0, replica=0)
    own = rates.where(rates["flow"] == 1)
    assert own["present_s"][0] == pytest.approx(mixed.flows["completion_s"][1])
    assert own["goodput_bps"][0] == pytest.approx(8 * 200_000 / mixed.flows["completion_s"][1])


# Jain's index


@given(
    st.lists(st.tuples(st.floats(0, 1e6) | st.just(float("nan")), st.integers(0, 3), st.integers(0, 2)), min_size=1),
)
def test_the_parts_multiply_to_the_whole(rows: list[tuple[float, int, int]]) -> None:
    shares, groups, sets = (np.array(column) for column in zip(*rows, strict=True))
    parts = jain_parts(shares, groups, sets)
    for number in range(int(sets.max()) + 1):
        own = (sets == number) & ~np.isnan(shares)
        x, of = shares[own], groups[own]
        assert (parts.members[number], parts.groups[number]) == (x.size, np.unique(of).size)
        if not x.sum() > 1e-100:
            continue
        levelled = np.array([x[of == group].mean() for group in of])
        assert parts.whole[number] == pytest.approx(float(jain_index(x)))
        assert parts.across[number] == pytest.approx(float(jain_index(levelled)))
        assert parts.within[number] * parts.across[number] == pytest.approx(parts.whole[number])
        # The variance is that across groups and the mean of those within: the textbook's law of total variance.
        variation = np.mean((levelled - x.mean()) ** 2) + np.mean((x - levelled) ** 2)
        assert 1 / parts.whole[number] - 1 == pytest.approx(variation / x.mean() ** 2, abs=1e-9)


@pytest.mark.parametrize(
    ("shares", "within", "across"),
    [
        ([5, 5, 5, 5], 1, 1),
        ([8, 0, 8, 0], 1 / 2, 1),
        ([4, 4, 0, 0], 1, 1 / 2),
        ([8, 0, 0, 0], 1 / 2, 1 / 2),
        ([3, 1, 2, 2], 16 / 18, 1),
    ],
)
def test_closed_cases_of_two_queues_of_two(shares: Sequence[float], within: float, across: float) -> None:
    parts = jain_parts(shares, [0, 0, 1, 1])
    assert (float(parts.within), float(parts.across)) == pytest.approx((within, across))


def test_one_flow_a_queue_is_fair_within_and_one_queue_across(mixed: Result, wired: Result) -> None:
    users = fairness.jain(fairness.rates(mixed, 0.5, of="user"))
    assert users["within"][users["members"] > 0] == pytest.approx(1)
    shared = fairness.jain(fairness.rates(wired, 0.5))
    assert set(shared["queues"]) == {1}
    assert shared["across"] == pytest.approx(1)
    flow = fairness.rates(wired, 0.5)
    for row in range(shared.rows):
        rates = flow["goodput_bps"][flow["time_s"] == shared["time_s"][row]]
        assert shared["jain"][row] == pytest.approx(float(jain_index(rates)))


def test_shares_are_what_the_windows_hold(mixed: Result) -> None:
    rates = fairness.rates(mixed, 0.5)
    shares = fairness.shares(rates)
    for row in range(shares.rows):
        own = rates.where((rates["replica"] == shares["replica"][row]) & (rates["flow"] == shares["flow"][row]))
        values = own["goodput_bps"][own["present_s"] > own["width_s"] - 1e-9]
        assert shares["windows"][row] == values.size
        told = [shares[name][row] for name in ("least_bps", "median_bps", "most_bps", "deviation_bps")]
        wanted = [values.min(), np.median(values), values.max(), values.std()] if values.size else [np.nan] * 4
        np.testing.assert_allclose(told, wanted)
    np.testing.assert_allclose(shares["goodput_bytes"].sum(), mixed.flows["goodput_bytes"].sum())
    parts = [shares["of_queue"][(shares["replica"] == 0) & (shares["queue"] == queue)].sum() for queue in range(3)]
    np.testing.assert_allclose(parts, 1)


def test_replicas_give_an_interval(mixed: Result) -> None:
    index = fairness.jain(fairness.rates(mixed, 0.5))
    found = fairness.over_replicas(index)["jain"]
    means = [index["jain"][(index["replica"] == each) & (index["members"] > 1)].mean() for each in (0, 1)]
    assert found.n == 2
    assert found.mean == pytest.approx(np.mean(means))
    assert np.isnan(fairness.over_replicas(index, fewest=99)["jain"].mean)


def test_tables_open_as_frames(mixed: Result) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(dict(fairness.rates(mixed, 1.0)))
    assert frame.groupby("flow").goodput_bytes.sum().sum() == mixed.flows["goodput_bytes"].sum()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"window_s": 0.0}, "window_s is 0; it must be above 0"),
        ({"window_s": 1.0, "step_s": -1.0}, "step_s is -1"),
        ({"window_s": 1e-9}, "1 to 1000000 can"),
        ({"window_s": 9.0, "step_s": 1.0}, "0 of them lie"),
        ({"window_s": 1.0, "replica": 2}, "replica 2 does not exist"),
        ({"window_s": 1.0, "start_s": 6.0}, "nothing begins at 6 s"),
    ],
)
def test_what_can_not_be_is_refused(mixed: Result, options: dict[str, float], message: str) -> None:
    with pytest.raises(airlink.RequestError, match=re.escape(message)):
        fairness.rates(mixed, **options)  # type: ignore[arg-type]
    with pytest.raises(airlink.RequestError, match="presence is 2"):
        fairness.jain(fairness.rates(mixed, 5.0), presence=2)


# How it is shown


def test_lines_are_coloured_by_queue_and_end_with_their_flow() -> None:
    few = airlink.run(MIXED.with_(flows=MIXED.flows[:4]), record=["packets"])
    view = plots.fairness_view(few, window_s=0.25)
    figure = plots.fairness_figure(view)
    figure.draw_without_rendering()
    above, below = figure.axes
    queues = {line.get_label(): line.get_color() for line in above.lines}
    assert queues["flow 2, queue 2"] == queues["flow 3, queue 2"] != queues["flow 0, queue 0"]
    stopped = np.asarray(above.lines[0].get_ydata(), dtype=float)
    middles = np.asarray(above.lines[0].get_xdata(), dtype=float)
    assert middles[np.isfinite(stopped)].max() < 4.5
    assert [line.get_label() for line in below.lines] == ["all flows", "within queues", "across queues"]
    assert (above.get_title(loc="left"), above.get_ylabel()) == ("goodput in windows of 0.25\u00a0s", "Mb/s")


def test_many_flows_of_many_users_have_a_figure_and_rows_of_a_page() -> None:
    many = airlink.run(MIXED.with_(users=20, duration_s=2, flows=[{}]))
    view = plots.fairness_view(many)
    figure = plots.fairness_figure(view, column=True)
    figure.draw_without_rendering()
    mesh = figure.axes[0].collections[0].get_array()
    assert mesh is not None
    np.testing.assert_allclose(np.ma.filled(mesh, np.nan) * 1e6, view.courses)
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()][:2] == ["0, queue 0", "1, queue 1"]
    (layer,) = document(view).panels[0].layers
    assert (layer.kind, layer.more["users"]) == ("heat", 20)


def test_lines_differ_in_colour_by_queue_and_in_dashes_within_one() -> None:
    def looks(result: Result) -> list[tuple[int, str, int]]:
        view = plots.fairness_view(result)
        lines = document(view).panels[0].layers
        return [(view.owners[int(line.table.removeprefix("rates_"))], line.colour, line.more["dash"]) for line in lines]

    several = looks(airlink.run(MIXED.with_(users=3, duration_s=2, flows=[{}, {"users": [0, 2]}])))
    assert len(set(several)) == len(several) == 5
    assert len({queue for queue, _, _ in several}) == len({colour for _, colour, _ in several}) == 3
    one = looks(airlink.run(ready("dumbbell", ["duration_s=1", "users=3"])))
    assert len({colour for _, colour, _ in one}) == len(one) == 3


def test_a_row_bears_the_number_of_its_flow_whatever_its_place() -> None:
    many = airlink.run(MIXED.with_(users=6, duration_s=2, flows=[{}, {"users": [0, 1]}]))
    view = plots.fairness_view(many)
    assert list(view.owners) == [0, 6, 1, 7, 2, 3, 4, 5]
    rows = document(view).panels[0].more["rows"]
    assert (rows["noun"], rows["numbers"]) == ("flow", [0, 6, 1, 7, 2, 3, 4, 5])
    assert rows["names"][:3] == ["flow 0, queue 0", "flow 6, queue 0", "flow 1, queue 1"]


def test_files_shorter_than_a_window_count_with_less_presence() -> None:
    files = {"kind": "poisson", "arrivals_per_s": 4, "size": {"kind": "constant", "bytes": 5000}}
    result = airlink.run(MIXED.with_(users=2, flows=[{"traffic": files}]))
    strict, all_of_them = (plots.fairness_view(result, window_s=1.0, presence=share) for share in (1.0, 0.0))
    assert strict.counted.rows == 0
    assert all_of_them.counted.rows == all_of_them.rates.rows > 0
    assert all_of_them.index["members"].sum() == all_of_them.rates.rows
    plots.fairness_figure(all_of_them).draw_without_rendering()


def test_a_run_in_which_nobody_starts_has_a_figure_and_a_page() -> None:
    view = plots.fairness_view(airlink.run(MIXED.with_(flows=[{"start_s": 5.5}])), stop_s=5.0)
    plots.fairness_figure(view).draw_without_rendering()
    assert document(view).panels == []
    assert "No window" in summary(view)


def test_the_page_says_the_means_and_draws_without_complaint(mixed: Result, tmp_path: Path) -> None:
    view = plots.fairness_view(mixed, window_s=0.5, step_s=0.25)
    index = view.index.where((view.index["members"] > 1) & np.isfinite(view.index["jain"]))
    assert f"mean of {index.rows} windows: {index['jain'].mean():.3f}; within" in summary(view)
    held = document(view).tables["index"]
    for name in ("jain", "within", "across"):
        column = packed(held[f"{name}_index"], step_of(f"{name}_index"))
        np.testing.assert_allclose(unpacked(column), view.index[name], atol=1e-4)
    page = write_document(document(view), tmp_path / "page.html")
    if chromium.program() is None:
        pytest.skip("chromium is not installed")
    with chromium.browser() as browser:
        browser.open(page)


def test_the_command_prints_users_and_flows_within_80_columns(mixed: Result, tmp_path: Path) -> None:
    folder = mixed.save(tmp_path / "mixed")
    answer = CliRunner().invoke(app, ["report", "fairness", str(folder), "--window", "0.5"])
    assert answer.exit_code == 0, answer.output
    assert max(map(len, answer.stdout.splitlines())) <= 80
    goodput = mixed.flows["goodput_bytes"].sum() / 2
    told = json.loads(CliRunner().invoke(app, ["report", "fairness", str(folder), "--json"]).stdout)
    assert sum(told["users"]["goodput_bytes"]) / 2 == goodput
    parts = told["index"]["all the time"]
    assert parts["jain"]["n"] == 2
    assert 0 < parts["jain"]["mean"] <= parts["within"]["mean"] <= 1
    wrong = CliRunner().invoke(app, ["report", "fairness", str(folder), "--window", "0"])
    assert (wrong.exit_code, wrong.stderr) == (2, "airlink: window_s is 0; it must be above 0\n")
