"""The search for schedulers: what it finds is what was planted, by any threads, and it goes on where it was ended.

Cells are tiny and always backlogged, so that a run takes a millisecond. Left out: what a long search finds, which
the tutorial shows.
"""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import airlink
from airlink import RequestError, Scenario, search
from airlink.engine import Replica
from airlink.scenario import ready
from airlink.scenario.formula import formula_refusal
from airlink.search.draws import draws
from airlink.search.evaluation import Evaluator
from airlink.search.formulas import settings_of
from airlink.search.tree import Tree, read
from airlink.suites import Axis
from airlink.suites.cells import cell

SEEDS = range(1, 5)
PLANTED = "rate / average^0.5"


def backlogged(duration_s: float = 0.6) -> Scenario:
    """Four users who always have data, over channels that fade."""
    flows = [{"traffic": {"kind": "backlogged"}}]
    more = {"duration_s": duration_s, "warmup_s": 0.1, "link__report__delay_slots": 0}
    return cell(4, 0, 15, 60, flows, **more)


def winners(replica: Replica) -> np.ndarray:
    return np.asarray(replica.series["slots"]["user"])


def disagreement(cell: Scenario, planted: str = PLANTED) -> Callable[[Replica], float]:
    """The share of slots whose winner is another one than under the planted formula, with the same seed."""
    runs = airlink.run(cell.with_(**settings_of(planted)), seed=SEEDS[0], replicas=len(SEEDS), record="slots")
    known = {each.seed: winners(each) for each in runs.replicas}
    return lambda replica: float(np.mean(winners(replica) != known[replica.seed]))


def planted_goal(duration_s: float = 0.6) -> search.Goal:
    made = backlogged(duration_s)
    return search.Goal(made, disagreement(made), SEEDS, record=["slots"])


def throughput_goal() -> search.Goal:
    fair = search.Limit("cell.jain_index", at_least=0.95, than=["proportional_fair"])
    return search.Goal(backlogged(), "cell.goodput_bps", SEEDS, [fair])


def test_trees_have_the_text_of_formulas_and_come_back_from_it() -> None:
    grammar, stream = search.Grammar(), draws(1, "trees")
    trees = [grammar.random(stream) for _ in range(300)]
    trees += [grammar.child(first, second, stream) for first, second in zip(trees, reversed(trees), strict=True)]
    for tree in trees:
        assert tree.size <= grammar.largest
        assert formula_refusal(tree.text) is None
        assert read(tree.text) == tree
    assert len({tree.text for tree in trees}) > 200


@pytest.mark.parametrize(
    "text",
    ["2^3^2", "(2^3)^2", "-2^2", "(-2)^2", "rate - (average - 1)", "rate / (average * 2)", "1 - -1", "2^-1",
     "(rate < 2) * 3", "max(1, min(rate, 2, average))", "1e-05 * rate", "where(rate > 1, -rate, +inf)"],
)  # fmt: skip
def test_a_text_that_was_read_keeps_its_value(text: str) -> None:
    names = {"rate": 3.0, "average": 5.0, "inf": math.inf, "max": max, "min": min}
    names["where"] = lambda condition, yes, no: yes if condition else no

    def value(formula: str) -> object:
        return eval(formula.replace("^", "**"), {"__builtins__": {}}, names)

    again = read(text).text
    assert value(again) == value(text)
    assert read(again).text == again


def test_a_text_of_several_lines_or_with_zeros_before_numbers_is_read() -> None:
    assert read("rate\n / average").text == "rate / average"
    assert read("007 * rate + 00.5 - 10.05").text == "7 * rate + 0.5 - 10.05"


def test_parts_are_put_where_they_are_counted() -> None:
    tree = read("rate * 2 + exp(average)")
    for place, part in enumerate(tree.parts()):
        assert tree.with_part(place, part) == tree
        assert list(tree.with_part(place, Tree("gap_slots")).parts())[place] == Tree("gap_slots")


def test_planted_constants_are_recovered() -> None:
    goal = planted_goal()
    found = search.constants("rate^{a} / average^{b}", {"a": 1, "b": 2}, goal, search.Effort(200, threads=1))
    # Only the ratio decides who wins.
    assert found.constants["b"] / found.constants["a"] == pytest.approx(0.5, rel=0.02)
    assert found.best.points[0] < 0.01
    assert found.evaluations <= 200


def test_a_planted_formula_is_recovered_and_threads_change_nothing() -> None:
    goal = planted_goal(0.4)
    grammar = search.Grammar(("rate", "average"), ("+", "*", "/"), ("sqrt",), largest=9)
    one, two = (
        search.formulas(goal, search.Effort(250, threads=threads), grammar, start=["rate"]) for threads in (1, 2)
    )
    assert one.best == two.best
    assert [each.text for each in one.scored] == [each.text for each in two.scored]
    assert [each.score for each in one.scored] == [each.score for each in two.scored]
    assert one.best.points[0] < 0.05
    assert one.evaluations == len({each.text for each in one.scored}) == 250
    other = search.formulas(goal, search.Effort(40, seed=2), grammar, start=["rate"])
    assert [each.text for each in other.scored] != [each.text for each in one.scored][:40]


def test_numbers_of_a_built_in_scheduler_are_tuned() -> None:
    goal = planted_goal()
    found = search.tuned("lambda", goal, search.Effort(150))
    assert found.constants["exponent"] == pytest.approx(0.5, rel=0.1)
    assert isinstance(found.best.settings["scheduler.time_constant_slots"], int | float)
    assert found.candidate().kind == "lambda"


def test_the_draws_of_a_search_leave_numpys_own_alone() -> None:
    np.random.seed(7)  # noqa: NPY002
    before = np.random.random(3)  # noqa: NPY002
    np.random.seed(7)  # noqa: NPY002
    search.constants("rate^{a} / average^{b}", {"a": 1, "b": 2}, throughput_goal(), search.Effort(20))
    assert (np.random.random(3) == before).all()  # noqa: NPY002


class Ended(KeyboardInterrupt):
    """Ctrl-C at a certain evaluation."""


def ends_at(evaluations: int) -> Callable[[int, int], None]:
    def progress(done: int, _: int) -> None:
        if done >= evaluations:
            raise Ended

    return progress


@pytest.mark.parametrize("at", [5, 50])
def test_an_interrupted_search_goes_on_from_its_log(at: int, tmp_path: Path) -> None:
    goal, log = throughput_goal(), tmp_path / "search.jsonl"
    whole = search.formulas(goal, search.Effort(60))
    part = search.formulas(goal, search.Effort(60, log=log, progress=ends_at(at)))
    assert part.interrupted
    assert part.evaluations < 60
    before = log.read_text().splitlines()
    # A line that was cut off as the machine failed.
    log.write_text(log.read_text() + '{"settings": {"sched')
    again = search.formulas(goal, search.Effort(60, log=log))
    assert not again.interrupted
    assert again.best == whole.best
    assert [each.text for each in again.scored] == [each.text for each in whole.scored]
    lines = log.read_text().splitlines()
    assert lines[: len(before)] == before
    runs = [(json.dumps(each["settings"]), tuple(each["seeds"])) for each in map(json.loads, lines[1:])]
    assert len(runs) == len(set(runs)), "nothing is run twice"


def test_a_log_of_another_goal_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "search.jsonl"
    search.formulas(throughput_goal(), search.Effort(20, log=log))
    other = search.Goal(backlogged(0.7), "cell.goodput_bps", SEEDS)
    with pytest.raises(RequestError, match="of another goal or engine"):
        search.formulas(other, search.Effort(20, log=log))
    log.write_text("airlink\n")
    with pytest.raises(RequestError, match="is no log of a search"):
        search.formulas(other, search.Effort(20, log=log))
    with pytest.raises(RequestError, match="log"):
        search.formulas(other, search.Effort(20, log=tmp_path))


def test_a_formula_that_is_none_counts_and_is_the_worst() -> None:
    evaluator = Evaluator(throughput_goal(), search.Effort(10))
    bad, good = evaluator.scores([settings_of("rate /"), settings_of("rate")], halving=False)
    assert (bad.score, evaluator.count) == (math.inf, 2)
    assert good.score < math.inf
    outside = {"scheduler.kind": "lambda", "scheduler.exponent": -1.0}
    assert evaluator.scores([outside])[0].score == math.inf
    assert evaluator.count == 3
    evaluator.scores([settings_of("rate")])
    assert evaluator.count == 3, "one that was scored before is not counted again"


def test_a_limit_puts_who_breaks_it_behind() -> None:
    fair, goal = throughput_goal(), search.Goal(backlogged(), "cell.goodput_bps", SEEDS)
    both = [settings_of("rate"), settings_of("rate / average")]
    greedy, even = Evaluator(goal, search.Effort(2)).scores(both, halving=False)
    assert greedy.score < even.score
    limited, kept = Evaluator(fair, search.Effort(2)).scores(both, halving=False)
    assert kept.score < limited.score
    # Proportional fair keeps the limit that is made of it, so its score is the goodput alone.
    assert kept.score == pytest.approx(even.score)
    short = (0.95 * kept.points[1] - limited.points[1]) / (0.95 * kept.points[1])
    assert limited.score == pytest.approx(greedy.score + fair.penalty * short)


def test_few_seeds_for_all_and_all_seeds_for_the_best_quarter() -> None:
    evaluator = Evaluator(throughput_goal(), search.Effort(8, first_seeds=1))
    texts = ["rate", "rate / average", "1 / rate", "average", "gap_slots", "rate * gap_slots", "1", "rate^2 / average"]
    found = evaluator.scores([settings_of(text) for text in texts])
    assert sorted(each.seeds for each in found) == [1, 1, 1, 1, 1, 1, 4, 4]
    alone = Evaluator(throughput_goal(), search.Effort(8)).scores([settings_of(text) for text in texts], halving=False)
    for part, whole in zip(found, alone, strict=True):
        if part.seeds == len(SEEDS):
            assert part == whole


def test_the_best_meet_on_seeds_that_the_search_did_not_see() -> None:
    goal, effort = throughput_goal(), search.Effort(40)
    found = search.formulas(goal, effort, finals=range(101, 111))
    assert found.best.seeds == 10
    assert found.evaluations == 40
    (again,) = Evaluator(goal, effort).on_other_seeds([found.best.settings], range(101, 111))
    assert again == found.best


def test_seeds_may_be_an_array(tmp_path: Path) -> None:
    goal = search.Goal(backlogged(), "cell.goodput_bps", cast("Any", np.arange(1, 3)))
    effort = search.Effort(2, log=tmp_path / "log.jsonl")
    found = search.formulas(goal, effort, finals=cast("Any", np.arange(8, 10)))
    listed = search.Goal(backlogged(), "cell.goodput_bps", [1, 2])
    assert search.formulas(listed, effort, finals=[8, 9]).best == found.best


def test_a_limit_that_nothing_keeps_and_an_aim_without_a_number_are_told() -> None:
    far = search.Limit("cell.goodput_bps", at_least=1e12)
    goal = search.Goal(backlogged(), "cell.goodput_bps", [1, 2], [far])
    found = search.formulas(goal, search.Effort(4), finals=[3])
    assert len(found.broken) == 1
    assert re.search(r"\nlimit broken: cell.goodput_bps is \S+, not at least 1e\+12\n", str(found))
    kept = search.Goal(backlogged(), "cell.goodput_bps", [1], [search.Limit("cell.goodput_bps", at_least=1)])
    assert not search.formulas(kept, search.Effort(2)).broken
    none = search.Goal(backlogged(), lambda _: math.nan, [1])
    assert "\nnothing that was scored has a number\n" in str(search.formulas(none, search.Effort(2)))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: search.constants("rate", {}, throughput_goal()), "has no place"),
        (lambda: search.constants("rate^{a}", {"b": 1}, throughput_goal()), "places a; start has b"),
        (lambda: search.constants("rate^{a}", {"a": 0}, throughput_goal()), "start of a is 0; it must be a number"),
        (lambda: search.constants("rat^{a}", {"a": 1}, throughput_goal()), 'no column "rat"; nearest: rate'),
        (lambda: search.formulas(throughput_goal(), start=["rate /"]), 'formula "rate /"'),
        (lambda: search.tuned("max_rate", throughput_goal()), "'max_rate' has no number to tune"),
        (lambda: search.Grammar(columns=["speed"]), "column 'speed' is unknown; it must be one of rate"),
        (lambda: search.Grammar(columns=[]), "columns is empty"),
        (lambda: search.Grammar(largest=1), "largest is 1; it must lie in 3..100"),
        (lambda: search.Effort(0), "evaluations is 0; it must be a whole number of at least 1"),
        (lambda: search.Limit("cell.goodput_bps"), "needs at_least or at_most"),
        (lambda: search.Goal(backlogged(), "cell.goodput_bps", []), "seeds is empty"),
        (lambda: search.Goal(ready("dumbbell"), "flows.mean(goodput_bps)", [1]), "a wired bottleneck has no scheduler"),
        (lambda: search.Goal(cast("Any", "k3"), "cell.goodput_bps", [1]), "a Scenario is needed, not 'k3'"),
        (lambda: search.Goal(backlogged(), "cell.goodput_bps", [1, 1]), "seeds has one twice"),
        (lambda: search.Goal(backlogged(), "cell.goodput_bps", cast("Any", 3)), "seeds is 3; it must be a list"),
        (lambda: search.Limit("cell.goodput_bps", at_least=math.nan), "is nan; it must be a finite number"),
        (lambda: search.Limit("cell.goodput_bps", 0.9, than="tcp_pf"), "than is 'tcp_pf'; it must be a list"),
        (lambda: search.formulas(throughput_goal(), start="rate"), "start is 'rate'; it must be a list"),
        (lambda: search.formulas(throughput_goal(), finals=throughput_goal().seeds), "which the search sees"),
        (lambda: search.constants("rate^{a}", {"a": 1}, throughput_goal(), finals=[8, 8]), "seeds has one twice"),
        (lambda: search.Goal(backlogged(), "cell.goodput_bps", [1], better="more"), "better is 'more'"),
        (lambda: search.Goal(backlogged(), "downloads.p95(time_s)", [1]), "has none"),
    ],
)  # fmt: skip
def test_mistakes_are_told(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        make()


def test_without_cma_a_search_for_constants_says_what_to_install() -> None:
    script = """
import sys
sys.modules["cma"] = None
from airlink import search
from airlink.scenario import ready
try:
    search.constants("rate^{a}", {"a": 1}, search.Goal(ready("first-cell"), "cell.goodput_bps", [1]))
except ImportError as missing:
    print(missing)
"""
    done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout.strip() == "a search for constants needs cma; pip install 'airlink[search]'"


def test_a_number_beside_those_that_the_judge_tunes_can_be_tuned() -> None:
    goal = search.Goal(backlogged(), "cell.goodput_bps", [1])
    budget = Axis("delay_budget_ms", 10, 1000, "of all users", log=True)
    found = search.tuned("exp_pf", goal, search.Effort(12), axes=[budget])
    assert 10 <= found.best.settings["scheduler.delay_budget_ms"] <= 1000
