"""What results, comparisons, pages and the store keep of code of one's own."""

from __future__ import annotations

import shlex
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest

import airlink
import own_code
from airlink.campaign import Plan, stream
from airlink.campaign import run as run_plan
from airlink.own import With, parts_of
from airlink.result.rerun import give_code, rerun
from airlink.store import Store
from test_cli import Answer
from test_own import OWN_CODE, fair


def test_a_result_keeps_the_code_and_is_not_simulated_again_without_it(tmp_path: Path) -> None:
    result = airlink.run(fair(), scheduler=f"{OWN_CODE}:Fair")
    loaded = airlink.Result.load(result.save(tmp_path / "out"))
    (code,) = loaded.own_code
    assert (code.role, code.name, code.text) == ("scheduler", "Fair", OWN_CODE.read_text())
    with pytest.raises(airlink.ResultError, match="made with code of one's own"):
        rerun(loaded, ["slots"])
    digest = airlink.run(fair(), record=["slots"], scheduler=own_code.Fair).digest()
    assert rerun(result, ["slots"]).digest() == digest
    with pytest.raises(airlink.ResultError, match="made with the scheduler Fair of one's own, not with Granting"):
        give_code(loaded, parts_of(f"{OWN_CODE}:Granting"))
    with pytest.raises(airlink.ResultError, match="made with scheduler Fair of one's own, not with queue Coin"):
        give_code(loaded, parts_of(queue=own_code.Coin))
    give_code(loaded, parts_of(f"{OWN_CODE}:Fair"))
    assert rerun(loaded, ["slots"]).digest() == digest
    give_code(loaded, parts_of(own_code.Fair))
    assert rerun(loaded, ["slots"]).digest() == digest


@pytest.mark.parametrize("words", [["explain"], ["report", "fairness"], ["plot", "cell"]])
def test_commands_simulate_a_result_again_with_the_code_that_is_named(tmp_path: Path, words: list[str]) -> None:
    result = airlink.run(fair(), scheduler=f"{OWN_CODE}:Fair").save(tmp_path / "out")
    to = ["--out", str(tmp_path / "cell.html")] if "plot" in words else []
    alone = Answer(*words, str(result), *to)
    assert alone.code == 2
    assert "name that code here as for the run (--scheduler, " in alone.err
    done = Answer(*words, str(result), "--scheduler", f"{OWN_CODE}:Fair", *to)
    assert done.code == 0, done.err
    other = Answer(*words, str(result), "--scheduler", f"{OWN_CODE}:FlatFair", *to)
    assert other.code == 2
    assert "made with the scheduler Fair of one's own, not with FlatFair" in other.err


def test_a_report_has_the_code_in_full_and_simulates_again_with_it(tmp_path: Path) -> None:
    result = airlink.run(fair(), scheduler=f"{OWN_CODE}:Fair").save(tmp_path / "mine")
    plain = airlink.run(fair()).save(tmp_path / "plain")
    page, named = tmp_path / "page.html", ["--scheduler", f"{OWN_CODE}:Fair"]
    words = ["report", str(result), str(plain), "--out", str(page), "--force"]
    alone = Answer(*words)
    assert alone.code == 0, alone.err
    assert "the interval of this one run is left out" in alone.err
    text = unescape(page.read_text())
    (code,) = airlink.Result.load(result).own_code
    assert f"sha256 {code.sha256}" in text
    assert code.text in text
    assert text.count("Batch means of") == 1
    assert "left out" not in Answer(*words, *named).err
    text = unescape(page.read_text())
    assert text.count("Batch means of") == 2
    assert shlex.join(["airlink", "report", str(result), str(plain), "--out", str(page), *named]) in text
    other = Answer(*words, "--scheduler", f"{OWN_CODE}:FlatFair")
    assert (other.code, unescape(page.read_text())) == (2, text)
    assert "made with the scheduler Fair of one's own, not with FlatFair" in other.err
    flat = airlink.run(fair(), scheduler=f"{OWN_CODE}:FlatFair").save(tmp_path / "flat")
    both = Answer("report", str(result), str(flat), "--out", str(page), "--force", *named)
    assert (both.code, both.err.count("the interval of this one run is left out")) == (0, 1)
    text = unescape(page.read_text())
    assert (text.count("Batch means of"), text.count(code.text)) == (1, 1)
    assert "scheduler Fair and scheduler FlatFair in full" in text
    assert "flat: made with the scheduler FlatFair of one's own, not with Fair; the interval" in both.err
    arms = {"a": airlink.Result.load(result), "b": airlink.Result.load(plain)}
    for measure in ("goodput_bps", "jain_index"):
        airlink.compare(arms, measure=f"cell.{measure}", others=[]).save(tmp_path / measure)
    folders = [str(result), *(str(tmp_path / name) for name in ("goodput_bps", "jain_index"))]
    assert Answer("report", *folders, "--out", str(page), "--force").code == 0
    text = unescape(page.read_text())
    assert (text.count(code.text), text.count("<summary>a in full")) == (1, 2)
    none = Answer("report", str(plain), "--out", str(page), "--force", *named)
    assert none.code == 2
    assert "--scheduler: of these, no result of airlink run was made with code of one's own" in none.err


def test_a_script_whose_class_ran_is_told_what_its_hash_lacks(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    lines = OWN_CODE.read_text() + "\nif __name__ == '__main__':\n    import airlink\n"
    lines += "    scenario = airlink.scenario.ready('k3', ['duration_s=1'])\n"
    script.write_text(lines + "    airlink.run(scenario, scheduler=Fair).save('out')\n")
    subprocess.run([sys.executable, script.name], cwd=tmp_path, check=True)
    again = Answer("report", str(tmp_path / "out"), "--scheduler", f"{script}:Fair", "--out", str(tmp_path / "a.html"))
    assert again.code == 2
    assert "its text is the same, so what it reads has changed, or it was not reached in this way" in again.err


def test_a_comparison_of_stored_results_has_the_code_that_made_them(tmp_path: Path) -> None:
    made = [
        airlink.run(fair(), replicas=3, record=["downloads"], scheduler=code)
        for code in (None, own_code.Fair, own_code.FlatFair)
    ]
    plain, mine, other = (each.save(tmp_path / name) for name, each in zip("abc", made, strict=True))
    found = airlink.compare({"plain": airlink.Result.load(plain), "mine": airlink.Result.load(mine)})
    told = f"Code of one's own, scheduler Fair (sha256 {made[1].own_code[0].sha256}): in mine."
    assert told in found.notes
    folder = found.save(tmp_path / "compared")
    loaded = airlink.Comparison.load(folder)
    assert loaded.question.code == found.question.code == {made[1].own_code[0]: ["mine"]}
    assert loaded.question.described() == found.question.described()
    assert loaded.save(tmp_path / "again").joinpath("campaign.json").read_bytes() == (
        folder.joinpath("campaign.json").read_bytes()
    )
    asked = Answer("compare", str(folder))
    assert asked.code == 2
    assert "was answered with code of one's own; ask it again in Python, with that code" in asked.err
    found = airlink.compare({"plain": airlink.Result.load(plain), "mine": airlink.Result.load(other)})
    with pytest.raises(airlink.ResultExists):
        found.save(folder)


def test_an_answer_is_the_same_when_it_is_read_whatever_code_its_arms_share(tmp_path: Path) -> None:
    arms = {
        "queue": With(fair(), queue=own_code.Coin),
        "both": With(fair(), scheduler=own_code.Fair, queue=own_code.Coin),
    }
    found = airlink.compare(arms, seeds=[1, 2], measure="cell.goodput_bps", others=[], store=None)
    folder = found.save(tmp_path / "compared")
    assert airlink.Comparison.load(folder).save(folder) == folder
    assert airlink.Comparison.load(folder).question.arms["both"].code == found.question.arms["both"].code


def test_a_stored_result_in_which_nobody_was_served_is_told_of_in_a_comparison(tmp_path: Path) -> None:
    made = {code: airlink.run(fair(), replicas=2, scheduler=code) for code in (own_code.Fair, own_code.Silent)}
    stored = {code.__name__: airlink.Result.load(each.save(tmp_path / code.__name__)) for code, each in made.items()}
    found = airlink.compare(stored, measure="cell.goodput_bps", others=[])
    assert [note.partition(":")[0] for note in found.notes if "nobody was ever served" in note] == ["Silent"]


def test_the_key_of_a_stored_result_holds_the_code_and_what_it_holds(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text("class Mine:\n    def metric(self, view):\n        return view.rate_bps\n")
    first = parts_of(f"{mine}:Mine").hashes
    assert parts_of(f"{mine}:Mine").hashes == first
    mine.write_text("class Mine:\n    def metric(self, view):\n        return -view.rate_bps\n")
    assert parts_of(f"{mine}:Mine").hashes != first
    of = [
        parts_of(given).hashes
        for given in (own_code.Weighing([1.0]), own_code.Weighing([1.0]), own_code.Weighing([2.0]))
    ]
    assert of[0] == of[1] != of[2]
    assert parts_of(lambda: own_code.Fair()).hashes != parts_of(lambda: own_code.Granting()).hashes
    scenario = fair()
    with Store(tmp_path / "store") as store:
        plan = Plan({"mine": scenario}, (1, 2), parts={"mine": parts_of(own_code.Fair)})
        ours = run_plan(plan, 1, store=store)
        plain = run_plan(Plan({"mine": scenario}, (1, 2)), 1, store=store)
        with stream(plan, 1, store=store) as runs:
            assert len(list(runs)) == 2
            assert runs.stored == 2
    assert ours.result("mine").own_code[0].name == "Fair"
    assert plain.result("mine").own_code == ()
