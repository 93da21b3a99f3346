"""The tree of commands: what `list` and `check` say, what the names that commands had before answer."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from typer.main import get_command

import airlink
from airlink import RECORD_KINDS
from airlink.cli import app, installed, listing
from airlink.cli.commands import GROUPS
from airlink.cli.moved import MOVED
from airlink.result import columns
from airlink.scenario import json_schema, ready_names
from test_cli import CELL, COMMANDS, Answer

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cell.toml").write_text(CELL)


@pytest.mark.parametrize(
    ("words", "now"),
    [
        ("schedulers", "airlink list schedulers"),
        ("rates k3 -s users=2 --json", "airlink check k3 -s users=2 --json"),
        ("schema", "airlink check --schema"),
        ("schema --markdown --out page.md", "airlink check --schema --markdown --out page.md"),
        ("schema --out page.md --results", "airlink check --results --out page.md"),
        ("digest results/x", "airlink store digest results/x"),
        ("script a.tcp b.tcp -s users=1", "airlink suite script a.tcp b.tcp -s users=1"),
        ("fairness 'my result' --window 0.5", "airlink report fairness 'my result' --window 0.5"),
        ("digest --help", "airlink store digest --help"),
        ("digest", "airlink store digest"),
    ],
)
def test_an_old_name_answers_with_the_new_command(words: str, now: str) -> None:
    answer = Answer(*shlex.split(words))
    old = "schema --results" if "--results" in words else words.split()[0]
    assert (answer.code, answer.out, answer.err) == (2, "", f"airlink: {old} is now: {now}\n")


def test_an_old_name_passes_nothing_to_the_terminal() -> None:
    answer = Answer("digest", "a\x1b[31m\nb")
    assert answer.err == "airlink: digest is now: airlink store digest 'a\\x1b[31m\\nb'\n"


@pytest.mark.parametrize(
    "new", sorted({" ".join(new[:2] if new[1][:1] != "-" else new[:1]) for new in MOVED.values() if len(new) > 1})
)
def test_a_new_name_is_a_command(new: str) -> None:
    assert Answer(*new.split(), "--help").code == 0


def test_help_shows_the_commands_by_group_and_no_old_name() -> None:
    lines = Answer("--help").out.splitlines()
    order = [word for line in lines if (word := re.sub(r"^[^A-Za-z]*", "", line).split(" ")[0]) in {*COMMANDS, *GROUPS}]
    assert order == [
        *("Prepare", "init", "list", "check"),
        *("Run", "run", "sweep", "compare"),
        *("Understand", "explain", "plot", "report"),
        *("Keep", "store"),
        *("Trust", "reproduce", "suite"),
    ]
    assert not {old[0] for old in MOVED} & {line.strip("\u2502| ").split(" ")[0] for line in lines}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("nonsense", "no such command 'nonsense'; see airlink --help"),
        ("--nonsense", "no such option: --nonsense; see airlink --help"),
        ("run", "run: missing argument 'FILE'; see airlink run --help"),
        ("run cell.toml --nonsense", "run: no such option: --nonsense"),
        ("store nonsense", "store: no such command 'nonsense'; see airlink store --help"),
        ("store digest", "store digest: missing argument 'RESULT'; see airlink store digest --help"),
        ("suite script", "suite script: missing argument 'FILE...'; see airlink suite script --help"),
        ("suite script nowhere", "nowhere: can't be read: No such file or directory"),
        ("report fairness nowhere", "nowhere holds no result: there is no result.json in it"),
        ("plot fairness", "plot fairness: missing argument 'RESULT'; see airlink plot fairness --help"),
        ("list nothing", 'list: no kind "nothing"; choose from ' + ", ".join(listing.KINDS)),
        ("list schedulers fair", 'list: schedulers: no "fair"; choose from round_robin, fifo'),
        ("list seris", 'did you mean "series"?'),
        ("list series acks more", "list: got unexpected extra argument"),
        ("check cell.toml --replicas 0", "check: invalid value for '--replicas'"),
        ("check cell.toml --threads 0", "check: invalid value for '--threads'"),
        ("check cell.toml --record nonsense", "record: 'nonsense' unknown; choose from slots, "),
        ("check dumbbell --record slots", "record: slots needs a radio"),
        ("check cell.toml -s users", "path=value"),
        ("check nowhere", "nowhere: no such file, and no ready scenario (first-cell, "),
        ("check -s users=2", "check: -s requires a FILE"),
        ("check --record acks", "check: --record requires a FILE"),
        ("check cell.toml --markdown", "check: --markdown requires --schema"),
        ("check --out o", "check: --out requires --schema or --results"),
        ("check --results --markdown", "check: --markdown requires --schema"),
        ("check --schema --results", "check: choose --schema or --results, not both"),
        ("check cell.toml --schema", "check: --schema is the same for every scenario; leave out cell.toml"),
        ("check --results --json", "check: --results does not go with --json"),
        ("check --schema --replicas 2", "check: --schema does not go with --replicas"),
    ],
)
def test_a_bad_call_is_one_sentence_and_exit_code_2(words: str, message: str) -> None:
    answer = Answer(*words.split())
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("airlink: ")
    assert message in answer.err
    assert answer.err.count("\n") == 1
    assert [path.name for path in Path().iterdir()] == ["cell.toml"]


@pytest.mark.parametrize(
    "words", [[], *([kind] for kind in listing.KINDS), *(["series", kind] for kind in RECORD_KINDS)]
)
def test_what_is_listed_fits_80_columns_and_is_json(words: list[str]) -> None:
    answer = Answer("list", *words)
    assert (answer.code, answer.err) == (0, "")
    assert max(map(len, answer.out.splitlines())) <= 80
    entries: Mapping[str, Mapping[str, object]] = json.loads(Answer("list", *words, "--json").out)
    for name, entry in entries.items():
        assert entry["meaning"]
        assert name in answer.out


def test_everything_is_listed_by_its_kind() -> None:
    def names(*words: str) -> list[str]:
        return list(json.loads(Answer("list", *words, "--json").out))

    tcp = json_schema()["$defs"]["Tcp"]["properties"]
    assert names() == list(listing.KINDS)
    assert names("scenarios") == list(ready_names())
    assert names("profiles") == tcp["profile"]["enum"]
    assert names("congestion-controls") == tcp["congestion_control"]["enum"]
    assert names("series") == list(RECORD_KINDS)
    assert "tcp-pf" in names("studies")
    assert all(re.search(rf"^ *{name} ", Answer("reproduce").out, re.MULTILINE) for name in names("studies"))
    assert {"round_robin", "proportional_fair", "tcp_pf", "ideal_tcp_pf"} < set(names("schedulers"))


def test_a_series_is_listed_with_its_columns() -> None:
    printed = Answer("list", "series", "acks").out
    listed = json.loads(Answer("list", "series", "acks", "--json").out)["acks"]["columns"]
    assert list(listed) == ["flow", "time_s", "number", "duplicate", "window_bytes", "direction", "ece"]
    for name, column in listed.items():
        assert (column["unit"], column["meaning"]) == columns.meaning_of("acks", name)
        assert re.search(rf"^ *{name} +{column['unit'] or '-'} ", printed, re.MULTILINE)


def test_check_says_size_warnings_rates_memory_and_time() -> None:
    answer = Answer("check", "k3", "-s", "queue.codel.target_ms=20", "--record", "acks", "--replicas", "2")
    assert (answer.code, answer.err) == (0, "")
    lines = answer.out.splitlines()
    assert lines[0] == "k3: 21 users, 21 flows, 25 s, scheduler tcp_pf"
    assert lines[1].startswith('warning: queue.codel.target_ms = 20.0: has no effect unless queue.kind = "codel"')
    assert any(line.split() == ["5", "5.00", "2.56"] for line in lines)
    assert any(line.split()[:1] == ["acks"] for line in lines)
    assert [line.split()[0] for line in lines[-2:]] == ["memory", "time"]
    assert max(len(line) for line in lines if not line.startswith("warning: ")) <= 80


def test_check_lists_the_rates_of_schemes_within_80_columns() -> None:
    answer = Answer("check", "k3", "-s", "link.rate={kind = 'mcs', bandwidth_hz = 1e6, set = 'cqi-64qam'}")
    assert max(map(len, answer.out.splitlines())) <= 80
    assert ["14", "14", "6", "948", "19.61", "5.55469"] in [line.split() for line in answer.out.splitlines()]


def test_check_tells_the_mean_snr_at_some_distances() -> None:
    assert "mean SNR  54.1 dB at 35 m, 10.7 dB at 500 m, -0.7 dB at 1000 m\n" in Answer("check", "lte").out
    given = 'channel.placement={kind = "distances", distances_m = [400, 2000, 200]}'
    at_given = Answer("check", "k3", "-s", "users=3", "-s", given).out
    assert "mean SNR  30.5 dB at 200 m, -4.5 dB at 2000 m\n" in at_given
    assert "mean SNR" not in Answer("check", "evdo").out


def test_check_says_where_there_is_no_table_of_rates() -> None:
    assert 'from no table: link.rate.kind = "capacity"' in Answer("check", "cell.toml").out
    wired = Answer("check", "dumbbell").out
    assert wired.splitlines()[0] == "dumbbell: 1 user, 1 flow, 100 s, a wired bottleneck"
    assert "rates" not in wired


def test_check_tells_all_mistakes_and_writes_nothing() -> None:
    Path("bad.toml").write_text(CELL.replace("users = 3", "users = -3").replace("duration_s = 1", "duration_s = nan"))
    answer = Answer("check", "bad.toml")
    assert (answer.code, answer.out, len(answer.err.splitlines())) == (2, "", 2)
    assert Answer("check", "cell.toml").code == 0
    assert sorted(path.name for path in Path().iterdir()) == ["bad.toml", "cell.toml"]


def test_check_has_everything_as_json() -> None:
    told = json.loads(Answer("check", "k3", "--json", "--record", "acks").out)
    assert told["rates"]["threshold_db"] == [-7.1, -5.2, -3.7, 0.1, 2.8, 5.0]
    assert (told["name"], told["warnings"], told["resources"]["fits"]) == ("k3", [], True)
    assert told["resources"]["series"]["acks"][0] > 0
    assert json.loads(Answer("check", "cell.toml", "--json").out)["rates"] is None


def test_check_without_a_file_says_what_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(installed.TRACES, raising=False)
    monkeypatch.setenv("AIRLINK_SIMD", "portable")
    monkeypatch.setattr(installed, "EXTRAS", {"no-such-package": "nothing", "numpy": "arrays"})
    answer = Answer("check")
    assert (answer.code, answer.err) == (0, "")
    assert max(map(len, answer.out.splitlines())) <= 80
    for text in (airlink.__version__, "portable", "not set", "not installed", "pip install"):
        assert text in answer.out
    told = json.loads(Answer("check", "--json").out)
    assert (told["AIRLINK_TRACES"], told["vector path"], told["no-such-package"]) == (None, "portable", None)
    assert told["numpy"]


def test_check_says_of_each_program_and_package_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(installed, "_version", lambda _: "")
    text = " ".join(Answer("check").out.split())
    for words in (
        *(f"apt install {name}" for name in ("tshark", "wireshark", "tcptrace")),
        *(
            f"pip install 'airlink[{name}]'"
            for name in ("dask", "gym", "notebooks", "numba", "pandas", "polars", "search", "xarray")
        ),
    ):
        assert words in text
    assert text.count("not installed") == len({**installed.PROGRAMS, **installed.EXTRAS}) == 11


def test_every_package_that_check_names_is_that_of_its_extra() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    extras = {name: re.split("[><=]", *lines)[0] for name, lines in project["optional-dependencies"].items()}
    whole = extras.pop("all")
    assert whole == f"airlink[{','.join(sorted(extras))}]"
    assert extras == {installed.EXTRA_OF.get(package, package): package for package in installed.EXTRAS}


@pytest.mark.parametrize(("folder", "told"), [(".", "."), ("nowhere", "nowhere: no such folder")])
def test_check_says_whether_the_folder_of_traces_is_there(
    monkeypatch: pytest.MonkeyPatch, folder: str, told: str
) -> None:
    monkeypatch.setenv(installed.TRACES, folder)
    assert json.loads(Answer("check", "--json").out)["AIRLINK_TRACES"] == told


def test_the_schema_is_json_and_pages_are_those_of_the_docs() -> None:
    assert "users" in json.loads(Answer("check", "--schema").out)["properties"]
    assert Answer("check", "--schema", "--out", "schema.json").code == 0
    assert json.loads(Path("schema.json").read_text())["properties"]
    assert Answer("check", "--schema", "--markdown").out.startswith("#")
    assert Answer("check", "--results").out.startswith("# What a result holds")


def help_texts(command: object, path: str = "airlink") -> Iterator[tuple[str, str]]:
    """The help of a command and of all below it, as it is written, by path."""
    yield path, str(getattr(command, "help", "") or "")
    below: Mapping[str, object] = getattr(command, "commands", {})
    for name, each in below.items():
        yield from help_texts(each, f"{path} {name}")


def test_no_example_of_a_help_text_is_broken_into_two_lines() -> None:
    texts = dict(help_texts(get_command(app)))
    assert "airlink store digest" in texts
    long = [
        f"{path}: {line}"
        for path, text in texts.items()
        for line in map(str.strip, text.splitlines())
        if line.startswith("airlink ") and len(line) > 78
    ]
    assert long == []
