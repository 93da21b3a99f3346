"""Profile linux against what the kernel's TCP did on the same bottleneck with the same losses (tests/validation/linux).

The tables are the kernel's; `pytest -m validate` makes some anew where root and TUN devices are to be had, and holds
them against the stored ones. One script is played to the kernel each time. Tolerances follow from the two clocks: a
packet of 1500 bytes takes 1.2 ms at 10 Mb/s, a kernel's timer above 252 ms rings on a grid of 32 ms whose phase is its
own.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from airlink.engine import play_script
from airlink.scenario.script import Script
from validation.linux import kernel, player, sharing, startup
from validation.linux.cases import CASES, Case
from validation.linux.measure import RESULTS, measure, table
from validation.linux.ours import Run
from validation.linux.trace import Trace

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

BY_NAME = {case.name: case for case in CASES}
LOSSES = [name for name in BY_NAME if name.endswith(("_loss", "_losses"))]
STEADY = [name for name in BY_NAME if name.endswith("_steady")]
TIMEOUTS = [name for name in BY_NAME if name.endswith(("_spike", "_outage"))]
TWO_RTTS = [name for name in BY_NAME if name.endswith("_two_rtts")]
GROWN = [name for name in BY_NAME if name.endswith("_grown")]
WHEEL_S = 0.032
EACH_TIME = "fast-retransmit-by-sack"
"""The script that is played to the kernel each time; the others by `make validate`."""
RUNS = 12
SCRIPTS = sorted((Path(__file__).parent / "validation/linux/scripts").glob("*.tcp"))
WHY_NOT = kernel.why_not()
NEEDS_KERNEL = pytest.mark.skipif(WHY_NOT is not None, reason=f"the kernel is not to be asked here: {WHY_NOT}")


@cache
def stored(name: str) -> dict[str, Any]:
    return tomllib.loads((RESULTS / f"{name}.toml").read_text())


@cache
def ours(name: str) -> Run:
    return Run(BY_NAME[name])


def round_trip_s(case: Case) -> float:
    """Without queueing."""
    return min(forward + backward for forward, backward in zip(case.forward_ms, case.backward_ms, strict=True)) / 1e3


def test_every_case_has_its_table_of_these_settings() -> None:
    assert {path.stem for path in Path(RESULTS).glob("*.toml")} == set(BY_NAME)
    for name, case in BY_NAME.items():
        given = stored(name)["case"]
        assert (given["rate_bps"], given["limit_packets"]) == (case.rate_bps, case.limit_packets)
        assert tuple(given.get("drop", ())) == case.drop


@pytest.mark.parametrize("name", LOSSES)
class TestLossesInAWindow:
    def test_repairs_take_the_same_time_and_segments(self, name: str) -> None:
        theirs = stored(name)["flow"][0]["recoveries"]
        found = ours(name).trace(0).recoveries
        assert [one.resent for one in found] == [row[2] for row in theirs]
        for one, (start, end, _, _) in zip(found, theirs, strict=True):
            assert one.start == pytest.approx(start, abs=4e-3)
            assert one.end == pytest.approx(end, abs=4e-3)

    def test_eighty_segments_from_the_first_repair_leave_in_the_same_order(self, name: str) -> None:
        trace = ours(name).trace(0)
        size, start = trace.sent[0].length, trace.recoveries[0].start
        order = [segment.sequence // size for segment in trace.sent if segment.time >= start - 1e-3]
        theirs = [row[1] for row in stored(name)["flow"][0]["order"]]
        assert order[: len(theirs)] == theirs

    def test_no_timeout_and_the_same_goodput(self, name: str) -> None:
        assert ours(name).total("timeouts") == stored(name)["result"]["timeouts"] == 0
        np.testing.assert_allclose(ours(name).goodput_bps, stored(name)["result"]["goodput_bps"], rtol=0.002)


PHASE = replace(BY_NAME["reno_late_losses"], name="", rate_bps=8e6, duration_s=0.2, file_bytes=0, drop=(6, 8, 14, 18))
"""Two segments are SACKed when the timer of late segments would ring; it does so just before the third, or after."""
KERNELS_ORDERS = {(6, 8, 14, 24, 18), (6, 8, 24, 14, 18)}
"""Of five runs of Linux 6.18.44 three had the first, two the second."""


def order_from_first_repair(trace: Trace) -> tuple[int, ...]:
    order = [segment.sequence // trace.sent[0].length for segment in trace.sent]
    first = order.index(6, 10)
    return tuple(order[first : first + 5])


def test_whether_a_repair_comes_an_ack_sooner_is_the_phase_of_the_kernels_tick() -> None:
    found = {order_from_first_repair(Run(PHASE, start_s=shift / 1e4).trace(0)) for shift in range(0, 40, 5)}
    assert found == KERNELS_ORDERS


@pytest.mark.validate
@NEEDS_KERNEL
def test_the_kernel_repairs_in_an_order_of_some_phase() -> None:
    assert order_from_first_repair(table(measure(PHASE)).traces[0]) in KERNELS_ORDERS


@pytest.mark.parametrize("name", STEADY)
def test_steady_goodput_and_the_time_of_each_recovery(name: str) -> None:
    np.testing.assert_allclose(ours(name).goodput_bps, stored(name)["result"]["goodput_bps"], rtol=0.005)
    assert ours(name).total("timeouts") == stored(name)["result"]["timeouts"] == 0
    theirs = stored(name)["flow"][0]["recoveries"]
    found = ours(name).trace(0).recoveries
    assert len(found) == len(theirs)
    # A packet more or less in the queue changes a cycle; the first six together keep within a round trip.
    for one, row in zip(found[:6], theirs[:6], strict=True):
        assert one.start == pytest.approx(row[0], abs=round_trip_s(BY_NAME[name]))


@pytest.mark.parametrize("name", GROWN)
def test_goodput_and_recoveries_with_a_receive_buffer_that_grows(name: str) -> None:
    """In which millisecond a round trip ends decides how far it grows, and so when the losses come."""
    np.testing.assert_allclose(ours(name).goodput_bps, stored(name)["result"]["goodput_bps"], rtol=0.02)
    assert ours(name).total("timeouts") == stored(name)["result"]["timeouts"] == 0
    assert len(ours(name).trace(0).recoveries) == len(stored(name)["flow"][0]["recoveries"])


@pytest.mark.parametrize("name", TIMEOUTS)
class TestTimeouts:
    def test_as_many_and_within_the_grid_of_the_kernels_timers(self, name: str) -> None:
        assert ours(name).total("timeouts") == stored(name)["result"]["timeouts"] > 0
        theirs = [row for row in stored(name)["flow"][0]["recoveries"] if row[3]]
        found = [one for one in ours(name).trace(0).recoveries if one.after_silence]
        assert len(found) == len(theirs) == 1
        assert found[0].start == pytest.approx(theirs[0][0], abs=2 * WHEEL_S)

    def test_goodput(self, name: str) -> None:
        np.testing.assert_allclose(ours(name).goodput_bps, stored(name)["result"]["goodput_bps"], rtol=0.02)


def standard_errors(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> NDArray[np.float64]:
    """How many of them lie between the means of two sets of runs."""
    variances = [np.var(runs, axis=0, ddof=1) / len(runs) for runs in (ours, theirs)]
    distances: NDArray[np.float64] = np.abs(np.mean(ours, axis=0) - np.mean(theirs, axis=0)) / np.sqrt(sum(variances))
    return distances


@pytest.mark.thorough
@pytest.mark.parametrize("case", [*map(BY_NAME.get, TWO_RTTS), sharing.FOUR_RTTS], ids=lambda case: case.name)
def test_unlike_round_trips_share_as_in_the_kernel_once_no_phase_is_kept(case: Case) -> None:
    """Who loses at a full queue is chance in the kernel; exact times deal the losses alike for many round trips."""
    found = sharing.our_shares(case, RUNS, sharing.LATE_MS)
    assert standard_errors(found, sharing.kernels_shares(case)).max() < 4


@pytest.mark.parametrize("name", TWO_RTTS)
def test_flows_of_two_round_trips_fill_the_link_alike(name: str) -> None:
    assert sum(ours(name).goodput_bps) == pytest.approx(sum(stored(name)["result"]["goodput_bps"]), rel=0.01)


@pytest.mark.parametrize("algorithm", startup.ALGORITHMS)
def test_slow_start_comes_as_far_as_the_kernels(algorithm: str) -> None:
    rows = [row for row in startup.stored("queue") if row["congestion_control"] == algorithm]
    assert len(rows) == len(startup.QUEUES) * len(startup.ROUND_TRIPS_MS)
    for row in rows:
        found = np.array(startup.our_peaks(algorithm, row["round_trip_ms"], row["packets"]))
        assert all(np.abs(found - peak).min() <= 3 for peak in row["peaks"]), row


@pytest.mark.parametrize("run", startup.stored("acks"))
def test_the_first_acks_of_slow_start_have_the_kernels_numbers_and_windows(run: dict[str, Any]) -> None:
    numbers, windows = startup.our_first_acks()
    assert numbers == run["numbers"]
    # Whether a round trip is over with a segment or the next is a part of the kernel's millisecond: 2 MSS more or less.
    np.testing.assert_allclose(windows, run["windows"], atol=2 * startup.MSS_BYTES / startup.UNIT_BYTES + 1)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_airlink_keeps_to_scripts_that_the_kernel_keeps_to(path: Path) -> None:
    assert play_script(Script.from_text(path.read_text())) is None


@NEEDS_KERNEL
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=() if path.stem == EACH_TIME else pytest.mark.validate)
        for path in SCRIPTS
    ],
)
def test_the_kernel_keeps_to_the_scripts(path: Path) -> None:
    script = Script.from_text(path.read_text())
    # A machine that was late for a moment is no difference; one that comes twice is.
    assert not (player.play(script) and player.play(script))


@pytest.mark.validate
@NEEDS_KERNEL
@pytest.mark.parametrize("name", LOSSES)
def test_the_kernel_does_it_again(name: str) -> None:
    again = table(measure(BY_NAME[name]))
    result = stored(name)["result"]
    assert again.counters.get("RetransSegs", 0) == result["retransmissions"]
    assert again.counters.get("TCPTimeouts", 0) == result["timeouts"]
    np.testing.assert_allclose(again.goodput_bps, result["goodput_bps"], rtol=0.005)
