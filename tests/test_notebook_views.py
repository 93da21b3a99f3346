"""What a notebook shows of tables, results, answers and explanations: whole HTML, escaped, small, never too wide."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import airlink
import chromium
from airlink import Estimate, Result, Scenario, Table
from airlink.engine.html import MOST_COLUMNS, MOST_ROWS, Head, Markup, declared_of, document, folded, of_table, table
from airlink.explain import explain
from airlink.result.captures import Captures
from airlink.result.rounding import interval_text
from airlink.scenario import ready
from small_cells import CELL, GOODPUT

WITHOUT_END = {"br", "img", "meta", "wbr"}
NASTY = '<b onclick="x">&'


class Outline(HTMLParser):
    """The elements of a page: what is open, what was closed, and its rows."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.attributes += attrs
        if tag not in WITHOUT_END:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1] == tag
        self.open.pop()


def outline(shown: object) -> Outline:
    """The outline of what a notebook shows, which is whole and fetches nothing."""
    text = shown._repr_html_()  # type: ignore[attr-defined]
    found = Outline(text)
    assert found.open == []
    assert "script" not in found.seen
    assert [value for name, value in found.attributes if name in {"src", "href"} and not str(value).startswith("data:")
            ] == []  # fmt: skip
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b|\brgba?\(|(?:background|color): *(?!currentColor|inherit)\w", text)
    return found


@pytest.fixture(scope="module")
def result() -> Result:
    return airlink.run(ready("first-cell", ["duration_s=3", "warmup_s=1"]), replicas=3, record=["limits"])


@pytest.fixture(scope="module")
def answer() -> airlink.Comparison:
    arms: dict[str, Scenario | str] = {"now": CELL, "max": "scheduler.kind=max_rate"}
    return airlink.compare(arms, measure=GOODPUT, others=["users.p05(goodput_bps)"], seeds=range(1, 4), store=None)


def views(result: Result, answer: airlink.Comparison) -> dict[str, str]:
    """What is shown of each kind of thing."""
    swept = airlink.sweep(CELL, {"users": [1, 2]}, measures=[GOODPUT], seeds=[1, 2], store=None)
    shown = {
        "scenario": CELL,
        "result": result,
        "users": result.users,
        "series": result.series("limits", 0),
        "summary": result.summary,
        "estimate": result.summary["goodput_bps"],
        "rates": airlink.fairness.rates(result, 1.0, replica=0),
        "comparison": answer,
        "frame": answer.frame(),
        "sweep": swept,
        "explanation": explain(result),
        "one flow": explain(result, user=0),
    }
    for each in shown.values():
        outline(each)
    return {name: each._repr_html_() for name, each in shown.items()}  # type: ignore[attr-defined]


def test_a_table_has_few_rows_and_counts_the_others() -> None:
    for rows in (0, 1, MOST_ROWS, MOST_ROWS + 1, 500):
        found = outline(Table({"user": np.arange(rows), "goodput_bps": np.ones(rows)}))
        more = rows > MOST_ROWS
        assert found.seen.count("tr") == 1 + min(rows, MOST_ROWS) + more
        shown = Table({"user": np.arange(rows), "goodput_bps": np.ones(rows)})._repr_html_()
        assert (f"{rows - MOST_ROWS} more row" in shown) == more


def test_a_table_has_few_columns_and_says_what_the_others_are(result: Result) -> None:
    text = of_table(result.users)
    heads = re.findall(r"<th[ >]", text)
    assert len(heads) == MOST_COLUMNS
    assert f"{len(result.users) - MOST_COLUMNS} more columns" in text
    listed = re.findall(r"<dt>(\w+)</dt><dd>([^<]+)</dd>", text)
    assert len(listed) == len(result.users) - MOST_COLUMNS
    assert dict(listed)["drops_queue_full"] == "packets refused by a full queue"


def test_a_column_without_a_number_gives_its_place_to_one_with_numbers() -> None:
    columns = {f"c{place}": np.full(2, np.nan if place == 0 else place) for place in range(MOST_COLUMNS + 1)}
    assert re.findall(r"<th>(\w+)</th>", of_table(Table(columns))) == [f"c{place}" for place in range(1, 9)]


def test_headings_have_the_unit_that_the_cells_are_in() -> None:
    text = of_table(Table({"user": [0, 1], "goodput_bps": [2.5e6, 1e5], "mean_snr_db": [3.0, np.nan]}))
    assert "<th title=" in text
    assert ">goodput_bps<small>Mb/s</small></th>" in text
    assert ">mean_snr_db<small>dB</small></th>" in text
    assert [re.findall(r"<td>([^<]*)</td>", line) for line in text.splitlines() if "<td>" in line] == [
        ["0", "2.5", "3"],
        ["1", "0.1", "-"],
    ]


def test_codes_have_their_words_and_texts_stand_to_the_left() -> None:
    text = of_table(Table({"flow": [0], "from_s": [0.1], "to_s": [0.25], "cause": [5]}))
    assert '<td class="words">5 scheduler</td>' in text
    assert "<td>0.25</td>" in text
    assert '<td class="words">late</td>' in of_table(Table({"why": ["late"]}))


def test_what_is_not_html_is_escaped() -> None:
    escaped = "&lt;b onclick=&quot;x&quot;&gt;&amp;"
    made = document(
        table([Head(NASTY, NASTY, NASTY, words=True)], [[NASTY], [Markup("<i>1</i>")]], NASTY), folded(NASTY, NASTY)
    )
    assert made.count(escaped) == 7
    assert made.count(NASTY) == 1, "what is folded is HTML already"
    assert "<i>1</i>" in made
    named = airlink.run(CELL.with_(name=NASTY))
    assert NASTY not in named._repr_html_()
    assert escaped in named._repr_html_()
    both: dict[str, Scenario | str] = {NASTY: CELL, "b": "users=2"}
    labelled = airlink.compare(both, measure=GOODPUT, others=[], seeds=[1, 2], store=None)
    assert NASTY not in labelled._repr_html_()


def test_a_scenario_is_named_with_its_fields_behind() -> None:
    text = CELL.with_(name=NASTY)._repr_html_()
    assert text.startswith("<details><summary><code>&lt;b onclick=&quot;x&quot;&gt;&amp;</code>: 3 users over 0.25 s<")
    assert "kind = &quot;round_robin&quot;" in text
    assert NASTY not in text


def test_a_result_says_what_was_run_and_what_came_out(result: Result) -> None:
    text = result._repr_html_()
    assert "3 replicas (seeds 1 to 3) of 8 users over 3 s, measured after 1 s; airlink " in text
    assert f"<td>{interval_text(result.summary['goodput_bps'], 1e6)}</td>" in text
    assert text.count("<tr><td>") == 8, "a row a user"
    assert "result.series(&#x27;limits&#x27;)" in text
    alone = Result(result.scenario, result.replicas[:1], version="1", interrupted=True)._repr_html_()
    assert "1 replica (seed 1)" in alone
    assert "One replica has no intervals" in alone
    assert "Interrupted" in alone
    assert "± ?" in alone


def test_a_result_without_replicas_is_shown_too() -> None:
    assert "0 replicas (no seed)" in Result(CELL, [])._repr_html_()


def test_every_number_of_a_summary_is_there(result: Result) -> None:
    text = result.summary._repr_html_()
    assert set(result.summary) == set(re.findall(r"<code>(\w+)</code>", text))
    assert Estimate(3.0, 2.9, 3.4, 20)._repr_html_() == "3.00 [2.90, 3.40] <small>(95 % interval, 20 samples)</small>"


def test_an_answer_begins_with_its_verdicts_and_has_its_picture(answer: airlink.Comparison) -> None:
    text = answer._repr_html_()
    assert answer.comparison is not None
    assert f"max is {answer.comparison['max'].verdict} " in text
    assert text.index("max is ") < text.index('<img src="data:image/png;base64,') < text.index("<table")
    assert 'alt="Cell: goodput against now"' in text


def test_an_explanation_adds_up_to_the_time_that_it_explains(result: Result) -> None:
    found = explain(result, user=0)
    text = found._repr_html_()
    assert text.count("<table>") == len(found.flows)
    for flow in found.flows:
        lines = re.findall(r'<tr><td class="words">(.)[^<]*</td><td>[^<]*</td><td>([^<]*)</td>', flow._repr_html_())
        whole = [float(share) for letter, share in lines if letter != "\N{EN SPACE}"]
        assert len(whole) == len(flow.causes)
        assert sum(whole) == pytest.approx(100, abs=0.05 * len(whole) + 1e-9)
    assert explain(result)._repr_html_().count("<tr><td>") == len(result.flows["flow"]) / 3


def test_captures_name_their_files(tmp_path: Path) -> None:
    whole, cut = tmp_path / "server-1.pcapng", tmp_path / "server-2.pcapng"
    for file in (whole, cut):
        file.touch()
    text = Captures(tmp_path, [airlink.engine.CutShort(2, cut, "no room")])._repr_html_()
    assert '<td class="words">server-1.pcapng</td><td class="words">whole</td>' in text
    assert '<td class="words">server-2.pcapng</td><td class="words">cut short: no room</td>' in text


def test_columns_of_no_one_table_have_units_but_no_meanings(result: Result) -> None:
    rates = declared_of(airlink.fairness.rates(result, 1.0, replica=0))
    assert (rates["goodput_bps"].unit, rates["goodput_bps"].text) == ("b/s", "")
    assert declared_of(result.users)["user"].text == "number of the user, from 0"
    assert declared_of(result.series("limits", 0))["cause"].codes[5] == "scheduler"


def test_views_are_no_wider_than_a_narrow_page(
    result: Result, answer: airlink.Comparison, tmp_path: Path, browser: chromium.Browser
) -> None:
    page = tmp_path / "page.html"
    for name, shown in views(result, answer).items():
        page.write_text(
            f'<!doctype html><html lang="en" data-state="ready"><meta charset="utf-8"><title>{name}</title>{shown}'
        )
        for width in (390, 1280):
            browser.size(width, 900)
            browser.open(page)
            browser.value("document.querySelectorAll('details').forEach((each) => (each.open = true))")
            assert browser.value("document.documentElement.scrollWidth") <= width, (name, width)
    assert browser.complaints == []
    assert all(url.startswith(("file:", "data:")) for url in browser.fetched)


def test_nothing_of_it_is_loaded_by_a_run() -> None:
    code = (
        "import sys, airlink\n"
        "airlink.run(airlink.scenario.ready('dumbbell', ['duration_s=0.1']))\n"
        "print([name for name in sys.modules if 'notebook' in name or name.endswith('.html')])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
