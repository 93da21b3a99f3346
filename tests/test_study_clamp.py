"""The study of [Andrew08]: what it runs, how it measures, and its claims in a short version."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from airlink.report import Sheet
from airlink.result import Table
from airlink.study import Part, Request, Runner, StudyResult
from airlink_studies.clamp import (
    STUDY,
    delay_target,
    flow_churn,
    no_memory,
    overlay,
    per_flow,
    sender_side,
    setting,
    sharing,
    stability,
    trajectories,
    two_queues,
)
from airlink_studies.clamp.fixed_links import FixedLink, fixed_links, swinging_packets
from airlink_studies.clamp.halves import Halves
from airlink_studies.clamp.study import PARTS
from airlink_studies.clamp.theory import ClampTrajectory
from figure_checks import faults, keeping_figures
from study_pages import findings_of, words_of

pytestmark = pytest.mark.thorough

QUICK = Request(quick=True)


def assert_whole_at_80_columns(sheet: Sheet) -> None:
    console = Console(width=80, file=io.StringIO())
    with console.capture() as shown:
        console.print(sheet.to_rich())
    text = shown.get()
    columns = sheet.narrow or range(len(sheet.columns))
    assert all(row[index] in text for row in sheet.rows for index in columns), sheet.title


# What is run


def test_the_wire_has_the_numbers_of_the_paper() -> None:
    clamp, alone = flow_churn.scenarios().values()
    assert clamp.bottleneck is not None
    assert alone.bottleneck is not None
    assert (clamp.bottleneck.rate_bps, clamp.bottleneck.limit_bytes) == (10e6, 6e6)
    assert alone.bottleneck.limit_bytes == 19_500
    assert [(flow.start_s, flow.stop_s) for flow in clamp.flows] == [(0, 250), (50, 200), (100, 150)]
    assert all(flow.path.downlink_delay_ms + flow.path.uplink_delay_ms == 50 for flow in clamp.flows)
    assert {flow.tcp.congestion_control for flow in (*clamp.flows, *alone.flows)} == {"new_reno"}
    assert [flow.tcp.clamp is None for flow in (*clamp.flows, *alone.flows)] == [False] * 3 + [True] * 3
    assert alone.bottleneck.price.kind == "none"


def test_the_sweep_has_every_rate_delay_and_number_of_flows_and_waits_for_the_slowest_mode() -> None:
    every = fixed_links(Request())
    assert len(every) == 7 * 5 * 3
    assert {link.rate_mbps for link in every} >= {1.0, 100.0}
    assert {link.delays_ms[0] for link in every} >= {10.0, 200.0}
    far = FixedLink(100.0, (200.0, 200.0))
    round_trip_s = 0.2 + 6500 / 12.5e6
    assert far.slowest_s == pytest.approx(12.5e6 * round_trip_s**2 / 1000)
    assert all(link.measured_from_s > link.slowest_s + 10 * link.memory_s for link in every)
    assert all(link.scenario.warmup_s == link.measured_from_s for link in fixed_links(QUICK))


def test_a_link_is_judged_by_its_smallest_window_and_swings_below_eight_packets() -> None:
    assert FixedLink(10.0, (10.0, 100.0)).window_packets == FixedLink(10.0, (10.0, 10.0)).window_packets
    assert not FixedLink(1.0, (10.0,) * 3).judged
    assert FixedLink(10.0, (20.0,) * 3).judged
    assert FixedLink(10.0, (20.0,) * 3).swings
    assert not FixedLink(10.0, (30.0,) * 3).swings
    assert swinging_packets() == pytest.approx(math.sqrt(2 * 1000 * 500 / 1500) / math.pi)


def test_packets_without_averages_have_the_fluid_of_the_paper_five_times_as_large() -> None:
    flows = no_memory.fluid((10.0, 180.0), b=0.5)
    bare = no_memory.packets(flows, no_memory.NONE, 10.0).model_dump()
    price, clamp = bare["bottleneck"]["price"], bare["flows"][0]["tcp"]["clamp"]
    assert (2 * 2500 + price["free_a_bytes"]) / price["gain_b"] == 5 * 6500
    assert (bare["bottleneck"]["rate_bps"], price["averaging_ms"], clamp["tau_bytes"]) == (50e6, 1, 2500)
    own = no_memory.packets(flows, no_memory.PROTOCOL, 10.0).model_dump()
    assert own["flows"][0]["tcp"]["clamp"]["rate_packets"] == 1000


def test_beyond_the_paper_settings_know_their_targets() -> None:
    assert per_flow.q_star("8, the paper's") == 9500
    assert per_flow.q_star("8, per flow") == 5500
    assert sender_side.q_star("20 60 120 ms, sender") == 7000
    assert delay_target.target_of("2 Mb/s, 3, 20 ms") == 20
    assert delay_target.target_of("2 Mb/s, 3, fixed a") is None
    every = [name for rate in delay_target.RATES_MBPS for name in delay_target.links(rate, Request())]
    judged = [name for name in every if delay_target.reachable(name)]
    assert len(judged) == 3 * 2 * 4 - 2
    assert "2 Mb/s, 1, 5 ms" not in judged


def test_two_queues_settle_where_tau_is_the_sum_of_prices_times_the_rate() -> None:
    for case in two_queues.CASES:
        (both, alone), b = case.rates_mbps, two_queues.REACTIVITIES[case.price]
        upstream, second = (b * (queue - 5500) for queue in case.queues_bytes)
        prices = upstream / case.upstream_mbps, second / 10
        assert sum(prices) * both == pytest.approx(500)
        assert prices[1] * alone == pytest.approx(500)
        assert case.flows * both == pytest.approx(case.upstream_mbps)
    assert {case.label for case in two_queues.QUICK_CASES} <= {case.label for case in two_queues.CASES}


# How it measures


def test_a_sample_counts_for_the_time_before_it_and_a_value_for_the_time_after() -> None:
    queue = Table(
        {
            "time_s": np.array([0.0, 1.0, 3.0, 4.0]),
            "packets": np.array([1, 2, 3, 2]),
            "bytes": np.array([1500, 3000, 4500, 3000]),
        }
    )
    samples = trajectories.queue_samples(queue)
    assert samples.queue_bytes.tolist() == [1500, 3000, 4500]
    assert samples.mean(0.0, 4.0) == 4000
    course = trajectories.queue_trajectory(queue)
    assert course.mean(0.0, 4.0) == (1500 + 2 * 3000 + 4500) / 4
    assert course.mean(0.5, 2.0) == 2500
    assert course.deviation(0.5, 2.0) == pytest.approx(np.sqrt(1500**2 * 2 / 9))
    assert course.at(np.array([-1.0, 0.0, 2.9, 3.0, 9.0])).tolist() == [1500, 1500, 3000, 4500, 3000]


@pytest.mark.parametrize("seed", range(20))
def test_what_is_read_since_a_time_has_the_means_of_all(seed: int) -> None:
    draws = np.random.default_rng(seed)
    steps = np.where(draws.random(500) < 0.5, 1, -1)
    packets = np.cumsum(steps) - min(0, np.cumsum(steps).min())
    queue = Table({"time_s": np.cumsum(draws.exponential(1.0, 500)), "packets": packets, "bytes": 1500 * packets})
    from_s, to_s = np.quantile(queue["time_s"], [0.8, 1.0])
    late = trajectories.since(queue, from_s)
    assert late.rows < queue.rows
    for read in (trajectories.queue_samples, trajectories.queue_trajectory):
        assert read(late).mean(from_s, to_s) == read(queue).mean(from_s, to_s)


def test_halves_agree_when_their_intervals_overlap_or_they_are_a_hundredth_apart() -> None:
    near = Halves(np.array([1.0, 2.0, 3.0]), np.array([2.0, 3.0, 4.0]))
    far = Halves(np.array([1.0, 1.1, 1.2]), np.array([2.0, 2.1, 2.2]))
    assert near.agree
    assert not far.agree
    assert far.cells(1) == ("1.1 ± 0.2", "2.1 ± 0.2", "+62.5 %", "NO")
    assert Halves(np.array([100.0, 100.0]), np.array([100.5, 100.5])).cells(0)[3] == "1 %"
    assert not Halves(np.array([100.0, 100.0]), np.array([101.5, 101.5])).agree
    assert far.apart == pytest.approx(1 / 1.6)


def test_means_of_a_course_between_edges() -> None:
    course = trajectories.Trajectory(np.array([0.0, 1.0, 3.0]), np.array([2.0, 4.0, 6.0]))
    assert no_memory.means(course, np.array([0.0, 2.0, 3.0])).tolist() == [3.0, 4.0]


def test_a_swing_begins_where_it_passes_a_tenth() -> None:
    pair = (10.0, 180.0)
    made = {stability.Run(pair, b, "x"): np.array([swing]) for b, swing in ((1.0, 0.02), (2.0, 0.18), (4.0, 0.5))}
    assert stability.onset(made, pair, "x") == pytest.approx([1.5])
    assert np.isnan(stability.onset({stability.Run(pair, 1.0, "x"): np.array([0.02])}, pair, "x")).all()


def test_shares_stop_swinging_where_the_last_swing_falls_below_the_limit() -> None:
    found = {5.0: np.array([0.6, 0.1]), 7.0: np.array([0.3, 0.1]), 9.0: np.array([0.0, 0.1])}
    assert sharing.onset(found) == pytest.approx([8.0, math.nan], nan_ok=True)
    assert np.isnan(sharing.onset({5.0: np.array([0.6])})).all()


def test_three_flows_have_the_window_that_is_asked_for() -> None:
    path = sharing.link(8.0, 250).flows[0].path
    in_flight = 10e6 / 8 * 2 * path.downlink_delay_ms / 1e3 + 7000
    assert in_flight == pytest.approx(3 * 8 * 1500)


def test_the_distance_of_packets_from_the_fluid_is_a_root_mean_square_of_what_is_settled() -> None:
    time_s = np.array([0.5, 1.5, 2.5])
    windows = np.array([[9e9, 9e9], [1100.0, 2000.0], [1000.0, 1800.0]])
    queue = np.array([9e9, 32_500.0, 29_250.0])
    fluid = ClampTrajectory(time_s, np.full(3, 32_500.0), np.tile([1000.0, 2000.0], (3, 1)), np.ones((3, 2)))
    apart = overlay.Pair(time_s, windows, queue, fluid).distances
    assert apart == pytest.approx((0.1 / math.sqrt(2), 0.1 / math.sqrt(2)))


# The short version


KEEPING, DRAWN = keeping_figures(STUDY)
"""The study, and its figures once its short version has run."""


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    return KEEPING.run(tmp_path_factory.mktemp("clamp") / "out", quick=True)


def test_no_text_of_a_figure_is_cut_small_or_covered(quick: StudyResult) -> None:
    assert quick.out.exists()
    assert faults(DRAWN) == []


def test_the_study_begins_with_three_findings(quick: StudyResult) -> None:
    assert len(quick.headlines) == 3
    assert not set(quick.headlines) & set(quick.sentences)


def test_its_page_begins_with_the_same_findings(quick: StudyResult) -> None:
    assert list(map(words_of, findings_of("clamp"))) == list(map(words_of, quick.headlines))


def test_claims_of_fig_2_hold(quick: StudyResult) -> None:
    claims = {claim["id"]: claim for claim in json.loads((quick.out / "claims.json").read_text(encoding="utf-8"))}
    own = [f"004-1{letter}" for letter in "abc"] + [f"004-2{letter}" for letter in "abcdefghijk"]
    assert [name for name in own if claims[name]["holds"] is not True] == []


def test_the_queue_settles_at_q_star_and_rates_are_equal_over_several_links(quick: StudyResult) -> None:
    claims = {claim["id"]: claim for claim in json.loads((quick.out / "claims.json").read_text(encoding="utf-8"))}
    assert [name for name in "defg" if claims[f"004-1{name}"]["holds"] is not True] == []


def test_the_fluid_settles_below_half_pi_and_moving_shares_need_less(quick: StudyResult) -> None:
    claims = {claim["id"]: claim for claim in json.loads((quick.out / "claims.json").read_text(encoding="utf-8"))}
    held = {name: claims[f"004-1{name}"]["holds"] for name in "hijklmno"}
    assert held == dict.fromkeys("hijklo", True) | dict.fromkeys("mn", False)


def test_the_maps_of_stability_have_every_pair() -> None:
    maps = stability.stable_maps(stability.DELAYS_MS)
    assert {len(each) for each in maps.values()} == {6 * 7 // 2}
    assert min(maps[stability.GAIN].values()) >= stability.LIMIT * (1 - 1e-12)
    assert min(min(each.values()) for each in maps.values()) > 0


def test_packets_lie_on_the_fluid_and_shares_swing_below_eight_packets(quick: StudyResult) -> None:
    claims = {claim["id"]: claim for claim in json.loads((quick.out / "claims.json").read_text(encoding="utf-8"))}
    assert [name for name in "ru" if claims[f"004-1{name}"]["holds"] is not True] == []
    assert max(claims[f"004-1{name}"]["measured"] for name in "qrst") < 0.05


@pytest.mark.parametrize(
    ("part", "hold", "may_not"),
    [
        (delay_target.PART, ("14a", "14b"), ""),
        (per_flow.PART, ("15c",), ""),
        (sender_side.PART, ("16a", "16b"), ""),
        (two_queues.PART, ("17c", "17d"), "17b"),
    ],
)
def test_beyond_the_paper_targets_are_held_queues_do_not_grow_and_senders_do_as_well(
    part: Part, hold: Sequence[str], may_not: str
) -> None:
    runner = Runner(QUICK)
    shown = part.show({key: runner.run(plan) for key, plan in part.plans(QUICK).items()}, runner)
    claims = {claim.id.removeprefix("004-"): claim.holds for claim in shown.claims}
    assert [claims[name] for name in hold] == [True] * len(hold)
    assert {name for name, holds in claims.items() if holds is False} <= {may_not}
    for sheet in shown.printed:
        assert_whole_at_80_columns(sheet)


def test_what_is_measured_after_the_first_flow_settled_agrees_in_both_halves(quick: StudyResult) -> None:
    sheet = next(sheet for sheet in quick.sheets if sheet.title.startswith("Fig. 2: halves"))
    assert {row[4] for row in sheet.rows if row[0].startswith("CLAMP")} <= {"yes", "1 %"}
    assert sum(row[0].startswith("New Reno") for row in sheet.rows) == len(flow_churn.STRETCHES)


def test_no_printed_table_is_cut_at_80_columns(quick: StudyResult) -> None:
    for sheet in quick.sheets:
        assert_whole_at_80_columns(sheet)


def test_a_quick_study_says_what_it_leaves_out_and_each_part_of_that_runs_alone(
    quick: StudyResult, tmp_path: Path
) -> None:
    left_out = [figure for part in PARTS if not part.in_quick for figure in part.figures]
    page = (quick.out / "report.html").read_text(encoding="utf-8")
    assert left_out
    assert f"Left out: {', '.join(left_out)}; --figure runs each alone" in page
    assert not any(path.name.startswith(tuple(left_out)) for path in (quick.out / "figures").iterdir())
    alone = STUDY.run(tmp_path / "alone", quick=True, figure=left_out[0])
    assert any(path.name.startswith(left_out[0]) for path in (alone.out / "figures").iterdir())


def test_a_quick_study_shares_the_seeds_of_the_full_one() -> None:
    for part in PARTS:
        full = part.plans(Request())
        for key, plan in part.plans(QUICK).items():
            assert set(plan.seeds) <= set(full[key].seeds)
    assert setting.seeds(2, 1) == (setting.SEEDS_A_BASE + 1,)
