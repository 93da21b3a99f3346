"""Comparisons: arms, the primary measure and its verdict, warm-up, stored results, and every sentence of refusal."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import airlink
from airlink import Comparison, RequestError, Scenario, ScenarioError, plots
from airlink.campaign.answer import Answer as Stored
from airlink.campaign.compare_arms import read_arms
from airlink.campaign.folder import question_of
from airlink.campaign.judged import Judged
from airlink.result import Estimate
from airlink.scenario import ready
from airlink.statistics import Difference, simultaneous, verdict
from small_cells import CELL, GOODPUT, TEXT
from test_cli import Answer

MAX = "scheduler.kind=max_rate"
ARMS = {"rr": CELL, "max": CELL.override([MAX]), "same": CELL.with_(name="other")}
EDGE = "users.p05(goodput_bps)"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.toml").write_text(TEXT)


@pytest.fixture(scope="module")
def found() -> Comparison:
    return airlink.compare(ARMS, measure=GOODPUT, others=[EDGE], seeds=range(1, 9), store=None)


def test_differences_and_verdicts_are_those_of_the_statistics(found: Comparison) -> None:
    samples = {label: found.samples[label, GOODPUT] for label in ARMS}
    expected = simultaneous(samples, "rr")  # type: ignore[arg-type]
    assert found.comparison is not None
    assert list(found.comparison) == ["max", "same"]
    for label, judged in found.comparison.items():
        assert judged.difference == expected[label]
        assert judged.verdict == verdict(expected[label], 0.01, "higher")
    assert found.comparison["max"].verdict == "better"
    assert found.comparison["same"].verdict == "equivalent"
    pooled = simultaneous({label: found.samples[label, EDGE] for label in ARMS}, "rr", share=0.05)  # type: ignore[arg-type]
    assert found.differences["max", EDGE].difference == pooled["max"]
    assert found.differences["max", EDGE].verdict == ""


def test_the_frame_has_differences_and_verdicts(found: Comparison) -> None:
    frame = found.frame()
    assert frame.rows == 6
    assert frame["verdict"].tolist() == ["baseline", "baseline", "better", "", "equivalent", ""]
    assert np.isnan(frame["relative"][:2]).all()
    assert frame["difference"][2] == pytest.approx(frame["mean"][2] - frame["mean"][0])
    assert frame["relative"][2] == pytest.approx(frame["mean"][2] / frame["mean"][0] - 1)
    assert frame.to_pandas().shape == frame.to_polars().shape == (6, 16)


def test_the_text_has_verdicts_and_calls_other_measures_exploratory(found: Comparison) -> None:
    lines = repr(found).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == f"compare-rr-max-same: {GOODPUT}, higher is better"
    assert any(re.fullmatch(r"rr +[\d.]+ ± [\d.]+ +baseline", line) for line in lines)
    assert any(re.fullmatch(r"max +[\d.]+ ± [\d.]+ +\+\d+ % \[\+\d+, \+\d+\] +better", line) for line in lines)
    assert any(re.fullmatch(r"same +[\d.]+ ± [\d.]+ +\+0 % +equivalent", line) for line in lines)
    assert any(line.startswith("(no verdict)") for line in lines)
    assert 'max: scheduler.kind = "max_rate"' in lines


def test_ends_that_are_not_known_are_question_marks_with_a_word_of_them(found: Comparison) -> None:
    lines = repr(found).splitlines()
    edge = next(at for at, line in enumerate(lines) if line.startswith(EDGE))
    assert re.search(r"rr +\d+ \[\?, \d+\] kb/s", lines[edge + 1])
    assert "?: these replicas do not tell; more seeds, or longer runs, may." in lines
    assert not any("inf" in line for line in lines)
    sure = replace(found, estimates=dict.fromkeys(found.estimates, Estimate(1.0, 0.5, 1.5, 8)))
    assert not any(line.startswith("?") for line in repr(sure).splitlines())


def test_a_difference_from_about_nothing_is_in_its_unit(found: Comparison) -> None:
    endless = Estimate(9.0, -math.inf, math.inf, 8)
    judged = Judged(Difference(Estimate(2e6, 1e6, 3e6, 8), endless), "better")
    lines = repr(replace(found, differences=dict.fromkeys(found.differences, judged))).splitlines()
    assert any(re.fullmatch(r"max .+ \+2\.0 ± 1\.0 Mb/s +better", line) for line in lines)


def test_a_comparison_is_saved_and_loaded_whole(found: Comparison) -> None:
    found.save("o")
    loaded = Stored.load("o")
    assert isinstance(loaded, Comparison)
    assert loaded.frame() == found.frame()
    assert repr(loaded) == repr(found)
    assert Answer("compare", "o", "--out", "again").code == 0
    assert Stored.load("again").frame() == found.frame()


def test_another_baseline_and_margin_change_the_verdict() -> None:
    arms = {"a": CELL, "b": CELL.with_(**{"link.rate.bandwidth_hz": 1.1e6})}

    def verdict_of(label: str, baseline: str, margin: float) -> str:
        found = airlink.compare(
            arms, measure=GOODPUT, others=[], margin=margin, baseline=baseline, seeds=range(1, 21), store=None
        )
        assert found.baseline == baseline
        return (found.comparison or {})[label].verdict

    assert verdict_of("b", "a", 0.2) == "equivalent"
    assert verdict_of("b", "a", 0.01) == "better"
    assert verdict_of("a", "b", 0.01) == "worse"


def labels(*texts: str) -> dict[str, Scenario]:
    return {label: arm.scenario for label, arm in read_arms(texts).arms.items()}


def test_arms_are_files_names_overrides_and_any_of_them_with_a_name() -> None:
    made = labels("tiny.toml", MAX, f"both={MAX}, users=2", "wire=dumbbell", "flows.0.traffic={kind='file', bytes=5}")
    assert list(made) == ["tiny", "kind=max_rate", "both", "wire", "traffic={kind=file, bytes=5}"]
    assert made["kind=max_rate"] == CELL.override([MAX])
    assert made["both"] == CELL.override([MAX, "users=2"])
    assert made["wire"] == ready("dumbbell")
    assert read_arms(["tiny.toml", MAX], ["users=2"]).arms["kind=max_rate"].scenario.users == 2
    assert list(labels("tiny.toml", "users=2, scheduler.kind=max_rate"))[1] == "users=2, kind=max_rate"


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ([MAX, "tiny.toml"], f"{MAX} changes the first arm's scenario, but no scenario stands before it"),
        (["tiny.toml", "tiny.toml"], "two arms are called 'tiny'; name one of them, as in NAME=tiny.toml"),
        (["tiny.toml", "other=nowhere"], "nowhere: no such file, and no ready scenario"),
        (["tiny.toml", "limit_packets=50"], "it belongs to [[hops]] or [bottleneck] or [queue] or [upstream]"),
        (["tiny.toml", "users=0"], "users = 0: must be a whole number"),
        (["tiny.toml", "schedulr.kind=max_rate"], "schedulr = "),
        (["tiny.toml", "schedulr.window=1, users=2"], "schedulr = "),
        (["tiny.toml", f"l1.5={MAX}"], f"'l1.5': the name of an arm may not have a dot; write l1_5={MAX}"),
        (["tiny.toml", "v2.0=lte"], "'v2.0': the name of an arm may not have a dot; write v2_0=lte"),
    ],
)
def test_arms_that_cannot_be_are_explained(texts: Sequence[str], message: str) -> None:
    with pytest.raises((RequestError, ScenarioError)) as error:
        read_arms(texts)
    assert message in str(error.value)


def test_mistakes_of_all_arms_come_at_once() -> None:
    with pytest.raises(ScenarioError) as error:
        read_arms(["tiny.toml", "users=0", "scheduler.kind=max_rat"])
    assert [problem.path for problem in error.value.problems] == ["users", "scheduler.kind"]


def test_a_first_arm_that_is_refused_hides_no_mistake_behind_those_that_change_it() -> None:
    with pytest.raises(ScenarioError) as error:
        read_arms(["tiny.toml", "scheduler.kind=max_rate", "queue.kind=codel"], ["users=0"])
    assert [problem.path for problem in error.value.problems] == ["users"]


def test_stored_results_are_compared_by_their_seeds_and_not_run() -> None:
    for out, setting in (("a", "users=3"), ("b", MAX)):
        words = ("run", "tiny.toml", "-s", setting, "--seed", "3", "--replicas", "6", "--out", out)
        assert Answer(*words).code == 0
    answer = Answer("compare", "a", "b", "-m", GOODPUT, "-m", EDGE)
    assert answer.code == 0, answer.err
    stored = Stored.load("airlink-results/compare-a-b")
    direct = airlink.compare(
        {"a": CELL, "b": ARMS["max"]}, measure=GOODPUT, others=[EDGE], seeds=range(3, 9), store=None
    )
    assert stored.frame() == direct.frame()
    mixed = Answer("compare", "a", MAX, "-m", GOODPUT, "-m", EDGE, "--seeds", "4-8", "--out", "mixed")
    assert mixed.code == 0, mixed.err
    assert Stored.load("mixed").seeds == {"a": (4, 5, 6, 7, 8), "kind=max_rate": (4, 5, 6, 7, 8)}
    assert Stored.load("mixed").question.names == {"a": "a", "kind=max_rate": "MAX"}
    assert re.search(r"^MAX: scheduler.kind=max_rate$", mixed.out, re.MULTILINE)
    assert "kind=max_rate" not in mixed.out.replace("scheduler.kind=max_rate", "")


def refused(*words: str) -> str:
    answer = Answer("compare", *words)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.count("\n") == 1
    return answer.err


def test_stored_results_cannot_be_changed_and_get_no_more_replicas() -> None:
    for out, seed in (("a", "1"), ("b", "2"), ("c", "9")):
        assert Answer("run", "tiny.toml", "--seed", seed, "--replicas", "2", "--out", out).code == 0
    assert "'a' is a stored result of seeds 1-2; it has no seed 3" in refused("a", "tiny.toml", "--seeds", "1-3")
    assert "the stored results have no seed in common: 'a' 1-2, 'c' 9-10" in refused("a", "c")
    assert "a is a stored result: settings can't change it" in refused("a", "tiny.toml", "-s", "users=2")
    assert "until: 'a' is a stored result and gets no more replicas" in refused("a", "tiny.toml", "--until", "1 %")
    assert "whose users differ from seed to seed" in refused("a", "tiny.toml", "--hold", "placement")
    warm = refused("a", "tiny.toml", "--warmup", "0.1", "-m", GOODPUT)
    assert "'a' is a stored result with a warm-up of 0 s" in warm
    assert Answer("compare", "a", "b", "--seeds", "2").code == 0
    other = refused("airlink-results/compare-a-b", "tiny.toml")
    assert "is an answer; arms are scenarios, overrides and results of airlink run" in other


def test_a_stored_result_of_another_version_is_told() -> None:
    result = airlink.run(CELL, 1, 3)
    result.version = "0.0.1"
    found = airlink.compare({"old": result, "new": CELL}, measure=GOODPUT, others=[], store=None)
    assert found.notes[0].startswith("old was run by airlink 0.0.1; this is ")
    assert found.seeds == {"old": (1, 2, 3), "new": (1, 2, 3)}


def warm(*seconds: float) -> dict[str, Scenario]:
    return {f"{each:g}": CELL.with_(warmup_s=each) for each in seconds}


def test_scenarios_with_other_warm_ups_are_told_and_given_the_largest() -> None:
    found = airlink.compare(warm(0, 0.1), measure=GOODPUT, others=[], seeds=[1, 2, 3], store=None)
    assert {scenario.warmup_s for scenario in found.scenarios.values()} == {0.1}
    assert found.notes == (
        "The scenarios differ in warmup_s (0 0, 0.1 0.1): all are given the largest.",
        "0.1 against 0: all 3 replicas differ by the same amount.",
    )
    assert found.question.warmup_s == 0.1
    assert found.differences["0.1", GOODPUT].difference.absolute.mean == 0
    assert "All scenarios have the same warm-up of 0.1 s." in repr(found)


def test_what_differs_from_nothing_is_told_in_its_unit() -> None:
    uneven = CELL.with_(**{"channel.placement": {"kind": "mean_snr", "mean_snr_db": [0.0, 20.0, 60.0]}})
    arms = {"max": uneven.override([MAX]), "rr": uneven, "same": uneven.override([MAX])}
    found = airlink.compare(arms, measure=EDGE, others=[], seeds=range(1, 11), store=None)
    rows = {line.split()[0]: line for line in repr(found).splitlines()[:9] if line.startswith(tuple(arms))}
    assert re.search(r"\+\d+ \[\+?\d+, \+?\d+\] kb/s +better$", rows["rr"])
    assert re.search(r"\+0 % +equivalent$", rows["same"])
    assert found.notes == ("same against max: the quantiles differ by the same amount in all resamples.",)


def test_scenarios_of_other_lengths_or_other_users_are_told() -> None:
    arms = {"short": CELL, "long": CELL.with_(duration_s=0.4), "held": CELL.with_(**{"channel.placement_seed": 7})}
    assert len({arm.duration_s for arm in arms.values()}) == 2
    found = airlink.compare(arms, measure=GOODPUT, others=[], seeds=[1, 2], store=None)
    assert [note.split(" (")[0] for note in found.notes] == [
        "The scenarios differ in duration_s",
        "The scenarios differ in channel.placement_seed",
    ]
    assert "run, held 7" in found.notes[1]


def test_a_warm_up_is_given_to_all_arms() -> None:
    found = airlink.compare(warm(0, 0.1), measure=GOODPUT, others=[], seeds=[1, 2], warmup=0.05, store=None)
    assert {scenario.warmup_s for scenario in found.scenarios.values()} == {0.05}
    assert found.notes == ("0.1 against 0: all 2 replicas differ by the same amount.",)


WEB = CELL.with_(flows=[{"traffic": {"kind": "file", "bytes": 1000}}])


def test_no_warm_up_is_chosen_for_downloads_or_the_start() -> None:
    page = "downloads.p95(time_s)"
    arms = {"a": WEB, "b": WEB.with_(users=2)}
    with pytest.raises(RequestError, match="is of downloads, which a warm-up would cut off; leave --warmup out"):
        airlink.compare(arms, measure=page, warmup=0.1, store=None)
    with pytest.raises(RequestError, match="is of downloads, which a warm-up would cut off; leave --warmup out"):
        airlink.compare(arms, measure=page, warmup="auto", store=None)
    with pytest.raises(RequestError, match="is of the start, which a warm-up would cut off"):
        airlink.compare(arms, measure="flows.mean(start_s)", warmup=0.1, store=None)
    with pytest.raises(RequestError, match=r"give all scenarios the same warmup_s \(now 'a' 0, 'b' 0\.1\)"):
        airlink.compare({"a": WEB, "b": WEB.with_(warmup_s=0.1)}, measure=page, store=None)
    usual = airlink.compare(arms, measure=GOODPUT, warmup=0.1, seeds=[1, 2], store=None)
    assert all(measure.allows_warm_up for measure in usual.measures)


def test_a_warm_up_that_leaves_nothing_is_a_mistake_of_each_scenario() -> None:
    with pytest.raises(ScenarioError, match="warmup_s = 5"):
        airlink.compare(ARMS, measure=GOODPUT, others=[], warmup=5, store=None)


def test_members_are_not_compared_where_scenarios_differ_in_their_number() -> None:
    arms = {"three": CELL, "two": CELL.with_(users=2)}
    with pytest.raises(RequestError) as error:
        airlink.compare(arms, measure="users.1.goodput_bps", others=[], store=None)
    assert "differ in their number of users ('three' 3, 'two' 2)" in str(error.value)
    with pytest.raises(RequestError, match="differ in their number of flows"):
        airlink.compare(arms, measure="flows.1.goodput_bps", others=[], store=None)
    found = airlink.compare(arms, measure=EDGE, others=["users.sum(goodput_bps)"], seeds=[1, 2], store=None)
    assert found.comparison is not None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "compare: missing argument 'ARM...'"),
        (("tiny.toml",), "a comparison needs at least two arms; there is one"),
        (("tiny.toml", MAX, "--baseline", "pf"), "baseline is 'pf'; the arms are 'tiny', 'kind=max_rate'"),
        (("tiny.toml", MAX, "--margin", "2"), "margin is 2.0; it must be a share from 0 to below 1"),
        (("tiny.toml", MAX, "--margin", "wide"), "margin is 'wide'; it must be a share such as '1 %' or 0.01"),
        (("tiny.toml", MAX, "--warmup", "soon"), "warmup is 'soon'; it must be a number of seconds or auto"),
        (("tiny.toml", MAX, "-m", "cell.goodput"), 'did you mean "cell.goodput_bps" or'),
        (("tiny.toml", "dumbbell", "--hold", "placement"), "has a wired bottleneck, whose users have no places"),
        (
            ("tiny.toml", MAX, "-m", EDGE, "--until", "cell.goodput_bps: 1 %"),
            f"in a comparison it is of the primary measure, {EDGE}: leave its name out, as in '1 %'",
        ),
    ],
)
def test_a_bad_call_is_one_sentence_and_exit_code_2(words: Sequence[str], message: str) -> None:
    assert message in refused(*words)
    assert [path.name for path in Path().iterdir()] == ["tiny.toml"]


def test_arms_of_python_are_scenarios_and_results_by_name_or_in_a_row() -> None:
    found = airlink.compare([CELL, CELL.with_(name="two")], measure=GOODPUT, others=[], seeds=[1, 2], store=None)
    assert found.labels == ("tiny", "two")
    assert airlink.compare(["tiny.toml", MAX], seeds=[1, 2], store=None).labels == ("tiny", "kind=max_rate")
    wrong: Mapping[str, object] = {"a": CELL, "b": 7}
    with pytest.raises(RequestError, match=r"arm 'b' is 7; it must be a Scenario, a Result or an own\.With"):
        airlink.compare(wrong, store=None)  # type: ignore[arg-type]


def test_a_text_by_its_label_changes_the_scenario_of_the_first_arm() -> None:
    found = airlink.compare({"a": CELL, "b": f"{MAX}, users=2"}, measure=GOODPUT, others=[], seeds=[1, 2], store=None)
    assert found.scenarios == {"a": CELL, "b": CELL.with_(**{"scheduler.kind": "max_rate", "users": 2})}
    with pytest.raises(ScenarioError, match="max_rate: must be written path=value"):
        airlink.compare({"a": CELL, "b": "max_rate"}, store=None)
    with pytest.raises(RequestError, match="arm 'b' is 'users=2'; where texts change the first arm, it is a Scenario"):
        airlink.compare({"b": "users=2", "a": CELL}, store=None)


def test_the_command_is_printed_and_stored() -> None:
    words = ("compare", "tiny.toml", f"max={MAX}", "-m", GOODPUT, "--margin", "2 %", "--seeds", "1-5")
    answer = Answer(*words)
    assert answer.code == 0, answer.err
    said = "airlink compare tiny.toml max=scheduler.kind=max_rate -m cell.goodput_bps --margin '2 %' --seeds 1-5"
    written = "airlink-results/compare-tiny-max"
    told = [f"Again: {said}", f"Written to {written}", f"Picture: {written}/comparison.svg"]
    assert answer.out.splitlines()[-3:] == told
    question = question_of(Path("airlink-results/compare-tiny-max"))
    assert (question.command, question.margin, question.baseline) == (said, 0.02, "tiny")
    assert Answer(*words).out == answer.out


def test_the_picture_is_drawn_once_for_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("compare", "tiny.toml", MAX, "-m", GOODPUT, "--out", "o", "--force")
    assert Answer(*words, "--seeds", "1-3").code == 0
    assert Path("o/comparison.svg").read_text().startswith("<?xml")
    with monkeypatch.context() as patched:
        patched.delattr(plots, "comparison_figure")
        assert Answer(*words, "--seeds", "1-3").code == 0
        assert Answer("compare", "o").code == 0
    before = Path("o/comparison.svg").read_bytes()
    assert Answer(*words, "--seeds", "1-4").code == 0
    assert Path("o/comparison.svg").read_bytes() != before


def test_more_arms_than_a_picture_holds_are_an_answer_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["airlink.plots.charts.figure"], "MOST_ROWS", 1)
    answer = Answer("compare", "tiny.toml", MAX, "users=2", "-m", GOODPUT, "--seeds", "1-2")
    assert answer.code == 0
    assert "no picture: 2 scenarios have no room in a figure" in answer.err
    assert "Picture" not in answer.out
    folder = Path(answer.out.rsplit("Written to ", 1)[1].strip())
    assert not (folder / "comparison.svg").exists()


def test_json_has_differences_with_infinite_ends_as_text() -> None:
    content = json.loads(Answer("compare", "tiny.toml", MAX, "--seeds", "1", "--json").out)
    row = next(row for row in content["rows"] if row["scenario"] == "kind=max_rate")
    assert (row["difference_low"], row["difference_high"], row["verdict"]) == ("-inf", "inf", "undecided")
    assert math.isfinite(row["difference"])
    assert content["baseline"] == "tiny"


def test_a_warm_up_is_proposed_from_pilot_runs_and_told() -> None:
    deep = ready("dumbbell", ["duration_s=20", "bottleneck.limit_packets=1000"])
    arms = {"deep": deep, "shallow": deep.override(["bottleneck.limit_packets=50"])}
    found = airlink.compare(
        arms, measure="cell.queueing_delay_mean_s", others=[], warmup="auto", seeds=[1, 2, 3], store=None
    )
    assert found.question.warmup_s is not None
    assert 0 < found.question.warmup_s <= 10
    assert {scenario.warmup_s for scenario in found.scenarios.values()} == {found.question.warmup_s}
    assert f"Warm-up {found.question.warmup_s:g} s: proposed by MSER-5" in found.notes[0]


def test_fields_that_follow_an_override_are_named_once_for_all_flows() -> None:
    Path("base.toml").write_text("""
        duration_s = 2
        users = 2
        bottleneck = { rate_bps = 10e6, delay_ms = 20, limit_packets = 50 }
        flows = [{ users = [0], tcp.profile = "linux" }, { users = [1], tcp.profile = "linux" }]
    """)
    arms = {"reno": "flows.*.tcp.congestion_control=new_reno", "deep": "bottleneck.limit_packets=1000"}
    said = Answer("compare", "base.toml", *(f"{name}={text}" for name, text in arms.items()), "-m", "cell.goodput_bps",
                  "--seeds", "1-2")  # fmt: skip
    assert said.code == 0
    told = " ".join(said.out.split())
    assert f"reno: {arms['reno']}; with it flows.*.tcp.rules.slow_start_exit = " in told
    assert "deep: bottleneck.limit_packets=1000 Seeds" in told


def test_downloads_that_have_not_ended_have_a_remark_with_what_ends_them() -> None:
    long = [{"users": [0], "traffic": {"kind": "file", "bytes": 500_000_000}}]
    arms = {str(users): CELL.with_(users=users, flows=long, duration_s=1) for users in range(1, 6)}
    found = airlink.compare(arms, measure="downloads.p50(time_s)", seeds=[1, 2], store=None)
    said = " ".join(repr(found).split())
    assert "have not ended: longer than their age; and so in 2 more scenarios. A longer drain_s lets them end." in said


def test_an_answer_where_a_result_is_asked_for_is_told() -> None:
    assert Answer("compare", "tiny.toml", MAX, "-m", GOODPUT, "--seeds", "1-2", "--out", "asked").code == 0
    said = Answer("explain", "asked")
    assert said.code == 2
    assert (
        "asked holds no result: it is the answer of airlink compare or sweep; give a result of airlink run" in said.err
    )
