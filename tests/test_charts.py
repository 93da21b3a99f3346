"""Charts of answers: what they show is what was found; figures and pages are made of the same data."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from hashlib import sha256
from importlib.resources import files

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import airlink
from airlink import plots
from airlink.campaign.answer import Answer
from airlink.campaign.question import Arm
from airlink.measures import MeasureError, measure
from airlink.plots import charts, style, uplot
from airlink.plots.charts import Chart, live
from airlink.plots.charts.means import frontier
from airlink.result import Estimate
from airlink.scenario import ready
from airlink.statistics import Sample
from answers import CELL, CONSTANTS, DELAY, EDGE, GOODPUT, KINDS, PAGES, answer, compared, swept
from figure_checks import faults_of

SWEPT, COMPARED = swept(), compared()


def texts(figure: Figure) -> list[str]:
    """All names in the legends of a figure."""
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


class TestSweep:
    def test_has_the_means_over_the_swept_values_in_order(self) -> None:
        line, level = charts.sweep(SWEPT, GOODPUT).series
        assert line.x.tolist() == list(CONSTANTS)
        means = [SWEPT.estimates[label, GOODPUT.text].mean / 1e6 for label in SWEPT.labels]
        assert line.y == pytest.approx(means[:-1])
        assert level.y == pytest.approx([means[-1]] * 2)

    def test_draws_what_lacks_the_field_across(self) -> None:
        chart = charts.sweep(SWEPT, GOODPUT)
        assert [each.name for each in chart.series] == ["PF", "MAX"]
        assert chart.series[1].x.tolist() == [10, 10000]
        assert "a line across" in chart.note

    def test_has_a_logarithmic_axis_for_values_that_are_spaced_so(self) -> None:
        (axes,) = charts.figure(charts.sweep(SWEPT, GOODPUT)).axes
        assert (axes.get_xscale(), axes.get_xlabel()) == ("log", "time constant (slots)")
        assert axes.get_ylabel() == "cell: goodput (Mb/s)"
        users = {f"users={count}": Arm(CELL, {"users": count}) for count in (2, 4, 6)}
        assert not charts.sweep(answer(users, axes={"users": (2, 4, 6)}), GOODPUT).x.log

    def test_has_bands_from_end_to_end_of_the_intervals(self) -> None:
        (axes,) = charts.figure(charts.sweep(SWEPT, GOODPUT)).axes
        band = np.asarray(axes.collections[0].get_paths()[0].vertices)
        estimate = SWEPT.estimates[SWEPT.labels[0], GOODPUT.text]
        at_first = band[band[:, 0] == CONSTANTS[0], 1]
        assert (at_first.min() * 1e6, at_first.max() * 1e6) == pytest.approx((estimate.low, estimate.high))

    def test_of_words_has_rows_with_whiskers(self) -> None:
        kinds = ("round_robin", "max_rate")
        one = answer({kind: Arm(CELL, {"scheduler.kind": kind}) for kind in kinds}, axes={"scheduler.kind": kinds})
        chart = charts.sweep(one, GOODPUT)
        assert (chart.y.label, chart.y.rows, chart.series[0].shape) == ("scheduler", ["RR", "MAX"], "points")
        assert charts.figure(chart).axes[0].get_yticklabels()[1].get_text() == "MAX"
        values = [{"scheduler.kind": kind, "queue.kind": queue} for kind in kinds for queue in ("codel", "pie")]
        axes = {"scheduler.kind": kinds, "queue.kind": ("codel", "pie")}
        both = charts.sweep(answer({str(at): Arm(CELL, at) for at in values}, axes=axes), GOODPUT)
        assert [each.name for each in both.series] == ["CoDel", "PIE"]
        assert both.series[0].y.tolist() == [-0.125, 0.875]

    def test_of_words_has_a_row_for_what_lacks_the_field(self) -> None:
        first = {"scheduler.average_counts": ("sent", "granted"), "scheduler.kind": ("proportional_fair", "max_rate")}
        values = [{"scheduler.average_counts": each, "scheduler.kind": KINDS[0]} for each in ("sent", "granted")]
        arms = {str(at): Arm(CELL, at) for at in (*values, {"scheduler.kind": KINDS[1]})}
        chart = charts.sweep(answer(arms, axes=first), GOODPUT)
        assert chart.y.rows == ["sent", "granted", "no such field"]
        assert [np.round(each.y).tolist() for each in chart.series] == [[0, 1], [2]]
        assert [each.name for each in chart.series] == ["PF", "MAX"]

    def test_lines_say_what_their_values_are_of(self) -> None:
        values = [{"users": users, "queue.limit_packets": limit} for users in (2, 4) for limit in (10, 50)]
        axes = {"users": (2, 4), "queue.limit_packets": (10, 50)}
        chart = charts.sweep(answer({str(at): Arm(CELL, at) for at in values}, axes=axes), GOODPUT)
        assert [each.name for each in chart.series] == ["queue limit 10 packets", "queue limit 50 packets"]

    def test_of_one_replica_has_no_band(self) -> None:
        chart = charts.sweep(swept((GOODPUT,), [1]), GOODPUT)
        assert np.isfinite(chart.series[0].y).all()
        assert len(charts.figure(chart).axes[0].lines) == 2

    def test_of_what_is_not_known_anywhere_is_an_empty_frame(self) -> None:
        unknown = {key: Estimate(math.inf, 1.0, math.inf, 20) for key in SWEPT.estimates}
        chart = charts.sweep(replace(SWEPT, estimates=unknown), GOODPUT)
        assert chart.is_empty
        figure = charts.figure(chart)
        figure.draw_without_rendering()
        assert figure.axes[0].get_xlabel() == "time constant (slots)"

    def test_names_the_measure_of_every_panel(self) -> None:
        figure = charts.figure([charts.sweep(SWEPT, each) for each in SWEPT.measures])
        assert [axes.get_ylabel().replace("\n", " ").split(" (")[0] for axes in figure.axes] == [
            "cell: goodput", "users: p05 of goodput", "users: p50 of queueing delay p95",
        ]  # fmt: skip

    def test_needs_something_that_was_swept(self) -> None:
        with pytest.raises(ValueError, match="no swept field"):
            charts.sweep(COMPARED, GOODPUT)


class TestDistributions:
    def test_of_a_mean_is_over_replicas(self) -> None:
        chart = charts.cdf(COMPARED, GOODPUT)
        assert (chart.y.label, chart.series[0].x.size) == ("share of replicas", 21)
        assert chart.series[0].x[1:] == pytest.approx(
            np.sort(np.asarray(COMPARED.samples["round_robin", GOODPUT.text])) / 1e6
        )

    def test_of_a_quantile_is_over_all_users_of_all_replicas(self) -> None:
        chart = charts.cdf(COMPARED, EDGE)
        assert (chart.y.label, chart.x.label) == ("share of users", "users: goodput (kb/s)")
        assert chart.series[0].x.size == 1 + 20 * 12
        assert chart.series[0].y[-1] == pytest.approx(1)

    def test_of_downloads_that_have_not_ended_stays_below_1(self) -> None:
        chart = charts.cdf(swept((PAGES,)), PAGES)
        assert 0.5 < chart.series[0].y[-1] < 1 or chart.series[0].x.size < 240
        assert chart.series[0].x.size == 1 + 20 * 11
        assert "product limit" in chart.note

    def test_of_everything_without_an_end_is_empty(self) -> None:
        nothing = tuple(Sample([1.0, 2.0], [False, False]) for _ in range(3))
        one = answer({"a": Arm(CELL)}, (PAGES,), range(3))
        chart = charts.cdf(replace(one, samples={("a", PAGES.text): nothing}), PAGES)
        assert chart.is_empty
        assert charts.figure(chart).axes[0].get_xlabel() == "downloads: time (s)"

    def test_a_box_has_the_quartiles_and_its_whiskers_end_at_values(self) -> None:
        numbers = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 40.0]) * 1e6
        one = answer({"a": Arm(CELL)}, (GOODPUT,), range(9))
        boxes, rings = charts.box(replace(one, samples={("a", GOODPUT.text): numbers}), GOODPUT).series
        assert boxes.box is not None
        assert boxes.x_span is not None
        ends = (boxes.x_span.low[0], boxes.box.low[0], boxes.x[0], boxes.box.high[0], boxes.x_span.high[0])
        assert ends == (1, 3, 5, 7, 8)
        assert rings.x.tolist() == [40]

    def test_a_box_of_one_value_is_drawn(self) -> None:
        chart = charts.box(swept((GOODPUT,), [1]), GOODPUT)
        assert len(charts.figure(chart, column=True).axes[0].patches) == len(SWEPT.labels)


class TestMeans:
    def test_bars_end_at_the_means_and_whiskers_at_the_intervals(self) -> None:
        (axes,) = charts.figure(charts.bars(COMPARED, GOODPUT)).axes
        estimates = [COMPARED.estimates[label, GOODPUT.text] for label in COMPARED.labels]
        widths = [patch.get_width() for patch in axes.patches if isinstance(patch, Rectangle)]
        assert widths == pytest.approx([each.mean / 1e6 for each in estimates])
        whiskers = axes.collections[0].get_segments()  # type: ignore[attr-defined]
        assert whiskers[0][:, 0] == pytest.approx([estimates[0].low / 1e6, estimates[0].high / 1e6])
        assert [text.get_text() for text in axes.get_yticklabels()] == list(COMPARED.labels)

    def test_panels_of_several_measures_share_their_rows(self) -> None:
        wide = charts.figure([charts.bars(COMPARED, each) for each in COMPARED.measures])
        assert [axes.get_ylabel() == "" for axes in wide.axes] == [True] * 3
        assert [axes.get_yticklabels()[0].get_text() for axes in wide.axes] == ["round_robin", "", ""]
        assert wide.get_figwidth() == style.DOUBLE_WIDTH_IN
        high = charts.figure([charts.bars(COMPARED, each) for each in COMPARED.measures], column=True)
        assert [axes.get_yticklabels()[0].get_text() for axes in high.axes] == ["round_robin"] * 3

    def test_a_number_that_is_not_known_has_no_bar_and_is_named(self) -> None:
        infinite = {**COMPARED.estimates, ("max_rate", GOODPUT.text): Estimate(math.inf, 1e6, math.inf, 20)}
        chart = charts.bars(replace(COMPARED, estimates=infinite), GOODPUT)
        assert math.isnan(chart.series[0].x[2])
        assert "Beyond what is known: max_rate." in chart.note
        assert chart.x.label == "cell: goodput (Mb/s)"

    def test_an_interval_without_an_end_is_an_arrow(self) -> None:
        open_ended = {**COMPARED.estimates, ("max_rate", GOODPUT.text): Estimate(2e6, 1.5e6, math.inf, 20)}
        (axes,) = charts.figure(charts.bars(replace(COMPARED, estimates=open_ended), GOODPUT)).axes
        (arrow,) = [line for line in axes.lines if line.get_marker() == ">"]
        assert np.asarray(arrow.get_xdata())[0] > 2

    @pytest.mark.parametrize(
        ("across", "low", "mark"), [(True, -math.inf, "<"), (False, -math.inf, "v"), (False, 1.5e6, "^")]
    )
    def test_an_arrow_points_to_where_the_end_is_not_known(self, across: bool, low: float, mark: str) -> None:
        open_ended = Estimate(2e6, low, 2.5e6 if low < 0 else math.inf, 20)
        answer = replace(COMPARED, estimates={**COMPARED.estimates, ("max_rate", GOODPUT.text): open_ended})
        other = next(each for each in COMPARED.measures if each != GOODPUT)
        (axes,) = charts.figure(charts.pareto(answer, *((GOODPUT, other) if across else (other, GOODPUT)))).axes
        arrows = [line for line in axes.lines if line.get_marker() in ("<", ">", "^", "v")]
        (arrow,) = [line for line in arrows if line.get_markersize() == 3]
        assert arrow.get_marker() == mark
        tip = np.asarray(arrow.get_xdata() if across else arrow.get_ydata())[0]
        assert (tip < 2) == (low < 0)

    def test_the_frontier_is_what_no_other_point_beats(self) -> None:
        x, y = np.array([1.0, 2.0, 3.0, 2.0, np.nan]), np.array([3.0, 2.0, 1.0, 1.0, 9.0])
        assert frontier(x, y, "higher", "higher") == [0, 1, 2]
        assert frontier(x, y, "lower", "lower") == [0, 3]
        assert frontier(x, y, "lower", "higher") == [0]
        assert frontier(np.ones(2), np.ones(2), "higher", "higher") == [0, 1]

    def test_a_trade_off_fills_the_frontier_and_names_every_point(self) -> None:
        chart = charts.pareto(SWEPT, GOODPUT, DELAY)
        assert chart.series[0].hollow == [False] * 5
        both = charts.pareto(SWEPT, GOODPUT, EDGE)
        assert both.series[0].hollow == [True, True, True, True, False]
        (axes,) = charts.figure(both).axes
        assert {text.get_text() for text in axes.texts} == {
            "10, PF", "100, PF", "1000, PF", "10000, PF", "MAX",
        }  # fmt: skip
        assert both.key == "time constant (slots), scheduler"

    def test_names_of_points_cover_neither_points_nor_one_another(self) -> None:
        figure = charts.figure(charts.pareto(SWEPT, GOODPUT, EDGE), column=True)
        figure.draw_without_rendering()
        (axes,) = figure.axes
        boxes = [text.get_window_extent() for text in axes.texts]
        assert not any(a.overlaps(b) for place, a in enumerate(boxes) for b in boxes[:place])
        (series,) = charts.pareto(SWEPT, GOODPUT, EDGE).series
        points = axes.transData.transform(np.column_stack([series.x, series.y]))
        assert not any(box.contains(x, y) for box in boxes for x, y in points)

    def test_without_a_better_end_there_is_no_frontier(self) -> None:
        nobody_knows = replace(EDGE, better="")
        chart = charts.pareto(SWEPT, GOODPUT, nobody_knows)
        assert (chart.frontier, chart.series[0].hollow) == ((), [False] * 5)


class TestComparison:
    def test_has_the_differences_in_percent_and_the_verdicts(self) -> None:
        chart = charts.comparison(COMPARED)
        found = COMPARED.comparison
        assert found is not None
        assert chart.y.rows == ["proportional_fair: better", "max_rate: equivalent"]
        assert chart.series[0].x == pytest.approx([100 * each.difference.relative.mean for each in found.values()])

    def test_has_the_margin_behind_it(self) -> None:
        margin, baseline = charts.comparison(COMPARED).bands
        assert (margin.low, margin.high, baseline.low, baseline.high) == (-1, 1, 0, 0)
        assert texts(plots.comparison_figure(COMPARED)) == ["within 1 %: equivalent", "round_robin"]

    def test_is_in_the_unit_where_the_baseline_may_be_0(self) -> None:
        endless = Estimate(0.5, -math.inf, math.inf, 20)
        differences = dict(COMPARED.differences)
        key = ("max_rate", GOODPUT.text)
        differences[key] = replace(differences[key], difference=replace(differences[key].difference, relative=endless))
        chart = charts.comparison(replace(COMPARED, differences=differences))
        absolute = differences[key].difference.absolute
        assert chart.x.label == "difference in cell: goodput (kb/s)"
        assert chart.series[0].x[1] == pytest.approx(absolute.mean / 1e3)
        assert [band.name for band in chart.bands] == ["round_robin"]
        assert "Not in percent" in chart.note

    def test_of_another_measure_has_no_verdict(self) -> None:
        chart = charts.comparison(COMPARED, EDGE)
        assert chart.y.rows == ["proportional_fair", "max_rate"]
        assert "Exploratory" in chart.note

    def test_needs_a_baseline(self) -> None:
        with pytest.raises(ValueError, match="tiny-sweep is a sweep"):
            charts.comparison(SWEPT)


class TestColours:
    def test_a_scenario_has_one_colour_in_all_pictures_and_the_baseline_is_grey(self) -> None:
        numbers = {"round_robin": style.BASELINE, "proportional_fair": 0, "max_rate": 1}
        curves = {each.name: each.colour for each in charts.cdf(COMPARED, GOODPUT).series}
        assert curves == numbers
        for chart in (charts.bars(COMPARED, GOODPUT), charts.pareto(COMPARED, GOODPUT, EDGE)):
            assert list(chart.series[0].colours) == list(numbers.values())
        boxes, beyond = charts.box(COMPARED, EDGE).series
        assert list(boxes.colours) == list(numbers.values())
        assert [list(numbers.values())[int(row)] for row in beyond.y] == list(beyond.colours)
        assert list(charts.comparison(COMPARED).series[0].colours) == [0, 1]

    def test_are_drawn_as_they_are_numbered(self) -> None:
        (axes,) = charts.figure(charts.bars(COMPARED, GOODPUT)).axes
        bars = {round(bar.get_y() + bar.get_height() / 2): to_hex(bar.get_facecolor()) for bar in axes.patches}  # type: ignore[attr-defined]
        assert bars == {row: colour.lower() for row, colour in enumerate((style.GREY, *style.COLOURS[:2]))}
        (told,) = json.loads(live.data([charts.bars(COMPARED, GOODPUT)]))[0]["series"]
        assert told["colours"] == [-1, 0, 1]

    def test_of_more_scenarios_than_hues_are_steps_of_a_scale(self) -> None:
        curves = charts.cdf(COMPARED, GOODPUT).series
        lines = [replace(curves[0], name=f"line {place}", colour=place) for place in range(12)]
        for theme in style.THEMES.values():
            with style.themed(theme.name):
                (axes,) = charts.figure(replace(charts.cdf(COMPARED, GOODPUT), series=lines)).axes
            drawn = [to_rgb(str(line.get_color())) for line in axes.lines]
            lightness = [0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in drawn]
            assert len(set(drawn)) == 12
            assert (np.diff(lightness) > 0).all()
            assert {line.get_linestyle() for line in axes.lines} == {"-"}


class TestOrigin:
    def test_a_comparison_says_where_it_comes_from_and_a_chart_only_if_told(self) -> None:
        assert plots.comparison_figure(COMPARED).get_supxlabel() == "Scenario tiny, seeds 1-20, airlink 2.0.0."
        assert charts.figure(charts.bars(COMPARED, GOODPUT)).get_supxlabel() == ""

    def test_names_what_differs_only_where_it_does(self) -> None:
        seeds = {label: (1, 2, 3)[: 1 + place] for place, label in enumerate(COMPARED.labels)}
        assert charts.origin_of(replace(COMPARED, seeds=seeds)) == "Scenario tiny, 1 to 3 seeds, airlink 2.0.0."
        one = dict.fromkeys(COMPARED.labels, (4,))
        assert charts.origin_of(replace(COMPARED, seeds=one)) == "Scenario tiny, seed 4, airlink 2.0.0."


class TestManyScenarios:
    def test_of_more_rows_than_a_figure_holds_is_refused(self) -> None:
        chart = charts.bars(COMPARED, GOODPUT)
        rows = replace(chart, y=replace(chart.y, rows=["x"] * 151))
        with pytest.raises(airlink.RequestError, match="151 scenarios have no room"):
            charts.figure(rows)

    def test_of_more_lines_than_can_be_told_apart_has_no_legend(self) -> None:
        chart = charts.cdf(COMPARED, GOODPUT)
        for count, names in ((24, 24), (25, 0)):
            lines = [replace(chart.series[0], name=f"line {place}") for place in range(count)]
            assert len(texts(charts.figure(replace(chart, series=lines)))) == names


LONG_NAMES = {
    "words": [
        f"{count} users at the edge of a wide cell, with a deep queue and web pages behind" for count in range(30)
    ],
    "one word": [f"{'deep_queue' * 7}{count:02d}_of_all" for count in range(6)],
    "other letters": [f"größte Übertragungsrate, Δ = {count} µs, очередь, $x_1$ ${count}" for count in range(6)],
}


def named(names: list[str]) -> Answer:
    """A comparison of as many arms, the first being the baseline."""
    arms = {name: Arm(CELL) for name in names}
    return answer(arms, (GOODPUT, EDGE), range(1, 9), kind="compare", baseline=names[0], name="long")


class TestLabelsOfAnyLength:
    @pytest.mark.parametrize("column", [False, True], ids=["both columns", "one column"])
    @pytest.mark.parametrize("kind", LONG_NAMES)
    def test_are_whole_and_cover_nothing(self, kind: str, column: bool) -> None:
        found = named(LONG_NAMES[kind])
        drawn = [charts.bars(found, GOODPUT), charts.comparison(found), charts.cdf(found, GOODPUT)]
        for chart in drawn:
            figure = charts.figure(chart, column=column)
            assert faults_of(figure) == []
            if chart.y.rows:
                shown = [label.get_text() for label in figure.axes[0].get_yticklabels()]
                assert ["".join(each.split()) for each in shown] == [
                    "".join(name.replace("$", "\\$").split()) for name in chart.y.rows
                ]

    def test_a_legend_without_names_says_what_stands_beside_the_points(self) -> None:
        chart = charts.pareto(SWEPT, GOODPUT, EDGE)
        figure = charts.figure(chart)
        shown = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
        assert " ".join(" ".join(shown).split()) == f"beside points: {chart.key}"

    @pytest.mark.parametrize("kind", ["one word", "other letters"])
    def test_beside_points_are_numbers_that_the_legend_explains(self, kind: str) -> None:
        chart = charts.pareto(named(LONG_NAMES[kind]), GOODPUT, EDGE)
        assert chart.series[0].labels == ["1", "2", "3", "4", "5", "6"]
        assert chart.key.startswith(f"1 {LONG_NAMES[kind][0]}; 2 {LONG_NAMES[kind][1]}; 3 ")
        assert faults_of(charts.figure(chart, column=True)) == []

    def test_panels_abreast_have_whole_labels(self) -> None:
        found = named(LONG_NAMES["words"][:8])
        figure = charts.figure([charts.bars(found, each) for each in (GOODPUT, EDGE)])
        assert faults_of(figure) == []


class TestSources:
    def test_results_are_measured_as_an_answer(self) -> None:
        wire = ready("dumbbell", ["duration_s=2"])
        results = {"one": airlink.run(wire, replicas=2), "two": airlink.run(wire, seed=5)}
        found = charts.answer_of(results, [GOODPUT])
        assert found.seeds == {"one": (1, 2), "two": (5,)}
        assert np.asarray(found.samples["one", GOODPUT.text]).tolist() == results["one"].cell["goodput_bps"].tolist()
        with pytest.raises(MeasureError, match="files or sessions"):
            charts.answer_of(results, [PAGES])
        with pytest.raises(airlink.RequestError, match=r"one did not record timeouts; .* --record timeouts"):
            charts.answer_of(results, [measure("flows.mean(first_timeout_s)")])

    def test_several_answers_are_told_apart_by_their_names(self) -> None:
        both = charts.joined({"a": COMPARED, "b": swept((GOODPUT,)), "c": COMPARED}, [GOODPUT])
        assert both.labels[:3] == ("a: round_robin", "a: proportional_fair", "a: max_rate")
        assert "MAX" in both.labels
        assert list(both.question.names) == list(both.labels) == list(both.question.names.values())
        assert both.axes == {}
        assert charts.bars(both, GOODPUT).series[0].x.size == 11


def every_chart() -> list[Chart]:
    return [
        *(charts.sweep(SWEPT, each) for each in SWEPT.measures),
        charts.cdf(SWEPT, EDGE), charts.box(SWEPT, EDGE), charts.bars(SWEPT, GOODPUT),
        charts.pareto(SWEPT, GOODPUT, EDGE), charts.comparison(COMPARED), charts.cdf(swept((PAGES,)), PAGES),
    ]  # fmt: skip


@pytest.mark.parametrize("chart", every_chart(), ids=lambda chart: chart.name)
class TestEveryChart:
    def test_is_drawn_in_the_colours_of_the_house_with_a_legend_that_covers_nothing(self, chart: Chart) -> None:
        assert charts.figure(replace(chart, series=[])).get_figwidth() == style.DOUBLE_WIDTH_IN
        figure = charts.figure(chart, column=True)
        figure.draw_without_rendering()
        assert figure.get_figwidth() == style.WIDTH_IN
        lines = [line for axes in figure.axes for line in axes.lines if line.get_linestyle() != "None"]
        colours = {to_hex(str(line.get_color())).lower() for line in lines}
        assert colours <= {colour.lower() for colour in (*style.COLOURS, style.GREY, style.BLACK)}
        for legend in figure.legends:
            assert not legend.get_window_extent().overlaps(figure.axes[0].get_window_extent())

    def test_names_units_on_its_axes(self, chart: Chart) -> None:
        without = {"", "time constant (slots), scheduler", "share of users", "share of replicas", "share of downloads"}
        assert all(axis.label in without or axis.label.endswith(")") for axis in (chart.x, chart.y))

    def test_is_in_a_page_as_it_is_in_the_figure(self, chart: Chart) -> None:
        (told,) = json.loads(live.data([chart]))
        assert told["id"] == chart.name
        for ours, theirs in zip(chart.series, told["series"], strict=True):
            known = np.array([np.nan if value is None else value for value in theirs["x"]])
            assert known == pytest.approx(ours.x, rel=1e-5, nan_ok=True)


def test_a_long_distribution_is_thinned_for_a_page_to_its_ends() -> None:
    values = np.linspace(1, 2, 5000)
    chart = replace(charts.cdf(COMPARED, GOODPUT), series=[charts.Series("", "step", values, np.linspace(0, 1, 5000))])
    (series,) = json.loads(live.data([chart]))[0]["series"]
    assert (len(series["x"]), series["x"][0], series["x"][-1]) == (live.MOST_STEPS, 1.0, 2.0)


class TestUplot:
    def test_is_the_package_of_the_registry_byte_for_byte(self) -> None:
        for name, digest in uplot.SHA256.items():
            assert sha256((files("airlink.plots.uplot") / name).read_bytes()).hexdigest() == digest, name
        assert f"uPlot (v{uplot.VERSION})" in uplot.script()[:200]

    def test_goes_into_a_page_with_its_licence(self) -> None:
        assert "Copyright (c) 2022 Leon Sorokin" in live.script()
        assert live.script().index("Permission is hereby granted") < live.script().index("var uPlot=")
