"""`airlink init`: the short file that a person edits, every field, ready scenarios."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import airlink
from airlink.scenario import FIRST, READY, Scenario, json_schema, ready, template
from test_cli import Answer

SHORT = template()
COMMENTED = re.compile(r"^# (?=[\w.]+ = )")
CHOICES = re.compile(r"^(?:# )?(?P<path>[\w.]+) = .*# or (?P<choices>[^:;]+)")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def key(line: str) -> str:
    return line.partition(" = ")[0]


def test_init_writes_at_most_25_lines_each_with_its_meaning() -> None:
    assert Answer("init", "cell.toml").code == 0
    assert Path("cell.toml").read_text() == SHORT
    lines = SHORT.splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 120
    told = {key(line) for line in lines if "#" in line}
    assert [line for line in lines if line and key(line) not in told] == []


def test_the_short_file_is_a_scenario_without_warnings_that_runs() -> None:
    assert Answer("init", "cell.toml").code == 0
    answer = Answer("check", "cell.toml")
    assert answer.code == 0
    assert "no warnings" in answer.out
    answer = Answer("run", "cell.toml", "--no-save", "-s", "duration_s=1", "-s", "warmup_s=0")
    assert (answer.code, answer.err) == (0, "")


def test_the_short_file_asks_for_pages_of_a_user_at_the_edge_behind_a_download() -> None:
    cell = ready(FIRST)
    kinds = [(flow.traffic.kind, flow.users) for flow in cell.flows]
    assert kinds == [("greedy", "all"), ("sessions", (0, cell.users - 1))]
    assert {flow.tcp.profile for flow in cell.flows} == {"linux"}
    assert cell.queue is not None
    assert cell.queue.limit_packets < 1000
    users = airlink.run(cell.with_(duration_s=10), seed=1).users
    assert users["downloads"][0] > 0
    assert users["downloads"][cell.users - 1] > 0


@pytest.mark.parametrize("line", [line for line in SHORT.splitlines() if COMMENTED.match(line)], ids=key)
def test_a_line_that_is_commented_out_may_take_the_place_of_the_one_above(line: str) -> None:
    lines = SHORT.splitlines()
    at = lines.index(line)
    assert key(lines[at - 1]) == key(line)[2:]
    assert Scenario.from_toml("\n".join([*lines[: at - 1], line[2:], *lines[at + 1 :]])) != ready(FIRST)


def allowed(path: str) -> set[str]:
    """The kinds of the table at a path, or the texts that its field may be; of a flow the path stands below it."""
    schema = json_schema()
    place: Mapping[str, Any] = schema["$defs"]["Flow"] if path.split(".")[0] in ("traffic", "path", "tcp") else schema
    for name in path.removesuffix(".kind").split("."):
        place = next((each for each in expanded(schema, place) if name in each.get("properties", {})), {})["properties"]
        place = place[name]
    texts: set[str] = set()
    for each in expanded(schema, place):
        texts |= set(each.get("enum", ()))
        kind = each.get("properties", {}).get("kind", {})
        texts |= {kind["const"]} if "const" in kind else set(kind.get("enum", ()))
    return texts


def expanded(schema: Mapping[str, Any], place: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A declaration and all that it may stand for."""
    yield place
    if "$ref" in place:
        yield from expanded(schema, schema["$defs"][place["$ref"].rpartition("/")[2]])
    for each in [*place.get("anyOf", ()), *place.get("oneOf", ()), *place.get("allOf", ())]:
        yield from expanded(schema, each)


def test_every_other_choice_that_the_short_file_names_exists() -> None:
    found = [match for line in SHORT.splitlines() if (match := CHOICES.match(line))]
    assert len(found) >= 7
    for match in found:
        words = {re.sub(r"\(.*\)", "", word).strip() for word in match["choices"].split(",")} - {"..."}
        assert words <= allowed(match["path"]), match[0]


def test_every_scheduler_that_exists_may_take_the_place_of_the_one_in_the_short_file() -> None:
    for name in allowed("scheduler"):
        metric = ["scheduler.metric=rate / average"] if name == "formula" else []
        assert ready(FIRST, [f"scheduler.kind={name}", *metric]).scheduler is not None


@pytest.mark.parametrize("name", READY)
def test_full_writes_every_field_of_a_ready_scenario(name: str) -> None:
    assert Answer("init", "full.toml", "--from", name, "--full").code == 0
    text = Path("full.toml").read_text()
    assert Scenario.from_toml(text, read_traces=False) == ready(name)
    values = [line for line in text.splitlines() if " = " in line and not line.startswith("#")]
    assert values == [line for line in ready(name).to_toml().splitlines() if " = " in line]


@pytest.mark.parametrize("name", READY)
def test_from_writes_the_text_of_a_ready_scenario(name: str) -> None:
    text = Answer("init", "-", "--from", name).out
    assert text == template(name)
    assert "#" in text


@pytest.mark.parametrize(
    ("words", "now"),
    [
        ("cell.toml --ready k3", "cell.toml --from k3"),
        ("--ready=k3 cell.toml --force", "--from=k3 cell.toml --force"),
        ("--ready", "--from"),
    ],
)
def test_the_old_option_answers_with_the_new_one(words: str, now: str) -> None:
    answer = Answer("init", *words.split())
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == f"airlink: init --ready is now: airlink init {now}\n"
    assert list(Path().iterdir()) == []


def test_every_ready_scenario_is_listed_in_a_line() -> None:
    rows = [line.split(maxsplit=1) for line in Answer("list", "scenarios").out.splitlines()[1:] if line.strip()]
    assert [[name, title.strip()] for name, title in rows] == [[name, title] for name, title in READY.items()]


def test_evdo_is_short_and_says_where_its_values_come_from() -> None:
    lines = template("evdo").splitlines()
    assert len(lines) <= 60
    cell = ready("evdo")
    assert cell.link is not None
    assert getattr(cell.link.rate, "name", "") == "1xev-do"
    users = airlink.run(cell.with_(duration_s=3, warmup_s=0), seed=1).users
    assert users["delivered_bps"][15] > users["delivered_bps"][0]


def test_check_says_how_much_each_tcp_has_in_flight_beside_the_limit_of_the_queue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A queue that no window can fill makes its limit a change without effect, which only this line shows."""
    monkeypatch.chdir(tmp_path)
    cell = "duration_s = 1\nusers = 2\nslot.duration_ms = 1\nqueue.limit_packets = 100\n[[flows]]\n"
    Path("cell.toml").write_text(cell + '[[flows]]\ntraffic.kind = "backlogged"\n')
    lines = Answer("check", "cell.toml").out.splitlines()
    (place,) = [number for number, line in enumerate(lines) if line.startswith("tcp ")]
    assert lines[place : place + 2] == [
        "tcp     reno, profile classic: at most 44 packets in flight,",
        "        fewer than the queue's limit of 100 (receiver_window_bytes = 65535)",
    ]
    answer = Answer("check", "cell.toml", "-s", "queue.limit_packets=40", "-s", "flows.0.tcp.mss_bytes=536")
    assert "tcp     reno, profile classic: at most 122 packets in flight\n" in answer.out
