"""The picture of a cell: users named and sorted, scales that outliers don't flatten, losses told apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.collections import LineCollection, QuadMesh
from matplotlib.figure import Figure

import airlink
from airlink import Scenario, plots
from airlink.plots import maps, style
from airlink.plots.cell import CellView
from airlink.plots.cell_page import document, summary
from airlink.plots.losses import LOST
from airlink.plots.users import NAMED_USERS, Users, named_rows, users_of
from airlink.result import Table
from cell_views import cell_view

HARQ = Scenario.from_toml("""
duration_s = 2
users = 3
slot.duration_ms = 1
carrier.subchannels = 6
channel.placement = {kind = "mean_snr_range", low_db = 0, high_db = 15}
channel.fading.kind = "rayleigh"
link.rate = {kind = "mcs", set = "cqi-64qam", bandwidth_hz = 1e6}
link.errors.probability = 0.2
link.harq = {kind = "chase", max_retransmissions = 1}
scheduler.kind = "proportional_fair"
[[flows]]
[[flows]]
users = [2]
start_s = 1
traffic.kind = "sessions"
""")


@pytest.fixture(scope="module")
def view() -> CellView:
    return plots.cell_view(airlink.run(HARQ, seed=2), bin_s=0.1)


def meshes(figure: Figure) -> list[QuadMesh]:
    """Those with a scale."""
    return [
        own
        for axes in figure.axes
        for own in axes.collections
        if isinstance(own, QuadMesh) and own.get_cmap().name == maps.MAP and axes.get_label() != "<colorbar>"
    ]


def titles(figure: Figure) -> list[str]:
    return [axes.get_title(loc="left") for axes in figure.axes if axes.get_title(loc="left")]


def test_users_are_named_by_channel_and_traffic_and_sorted_by_the_channel(view: CellView) -> None:
    assert view.who.order == (2, 1, 0)
    assert [view.who.name(user) for user in view.who.order] == [
        "user 2: 15.0 dB, download and web", "user 1: 7.5 dB, download", "user 0: 0.0 dB, download",
    ]  # fmt: skip
    assert view.who.axis == "user, by mean SNR"
    legend = plots.cell_figure(view).legends[0]
    assert [text.get_text() for text in legend.get_texts()] == [view.who.name(user) for user in (2, 1, 0)]


def test_users_of_one_traffic_on_a_wire_have_their_numbers() -> None:
    wire = airlink.run(airlink.scenario.ready("dumbbell", ["duration_s=1", "users=2"]))
    who = users_of(wire.scenario, wire.replicas[0])
    assert (who.name(1), who.axis) == ("user 1", "user")


def test_of_many_rows_the_first_the_last_and_some_between_are_named() -> None:
    figure, (axes,) = style.blank()
    maps.name_rows(axes, [f"row {row}" for row in range(200)], "user")
    names = [text.get_text() for text in axes.get_yticklabels()]
    assert (names[0], names[-1], len(names)) == ("row 0", "row 199", maps.MOST_NAMES)
    assert named_rows(range(maps.NAMED_ROWS), maps.NAMED_ROWS) == list(range(maps.NAMED_ROWS))
    assert figure.axes == [axes]


def test_blocks_that_harq_sends_again_are_told_apart_from_what_is_lost_for_good(view: CellView) -> None:
    packets = airlink.run(HARQ, seed=2, record=["packets"]).series("packets")
    given_up = packets.where(packets["fate"] == 3)
    assert view.recovery == "HARQ"
    assert view.lost["time_s"].tolist() == given_up["ended_s"].tolist()
    assert 0 < view.lost.rows < view.slots["error"].sum()
    part = plots.cell_view(airlink.run(HARQ, seed=2), start_s=1.0, stop_s=1.3)
    axes = plots.cell_figure(part).axes[0]
    drawn = {str(own.get_label()): own for own in axes.collections if isinstance(own, LineCollection)}
    assert len(drawn["block lost, HARQ retransmits it"].get_segments()) == part.slots["error"].sum()
    (cross,) = axes.lines
    assert (cross.get_label(), len(np.asarray(cross.get_xdata()))) == (LOST, part.lost.rows)
    assert part.lost.rows > 0


def test_without_retransmission_a_lost_frame_is_a_cross() -> None:
    axes = plots.cell_figure(cell_view(3, seconds=4)).axes[0]
    (cross,) = axes.lines
    lost = cell_view(3, seconds=4).slots["error"].sum()
    assert (cross.get_label(), len(np.asarray(cross.get_xdata()))) == ("frame lost", lost)


def test_the_page_says_the_same_of_losses() -> None:
    for recovery, words in (("", "frame lost"), ("HARQ", "block lost, HARQ retransmits it")):
        view = cell_view(3, recovery=recovery)
        names = [layer.name for layer in document(view).panels[0].layers]
        assert names == ["slot", words, *([LOST] if recovery else [])]
        assert ("retransmitted by HARQ, 2 packets for good" in summary(view)) == bool(recovery)


def test_many_losses_have_a_panel_of_their_own_and_few_are_crosses() -> None:
    often = cell_view(9, seconds=60, bin_s=2, recovery="HARQ")
    often = replace(often, outcomes=Table({**often.outcomes, "failed": often.outcomes["won"] // 2}))
    assert "HARQ retransmits it" in titles(plots.cell_figure(often))[1]
    rare = replace(cell_view(21, seconds=100, bin_s=2, recovery="ARQ"), who=Users.numbered(21))
    few = rare.slots.where((rare.slots["error"] == 0) | (np.arange(rare.slots.rows) < 500))
    rare = replace(rare, slots=few, outcomes=Table({**rare.outcomes, "failed": 0 * rare.outcomes["failed"]}))
    figure = plots.cell_figure(rare)
    assert titles(figure)[0].split(",")[0] == "share of the slots"
    assert [line.get_label() for line in figure.axes[0].lines] == ["frame lost, ARQ retransmits it", LOST]


def test_shares_and_losses_in_bins_are_those_of_the_slots(view: CellView) -> None:
    outcomes, slots = view.outcomes, view.slots
    for column, kept in (
        ("won", np.ones(slots.rows, bool)),
        ("carried", slots["sent_bytes"] > 0),
        ("failed", slots["error"] != 0),
    ):
        by_user = np.bincount(slots["user"][kept], minlength=3)
        assert outcomes[column].reshape(3, -1).sum(axis=1).tolist() == by_user.tolist()
    assert outcomes["percent"].tolist() == view.band["percent"].tolist()


def test_who_waits_and_gets_nothing_is_not_who_has_no_data() -> None:
    packets = airlink.run(HARQ, seed=2, record=["packets"]).series("packets")
    view = plots.cell_view(airlink.run(HARQ, seed=2), bin_s=0.05)
    waiting = view.outcomes["waiting"].reshape(3, -1)
    for user in range(3):
        for place in range(waiting.shape[1]):
            low, high = 0.05 * place, 0.05 * (place + 1)
            own = packets.where((packets["user"] == user) & ~np.isnan(packets["queued_s"]))
            there = (own["queued_s"] < high - 1e-9) & ~(own["ended_s"] <= low + 1e-9)
            assert waiting[user, place] == there.any(), (user, place)
    assert not waiting.all()


def test_outliers_do_not_flatten_a_scale_and_arrows_say_so() -> None:
    values = np.append(np.linspace(10, 20, 400), 1e6)
    scale = maps.robust(values)
    assert (scale.low, scale.above, scale.extend) == (0.0, True, "max")
    assert scale.high == pytest.approx(np.percentile(values, 98))
    assert scale.words == "arrow: highest 2 %"
    low = maps.robust(np.append(np.linspace(1, 2, 400), 1e-6), logarithmic=True)
    assert (low.extend, low.words) == ("min", "arrow: lowest 2 %")
    assert maps.robust(np.append(np.zeros(99), 3.0)) == maps.Scale(0.0, 3.0)
    assert maps.robust(np.full(9, np.nan)).extend == "neither"
    assert maps.robust(np.full(9, 4.0), logarithmic=True).low < 4 < maps.robust(np.full(9, 4.0), logarithmic=True).high


@pytest.mark.parametrize("users", [1, NAMED_USERS, NAMED_USERS + 1, 64, 200])
@pytest.mark.parametrize("column", [False, True])
def test_any_number_of_users_has_a_picture(users: int, column: bool) -> None:
    view = cell_view(users, seconds=10, subchannels=25)
    figure = plots.cell_figure(view, column, origin=True)
    figure.draw_without_rendering()
    drawn = meshes(figure)
    assert len(drawn) == (0 if users <= NAMED_USERS else 3)
    for mesh in drawn:
        values = mesh.get_array()
        assert values is not None
        assert values.shape == (users, 20)
    bars = [axes.get_ylabel() for axes in figure.axes if axes.get_label() == "<colorbar>"]
    assert [text.split(" (")[0] for text in bars] == (["%", "kb/s", "s"] if drawn else [])
    assert max(axes.get_window_extent().height for axes in figure.axes) > 100
    if users > maps.NAMED_ROWS:
        assert len(figure.axes[0].get_yticks()) == maps.MOST_NAMES


def test_rows_are_in_the_order_of_the_users() -> None:
    view = cell_view(9)
    order = tuple(np.random.default_rng(1).permutation(9).tolist())
    mesh = meshes(plots.cell_figure(replace(view, who=Users(("",) * 9, ("",) * 9, order, "mean SNR"))))[0]
    values = mesh.get_array()
    assert values is not None
    shown = np.ma.getdata(values)
    np.testing.assert_allclose(shown, view.rates["delivered_bps"].reshape(9, -1)[list(order)] / 1e3)


def test_the_foot_says_where_a_figure_comes_from() -> None:
    view = cell_view(3)
    assert plots.cell_figure(view).get_supxlabel() == ""
    assert plots.cell_figure(view, origin=True).get_supxlabel() == view.origin
