"""The study of [Kakuda]: what it runs, how it measures, and its claims in a short version."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from airlink.campaign import Plan, run
from airlink.scenario import TABLES, Scenario, ready
from airlink.scenario.delay_profiles import DELAY_PROFILES
from airlink.scenario.named import ready_toml
from airlink.scenario.sections import TappedDelayLine
from airlink.study import Request, StudyResult
from airlink_studies.imt_advanced import (
    STUDY,
    chance,
    contrasts,
    parameters,
    resource_owners,
    schemes,
    setting,
    table_iii,
)
from airlink_studies.imt_advanced.measures import Outcome
from airlink_studies.imt_advanced.study import PARTS
from airlink_studies.imt_advanced.windows import mean_window
from figure_checks import faults, keeping_figures
from study_pages import findings_of, words_of

pytestmark = pytest.mark.thorough

QUICK = Request(quick=True)
FIGURES = {str(number) for number in (1, *range(3, 18))}


def _short(duration_s: float) -> Scenario:
    changes: dict[str, Any] = {"duration_s": duration_s, "flows.*.start_spread_s": duration_s / 5}
    return setting.cell(**changes)


def test_the_cell_without_arguments_is_the_ready_scenario() -> None:
    assert setting.cell() == ready("imt-advanced")


def test_the_cell_has_the_numbers_of_the_paper() -> None:
    cell = ready("imt-advanced")
    assert (cell.users, cell.duration_s) == (10, 60.0)
    assert cell.carrier is not None
    assert cell.link is not None
    assert cell.rlc is not None
    assert cell.carrier.subchannels * cell.carrier.subchannel_hz == 80e6
    assert cell.link.report.delay_slots == 3
    assert (cell.rlc.segment_bytes, cell.rlc.segment_header_bytes) == (40, 2)
    assert cell.link.harq.max_retransmissions == 10
    assert cell.queue is not None
    assert cell.queue.limit_counts == "unsent"
    delays = [flow.path.downlink_delay_ms - 11.75 for flow in cell.flows]
    assert all(1 <= delay <= 5 for delay in delays)
    assert all(flow.tcp.mss_bytes + flow.tcp.header_bytes == 1500 for flow in cell.flows)


def test_a_tcp_window_never_meets_the_receivers_before_the_largest_buffer_is_full() -> None:
    cell, largest = ready("imt-advanced"), max(setting.BUFFERS)
    in_flight = 274e6 * 0.04 / 8
    assert all(flow.tcp.receiver_window_bytes > 1500 * largest + in_flight for flow in cell.flows)


def test_users_are_numbered_by_distance_and_their_means_span_what_the_profile_says() -> None:
    result = run(Plan({"": _short(0.01)}, range(1, 21)))
    distance, snr = result.users("", "distance_m"), result.users("", "mean_snr_db")
    assert (np.diff(distance, axis=1) > 0).all()
    assert distance.min() >= 150
    assert distance.max() <= 1000
    bare = 10 ** ((-9 - 50 * np.log10(distance / 1000)) / 10)
    assert snr == pytest.approx(-10 * np.log10(1 / bare + 10**-2.1), abs=1e-6)


def test_table_i_of_the_report_is_the_table_of_the_engine() -> None:
    sheet = parameters.schemes()
    assert [float(row[3]) * 1e6 for row in sheet.rows] == pytest.approx(TABLES["imt-advanced"].rates_bps)
    assert float(sheet.rows[0][4]) == pytest.approx(37.82, abs=0.01)
    assert float(sheet.rows[8][4]) == pytest.approx(685, abs=0.1)


def test_table_ii_says_of_each_value_what_the_ready_scenario_says() -> None:
    said = _comments(ready_toml("imt-advanced"))
    cell = setting.cell()
    for each in parameters.PARAMETERS:
        assert each.ours(cell)
        for path in each.paths:
            assert each.source in said.get(path, each.source), (each.what, path)
    assert sum(path in said for each in parameters.PARAMETERS for path in each.paths) >= 35


def _comments(text: str) -> dict[str, str]:
    """Path of a field -> the comment on its line; of the flows the first alone."""
    found: dict[str, str] = {}
    section = ""
    for line in text.splitlines():
        heading = re.match(r"\[+([\w.]+)\]+", line)
        if heading:
            section = re.sub(r"^flows", "flows.0", heading[1]) + "."
        elif match := re.match(r"(\w+) = ([^#]*)#\s*(.*)", line):
            found.setdefault(f"{section}{match[1]}", match[3])
            for inner in re.findall(r"(\w+) = ", match[2]):
                found.setdefault(f"{section}{match[1]}.{inner}", match[3])
    return found


def test_table_ii_has_every_value_that_the_paper_prints() -> None:
    rows = {row[0]: row[1:] for row in parameters.parameters().rows}
    assert rows["RLC PDU (bytes)"] == ("40 + 2", "40 + 2", "given")
    assert rows["subchannel"] == ("200 kHz", "200 kHz", "given")
    assert rows["wired links"][:2] == ("1 Gb/s", "1 Gb/s")
    assert rows["t_a"] == ("", "1000 TTI", "chosen")


def test_access_delays_that_are_drawn_lie_where_the_paper_has_them() -> None:
    drawn = [table_iii._draw(seed) for seed in range(1, 11)]
    assert all(1 <= ms <= 5 for each in drawn for ms in each.values())
    assert len({each[0] for each in drawn}) == 10
    cell = setting.cell().with_(**table_iii.access({0: 5.0}))
    assert cell.flows[0].path.uplink_delay_ms == 16.75
    assert cell.flows[1] == setting.cell().flows[1]


def test_each_control_of_table_iii_is_another_cell() -> None:
    settings = table_iii.settings(Request())
    cells = [setting.cell(setting.MAX_RATE, buffer).with_(**turned) for (_, buffer), turned in settings.items()]
    drawn = sum(name == table_iii.DRAWN for name, _ in settings)
    assert len({cell.model_dump_json() for cell in cells}) == len(cells) - drawn
    assert set(table_iii.settings(QUICK)) <= set(settings)


def test_delays_off_the_grid_are_those_of_tu6_to_a_tenth_of_the_grid() -> None:
    channel = ready("imt-advanced").with_(**setting.OFF_GRID).channel
    assert channel is not None
    moved = channel.fading
    assert isinstance(moved, TappedDelayLine)
    paths = DELAY_PROFILES["tu6"]
    assert moved.powers_db == paths.powers_db
    apart = np.subtract(moved.delays_ns, paths.delays)
    assert np.abs(apart[1:]).min() > 0
    assert np.abs(apart).max() < 25


# How it measures


@pytest.fixture(scope="module")
def short() -> tuple[Outcome, Plan]:
    """Two seeds of half a second."""
    plan = Plan({"": _short(0.5)}, (1, 2), ("cwnd", "mcs"))
    return Outcome.of(run(plan), ""), plan


def test_shares_are_shares(short: tuple[Outcome, Plan]) -> None:
    outcome, _ = short
    assert outcome.selection.sum(axis=1) == pytest.approx([1, 1])
    for values in (outcome.active, outcome.retransmission, outcome.loss, outcome.unused):
        known = values[~np.isnan(values)]
        assert known.min() >= 0
        assert known.max() <= 1


def test_empty_granted_and_padded_add_up(short: tuple[Outcome, Plan]) -> None:
    outcome, _ = short
    assert (outcome.empty_without_data > 0).all()  # before the first packet came
    assert (outcome.unused < 1).all()


def test_a_mean_window_lies_between_its_least_and_its_largest(short: tuple[Outcome, Plan]) -> None:
    result = run(short[1])
    windows = mean_window(result, "")
    series = result.result("").replicas[0].series["cwnd"]
    own = series["cwnd_bytes"][series["flow"] == 0] / 1460
    assert own.min() <= windows.packets[0] <= own.max()
    assert windows.mbps(short[0]).shape == (2,)


def test_schemes_of_each_user_add_up_and_the_mean_is_between(short: tuple[Outcome, Plan]) -> None:
    result = run(short[1])
    shares, got = schemes.scheme_shares(result, ""), result.users("", "granted_bytes") > 0
    assert shares.shape == (2, 10, 9)
    assert shares.sum(axis=2) == pytest.approx(got.astype(float))
    means = schemes.mean_scheme(shares)[got]
    assert means.min() >= 1
    assert means.max() <= 9
    assert schemes.mean_scheme(np.eye(9)[None])[0] == pytest.approx(np.arange(1, 10))


def test_a_window_beyond_the_receivers_counts_as_that() -> None:
    cell = _short(0.5).with_(**{"flows.*.tcp.receiver_window_bytes": 3 * 1460})
    windows = mean_window(run(Plan({"": cell}, (1,), ("cwnd",))), "")
    assert windows.course.max() == 3
    assert 1 < windows.packets[0] < 3


def test_trials_join_in_their_order(short: tuple[Outcome, Plan]) -> None:
    whole, plan = short
    parts = [Outcome.of(run(Plan(plan.scenarios, (seed,))), "") for seed in plan.seeds]
    joined = Outcome.joined(parts)
    for name in Outcome.__dataclass_fields__:
        assert np.array_equal(getattr(joined, name), getattr(whole, name), equal_nan=True)


def test_changes_by_chance_are_of_disjoint_trials_both_ways_round() -> None:
    values = np.array([[1.0, 10.0], [2.0, 10.0], [4.0, 10.0]])
    ratios = chance.changes(values, 1)
    assert ratios.shape == (6, 2)
    assert sorted(ratios[:, 0]) == [0.25, 0.5, 0.5, 2, 2, 4]
    assert (ratios[:, 1] == 1).all()
    assert chance.changes(np.vstack([values, values]), 3).shape == (20, 2)
    rows = chance.by_chance(_outcome(np.tile(np.arange(10.0, 0.0, -1.0), (10, 1)))).rows
    assert [row[0] for row in rows] == ["1 against 1", "3 against 3", "5 against 5"]
    assert {cell for row in rows for cell in row[1:]} == {"0"}


def _outcome(throughput: np.ndarray) -> Outcome:
    names = Outcome.__dataclass_fields__
    return Outcome(**dict.fromkeys(names, throughput))


def test_contrasts_by_hand() -> None:
    falling = _outcome(np.tile(np.arange(10.0, 0.0, -1.0), (3, 1)))
    double = _outcome(2 * falling.throughput_mbps)
    assert contrasts.rank_correlation(falling, "selection").mean == pytest.approx(-1)
    assert contrasts.rank_correlation(_outcome(falling.selection[:, ::-1]), "selection").mean == pytest.approx(1)
    assert contrasts.lead_of_user_1(falling, "selection").mean == 1
    assert contrasts.ratio(double, falling, (1, 7)).mean == 2
    assert contrasts.difference(double, falling, "loss", (2, 3)).mean == 8.5
    assert contrasts.users_with_more(double, falling, "loss").mean == 10
    assert contrasts.users_with_more(falling, falling, "loss").mean == 0


def test_a_picture_has_an_owner_or_nobody_in_every_place() -> None:
    result = run(resource_owners.plans(QUICK)["grants"])
    for name in setting.SCHEDULERS:
        drawn = resource_owners.owners(result, name)
        assert drawn.shape == (400, resource_owners.SHOWN_TTIS)
        assert set(np.unique(drawn[~np.isnan(drawn)])) <= set(range(10))


# The short version


KEEPING, DRAWN = keeping_figures(STUDY)
"""The study, and its figures once its short version has run."""


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    return KEEPING.run(tmp_path_factory.mktemp("imt") / "out", quick=True)


def test_no_text_of_a_figure_is_cut_small_or_covered(quick: StudyResult) -> None:
    assert quick.out.exists()
    assert faults(DRAWN) == []


def test_the_study_begins_with_three_findings(quick: StudyResult) -> None:
    assert len(quick.headlines) == 3
    assert not set(quick.headlines) & set(quick.sentences)


def test_its_page_begins_with_the_same_findings(quick: StudyResult) -> None:
    assert list(map(words_of, findings_of("imt-advanced"))) == list(map(words_of, quick.headlines))


def test_every_figure_of_the_paper_is_drawn_once(quick: StudyResult) -> None:
    assert {figure for part in PARTS for figure in part.figures} >= FIGURES
    names = [path.stem for path in Path(quick.out / "figures").glob("fig*.png")]
    assert sorted(name.removeprefix("fig").partition("-")[0] for name in names) == sorted(FIGURES)


def test_every_claim_of_the_paper_is_judged(quick: StudyResult) -> None:
    claims = json.loads((quick.out / "claims.json").read_text(encoding="utf-8"))
    assert {claim["id"].rstrip("abcdefghijklmnop") for claim in claims} == {f"002-{number}" for number in range(1, 9)}
    assert all(np.isfinite(float(claim["measured"])) for claim in claims)


def test_what_the_fading_leaves_as_it_is_no_speed_lowers(quick: StudyResult) -> None:
    claims = {claim["id"]: claim for claim in json.loads((quick.out / "claims.json").read_text(encoding="utf-8"))}
    assert abs(claims["002-7m"]["measured"]) < 1.5
    assert claims["002-7i"]["measured"] > 1
    assert claims["002-7j"]["measured"] > 1


def test_no_printed_table_is_cut_at_80_columns(quick: StudyResult) -> None:
    for sheet in quick.sheets:
        console = Console(width=80, file=io.StringIO())
        with console.capture() as shown:
            console.print(sheet.to_rich())
        text = shown.get()
        assert all(cell in text for row in sheet.rows for cell in row), sheet.title


def test_a_figure_alone_runs_its_part_only(tmp_path: Path) -> None:
    result = STUDY.run(tmp_path / "one", quick=True, figure="1")
    assert [path.stem for path in Path(result.out / "figures").glob("*.png")] == ["fig1-subchannels"]


def test_the_full_study_has_ten_trials_and_the_quick_one_shares_its_seeds() -> None:
    for part in PARTS:
        for key, plan in part.plans(QUICK).items():
            full = part.plans(Request())[key]
            assert set(plan.seeds) <= set(full.seeds)
    assert set(setting.seeds(QUICK)) <= set(setting.seeds(Request()))
    assert len(setting.seeds(Request())) == setting.TRIALS
