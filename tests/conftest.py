"""What every test shares: the folder of measured traces, that no test is skipped unseen, and that Ctrl-C is heard.

`AIRLINK_TRACES` names the folder of measured traces. Tests that read them ask for `requires_traces`; without the
variable they are skipped, by name. With `AIRLINK_REQUIRE_ALL=1` (the CI) any other skip fails the run, but for programs
and the like that `AIRLINK_WITHOUT` says cannot be had here.
"""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

TRACES = "AIRLINK_TRACES"
REQUIRE_ALL = "AIRLINK_REQUIRE_ALL"
WITHOUT = "AIRLINK_WITHOUT"


def pytest_configure() -> None:
    """Hear Ctrl-C even where a shell in the background has it ignored: programs that tests start inherit that."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def requires_traces() -> Path:
    """The folder of measured traces; skips the test where there is none."""
    named = os.environ.get(TRACES, "")
    if not named:
        pytest.skip(f"{TRACES} is not set")
    folder = Path(named)
    assert folder.is_dir(), f"{TRACES} names {named}, which is no folder"
    return folder


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run that must not skip and did."""
    if unexcused(skipped(session.config)) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name every skipped test."""
    tests = skipped(terminalreporter.config)
    for name, reason in tests:
        terminalreporter.write_line(f"skipped: {name}: {reason}")
    for name, _ in unexcused(tests):
        terminalreporter.write_line(f"FAILED {name}: skipped, and {REQUIRE_ALL}=1 requires it", red=True)


def skipped(config: pytest.Config) -> list[tuple[str, str]]:
    """Name and reason of every test that was skipped so far."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    reports = reporter.stats.get("skipped", []) if reporter else []
    return [(report.nodeid, reason_of(report)) for report in reports]


def reason_of(report: pytest.TestReport) -> str:
    """The sentence given to `pytest.skip`."""
    return str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr).removeprefix("Skipped: ")


def unexcused(tests: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The skips that fail the run: all, but for missing traces and what was not promised."""
    if os.environ.get(REQUIRE_ALL, "") in {"", "0"}:
        return []
    missing = [f"{thing} is not " for thing in os.environ.get(WITHOUT, "").split()]
    return [
        (name, reason)
        for name, reason in tests
        if not any(thing in reason for thing in missing) and (TRACES not in reason or os.environ.get(TRACES))
    ]
