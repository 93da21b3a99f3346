"""The study of paper 002: what it runs, how it measures, and its claims in a short version."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from airlink.campaign import Plan, run
from airlink.scenario import Scenario, ready
from airlink.scenario.tables import TABLES
from airlink.studies import STUDIES, Request, StudyResult
from airlink.studies.imt_advanced import buffers, contrasts, setting, speeds, who_got_it
from airlink.studies.imt_advanced.measures import Outcome
from airlink.studies.imt_advanced.study import PARTS
from airlink.studies.imt_advanced.windows import mean_window

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
    sheet = buffers._schemes()
    assert [float(row[3]) * 1e6 for row in sheet.rows] == pytest.approx(TABLES["imt-advanced"].rates_bps)
    assert float(sheet.rows[0][4]) == pytest.approx(37.82, abs=0.01)
    assert float(sheet.rows[8][4]) == pytest.approx(685, abs=0.1)


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


def test_schemes_of_user_1_add_up(short: tuple[Outcome, Plan]) -> None:
    shares = speeds.schemes(run(short[1]), "")
    assert shares.shape == (2, 9)
    assert shares.sum(axis=1) == pytest.approx([1, 1])


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
    result = run(who_got_it.plans(QUICK)["grants"])
    for name in setting.SCHEDULERS:
        drawn = who_got_it.owners(result, name)
        assert drawn.shape == (400, who_got_it.SHOWN_TTIS)
        assert set(np.unique(drawn[~np.isnan(drawn)])) <= set(range(10))


# The short version


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    return STUDIES["imt-advanced"].run(tmp_path_factory.mktemp("imt") / "out", quick=True)


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


def test_a_figure_alone_runs_its_part_only(tmp_path: Path) -> None:
    result = STUDIES["imt-advanced"].run(tmp_path / "one", quick=True, figure="1")
    assert [path.stem for path in Path(result.out / "figures").glob("*.png")] == ["fig1-subchannels"]


def test_the_full_study_has_ten_trials_and_the_quick_one_shares_its_seeds() -> None:
    for part in PARTS:
        for key, plan in part.plans(QUICK).items():
            full = part.plans(Request())[key]
            assert set(plan.seeds) <= set(full.seeds)
    assert len(buffers.plans(Request())["buffers"].seeds) == setting.TRIALS
