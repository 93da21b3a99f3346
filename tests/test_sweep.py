"""Sweeps: from Python, from the command, from a file; stored, told, found again."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import airlink
from airlink import RequestError, ResultError, ResultExists, ScenarioError, campaign, engine
from airlink.campaign import Plan, answering
from airlink.campaign.answer import Answer as Stored
from airlink.campaign.answer import Sweep
from airlink.campaign.asking import Wishes
from airlink.campaign.folder import question_of
from airlink.campaign.sweep import sweep_question
from airlink.measures import MeasureError
from airlink.scenario import ready
from airlink.statistics import mean_interval
from small_cells import CELL, GOODPUT, TEXT
from test_cli import Answer

AXES: Mapping[str, Sequence[Any]] = {"scheduler.kind": ["round_robin", "max_rate"], "users": [2, 3]}
EDGE = "users.p05(goodput_bps)"
COMMAND = ("sweep", "tiny.toml", "-x", "scheduler.kind=round_robin,max_rate", "--seeds", "1-4", "-m", GOODPUT)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.toml").write_text(TEXT)


@pytest.fixture(scope="module")
def found() -> Sweep:
    return airlink.sweep(CELL, AXES, seeds=range(1, 6), measures=[GOODPUT, EDGE], store=None)


def test_a_sweep_has_the_numbers_of_a_campaign(found: Sweep) -> None:
    runs = campaign.run(Plan(campaign.grid(CELL, AXES), range(1, 6)))
    assert found.labels == tuple(runs.replicas)
    for label in found.labels:
        np.testing.assert_array_equal(found.samples[label, GOODPUT], runs.cell(label, "goodput_bps"))
        assert found.estimates[label, GOODPUT] == mean_interval(runs.cell(label, "goodput_bps"))
        pooled = [sample.values for sample in found.samples[label, EDGE]]
        np.testing.assert_array_equal(pooled, runs.users(label, "goodput_bps"))


def test_the_frame_has_a_row_for_each_scenario_and_measure(found: Sweep) -> None:
    frame = found.frame()
    assert frame.rows == 8
    assert list(frame) == [
        *("scenario", "scheduler.kind", "users", "measure", "unit", "mean", "low", "high", "n", "level", "method")
    ]
    assert frame["users"].tolist() == [2, 2, 3, 3, 2, 2, 3, 3]
    assert set(frame["method"]) == {"Student's t over replicas", "Student's t over influences of replicas"}
    pandas, polars = frame.to_pandas(), frame.to_polars()
    assert pandas["scheduler.kind"].tolist() == polars["scheduler.kind"].to_list() == frame["scheduler.kind"].tolist()
    assert pandas.shape == polars.shape == (8, 11)
    pandas.loc[0, "mean"] = 0.0
    assert frame["mean"][0] > 0


def test_the_text_is_a_table_of_80_columns_with_what_varied(found: Sweep) -> None:
    lines = repr(found).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == "tiny-sweep-kind-users: 4 scenarios, 95 % intervals over replicas"
    assert any(re.match(r"MAX +3 +[\d.]+ ± [\d.]+ +[\d.]+ \[", line) for line in lines)
    assert "scheduler.kind: round_robin (RR), max_rate (MAX)" in lines
    assert "Seeds: 1-5 of each scenario." in lines


def test_threads_and_the_store_change_no_number(found: Sweep) -> None:
    again = [
        airlink.sweep(CELL, AXES, seeds=range(1, 6), measures=[GOODPUT, EDGE], threads=threads, store="kept")
        for threads in (1, 2)
    ]
    for other in again:
        assert other.frame() == found.frame()


def test_what_is_stored_is_not_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first = airlink.sweep(CELL, {"users": [2]}, seeds=[1, 2], store="kept")
    counts: list[tuple[int, int]] = []

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a run has begun")

    monkeypatch.setattr(engine, "Stream", refuse)
    again = airlink.sweep(CELL, {"users": [2]}, seeds=[1, 2], store="kept", progress=lambda *at: counts.append(at))
    assert again.frame() == first.frame()
    assert counts[-1] == (2, 2)


def test_a_sweep_is_saved_and_loaded_whole(found: Sweep) -> None:
    assert found.save("o") == Path("o")
    loaded = Stored.load("o")
    assert isinstance(loaded, Sweep)
    assert loaded.frame() == found.frame()
    assert repr(loaded) == repr(found)
    assert loaded.question.described() == found.question.described()
    for key, samples in found.samples.items():
        assert len(loaded.samples[key]) == len(samples)
        for one, other in zip(samples, loaded.samples[key], strict=True):
            np.testing.assert_array_equal(getattr(one, "values", one), getattr(other, "values", other))
    assert sorted(path.name for path in Path("o").iterdir()) == [
        "campaign.json",
        "measures.parquet",
        "samples.parquet",
    ]


def test_the_same_question_replaces_its_answer_and_another_does_not(found: Sweep) -> None:
    found.save("o")
    before = {path.name: path.read_bytes() for path in Path("o").iterdir()}
    found.save("o")
    assert {path.name: path.read_bytes() for path in Path("o").iterdir()} == before
    other = airlink.sweep(CELL, {"users": [2]}, seeds=[1, 2], measures=[GOODPUT], store=None)
    with pytest.raises(ResultExists, match="holds the answer to another question"):
        other.save("o")
    other.save("o", overwrite=True)
    assert Stored.load("o").labels == ("users=2",)
    Path("o/thesis.tex").write_text("years of work")
    with pytest.raises(ResultExists, match=r"thesis\.tex"):
        other.save("o", overwrite=True)
    Path("mine").mkdir()
    Path("mine/thesis.tex").write_text("years of work")
    with pytest.raises(ResultExists, match="holds other files"):
        other.save("mine", overwrite=True)


def test_a_folder_that_is_no_answer_is_told(found: Sweep) -> None:
    with pytest.raises(ResultError, match="nowhere holds no answer"):
        Stored.load("nowhere")
    found.save("o")
    whole = json.loads(Path("o/campaign.json").read_text())
    for text, message in (
        ("{", "is not an answer's description"),
        (json.dumps({**whole, "format": 9}), "has format 9; this version of airlink reads format 1"),
        (json.dumps({**whole, "seeds": {}}), "is not a whole answer"),
    ):
        Path("o/campaign.json").write_text(text)
        with pytest.raises(ResultError, match=re.escape(message)):
            Stored.load("o")
    for key, value, message in (
        ("margin", "x", "could not convert string to float: 'x'"),
        ("arms", [3], "'int' object is not subscriptable"),
        ("kind", "poll", "it is a 'poll', neither a sweep nor a comparison"),
        ("kind", "compare", "its baseline is ''"),
    ):
        Path("o/campaign.json").write_text(json.dumps({**whole, "question": {**whole["question"], key: value}}))
        for read in (Stored.load, question_of):
            with pytest.raises(ResultError, match=re.escape(f"o is not a whole answer: {message}")):
                read(Path("o"))
    Path("o/campaign.json").write_text(json.dumps(whole))
    Path("o/samples.parquet").write_bytes(b"PAR1")
    with pytest.raises(ResultError, match=r"samples\.parquet"):
        Stored.load("o")
    Path("o/samples.parquet").unlink()
    with pytest.raises(ResultError, match=r"^o is not a whole answer: there is no samples\.parquet in it$"):
        Stored.load("o")
    assert Answer("sweep", "o").code == 0, "what is asked is whole, and so the answer can be made again"
    assert Stored.load("o").frame() == found.frame()


def test_a_folder_is_enough_to_ask_again(found: Sweep) -> None:
    found.save("airlink-results/mine")
    question = question_of(Path("airlink-results/mine"))
    assert question.described() == found.question.described()
    assert question.command == "airlink sweep airlink-results/mine"
    answer = Answer("sweep", "airlink-results/mine", "--out", "again", "--json")
    assert answer.code == 0, answer.err
    assert question_of(Path("again")).command == question.command, "what was asked first is still told"
    assert Stored.load("again").frame() == found.frame()


def test_a_sweep_without_axes_is_one_scenario() -> None:
    found = airlink.sweep(CELL, {}, seeds=[1, 2], measures=[GOODPUT], store=None)
    assert found.labels == ("tiny",)


def test_usual_measures_are_those_that_all_scenarios_have() -> None:
    found = airlink.sweep(CELL, {"users": [1, 2]}, seeds=[1, 2], store=None)
    assert GOODPUT in [measure.text for measure in found.measures]


def test_placement_is_held_in_every_seed() -> None:
    def levels(hold: Sequence[str]) -> list[float]:
        found = airlink.sweep(CELL, {}, seeds=[3, 4, 5], measures=["users.1.mean_snr_db"], hold=hold, store=None)
        return list(found.samples["tiny", "users.1.mean_snr_db"])

    assert len(set(levels(()))) == 3
    assert len(set(levels(("placement",)))) == 1
    held = airlink.sweep(CELL, {}, seeds=[3, 4], measures=[GOODPUT], hold=["placement"], store=None)
    assert held.scenarios["tiny"].channel is not None
    assert held.scenarios["tiny"].channel.placement_seed == 3
    assert "Held: places of users and their shadowing are the same in all seeds." in repr(held)
    own = airlink.sweep(
        CELL.with_(**{"channel.placement_seed": 9}),
        {},
        seeds=[3, 4],
        measures=[GOODPUT],
        hold=["placement"],
        store=None,
    )
    assert own.scenarios["tiny"].channel is not None
    assert own.scenarios["tiny"].channel.placement_seed == 9


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        (Wishes(seeds=()), "seeds is (); it must be at least one seed"),
        (Wishes(seeds=(1, 1)), "seeds name a seed twice"),
        (Wishes(hold=("fading",)), "hold is 'fading'; it must be 'placement'"),
        (Wishes(until="cell.goodput_bps"), "it must be MEASURE: WIDTH"),
        (Wishes(until="cell.goodput_bps: 0 %"), "the width must be above 0"),
        (Wishes(until="cell.goodput_bps: 5 ms"), "the width must be in %, b/s, kb/s, Mb/s, Gb/s or a plain number"),
        (Wishes(until="cell.goodput_bps: 1 %", seeds=(1, 3)), "seeds go on one by one"),
        (Wishes(until="cell.goodput_bps: 1 %", most=5), "most is 5; it must be a whole number of at least 20"),
        (Wishes(most=50), "most is given without until"),
    ],
)
def test_wishes_that_cannot_be_are_one_sentence(wishes: Wishes, message: str) -> None:
    with pytest.raises(RequestError) as error:
        sweep_question(CELL, {"users": [2, 3]}, wishes)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("lte", {}), "scenario is 'lte'; it must be a Scenario"),
        ((CELL, {"users": 3}), "axes: users is 3; it must be a list of values, as [3]"),
        ((CELL, {"users": "1..3"}), "axes: users is '1..3'; it must be a list of values"),
        ((CELL, [("users", [1])]), "it must be fields with their values"),
    ],
)
def test_what_python_hands_over_is_checked(words: tuple[Any, Any], message: str) -> None:
    with pytest.raises(RequestError, match=re.escape(message)):
        airlink.sweep(*words, store=None)
    with pytest.raises(RequestError, match=r"until is 0\.01; it must be a text"):
        airlink.sweep(CELL, {}, until=0.01, store=None)  # type: ignore[arg-type]


def test_arrays_of_numpy_are_axes_and_seeds(found: Sweep) -> None:
    asked = {"users": np.arange(2, 4)}
    made = airlink.sweep(CELL, asked, seeds=np.arange(1, 3), measures=[GOODPUT], hold="placement", store="s")  # type: ignore[arg-type]
    assert made.labels == ("users=2", "users=3")
    assert made.question.hold == ("placement",)
    made.save("o")
    assert Stored.load("o").frame() == made.frame()


def test_a_measure_that_a_scenario_lacks_is_told_with_its_label() -> None:
    with pytest.raises(MeasureError, match="users=2"):
        airlink.sweep(CELL, {"users": [2, 3]}, measures=["users.2.goodput_bps"], store=None)


def test_a_wire_has_no_placement_to_hold() -> None:
    with pytest.raises(RequestError, match="has a wired bottleneck, whose users have no places"):
        airlink.sweep(ready("dumbbell"), {}, hold=["placement"], store=None)


def test_the_command_prints_stores_and_says_how_to_ask_again() -> None:
    answer = Answer(*COMMAND)
    assert answer.code == 0, answer.err
    assert answer.err == ""
    lines = answer.out.splitlines()
    assert lines[-2] == f"Again: airlink {' '.join(COMMAND)}"
    assert lines[-1] == "Written to airlink-results/tiny-sweep-kind"
    assert max(map(len, lines[:-2])) <= 80
    python = airlink.sweep(CELL, {"scheduler.kind": ["round_robin", "max_rate"]}, seeds=range(1, 5), measures=[GOODPUT])
    assert Stored.load("airlink-results/tiny-sweep-kind").frame() == python.frame()
    assert Answer(*COMMAND).out == answer.out
    assert Answer(*COMMAND, "-q").out == ""


def test_another_sweep_of_the_same_name_needs_force_or_a_name() -> None:
    assert Answer(*COMMAND).code == 0
    answer = Answer(*COMMAND, "-s", "duration_s=0.3")
    assert answer.code == 2
    assert "holds the answer to another question" in answer.err
    assert "(--out DIR, --force)" in answer.err
    assert Answer(*COMMAND, "-s", "duration_s=0.3", "--out", "o").code == 0
    assert Answer(*COMMAND, "-s", "duration_s=0.3", "--force").code == 0


def test_json_is_strict_and_has_every_row() -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    answer = Answer(*COMMAND, "--seeds", "1", "--json")
    content = json.loads(answer.out, parse_constant=refuse)
    assert [row["scenario"] for row in content["rows"]] == ["kind=round_robin", "kind=max_rate"]
    assert content["rows"][0]["high"] == "inf"
    assert content["directory"] == "airlink-results/tiny-sweep-kind"
    assert content["axes"] == {"scheduler.kind": ["round_robin", "max_rate"]}


def test_parts_of_a_sweep_make_the_whole() -> None:
    for part in ("1/3", "2/3", "3/3"):
        answer = Answer(*COMMAND, "--shard", part)
        assert answer.code == 0, answer.err
        assert f"Part {part[0]} of 3: " in answer.out
    assert not list(Path("airlink-results").glob("tiny*"))
    whole = airlink.sweep(
        CELL, {"scheduler.kind": ["round_robin", "max_rate"]}, seeds=range(1, 5), measures=[GOODPUT], store=None
    )
    assert Answer(*COMMAND).code == 0
    assert Stored.load("airlink-results/tiny-sweep-kind").frame() == whole.frame()


PLAN = """
scenario = "tiny.toml"
set = ["duration_s=0.3"]
seeds = "1-4"
measures = ["cell.goodput_bps"]
[axes]
scheduler.kind = ["round_robin", "max_rate"]
"users" = "2..3"
"""


def test_a_plan_file_is_the_same_sweep(tmp_path: Path) -> None:
    Path("below").mkdir()
    Path("below/plan.toml").write_text(PLAN.replace("tiny.toml", "../tiny.toml"))
    assert Answer("sweep", "below/plan.toml").code == 0
    words = [*COMMAND, "-s", "duration_s=0.3", "-x", "users=2..3", "--out", "o"]
    assert Answer(*words).code == 0
    assert Stored.load("airlink-results/tiny-sweep-kind-users").frame() == Stored.load("o").frame()


def test_a_plan_may_hold_its_scenario_and_everything_else() -> None:
    inside = TEXT.replace("users = 3", "users = 3\nwarmup_s = 0").strip()
    rest = 'until = "cell.goodput_bps: 50 %"\nmost = 30\nhold = ["placement"]\ncontrols = true\n'
    Path("p.toml").write_text(f"seeds = [1, 2]\n{rest}[scenario]\n{inside}\n")
    answer = Answer("sweep", "p.toml")
    assert answer.code == 0, answer.err
    question = question_of(Path("airlink-results/tiny-sweep"))
    assert question.until is not None
    assert (question.until.text, question.most, question.hold, question.controls) == (
        "cell.goodput_bps: 50 %", 30, ("placement",), True,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("[axes]\nusers = [1]", ["scenario: is required"]),
        ("scenario = 5", ["scenario = 5: must be the name of a ready scenario or a file, or a table"]),
        ('scenario = "tiny.toml"\nsede = 1', ["sede = 1: is not a key of a plan; did you mean seeds?"]),
        ('scenario = "tiny.toml"\nseeds = 5', ['seeds = 5: must be a text such as "1-20"']),
        ('scenario = "tiny.toml"\nseeds = [1, "x"]', ['seeds.1 = "x": must be a whole number']),
        ('scenario = "tiny.toml"\nmeasures = ["cell.goodput_bps", 3]', ["measures.1 = 3: must be text"]),
        ('scenario = "tiny.toml"\ncontrols = 1\nmost = true', ["controls = 1: must be true", "most = true: must be"]),
        ('scenario = "tiny.toml"\n[axes]\nusers = 4', ["axes.users = 4: must be a list of values"]),
        ('scenario = "tiny.toml"\n[axes]\nusers = "5..1"', ['axes.users = "5..1": a range must begin below its end']),
        ('scenario = "tiny.toml"\n[axes]\nusers = [0]', ["users = 0: must be a whole number"]),
        ('scenario = "gone.toml"', ["gone.toml: no such file, and no ready scenario"]),
        ('scenario = "tiny.toml"\nset = ["users"]', ["users: must be written path=value"]),
        ('scenario = "tiny.toml"\nmeasures = ["cell.nothing"]', ['measure "cell.nothing"']),
        ('scenario = "tiny.toml"\nuntil = "cell.goodput_bps"', ["it must be MEASURE: WIDTH"]),
    ],
)
def test_a_bad_plan_is_explained_with_paths(text: str, messages: list[str]) -> None:
    Path("p.toml").write_text(text)
    answer = Answer("sweep", "p.toml")
    assert (answer.code, answer.out) == (2, "")
    for message in messages:
        assert message in answer.err
    assert answer.err.count("\n") == len(messages)
    assert not Path("airlink-results").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("sweep",), "sweep: missing argument 'SCENARIO'"),
        (("sweep", "nowhere"), "nowhere: no such file, and no ready scenario"),
        (("sweep", "tiny.toml", "-x", "users"), "users: must be written FIELD=VALUES"),
        (("sweep", "tiny.toml", "-x", "usres=1"), "usres = 1: is not a field here; did you mean users?"),
        (
            ("sweep", "tiny.toml", "-x", "users=1..1000", "-x", "warmup_s=0..1:lin1000"),
            "1000 x 1000 = 1000000 scenarios",
        ),
        (("sweep", "tiny.toml", "-m", "cell.goodput"), 'did you mean "cell.goodput_bps" or'),
        (("sweep", "tiny.toml", "--seeds", "5-1"), "5-1 ends before it begins"),
        (("sweep", "tiny.toml", "--engine", "gpu"), "engine is 'gpu'; it must be threads"),
        (("sweep", "tiny.toml", "--shard", "4/3"), "the part must be one of 1 to 3"),
        (("sweep", "tiny.toml", "--shard", "1/3", "--until", "cell.goodput_bps: 1 %"), "--shard: what --until runs"),
        (("sweep", "tiny.toml", "--until", "1 %"), "it must be MEASURE: WIDTH"),
        (("sweep", "tiny.toml", "--most", "50"), "most is given without until"),
        (("sweep", "tiny.toml", "--hold", "traffic"), "hold is 'traffic'; it must be 'placement'"),
        (("sweep", "tiny.toml", "--out", "tiny.toml"), "tiny.toml exists and is not a folder"),
    ],
)
def test_a_bad_call_is_one_sentence_and_exit_code_2(words: Sequence[str], message: str) -> None:
    answer = Answer(*words)
    assert (answer.code, answer.out) == (2, "")
    assert message in answer.err
    assert answer.err.count("\n") == 1
    assert [path.name for path in Path().iterdir()] == ["tiny.toml"]


def test_a_plan_says_what_is_asked_and_options_do_not() -> None:
    Path("p.toml").write_text(PLAN)
    answer = Answer("sweep", "p.toml", "-x", "users=1")
    assert answer.code == 2
    assert "p.toml says what is asked: -x can't be given beside it" in answer.err


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_keeps_what_had_finished_and_the_same_command_goes_on() -> None:
    program = """
import contextlib, sys
from airlink.cli import answers, main
from airlink.cli.progress import Bar
class Printed(Bar):
    def show(self, finished, total): print("finished", finished, flush=True)
answers.bar = lambda *_: contextlib.nullcontext(Printed())
sys.argv[0] = "airlink"
main()
"""
    words = ["sweep", "tiny.toml", "-x", "users=2,3", "--seeds", "1-4000", "-m", GOODPUT]
    command = [sys.executable, "-c", program, *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while not re.search("finished [1-9][0-9]", process.stdout.readline()):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    found = re.search(r"interrupted; (\d+) of 8000 replicas are kept in airlink-results; the same command goes on", err)
    assert found is not None, err
    assert "Traceback" not in err
    assert not list(Path("airlink-results").glob("tiny*"))
    from airlink.store import Store

    with Store("airlink-results") as store:
        kept = sum(len(store.find(store.key(CELL.with_(users=users).resolved()), range(1, 4001))) for users in (2, 3))
    assert int(found[1]) <= kept < 8000


def test_what_is_asked_is_checked_before_anything_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a run has begun")

    monkeypatch.setattr(answering, "stream", refuse)
    with pytest.raises(ScenarioError):
        airlink.sweep(CELL, {"users": [2, 0]}, store=None)
    Path("taken").mkdir()
    Path("taken/thesis.tex").write_text("years of work")
    assert Answer(*COMMAND, "--out", "taken").code == 2


def test_the_environment_names_the_usual_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRLINK_STORE", "elsewhere")
    airlink.sweep(CELL, {}, seeds=[1], measures=[GOODPUT])
    assert Path("elsewhere/store.sqlite").is_file()
    assert not Path("airlink-results").exists()
    airlink.sweep(CELL, {}, seeds=[1], measures=[GOODPUT], store="here")
    assert Path("here/store.sqlite").is_file()


def test_processes_give_the_same_numbers(found: Sweep) -> None:
    with campaign.engine_of("processes:2") as processes:
        other = airlink.sweep(CELL, AXES, seeds=range(1, 6), measures=[GOODPUT, EDGE], store=None, executor=processes)
    assert other.frame() == found.frame()


def test_a_terminal_without_unicode_gets_plain_characters() -> None:
    command = [sys.executable, "-m", "airlink", "sweep", "tiny.toml", "--seeds", "1-3", "-m", GOODPUT]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, capture_output=True, check=True, env=environment)
    assert b" +- " in done.stdout
