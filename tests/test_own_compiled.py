"""Compiled code of one's own gives what the built-in parts give, on all threads; one that hangs can be left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import airlink
import own_code
from airlink.own import OwnError, compiled, parts_of
from airlink.scenario import ready
from own_compiled import FAIR_IN_C, LOTTERY_IN_C, QUEUES_IN_C, codel, fair, hesitant, lottery, numba, reno
from test_own import fair as scenario_of


@pytest.mark.parametrize("ties", ["random", "lowest_index"])
@pytest.mark.parametrize("subchannels", [1, 50])
def test_proportional_fair_as_a_cfunc_is_the_built_in_one(subchannels: int, ties: str) -> None:
    scenario = scenario_of(subchannels, ties)
    built_in = airlink.run(scenario, replicas=2, record=["slots"]).digest()
    assert airlink.run(scenario, replicas=2, record=["slots"], scheduler=fair).digest() == built_in


def test_reno_as_a_cfunc_is_the_built_in_one() -> None:
    scenario = ready("k3", ["duration_s=20"]).with_(**{"flows.0.tcp.congestion_control": "reno"})
    assert airlink.run(scenario, congestion_control=reno).digest() == airlink.run(scenario).digest()


def test_a_function_of_a_library_in_c_is_the_built_in_one_too(tmp_path: Path) -> None:
    (tmp_path / "fair.c").write_text(FAIR_IN_C)
    library = tmp_path / "libfair.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", library, tmp_path / "fair.c"], check=True)
    scenario = scenario_of(50)
    found = airlink.run(scenario, scheduler=compiled.library_function(library, "fair"))
    assert found.digest() == airlink.run(scenario).digest()
    assert len(found.own_code[0].sha256) == 64
    with pytest.raises(OwnError, match=r"libfair\.so:fare can't be loaded"):
        compiled.library_function(library, "fare")


def test_codel_in_python_and_as_a_cfunc_is_the_built_in_one() -> None:
    scenario = ready("k3", ["users=3", "duration_s=20", "queue.kind=codel"])
    built_in = airlink.run(scenario, replicas=2)
    assert built_in.cell["drops_aqm"].min() > 20
    assert airlink.run(scenario, replicas=2, queue=codel).digest() == built_in.digest()
    assert airlink.run(scenario, replicas=2, queue=own_code.Codel).digest() == built_in.digest()


def test_queues_in_c_draw_mark_and_limit_as_those_in_python_do(tmp_path: Path) -> None:
    (tmp_path / "queues.c").write_text(QUEUES_IN_C)
    library = tmp_path / "libqueues.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", library, tmp_path / "queues.c"], check=True)
    scenario = ready("k3", ["duration_s=10", "queue.limit_packets=40", "flows.0.tcp.ecn=rfc3168"])
    pairs: list[tuple[str, type]] = [("coin", own_code.Coin), ("marked", own_code.Marked)]
    for name, in_python in pairs:
        found = airlink.run(scenario, replicas=2, queue=compiled.library_function(library, name))
        assert found.digest() == airlink.run(scenario, replicas=2, queue=in_python).digest()
        assert (found.cell["drops_aqm"].sum() > 20) == (name == "coin")
        assert found.digest() != airlink.run(scenario, replicas=2).digest()
    assert len(found.own_code[0].sha256) == 64


def test_schedulers_and_controls_draw_as_those_in_python_do(tmp_path: Path) -> None:
    (tmp_path / "lottery.c").write_text(LOTTERY_IN_C)
    library = tmp_path / "liblottery.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", library, tmp_path / "lottery.c"], check=True)
    scenario = ready("k3", ["users=5", "duration_s=10"])
    in_python = airlink.run(scenario, replicas=2, scheduler=own_code.Lottery)
    for made in (lottery, compiled.library_function(library, "lottery")):
        assert airlink.run(scenario, replicas=2, scheduler=made).digest() == in_python.digest()
    # Everybody is drawn.
    assert in_python.users["slots_won"].min() > 100
    compiled_control = airlink.run(scenario, replicas=2, congestion_control=hesitant)
    assert compiled_control.digest() == airlink.run(scenario, replicas=2, congestion_control=own_code.Hesitant).digest()
    assert compiled_control.digest() != airlink.run(scenario, replicas=2).digest()


def test_the_hash_of_a_cfunc_is_that_of_its_text() -> None:
    ours, other = parts_of(fair).all[0], parts_of(congestion_control=reno).all[0]
    assert ours.sha256 == parts_of(fair).all[0].sha256 != other.sha256
    assert ours.is_repeatable
    with pytest.raises(OwnError, match="there is no column 'rates'; there are rate_bps, reported_db"):
        compiled.column("rates")


def test_a_cfunc_of_another_signature_is_refused() -> None:
    halves = numba.cfunc("float64(float64)")(lambda number: number / 2)
    for given in (
        {"scheduler": halves},
        {"congestion_control": halves},
        {"scheduler": reno},
        {"queue": fair},
        {"scheduler": codel},
    ):
        with pytest.raises(OwnError, match="is compiled for other arguments; it must be @cfunc"):
            parts_of(**given)


def test_an_interruption_leaves_a_compiled_loop_that_does_not_come_back(tmp_path: Path) -> None:
    text = "import airlink, own_compiled\nfrom airlink.scenario import ready\nprint('begun', flush=True)\n"
    text += "airlink.run(ready('k3'), scheduler=own_compiled.endless)\n"
    running = subprocess.Popen(
        [sys.executable, "-c", text],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]),
        },
    )
    assert running.stdout is not None
    assert running.stdout.readline() == b"begun\n"
    time.sleep(1)
    os.kill(running.pid, signal.SIGINT)
    _, told = running.communicate(timeout=20)
    assert b"KeyboardInterrupt" in told
