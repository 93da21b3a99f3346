"""How studies are put together: parts, single figures, one progress bar. Their claims are tested study by study."""

from __future__ import annotations

import html
import importlib
import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import airlink_studies
from airlink.campaign import CampaignResult, Plan
from airlink.plots import style, sweep
from airlink.report import (
    Finding,
    Illustration,
    Paper,
    RunCount,
    Sheet,
    Statement,
    above,
    airlink_bibtex,
    certain,
    methods,
)
from airlink.result import Table
from airlink.scenario import Scenario
from airlink.statistics import Estimate
from airlink.study import Part, PartResult, Request, Runner, Texts, UnknownFigure, plan_size, study_of
from study_pages import STUDIES, findings_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
PACKAGE = Path(airlink_studies.__file__).parent
NAMES = ("clamp", "imt_advanced", "opportunistic_pf", "startup_timeout", "tcp_pf")
SCENARIO = Scenario.from_toml("duration_s = 1\nusers = 2\nslot.duration_ms = 5\nflows = [{}]")


def figure(name: str) -> Illustration:
    drawn, (axes,) = style.blank()
    sweep.banded(axes, [1, 2], [Estimate(1, 0.5, 1.5, 3), Estimate(2, 1.5, 2.5, 3)], 0, "ours")
    sweep.paper_point(axes, 2, 2.1)
    return Illustration(name, f"Caption of {name}.", drawn, "A line.")


def part(name: str, figures: tuple[str, ...], claim: str, extra: int = 0, *, headline: bool = False) -> Part:
    def plans(request: Request) -> Mapping[str, Plan]:
        return {"a": Plan({"one": SCENARIO, "two": SCENARIO}, range(request.seed, request.seed + 2))}

    def show(results: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
        for _ in range(extra):
            runner.run(Plan({"more": SCENARIO}, (9,)))
        rate = results["a"].interval("one", "goodput_bps")
        judged = Statement(claim, f"{name} carries something").against(rate, above("b/s", 0), "two seeds")
        names = [f"fig{each}-{name}" if each.isdigit() else f"{each}-{name}" for each in figures]
        sheet = Sheet(name, ("a",), [("1",)])
        rates: dict[str, Table] = {name: Table({"goodput_bps": results["a"].cell("one", "goodput_bps")})}
        return PartResult((judged,), (f"{name}!",), (sheet, *map(figure, names)), (sheet,), (f"So {name}.",), rates)

    return Part(name, name.capitalize(), figures, plans, show, headline=headline)


PARTS = (part("first", ("1", "2"), "000-10a"), part("second", ("map",), "000-9b", extra=1, headline=True))
STUDY = study_of("made-up", "A made-up study", Texts("Made up", "nobody", "What?"), PARTS)


def test_parts_are_put_together_in_order_and_claims_by_their_numbers(tmp_path: Path) -> None:
    found = STUDY.run(tmp_path / "out")
    assert [claim.id for claim in found.claims] == ["000-9b", "000-10a"]
    assert list(found.sentences) == ["So first."]
    assert list(found.headlines) == ["So second."]
    assert {path.name for path in (tmp_path / "out/figures").iterdir()} == {
        f"{name}.{kind}" for name in ("fig1-first", "fig2-first", "map-second") for kind in ("pdf", "png")
    }
    page = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    assert page.index("What?") < page.index("So second.")
    tables = (tmp_path / "out/tables.md").read_text(encoding="utf-8")
    assert tables.startswith("## Findings\n\n1. So second.\n\n2 of 2 directions hold")
    assert tables.count("| id | the paper | bound | ours | verdict |") == 1
    assert page.index("first!") < page.index("second!")
    assert "python test_studies.py<" in page
    assert "We simulated 9 runs of 5 settings, 1 s each, with 2 users, slots of 5 ms and TCP " in page.replace(
        "\xa0", " "
    )
    assert "@software{airlink," in page
    assert found.figures == []
    assert json.loads((tmp_path / "out/study.json").read_text())["seeds"] == [1, 2, 9]


def test_a_study_of_a_package_is_repeated_by_its_name_and_one_of_a_file_by_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    STUDY.run(tmp_path / "file", quick=True, seed=3)
    told = (tmp_path / "file/report.html").read_text(encoding="utf-8")
    assert "To repeat: python test_studies.py --quick with seed=3 in its Study.run." in told
    monkeypatch.setattr("airlink.study.parts.study_names", lambda: ["made-up"])
    found = STUDY.run(tmp_path / "package", quick=True, seed=3)
    assert found.notice.endswith("Everything: airlink reproduce made-up.")
    told = (tmp_path / "package/report.html").read_text(encoding="utf-8")
    assert "To repeat: airlink reproduce made-up --seed 3 --quick." in told


def test_a_study_without_tcp_names_none_in_its_methods() -> None:
    count = RunCount()
    count.add([SCENARIO.override(["flows.0.traffic.kind=backlogged"])], 3)
    told = methods("1", (1, 2, 3), count, "none", judged=False, again="")
    assert "slots of 5 ms and no TCP." in told
    assert told.count("TCP") == 1
    count.add([SCENARIO], 3)
    assert "simulator of TCP over a wireless downlink" in methods("1", (1,), count, "none", judged=False, again="")


def test_a_quick_run_says_so_above_all_and_how_to_run_everything(tmp_path: Path) -> None:
    paper = Paper("On air", ("A. Nobody",), 2004, "IEEE GLOBECOM", key="Nobody04")
    texts = Texts("Made up", paper, "What?", best="map-second", seeds=50)
    found = study_of("made-up", "A made-up study", texts, PARTS).run(tmp_path / "out", quick=True)
    assert found.notice.startswith("A quick run: 3 of 50 seeds, ")
    assert found.notice.endswith("Everything: python test_studies.py.")
    assert found.paper == "On air. A. Nobody. IEEE GLOBECOM, 2004"
    page = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    head, body = page.split("</header>")
    order = [
        head.index(text) for text in ("<h1>On air</h1>", "A. Nobody. IEEE", "What?", "3 of 50 seeds", "So second.")
    ]
    assert order == sorted(order)
    assert head.index("So second.") < head.index('id="figure-map-second"')
    assert 'id="figure-map-second"' not in body
    assert body.index('<details class="claims">') < body.index('id="figure-fig1-first"')
    assert "@inproceedings{Nobody04," in body


def test_a_finding_has_the_verdict_of_its_claims() -> None:
    claims = [
        Statement(name, "").against(certain(value), above("x", 0), "")
        for name, value in {"001-1": 1.0, "001-2": -1.0, "001-3": float("nan")}.items()
    ]
    told = [
        Finding.judged("So.", claims, by) for by in (["001-1"], ["001-1", "001-2"], ["001-2"], ["001-3"], ["001-9"])
    ]
    assert [each.verdict.partition(" (")[0] for each in told] == [
        "holds", "holds in part: 1 of 2, 1 does not hold", "does not hold", "undecided", "",
    ]  # fmt: skip
    assert [each.holds for each in told] == [True, None, False, None, None]
    assert str(told[1]) == "So. Verdict: holds in part: 1 of 2, 1 does not hold (claims 001-1, 2)."


def test_a_figure_alone_runs_its_part_and_keeps_nothing_else(tmp_path: Path) -> None:
    found = STUDY.run(tmp_path / "out", figure="2")
    assert [claim.id for claim in found.claims] == ["000-10a"]
    assert [path.name for path in found.figures] == ["fig2-first.pdf", "fig2-first.png"]
    assert all(path.exists() for path in found.figures)
    page = html.unescape((tmp_path / "out/report.html").read_text(encoding="utf-8"))
    assert 'To repeat: python test_studies.py with figure="2" in its Study.run.' in page


def test_a_figure_alone_has_a_folder_of_its_own() -> None:
    assert STUDY.default_out().name == "made-up"
    assert STUDY.default_out("13").name == "made-up-figure-13"


def test_an_unknown_figure_is_told_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(UnknownFigure, match="draws no figure '3'; it draws: 1, 2, map"):
        STUDY.run(tmp_path / "out", figure="3")
    assert not (tmp_path / "out").exists()


def test_the_progress_of_all_parts_is_one_bar(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    STUDY.run(tmp_path / "out", progress=lambda done, total: told.append((done, total)))
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1] == (9, 9)
    assert plan_size(PARTS[0].plans(Request())["a"]) == 4


def test_parts_need_names_and_figures_of_their_own() -> None:
    texts = Texts("", "", "")
    for other in (part("first", ("3",), "000-1"), part("third", ("1",), "000-1")):
        with pytest.raises(ValueError, match="of their own"):
            study_of("x", "", texts, (PARTS[0], other))


@pytest.mark.parametrize("name", NAMES[:-1])
def test_three_parts_of_a_study_give_its_findings(name: str) -> None:
    parts: Sequence[Part] = importlib.import_module(f"airlink_studies.{name}.study").PARTS
    assert sum(part.headline and part.in_quick for part in parts) == 3


def test_a_claim_in_a_part_is_judged_by_its_interval() -> None:
    assert Statement("x", "y").against(certain(1.0), above("z", 0), "").holds is True


@pytest.mark.parametrize("name", NAMES)
def test_every_study_names_its_paper_as_the_references_do(name: str) -> None:
    paper = importlib.import_module(f"airlink_studies.{name}").STUDY.paper
    assert paper is not None
    listed = tomllib.loads((ROOT / "docs/references.toml").read_text(encoding="utf-8"))[paper.key]
    assert paper.title == listed["title"]
    assert ", ".join(paper.authors) == listed.get("authors", "")
    assert (paper.venue, paper.year) == (listed.get("in", ""), listed.get("year"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(author in readme for author in paper.authors)
    assert not paper.authors or paper.title in readme


def test_to_cite_airlink_is_said_as_in_its_citation_file() -> None:
    told = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    version = next(line.split()[1] for line in told.splitlines() if line.startswith("version:"))
    fields = dict(re.findall(r"(\w+) += \{+([^}]*)\}", airlink_bibtex(version)))
    assert fields["version"] == version
    assert f'title: "{fields["title"]}"' in told
    assert f'name: "{fields["author"]}"' in told
    assert f'repository-code: "{fields["url"]}"' in told


@pytest.mark.validate
@pytest.mark.parametrize("name", NAMES)
def test_the_page_of_a_study_begins_as_a_whole_run_does(name: str, tmp_path: Path) -> None:
    study = importlib.import_module(f"airlink_studies.{name}").STUDY
    found = study.run(tmp_path / "report")
    assert findings_of(study.name) == found.headlines
    page = " ".join((STUDIES / f"{study.name}.md").read_text(encoding="utf-8").split())
    if "## What it depends on" in page:
        assert [sentence for sentence in found.depends if sentence not in page] == []


@pytest.mark.parametrize("name", ["imt_advanced", "opportunistic_pf"])
def test_a_quick_run_counts_the_seeds_of_the_whole(name: str) -> None:
    module = importlib.import_module(f"airlink_studies.{name}.study")
    plans = [plan for part in module.PARTS for plan in part.plans(Request()).values()]
    assert len({seed for plan in plans for seed in plan.seeds}) == module.TEXTS.seeds


@pytest.mark.parametrize("name", NAMES)
def test_every_study_says_which_figures_it_draws(name: str) -> None:
    figures = importlib.import_module(f"airlink_studies.{name}").STUDY.figures
    assert figures
    assert len(set(figures)) == len(figures)


def test_a_band_needs_an_estimate_for_every_point() -> None:
    _, (axes,) = style.blank()
    with pytest.raises(ValueError, match="2 points, but 1 estimates"):
        sweep.banded(axes, [1, 2], [certain(1.0)], 0, "")


def test_a_study_can_be_copied_as_a_template(tmp_path: Path) -> None:
    own = tmp_path / "own_study"
    own.mkdir()
    for file in (PACKAGE / "startup_timeout").glob("*.py"):
        text = file.read_text(encoding="utf-8").replace("airlink_studies.startup_timeout", "own_study")
        (own / file.name).write_text(text, encoding="utf-8")
    script = "import own_study; print(own_study.STUDY.run(out='out', figure='2', quick=True).figures[0])"
    script = script.replace("out='out'", "out=__import__('pathlib').Path('out')")
    run = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert (tmp_path / run.stdout.strip()).exists()
