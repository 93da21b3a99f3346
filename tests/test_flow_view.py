"""What is seen of a flow and of a cell: held against runs whose packets can be counted by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import airlink
from airlink import RequestError, Result, ResultError, Scenario, engine, plots
from airlink.plots.flow import thinning, words
from airlink.plots.flow.panels import time_by_cause
from airlink.plots.flow.reordering import nth_duplicates, out_of_order
from airlink.plots.flow.sequence import sequence
from airlink.plots.style import blank
from airlink.result import Table
from airlink.result.rerun import missing, rerun
from airlink.scenario import ready

MSS = 1460
IMPAIRED = "flows.0.path.downlink_impairments"
CELL = Scenario.from_toml("""
name = "cell"
duration_s = 2
users = 3
slot.duration_ms = 5
channel.placement = {kind = "mean_snr_range", low_db = 5, high_db = 15}
channel.fading.kind = "rayleigh"
link.rate = {kind = "capacity", bandwidth_hz = 1e6}
link.errors.probability = 0.02
scheduler.kind = "proportional_fair"
flows = [{}, {users = [1]}]
""")


def wire(*changes: str, duration_s: float = 0.5) -> Result:
    """A dumbbell whose queue is never full, with an ACK for each segment."""
    tcp = ["flows.0.tcp.initial_window_segments=1", "flows.0.tcp.delayed_ack.every=1"]
    return airlink.run(ready("dumbbell", [f"duration_s={duration_s}", "bottleneck.limit_packets=inf", *tcp, *changes]))


def marked(table: Table, flag: str, column: str) -> list[float]:
    """The packets, counted from 0, of the rows that have a mark."""
    return [float(byte) / MSS for byte in table.where(table[flag] != 0)[column]]


@pytest.fixture(scope="module")
def cell() -> Result:
    return airlink.run(CELL, seed=3)


# What is marked


def test_one_lost_packet_is_sent_again_once_asked_for_once_and_late_once() -> None:
    view = plots.flow_view(wire(f"{IMPAIRED}.drop_numbers=[20]"), user=0)
    assert marked(view.segments, "retransmission", "start") == [20]
    assert marked(view.segments, "out_of_order", "start") == [20]
    assert marked(view.acks, "third", "number") == [20]
    assert (view.drops["start"] / MSS).tolist() == [20]
    assert view.drops["fate"].tolist() == [5]
    (again_s,) = view.segments["sent_s"][view.segments["retransmission"] != 0]
    (third_s,) = view.acks["time_s"][view.acks["third"] != 0]
    assert again_s == third_s
    assert view.events["time_s"][view.events["event"] == words.FAST_RETRANSMIT].tolist() == [third_s]


def test_an_overtaken_packet_is_late_and_not_sent_again() -> None:
    overtaken = (f"{IMPAIRED}.reorder_numbers=[20]", f"{IMPAIRED}.reorder_extra_ms=2")
    view = plots.flow_view(wire(*overtaken), user=0)
    assert marked(view.segments, "out_of_order", "start") == [20]
    assert view.segments["retransmission"].sum() == 0
    assert view.acks["duplicate"].sum() == 2
    assert view.acks["third"].sum() == 0


def test_a_threshold_of_two_duplicates_marks_the_second() -> None:
    two = wire(f"{IMPAIRED}.drop_numbers=[20]", "flows.0.tcp.duplicate_ack_threshold=2")
    view = plots.flow_view(two, user=0)
    row = int(np.flatnonzero(view.acks["third"])[0])
    assert view.acks["duplicate"][row - 2 : row + 1].tolist() == [0, 1, 1]


def test_a_second_copy_of_what_has_arrived_is_not_out_of_order() -> None:
    spike = "path.downlink_impairments.delay_spikes=[{at_s=0.2, for_s=1.5, extra_ms=1500}]"
    view = plots.flow_view(wire(f"flows.0.{spike}", duration_s=6), user=0)
    twice = view.segments.where((view.segments["retransmission"] != 0) & (view.segments["fate"] == 0))
    assert twice.rows > 5
    assert twice["out_of_order"].sum() == 0


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(1, 5), st.booleans()), max_size=12))
def test_out_of_order_is_what_a_set_of_bytes_says(sent: list[tuple[int, int, bool]]) -> None:
    start = np.array([first for first, _, _ in sent], dtype=np.int64)
    end = start + np.array([length for _, length, _ in sent], dtype=np.int64)
    arrived = np.array([each for _, _, each in sent], dtype=bool)
    known: set[int] = set()
    expected = []
    for first, last, comes in zip(start.tolist(), end.tolist(), arrived.tolist(), strict=True):
        new = set(range(first, last)) - known
        expected.append(int(comes and bool(known) and any(byte < max(known) for byte in new)))
        known |= new if comes else set()
    assert out_of_order(start, end, np.arange(start.size, dtype=float), arrived).tolist() == expected


def test_duplicates_are_counted_anew_after_an_ack_of_new_data() -> None:
    number = np.array([1, 1, 1, 5, 5, 5, 4, 5, 5])
    duplicate = np.array([0, 1, 1, 0, 1, 1, 0, 0, 1])
    assert nth_duplicates(number, duplicate, 3).tolist() == [0, 0, 0, 0, 0, 0, 0, 0, 1]
    assert nth_duplicates(number, duplicate, 2).tolist() == [0, 0, 1, 0, 0, 1, 0, 0, 0]
    assert nth_duplicates(number[:0], duplicate[:0], 3).size == 0


# What is cut


def test_a_stretch_holds_what_happened_in_it_and_the_state_at_its_beginning() -> None:
    result = wire(f"{IMPAIRED}.drop_numbers=[20]")
    whole, part = plots.flow_view(result, user=0), plots.flow_view(result, user=0, start_s=0.2, stop_s=0.3)
    inside = (whole.segments["sent_s"] >= 0.2) & (whole.segments["sent_s"] < 0.3)
    assert part.segments["start"].tolist() == whole.segments["start"][inside].tolist()
    for name in ("queue", "window", "rto"):
        before, cut = getattr(whole, name), getattr(part, name)
        column = list(before)[1]
        last = np.flatnonzero(before["time_s"] < 0.2)[-1]
        assert (cut["time_s"][0], cut[column][0]) == (0.2, before[column][last])
        assert cut["time_s"][-1] < 0.3
    assert part.limits["from_s"][0] == 0.2
    assert part.limits["to_s"][-1] == 0.3
    np.testing.assert_array_equal(part.limits["from_s"][1:], part.limits["to_s"][:-1])
    # The third duplicate is the third of its row, wherever the stretch begins.
    late = plots.flow_view(result, user=0, start_s=float(whole.acks["time_s"][np.flatnonzero(whole.acks["third"])[0]]))
    assert late.acks["third"][0] == 1


def test_the_counts_are_those_of_the_tables(cell: Result) -> None:
    for flow in range(4):
        view = plots.flow_view(cell, flow=flow)
        assert view.segments.rows == cell.flows["segments_sent"][flow]
        assert view.segments["retransmission"].sum() == cell.flows["retransmissions"][flow]
        assert view.acks.rows == cell.flows["acks_received"][flow]
        assert view.acks["duplicate"].sum() == cell.flows["duplicate_acks"][flow]
        assert view.slots.rows == cell.users["slots_won"][view.user]
        assert view.slots["error"].sum() == cell.users["frame_errors"][view.user]
        assert view.snr["time_s"].tolist() == pytest.approx((0.005 * np.arange(400)).tolist())
        assert np.all(view.segments["end"] - view.segments["start"] == MSS)


def test_a_bottlenecks_queue_is_that_of_all_users() -> None:
    result = airlink.run(ready("dumbbell", ["duration_s=1", "users=2"]), record=["queue"])
    view = plots.flow_view(result, user=0)
    assert view.queue.rows == result.series("queue").rows
    assert view.slots.rows == view.snr.rows == 0


def test_a_flow_is_chosen_by_its_user_or_its_number(cell: Result) -> None:
    assert plots.flow_view(cell, user=1).flow == 1
    assert plots.flow_view(cell, user=1, flow=3).flow == 3
    assert plots.flow_view(cell, flow=3).user == 1


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"user": 3}, "user 3 does not exist; there are 3, from 0 to 2"),
        ({"user": -1}, "user -1 does not exist"),
        ({"flow": 4}, "flow 4 does not exist; there are 4, from 0 to 3"),
        ({"user": 0, "flow": 3}, "flow 3 goes to user 1; user 0 has 0"),
        ({}, "name a user or a flow"),
        ({"user": 0, "replica": 1}, "replica 1 does not exist; there is one, 0"),
        ({"user": 0, "start_s": 2.0}, "nothing begins at 2 s: the run is from 0 to 2 s"),
        ({"user": 0, "start_s": -1.0}, "nothing begins at -1 s"),
        ({"user": 0, "start_s": float("nan")}, "nothing begins at nan s"),
        ({"user": 0, "start_s": 1.0, "stop_s": 1.0}, "the end must be after the beginning"),
        ({"user": 0, "stop_s": float("nan")}, "the end must be after the beginning"),
    ],
)
def test_what_is_not_there_is_refused_with_what_is(cell: Result, choice: dict[str, float], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        plots.flow_view(cell, **choice)  # type: ignore[arg-type]


def test_a_flow_without_tcp_says_what_can_be_drawn_instead() -> None:
    backlogged = airlink.run(CELL.with_(flows=[{"traffic": {"kind": "backlogged"}}]))
    with pytest.raises(ResultError, match=r"without TCP there are no ACKs .* airlink plot cell"):
        plots.flow_view(backlogged, user=0)
    assert plots.cell_view(backlogged).rates["delivered_bps"].sum() > 0


# What was not recorded


def test_what_was_recorded_and_what_is_simulated_again_are_the_same(cell: Result, tmp_path: Path) -> None:
    recorded = airlink.run(CELL, seed=3, record=engine.recordable(CELL))
    cell.save(tmp_path / "stored")
    for result in (cell, Result.load(tmp_path / "stored")):
        ours, theirs = plots.flow_view(result, user=2), plots.flow_view(recorded, user=2)
        for name in ("segments", "acks", "slots", "snr", "queue", "drops", "window", "rtt", "rto", "events", "limits"):
            for column, values in getattr(theirs, name).items():
                np.testing.assert_array_equal(getattr(ours, name)[column], values)


def test_a_replica_is_simulated_again_with_its_own_seed() -> None:
    result = airlink.run(CELL, seed=3, replicas=3)
    view = plots.flow_view(result, user=0, replica=2)
    assert view.seed == 5
    assert view.segments.rows == result.flows["segments_sent"].reshape(3, -1)[2, 0]


def test_only_what_is_missing_is_simulated_again(cell: Result) -> None:
    made = airlink.run(CELL, record=["slots", "acks"])
    assert missing(made, ["slots", "packets"]) == ["packets"]
    assert missing(airlink.run(ready("dumbbell", ["duration_s=1"])), ["slots", "snr", "acks"]) == ["acks"]
    assert rerun(cell, ["gaps"]).record == ("gaps",)


def test_a_series_that_lacks_a_column_is_recorded_again() -> None:
    made = airlink.run(CELL, seed=3, record=["acks", "packets"])
    (replica,) = made.replicas
    fewer = Table({name: values for name, values in replica.series["acks"].items() if name != "window_bytes"})
    old = replace(replica, series={**replica.series, "acks": fewer})
    stored = Result(made.scenario, [old], made.record, made.version)
    assert missing(stored, ["acks", "packets"]) == ["acks"]
    assert plots.flow_view(stored, user=0).acks.rows == plots.flow_view(made, user=0).acks.rows


def test_a_changed_result_is_found_out(cell: Result) -> None:
    (replica,) = cell.replicas
    changed = replace(replica, flows=Table({**replica.flows, "timeouts": replica.flows["timeouts"] + 1}))
    with pytest.raises(ResultError, match="seed 3 gives another timeouts in flows"):
        rerun(Result(cell.scenario, [changed], (), cell.version), ["acks"])


def test_a_result_of_another_version_is_not_simulated_again(cell: Result) -> None:
    with pytest.raises(ResultError, match=r"made by airlink 0\.0\.1; this is .* --record acks"):
        rerun(Result(cell.scenario, cell.replicas, (), "0.0.1"), ["acks"])


def test_a_trace_that_has_changed_since_is_named(tmp_path: Path) -> None:
    trace = tmp_path / "snr.csv"
    trace.write_text("10\n11\n12\n")
    placement = {"kind": "trace", "files": [str(trace)], "quantity": "snr_db", "row_interval_s": 1}
    result = airlink.run(CELL.with_(channel={"placement": placement}, duration_s=1))
    trace.write_text("10\n11\n13\n")
    with pytest.raises(ResultError, match=r"can't be simulated again: .* has changed"):
        rerun(result, ["acks"])


# How it is thinned


def test_a_thinned_line_keeps_its_extremes_and_ends() -> None:
    random = np.random.default_rng(1)
    time, value = np.arange(50_000.0), random.standard_normal(50_000)
    rows = thinning.outline(time, value, columns=100)
    assert rows.size <= 400
    assert {0, 49_999, int(value.argmin()), int(value.argmax())} <= set(rows.tolist())
    kept = value[rows]
    for column in range(100):
        here = (rows >= column * 500) & (rows < (column + 1) * 500)
        part = value[column * 500 : (column + 1) * 500]
        assert (kept[here].min(), kept[here].max()) == (part.min(), part.max())


def test_marks_on_one_spot_are_drawn_once_and_others_all() -> None:
    assert thinning.distinct(np.zeros(5), np.zeros(5)).tolist() == [0]
    assert thinning.distinct(np.array([0.0, 1.0, 1.0]), np.array([0.0, 0.0, 1.0])).tolist() == [0, 1, 2]
    assert thinning.distinct(np.zeros(0), np.zeros(0)).size == 0


@given(st.lists(st.tuples(st.floats(0, 10), st.floats(0, 10)), max_size=30))
def test_letters_never_print_over_one_another(places: list[tuple[float, float]]) -> None:
    x, y = np.array([a for a, _ in places]), np.array([b for _, b in places])
    rows = thinning.apart(x, y, 1.0, 1.0)
    assert rows.size == 0 or rows[0] == 0
    for first in rows:
        for second in rows:
            assert first == second or max(abs(x[first] - x[second]), abs(y[first] - y[second])) >= 1


def test_time_by_cause_is_exact() -> None:
    limits = Table({"from_s": [0.0, 1.0, 2.5], "to_s": [1.0, 2.5, 3.0], "cause": [2, 5, 2]})
    spent = time_by_cause(limits, np.array([0.0, 0.5, 2.0, 3.0]))
    assert spent[2].tolist() == [0.5, 0.5, 0.5]
    assert spent[5].tolist() == [0.0, 1.0, 0.5]
    assert spent.sum() == 3.0


# What is drawn


def test_every_mark_of_a_stretch_is_drawn() -> None:
    lossy = wire(f"{IMPAIRED}.drop_numbers=[20, 60]", duration_s=1)
    view = plots.flow_view(lossy, user=0)
    _, (axes,) = blank(width_in=7)
    sequence(axes, view)
    drawn = {str(line.get_marker()): np.asarray(line.get_xdata()).tolist() for line in axes.lines}
    assert drawn["$R$"] == view.segments["sent_s"][view.segments["retransmission"] != 0].tolist()
    assert drawn["$3$"] == view.acks["time_s"][view.acks["third"] != 0].tolist()
    assert "$O$" not in drawn


def test_panels_without_data_are_left_out_and_those_asked_for_are_drawn(cell: Result) -> None:
    whole = plots.flow_view(cell, user=0)
    assert len(plots.flow_figure(whole).axes) == 8
    assert len(plots.flow_figure(whole, ("sequence", "window"), column=True).axes) == 2
    # No slots and no channel.
    assert len(plots.flow_figure(plots.flow_view(wire(f"{IMPAIRED}.drop_numbers=[20]"), user=0)).axes) == 6
    with pytest.raises(RequestError, match="'slot' unknown; choose from events, sequence, requests, slots"):
        plots.flow_figure(whole, ("slot",))


def test_a_replayed_rate_is_not_drawn_as_an_snr(tmp_path: Path) -> None:
    (tmp_path / "rates.csv").write_text("rate_bps\n2e6\n0\n4e6\n")
    file = tmp_path / "replayed.toml"
    file.write_text("""
        duration_s = 3
        users = 1
        slot.duration_ms = 5
        link.rate.kind = "trace"
        channel.placement = { kind = "trace", files = ["rates.csv"], quantity = "rate_bps", row_interval_s = 1 }
        [[flows]]
    """)
    view = plots.flow_view(airlink.run(Scenario.from_toml(str(file))), user=0)
    assert view.snr.rows == 0
    assert view.slots.rows > 0
    figure = plots.flow_figure(view)
    assert not any("SNR" in axes.get_ylabel() for axes in figure.axes)
    # Nobody else is there whom the scheduler could serve while the rate is 0.
    causes = " ".join(figure.axes[-1].get_legend_handles_labels()[1])
    assert "waits for a slot" in causes
    assert "scheduler" not in causes


def test_the_panels_lie_over_the_same_time(cell: Result) -> None:
    figure = plots.flow_figure(plots.flow_view(cell, user=0, start_s=0.5, stop_s=1.5))
    assert {axes.get_xlim() for axes in figure.axes} == {(0.5, 1.5)}
    figure.draw_without_rendering()
    assert len({round(axes.get_position().x0, 6) for axes in figure.axes}) == 1
    assert len({round(axes.get_position().x1, 6) for axes in figure.axes}) == 1


def test_times_are_written_out_however_short_the_stretch(cell: Result) -> None:
    for figure in (
        plots.flow_figure(plots.flow_view(cell, user=0, start_s=1.0, stop_s=1.001)),
        plots.cell_figure(plots.cell_view(cell, start_s=1.0, stop_s=1.001)),
    ):
        figure.draw_without_rendering()
        assert figure.axes[-1].xaxis.get_offset_text().get_text() == ""


def test_a_flow_that_never_sent_has_a_figure() -> None:
    late = CELL.with_(**{"flows.0.start_s": 1.5})
    view = plots.flow_view(airlink.run(late), user=0, stop_s=1.0)
    assert view.segments.rows == 0
    plots.flow_figure(view).draw_without_rendering()


def test_legends_say_what_they_are_of_and_harq_is_apart_from_losses(cell: Result) -> None:
    view = plots.flow_view(cell, user=0)
    figure = plots.flow_figure(view, origin=True)
    figure.draw_without_rendering()
    assert next(text.get_text() for text in figure.legends[0].get_texts()) == "Events:"
    strip = figure.axes[-1].get_legend()
    assert strip is not None
    assert strip.get_texts()[0].get_text() == "Held by:"
    assert figure.get_supxlabel() == view.origin
    under = figure.texts[-1] if figure.texts else figure._supxlabel  # type: ignore[attr-defined]
    assert not strip.get_window_extent().overlaps(under.get_window_extent())
    for recovery, word in (("", "frame lost"), ("HARQ", "lost, HARQ sends again: 50 %")):
        rows = Table({"time_s": np.arange(4.0), "rate_bps": np.full(4, 1e6), "sent_bytes": np.full(4, 9),
                      "error": np.array([0, 1, 0, 1])})  # fmt: skip
        drawn = plots.flow_figure(replace(view, slots=rows, recovery=recovery), ("sequence", "slots"))
        names = drawn.axes[1].get_legend_handles_labels()[1]
        assert sorted(names) == sorted(["slot", word])


# The cell


def test_rates_in_bins_add_up_to_what_was_delivered(cell: Result) -> None:
    for result in (cell, airlink.run(ready("dumbbell", ["duration_s=2", "users=3"]))):
        view = plots.cell_view(result, bin_s=0.3)
        bits = view.rates["delivered_bps"].reshape(3, -1)
        widths = np.diff([*np.arange(0, 2, 0.3), 2.0])
        np.testing.assert_allclose((bits * widths).sum(axis=1), 8 * result.users["delivered_bytes"])


def test_delays_in_bins_are_those_of_the_packets(cell: Result) -> None:
    view = plots.cell_view(cell, bin_s=0.5)
    packets = plots.flow_view(cell, user=2)
    series = rerun(cell, ["packets"]).series("packets")
    own = series.where((series["user"] == 2) & (series["fate"] == 0) & (series["ended_s"] < 0.5))
    delay = own["ended_s"] - own["queued_s"]
    row = int(np.flatnonzero((view.delays["user"] == 2) & (view.delays["time_s"] == 0))[0])
    assert view.delays["mean_s"][row] == pytest.approx(delay.mean())
    assert view.delays["p95_s"][row] == np.quantile(delay, 0.95, method="inverted_cdf")
    assert packets.user == 2


def test_slots_of_a_cell_are_all_that_were_won(cell: Result) -> None:
    view = plots.cell_view(cell)
    assert np.bincount(view.slots["user"], minlength=3).tolist() == cell.users["slots_won"].tolist()
    assert view.slots["error"].sum() == cell.users["frame_errors"].sum()
    assert len(plots.cell_figure(view).axes) == 3
    wired = plots.cell_view(airlink.run(ready("dumbbell", ["duration_s=1"])))
    assert len(plots.cell_figure(wired, column=True).axes) == 2


def test_many_users_are_rows_of_a_map() -> None:
    many = airlink.run(CELL.with_(users=12))
    figure = plots.cell_figure(plots.cell_view(many))
    figure.draw_without_rendering()
    assert len(figure.axes) == 3 + 2
    nobody = CELL.with_(**{"users": 12, "channel.placement.low_db": -200, "channel.placement.high_db": -200})
    plots.cell_figure(plots.cell_view(airlink.run(nobody))).draw_without_rendering()


@pytest.mark.parametrize(("direction", "bottleneck"), [("up", False), ("up", True), ("down", True)])
def test_what_the_figure_of_a_cell_does_not_show_is_sent_to_explain(direction: str, bottleneck: bool) -> None:
    network = ready("dumbbell", ["duration_s=1", "users=1"]) if bottleneck else CELL
    result = airlink.run(network.with_(flows=[{"direction": direction, "traffic": {"kind": "voice"}}]))
    with pytest.raises(ResultError, match=r"goes over UDP: without TCP .* to draw; airlink explain tells where"):
        plots.flow_view(result, user=0)
