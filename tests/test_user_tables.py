"""Tables of users and of the cell as `airlink run` prints them: units, intervals, the 5 % user."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
from rich.console import Console
from scipy import stats

import airlink
from airlink import Result, Scenario
from airlink.cli import tables
from airlink.cli.user_tables import print_result
from airlink.result import Estimate
from airlink.scenario import ready


def printed(result: Result) -> str:
    out = Console(file=io.StringIO(), width=80, highlight=False)
    print_result(result, out)
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue()


def rows(text: str) -> list[list[str]]:
    """The lines of the first table that begin with a user's number."""
    users = text.partition("Cell")[0].partition("Files and pages")[0]
    return [line.split() for line in users.splitlines() if line.strip()[:1].isdigit()]


@pytest.mark.parametrize(("rate_bps", "unit", "scale"), [(5e5, "kb/s", 1e3), (2e7, "Mb/s", 1e6)])
def test_rates_are_in_the_unit_that_suits_the_largest(rate_bps: float, unit: str, scale: float) -> None:
    wire = ready("dumbbell", [f"bottleneck.rate_bps={rate_bps}", "duration_s=3", "bottleneck.limit_packets=10000"])
    result = airlink.run(wire)
    text = printed(result)
    assert {word for word in ("kb/s", "Mb/s", "Gb/s") if word in text} == {unit}
    assert rows(text)[0][1] == f"{result.users['goodput_bps'][0] / scale:.3g}"
    assert f"goodput, {unit}" in text


def test_the_user_at_the_cells_edge_is_named_in_a_unit_of_its_own() -> None:
    result = airlink.run(ready("k3", ["duration_s=5"]))
    edge_bps = np.sort(result.users["goodput_bps"])[1]  # the 5 % quantile of 21 users: rank ceil(1.05) = 2
    text = printed(result)
    assert "goodput, Mb/s" in text
    line = next(line for line in text.splitlines() if "5 % user (cell edge), kb/s" in line)
    assert f"{edge_bps / 1e3:.5g}" in line.split()


def test_half_widths_are_students() -> None:
    """Students t over the replicas of one user, worked with SciPy."""
    result = airlink.run(ready("k3", ["duration_s=5"]), replicas=4)
    rates = result.users["goodput_bps"].reshape(4, 21) / 1e3
    half = stats.t.ppf(0.975, 3) * rates.std(axis=0, ddof=1) / 2
    text = printed(result)
    assert "mean of 4 replicas \u00b1 95 %" in text
    for user, row in enumerate(rows(text)):
        assert row[2:4] == [f"{rates[:, user].mean():.3g}", f"{half[user]:.3g}"]


@pytest.mark.parametrize(("size", "columns"), [(100_000_000, 0), (100_000, 1)])
def test_an_interval_of_times_that_nobody_has_takes_no_column(size: int, columns: int) -> None:
    wire = ready("dumbbell", ["duration_s=5", f"flows.0.traffic={{kind='file',bytes={size}}}"])
    files = printed(airlink.run(wire, replicas=2)).partition("Files and pages")[2].partition("Over")[0]
    assert (">" in files) == (columns == 0)
    header = files.partition("user")[0].partition("95 %")[2]
    assert header.count("\u00b1") == columns


def test_a_mean_of_replicas_is_rounded_to_its_interval() -> None:
    out = Console(file=io.StringIO())
    sign = tables.plus_minus(out)
    assert tables.with_interval(Estimate(0.3175249, 0.2914999, 0.3435499, 20), out) == f"0.318 {sign} 0.026"
    assert tables.with_interval(Estimate(14.278, 14.278, 14.278, 20), out) == f"14.28 {sign} 0"
    assert tables.with_interval(Estimate(14.2781, -math.inf, math.inf, 1), out) == "14.278"
    assert tables.with_interval(Estimate(-math.inf, -math.inf, -math.inf, 20), out) == "-inf"
    assert tables.with_interval(Estimate(math.nan, math.nan, math.nan, 20), out) == "-"


def test_timeouts_of_syns_are_told_apart_once_recorded() -> None:
    file = {"kind": "poisson", "arrivals_per_s": 2.0, "size": {"kind": "constant", "bytes": 5000}}
    own = {"profile": "linux", "rules": {"slow_start_exit": "loss"}}
    flows = [{"tcp": own}, {"start_s": 5.0, "traffic": file, "tcp": own}]
    full = {"rate_bps": 1e6, "delay_ms": 20, "limit_packets": 1000}
    scenario = Scenario(duration_s=12, users=1, slot=None, bottleneck=full, flows=flows)
    said = printed(airlink.run(scenario))
    assert "Timeouts may be of a SYN: each file of flows.1 is a connection" in said
    assert "One user requested any, the median is" in said
    recorded = airlink.run(scenario, record=["timeouts"])
    of_syns = int((recorded.series("timeouts")["sequence"] == -1).sum())
    assert 0 < of_syns <= recorded.flows["timeouts"].sum()
    told = f"Timeouts, of all replicas: {recorded.flows['timeouts'].sum()}, of which {of_syns} of a SYN"
    assert told in printed(recorded)
    assert "of a SYN" not in printed(airlink.run(scenario.with_(flows=flows[:1])))


def test_packets_over_udp_have_their_losses_delays_and_deadlines() -> None:
    """A voice call over 20 kb/s, which is less than it sends, beside a user with TCP; then alone."""
    slow = {"users": [0], "traffic": {"kind": "voice"}, "path": {"downlink_rate_bps": 2e4}}
    wire = {"rate_bps": 1e7, "delay_ms": 5}
    both = Scenario(users=2, duration_s=5, slot=None, bottleneck=wire, flows=[slow, {"users": [1]}])
    result = airlink.run(both)
    text = printed(result)
    missed = 100 * result.cell["deadline_miss_rate"][0]
    assert missed > 50
    line = next(line for line in text.splitlines() if "deadlines missed, %" in line)
    assert f"{missed:.5g}" in line.split()
    assert "UDP 95 % delay, ms" in text
    assert "timeouts" in text
    assert rows(text)[0][-3] == f"{missed:.3g}"  # before timeouts and drops
    assert rows(text)[1][-3] == "-"
    alone = printed(airlink.run(both.with_(flows=[slow])))
    assert "UDP lost, %" in alone
    assert "timeouts" not in alone
    assert "retransmissions" not in alone
    no_deadline = {"traffic": {"kind": "constant_rate", "rate_bps": 1e5}}
    assert "deadlines" not in printed(airlink.run(both.with_(flows=[no_deadline])))


def test_numbers_of_what_goes_down_are_not_shown_where_nothing_does() -> None:
    """Users who only upload have a Jain's index of 0 downwards: a notebook folds it away, the table leaves it out."""
    wire = {"rate_bps": 1e7, "delay_ms": 5}
    result = airlink.run(Scenario(users=2, duration_s=2, slot=None, bottleneck=wire, flows=[{"direction": "up"}]))
    text = printed(result)
    assert "Jain's index, up" in text
    assert "Jain's index  " not in text
    assert "cell edge" not in text
    seen, _, folded = result._repr_html_().partition("more numbers of the cell")
    assert "jain_index_up" in seen
    assert "jain_index<" not in seen
    assert "jain_index<" in folded
