"""Progress: a bar with rate and time left in a terminal, plain lines now and then elsewhere, nothing for short work."""

from __future__ import annotations

import io
import sys

import pytest

from airlink.cli.progress import FIRST_LINE_S, SELDOM_S, bar


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr("airlink.cli.progress.time.monotonic", made)
    return made


def test_short_work_says_nothing(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with bar("k3") as tell:
        for finished in range(100):
            clock.now_s = finished * FIRST_LINE_S / 101
            tell(finished, 100)
        clock.now_s = 2 * FIRST_LINE_S
        tell(100, 100)
    assert capsys.readouterr() == ("", "")


def test_plain_lines_tell_rate_time_left_and_the_note_and_come_ever_more_seldom(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    lines_at_s = []
    with bar("k3") as tell:
        # 400 were stored: the rate is that of the others.
        for second in range(4000):
            clock.now_s = float(second)
            tell.note = "goodput 3.1 %"
            tell(400 + 2 * second, 10_000)
            if capsys_has(capsys, f"k3: {400 + 2 * second} of 10000, 2 a second", "left; goodput 3.1 %"):
                lines_at_s.append(second)
    pauses = [later - earlier for earlier, later in zip([0, *lines_at_s], lines_at_s, strict=False)]
    assert pauses == [10, 20, 40, 80, 160, 320, SELDOM_S, SELDOM_S, SELDOM_S, SELDOM_S, SELDOM_S]


def capsys_has(capsys: pytest.CaptureFixture[str], *words: str) -> bool:
    """Whether a line was written since, which must then hold the words."""
    line = capsys.readouterr().err
    assert not line or (line.startswith("airlink: ") and line.count("\n") == 1 and all(word in line for word in words))
    return bool(line)


def test_time_left_follows_from_the_rate(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with bar("k3") as tell:
        tell(0, 1000)
        clock.now_s = 10
        tell(50, 1000)
    assert capsys.readouterr().err == "airlink: k3: 50 of 1000, 5 a second, 3 min 10 s left\n"


def test_a_quiet_bar_and_one_that_has_nothing_to_tell_say_nothing(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with bar("k3", quiet=True) as tell:
        tell(0, 10)
        clock.now_s = 100
        tell(1, 10)
    assert capsys.readouterr() == ("", "")


def test_a_terminal_shows_done_total_rate_and_note(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    with bar("k3") as tell:
        tell(0, 1000)
        clock.now_s = 10
        tell.note = "0.8 %"
        tell(50, 1000)
    shown = terminal.getvalue()
    assert "50/1000" in shown
    assert "5/s" in shown
    assert "0.8 %" in shown
