"""Files that arrive at random and sessions: their laws against closed forms, and results whose numbers of flows differ.

What a file or page takes is checked in Rust (`crates/sim/tests/engine/downloads.rs`). Leaves out schedulers and TCP.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import airlink
from airlink import campaign
from airlink.campaign import Plan
from airlink.explain import explain
from airlink.plots.flow import flow_view
from airlink.result import Result
from airlink.result.selection import place_of
from airlink.scenario import Scenario
from airlink.scenario.sections import Poisson

Numbers = NDArray[np.float64]

WIRE = """
duration_s = 2000
users = 2
bottleneck = { rate_bps = 1e9, delay_ms = 1, limit_packets = 1000 }
[[flows]]
path = { downlink_delay_ms = 0, uplink_delay_ms = 30 }
"""
"""A wire on which files are out of one another's way."""

CELL = """
duration_s = 20
users = 3
slot.duration_ms = 5
channel.placement = { kind = "mean_snr", mean_snr_db = 10 }
link.rate = { kind = "capacity", bandwidth_hz = 1e6 }
[[flows]]
users = [2]
[[flows]]
traffic = { kind = "poisson", arrivals_per_s = 0.3, size = { kind = "exponential", mean_bytes = 20_000 } }
tcp.mss_bytes = 536
[[flows]]
users = [1]
traffic = { kind = "sessions", think_s = 2 }
"""
"""Flow 0 is greedy, flow 1 a session; from flow 2 on files, which the second table says how to send."""

SIZES: list[dict[str, Any]] = [
    {"kind": "constant", "bytes": 1234},
    {"kind": "exponential", "mean_bytes": 3000},
    {"kind": "lognormal", "median_bytes": 1000, "sigma": 0.8},
    {"kind": "pareto", "shape": 1.3, "min_bytes": 200, "max_bytes": 50_000},
    {"kind": "pareto", "shape": 1, "min_bytes": 200, "max_bytes": 50_000},
    {"kind": "triangular", "min_bytes": 100, "mode_bytes": 500, "max_bytes": 9000},
]


def wire(**traffic: object) -> Scenario:
    return Scenario.from_toml(WIRE).with_(**{"flows.0.traffic": traffic})


def of_cell(replicas: int = 3, record: tuple[str, ...] = ("downloads",)) -> Result:
    return airlink.run(Scenario.from_toml(CELL), replicas=replicas, record=record)


def furthest(samples: Numbers, law: Callable[[Numbers], Numbers]) -> float:
    """The distance of Kolmogorov and Smirnov, times the root of the number of samples."""
    ordered = np.sort(samples)
    share = np.arange(ordered.size + 1) / ordered.size
    expected = law(ordered)
    distance = max(np.max(expected - share[:-1]), np.max(share[1:] - expected))
    return float(distance) * math.sqrt(ordered.size)


ONE_IN_A_MILLION = 2.69
"""Of the distance of Kolmogorov and Smirnov: 2 exp(-2 d^2) = 1e-6."""


class TestArrivals:
    def test_their_number_has_the_mean_and_the_variance_of_a_poisson_law(self) -> None:
        runs = 400
        result = airlink.run(
            wire(kind="poisson", arrivals_per_s=5, size={"kind": "constant", "bytes": 10}).with_(duration_s=4),
            replicas=runs,
        )
        per_user = np.array([np.bincount(replica.flows["user"], minlength=2) for replica in result.replicas], float)
        expected, samples = 20.0, 2 * runs
        assert abs(per_user.mean() - expected) < 4.5 * math.sqrt(expected / samples)
        sd_of_variance = math.sqrt((expected + 2 * expected**2) / samples)
        assert abs(per_user.var(ddof=1) - expected) < 4.5 * sd_of_variance
        correlation = np.corrcoef(per_user.T)[0, 1]
        assert abs(correlation) < 4.5 / math.sqrt(runs)

    def test_the_time_between_two_of_a_user_is_exponential(self) -> None:
        scenario = wire(kind="poisson", arrivals_per_s=2, size={"kind": "constant", "bytes": 10})
        flows = airlink.run(scenario).flows
        for user in range(2):
            gaps = np.diff(flows["start_s"][flows["user"] == user])
            assert gaps.size > 3000
            assert furthest(gaps, lambda gap: 1 - np.exp(-2 * gap)) < ONE_IN_A_MILLION


class TestSizes:
    @pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size['kind']}-{size.get('shape', '')}")
    def test_their_mean_is_the_closed_form(self, size: dict[str, Any]) -> None:
        scenario = wire(kind="poisson", arrivals_per_s=2.5, size=size)
        traffic = scenario.flows[0].traffic
        assert isinstance(traffic, Poisson)
        bytes_ = airlink.run(scenario).flows["file_bytes"]
        assert bytes_.size > 9000
        # Rounding up adds at most a byte.
        bound = 4.5 * bytes_.std(ddof=1) / math.sqrt(bytes_.size) + 1
        assert abs(bytes_.mean() - traffic.size.mean_bytes) <= bound
        assert traffic.offered_bps == pytest.approx(8 * 2.5 * traffic.size.mean_bytes)

    @pytest.mark.parametrize("least", [1.0, 1e6, 1e14])
    def test_a_pareto_law_may_be_as_narrow_as_numbers_are(self, least: float) -> None:
        for most in (least * (1 + 1e-14), least + 1):
            size = {"kind": "pareto", "shape": 1e-3, "min_bytes": least, "max_bytes": most}
            scenario = wire(kind="poisson", arrivals_per_s=2.5, size=size).with_(duration_s=1)
            traffic = scenario.flows[0].traffic
            assert isinstance(traffic, Poisson)
            assert least <= traffic.size.mean_bytes <= most
            assert np.isin(airlink.run(scenario).flows["file_bytes"], (least, least + 1)).all()

    def test_what_is_offered_is_carried_where_there_is_room(self) -> None:
        scenario = wire(kind="poisson", arrivals_per_s=2.5, size=SIZES[2])
        result = airlink.run(scenario, record=["downloads"])
        downloads = result.series("downloads")
        complete = ~np.isnan(downloads["completed_s"])
        assert complete.sum() >= complete.size - 2
        assert int(downloads["bytes"][complete].sum()) <= int(result.flows["goodput_bytes"].sum())
        assert int(result.flows["goodput_bytes"].sum()) <= int(downloads["bytes"].sum())

    def test_short_flows_of_paper_004_can_be_written(self) -> None:
        sizes = {"kind": "triangular", "min_bytes": 1460, "mode_bytes": 2_920_730, "max_bytes": 4000 * 1460}
        traffic = wire(kind="poisson", arrivals_per_s=0.26, size=sizes).flows[0].traffic
        assert isinstance(traffic, Poisson)
        assert traffic.offered_bps == pytest.approx(0.26 * 8 * 2000.5 * 1460, rel=1e-3)


class TestSessions:
    def test_the_pause_is_an_exponential_time_to_think_and_the_way_of_the_request(self) -> None:
        scenario = wire(kind="sessions", think_s=0.5, size={"kind": "constant", "bytes": 1000})
        downloads = airlink.run(scenario, record=["downloads"]).series("downloads")
        for flow in range(2):
            own = downloads.where(downloads["flow"] == flow)
            thoughts = own["requested_s"][1:] - own["completed_s"][:-1] - 0.030
            assert thoughts.size > 3000
            assert thoughts.min() > -1e-9
            assert furthest(thoughts, lambda time: 1 - np.exp(-time / 0.5)) < ONE_IN_A_MILLION

    def test_a_cycle_is_what_the_page_takes_and_the_pause(self) -> None:
        scenario = wire(
            kind="sessions", think_s=0.5, think="constant", size={"kind": "lognormal", "median_bytes": 9000, "sigma": 1}
        )
        result = airlink.run(scenario, record=["downloads"])
        downloads = result.series("downloads").where(result.series("downloads")["flow"] == 0)
        took = downloads["completed_s"] - downloads["requested_s"]
        cycles = np.diff(downloads["requested_s"])
        np.testing.assert_allclose(cycles, took[:-1] + 0.530, rtol=0, atol=1e-8)
        done = took[~np.isnan(took)]
        assert int(result.flows["downloads"][0] - result.flows["downloads_unfinished"][0]) == done.size
        ages = scenario.duration_s - downloads["requested_s"][np.isnan(took)]
        assert float(result.flows["download_mean_s"][0]) == pytest.approx(np.mean([*done, *ages]), rel=1e-9)


class TestResults:
    def test_a_campaign_fills_shorter_rows_with_nan(self) -> None:
        outcome = campaign.run(Plan({"cell": Scenario.from_toml(CELL)}, seeds=(1, 2, 3)))
        users = outcome.flows("cell", "user")
        counts = [len(replica.flows["user"]) for replica in outcome.replicas["cell"] if replica is not None]
        assert len(set(counts)) > 1
        assert users.shape == (3, max(counts))
        assert [int((~np.isnan(row)).sum()) for row in users] == counts

    def test_xarray_fills_them_too_and_leaves_whole_numbers_whole_where_it_can(self) -> None:
        pytest.importorskip("xarray")
        dataset = of_cell().to_xarray()
        assert dataset["flows_user"].dtype == np.float64
        assert int(np.isnan(dataset["flows_user"]).sum()) > 0
        assert dataset["users_packets_in"].dtype == np.int64
        assert (
            airlink.run(wire(kind="greedy").with_(duration_s=1), replicas=2).to_xarray()["flows_user"].dtype == np.int64
        )

    def test_a_result_whose_replicas_differ_comes_back_whole_from_disk(self, tmp_path: Path) -> None:
        result = of_cell(record=tuple(kind for kind in airlink.RECORD_KINDS if kind != "prices"))
        loaded = Result.load(result.save(tmp_path / "out"))
        assert loaded.digests() == [replica.digest for replica in result.replicas]
        assert [len(replica.flows["flow"]) for replica in loaded.replicas] == [
            len(replica.flows["flow"]) for replica in result.replicas
        ]

    def test_replicas_in_which_nothing_arrives_are_results(self, tmp_path: Path) -> None:
        scenario = wire(kind="poisson", arrivals_per_s=0.5).with_(duration_s=1)
        result = airlink.run(scenario, replicas=12, record=("downloads", "limits", "packets"))
        counts = [len(replica.flows["flow"]) for replica in result.replicas]
        assert 0 in counts
        assert max(counts) > 0
        loaded = Result.load(result.save(tmp_path / "out"))
        assert [len(replica.flows["flow"]) for replica in loaded.replicas] == counts
        assert loaded.digests() == [replica.digest for replica in result.replicas]
        empty = counts.index(0)
        assert explain(loaded, replica=empty).flows == ()
        with pytest.raises(airlink.RequestError, match=r"flow 0 does not exist; there is none$"):
            flow_view(loaded, flow=0, replica=empty)
        assert loaded.series("downloads", empty).rows == 0
        none = Result.load(
            airlink.run(scenario.with_(**{"flows.0.traffic.arrivals_per_s": 1e-6})).save(tmp_path / "none")
        )
        assert (none.flows.rows, none.users.rows) == (0, 2)

    def test_each_flow_has_the_settings_of_its_group(self) -> None:
        result = of_cell(replicas=1, record=("limits", "packets"))
        replica = result.replicas[0]
        places = [place_of(result.scenario, replica, flow) for flow in range(len(replica.flows["flow"]))]
        assert places == [0, 2] + [1] * (len(places) - 2)
        assert [flow.facts.place for flow in explain(result).flows] == places
        view = flow_view(result, flow=2)
        assert (view.mss_bytes, view.user) == (536, int(replica.flows["user"][2]))
        assert int(view.segments["end"].max()) == int(replica.flows["file_bytes"][2])

    def test_files_and_pages_are_listed_in_the_order_in_which_they_are_asked_for(self) -> None:
        result = of_cell(replicas=1)
        downloads, flows = result.series("downloads"), result.flows
        assert (np.diff(downloads["requested_s"]) >= 0).all()
        assert set(downloads["flow"].tolist()) == set(range(1, flows.rows))
        files = downloads.where(downloads["flow"] > 1)
        assert files["bytes"].tolist() == flows["file_bytes"][files["flow"]].tolist()
        np.testing.assert_allclose(files["requested_s"], flows["start_s"][files["flow"]], rtol=1e-12)
        took = files["completed_s"] - files["requested_s"]
        np.testing.assert_allclose(took, flows["completion_s"][files["flow"]], rtol=0, atol=1e-9)
        pages = downloads.where(downloads["flow"] == 1)
        assert pages["number"].tolist() == list(range(pages.rows))

    def test_a_scenario_without_them_has_no_column_of_them(self) -> None:
        flows = airlink.run(wire(kind="file", bytes=1000).with_(duration_s=1)).flows
        assert not {"group", "file_bytes", "upstream_queue_full"} & set(flows)


def test_a_scenario_survives_its_json_and_a_change_of_the_law() -> None:
    scenario = Scenario.from_toml(CELL)
    assert Scenario.from_json(scenario.to_json()) == scenario
    assert json.loads(scenario.to_json())["flows"][1]["traffic"]["size"] == {
        "kind": "exponential",
        "mean_bytes": 20_000.0,
    }
    other = scenario.with_(**{"flows.1.traffic.size": {"kind": "constant", "bytes": 9}})
    assert isinstance(other.flows[1].traffic, Poisson)
    assert other.flows[1].traffic.size.mean_bytes == 9
