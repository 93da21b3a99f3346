"""Scripts as files: their head, their mistakes, and the command that plays them."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from airlink.cli import app
from airlink.engine import Difference, play_script
from airlink.scenario import ScenarioError, Script

TEXT = """# a remark above is allowed
---
rule = "RFC 5681 section 3.2"
side = "sender"
[tcp]
mss_bytes = 1000
initial_window_segments = 4
---
0   < open, supply 4000
0   > 0..4000
100 < ack 0 times 3
100 > 0..1000 again
"""


def play(text: str) -> Difference | None:
    return play_script(Script.from_text(text))


def mistakes(text: str) -> list[str]:
    with pytest.raises(ScenarioError) as caught:
        play(text)
    return [str(problem) for problem in caught.value.problems]


def test_a_script_that_holds_has_no_difference() -> None:
    assert play(TEXT) is None


def test_a_difference_names_the_line_of_the_file() -> None:
    found = play(TEXT.replace("times 3", "times 2"))
    assert found == Difference(12, "`100 > 0..1000 again`", "nothing")


def test_fields_can_be_changed_by_path() -> None:
    script = Script.from_text(TEXT)
    assert play_script(script.with_tcp({"duplicate_ack_threshold": 4})) is not None
    assert script.with_tcp({"rto.min_ms": 200}).head.tcp.rto.min_ms == 200
    assert script.head.tcp.rto.min_ms == 1000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 < open", "is not a script: a line of ---"),
        (TEXT.replace("---", "===", 1), "is not a script"),
        (TEXT.replace('side = "sender"', "side = sender"), "its head is not valid TOML"),
        (TEXT.replace('side = "sender"', 'side = "middle"'), "side"),
        (TEXT.replace("mss_bytes", "mss_byte"), "did you mean mss_bytes?"),
        (TEXT.replace("1000\n", "-1\n", 1), "tcp.mss_bytes = -1: must be a whole number"),
        (TEXT.replace("times 3", "times three"), "line 11: `three` is no whole number"),
        (TEXT.replace("0   > 0..4000", "0   > ack 4000"), "line 10: a sender sends"),
    ],
)
def test_a_mistake_says_what_is_wrong_and_where(text: str, message: str) -> None:
    (told,) = mistakes(text)
    assert message in told


def test_every_bad_line_is_told() -> None:
    assert len(mistakes(TEXT.replace("open", "opne").replace("again", "agan"))) == 2


def test_the_command_answers_with_its_exit_code(tmp_path: Path) -> None:
    files = {"good": TEXT, "other": TEXT.replace("times 3", "times 2"), "bad": TEXT.replace("times", "tims")}
    for name, text in files.items():
        (tmp_path / f"{name}.tcp").write_text(text)

    def answer(*names: str) -> tuple[int, str]:
        result = CliRunner().invoke(app, ["suite", "script", *(str(tmp_path / name) for name in names)])
        return result.exit_code, result.output

    assert answer("good.tcp")[0] == 0
    code, text = answer("good.tcp", "other.tcp")
    assert code == 1
    assert "good.tcp: holds" in text
    assert "other.tcp:12: expected `100 > 0..1000 again`; came nothing" in text
    code, text = answer("bad.tcp", "other.tcp", "missing.tcp")
    assert code == 2
    assert "bad.tcp: line 11: `tims` does not belong here" in text
    assert "missing.tcp: can't be read" in text
    assert "other.tcp:12" in text


def test_the_command_takes_other_fields(tmp_path: Path) -> None:
    file = tmp_path / "good.tcp"
    file.write_text(TEXT)
    result = CliRunner().invoke(app, ["suite", "script", str(file), "-s", "duplicate_ack_threshold=4"])
    assert result.exit_code == 1
