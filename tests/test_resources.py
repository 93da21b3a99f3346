"""What a run will take is told before it, and a run that memory does not suffice for ends with a sentence.

Rows and bytes are counted exactly, so they are held against the run itself; memory and time of whole processes are held
against what the system says of them under `make validate`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

import airlink
from airlink import Result, Scenario, engine, resources, resources_of
from airlink.cli import app
from airlink.engine import RecordedSeries, Request, RequestError, Size
from airlink.scenario import ScenarioError, ScenarioWarning, ready

WITHIN = 1.5


class Case(NamedTuple):
    """A run: a ready scenario, what is recorded, what is set, replicas and threads."""

    name: str
    record: str = ""
    settings: tuple[str, ...] = ()
    replicas: int = 1
    threads: int = 1

    def kinds(self) -> list[str]:
        every = engine.recordable(self.scenario())
        return every if self.record == "all" else [kind for kind in self.record.split(",") if kind]

    def scenario(self) -> Scenario:
        return ready(self.name, self.settings)


CASES = [
    Case("dumbbell", "packets,acks,cwnd,rtt,queue"),
    Case("dumbbell", "packets,acks", ("duration_s=1000",), 2, 2),
    Case("dumbbell", "all", ("users=16", "duration_s=200")),
    Case("dumbbell", "events", ("duration_s=1000", "users=4"), 8, 2),
    Case("dumbbell", "rtt,sacks", ("flows.0.tcp.profile=linux", "flows.0.tcp.congestion_control=cubic")),
    Case("dumbbell", "packets", ("bottleneck.rate_bps=1e9", "duration_s=20")),
    Case("k3", "all", ("duration_s=100",), 4, 2),
    Case("k3", "slots,snr,packets", ("duration_s=300",), 4, 2),
    Case("k3", "gaps", ("duration_s=1000",)),
    Case("k3", "cwnd,packets", ("users=200", "duration_s=60"), 2, 2),
    Case("k3", "queue", ("scheduler.kind=max_rate", "duration_s=300")),
    Case("k3-lossless", "acks,rtt", ("duration_s=300",), 2, 2),
    Case("imt-advanced", "grants", ("duration_s=5",)),
    Case("imt-advanced", "grants,packets", ("duration_s=8",)),
    Case("imt-advanced", "slots", ("duration_s=8",)),
    Case("nr-like", "packets,snr"),
    Case("clamp", "queue,prices"),
    Case("opportunistic-pf", "packets,slots"),
    Case("startup-timeout", "packets,cwnd", (), 2),
    Case("startup-timeout", "snr", ("duration_s=200",), 2, 2),
]


@pytest.mark.thorough
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name}-{case.record}")
def test_rows_and_bytes_are_estimated_within_a_factor(case: Case) -> None:
    needed = resources_of(case.scenario(), case.replicas, seed=7, record=case.kinds(), threads=case.threads)
    found: dict[str, list[Size]] = {kind: [] for kind in case.kinds()}
    for replica in engine.run(Request([case.scenario()], range(7, 7 + case.replicas), case.kinds()), 2).replicas:
        assert replica is not None
        assert isinstance(replica.series, RecordedSeries)
        for kind, size in replica.series.sizes().items():
            assert size.rows == len(next(iter(replica.series[kind].values())))
            found[kind].append(size)
    for kind, sizes in found.items():
        real = Size(
            sum(each.rows for each in sizes) // len(sizes), sum(each.size_bytes for each in sizes) // len(sizes)
        )
        # A few rows are a lottery: a timeout more or less.
        if real.rows > 100:
            assert real.rows / WITHIN < needed.series[kind].rows < real.rows * WITHIN, kind
            assert real.size_bytes / WITHIN < needed.series[kind].size_bytes < real.size_bytes * WITHIN, kind


SEEN = """
import json, resource, subprocess, sys
subprocess.run([sys.executable, "-m", "airlink", *sys.argv[1:]], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps(used.ru_maxrss * 1024))
"""


@pytest.mark.validate
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name}-{case.record}")
def test_memory_and_time_of_a_process_are_estimated_within_a_factor(case: Case, tmp_path: Path) -> None:
    sets = [word for setting in case.settings for word in ("-s", setting)]
    words = ["run", case.name, *sets, "--record", case.record, "--replicas", str(case.replicas)]
    words += ["--threads", str(case.threads), "--seed", "7"]
    told = subprocess.run(
        [sys.executable, "-m", "airlink", *words, "--dry-run", "--json"], capture_output=True, text=True, check=True
    )
    needed = json.loads(told.stdout)
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", SEEN, *words, "--out", str(tmp_path / "o"), "-q"],
        capture_output=True,
        text=True,
        check=True,
    )
    took_s = time.perf_counter() - began
    real = json.loads(done.stdout)
    assert real / WITHIN < needed["memory_bytes"] < real * WITHIN
    # What a process takes to start, and a hundredth of a second of a run, are no matter of the scenario.
    start_s = 0.8
    assert needed["time_s"] < (took_s + 0.2) * WITHIN
    assert needed["time_s"] + start_s > took_s / WITHIN


def test_a_run_that_needs_more_than_is_left_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    large = ready("dumbbell", ["duration_s=1000000"])
    monkeypatch.setattr(engine, "memory_left", lambda: 2_000_000_000)
    (warning,) = resources.warning_of(Request([large], [1, 2], ["acks", "packets"]), 2)
    assert str(warning).startswith('record = "packets,acks": 2 x 1e+06 s need about ')
    assert "packets has the most" in str(warning)
    assert resources.warning_of(Request([large.with_(duration_s=10)], [1, 2], ["acks", "packets"]), 2) == []
    assert resources.warning_of(Request([large], [1, 2], []), 2) == []
    monkeypatch.setattr(engine, "memory_left", lambda: None)
    assert resources.warning_of(Request([large], [1, 2], ["acks", "packets"]), 2) == []


def test_python_and_the_command_warn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(engine, "memory_left", lambda: 0)
    with pytest.warns(ScenarioWarning, match="GB of memory"):
        airlink.run(ready("dumbbell", ["duration_s=60"]), record=["packets"])
    done = CliRunner().invoke(app, ["run", "dumbbell", "-s", "duration_s=60", "--record", "packets", "--json"])
    assert done.exit_code == 0
    assert "GB of memory" in done.stderr
    assert "GB of memory" in json.loads(done.stdout)["warnings"][0]["message"]


def test_a_dry_run_says_what_it_takes_and_writes_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["run", "k3", "--record", "packets", "--dry-run"])
    assert done.exit_code == 0
    assert all(word in done.stdout for word in ("packets", "memory", "time"))
    needed = json.loads(CliRunner().invoke(app, ["run", "k3", "--record", "packets", "--dry-run", "--json"]).stdout)
    assert needed["fits"] is True
    assert 4_000 < needed["series"]["packets"][0] < 40_000
    assert list(tmp_path.iterdir()) == []


def test_a_run_shorter_than_a_pilot_is_its_own_pilot() -> None:
    scenario = ready("k3", ["duration_s=0.05", "warmup_s=0"])
    assert resources_of(scenario, record=["slots"]).series["slots"] == Size(10, 560)


def test_of_a_warm_up_that_leaves_one_slot_short_runs_have_a_slot_too() -> None:
    scenario = ready("k3", ["duration_s=20", "warmup_s=19.995"])
    assert resources_of(scenario, record=["gaps"]).fits


LIMITED = """
import resource, sys
import pyarrow.parquet
from airlink.__main__ import main
pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + int(sys.argv[1]),) * 2)
sys.argv = ["airlink", *sys.argv[2:]]
main()
"""


@pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="limits of Linux")
@pytest.mark.parametrize(
    ("duration_s", "kept"), [pytest.param(300, True, marks=pytest.mark.thorough), (100_000, False)]
)
def test_out_of_memory_is_a_sentence_and_what_had_finished_is_kept(
    duration_s: float, kept: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["run", "dumbbell", "-s", f"duration_s={duration_s}", "--record", "packets,acks", "--replicas", "200"]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, "700000000", *words, "--threads", "1", "--out", "o", "-q"],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    assert done.returncode == 1, done.stderr
    assert done.stderr.startswith("airlink: out of memory")
    assert done.stderr.count("\n") == 1
    if kept:
        stored = Result.load("o")
        assert stored.interrupted
        assert f"; {len(stored.replicas)} of 200 replicas had finished and are kept" in done.stderr
        assert 1 <= len(stored.replicas) < 200
        assert stored.digests() == [replica.digest for replica in stored.replicas]
    else:
        assert not Path("o").exists()


def test_threads_have_a_limit() -> None:
    with pytest.raises(RequestError, match="threads is 1025; it must be at most 1024"):
        airlink.run(ready("dumbbell", ["duration_s=0.1"]), threads=1025)
    assert airlink.run(ready("dumbbell", ["duration_s=0.1"]), threads=1024).cell.rows == 1


NO_TIME = ["bottleneck.rate_bps=1e15", "bottleneck.delay_ms=0", "flows.0.path.uplink_delay_ms=0", "duration_s=1e-6"]


@pytest.mark.parametrize(
    "moves",
    [
        "bottleneck.rate_bps=1e11",
        "bottleneck.delay_ms=0.001",
        "flows.0.path.uplink_delay_ms=0.001",
        "flows.0.path.downlink_rate_bps=1e11",
    ],
)
def test_time_that_stands_still_is_refused(moves: str) -> None:
    with pytest.raises(
        ScenarioError, match=r"bottleneck\.rate_bps = 1000000000000000\.0: must be at most 3\.28e\+11, or time stands"
    ):
        ready("dumbbell", NO_TIME)
    airlink.run(ready("dumbbell", [*NO_TIME, moves]))
