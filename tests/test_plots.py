"""Figures: what they show is what was recorded; no global state; labels with units."""

from __future__ import annotations

import io
import subprocess
import sys

import numpy as np
import pytest
from matplotlib.figure import Figure

import airlink
from airlink import Result, Scenario, plots
from airlink.scenario import ready

SCENARIO = Scenario.from_toml("""
duration_s = 3
users = 3
slot.duration_ms = 5
channel.placement = {kind = "mean_snr_range", low_db = 0, high_db = 15}
channel.fading.kind = "rayleigh"
link.rate = {kind = "capacity", bandwidth_hz = 5e5}
link.errors.probability = 0.02
scheduler.kind = "proportional_fair"
flows = [{}]
""")


@pytest.fixture(scope="module")
def result() -> Result:
    return airlink.run(SCENARIO, replicas=2, record=["slots", "packets", "acks", "cwnd", "gaps"])


def drawn(figure: Figure) -> bytes:
    """The figure as PNG: drawing it is what finds mistakes in it."""
    image = io.BytesIO()
    figure.savefig(image)
    return image.getvalue()


def every_figure(result: Result) -> dict[str, Figure]:
    return {
        "user_throughput": plots.user_throughput(result),
        "throughput_cdf": plots.throughput_cdf({"a": result, "b": result}),
        "cell_cdf": plots.throughput_cdf(result, cell=True),
        "delay_cdf": plots.delay_cdf(result),
        "gaps": plots.gaps(result, 1),
        "slots": plots.slots(result, 1),
        "congestion_window": plots.congestion_window(result, 0),
    }


def test_every_figure_is_drawn_at_the_width_of_a_column(result: Result) -> None:
    for name, figure in every_figure(result).items():
        assert len(drawn(figure)) > 5000, name
        assert figure.get_figwidth() * 25.4 == pytest.approx(85, abs=1)


def test_every_axis_with_a_unit_names_it(result: Result) -> None:
    without = {"user", "share of users", "share of replicas", "share of packets", "packet", ""}
    for name, figure in every_figure(result).items():
        for axes in figure.axes:
            for text in (axes.get_xlabel(), axes.get_ylabel()):
                assert text in without or text.endswith(")"), (name, text)


def test_bars_are_the_mean_over_replicas(result: Result) -> None:
    (axes,) = plots.user_throughput(result).axes
    heights = [patch.get_height() for patch in axes.patches[:3]]  # type: ignore[attr-defined]
    mean = result.users["goodput_bps"].reshape(2, 3).mean(axis=0) / 1e3
    np.testing.assert_allclose(heights, mean)


def test_a_distribution_ends_at_1_and_holds_every_user(result: Result) -> None:
    (axes,) = plots.throughput_cdf(result).axes
    (line,) = axes.lines
    assert np.asarray(line.get_ydata())[-1] == 1
    assert sorted(np.asarray(line.get_xdata())[1:]) == pytest.approx(sorted(result.users["goodput_bps"] / 1e3))


@pytest.mark.parametrize(("rate_bps", "unit", "scale"), [(5e5, "kb/s", 1e3), (2e7, "Mb/s", 1e6)])
def test_the_unit_of_rates_suits_them(rate_bps: float, unit: str, scale: float) -> None:
    wire = airlink.run(ready("dumbbell", [f"bottleneck.rate_bps={rate_bps}", "duration_s=3"]))
    for figure in (plots.throughput_cdf(wire), plots.throughput_cdf({"a": wire}, cell=True)):
        (axes,) = figure.axes
        assert axes.get_xlabel().endswith(f" goodput ({unit})")
        assert np.asarray(axes.lines[0].get_xdata())[-1] == pytest.approx(wire.cell["goodput_bps"][0] / scale)
    (axes,) = plots.user_throughput(wire).axes
    assert axes.get_ylabel() == f"rate ({unit})"


def test_labelled_results_are_named_in_the_legend(result: Result) -> None:
    (axes,) = plots.throughput_cdf({"PF": result, "again": result}).axes
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["PF", "again"]


def test_the_window_is_drawn_of_one_flow_and_of_the_part_asked_for(result: Result) -> None:
    figure = plots.congestion_window(result, 2, start_s=1.0, stop_s=2.0)
    time = np.asarray(figure.axes[0].lines[0].get_xdata())
    series = result.series("cwnd", 0)
    expected = series.where((series["flow"] == 2) & (series["time_s"] >= 1) & (series["time_s"] < 2))
    assert time.tolist() == expected["time_s"].tolist()


def test_packets_are_counted_in_whole_segments(result: Result) -> None:
    below = plots.congestion_window(result, 0).axes[1]
    index = np.asarray(below.lines[0].get_ydata(), dtype=float)
    np.testing.assert_allclose(index, np.round(index))
    assert index[1] - index[0] == 1


def test_lost_frames_are_crosses(result: Result) -> None:
    (axes,) = plots.slots(result).axes
    assert len(np.asarray(axes.lines[1].get_xdata())) == int(result.series("slots", 0)["error"].sum()) > 0


def test_what_was_not_recorded_says_how_to_get_it() -> None:
    bare = airlink.run(SCENARIO)
    with pytest.raises(KeyError, match="record="):
        plots.slots(bare)
    with pytest.raises(KeyError, match="record="):
        plots.gaps(bare, 0)
    with pytest.raises(KeyError, match="record="):
        plots.delay_cdf(bare)
    with pytest.raises(KeyError, match="record="):
        plots.congestion_window(bare, 0)


def test_a_window_alone_is_drawn_alone() -> None:
    assert drawn(plots.congestion_window(airlink.run(SCENARIO, record=["cwnd"]), 0))


def test_a_user_without_slots_has_an_empty_figure() -> None:
    nobody = SCENARIO.with_(**{"channel.placement.low_db": -200, "channel.placement.high_db": -200})
    idle = airlink.run(nobody, record=["gaps", "slots"])
    assert drawn(plots.gaps(idle, 0))
    assert drawn(plots.slots(idle))
    assert drawn(plots.user_throughput(idle))


def test_figures_leave_pyplot_alone() -> None:
    program = "import sys, airlink.plots; sys.exit('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_wired_scenario_has_every_figure_but_those_of_slots() -> None:
    wired = airlink.run(airlink.scenario.ready("dumbbell", ["duration_s=5"]), record=["packets", "cwnd"])
    for figure in (
        plots.user_throughput(wired),
        plots.throughput_cdf(wired),
        plots.delay_cdf(wired),
        plots.congestion_window(wired, 0),
    ):
        assert len(drawn(figure)) > 5000
    for draw in (plots.slots, lambda result: plots.gaps(result, 0)):
        with pytest.raises(airlink.result.NotRecorded, match="needs a radio"):
            draw(wired)


def test_the_picture_of_grants_shows_who_got_each_subchannel() -> None:
    changes = {"carrier.subchannels": 6, "duration_s": 0.5, "scheduler.kind": "round_robin"}
    result = airlink.run(SCENARIO.with_(**changes), record=["grants"])
    figure = plots.grants(result, start_s=0.1, stop_s=0.35)
    assert len(drawn(figure)) > 5000
    assert figure.get_figwidth() * 25.4 == pytest.approx(85, abs=1)
    axes = figure.axes[0]
    (image,) = axes.get_images()
    shown = image.get_array()
    assert isinstance(shown, np.ma.MaskedArray)
    owners, mask = np.ma.getdata(shown).astype(int), np.ma.getmaskarray(shown)
    assert owners.shape == (6, 50)  # slots 20 to 69 of 5 ms
    assert tuple(image.get_extent()) == pytest.approx((100, 350, -0.5, 5.5))
    rows = result.series("grants")
    for slot, subchannel, user in zip(rows["slot"], rows["subchannel"], rows["user"], strict=True):
        if 20 <= slot < 70:  # by mean SNR: user 0 has the worst channel, and the first place of the scale
            assert owners[subchannel, slot - 20] == user
    with plots.style.themed("dark"):
        dark = plots.grants(result, start_s=0.1, stop_s=0.35)
    for each in (figure, dark):
        each.draw_without_rendering()
        names = [text.get_text() for text in each.axes[1].get_yticklabels()]
        assert names == ["0: 0.0 dB", "1: 7.5 dB", "2: 15.0 dB"]
    assert int((~mask).sum()) == int(((rows["slot"] >= 20) & (rows["slot"] < 70)).sum())
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("time (ms)", "subchannel")
    with pytest.raises(ValueError, match="hold 0 slots"):
        plots.grants(result, start_s=0.2, stop_s=0.2)
    with pytest.raises(KeyError, match="grants"):
        plots.grants(airlink.run(SCENARIO))


def test_the_colours_of_many_users_are_steps_of_one_scale_from_the_worst_channel() -> None:
    many = SCENARIO.with_(**{"users": 30, "carrier.subchannels": 4, "duration_s": 0.5})
    figure = plots.grants(airlink.run(many, record=["grants"]))
    (image,) = figure.axes[0].get_images()
    colours = image.get_cmap()(np.arange(30))
    lightness = colours[:, :3] @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(lightness) > 0).all()
    figure.draw_without_rendering()
    names = [text.get_text() for text in figure.axes[1].get_yticklabels()]
    assert (names[0], names[-1], len(names)) == ("0: 0.0 dB", "29: 15.0 dB", 13)
