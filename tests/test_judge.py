"""The judge: a better scheduler wins, an equal one is equal, one fitted to public cases is told, all is counted."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from airlink import RequestError, Scenario, ScenarioError, measures, run, suites
from airlink.campaign.answer import Answer as Stored
from airlink.campaign.answering import Means
from airlink.own import OwnError, with_traceback
from airlink.result import ResultError
from airlink.scenario.fields import Number
from airlink.statistics import simultaneous
from airlink.suites import Aim, Axis, Candidate, Family, Judging, Ledger, Suite, Terms, read_candidate
from airlink.suites.aim import GEOMETRIC, IN_TIME, PAGE_TIME, turned
from airlink.suites.cases import cases_of, run_cases
from airlink.suites.cells import cell, pages
from airlink.suites.cost import slot_times_us
from airlink.suites.judging import HIDDEN, PARTS, PUBLIC, hidden_seeds
from airlink.suites.rivals import WITHOUT_DEADLINES, _inside, as_run, built_ins, kinds, tunable
from airlink.suites.tuning import gain, tuned
from airlink.suites.verdicts import best_of, outcome
from airlink.suites.verdicts import judged as case_judged
from airlink.suites.wording import difference_text, overfit
from airlink.suites.worst import worst
from test_cli import Answer

RR, PF, MAX = (read_candidate(kind) for kind in ("round_robin", "proportional_fair", "max_rate"))
SEEDS = range(1, 11)
ALONE = Means(store=None, threads=1)


def backlogged(low_db: float, high_db: float, speed_kmh: float = 60) -> Scenario:
    """Three users who always have data: a run takes milliseconds."""
    flows = [{"traffic": {"kind": "backlogged"}}]
    return cell(3, low_db, high_db, speed_kmh, flows, duration_s=2.0, warmup_s=0.5, link__report__delay_slots=0)


APART = Family(
    "apart",
    "users whose mean SNR differs",
    GEOMETRIC,
    [Axis("apart_db", 10, 20, "between the first and the last")],
    lambda values: backlogged(5, 5 + values["apart_db"]),
)
ALIKE = Family(
    "alike",
    "users with one mean SNR",
    GEOMETRIC,
    [Axis("mean_db", 8, 12, "of all")],
    lambda values: backlogged(values["mean_db"], values["mean_db"]),
)
SMALL = Suite("small", [ALIKE], [APART])


def judged(candidate: Candidate, suite: Suite, folder: Path, rivals: Sequence[Candidate], **terms: Any) -> Judging:
    usual: dict[str, Any] = {"seeds": SEEDS, "worst": 0, "timed": False, "rivals": {each.name: each for each in rivals}}
    asked = Terms(**{**usual, **terms})
    return suites.judge(candidate, suite, Ledger(folder / "judgings.jsonl"), asked, ALONE)


def test_a_better_scheduler_wins_and_a_worse_one_loses(tmp_path: Path) -> None:
    suite = Suite("fading", [ALIKE], [APART])
    better = judged(replace(PF, name="mine"), suite, tmp_path, [RR], members=2)
    worse = judged(replace(RR, name="mine"), suite, tmp_path, [PF], members=2)
    for part in PARTS:
        assert better.outcomes(part) == {"win": 2, "lose": 0, "equivalent": 0, "unclear": 0}
        assert worse.outcomes(part) == {"win": 0, "lose": 2, "equivalent": 0, "unclear": 0}
    (first, _) = better.verdicts[PUBLIC]
    assert first.best == "round_robin"
    assert first.estimates["mine"].mean > 1.1 * first.estimates["round_robin"].mean
    assert first.differences["round_robin"].relative.low > 0


@pytest.mark.parametrize(
    "settings",
    ["scheduler.kind=lambda, scheduler.exponent=1", 'scheduler.kind=formula, scheduler.metric="rate / average"'],
)
def test_one_scheduler_by_two_names_is_equivalent_everywhere(settings: str, tmp_path: Path) -> None:
    other = read_candidate(f"mine={settings}")
    found = judged(other, SMALL, tmp_path, [PF], members=2)
    for part in PARTS:
        assert found.outcomes(part)["equivalent"] == 2
        assert all(each.differences["proportional_fair"].absolute.mean == 0 for each in found.verdicts[part])


def test_every_case_of_the_suite_calls_proportional_fair_equal_to_itself(tmp_path: Path) -> None:
    whole = suites.suite_of("schedulers")
    found = judged(replace(PF, name="mine"), whole, tmp_path, [PF], seeds=range(1, 6))
    for part in PARTS:
        assert [each.case.name for each in found.verdicts[part] if each.outcome != "equivalent"] == []
    assert overfit(found) == ""


@pytest.mark.parametrize("seed", [10, 15, 18, 27])
def test_users_of_slots_of_1xev_do_are_served_whatever_is_drawn(seed: int) -> None:
    (family,) = (each for each in suites.suite_of("schedulers").hidden if each.name == "evdo")
    (case,) = cases_of([family], seed)
    assert np.isfinite(run(case.scenario, seed=3).cell["mean_log10_goodput_kBps"]).all()


def test_a_scheduler_that_is_fitted_to_public_cases_is_told_by_hidden_ones(tmp_path: Path) -> None:
    found = judged(replace(MAX, name="mine"), SMALL, tmp_path, [PF, RR], margin=0.1)
    assert found.outcomes(PUBLIC)["lose"] == 0
    assert found.outcomes(HIDDEN)["lose"] == 1
    assert "may be fitted to the public ones" in overfit(found)
    assert overfit(found) in " ".join(suites.text_of(found).split())
    even = replace(found, verdicts={PUBLIC: found.verdicts[HIDDEN], HIDDEN: found.verdicts[HIDDEN]})
    assert overfit(even) == ""


def test_outcomes_follow_from_the_verdicts_against_all_schedulers_at_once(tmp_path: Path) -> None:
    found = judged(replace(PF, name="mine"), SMALL, tmp_path, [RR, MAX])
    for part in PARTS:
        for each in found.verdicts[part]:
            runs = found.runs[part][each.case.name]
            values = {label: [10.0 ** float(of[0]) for of in rows] for label, rows in runs.items()}  # type: ignore[arg-type]
            expected = {label: turned(one) for label, one in simultaneous(values, "mine").items()}
            for label, difference in each.differences.items():
                ends = [getattr(difference.relative, end) for end in ("mean", "low", "high")]
                assert ends == pytest.approx(
                    [getattr(expected[label].relative, end) for end in ("mean", "low", "high")]
                )
            assert each.outcome == outcome(list(each.verdicts.values()))
            assert {each.against(label) for label in each.verdicts} <= {"win", "lose", "equivalent", "unclear"}
    assert best_of({"a": 1.0, "b": 2.0, "c": float("nan")}, "higher") == "b"
    assert best_of({"a": 1.0, "b": 2.0, "c": float("nan")}, "lower") == "a"


def test_a_difference_turned_round_is_that_of_the_arms_the_other_way() -> None:
    rng = np.random.default_rng(1)
    base = rng.normal(10, 1, 12)
    arms = {"a": base, "b": base + rng.normal(2, 0.5, 12)}
    there, back = simultaneous(arms, "a")["b"], turned(simultaneous(arms, "b")["a"])
    assert back.absolute.mean == pytest.approx(there.absolute.mean)
    # One pair of arms: the same number of standard errors, and Fieller's interval of the inverse ratio.
    for end in ("mean", "low", "high"):
        assert getattr(back.relative, end) == pytest.approx(getattr(there.relative, end))


def test_aims_are_made_of_measures() -> None:
    assert GEOMETRIC.values([2.0, -np.inf]) == [100.0, 0.0]
    assert IN_TIME.values([0.25]) == [0.75]
    assert Aim.of("users.p05(goodput_bps)").better == "higher"
    with pytest.raises(measures.MeasureError, match="nobody knows"):
        Aim.of("cell.slots")


def test_a_seed_judges_again_with_the_same_numbers_and_another_one_draws_others(tmp_path: Path) -> None:
    mine = replace(PF, name="mine")
    first = judged(mine, SMALL, tmp_path, [RR], worst=4)
    again = judged(mine, SMALL, tmp_path, [RR], worst=4, hidden_seed=first.terms.hidden_seed)
    other = judged(mine, SMALL, tmp_path, [RR], hidden_seed=5)
    assert (first.drawn, again.drawn) == (True, False)
    moving = ("judging", "judged_before", "hidden_seed_drawn")
    one, two = (
        {name: value for name, value in suites.summary(each).items() if name not in moving} for each in (first, again)
    )
    assert one == two
    assert first.verdicts[HIDDEN][0].case.values != other.verdicts[HIDDEN][0].case.values
    assert first.verdicts[PUBLIC][0].estimates == other.verdicts[PUBLIC][0].estimates
    assert list(hidden_seeds(5, 3)) != list(hidden_seeds(6, 3))


def test_the_hash_is_written_down_before_the_seed_is_made_and_all_is_counted(tmp_path: Path) -> None:
    mine = read_candidate("mine=scheduler.kind=lambda, scheduler.exponent=0.5")
    found = judged(mine, SMALL, tmp_path, [PF], seeds=range(1, 3))
    ledger = Ledger(tmp_path / "judgings.jsonl")
    committed, revealed, closed = ledger.entries()
    assert [each["event"] for each in (committed, revealed, closed)] == ["committed", "revealed", "judged"]
    assert committed["hash"] == mine.hash == sha256(mine.text.encode()).hexdigest()
    assert committed["at"] <= revealed["at"] <= closed["at"]
    assert revealed["seed"] == found.terms.hidden_seed
    assert closed["public"] == found.outcomes(PUBLIC)
    changed = read_candidate("mine=scheduler.kind=lambda, scheduler.exponent=0.6")
    judged(changed, SMALL, tmp_path, [PF], seeds=range(1, 3), hidden_seed=7)
    third = judged(changed, SMALL, tmp_path, [PF], seeds=range(1, 3))
    assert (third.number, third.count.hash, third.count.name, third.count.hashes) == (3, 2, 3, 2)
    assert third.count.replays == 1
    assert third.broken == []
    text = " ".join(suites.text_of(third).split())
    assert "Judging 3 of this ledger; the 2nd of this hash, the 3rd of the name 'mine' (2 hashes)." in text
    assert f"Hidden seed {third.terms.hidden_seed}, drawn after the hash was written down" in text


def test_a_line_that_was_changed_or_cut_off_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "judgings.jsonl"
    ledger = Ledger(path, lambda: datetime(2026, 1, 1, tzinfo=timezone.utc))
    for kind in ("tcp_pf", "max_rate", "fifo"):
        ledger.reveal(ledger.commit(read_candidate(kind), "small", "0"), 1)
    assert ledger.broken() == []
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:2], *lines[3:]]))
    assert ledger.broken() == [3]
    path.write_text("".join([lines[0].replace("tcp_pf", "tcp_max"), *lines[1:]]))
    assert ledger.broken() == [2]
    path.write_text("".join([*lines, lines[0][:30]]))
    assert ledger.broken() == [7]
    assert ledger.commit(read_candidate("fifo"), "small", "0") == 4
    assert ledger.broken() == [7]
    assert ledger.count(read_candidate("fifo")).hash == 2


def test_without_a_ledger_nothing_is_run(tmp_path: Path) -> None:
    (tmp_path / "judgings.jsonl").mkdir()
    with pytest.raises(ResultError, match="the ledger can't be"):
        judged(PF, SMALL, tmp_path, [RR])


def test_a_candidate_is_a_kind_settings_or_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[scheduler]\nkind = "lambda"\nexponent = 0.5\n')
    read = [
        read_candidate(text)
        for text in (str(file), "half=scheduler.kind=lambda, scheduler.exponent=0.5", f"half={file}")
    ]
    assert [each.name for each in read] == ["mine", "half", "half"]
    assert [each.file for each in read] == ["mine.toml", "", "mine.toml"]
    assert len({each.hash for each in read}) == 1
    scenario = read[0].in_place(backlogged(5, 10).with_(**{"scheduler.release_satisfied_users": True}))
    assert scenario.scheduler is not None
    assert (scenario.scheduler.kind, scenario.scheduler.release_satisfied_users) == ("lambda", True)
    assert read_candidate(read[1].argument).hash == read[1].hash


MINE = """
class Mine:
    def metric(self, view):
        return view.rate_bps / view.average_bps[:, None]
"""


def test_code_of_ones_own_is_judged_as_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    mine = read_candidate(f"{tmp_path / 'mine.py'}:Mine")
    assert (mine.name, mine.file, mine.settings) == ("Mine", "mine.py", {})
    found = judged(mine, SMALL, tmp_path, [PF], worst=1)
    for part in PARTS:
        (each,) = found.verdicts[part]
        assert each.outcome == "equivalent"
        assert each.differences["proportional_fair"].absolute.mean == 0
    assert Ledger(tmp_path / "judgings.jsonl").entries()[0]["text"] == MINE
    (tmp_path / "mine.py").write_text(MINE.replace("rate_bps", "rate_bps**0.5"))
    other = read_candidate(f"other={tmp_path / 'mine.py'}:Mine")
    assert other.hash != mine.hash
    assert judged(other, SMALL, tmp_path, [PF], seeds=range(1, 3)).count.name == 2


STARVING = """
import numpy as np

class Far:
    "Gives up the users whose mean SNR is below the median."
    def metric(self, view):
        metric = view.rate_bps / view.average_bps[:, None]
        metric[view.mean_snr_db < np.median(view.mean_snr_db)] = np.nan
        return metric

class All:
    "Gives up everybody."
    def metric(self, view):
        return np.full(view.rate_bps.shape, np.nan)
"""
WEB = Family(
    "web",
    "pages of six users, slow ones at the edge",
    PAGE_TIME,
    [Axis("think_s", 0.1, 0.2, "between pages")],
    lambda values: cell(6, -2, 20, 3, [pages(values["think_s"])], duration_s=3.0, warmup_s=1.0, drain_s=3.0),
)


@pytest.mark.parametrize("name", ["Far", "All"])
def test_users_who_are_given_up_lose_however_fast_the_pages_of_others_are(name: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(STARVING)
    mine = read_candidate(f"mine={tmp_path / 'mine.py'}:{name}")
    found = judged(mine, Suite("web", [WEB], []), tmp_path, [PF, RR], seeds=range(1, 7))
    (each,) = found.verdicts[PUBLIC]
    assert each.outcome == "lose"
    own, best = each.estimates["mine"].mean, each.estimates[each.best].mean
    # The aim alone would not have said so.
    assert own < best if name == "Far" else np.isnan(own)
    assert set(each.starved) == {"proportional_fair", "round_robin"}
    assert each.served["mine"] == (3.0 if name == "Far" else 0.0)
    assert each.served["proportional_fair"] > 5
    told = " ".join(suites.text_of(found).split())
    assert re.search(f"web: it serves {each.served['mine']:g} users, [a-z_]+ [56][.0-9]*; lose, whatever its p95", told)


def test_a_verdict_that_serves_fewer_users_by_chance_is_no_win() -> None:
    def rows(values: Sequence[float], served: Sequence[float]) -> list[list[float]]:
        return [[value, users] for value, users in zip(values, served, strict=True)]

    goodput, chance = [2.0, 2.1, 2.05, 2.08, 2.02], [6.0, 6.0, 5.0, 6.0, 6.0]
    (case,) = suites.cases_of([APART], 1)
    more = rows([each + 0.3 for each in goodput], [6.0] * 5)
    fewer = rows([each + 0.3 for each in goodput], chance)
    all_served = rows(goodput, [6.0] * 5)
    assert case_judged(case, {"mine": more, "rival": all_served}, "mine", 0.02).outcome == "win"
    assert case_judged(case, {"mine": fewer, "rival": all_served}, "mine", 0.02).outcome == "unclear"
    assert case_judged(case, {"mine": all_served, "rival": fewer}, "mine", 0.02).outcome == "lose"


def test_who_beat_the_candidate_is_named_with_its_difference() -> None:
    steady = [2.0, 2.01, 2.02, 1.99, 2.0]
    unsteady = [1.0, 2.9, 1.2, 2.8, 2.9]
    (case,) = suites.cases_of([APART], 1)
    values = {"mine": [each - 0.1 for each in steady], "steady": steady, "unsteady": unsteady}
    found = case_judged(case, {label: [[one, 3.0] for one in each] for label, each in values.items()}, "mine", 0.02)
    assert (found.best, found.verdicts["unsteady"], found.outcome) == ("unsteady", "undecided", "lose")
    assert found.decisive == "steady"
    assert difference_text(found).startswith("-20.57 %")


def test_rivals_may_have_any_label_and_be_of_any_kind(tmp_path: Path) -> None:
    formula = replace(read_candidate('scheduler.kind=formula, scheduler.metric="rate"'), name="rate")
    found = judged(read_candidate("mine=tcp_pf"), SMALL, tmp_path, [replace(PF, name="pf"), formula], seeds=range(1, 3))
    assert set(found.rivals) == {"pf", "rate"}
    more = tuned({"pf": read_candidate("lambda"), "rate": formula}, suites.cases_of([APART], 1), 3, [1, 2], ALONE)
    assert {label: each.evaluations for label, each in more.items()} == {"pf": 3, "rate": 1}


def test_lines_that_lack_a_field_are_counted_as_far_as_they_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "judgings.jsonl"
    ledger, mine = Ledger(path), read_candidate("tcp_pf")
    for _ in range(2):
        ledger.reveal(ledger.commit(mine, "small", "0"))
    whole = path.read_text()
    for name, expected in (("name", (2, 0)), ("hash", (0, 2)), ("drawn", (2, 2))):
        path.write_text(whole.replace(f'"{name}"', '"other"'))
        count = ledger.count(mine)
        assert (count.hash, count.name, count.replays) == (*expected, 0)
        assert ledger.broken() != []


def test_code_that_fails_in_a_case_is_told_with_it_and_closes_the_judging(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE.replace("return", "assert view.mean_snr_db.max() < 14\n        return"))
    mine = read_candidate(f"{tmp_path / 'mine.py'}:Mine")
    with pytest.raises(OwnError, match=r"^apart: .*seed ") as caught:
        judged(mine, SMALL, tmp_path, [PF], seeds=range(1, 3))
    told = with_traceback(caught.value)
    assert (told.count("Traceback"), told.count("in metric"), told.count("suites")) == (1, 1, 0)
    *_, last = Ledger(tmp_path / "judgings.jsonl").entries()
    assert (last["event"], last["judging"]) == ("failed", 1)
    assert last["why"].startswith("apart: ")


def test_a_number_too_few_is_one_sentence_with_the_case(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE.replace("return", "return view.weight[1:]\n        return"))
    mine = read_candidate(f"{tmp_path / 'mine.py'}:Mine")
    with pytest.raises(OwnError, match=r"^alike: metric returned an array of shape") as caught:
        judged(mine, SMALL, tmp_path, [PF], seeds=range(1, 3))
    assert with_traceback(caught.value) == str(caught.value)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("nowhere.py:Mine", OwnError, "there is no file nowhere.py"),
        ("", RequestError, "candidate is empty"),
        ("mine.py", RequestError, "mine.py names no class of the file: mine.py:NAME"),
        ("users=3", RequestError, "sets users; it may set fields of scheduler only"),
        ("scheduler.exponent=3", RequestError, "has no scheduler.kind"),
        ("fastest", ScenarioError, 'scheduler.kind = "fastest"'),
        ("scheduler.kind=lambda, scheduler.exponent=-1", ScenarioError, "scheduler.exponent = -1"),
        ("nowhere.toml", RequestError, "nowhere.toml: can't be read: No such file"),
    ],
)
def test_what_is_no_candidate_is_refused(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        read_candidate(text)


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ({"members": 0}, "members is 0; it must be a whole number of at least 1"),
        ({"budget": 0}, "budget is 0"),
        ({"worst": -1}, "worst is -1"),
        ({"seeds": [1]}, "two seeds at least"),
        ({"margin": 1.0}, "margin is 1.0"),
        ({"hidden_seed": -1}, "seed is -1; it must lie in 0..2^64-1"),
        ({"hidden_seed": "x"}, "seed is 'x'; it must be a whole number"),
        ({"seeds": [1, 2, 1]}, "seeds has one twice"),
        ({"seeds": 12}, "seeds is 12; it must be a list of whole numbers"),
        ({"rivals": {}}, "rivals is empty"),
        ({"rivals": {"pf": "proportional_fair"}}, "rival 'pf' is 'proportional_fair'; suites.read_candidate makes"),
    ],
)
def test_terms_that_can_not_be_are_refused(terms: Mapping[str, Any], message: str) -> None:
    with pytest.raises(RequestError, match=re.escape(message)):
        Terms(**terms)


def test_every_member_of_every_family_can_be_run_and_measured() -> None:
    suite = suites.suite_of("schedulers")
    families = [*suite.public, *suite.hidden]
    assert len({family.name for family in families}) == len(families) == 20
    for seed in range(1, 13):
        for case in suites.cases_of(families, seed):
            assert measures.lacking(case.aim.measure, case.scenario) == ""
            assert case.measures[0] == case.aim.measure
    for family in families:
        for share in (0.0, 1.0):
            assert family.scenario({axis.name: axis.at(share) for axis in family.axes}).users >= 2


def test_a_draw_belongs_to_its_name_alone() -> None:
    more = replace(APART, axes=[Axis("further", 1, 2, ""), *APART.axes])
    assert more.drawn(3)["apart_db"] == APART.drawn(3)["apart_db"]
    assert APART.drawn(3) != APART.drawn(4)
    assert APART.drawn(3, 0) != APART.drawn(3, 1)
    drawn = [APART.drawn(seed)["apart_db"] for seed in range(400)]
    # Uniform from 10 to 20: the mean of 400 has a standard error of 10 / sqrt(12 x 400).
    assert abs(np.mean(drawn) - 15) < 4 * 10 / np.sqrt(12 * 400)
    with pytest.raises(RequestError, match="apart_db is 9; it must lie from 10 to 20"):
        APART.scenario({"apart_db": 9})
    with pytest.raises(RequestError, match="family apart has the fields apart_db"):
        APART.scenario({})


def test_every_built_in_scheduler_is_a_rival_and_its_numbers_have_ranges() -> None:
    rivals = built_ins()
    assert {"round_robin", "fifo", "max_rate", "proportional_fair", "tcp_pf"} <= set(rivals)
    assert set(rivals) == set(kinds())
    assert [axis.name for axis in tunable("lambda")] == ["time_constant_slots", "initial_average_bps", "exponent"]
    assert tunable("max_rate") == []
    assert list(_inside(Number(above=1, at_most=10), 1.1)) == pytest.approx([1.0001, 10])
    assert list(_inside(Number(above=0, below=1), 0.5)) == pytest.approx([0.5 / 30, 0.9995])
    for kind, rival in rivals.items():
        for axis in tunable(kind):
            for share in (0.0, 0.5, 1.0):
                rival.tuned({axis.name: axis.at(share)})


@pytest.mark.parametrize("kind", WITHOUT_DEADLINES)
def test_kinds_with_deadlines_are_proportional_fair_without_them_and_run_once(kind: str) -> None:
    constant = 50.0 if kind == "exp_pf" else 1000.0
    own = read_candidate(f"scheduler.kind={kind}, scheduler.time_constant_slots={constant}")
    fair = read_candidate(f"scheduler.kind=proportional_fair, scheduler.time_constant_slots={constant}")
    # Several subchannels, and one: a metric that is a weight of the rate takes another path there.
    families = [each for each in suites.suite_of("schedulers").hidden if each.name in ("subchannels", "arq-loss")]
    for case in suites.cases_of(families, 1):
        scenario = own.in_place(case.scenario).with_(duration_s=2.0, warmup_s=0.5, drain_s=0.0)
        same = as_run(scenario)
        assert same.scheduler is not None
        assert same.scheduler == fair.in_place(scenario).scheduler
        assert run(same, seed=3).digest() == run(scenario, seed=3).digest()
    budgets = scenario.with_(**{"scheduler.delay_budget_ms": [100.0] * scenario.users})
    assert as_run(budgets) is budgets


def test_what_gives_the_same_numbers_is_run_once_and_counts_for_each() -> None:
    asked = []
    cases = suites.cases_of([APART], 1)
    arms = {"fair": PF, "again": PF, "exp": read_candidate("exp_pf"), "other": RR}
    found = run_cases(cases, {"apart": arms}, [1, 2], replace(ALONE, progress=lambda *told: asked.append(told)))
    assert asked[-1] == (4, 4)
    assert list(found["apart"]) == list(arms)
    assert found["apart"]["fair"] == found["apart"]["again"] == found["apart"]["exp"] != found["apart"]["other"]


def test_tuning_finds_a_planted_number_with_its_budget_and_keeps_what_has_none() -> None:
    # The edge gets more with a larger exponent of lambda; 1 is the default.
    edge = Aim("edge", "users.0.goodput_bps", "higher")
    cases = suites.cases_of([APART], 1, aim=edge)
    rivals = {kind: built_ins()[kind] for kind in ("lambda", "max_rate")}
    found = tuned(rivals, cases, 8, [1, 2], ALONE)
    assert (found["lambda"].evaluations, found["max_rate"].evaluations) == (8, 1)
    assert found["lambda"].values["exponent"] > 1
    assert found["lambda"].score > 0
    assert found["max_rate"].candidate.hash == rivals["max_rate"].hash
    assert tuned(rivals, cases, 1, [1, 2], ALONE)["lambda"].values == {}


def test_a_gain_is_a_logarithm_that_is_cut_off() -> None:
    (case,) = suites.cases_of([APART], 1)
    assert gain(case, 2.0, 1.0) == pytest.approx(np.log(2))
    assert (gain(case, 1.0, 0.0), gain(case, 0.0, 1.0), gain(case, float("nan"), 1.0)) == (3.0, -3.0, 0.0)


def test_the_search_for_the_worst_finds_where_users_are_apart() -> None:
    wide = replace(APART, axes=[Axis("apart_db", 0, 20, "")], make=lambda values: backlogged(5, 5 + values["apart_db"]))
    rivals = {"proportional_fair": PF}
    mine = replace(MAX, name="mine")
    found = worst(mine, rivals, [ALIKE, wide], 12, 3, SEEDS, 0.02, ALONE)
    assert found.evaluations == 12
    assert found.verdict.case.family.name == "apart"
    assert found.verdict.case.values["apart_db"] > 10
    assert found.verdict.outcome == "lose"
    assert found.searched_loss > 0.5
    again = worst(mine, rivals, [ALIKE, wide], 12, 3, SEEDS, 0.02, ALONE)
    assert again.verdict.case.values == found.verdict.case.values
    assert again.verdict.estimates == found.verdict.estimates


def test_the_time_of_a_slot_is_measured_for_every_scheduler() -> None:
    times = slot_times_us(backlogged(5, 15), {"rr": RR, "pf": PF}, rounds=1)
    assert set(times) == {"rr", "pf"}
    assert all(us > 0 for us in times.values())


@pytest.fixture
def _small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(suites.SUITES, "schedulers", SMALL)


@pytest.mark.usefixtures("_small")
def test_the_command_prints_and_writes_a_judging_whose_worst_scenario_runs_again() -> None:
    words = ("--candidate", "mine=scheduler.kind=lambda, scheduler.exponent=0.5", "--seeds", "1-4", "--worst", "2")
    answer = Answer("compare", "--suite", "schedulers", *words, "--html", "--out", "o")
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert max(len(line) for line in lines if not line.startswith("  airlink compare ")) <= 80
    assert lines[0].startswith("mine against the best built-in scheduler. Public: ")
    assert {path.name for path in Path("o").iterdir()} == {"judging.json", "judging.txt", "report.html", "worst.toml"}
    assert Path("o/judging.txt").read_text().rstrip("\n") in answer.out
    found = json.loads(Path("o/judging.json").read_text())
    assert [row["part"] for row in found["cases"]] == [PUBLIC, HIDDEN]
    (command,) = [line.strip() for line in lines if line.startswith("  airlink compare ")]
    assert Answer(*shlex.split(command)[1:], "--out", "again").code == 0
    again = Stored.load("again").samples
    for label, name in (("mine", "mine"), ("best", found["worst"]["against"])):
        of_seeds = np.asarray(again[label, GEOMETRIC.text], dtype=float)
        assert np.mean(10.0**of_seeds) == pytest.approx(found["worst"]["means"][name])
    page = Path("o/report.html").read_text()
    assert all(
        part in page for part in ("Verdicts", "Worst scenario", "Trade-offs, hidden cases", "What this does not")
    )


@pytest.mark.usefixtures("_small")
def test_a_judging_is_json_too_and_its_folder_is_kept() -> None:
    words = ("compare", "--suite", "schedulers", "--candidate", "tcp_pf", "--seeds", "1-2", "--worst", "0", "--json")
    first, second = (json.loads(Answer(*words).out) for _ in range(2))
    assert (first["judging"], second["judging"]) == (1, 2)
    assert first["candidate"]["name"] == "candidate tcp_pf"
    names = sorted(path.name for path in Path("airlink-results").glob("judging-*"))
    assert names == ["judging-tcp_pf-1", "judging-tcp_pf-2"]
    again = Answer(*words, "--out", f"airlink-results/{names[0]}")
    assert (again.code, again.err) == (2, f"airlink: airlink-results/{names[0]} exists (--out DIR, --force)\n")
    Path("full").mkdir()
    Path("full/thesis.tex").write_text("")
    refused = Answer(*words, "--out", "full")
    assert (refused.code, refused.err) == (2, "airlink: full exists (--out DIR, --force)\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--suite", "schedulers"], "--suite needs a --candidate"),
        (["--suite", "queues", "--candidate", "fifo"], "suite is 'queues'; it must be 'schedulers'"),
        (["--suite", "schedulers", "--candidate", "fifo", "lte"], "--suite does not go with lte"),
        (["--suite", "schedulers", "--candidate", "fifo", "--until", "1 %"], "--suite does not go with --until"),
        (["--suite", "schedulers", "--candidate", "fifo", "-s", "users=2"], "--suite does not go with -s"),
        (["--suite", "schedulers", "--candidate", "fifo", "--members", "0"], "members is 0"),
        (["--suite", "schedulers", "--candidate", "fifo", "-m", "cell.slots"], "nobody knows whether more or less"),
        (["lte", "fifo", "--budget", "3"], "--budget requires --suite"),
        (["lte", "--html"], "--html requires --suite"),
    ],
)
def test_a_judging_that_can_not_be_is_one_sentence(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = Answer("compare", *words)
    assert (answer.code, answer.out) == (2, "")
    assert message in answer.err
    assert answer.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
