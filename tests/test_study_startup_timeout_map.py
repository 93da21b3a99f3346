"""Study startup-timeout beyond the paper's figures: where 11 of 20 time out, remedies, the rule for the min RTO."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from airlink.campaign import CampaignResult
from airlink.report import Illustration
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.startup_timeout import region as region_part
from airlink_studies.startup_timeout import remedies as remedies_part
from airlink_studies.startup_timeout import rule as rule_part
from airlink_studies.startup_timeout import setting
from airlink_studies.startup_timeout.gap_law import Knowledge, gap_quantile_s, last_user_rto_s, least_rto_s
from airlink_studies.startup_timeout.map_cells import ceiling_kbps, panels
from airlink_studies.startup_timeout.remedies import REMEDIES
from airlink_studies.startup_timeout.rule_settings import TESTS, TRAINING, settles
from airlink_studies.startup_timeout.rule_trials import SHARE

QUICK = Request(quick=True)


def shown(part: Part) -> tuple[dict[str, CampaignResult], PartResult]:
    runner = Runner(QUICK)
    results = {name: runner.run(plan) for name, plan in part.plans(QUICK).items()}
    return results, part.show(results, runner)


@pytest.fixture(scope="module")
def region() -> PartResult:
    return shown(region_part.PART)[1]


@pytest.fixture(scope="module")
def remedies() -> PartResult:
    return shown(remedies_part.PART)[1]


@pytest.fixture(scope="module")
def rule() -> PartResult:
    return shown(rule_part.PART)[1]


def verdicts(found: PartResult) -> dict[str, bool | None]:
    return {claim.id: claim.holds for claim in found.claims}


def test_the_map_has_the_requested_size_and_contains_the_studys_setting() -> None:
    chosen = panels(quick=False)
    assert len(chosen) >= 3
    for panel in chosen:
        assert len(panel.time_constants_slots) >= 8
        assert len(panel.dopplers_hz) >= 6
    spots = [spot for panel in chosen for spot in panel.spots]
    assert len(set(spots)) == len(spots)
    assert setting.cell() in [spot.scenario() for spot in spots]


def test_11_of_20_time_out_with_slow_fading_and_a_long_time_constant(
    region: PartResult,
) -> None:
    found = verdicts(region)
    assert found["003-3m"]
    assert found["003-3n"]
    assert found["003-3o"]
    assert found["003-3p"]


def test_the_map_comes_with_its_data_and_intervals(region: PartResult) -> None:
    table = region.tables["region"]
    cells = sum(len(panel.spots) for panel in panels(quick=True))
    assert all(len(column) == cells for column in table.values())
    assert (table["timed_out_low"] <= table["timed_out"]).all()
    assert (table["timed_out"] <= table["timed_out_high"]).all()
    near = (table["timed_out_low"] <= 11) & (table["timed_out_high"] >= 11)
    assert ((table["jain_held"] > 0) == near).all()


def test_no_held_setting_exceeds_the_ceiling_but_the_paper_does(region: PartResult) -> None:
    ceiling = ceiling_kbps(setting.cell(), 2457.6e3)
    assert region.tables["region"]["kbps"].max() < ceiling < setting.PAPER_KBPS_HELD


def test_every_picture_of_a_part_is_found_by_its_name(
    region: PartResult, remedies: PartResult, rule: PartResult
) -> None:
    for part, found in zip(
        (region_part.PART, remedies_part.PART, rule_part.PART), (region, remedies, rule), strict=True
    ):
        names = [item.name for item in found.items if isinstance(item, Illustration)]
        assert names
        assert all(name.startswith(f"{part.figures[0]}-") for name in names)


def test_a_remedy_changes_only_the_papers_tcp() -> None:
    for remedy in REMEDIES:
        assert all(path.startswith("flows.0.tcp.") for path in remedy.changes)
        setting.cell(**remedy.changes)


def test_linux_has_more_goodput_than_the_papers_tcp_with_or_without_timeouts(remedies: PartResult) -> None:
    found = verdicts(remedies)
    assert found["003-7g"]
    assert found["003-7h"]


def test_no_test_setting_is_a_training_setting() -> None:
    def known(scenario: object) -> tuple[float, float]:
        each = Knowledge.of(scenario)  # type: ignore[arg-type]
        return each.time_constant_s, each.doppler_hz

    assert not {known(each) for each in TRAINING.values()} & {known(each) for each in TESTS.values()}


def test_the_rule_prevents_most_initial_timeouts_on_test_settings(rule: PartResult) -> None:
    assert verdicts(rule)["003-6a"]


@pytest.fixture
def known() -> Knowledge:
    return Knowledge.of(setting.cell())


def test_gaps_grow_with_slower_fading_longer_averaging_more_users_and_rarer_quantiles(known: Knowledge) -> None:
    usual = gap_quantile_s(known, 0.1)
    assert gap_quantile_s(replace(known, doppler_hz=known.doppler_hz / 2), 0.1) > usual
    assert gap_quantile_s(replace(known, time_constant_s=2 * known.time_constant_s), 0.1) > usual
    assert gap_quantile_s(known, 0.05) > usual
    assert least_rto_s(replace(known, users=2 * known.users), SHARE) > least_rto_s(known, SHARE)


def test_on_a_constant_channel_a_gap_ends_when_the_average_has_fallen_to_its_rate(known: Knowledge) -> None:
    still = replace(known, doppler_hz=1e-9)
    levels, rates = still.levels, still.rates_bps
    k = still.demand
    below = math.expm1(-levels[k - 2]) / math.expm1(-levels[k])
    waited = still.time_constant_s * math.log(rates[k] / rates[k - 2])
    assert gap_quantile_s(still, 1.0001 * below) == pytest.approx(waited, rel=1e-6)
    assert gap_quantile_s(still, 0.9999 * below) > 1.05 * waited


def test_a_share_outside_0_to_1_is_refused(known: Knowledge) -> None:
    for share in (0.0, 1.0):
        with pytest.raises(ValueError, match="between 0 and 1"):
            gap_quantile_s(known, share)


def test_with_equal_averages_the_demand_starts_higher_and_the_rule_waits_longer() -> None:
    unequal, alike = setting.cell(), setting.cell(snr_spread_db=0)
    for share in (0.3, 0.05):
        early, late = (least_rto_s(Knowledge.of(unequal, settled=settled), share) for settled in (False, True))
        assert early > late
    assert Knowledge.of(alike, settled=False) == Knowledge.of(alike)


def test_the_papers_law_gives_less_than_1_s_where_a_quarter_of_sessions_time_out(known: Knowledge) -> None:
    assert 0.3 < last_user_rto_s(known, 0.05) < 1.0


def test_averages_settle_if_the_time_constant_is_short_compared_with_the_run() -> None:
    assert settles(setting.cell())
    assert not settles(setting.cell(time_constant_slots=10_000.0))
