"""What a run of tests says of those that did not run, in one process and in several."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import conftest
import not_run

HERE = Path(__file__).parent
LEFT_OUT = """
import os, pytest

@pytest.mark.parametrize("time", range(4))
def test_seen(time):
    if hasattr(os, "sched_getaffinity"):
        with open(f"cores-{os.getpid()}", "w") as file:
            file.write(" ".join(map(str, sorted(os.sched_getaffinity(0)))))

def test_of_a_page():
    pytest.skip("chromium is not installed")

@pytest.mark.thorough
def test_thorough():
    pass

@pytest.mark.validate
def test_long():
    pass
"""


CHROMIUM = "Not run: 1 test of left_out: chromium is not installed (apt-get install chromium); "
THOROUGH = "1 test of left_out: left to the CI (AIRLINK_REQUIRE_ALL=1 make test, or by file); "
LONGER = "1 test of left_out: longer proofs (make validate)"


def run_of_tests(
    folder: Path, *arguments: str, what: str = ".", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs pytest on `LEFT_OUT` with the shared conftest."""
    for file in (HERE / "conftest.py", HERE / "not_run.py", HERE / "chromium.py"):
        shutil.copy(file, folder)
    (folder / "pytest.ini").write_text(
        "[pytest]\nmarkers =\n  validate: longer\n  thorough: for the CI\naddopts = -m 'not validate'\n"
    )
    (folder / "test_left_out.py").write_text(LEFT_OUT)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments, what]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "AIRLINK_"))}
    environment = {**inherited, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **environment}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_the_last_line_says_what_did_not_run_and_how_to_run_it(tmp_path: Path) -> None:
    done = run_of_tests(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == CHROMIUM + THOROUGH + LONGER
    done = run_of_tests(tmp_path, what="test_left_out.py")
    assert "5 passed" in done.stdout
    assert done.stdout.splitlines()[-1] == CHROMIUM + LONGER


def test_several_processes_say_the_same_share_out_the_cores_and_fail_for_a_skip_if_all_is_required(
    tmp_path: Path,
) -> None:
    done = run_of_tests(tmp_path, "-p", "xdist.plugin", "-n", "2", AIRLINK_REQUIRE_ALL="1")
    assert (done.returncode, done.stderr) == (1, "")
    assert "skipped: test_left_out.py::test_of_a_page: chromium is not installed" in done.stdout
    assert "FAILED test_left_out.py::test_of_a_page: skipped, and AIRLINK_REQUIRE_ALL=1 requires it" in done.stdout
    assert "5 passed" in done.stdout
    assert done.stdout.splitlines()[-1] == CHROMIUM + LONGER
    shares = [{int(core) for core in file.read_text().split()} for file in tmp_path.glob("cores-*")]
    if hasattr(os, "sched_getaffinity"):
        cores = os.sched_getaffinity(0)
        assert shares
        assert all(share <= cores for share in shares)
        assert all(len(share) <= max(1, (len(cores) + 1) // 2) for share in shares)


def test_a_program_that_cannot_be_had_is_excused(monkeypatch: pytest.MonkeyPatch) -> None:
    skips = [("test_a.py::test_b", "chromium is not installed"), ("test_a.py::test_c", "AIRLINK_TRACES is not set")]
    monkeypatch.delenv("AIRLINK_TRACES", raising=False)
    monkeypatch.setenv("AIRLINK_REQUIRE_ALL", "1")
    monkeypatch.setenv("AIRLINK_WITHOUT", "tshark")
    assert conftest.unexcused(skips) == skips[:1]
    monkeypatch.setenv("AIRLINK_WITHOUT", "tshark chromium")
    assert conftest.unexcused(skips) == []
    monkeypatch.setenv("AIRLINK_TRACES", "somewhere")
    assert conftest.unexcused(skips) == skips[1:]


def test_ignored_tests_of_rust_are_found(tmp_path: Path) -> None:
    (tmp_path / "speed.rs").write_text('#[test]\n#[ignore = "slow"]\n#[cfg(unix)]\nfn takes_long() {}\nfn other() {}\n')
    assert not_run.ignored_in_rust(tmp_path) == ["speed::takes_long"]
    assert not_run.sentence([], [], [], ["speed::takes_long"]) == (
        "Not run: of Rust speed::takes_long: ignored (make validate)"
    )
    assert not_run.sentence([], [], [], []) == ""


def test_the_files_to_begin_with_are_there() -> None:
    assert [name for name in conftest.BEGIN_WITH if not (HERE / f"{name}.py").exists()] == []
