"""What every test shares: measured traces, that no test is left out unseen, cores, and that Ctrl-C is heard.

`AIRLINK_TRACES` names the folder of measured traces. Tests that read them ask for `requires_traces`; without the
variable they are skipped, by name, as those of simulated error rates are without `AIRLINK_NR_BLER`. With
`AIRLINK_REQUIRE_ALL=1` (the CI) any other skip fails the run, but for programs and the like that `AIRLINK_WITHOUT` says
cannot be had here, and tests marked `thorough` run, which a run of all tests otherwise leaves out. The last line says
what did not run and how to run it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import chromium
import not_run

if TYPE_CHECKING:
    import page_kinds

TRACES = "AIRLINK_TRACES"
NR_BLER = "AIRLINK_NR_BLER"
REQUIRE_ALL = "AIRLINK_REQUIRE_ALL"
WITHOUT = "AIRLINK_WITHOUT"
LEFT_OUT = pytest.StashKey[dict[str, set[str]]]()
MARKS = ("validate", "thorough")
collect_ignore = ["sb3_training.py"]  # a script for another interpreter, run by test_gym_learning
BEGIN_WITH = (
    "test_study_clamp",
    "test_judge",
    "test_installation",
    "test_doc_examples",
    "test_hostile_inputs",
    "test_atomic_write",
    "test_against_reference",
    "test_captures",
    "test_engines",
    "test_golden",
    "test_looks",
    "test_accessibility",
    "test_explain",
    "test_campaign_store",
    "test_plot_command",
    "test_tutorials",
    "test_study_imt_advanced",
    "test_resources",
    "test_capture_files",
    "test_against_linux",
    "test_controls",
    "test_study_startup_timeout",
    "test_captures_rare",
    "test_cli",
)
"""Files of tests that take longest. They run first, so that no process of `pytest -n` waits for another at the end."""


def pytest_configure(config: pytest.Config) -> None:
    """Hear Ctrl-C even where a shell in the background has it ignored: programs that tests start inherit that."""
    config.stash[LEFT_OUT] = {mark: set[str]() for mark in MARKS}
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(config, "workerinput"):
        take_a_share_of_the_cores(config.workerinput)


def take_a_share_of_the_cores(worker: dict[str, Any]) -> None:
    """Share out the cores among the processes of `pytest -n`: the engine starts a thread per core it may use."""
    if hasattr(os, "sched_setaffinity"):
        cores, place = sorted(os.sched_getaffinity(0)), int(worker["workerid"].removeprefix("gw"))
        os.sched_setaffinity(0, cores[place :: worker["workercount"]] or [cores[place % len(cores)]])


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
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave thorough tests to the CI; begin with the files that take longest, where processes share the tests."""
    if is_of_all_tests(config) and not requires_all():
        thorough = [item for item in items if item.get_closest_marker("thorough")]
        items[:] = [item for item in items if item not in set(thorough)]
        config.hook.pytest_deselected(items=thorough)
    if hasattr(config, "workerinput"):
        places = {name: place for place, name in enumerate(BEGIN_WITH)}
        items.sort(key=lambda item: places.get(item.path.stem, len(places)))


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Note the tests that this run leaves out by their marks."""
    for item in items:
        mark = next(filter(item.get_closest_marker, MARKS), None)
        if mark is not None:
            item.config.stash[LEFT_OUT][mark].add(item.nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Learn from a process of `pytest -n` what it left out."""
    for mark, names in getattr(node, "workeroutput", {}).get("left_out", {}).items():
        node.config.stash[LEFT_OUT][mark].update(names)


@pytest.fixture
def mount_point() -> Iterator[Path]:
    """An empty folder that is not one of pytest's, which removes old ones and fails at one that is still mounted."""
    with tempfile.TemporaryDirectory(prefix="airlink-mount-") as place:
        yield Path(place)


@pytest.fixture
def small_disk(mount_point: Path) -> Iterator[Path]:
    """A file system of 2 MB."""
    place = mount_point / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(place)], check=False, capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("tmpfs is not to be mounted by everybody")
    try:
        yield place
    finally:
        # Lazily: the file of a writer that failed stays open until Python collects its garbage.
        subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run that must not skip and did."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = left_out(session.config)
    if unexcused(skipped(session.config)) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name every skipped test."""
    tests = skipped(terminalreporter.config)
    for name, reason in tests:
        terminalreporter.write_line(f"skipped: {name}: {reason}")
    for name, _ in unexcused(tests):
        terminalreporter.write_line(f"FAILED {name}: skipped, and {REQUIRE_ALL}=1 requires it", red=True)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Say in the last line what did not run and how to run it."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or config.option.collectonly:
        return
    left = left_out(config)
    crates = Path(__file__).parents[1] / "crates"
    ignored = not_run.ignored_in_rust(crates) if is_of_all_tests(config) and left["validate"] else []
    line = not_run.sentence(skipped(config), left["thorough"], left["validate"], ignored)
    if line:
        reporter.write_line(line)


def is_of_all_tests(config: pytest.Config) -> bool:
    """Whether the tests are not asked for by file."""
    return any(Path(argument).resolve() == Path(__file__).parent for argument in config.args)


def requires_all() -> bool:
    """Whether nothing may be left out."""
    return os.environ.get(REQUIRE_ALL, "") not in {"", "0"}


def left_out(config: pytest.Config) -> dict[str, list[str]]:
    """The tests that this run leaves out, by their marks."""
    return {mark: sorted(names) for mark, names in config.stash[LEFT_OUT].items()}


def skipped(config: pytest.Config) -> list[tuple[str, str]]:
    """Name and reason of every test that was skipped so far."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    reports = reporter.stats.get("skipped", []) if reporter else []
    return [(report.nodeid, reason_of(report)) for report in reports]


def reason_of(report: pytest.TestReport) -> str:
    """The sentence given to `pytest.skip`."""
    return str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr).removeprefix("Skipped: ")


def unexcused(tests: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The skips that fail the run: all, but for missing folders and what was not promised."""
    if not requires_all():
        return []
    missing = [f"{thing} is not " for thing in os.environ.get(WITHOUT, "").split()]
    return [
        (name, reason)
        for name, reason in tests
        if not any(thing in reason for thing in missing)
        and not any(folder in reason and not os.environ.get(folder) for folder in (TRACES, NR_BLER))
    ]


@pytest.fixture(scope="module")
def browser() -> Iterator[chromium.Browser]:
    """Chromium, for the tests of a module; skipped where it is not installed."""
    if chromium.program() is None:
        pytest.skip("chromium is not installed")
    with chromium.browser() as opened:
        yield opened


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> page_kinds.Written:
    """A page of every kind, each written when it is first asked for."""
    import page_kinds

    return page_kinds.Written(tmp_path_factory.mktemp("pages"))
