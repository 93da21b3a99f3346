"""`airlink plot`: what it writes, says and refuses."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from typer.testing import CliRunner

import airlink
from airlink import Scenario, engine
from airlink.cli import app
from airlink.plots import style
from airlink.scenario import ready
from answers import EDGE, GOODPUT, PAGES, compared, swept

CELL = Scenario.from_toml("""
name = "tiny"
duration_s = 1
users = 3
slot.duration_ms = 5
channel.placement = {kind = "mean_snr_range", low_db = 0, high_db = 15}
link.rate = {kind = "capacity", bandwidth_hz = 1e6}
scheduler.kind = "proportional_fair"
flows = [{}, {users = [1]}]
""")
WEB = CELL.with_(duration_s=4, flows=[{"traffic": {"kind": "sessions"}}])
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
PDF, PNG, SVG = b"%PDF", b"\x89PNG", b"<?xml"


class Answer:
    """What a command answered."""

    def __init__(self, *arguments: object) -> None:
        words = ["plot", *map(str, arguments)]
        result = CliRunner().invoke(app, words, env={"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"})
        self.code = result.exit_code
        self.out = ESCAPES.sub("", result.stdout)
        self.err = ESCAPES.sub("", result.stderr)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results to draw: a cell, one with everything recorded, a wire, users without TCP."""
    base = tmp_path_factory.mktemp("results")
    airlink.run(CELL, seed=7).save(base / "cell")
    airlink.run(CELL, seed=7, record=engine.recordable(CELL)).save(base / "recorded")
    airlink.run(ready("dumbbell", ["duration_s=1"])).save(base / "wire")
    airlink.run(CELL.with_(flows=[{"traffic": {"kind": "backlogged"}}])).save(base / "backlogged")
    airlink.run(WEB, replicas=2, record=["downloads"]).save(base / "web")
    swept().save(base / "swept")
    compared((GOODPUT, EDGE)).save(base / "compared")
    compared((GOODPUT, PAGES)).save(base / "paged")
    (base / "other").mkdir()
    return base


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize(("ending", "begins"), [(".pdf", PDF), (".png", PNG), (".svg", SVG)])
def test_the_ending_decides_what_is_written(folder: Path, ending: str, begins: bytes) -> None:
    flow = Answer("flow", folder / "recorded", "--user", 0, "--out", f"flow{ending}")
    assert (flow.code, flow.out, flow.err) == (0, "", f"airlink: wrote flow{ending}\n")
    cell = Answer("cell", folder / "recorded", "--out", f"cell{ending}", "--column")
    assert (cell.code, cell.err) == (0, f"airlink: wrote cell{ending}\n")
    fairness = Answer("fairness", folder / "recorded", "--out", f"fairness{ending}", "--window", 0.1, "--step", 0.05)
    assert (fairness.code, fairness.err) == (0, f"airlink: wrote fairness{ending}\n")
    for name in ("flow", "cell", "fairness"):
        assert Path(name + ending).read_bytes().startswith(begins)
    assert sorted(path.name for path in Path().iterdir()) == [f"cell{ending}", f"fairness{ending}", f"flow{ending}"]


def test_an_ending_in_capitals_is_one(folder: Path) -> None:
    answer = Answer("cell", folder / "recorded", "--out", "cell.PDF", "--column")
    assert (answer.code, answer.err) == (0, "airlink: wrote cell.PDF\n")
    assert Path("cell.PDF").read_bytes().startswith(PDF)


def test_a_page_is_written_where_one_stands(folder: Path) -> None:
    flow = Answer("flow", folder / "recorded", "--user", 2)
    assert (flow.code, flow.err) == (0, "airlink: wrote recorded-flow-2.html\n")
    assert Answer("cell", folder / "recorded").err == "airlink: wrote recorded-cell.html\n"
    assert Answer("fairness", folder / "recorded").err == "airlink: wrote recorded-fairness.html\n"
    for name in ("recorded-flow-2.html", "recorded-cell.html", "recorded-fairness.html"):
        assert Path(name).read_text(encoding="utf-8").lower().startswith("<!doctype html>")


@pytest.mark.thorough
def test_the_same_figure_is_the_same_bytes(folder: Path) -> None:
    for name in ("a.pdf", "b.pdf", "a.svg", "b.svg"):
        assert Answer("flow", folder / "recorded", "--flow", 1, "--from", 0.2, "--to", 0.6, "--out", name).code == 0
    for ending in (".pdf", ".svg"):
        assert Path(f"a{ending}").read_bytes() == Path(f"b{ending}").read_bytes()


def test_simulating_again_is_said_in_one_line(folder: Path) -> None:
    answer = Answer("flow", folder / "cell", "--user", 0, "--out", "flow.png")
    first, second = answer.err.splitlines()
    assert re.fullmatch(r"airlink: [a-z, ]+ not recorded: simulating seed 7 again \(1 s\)", first)
    assert second == "airlink: wrote flow.png"
    packets = Answer("cell", folder / "wire", "--out", "cell.png").err.splitlines()[0]
    assert packets == "airlink: packets not recorded: simulating seed 1 again (1 s)"


def test_a_user_of_several_flows_is_told_which_is_drawn(folder: Path) -> None:
    answer = Answer("flow", folder / "recorded", "--user", 1, "--out", "flow.png")
    assert answer.err.splitlines()[0] == "airlink: user 1 has the flows 1, 3: this is 1, --flow chooses another"
    assert Answer("flow", folder / "recorded", "--user", 1, "--flow", 3, "--out", "f.png").err == (
        "airlink: wrote f.png\n"
    )


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ("cdf swept", "Distribution of cell: goodput"),
        ("cdf swept -m users.goodput_bps", "Distribution of users: goodput"),
        ("cdf recorded --measure users.goodput_bps", "Distribution of users: goodput"),
        ("cdf web -m downloads.time_s", "Distribution of downloads: time"),
        ("box cell recorded", "Spread of cell: goodput"),
        ("bars compared -m cell.goodput_bps", "Cell: goodput"),
        ("bars compared cell", "2 measures"),
        ("bars swept compared", "2 measures"),
        ("bars paged recorded", "Cell: goodput"),
        ("pareto swept", "Users: p05 of goodput against cell: goodput"),
        ("sweep swept -m users.p05(goodput_bps)", "Users: p05 of goodput over time constant (slots)"),
    ],
)
def test_measures_of_any_results_are_drawn_on_a_page(folder: Path, words: str, what: str) -> None:
    kind, *rest = words.split()
    places = [folder / word if (folder / word).is_dir() else word for word in rest]
    answer = Answer(kind, *places)
    name = f"{rest[0]}-{kind}.html"
    assert (answer.code, answer.out, answer.err) == (0, "", f"airlink: wrote {name}\n")
    assert f"<title>{what}</title>" in Path(name).read_text("utf-8")


@pytest.mark.parametrize(("ending", "begins"), [(".pdf", PDF), (".svg", SVG)])
def test_a_figure_of_measures_is_the_same_bytes_each_time(folder: Path, ending: str, begins: bytes) -> None:
    for name in ("a", "b"):
        assert Answer("sweep", folder / "swept", "--out", name + ending, "--column", "-m", "cell.goodput_bps").code == 0
    assert Path(f"a{ending}").read_bytes().startswith(begins)
    assert Path(f"a{ending}").read_bytes() == Path(f"b{ending}").read_bytes()


@pytest.mark.parametrize("words", ["cell recorded --column", "bars compared -m cell.goodput_bps"])
def test_a_figure_is_dark_if_asked_and_says_where_it_comes_from(folder: Path, words: str) -> None:
    kind, result, *options = words.split()
    written = {}
    for name, more in (("light", ()), ("dark", ("--theme", "dark", "--no-origin"))):
        answer = Answer(kind, folder / result, *options, *more, "--out", f"{name}.svg")
        assert (answer.code, answer.err) == (0, f"airlink: wrote {name}.svg\n")
        written[name] = Path(f"{name}.svg").read_text("utf-8")
    for name, theme in style.THEMES.items():
        colours = re.findall("fill: (#[0-9a-f]{6})", written[name])
        assert colours[0] == theme.background.lower()
        assert (style.DARK.text.lower() in colours) == (name == "dark")
    assert ["<!-- Scenario tiny, " in text for text in written.values()] == [True, False]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("cdf nowhere", "holds no result: there is no result.json in it"),
        ("cdf swept -m cell.goodput", 'cell has no column "goodput"; did you mean "cell.goodput_bps" or'),
        ("cdf swept -m cell.slots", "swept does not have cell.slots; it has cell.goodput_bps, users.p05"),
        ("cdf cell -m downloads.time_s", "scenario 'cell' has none; only where there are files or sessions"),
        ("bars cell -m users.goodput_bps", "say what of all users, e.g. users.mean(goodput_bps)"),
        ("pareto swept -m cell.goodput_bps", "--measure is given 1 time; this picture is of 2 measures"),
        ("sweep compared", "nothing was swept; airlink plot bars draws any results"),
        ("sweep cell", "nothing was swept"),
        ("bars swept --out bars.gif", "--out bars.gif: must end in .html, .pdf, .png, .svg"),
        ("flow cell --user 3", "user 3 does not exist; there are 3, from 0 to 2"),
        ("flow cell --user 0 --flow 3", "flow 3 goes to user 1; user 0 has 0"),
        ("flow cell --flow 9", "flow 9 does not exist; there are 4, from 0 to 3"),
        ("flow cell", "name a user or a flow"),
        ("flow cell --user 0 --replica 2", "replica 2 does not exist; there is one, 0"),
        ("cell cell --replica -1", "replica -1 does not exist"),
        ("flow cell --user 0 --from 0.5 --to 0.5", "the end must be after the beginning"),
        ("flow cell --user 0 --from 1", "nothing begins at 1 s: the run is from 0 to 1 s"),
        ("cell cell --from 3 --to 4", "nothing begins at 3 s"),
        ("fairness cell --window 0", "window_s is 0; it must be above 0"),
        ("fairness cell --window 0.9 --step 0.5 --to 0.5", "0 of them lie from 0 to 0.5 s"),
        ("flow backlogged --user 0", "without TCP there are no ACKs and no window to draw; airlink plot cell"),
        ("flow other --user 0", "holds no result: there is no result.json in it"),
        ("cell nowhere", "holds no result"),
        ("flow cell --user 0 --out flow.gif", "--out flow.gif: must end in .html, .pdf, .png, .svg"),
        ("flow cell --user 0 --out flow", "must end in .html"),
        ("cell cell --out nowhere/cell.png", "nowhere/cell.png can't be written: No such file or directory"),
        ("cell cell --out taken.png", "taken.png exists; choose another name, or --force to replace it"),
        ("cell cell --out folder.png", "folder.png is a folder"),
    ],
)
def test_bad_input_is_one_message_and_leaves_nothing(folder: Path, words: str, message: str) -> None:
    Path("taken.png").write_text("mine")
    Path("folder.png").mkdir()
    kind, result, *options = words.split()
    answer = Answer(kind, folder / result, *options)
    assert (answer.code, answer.out) == (2, "")
    assert message in answer.err
    assert len(answer.err.splitlines()) == 1
    assert sorted(path.name for path in Path().iterdir()) == ["folder.png", "taken.png"]
    assert Path("taken.png").read_text() == "mine"


def test_a_file_is_replaced_only_by_force(folder: Path) -> None:
    Path("taken.png").write_text("mine")
    assert Answer("cell", folder / "recorded", "--out", "taken.png", "--force").code == 0
    assert Path("taken.png").read_bytes().startswith(PNG)


def test_a_full_disk_is_said_and_leaves_what_was_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Figure, "savefig", full)
    Path("taken.png").write_text("mine")
    answer = Answer("cell", folder / "recorded", "--out", "taken.png", "--force")
    assert (answer.code, answer.err) == (2, "airlink: taken.png: the disk is full; nothing was written\n")
    assert [(path.name, path.read_text()) for path in Path().iterdir()] == [("taken.png", "mine")]


def test_an_interruption_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("airlink.plots.flow.view.recorded", interrupted)
    answer = Answer("flow", folder / "recorded", "--user", 0)
    assert (answer.code, answer.err) == (130, "airlink: interrupted; nothing was written\n")
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("command", ["flow", "cell", "fairness", "cdf", "box", "bars", "pareto", "sweep"])
def test_help_teaches_by_example(command: str) -> None:
    answer = Answer(command, "--help")
    assert answer.code == 0
    assert f"airlink plot {command} airlink-results/" in answer.out
    assert max(map(len, answer.out.splitlines())) <= 80


def test_a_letter_that_the_font_lacks_is_told_once_in_a_sentence(tmp_path: Path) -> None:
    wide = {"漢字": CELL, "other": CELL.with_(users=2)}
    airlink.compare(wide, measure="cell.goodput_bps", seeds=[1, 2], store=None).save(tmp_path / "wide")
    answer = Answer("bars", tmp_path / "wide", "--out", tmp_path / "wide.png")
    assert answer.code == 0
    assert "UserWarning" not in answer.err
    assert answer.err.count("the font of figures has no") == 2
