"""The study of [Klein04]: what it runs, how it measures, and its claims in a short version."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from rich.console import Console

from airlink.report import Printed, Sheet, Verdict, claims_sheet, to_markdown
from airlink.result import ResultExists
from airlink.scenario import ready
from airlink.statistics import Estimate
from airlink.study import StudyResult
from airlink_studies.tcp_pf import STUDY, figures, page, tables
from airlink_studies.tcp_pf.cells import AS_IT_IS, CELL_RULES, CELLS, TCP_RULES, all_rules
from airlink_studies.tcp_pf.claims import judged
from airlink_studies.tcp_pf.controls import BASE, CONTROLS, LOSSLESS, NO_LOSS, SWEEPS, Control, all_controls
from airlink_studies.tcp_pf.evidence import Evidence, Pair
from airlink_studies.tcp_pf.measures import Outcome, coverage, coverage_difference, gain, mean_ratio_change
from airlink_studies.tcp_pf.setting import IDEAL, MAX, PF, SCHEDULERS, TCP_MAX, TCP_PF, UNAPPROXIMATED, k3, seeds
from airlink_studies.tcp_pf.spurious import Case, Examples, Search, examples, search, timeouts
from figure_checks import faults, keeping_figures
from study_pages import findings_of, words_of

DROPS, USERS = 30, 21
PAGE = Path(__file__).parent.parent / "docs/studies/tcp-pf.md"
# What K3 does not give, in a few runs or in many: TCP-MAX is fairer than in the paper, and the ideal metric of eq. (3)
# hands slots to users who have nothing to send.
NOT_REPRODUCED = {"001-3b", "001-4c", "001-9c"}
"""Claims whose direction does not come out."""
OTHER_SIZES = {f"001-{name}" for name in ("1a", "1k", "3b", "3c", "3g", "3j", "4c", "4d", "4i", "6a", "9b")}
"""Claims whose size does not; on the realizations of another base seed one in twenty more may not."""


def outcome(system_kBps: float, spread: float = 0.03, seed: int = 1, timeouts: float = 1.0) -> Outcome:  # noqa: N803
    """Hand-made numbers around a mean cell goodput."""
    random = np.random.default_rng(seed)
    goodput = system_kBps / USERS * (1 + spread * random.standard_normal((DROPS, USERS)))
    many = np.full((DROPS, USERS), timeouts)
    return Outcome(
        goodput_kBps=goodput,
        granted_kBps=1.5 * goodput.sum(axis=1),
        delivered_kBps=1.1 * goodput.sum(axis=1),
        timeouts=many,
        spurious_timeouts=0 * many,
        longest_gap=np.full((DROPS, USERS), 3.0),
        longest_gap_slots=np.full((DROPS, USERS), 100.0),
        wasted_share=np.full(DROPS, 0.2),
    )


def evidence(controls: Mapping[Control, Pair] | None = None) -> Evidence:
    """Hand-made evidence in which Table I comes out."""
    main = {kind: outcome(mean) for kind, mean in zip(SCHEDULERS, (111.0, 174.0, 194.0, 112.0, 199.0), strict=True)}
    main |= {UNAPPROXIMATED: outcome(193.0), IDEAL: outcome(195.0)}
    pair = Pair(main[PF], main[TCP_PF])
    chosen = dict.fromkeys(CONTROLS, pair) if controls is None else controls
    sweeps = {sweep: dict.fromkeys([*sweep.values, sweep.own], pair) for sweep in SWEEPS}
    found = search(main[PF], main[TCP_PF], range(DROPS))
    rules = {cell.name: {AS_IT_IS: pair, **{rule.name: pair for rule in (*TCP_RULES, *CELL_RULES)}} for cell in CELLS}
    return Evidence(
        main=main,
        queue_aware=main,
        tcp_max={"K3": main[TCP_MAX]},
        controls=chosen,
        sweeps=sweeps,
        repeats={1: main, 2: main},
        cells=rules,
        search=found,
        examples={LOSSLESS: Examples(found, 0, None)},
        seeds=range(1, DROPS + 1),
    )


def directions(found: Evidence) -> dict[str, Verdict | None]:
    return {claim.id: claim.direction for claim in judged(found)}


def verdicts(found: Evidence) -> dict[str, bool | None]:
    return {claim.id: claim.holds for claim in judged(found)}


# What is run


def test_the_schedulers_differ_from_the_profile_in_the_scheduler_only() -> None:
    profile = ready("k3").model_dump()
    for kind in (*SCHEDULERS, UNAPPROXIMATED, IDEAL):
        made = k3(kind).model_dump()
        control = made["experimental"]["scheduler"] if made["experimental"] else made["scheduler"]
        assert control["kind"] == kind
        assert made["scheduler"]["serve_empty_queues"] is True
        own = {"scheduler": None, "experimental": None}
        assert {**made, **own} == {**profile, **own}


RULES = [together for _, _, together in all_rules()]


@pytest.mark.parametrize("control", [*all_controls(quick=False), *RULES], ids=lambda control: control.name)
def test_a_control_changes_what_it_says_and_nothing_else(control: Control) -> None:
    for kind in (PF, TCP_PF):
        changed = set(differences(k3(kind).model_dump(), control.scenario(kind).model_dump()))
        said = set(control.changes)
        if kind == TCP_PF:
            said |= {f"scheduler.{name}" for name in control.metric}
        assert changed == said
        assert bool(changed) == (kind in control.touched)


def differences(a: Any, b: Any, path: str = "") -> Iterator[str]:
    """Paths of the leaves that differ."""
    if isinstance(a, dict) and isinstance(b, dict):
        for name in sorted({*a, *b}):
            yield from differences(a.get(name), b.get(name), f"{path}.{name}" if path else name)
    elif isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)) and len(a) == len(b):
        for index, (one, other) in enumerate(zip(a, b, strict=True)):
            yield from differences(one, other, f"{path}.{index}")
    elif a != b:
        yield path


def test_the_lossless_variant_is_the_ready_scenario() -> None:
    control = next(control for control in CONTROLS if control.name == LOSSLESS)
    profile = ready("k3-lossless")
    for kind in (PF, TCP_PF):
        ours, theirs = control.scenario(kind).model_dump(), profile.model_dump()
        assert {**ours, **NO_NAME} == {**theirs, **NO_NAME}
    scheduler = profile.scheduler
    if scheduler is not None and scheduler.kind == TCP_PF:
        assert control.scenario(TCP_PF).scheduler == scheduler


NO_NAME = {"name": "", "description": "", "scheduler": None}


def test_the_drops_of_base_seeds_do_not_overlap() -> None:
    assert seeds(1, 50) == tuple(range(1, 51))
    assert len({*seeds(1, 50), *seeds(2, 50), *seeds(3, 50)}) == 150
    assert set(seeds(2, 10)) <= set(seeds(2, 50))
    with pytest.raises(ValueError, match="base seed"):
        seeds(0, 50)


# How it measures


def test_gamma_and_f_are_those_of_the_paper() -> None:
    one = replace(outcome(100.0), goodput_kBps=np.array([[1.0, 100.0], [10.0, 10.0]]))
    assert one.system_kBps.tolist() == [101.0, 20.0]
    assert one.fairness.tolist() == pytest.approx([1.0, 1.0])
    starved = replace(one, goodput_kBps=np.array([[0.0, 28.0], [1.0, 1.0]]))
    assert starved.fairness.tolist() == [-np.inf, 0.0]


def test_gaps_are_counted_against_each_users_own_mean_and_missing_ones_are_not() -> None:
    one = replace(outcome(1.0), longest_gap=np.array([[11.0, 10.0, np.nan], [4.1, 12.0, 30.0]]))
    assert one.users_with_gap_over(10).tolist() == [1.0, 2.0]
    assert one.users_with_gap_over(4).tolist() == [2.0, 3.0]


def test_the_coverage_is_what_90_percent_of_all_users_reach() -> None:
    one = replace(outcome(1.0), goodput_kBps=np.arange(1.0, 101.0).reshape(10, 10))
    covered = coverage(one)
    assert covered.mean == 11.0
    assert covered.low < covered.mean < covered.high


def test_a_paired_difference_of_coverage_is_sure_where_each_alone_is_not() -> None:
    random = np.random.default_rng(5)
    goodput = random.exponential(5.0, size=(DROPS, 1)) * random.uniform(0.5, 1.5, size=(DROPS, USERS))
    low, high = replace(outcome(1.0), goodput_kBps=goodput), replace(outcome(1.0), goodput_kBps=goodput + 0.2)
    difference = coverage_difference(high, low)
    assert difference.low > 0
    assert difference.high - difference.low < coverage(low).high - coverage(low).low


def test_the_change_of_a_ratio_is_the_difference_of_the_ratios() -> None:
    a, b, c = outcome(190.0, seed=1), outcome(170.0, seed=2), outcome(200.0, seed=3)
    change = mean_ratio_change((a.system_kBps, b.system_kBps), (c.system_kBps, b.system_kBps))
    assert change.mean == pytest.approx(gain(a, b).mean - gain(c, b).mean)
    assert change.low < change.mean < change.high


def test_drops_of_several_seeds_are_joined_in_order() -> None:
    a, b = outcome(1.0, seed=1), outcome(2.0, seed=2)
    joined = Outcome.joined([a, b])
    assert joined.system_kBps.tolist() == [*a.system_kBps, *b.system_kBps]


def test_the_papers_bins_are_cut_off_downwards() -> None:
    assert [round(tables.binned(value), 2) for value in (0.0, 0.63, 0.64, 1.92, 6.7)] == [0.0, 0.0, 0.64, 1.92, 6.4]


def test_the_search_takes_users_whose_timeouts_were_all_spurious_and_absent_under_tcp_pf() -> None:
    none = np.zeros((2, 3))
    pf = replace(
        outcome(1.0),
        timeouts=np.array([[1, 2, 0], [3, 1, 1]], dtype=float),
        spurious_timeouts=np.array([[1, 1, 0], [3, 1, 1]], dtype=float),
        longest_gap_slots=np.full((2, 3), 300.0),
    )
    tcp_pf = replace(outcome(1.0), timeouts=np.array([[0, 0, 0], [0, 1, 0]], dtype=float), spurious_timeouts=none)
    found = search(pf, tcp_pf, [7, 8])
    assert found.cases == [Case(7, 0, 300.0, 1), Case(8, 0, 300.0, 3), Case(8, 2, 300.0, 1)]
    assert found.seeds == (7, 8)
    assert found.users == 6


def test_the_example_is_the_case_most_like_the_papers() -> None:
    window = {
        "flow": np.array([0, 0, 0, 1, 1, 1, 1, 1]),
        "time_s": np.array([1.0, 2.0, 3.1, 1.0, 3.0, 4.0, 24.0, 24.9]),
        "event": np.array([0, 3, 0, 0, 3, 0, 3, 0]),
        "ssthresh_bytes": np.array([np.inf, 47.0, 47.0, np.inf, 2.0, 2.0, 47.5, 47.5]),
    }
    assert [(each.outstanding, round(each.silence_s, 1)) for each in timeouts(window, 0, 1)] == [(94.0, 2.1)]
    assert [each.outstanding for each in timeouts(window, 1, 1)] == [4.0, 95.0]
    assert timeouts(window, 2, 1) == []
    cases = [Case(1, 1, 400.0, 2), Case(1, 0, 390.0, 1)]
    found = examples(Search(cases, 2, outcome(1.0), outcome(1.0)), {1: window}, 1)
    assert found.nearest is not None
    assert found.nearest[0] == cases[1], "the later timeout of the other leaves nothing to see after it"


# What it claims


def test_every_item_of_the_checklist_has_claims() -> None:
    found = judged(evidence())
    assert {claim.id[:5] for claim in found} == {f"001-{item}" for item in range(1, 10)}
    assert [claim.id for claim in found] == sorted(claim.id for claim in found)


def test_the_claims_follow_the_numbers() -> None:
    found = directions(evidence())
    assert [found[name] for name in ("001-1a", "001-1b", "001-2a")] == [Verdict.HOLDS] * 3
    assert found["001-6b"] is Verdict.FAILS
    swapped = evidence()
    main = {**swapped.main, PF: swapped.main[TCP_PF], TCP_PF: swapped.main[PF]}
    turned = directions(replace(swapped, main=main))
    assert [turned[name] for name in ("001-1b", "001-2a")] == [Verdict.FAILS] * 2


def test_the_sizes_follow_the_numbers() -> None:
    """Means of 50 realizations with a deviation of 7 % each; 20 kB/s more are beyond chance."""
    near = outcome(174.0, spread=0.3)
    found = evidence()
    sizes = [
        {claim.id: claim.size for claim in judged(replace(found, main={**found.main, PF: pf}))}["001-1h"]
        for pf in (near, replace(near, goodput_kBps=near.goodput_kBps + 20 / USERS))
    ]
    assert sizes == [Verdict.HOLDS, Verdict.FAILS]


def test_a_user_with_nothing_makes_f_minus_infinity() -> None:
    whole = evidence()
    goodput = whole.main[MAX].goodput_kBps.copy()
    goodput[3, 4] = 0.0
    starved = {**whole.main, MAX: replace(whole.main[MAX], goodput_kBps=goodput)}
    assert verdicts(whole)["001-3e"] is False
    assert verdicts(replace(whole, main=starved))["001-3e"] is True


def test_the_sentences_name_what_takes_the_gain_away_and_what_adds_to_it() -> None:
    base = evidence().base
    without = Pair(outcome(200.0, seed=1), outcome(200.0, seed=1))
    larger = Pair(outcome(174.0, seed=1), outcome(240.0, seed=1))
    gone, same, more = (control for control in CONTROLS if control.name in {NO_LOSS, LOSSLESS, "random ties"})
    found = evidence({gone: without, more: larger, same: base})
    sentences = [*page.headlines(found), *page.dependence(found), *page.sentences(found)]
    assert any("is gone when no frame is lost (+0.0 %)" in text for text in sentences)
    assert any(f"larger when {more.meaning}" in text for text in sentences)
    assert any(f"does not change measurably when {same.meaning}" in text for text in sentences)
    assert any("This gain depends on frame losses" in text for text in sentences)
    assert not any("K3" in text for text in page.headlines(found))


def test_no_table_or_picture_of_the_page_needs_the_name_of_a_profile() -> None:
    sheets = tables.sheets(evidence({CONTROLS[0]: evidence().base}))
    assert not any("K3" in text for sheet in sheets for text in (sheet.title, sheet.note))
    gain = evidence().base.gain
    drawn = figures.control_figure([BASE, CONTROLS[0].name], [(gain.mean, gain.low, gain.high)] * 2, 1.118)
    assert "K3" not in drawn.caption
    assert not any("K3" in label.get_text() for label in drawn.figure.axes[0].get_yticklabels())


def test_every_table_fits_80_columns() -> None:
    wide = evidence()
    for sheet in tables.sheets(wide):
        assert fits(sheet), sheet.title


def fits(sheet: Sheet) -> bool:
    """Whether every number is shown in full; only words are folded."""
    return Console(width=200).measure(replace(sheet, note="").to_rich()).minimum <= 80


def test_a_change_differs_when_its_interval_leaves_out_zero() -> None:
    assert tables.differs(Estimate(0.1, 0.05, 0.15, 9))
    assert tables.differs(Estimate(-0.1, -0.15, -0.05, 9))
    assert not tables.differs(Estimate(0.1, -0.05, 0.25, 9))


# The short version


KEEPING, DRAWN = keeping_figures(STUDY)
"""The study, and its figures once its short version has run."""


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    seen: list[tuple[int, int]] = []
    out = tmp_path_factory.mktemp("study") / "report"
    result = KEEPING.run(out, quick=True, progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1]
    return result


def test_no_text_of_a_figure_is_cut_small_or_covered(quick: StudyResult) -> None:
    assert quick.out.exists()
    assert faults(DRAWN) == []


def test_the_study_begins_with_three_findings(quick: StudyResult) -> None:
    assert len(quick.headlines) == 3
    assert not set(quick.headlines) & set(quick.sentences)


def test_its_page_begins_with_the_same_findings(quick: StudyResult) -> None:
    assert list(map(words_of, findings_of("tcp-pf"))) == list(map(words_of, quick.headlines))


def test_the_short_version_leaves_everything_in_its_folder(quick: StudyResult) -> None:
    names = {str(path.relative_to(quick.out)) for path in quick.out.rglob("*") if path.is_file()}
    figures = (
        "fig1-gaps",
        "fig2-window-pf",
        "fig3-window-tcp-pf",
        "fig4-system-cdf",
        "fig5-user-cdf",
        "fig6-fairness-cdf",
    )
    expected = {f"figures/{name}.png" for name in (*figures, "controls")}
    expected |= {f"figures/{name}.html" for name in figures[1:3]}
    assert names == expected | {
        "report.html",
        "claims.json",
        "study.json",
        "tables.md",
        *(f"tables/{name}.parquet" for name in ("users", "realizations", "controls", "claims")),
    }


def test_the_report_holds_all_figures_and_asks_no_network(quick: StudyResult) -> None:
    text = (quick.out / "report.html").read_text()
    assert text.count('src="data:image/png;base64,') == 7
    assert 'src="http' not in text
    assert 'href="http' not in text


def test_figs_2_and_3_can_be_zoomed_into(quick: StudyResult) -> None:
    linked = re.findall(r'href="(figures/[^"]+)"', (quick.out / "report.html").read_text())
    assert linked == ["figures/fig2-window-pf.html", "figures/fig3-window-tcp-pf.html"]
    for name in linked:
        text = (quick.out / name).read_text()
        assert text.lower().startswith("<!doctype html>")
        assert 'src="http' not in text


def test_the_written_claims_are_those_returned(quick: StudyResult) -> None:
    records = json.loads((quick.out / "claims.json").read_text())
    assert [(one["id"], one["holds"]) for one in records] == [(claim.id, claim.holds) for claim in quick.claims]


def test_the_stored_users_add_up_to_the_stored_drops(quick: StudyResult) -> None:
    users = pq.read_table(quick.out / "tables/users.parquet").to_pydict()
    drops = pq.read_table(quick.out / "tables/realizations.parquet").to_pydict()
    for index in (0, len(drops["seed"]) - 1):
        key = (drops["scheduler"][index], drops["seed"][index])
        rows = zip(users["scheduler"], users["seed"], users["goodput_kBps"], strict=True)
        total = sum(value for scheduler, seed, value in rows if (scheduler, seed) == key)
        assert total == pytest.approx(drops["system_kBps"][index])


def test_ten_drops_contradict_no_claim_that_fifty_confirm(quick: StudyResult) -> None:
    assert {claim.id for claim in quick.claims if claim.direction is Verdict.FAILS} <= NOT_REPRODUCED
    assert {claim.id for claim in quick.claims if claim.size is Verdict.FAILS} <= OTHER_SIZES


def test_ten_drops_are_enough_for_the_large_effects(quick: StudyResult) -> None:
    held = {claim.id for claim in quick.claims if claim.direction is Verdict.HOLDS}
    assert {"001-1a", "001-1b", "001-1c", "001-3a", "001-5a", "001-5b", "001-6b", "001-7a"} <= held
    assert {"001-3e", "001-4e"} <= {claim.id for claim in quick.claims if claim.size is Verdict.HOLDS}


def test_the_terminal_output_stays_within_80_columns(quick: StudyResult, capsys: pytest.CaptureFixture[str]) -> None:
    quick.show(Console(width=80))
    lines = capsys.readouterr().out.splitlines()
    assert max(len(line) for line in lines if not line.startswith("report:")) <= 80
    assert any(line.startswith("TCP-PF") for line in lines)


def test_a_folder_with_results_is_not_written_over(quick: StudyResult) -> None:
    with pytest.raises(ResultExists, match="holds results"):
        STUDY.run(quick.out, quick=True)


@pytest.mark.validate
def test_the_page_of_the_study_shows_what_a_run_gives(tmp_path: Path) -> None:
    written = PAGE.read_text(encoding="utf-8")
    found = STUDY.run(tmp_path / "report")
    for sheet in (claims_sheet(found.claims, "Claims"), *found.sheets):
        assert to_markdown(sheet) in written, f"{sheet.title}: copy it from tables.md of a run"


@pytest.mark.validate
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_fifty_drops_give_the_headlines_of_the_paper(tmp_path: Path, seed: int) -> None:
    claims = {claim.id: claim for claim in STUDY.run(tmp_path / "report", seed=seed).claims}
    assert {name for name, claim in claims.items() if claim.direction is Verdict.FAILS} <= NOT_REPRODUCED
    if seed == 1:
        assert {name for name, claim in claims.items() if claim.size is Verdict.FAILS} <= OTHER_SIZES
    assert 1.05 <= claims["001-2a"].measured <= 1.20
    assert claims["001-1f"].measured >= 1.4
    assert claims["001-3e"].measured == -np.inf
    for name in ("001-1g", "001-1h", "001-1i"):
        paper = claims[name].paper
        assert isinstance(paper, Printed)
        assert abs(claims[name].measured / paper.value - 1) <= 0.08, "a realization's Gamma varies by 14 %: 50 "
        "of them by 4 %"
